"""Arguments of several sub-commands: which game is played, how agents act, where files go."""

import argparse
import json
import os
from pathlib import Path
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


def add_server(parser: argparse.ArgumentParser) -> None:
    """The arguments that say where a page is served."""
    parser.add_argument("--host", default="127.0.0.1", help="to listen on (default: %(default)s)")
    parser.add_argument(
        "--port", type=int, default=8765, help="(default: %(default)s; 0: any that is free)"
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the page's address")


def add_deterministic(parser: argparse.ArgumentParser) -> None:
    """``--deterministic``, as ``load_agent`` takes it."""
    parser.add_argument(
        "--deterministic",
        action="store_true",
        help="trained agents do their likeliest action, instead of drawing one",
    )


def check_file(option: str, path: Path | None) -> None:
    """``ValueError`` at once if a file that is wanted can never be written."""
    if path and (path.is_dir() or not path.parent.is_dir()):
        raise ValueError(f"{option}={path}: must be a file's name in a folder that exists")
    if path and not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ValueError(f"{option}={path}: must be where this user may write")


def option_value(text: str) -> Any:
    """The value of an option as it is written after ``--option KEY=``.

    Raises:
        ValueError: if it is JSON with a key given twice, or with a number of thousands of digits.
    """
    if text in WORDS:
        return WORDS[text]
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except (json.JSONDecodeError, RecursionError):
        return text


def _option(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r}: must be KEY=VALUE")
    try:
        return key, option_value(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON's object; the same key twice would lose a value."""
    if (twice := _repeated(pairs)) is not None:
        raise ValueError(f"{twice!r} is given twice")
    return dict(pairs)


def _repeated(pairs: list[tuple[str, Any]]) -> str | None:
    """The first key that is there twice."""
    keys = [key for key, _ in pairs]
    return next((key for key in keys if keys.count(key) > 1), None)


def game_of(args: argparse.Namespace, **defaults: Any) -> Game:
    """The game that the arguments name; ``defaults`` are options that they may change.

    Raises:
        ValueError: naming what is wrong with an option.
    """
    if (twice := _repeated(args.option)) is not None:
        raise ValueError(f"{twice}: given twice by --option")
    options = dict(args.option)
    if args.players is not None:
        if "num_players" in options:
            raise ValueError("num_players: given twice, by --players and by --option")
        options["num_players"] = args.players
    if args.game in REDUCED:
        return reduced_game(args.game).with_options(**options)
    return get_game(args.game, **{**defaults, **options})
