"""Arguments that say which game is played."""

import argparse
import json
from typing import Any

from masked_monsters.envs.game import Game
from masked_monsters.envs.reduced import REDUCED, reduced_game
from masked_monsters.envs.registry import GAMES, get_game

DEFAULT_GAME = next(iter(GAMES))
WORDS = {"None": None, "True": True, "False": False}
"""As Python says it; JSON says null, true, false."""


def add_game(parser: argparse.ArgumentParser) -> None:
    """``--game``, ``--players`` and ``--option``, which ``game_of`` reads."""
    parser.add_argument(
        "--game",
        choices=[*GAMES, *REDUCED],
        default=DEFAULT_GAME,
        metavar="NAME",
        help=f"{', '.join(GAMES)}, or a reduced game: {', '.join(REDUCED)}",
    )
    parser.add_argument("--players", type=int, metavar="N", help="how many play")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        type=_option,
        metavar="KEY=VALUE",
        help="another option of the game, its value as JSON or a word; can be repeated",
    )


def _option(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r}: must be KEY=VALUE")
    if value in WORDS:
        return key, WORDS[value]
    try:
        return key, json.loads(value, object_pairs_hook=_distinct)
    except (json.JSONDecodeError, RecursionError):
        return key, value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON's object; the same key twice would lose a value."""
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise argparse.ArgumentTypeError(f"{twice!r} is given twice")
    return mapping


def game_of(args: argparse.Namespace, **defaults: Any) -> Game:
    """The game that the arguments name; ``defaults`` are options that they may change.

    Raises:
        ValueError: naming what is wrong with an option.
    """
    options = dict(args.option)
    if args.players is not None:
        if "num_players" in options:
            raise ValueError("num_players: given twice, by --players and by --option")
        options["num_players"] = args.players
    if args.game in REDUCED:
        return reduced_game(args.game).with_options(**options)
    return get_game(args.game, **{**defaults, **options})
