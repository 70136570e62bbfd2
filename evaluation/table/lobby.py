"""The lobby: what a new table can be of, and opening one as the page asks."""

from collections.abc import Mapping
from typing import Any

from masked_monsters.envs.errors import check_choice
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.arguments import option_value
from masked_monsters.evaluation.table.roster import PERSON, Roster
from masked_monsters.evaluation.table.table import Table
from masked_monsters.evaluation.table.tables import Tables

WISHED = {"game", "players", "pace", "adviser"}


def choices(roster: Roster) -> list[dict[str, Any]]:
    """What a table can be of, a game each.

    ``name``, ``title``, ``sizes``, how many players there can be, ``players``, who can be one, and
    ``options`` but for their number: each with its ``name``, its ``default``, and the values ``allowed``
    if a few are all; values as after ``--option``.
    """
    return [
        {
            "name": game.name,
            "title": game.title,
            "sizes": list(game.choices["num_players"]),
            "players": [PERSON, *roster.names(game)],
            "options": [
                {
                    "name": option,
                    "default": str(default),
                    "allowed": [str(value) for value in game.choices.get(option, ())],
                }
                for option, default in game.options.items()
                if option != "num_players"
            ],
        }
        for game in map(get_game, GAMES)
    ]


def make_table(tables: Tables, roster: Roster, wish: Any) -> Table:
    """The table that the page asks for, to be added; ``ValueError`` names what cannot be."""
    if not isinstance(wish, dict) or wish.keys() - {"options"} != WISHED:
        raise ValueError("request: must have game, players, pace and adviser, and may have options")
    players, adviser = wish["players"], wish["adviser"]
    if not isinstance(players, list):
        raise ValueError(f"players={players!r}: must be a list of names")
    game = get_game(str(wish["game"]), num_players=len(players), **_read(wish.get("options", {})))
    known = roster.names(game)
    for name in players:
        check_choice("player", name, [PERSON, *known])
    check_choice("adviser", adviser, [None, *known])
    return tables.make(game, players, pace=wish["pace"], adviser=adviser)


def _read(options: Any) -> Mapping[str, Any]:
    """The values of options, of which texts are read as on the command line."""
    if not isinstance(options, dict):
        raise ValueError(f"options={options!r}: must be an object")
    if "num_players" in options:
        raise ValueError("options: must not have num_players, which is how many players there are")
    read = {}
    for option, value in options.items():
        try:
            read[option] = option_value(value) if isinstance(value, str) else value
        except ValueError as error:
            raise ValueError(f"{option}: {error}") from None
    return read
