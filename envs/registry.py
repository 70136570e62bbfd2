"""The one list of games."""

from functools import cache
from importlib import import_module

from masked_monsters.envs.errors import check_choice
from masked_monsters.envs.game import Game

GAMES = {
    "monster_my_neighbor": 0,
}
"""A game's name and the version of its rules.

The game is the ``GAME`` of ``masked_monsters.envs.<name>.game``, its PettingZoo environment the
``env`` of ``masked_monsters.envs.<name>_v<version>``.
"""


@cache
def get_game(name: str) -> Game:
    """The game of that name; ``ValueError`` lists the names there are."""
    check_choice("game", name, tuple(GAMES))
    return import_module(f"masked_monsters.envs.{name}.game").GAME
