"""What a sweep has found: a table to read (Markdown) and one to compute with (CSV)."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from optuna.trial import FrozenTrial, Trial

from masked_monsters.evaluation.estimate import Estimate
from masked_monsters.training.config import Config
from masked_monsters.training.curve import Point
from masked_monsters.training.files import whole_file
from masked_monsters.training.sweep_config import SweepConfig


def run_points(trial: FrozenTrial | Trial, seed: int) -> list[Point]:
    """The last evaluation of a trial's run, a point an opponent; none if it was not completed."""
    return [Point(**row) for row in trial.user_attrs.get(f"seed_{seed}", [])]


def run_score(sweep: SweepConfig, points: Sequence[Point]) -> float:
    """The gain that the sweep is about, in one run."""
    return fmean(point.mean for point in points if sweep.against in (None, point.against))


def describe(trial: FrozenTrial) -> str:
    """A finished trial in a few words."""
    values = " ".join(f"{key}={_short(value)}" for key, value in trial.params.items())
    if trial.value is None:
        return f"{values}: failed, {trial.user_attrs['error']}"
    return f"{values}: {_signed(trial.value)} a round"


def write_tables(
    sweep: SweepConfig, config: Config, trials: Sequence[FrozenTrial], folder: Path
) -> None:
    """Write ``table.md`` and ``table.csv``: the finished trials, best first, failed ones last."""
    best_first = sorted(
        trials, key=lambda trial: -math.inf if trial.value is None else trial.value, reverse=True
    )
    opponents = list(dict.fromkeys(config.evaluation.against))
    with (folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["trial", *sweep.search, "score", *(f"score_seed_{seed}" for seed in sweep.seeds)]
            + [f"{what}_{name}" for name in opponents for what in ("gain", "low", "high")]
            + ["decisions", "error"]
        )
        writer.writerows(_numbers(sweep, opponents, trial) for trial in best_first)
    head = ["trial", *sweep.search, "score", *(f"seed {seed}" for seed in sweep.seeds)]
    head += [*(f"against {name}" for name in opponents), "decisions"]
    cells = [head, ["---"] * len(head), *(_texts(sweep, opponents, trial) for trial in best_first)]
    lines = [_explanation(sweep, opponents, trials), *map(_line, cells)]
    with whole_file(folder / "table.md") as file:
        file.write(("\n".join(lines) + "\n").encode())


def _numbers(sweep: SweepConfig, opponents: Sequence[str], trial: FrozenTrial) -> list[Any]:
    """A trial's row of the CSV; what a failed one has not is empty."""
    runs = [run_points(trial, seed) for seed in sweep.seeds]
    gains = [] if trial.value is None else [_gain(runs, name) for name in opponents]
    ends = [end for gain in gains for end in (gain.mean, gain.low, gain.high)]
    return [
        trial.number,
        *(trial.params[key] for key in sweep.search),
        trial.value,
        *(run_score(sweep, points) if points else None for points in runs),
        *(ends or [None] * 3 * len(opponents)),
        _decisions(runs),
        trial.user_attrs.get("error"),
    ]


def _texts(sweep: SweepConfig, opponents: Sequence[str], trial: FrozenTrial) -> list[str]:
    """A trial's row of the Markdown."""
    runs = [run_points(trial, seed) for seed in sweep.seeds]
    gains = [] if trial.value is None else [_gain(runs, name) for name in opponents]
    return [
        str(trial.number),
        *(_short(trial.params[key]) for key in sweep.search),
        f"failed: {trial.user_attrs['error']}" if trial.value is None else _signed(trial.value),
        *(_signed(run_score(sweep, points)) if points else "" for points in runs),
        *(
            [f"{_signed(gain.mean)} ± {gain.half_width:.3f}" for gain in gains]
            or [""] * len(opponents)
        ),
        f"{_decisions(runs):,}",
    ]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _gain(runs: Sequence[Sequence[Point]], opponent: str) -> Estimate:
    """The mean over runs, whose evaluations are independent: each with deals of its own."""
    points = [point for run in runs for point in run if point.against == opponent]
    half_widths = [(point.high - point.low) / 2 for point in points]
    return Estimate(
        fmean(point.mean for point in points), math.hypot(*half_widths) / len(half_widths)
    )


def _decisions(runs: Sequence[Sequence[Point]]) -> int:
    """Played in all runs together."""
    return sum(points[0].decisions for points in runs if points)


def _explanation(
    sweep: SweepConfig, opponents: Sequence[str], trials: Sequence[FrozenTrial]
) -> str:
    failed = sum(trial.value is None for trial in trials)
    names = [sweep.against] if sweep.against else opponents
    score = f"against copies of {names[0]}"
    if len(names) > 1:
        score = f"the mean of those against copies of {', '.join(names)}"
    return f"""# {sweep.name}

{len(trials)} of {sweep.budget} trials are over, best first; {failed} failed. The score is the gain a
round at the end of training, {score}, and the mean over the seeds beside it.

± is half a 95 % confidence interval over deals of what these very agents gain; all trials are measured
on the same deals. How much training differs from seed to seed is seen in the seeds' columns only.
Decisions are those of all seeds together.
"""


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _signed(gain: float) -> str:
    return f"{round(gain, 3) + 0.0:+.3f}"
