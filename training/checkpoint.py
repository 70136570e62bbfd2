"""Agent files: Stable-Baselines3's zip, with a member that says what the agent is."""

import hashlib
import json
import os
import platform
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from masked_monsters.envs.adapters.aec import compact_space
from masked_monsters.envs.game import Game
from masked_monsters.training.network import Network, network_kwargs
from masked_monsters.training.policy import NetworkPolicy
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.vec_env import action_space

ABOUT = "masked_monsters.json"
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


def save_agent(model: SelfPlayPPO, path: Path, game: Game, config: dict[str, Any]) -> None:
    """Write the agent file, whole or not at all: an old one stays until the new one is complete.

    Args:
        model: the agent in training.
        path: where to, a ``.zip``.
        game: what it plays.
        config: all of the run's configuration, as plain values.
    """
    about = {
        **_requirements(game),
        "options": dict(game.options),
        "hidden": config["network"]["hidden"],
        "decisions": model.num_timesteps,
        "seed": model.seed,
        "config": config,
        "versions": versions(),
    }
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with unfinished.open("w+b") as file:
            model.save(file)
            with zipfile.ZipFile(file, "a") as archive:
                archive.writestr(ABOUT, json.dumps(about, indent=2))
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_about(path: Path) -> dict[str, Any]:
    """What an agent file says of itself; ``ValueError`` if it is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read(ABOUT))
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError):
        raise ValueError(f"{path}: not an agent file of masked-monsters") from None


def check_agent(path: Path, game: Game) -> dict[str, Any]:
    """``read_about`` of an agent for this game; else ``ValueError`` names what does not match."""
    about = read_about(path)
    for key, wanted in _requirements(game).items():
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
    with torch.random.fork_rng(devices=[]):  # the first weights, soon overwritten, are random
        network = Network(
            compact_space(game),
            action_space(game),
            lr_schedule=lambda _: 0.0,
            **network_kwargs(about["hidden"]),
        )
    with zipfile.ZipFile(path) as archive, archive.open("policy.pth") as weights:
        network.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    return NetworkPolicy(network, path.stem, deterministic=deterministic)


def _requirements(game: Game) -> dict[str, Any]:
    """What must be the same where the agent was trained and where it plays."""
    table = [(segment.name, segment.shape, segment.high) for segment in game.segments]
    return {
        "game": game.name,
        "game_version": game.version,
        "observation": "compact",
        "observation_hash": hashlib.sha256(repr(table).encode()).hexdigest()[:16],
        "actions": list(game.actions),
    }
