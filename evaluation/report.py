"""Evaluations as tables on a terminal, and as JSON."""

import math
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from typing import IO, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from masked_monsters.envs.game import Game
from masked_monsters.evaluation import match
from masked_monsters.evaluation.estimate import Estimate
from masked_monsters.evaluation.match import Evaluation


def console(file: IO[str] | None = None) -> Console:
    """For text as it is: no mark-up, no colours of its own choosing, no folding when piped."""
    console = Console(file=file, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = 200
    return console


def evaluation_table(out: Console, evaluations: Sequence[Evaluation]) -> Table:
    """A row for each opponent."""
    table = _table("against", "score a round", "gain a round", "win share", "matches", "rounds")
    for evaluation in evaluations:
        table.add_row(
            Text(evaluation.against),
            _interval(out, evaluation.score),
            _interval(out, evaluation.gain, signed=True),
            _interval(out, evaluation.win_share),
            f"{evaluation.matches:,}",
            f"{evaluation.rounds:,}",
        )
    return table


def cross_table(out: Console, evaluations: Sequence[Evaluation]) -> Table:
    """The gains of ``match.cross_table``, given cell by cell."""
    size = math.isqrt(len(evaluations))
    table = _table("", *(cell.against for cell in evaluations[:size]))
    for row in range(0, size * size, size):
        cells = evaluations[row : row + size]
        table.add_row(
            Text(cells[0].agent), *(_interval(out, cell.gain, signed=True) for cell in cells)
        )
    return table


def conditions(
    out: Console,
    game: Game,
    options: Mapping[str, Any],
    seed: int,
    deterministic: bool,
    evaluation: Evaluation,
) -> str:
    """What the numbers are, and what they depend on, in a few lines."""
    players = evaluation.matches // evaluation.deals
    settings = {**game.default_options, **options, "seed": seed}
    acting = "do their likeliest action" if deterministic else "draw their actions"
    return "\n".join(
        [
            f"Mean {_plus_minus(out)} 95 % confidence interval over {evaluation.deals:,} deals, "
            f"each played with the player once on each of {players} seats.",
            f"Between equal players the gain is 0 and the win share {1 / players:.3f}.",
            f"Trained agents {acting}.",
            f"{game.name} v{game.version}: "
            + ", ".join(f"{key}={value}" for key, value in settings.items()),
            f"masked-monsters {version('masked-monsters')}, numpy {version('numpy')}, "
            f"numba {version('numba')}, Python {platform.python_version()}",
        ]
    )


def as_json(
    game: Game,
    options: Mapping[str, Any],
    seed: int,
    deterministic: bool,
    evaluations: Sequence[Evaluation],
) -> dict[str, Any]:
    """The evaluations and what they depend on, as plain values."""
    return {
        "game": game.name,
        "game_version": game.version,
        "package_version": version("masked-monsters"),
        "options": {**game.default_options, **options},
        "seed": seed,
        "deterministic": deterministic,
        "evaluations": [asdict(evaluation) for evaluation in evaluations],
    }


@contextmanager
def progress_bar(task: str) -> Iterator[match.Progress]:
    """A bar on standard error, if that is a terminal; gone when done."""
    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()
    err = Console(stderr=True)
    with Progress(
        *columns,
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    ) as bar:
        number = bar.add_task(task, total=None)
        yield lambda done, total: bar.update(number, completed=done, total=total)


def _table(*headers: str) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column(Text(headers[0]), overflow="fold")
    for header in headers[1:]:
        table.add_column(Text(header), justify="right", overflow="fold")
    return table


def _interval(out: Console, estimate: Estimate, signed: bool = False) -> str:
    mean = round(estimate.mean, 3) + 0.0  # never "-0.000"
    return f"{mean:{'+' if signed else ''}.3f} {_plus_minus(out)} {estimate.half_width:.3f}"


def _plus_minus(out: Console) -> str:
    return "±" if out.encoding.startswith("utf") else "+-"
