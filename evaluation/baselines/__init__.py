"""Scripted players: fixed opponents of graded strength, the same on every machine."""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec

from masked_monsters.envs.errors import check_choice
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.baselines.scripted import ScriptedPolicy, weigh_evenly


def baselines(game: Game) -> tuple[str, ...]:
    """The names of the game's scripted players, weakest first; the first is ``"random"``."""
    return tuple(_players(game))


def get_baseline(game: Game, name: str) -> Policy:
    """The scripted player of that name; ``ValueError`` lists the names there are."""
    players = _players(game)
    check_choice("baseline", name, tuple(players))
    return ScriptedPolicy(game, name, players[name])


def _players(game: Game) -> Mapping[str, Callable[..., None]]:
    """What ``PLAYERS`` of the game's module in this folder holds, after ``random``."""
    module = f"{__name__}.{game.name}"
    known = import_module(module).PLAYERS if find_spec(module) else {}
    return {"random": weigh_evenly, **known}
