"""A game's options as parameters of OpenSpiel, which can be written within a game's string."""

import json
from collections.abc import Mapping
from typing import Any

from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game

PARAMETERS = {"num_players": "players"}
"""Options that OpenSpiel has another name for."""


def spell_options(game: Game) -> dict[str, Any]:
    """The options that differ from the defaults, as OpenSpiel's parameters.

    ``num_players`` is called ``players`` there. An option whose default is a number or a truth value
    is just that. All others are texts: a word as it is, ``None``, a number in single quotes, and a
    mapping as JSON with ``;`` for each comma, which a game string has for itself.
    """
    defaults = get_game(game.name).options
    changed = {key: value for key, value in game.options.items() if value != defaults[key]}
    return _spelled(changed, defaults)


def spell_defaults(name: str) -> dict[str, Any]:
    """Every option of the game of that name as it is by default, spelled alike."""
    defaults = get_game(name).options
    return _spelled(defaults, defaults)


def read_options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The options that OpenSpiel's parameters spell: the reverse of ``spell_options``."""
    names = {parameter: option for option, parameter in PARAMETERS.items()}
    return {names.get(name, name): _read(value) for name, value in parameters.items()}


def _spelled(options: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    return {
        PARAMETERS.get(option, option): (
            value if isinstance(defaults[option], bool | int) else _spell(value)
        )
        for option, value in options.items()
    }


def _spell(value: Any) -> str:
    if value is None or isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return f"'{value}'"  # bare digits would be of another type than the other texts
    text = json.dumps(value, separators=("\n", ":"))  # no other line break is left in JSON
    for character in ",;()='":  # in a name
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.replace("\n", ";")


def _read(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = value.strip("'")
    if text == "None":
        return None
    try:
        return json.loads(text.replace(";", ","))
    except ValueError:
        return text  # a word, or what the game will refuse by name
