"""Evaluations as tables on a terminal, and as JSON."""

import math
import platform
from collections.abc import Callable, Iterator, Sequence
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
from masked_monsters.evaluation.control_variates import Factor
from masked_monsters.evaluation.estimate import Estimate
from masked_monsters.evaluation.match import Evaluation, RoleResult


def console(file: IO[str] | None = None) -> Console:
    """For text as it is: no mark-up, no colours of its own choosing, no folding when piped."""
    console = Console(file=file, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = 200
    return console


def evaluation_table(out: Console, evaluations: Sequence[Evaluation]) -> Table:
    """A row for each opponent."""
    table = plain_table(
        "against", "score a round", "gain a round", "win share", "matches", "rounds"
    )
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


def control_variates_table(out: Console, evaluations: Sequence[Evaluation]) -> Table:
    """A row for each opponent."""
    table = plain_table(
        "against",
        "score a round",
        "gain a round",
        "fewer than duplicate deals",
        "fewer than independent deals",
    )
    for evaluation in evaluations:
        better = evaluation.control_variates
        assert better is not None
        table.add_row(
            Text(evaluation.against),
            _interval(out, better.score),
            _interval(out, better.gain, signed=True),
            _factor(better.fewer_games),
            _factor(better.fewer_games_than_independent),
        )
    return table


def print_evaluations(out: Console, evaluations: Sequence[Evaluation]) -> None:
    """All that was found: where the game deals roles, also by role."""
    out.print(evaluation_table(out, evaluations))
    if any(evaluation.control_variates for evaluation in evaluations):
        out.print("With control variates, and how many times fewer matches that takes for a gain")
        out.print("of the same interval (in brackets 95 %, over deals):")
        out.print(control_variates_table(out, evaluations))
    if results := [result for evaluation in evaluations for result in evaluation.roles]:
        out.print("By role, with how the matches ended:")
        out.print(role_table(out, results))


def role_table(out: Console, results: Sequence[RoleResult]) -> Table:
    """A row for each result: how much was won, how the matches ended, how long they were."""
    endings = [outcome.replace("_", " ") for outcome in results[0].outcomes]
    table = plain_table("against", "as", "won", *endings, "length", "matches")
    for result in results:
        table.add_row(
            Text(result.against),
            result.role,
            _interval(out, result.win),
            *(f"{share.mean:.3f}" for share in result.outcomes.values()),
            f"{result.length.mean:.1f}",
            f"{result.matches:,}",
        )
    return table


def role_cross_table(out: Console, results: Sequence[RoleResult]) -> Table:
    """What the rows' players won in the first role, of ``evaluate_roles`` on all pairs."""
    return _cross_table(results, lambda result: _interval(out, result.win))


def cross_table(out: Console, evaluations: Sequence[Evaluation]) -> Table:
    """The rows' players' gains, of ``evaluate_pairs`` on all pairs."""
    return _cross_table(evaluations, lambda cell: _interval(out, cell.gain, signed=True))


def _cross_table(cells: Sequence[Any], text: Callable[[Any], str]) -> Table:
    size = math.isqrt(len(cells))
    table = plain_table("", *(cell.against for cell in cells[:size]))
    for row in range(0, size * size, size):
        table.add_row(Text(cells[row].agent), *map(text, cells[row : row + size]))
    return table


def conditions(
    out: Console,
    game: Game,
    seed: int,
    deterministic: bool,
    example: Evaluation | RoleResult,
) -> str:
    """What the numbers are, and what they depend on, in a few lines; ``example`` is one of them."""
    settings = {**game.options, "seed": seed}
    acting = "do their likeliest action" if deterministic else "draw their actions"
    return "\n".join(
        [
            *_what_was_played(out, game, example),
            f"Trained agents {acting}.",
            f"{game.name} v{game.version}: "
            + ", ".join(f"{key}={value}" for key, value in settings.items()),
            ", ".join(f"{name} {number}" for name, number in versions().items()),
        ]
    )


def _what_was_played(out: Console, game: Game, example: Evaluation | RoleResult) -> tuple[str, ...]:
    mean = f"Mean {plus_minus(out)} 95 % confidence interval over"
    if isinstance(example, RoleResult):
        return (f"{mean} {example.matches:,} deals, the same for every pair, each played once.",)
    return (
        f"{mean} {example.deals:,} deals, "
        f"each played with the player once on each of {game.num_players} seats.",
        f"Between equal players the gain is 0 and the win share {1 / game.num_players:.3f}.",
    )


def versions() -> dict[str, str]:
    """Of what shapes the numbers."""
    packages = {name: version(name) for name in ("masked-monsters", "numpy", "numba")}
    return {**packages, "Python": platform.python_version()}


def plain_conditions(game: Game, seed: int) -> dict[str, Any]:
    """What numbers depend on, as plain values."""
    return {
        "game": game.name,
        "game_version": game.version,
        "package_version": version("masked-monsters"),
        "versions": versions(),
        "options": dict(game.options),
        "seed": seed,
    }


def as_json(
    game: Game,
    seed: int,
    deterministic: bool,
    evaluations: Sequence[Evaluation] | Sequence[RoleResult],
) -> dict[str, Any]:
    """The evaluations and what they depend on, as plain values."""
    return {
        **plain_conditions(game, seed),
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


def plain_table(*headers: str) -> Table:
    """A first column of names, and others of numbers."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column(Text(headers[0]), overflow="fold")
    for header in headers[1:]:
        table.add_column(Text(header), justify="right", overflow="fold")
    return table


def _factor(factor: Factor | None) -> str:
    if factor is None:
        return "no luck left"
    return f"{factor.mean:.2f} ({factor.low:.2f} to {factor.high:.2f})"


def _interval(out: Console, estimate: Estimate, signed: bool = False) -> str:
    mean = round(estimate.mean, 3) + 0.0  # never "-0.000"
    return f"{mean:{'+' if signed else ''}.3f} {plus_minus(out)} {estimate.half_width:.3f}"


def plus_minus(out: Console) -> str:
    """The sign, or what a terminal of ASCII can print."""
    return "±" if out.encoding.startswith("utf") else "+-"
