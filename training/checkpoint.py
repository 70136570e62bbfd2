"""What a run keeps on disk: agent files, to play, and the trainer's whole state, to go on from."""

import hashlib
import json
import pickle
import platform
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from masked_monsters.envs.adapters.aec import OBSERVATIONS
from masked_monsters.envs.errors import check_choice
from masked_monsters.envs.game import Game
from masked_monsters.training.about import ABOUT, read_about
from masked_monsters.training.config import Config, NetworkConfig, differences, flat_values
from masked_monsters.training.files import whole_file
from masked_monsters.training.network import Network, network_kwargs
from masked_monsters.training.policy import NetworkPolicy
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.vec_env import BatchVecEnv, action_space, policy_space

WEIGHTS = "policy.pth"
PACKAGES = (
    "masked-monsters",
    "stable-baselines3",
    "sb3-contrib",
    "torch",
    "numpy",
    "numba",
    "gymnasium",
)


def versions() -> dict[str, str]:
    """Of Python and of all packages that shape an agent."""
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}


# ---------------------------------------------------------------- agents


def save_agent(model: SelfPlayPPO, path: Path, game: Game, config: Config) -> None:
    """Write the agent file: a zip of what the agent is, and the weights that it plays with.

    The same agent makes the same bytes.

    Args:
        model: the agent in training.
        path: where to, a ``.zip``.
        game: what it plays.
        config: the run's.
    """
    about = {
        **_requirements(game, config.network.observation),
        "options": dict(game.options),
        "table_sizes": config.run.table_sizes,
        "network": config.network.model_dump(mode="json"),
        "decisions": model.num_timesteps,
        "seed": model.seed,
        "config": config.model_dump(mode="json"),
        "versions": versions(),
    }
    with whole_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(ABOUT), json.dumps(about, indent=2))
        with archive.open(zipfile.ZipInfo(WEIGHTS), "w") as weights:
            torch.save(model.policy.playing_weights(), weights)


def check_agent(path: Path, game: Game) -> dict[str, Any]:
    """``read_about`` of an agent for this game; else ``ValueError`` names what does not match."""
    about = read_about(path)
    known = check_choice(f"{path}: observation", about.get("observation"), OBSERVATIONS)
    for key, wanted in _requirements(game, OBSERVATIONS[known]).items():
        if about.get(key) != wanted:
            raise ValueError(f"{path}: {key} is {about.get(key)!r}, must be {wanted!r}")
    return about


def load_policy(path: Path, game: Game, *, deterministic: bool = False) -> NetworkPolicy:
    """The agent in a file, to play; it samples its actions unless ``deterministic``.

    Only the weights are read, without unpickling, so that a file cannot run code.

    Raises:
        ValueError: if the file is no agent, or not one for this game, naming what does not match.
    """
    about = check_agent(path, game)
    config = NetworkConfig(**{**about["network"], "critic": "shared"})  # none is needed to play
    with torch.random.fork_rng(devices=[]):  # the first weights, soon overwritten, are random
        network = Network(
            policy_space(game, config.observation),
            action_space(game),
            lr_schedule=lambda _: 0.0,
            **network_kwargs(config, game, game.num_players),
        )
    network.load_state_dict(_weights(path))
    return NetworkPolicy(network, path.stem, deterministic=deterministic)


def start_from(path: Path, model: SelfPlayPPO, game: Game, config: Config) -> None:
    """Give an untrained agent the weights in an agent file; ``ValueError`` if they do not fit."""
    network = NetworkConfig(**check_agent(path, game)["network"]).model_dump(mode="json")
    for key, wanted in config.network.model_dump(mode="json", exclude={"critic"}).items():
        if network[key] != wanted:
            raise ValueError(
                f"run.start_from={path}: its network.{key} is {network[key]}, not {wanted}"
            )
    model.policy.load_state_dict({**model.policy.state_dict(), **_weights(path)})
    model.place_magnet()


def _weights(path: Path) -> dict[str, torch.Tensor]:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(WEIGHTS) as weights:
            return torch.load(weights, map_location="cpu", weights_only=True)
    except (zipfile.BadZipFile, KeyError, EOFError, RuntimeError, pickle.UnpicklingError):
        raise ValueError(f"{path}: the weights of this agent are spoiled") from None


def _requirements(game: Game, observation: str) -> dict[str, Any]:
    """What must be the same where the agent was trained and where it plays."""
    segments = [(segment.name, segment.shape, segment.high) for segment in game.segments]
    table = segments if observation == "compact" else game.token_highs
    return {
        "format": 1,
        "game": game.name,
        "game_version": game.version,
        "observation": observation,
        "observation_hash": hashlib.sha256(repr(table).encode()).hexdigest()[:16],
        "actions": list(game.actions),
    }


# ---------------------------------------------------------------- the trainer


def save_trainer(model: SelfPlayPPO, path: Path, config: Config, beside: dict[str, Any]) -> None:
    """Write all that the training depends on from here: weights, games, opponents, random numbers.

    Args:
        model: between two updates.
        path: where to.
        config: the run's.
        beside: what the run keeps count of beside the model.
    """
    assert isinstance(model.env, BatchVecEnv)
    state = {
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "magnet": model.magnet.state_dict() if model.magnet else None,
        "decisions": model.num_timesteps,
        "updates": model._n_updates,
        "seconds": model.seconds,
        "generators": (model.generator, model.rollout_buffer.generator),
        "games": model.env.batch,
        "opponents": model.opponents,
        "config": config.model_dump(mode="json"),
        "beside": beside,
    }
    with whole_file(path) as file:
        torch.save(state, file)


def load_trainer(model: SelfPlayPPO, path: Path, config: Config) -> dict[str, Any]:
    """Bring a new model of a configuration to where ``save_trainer`` was; gives ``beside``.

    The file is unpickled, which can run code: it must be your own.

    Raises:
        ValueError: if it is no trainer's state, or that of another configuration, naming what differs.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.testzip():  # torch does not compare the checksums
                raise zipfile.BadZipFile
        state = torch.load(path, map_location=model.device, weights_only=False)
        was = flat_values(state["config"])
    except OSError:
        raise
    except Exception as error:  # a spoiled pickle can raise anything
        raise ValueError(f"{path}: spoiled, or not the state of a trainer") from error
    if differing := differences(was, flat_values(config.model_dump(mode="json"))):
        raise ValueError(
            f"{path}: the configuration has been changed: {differing}; a run goes on as it began"
        )
    model.policy.load_state_dict(state["policy"])
    model.policy.optimizer.load_state_dict(state["optimizer"])
    if model.magnet:
        model.magnet.load_state_dict(state["magnet"])
    model.num_timesteps, model._n_updates = state["decisions"], state["updates"]
    model.seconds = state["seconds"]
    model.generator, model.rollout_buffer.generator = state["generators"]
    model.opponents = state["opponents"]
    assert isinstance(model.env, BatchVecEnv)
    model.env.batch = state["games"]
    model._last_obs = model.env.batch.observation  # so that ``learn`` does not begin the games anew
    return state["beside"]
