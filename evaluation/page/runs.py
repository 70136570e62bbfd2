"""A training run's folder, as ``masked-monsters train`` leaves it, also when it is not over."""

import csv
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from masked_monsters.training.about import read_about
from masked_monsters.training.config import read_values
from masked_monsters.training.files import read_rows

CONFIG, VERSIONS, AGENT = "config.yaml", "versions.json", "agent.zip"
EVALUATIONS, UPDATES = "evaluation.csv", "progress.csv"
DECISIONS = "time/total_timesteps"
N = TypeVar("N", int, float)


@dataclass(frozen=True)
class Point:
    """A row of ``evaluation.csv``: an agent's gain on its way, with its 95 % interval."""

    decisions: int
    against: str
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class TrainingRun:
    """What ``masked-monsters train`` leaves."""

    folder: Path
    config: dict[str, Any]
    versions: dict[str, Any]
    points: list[Point]
    updates: dict[str, list[tuple[int, float]]]
    """By the column of ``progress.csv``: decisions, value."""
    decisions: int
    """How far it is known to have come."""
    has_agent: bool
    cut: list[str]
    """Files whose last row is not whole."""

    @property
    def name(self) -> str:
        """As ``run.name`` says."""
        return str(self.config["run"]["name"])

    @property
    def state(self) -> str:
        """Is it complete, and if not, how far is it?"""
        wanted = self.config["run"]["decisions"]
        if not self.has_agent:
            far = f"last logged at {self.decisions:,} of {wanted:,} decisions"
            state = f"in progress or killed, no {AGENT}; {far}"
        elif self.decisions < wanted:
            state = f"stopped at {self.decisions:,} of {wanted:,} decisions"
        else:
            state = f"complete, {self.decisions:,} decisions"
        return "; ".join([state, *(f"the last row of {name} is cut off" for name in self.cut)])


def read_run(folder: Path) -> TrainingRun:
    """A run's folder, whether or not the run is over.

    Raises:
        ValueError: naming the file that is missing or spoiled.
    """
    config = _config(folder / CONFIG)
    cut = [
        name
        for name in (UPDATES, EVALUATIONS)
        if (folder / name).is_file() and not (folder / name).read_bytes().endswith(b"\n")
    ]
    points, updates = _points(folder / EVALUATIONS), _updates(folder / UPDATES)
    agent = folder / AGENT
    logged = [point.decisions for point in points] + [
        decisions for column in updates.values() for decisions, _ in column
    ]
    return TrainingRun(
        folder=folder,
        config=config,
        versions=_versions(folder / VERSIONS),
        points=points,
        updates=updates,
        decisions=_agent_decisions(agent) if agent.exists() else max(logged, default=0),
        has_agent=agent.exists(),
        cut=cut,
    )


def _config(path: Path) -> dict[str, Any]:
    """A run's configuration; not checked further, since what it names may be gone."""
    config = read_values(path)
    run = config.get("run")
    if not isinstance(config.get("game"), str) or not isinstance(run, dict):
        raise ValueError(f"{path}: not a run's configuration: it needs game and run")
    for key in ("name", "seed", "decisions"):
        if not isinstance(run.get(key), str if key == "name" else int):
            raise ValueError(f"{path}: not a run's configuration: run.{key} is {run.get(key)!r}")
    return config


def _versions(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file, which a run begins with")
    try:
        versions = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        versions = None
    if not isinstance(versions, dict):
        raise ValueError(f"{path}: does not say what the run began with")
    return versions


def _agent_decisions(path: Path) -> int:
    try:
        return int(read_about(path)["decisions"])
    except (KeyError, TypeError):
        raise ValueError(f"{path}: not an agent file of masked-monsters") from None


def _points(log: Path) -> list[Point]:
    return [
        Point(
            _number(log, line, row, "decisions", int),
            _cell(log, line, row, "against"),
            *(_number(log, line, row, key, _finite) for key in ("mean", "low", "high")),
        )
        for line, row in _rows(log)
    ]


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _updates(log: Path) -> dict[str, list[tuple[int, float]]]:
    """The columns with what was logged in them; cells may be empty.

    A row without decisions, such as an older version wrote at the end, has no place on a curve.
    """
    columns: dict[str, list[tuple[int, float]]] = {}
    for line, row in _rows(log):
        if row.get(DECISIONS) == "":
            continue
        decisions = _number(log, line, row, DECISIONS, int)
        for key, cell in row.items():
            if cell and key != DECISIONS:
                value = _number(log, line, row, key, float)
                columns.setdefault(key, []).append((decisions, value))
    return columns


def _rows(log: Path) -> list[tuple[int, dict[str, str]]]:
    """Whole rows with the numbers of their lines; none if there is no log yet."""
    if not log.exists():
        return []
    try:
        rows = list(enumerate(read_rows(log), start=2))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{log}: not a CSV file: {error}") from None
    for line, row in rows:
        if None in row or None in row.values():
            raise ValueError(f"{log}: line {line} has not as many cells as there are columns")
    return rows


def _cell(log: Path, line: int, row: dict[str, str], key: str) -> str:
    if key not in row:
        raise ValueError(f"{log}: line {line} has no {key}")
    return row[key]


def _number(log: Path, line: int, row: dict[str, str], key: str, kind: Callable[[str], N]) -> N:
    text = _cell(log, line, row, key)
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{log}: line {line}: {key}={text!r} is not a number") from None
