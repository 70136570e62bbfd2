"""The one list of games."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np

from masked_monsters.envs.errors import check_choice
from masked_monsters.envs.game import Game

GAMES = {
    "monster_my_neighbor": 0,
    "under_my_bed": 0,
}
"""A game's name and the version of its rules.

``masked_monsters.envs.<name>.game`` has its ``DEFAULTS`` and ``make_game(**options)``, and
``masked_monsters.envs.<name>_v<version>`` its PettingZoo environment, ``env``.
"""


def get_game(name: str, /, **options: Any) -> Game:
    """The game of that name with these options, the others as they are by default.

    Raises:
        ValueError: naming the game or the option, its value and what is allowed.
    """
    check_choice("game", name, tuple(GAMES))
    module = import_module(f"masked_monsters.envs.{name}.game")
    if unknown := options.keys() - module.DEFAULTS.keys():
        raise ValueError(
            f"{name}: unknown option {', '.join(sorted(unknown))}; "
            f"allowed: {', '.join(module.DEFAULTS)}"
        )
    return module.make_game(**_plain({**module.DEFAULTS, **options}))


def _plain(value: Any) -> Any:
    """A copy in the types that JSON has, so that options can be kept, compared and written down."""
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value
