"""Training runs of a second or less."""

from pathlib import Path
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from masked_monsters.training.config import Config, make_config
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.train import new_model, train


class Nothing(BaseCallback):
    """Goes on."""

    def _on_step(self) -> bool:
        return True


def tiny_config(game: str = "monster_my_neighbor", **run: Any) -> Config:
    """Two updates of a small network; keywords change the section ``run``."""
    return make_config(
        {
            "game": game,
            "run": {"name": "tiny", "decisions": 3000, "num_games": 32, "threads": 1, **run},
            "ppo": {"rollout_steps": 48, "batch_size": 256},
            "network": {"hidden": [16, 16]},
            "evaluation": {"matches": 8},
        }
    )


def tiny_model(
    num_games: int = 32,
    rollout_steps: int = 48,
    seed: int = 0,
    game: str = "monster_my_neighbor",
) -> SelfPlayPPO:
    """An untrained agent, and its games."""
    config = tiny_config(game, num_games=num_games, seed=seed)
    ppo = config.ppo.model_copy(update={"rollout_steps": rollout_steps})
    model = new_model(config.model_copy(update={"ppo": ppo}))
    model.set_logger(Logger(None, []))
    return model


def collect(model: SelfPlayPPO) -> None:
    """Fill the agent's buffer once."""
    callback = Nothing()
    callback.init_callback(model)
    assert model.env
    model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)


def tiny_agent(folder: Path, **run: Any) -> Path:
    """The agent file of a run."""
    return train(tiny_config(**run), folder)
