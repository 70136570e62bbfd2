"""The ``masked-monsters`` command. What a sub-command needs is imported when it runs."""

import argparse
import io
import itertools
import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from masked_monsters.envs.registry import GAMES
from masked_monsters.evaluation.arguments import (
    DEFAULT_GAME,
    add_deterministic,
    add_game,
    add_server,
    check_file,
    game_of,
)

if TYPE_CHECKING:
    from masked_monsters.envs.game import Game
    from masked_monsters.envs.policy import Policy
    from masked_monsters.evaluation.match import Evaluation

T = TypeVar("T")
ROOMS = {
    "train": ("training.train", "train an agent, as a configuration file says"),
    "sweep": ("training.sweep", "train with many values of some keys, and compare"),
    "exploit": (
        "evaluation.best_response",
        "train a best response to a player, and measure its gain",
    ),
    "play": ("evaluation.table.command", "play with people at the table"),
    "bluff": ("evaluation.bluff.command", "measure how players bluff, and whether it pays"),
    "tournament": ("evaluation.tournament.command", "rate players who all play each other"),
    "solve": ("evaluation.exact.command", "solve reduced games, and measure policies in them"),
    "audit": ("evaluation.audit.command", "look for secrets in what seats are told"),
    "report": ("evaluation.page.command", "show runs and measurements on one page"),
    "speed": ("evaluation.speed.command", "measure how fast the environments are"),
}
"""Sub-commands with a module of their own, which has ``add_arguments`` and ``run``; and their help."""
EXTRAS = {"replay": "play"} | {
    name: name for name in ("play", "report", "solve", "sweep", "tournament")
}
"""Of the package, by the sub-command that needs one; all others need at most ``train``."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; an error is one line on standard error and exit status 2."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for terminals that print only ASCII
    try:
        args = _parse(arguments)
        args.command_line = shlex.join(["masked-monsters", *arguments])
        status = args.run(args)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("masked-monsters: interrupted", file=sys.stderr)
        return 130
    except ModuleNotFoundError as error:
        extra = EXTRAS.get(arguments[0], "train")
        return _fail(f"{error.name} is not installed: pip install 'masked-monsters[{extra}]'")
    except (ValueError, OSError, ImportError, FloatingPointError) as error:
        return _fail(str(error))


def _fail(message: str) -> int:
    print(f"masked-monsters: error: {' '.join(message.split())}", file=sys.stderr)
    return 2


# ---------------------------------------------------------------- arguments


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """As ``parse_args``, but ``KEY=VALUE`` may also follow the options, where argparse expects none."""
    parser = _parser(arguments)
    args, late = parser.parse_known_args(arguments)
    takes = hasattr(args, "overrides")
    wrong = [word for word in late if not takes or word.startswith("-") or "=" not in word]
    if wrong:
        parser.error(f"unrecognized arguments: {' '.join(wrong)}")
    if takes:
        args.overrides = [*args.overrides, *late]
    return args


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="masked-monsters", description="Hidden-role bluffing card games for learning agents."
    )
    parser.add_argument(
        "--version", action="version", version=f"masked-monsters {version('masked-monsters')}"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    for name, (module, help_) in ROOMS.items():
        command = commands.add_parser(name, help=help_)
        if arguments[:1] == [name]:  # the others' modules need not be imported
            room = import_module(f"masked_monsters.{module}")
            room.add_arguments(command)
            command.set_defaults(run=room.run)

    evaluate = commands.add_parser("evaluate", help="measure a player against others")
    evaluate.add_argument("agent", help="a baseline's name, an agent file, or reference:GAME")
    evaluate.add_argument(
        "--against",
        nargs="+",
        metavar="PLAYER",
        help="who plays the other seats, one row each (default: every baseline)",
    )
    add_game(evaluate)
    _add_measure(evaluate)
    evaluate.add_argument(
        "--control-variates",
        type=Path,
        metavar="FILE",
        help="take luck out by the value function in FILE; if there is none, fit and write it first",
    )
    evaluate.add_argument(
        "--fit-matches",
        type=int,
        default=40_960,
        metavar="M",
        help="that a value function is fitted to (default: %(default)s)",
    )
    evaluate.set_defaults(run=_evaluate)

    crosstable = commands.add_parser("crosstable", help="measure players against each other")
    crosstable.add_argument(
        "agents", nargs="*", metavar="PLAYER", help="who (default: every baseline)"
    )
    crosstable.add_argument(
        "--by-role",
        action="store_true",
        help="rows play the game's first role (the kid), columns all the others",
    )
    add_game(crosstable)
    _add_measure(crosstable)
    crosstable.set_defaults(run=_crosstable)

    record = commands.add_parser("record", help="play a match and write it to a file")
    record.add_argument("agents", nargs="+", metavar="PLAYER", help="one a seat, from seat 0")
    add_game(record)
    record.add_argument("--seed", type=int, default=0, help="of the match (default: 0)")
    record.add_argument("--out", type=Path, required=True, metavar="FILE", help="a JSON file")
    add_deterministic(record)
    record.set_defaults(run=_record)

    replay = commands.add_parser("replay", help="show a recorded match")
    replay.add_argument("file", type=Path, help="written by record")
    eyes = replay.add_mutually_exclusive_group()
    eyes.add_argument("--seat", type=int, metavar="K", help="as this seat sees it")
    eyes.add_argument("--god", action="store_true", help="with all that is hidden")
    eyes.add_argument(
        "--web", action="store_true", help="in the browser, from any eyes, with an analysis"
    )
    replay.add_argument(
        "--adviser",
        metavar="PLAYER",
        help="with --web: whose probabilities and values are shown (default: the scripted players' "
        "that sat there, the shipped agent's for others)",
    )
    add_server(replay)
    replay.set_defaults(run=_replay)

    demo = commands.add_parser("demo", help="train for a few minutes, then measure the agent")
    demo.add_argument("game", nargs="?", choices=list(GAMES), default=DEFAULT_GAME)
    demo.add_argument(
        "overrides", nargs="*", metavar="KEY=VALUE", help="of its configuration, as for train"
    )
    demo.add_argument(
        "--runs",
        type=Path,
        default=Path("runs"),
        metavar="FOLDER",
        help="of all runs (default: %(default)s); the demo makes a new one in it",
    )
    demo.set_defaults(run=_demo)
    return parser


def _add_measure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--matches", type=int, default=5000, help="a row or cell, at least (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="(default: 0)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there too")
    add_deterministic(parser)


# ---------------------------------------------------------------- sub-commands


def _evaluate(args: argparse.Namespace) -> int:
    from masked_monsters.evaluation import report
    from masked_monsters.evaluation.baselines import baselines
    from masked_monsters.evaluation.match import evaluate_pairs

    game = game_of(args)
    specs = [args.agent, *(args.against or baselines(game))]
    pairs = [(0, number) for number in range(1, len(specs))]
    measure = evaluate_pairs
    if args.control_variates:
        measure = partial(_evaluate_corrected, args.control_variates, args.fit_matches)
    evaluations = _measure(args, game, specs, pairs, measure)
    out = report.console()
    out.print(f"{evaluations[0].agent} against copies of each:")
    report.print_evaluations(out, evaluations)
    _finish(args, game, "evaluation", evaluations)
    return 0


def _evaluate_corrected(
    file: Path,
    fit_matches: int,
    game: "Game",
    policies: Sequence["Policy"],
    *args: Any,
    seed: int,
    **kwargs: Any,
) -> list["Evaluation"]:
    """``evaluate_pairs`` with control variates."""
    from masked_monsters.evaluation import report
    from masked_monsters.evaluation.match import evaluate_pairs
    from masked_monsters.evaluation.value import fit_value, load_value, save_value

    if file.exists():
        value = load_value(file, game)
    elif not file.parent.is_dir():
        raise ValueError(f"control-variates={file}: must be in a folder that exists")
    else:
        with report.progress_bar("matches to fit the value function to") as progress:
            value = fit_value(
                game,
                policies[0],
                policies[1:],
                matches=fit_matches,
                seed=seed,
                progress=progress,
            )
        save_value(value, file)
    return evaluate_pairs(game, policies, *args, seed=seed, value=value, **kwargs)


def _crosstable(args: argparse.Namespace) -> int:
    from masked_monsters.evaluation import report
    from masked_monsters.evaluation.baselines import baselines
    from masked_monsters.evaluation.match import evaluate_pairs, evaluate_roles

    game = game_of(args)
    specs = args.agents or baselines(game)
    pairs = list(itertools.product(range(len(specs)), range(len(specs))))
    out = report.console()
    if args.by_role:
        results = _measure(args, game, specs, pairs, evaluate_roles)
        role = results[0].role
        out.print(
            f"Matches won by the {role}: each row's player is the {role}, a column's all others:"
        )
        out.print(report.role_cross_table(out, results))
        _finish(args, game, "role_cross_table", results)
    else:
        results = _measure(args, game, specs, pairs, evaluate_pairs)
        out.print("Each row's player against copies of each column's, gain a round:")
        out.print(report.cross_table(out, results))
        _finish(args, game, "cross_table", results)
    return 0


def _measure(
    args: argparse.Namespace,
    game: "Game",
    specs: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    measure: Callable[..., list[T]],
) -> list[T]:
    """What ``measure`` finds for each pair of players."""
    from masked_monsters.evaluation import report
    from masked_monsters.evaluation.agents import load_agent

    check_file("json", args.json)
    policies = [load_agent(spec, game, deterministic=args.deterministic) for spec in specs]
    with report.progress_bar("matches") as progress:
        return measure(
            game,
            policies,
            pairs,
            matches=args.matches,
            seed=args.seed,
            workers=args.workers,
            progress=progress,
        )


def _finish(args: argparse.Namespace, game: "Game", kind: str, results: Sequence[Any]) -> None:
    """What the numbers are and depend on, and the file of them if one is wanted."""
    from masked_monsters.evaluation import report

    out = report.console()
    out.print(report.conditions(out, game, args.seed, args.deterministic, results[0]))
    if args.json:
        content = {
            "kind": kind,
            "command": args.command_line,
            **report.as_json(game, args.seed, args.deterministic, results),
        }
        args.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _record(args: argparse.Namespace) -> int:
    from masked_monsters.evaluation.agents import load_agent
    from masked_monsters.evaluation.replay import record, save

    game = game_of(args, num_players=len(args.agents))
    policies = [load_agent(spec, game, deterministic=args.deterministic) for spec in args.agents]
    replay = record(game, policies, args.seed)
    save(replay, args.out)
    print(f"{len(replay.events)} events, score {replay.score}: {args.out}")
    return 0


def _replay(args: argparse.Namespace) -> int:
    if args.web:
        from masked_monsters.evaluation.table.serve import watch

        return watch(args)
    if args.adviser:
        raise ValueError(f"adviser={args.adviser}: is for --web")
    from masked_monsters.evaluation.replay import load
    from masked_monsters.evaluation.retell import retell

    for line in retell(load(args.file), seat=args.seat, god=args.god):
        print(line)
    return 0


def _demo(args: argparse.Namespace) -> int:
    from masked_monsters.evaluation.demo import demo

    demo(args.game, runs=args.runs, overrides=args.overrides)
    return 0
