"""``masked-monsters audit``: does anything told to a seat hang on what it cannot know?"""

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from masked_monsters.envs.adapters.aec import OBSERVATIONS
from masked_monsters.envs.game import Game
from masked_monsters.evaluation.arguments import add_game, check_file, game_of
from masked_monsters.evaluation.audit import Audit, Leak, audit
from masked_monsters.evaluation.audit.secrets import secrets_of
from masked_monsters.evaluation.audit.told import Encoder
from masked_monsters.evaluation.report import (
    console,
    plain_conditions,
    plain_table,
    progress_bar,
    versions,
)
from masked_monsters.training.files import write_json

SHOWN = 20
"""Leaks that are printed; a file has all of them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command is told."""
    add_game(parser)
    parser.add_argument(
        "--positions", type=int, default=200, help="to look at (default: %(default)s)"
    )
    parser.add_argument(
        "--worlds",
        type=int,
        default=4,
        help="to compare with, for each seat at each (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of all that is random (default: 0)")
    parser.add_argument(
        "--encoder",
        action="append",
        default=[],
        metavar="MODULE:NAME",
        help="a function of your own to audit, too, called with the environment and the agent's name; "
        "can be repeated",
    )
    parser.add_argument(
        "--observation",
        choices=OBSERVATIONS,
        default="compact",
        help="of the environment that encoders are given (default: %(default)s)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all there too")


def run(args: argparse.Namespace) -> int:
    """Audit and print; the exit status is 0 if nothing is found, else 1."""
    check_file("json", args.json)
    game = game_of(args)
    encoders = {spec: load_encoder(spec) for spec in args.encoder}
    with progress_bar("positions") as progress:
        result = audit(
            game,
            positions=args.positions,
            worlds=args.worlds,
            seed=args.seed,
            encoders=encoders,
            observation=args.observation,
            progress=progress,
        )
    show(console(), game, args.seed, result)
    if args.json:
        write_json(args.json, _content(args, game, result))
    return 0 if result.clean else 1


def load_encoder(spec: str) -> Encoder:
    """The function that ``MODULE:NAME`` names; modules in the current folder are found, too.

    Raises:
        ValueError: naming what is wrong with ``spec``.
    """
    module_name, colon, name = spec.partition(":")
    if not (module_name and colon and name):
        raise ValueError(f"encoder={spec!r}: must be MODULE:NAME")
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise  # what the module itself imports
        raise ValueError(f"encoder={spec!r}: there is no module {error.name}") from None
    finally:
        sys.path.remove(here)
    encoder = getattr(module, name, None)
    if not callable(encoder):
        raise ValueError(f"encoder={spec!r}: {module_name} has no function {name}")
    return encoder


# ---------------------------------------------------------------- what is printed


def show(out: Console, game: Game, seed: int, result: Audit) -> None:
    """What was compared, what was hidden in it, and what was found."""
    seats = game.num_players
    out.print(f"{_many(sum(result.positions.values()), 'position')}, each seen by {seats} seats:")
    out.print("  " + ", ".join(f"{phase} {count}" for phase, count in result.positions.items()))
    out.print(
        f"The true world was compared with another {result.pairs:,} times. Hidden, and how often"
    )
    out.print("not the same in the two:")
    table = plain_table("hidden fact", "times")
    table.add_column("rule")
    for secret in secrets_of(game):
        table.add_row(secret.name, f"{result.differed[secret.name]:,}", secret.rule)
    out.print(table)
    if result.leaks:
        _show_leaks(out, game, result)
    for entry in result.not_reproducible:
        out.print(f"NOT REPRODUCIBLE  {entry}: otherwise when asked again, so it cannot be audited")
    for name in result.not_tried:
        out.print(f"NOT TRIED  {name}: never differed; take more positions or worlds")
    if result.left_out:
        out.print(
            f"Left out, no other world found: {_many(result.left_out, 'seat')} at a position."
        )
    if result.clean:
        out.print("No leak found: all that was told was the same.")
    settings = {**game.options, "seed": seed}
    out.print(
        f"{game.name} v{game.version}: "
        + ", ".join(f"{key}={value}" for key, value in settings.items()),
        soft_wrap=True,
    )
    out.print(", ".join(f"{name} {number}" for name, number in versions().items()))


def _show_leaks(out: Console, game: Game, result: Audit) -> None:
    number = len(result.leaks)
    out.print(
        f"LEAK  {number} {'entry is' if number == 1 else 'entries are'} not the same in both:"
    )
    table = plain_table("entry", "times")
    for header in ("phases", "told to", "for example"):
        table.add_column(header)
    for leak in result.leaks[:SHOWN]:
        table.add_row(
            Text(leak.entry),
            f"{leak.pairs:,}",
            ", ".join(leak.phases),
            ", ".join(f"player_{seat}" for seat in leak.seats),
            Text(" or ".join(repr(value) for value in leak.example)),
        )
    out.print(table)
    if number > SHOWN:
        out.print(f"{_many(number - SHOWN, 'more entry', 'more entries')}; --json FILE writes all.")
    out.print("What differed each time:")
    for leak in result.leaks[:SHOWN]:
        out.print(f"  {leak.entry}", soft_wrap=True)
        for line in _reasons(game, leak):
            out.print(f"    {line}", soft_wrap=True)


def _reasons(game: Game, leak: Leak) -> list[str]:
    rules = {secret.name: secret.rule for secret in secrets_of(game)}
    return [f"{name} ({rules[name]})" for name in leak.secrets] or [
        "no one hidden fact: it hangs on several, or on what chance will bring"
    ]


def _many(count: int, one: str, more: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def _content(args: argparse.Namespace, game: Game, result: Audit) -> Mapping[str, Any]:
    return {
        "kind": "audit",
        "command": args.command_line,
        **plain_conditions(game, args.seed),
        "worlds": args.worlds,
        "encoders": args.encoder,
        "observation": args.observation,
        "clean": result.clean,
        "rules": {secret.name: secret.rule for secret in secrets_of(game)},
        **asdict(result),
        "not_tried": result.not_tried,
    }
