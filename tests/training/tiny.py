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


def changed(config: Config, **sections: dict[str, Any]) -> Config:
    """The configuration with other values in some sections."""
    values = config.model_dump()
    for name, section in sections.items():
        values[name] |= section
    return make_config(values)


def league_config(game: str, **run: Any) -> Config:
    """Six updates of a network that all that training has to offer has a hand in."""
    run = {
        "decisions": 768,
        "num_games": 8,
        "checkpoint_every": 200,
        "table_sizes": [3, 5, 4],
        **run,
    }
    roles = game == "under_my_bed"
    return changed(
        tiny_config(game, **run),
        ppo={"rollout_steps": 16, "batch_size": 32, "relative": True, "final_ent_coef": 0.0},
        magnet={"coef": 0.1},
        imitation={"player": "random", "decisions": 200, "batch_size": 32},
        opponents={
            "names": ["random"],
            "share": {"kid": 0.4, "monster": 0.6} if roles else 0.5,
            "by_seat": roles,
            "past": 0.6,
            "choice": "pfsp",
            "freeze_every": 100,
            "keep": 2,
        },
        network={"critic": "central", "per_role": roles},
        evaluation={"every": 300, "matches": 4},
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
