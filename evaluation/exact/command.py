"""``masked-monsters solve``: reduced games solved, and how exploitable policies are in them, exactly."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.reduced import REDUCED, reduced_game
from masked_monsters.evaluation.agents import agent_digest, load_agent, names_agent_file
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.exact.rows import ITERATIONS, WAYS, Solver, cfr_name, trained_name
from masked_monsters.evaluation.exact.solve import ALGORITHMS
from masked_monsters.evaluation.exact.tables import Row, line
from masked_monsters.evaluation.report import console, progress_bar, versions
from masked_monsters.training.files import write_json

FILE = "exact.json"
JOINT = " && "
"""Between the commands that have found its rows."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command is told."""
    parser.add_argument(
        "games", nargs="*", metavar="GAME", help=f"of {', '.join(REDUCED)} (default: all)"
    )
    parser.add_argument(
        "--policy",
        nargs="+",
        metavar="PLAYER",
        help="whom to measure beside uniform play: baselines, agent files (default: every baseline)",
    )
    parser.add_argument(
        "--algorithm", choices=ALGORITHMS, default="dcfr", help="of CFR (default: %(default)s)"
    )
    parser.add_argument(
        "--iterations", type=int, metavar="N", help=f"of it (default: by size, {ITERATIONS})"
    )
    parser.add_argument(
        "--train",
        type=int,
        default=0,
        metavar="DECISIONS",
        help=f"also train an agent for so many decisions by each of {', '.join(WAYS)}",
    )
    parser.add_argument("--seed", type=int, default=0, help="of all that is random (default: 0)")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("runs/solve"),
        metavar="FOLDER",
        help=f"for {FILE} and the trained agents (default: %(default)s); what it holds is not redone",
    )


def run(args: argparse.Namespace) -> int:
    """Solve; print each row as it is found, and write all of them."""
    for name in args.games:
        check_choice("game", name, tuple(REDUCED))
    if args.iterations is not None:
        check_range("iterations", args.iterations, 1, 2**31)
    check_range("train", args.train, 0, 2**31)
    check_range("seed", args.seed, 0, 2**31)
    for name in args.games or REDUCED:
        for spec in args.policy or ():
            load_agent(spec, reduced_game(name))  # to refuse it now, not hours later
    if args.train:
        _check_can_train()
    args.out.mkdir(parents=True, exist_ok=True)
    rows, _ = _read(args.out / FILE)
    out = console()
    for name in args.games or REDUCED:
        solver = Solver(name, args.seed)
        for policy, find in _plan(args, solver):
            row = _find(rows, name, policy, args.seed)
            if row is None:
                row = find()
                rows, commands = _read(args.out / FILE)  # others may have written there meanwhile
                if _find(rows, name, policy, args.seed) is None:
                    rows.append(row)
                    _write(args.out / FILE, rows, [*commands, args.command_line])
            out.print(line(row), soft_wrap=True)
    out.print(f"All of it exact, but for what is called a bound. Written to {args.out / FILE}.")
    return 0


def _check_can_train() -> None:
    try:
        import_module("masked_monsters.training.train")
    except ModuleNotFoundError as error:
        raise ImportError(
            f"--train: {error.name} is not installed: pip install 'masked-monsters[train]'"
        ) from error


def _plan(args: argparse.Namespace, solver: Solver) -> Iterator[tuple[str, Callable[[], Row]]]:
    """The name of each policy, and how its row is found."""
    yield "uniform", solver.uniform
    for spec in args.policy or baselines(solver.game)[1:]:  # the first, random, is uniform
        file = names_agent_file(spec)
        name = f"{spec} (sha256 {agent_digest(spec)[:8]})" if file else spec
        yield name, partial(solver.player, spec, name)
    iterations = args.iterations or ITERATIONS[solver.size]
    yield cfr_name(args.algorithm, iterations), partial(_cfr, solver, args.algorithm, iterations)
    if args.train:
        for way in WAYS:
            yield trained_name(way, args.train), partial(solver.trained, way, args.train, args.out)


def _cfr(solver: Solver, algorithm: str, iterations: int) -> Row:
    with progress_bar(f"{solver.name}, iterations") as progress:
        return solver.cfr(algorithm, iterations, progress)


# ---------------------------------------------------------------- the file


def _find(rows: list[Row], *key: Any) -> Row | None:
    """What an earlier call has found."""
    return next((row for row in rows if (row["game"], row["policy"], row["seed"]) == key), None)


def _read(file: Path) -> tuple[list[Row], list[str]]:
    """The rows found so far, and the commands that have found them."""
    if not file.exists():
        return [], []
    try:
        found = json.loads(file.read_bytes())
        package, rows = found["versions"]["masked-monsters"], found["rows"]
        commands = found["command"].split(JOINT)
        _ = [(row["game"], row["policy"], row["seed"]) for row in rows]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{file}: is not what masked-monsters solve has written") from None
    if package != version("masked-monsters"):
        raise ValueError(
            f"{file}: was found by version {package} of masked-monsters, and this is "
            f"{version('masked-monsters')}: choose another folder for --out"
        )
    return rows, commands


def _write(file: Path, rows: list[Row], commands: list[str]) -> None:
    content = {
        "kind": "exact",
        "versions": {**versions(), **{name: version(name) for name in _shaping()}},
        "command": JOINT.join(dict.fromkeys(commands)),
        "rows": rows,
    }
    write_json(file, content)


def _shaping() -> Iterator[str]:
    """What else shapes the numbers: the integer program, and networks if there are any."""
    yield "scipy"
    if "torch" in sys.modules:
        yield "torch"
