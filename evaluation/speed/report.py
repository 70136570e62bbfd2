"""A run of measurements as tables on a terminal, as JSON and as a picture."""

import json
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import MARKDOWN, SIMPLE_HEAD, Box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from masked_monsters.evaluation.speed.compare import OURS, Comparison, Row, ratios
from masked_monsters.evaluation.speed.measure import FACTS, RATE
from masked_monsters.evaluation.speed.ours import LANES
from masked_monsters.evaluation.speed.plan import TRAINING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT = 1
"""Of the JSON file."""
TITLES = {
    "calibration": "The machine: a plain loop of random words",
    "rows": "The machine: rows of bytes written one after another",
    "compiled": "Random legal play in compiled code, with auto-reset",
    "batch": "Batch.step from Python, the drawing of actions not counted",
    "aec": "The wrapped PettingZoo environment, one game",
    "single": "The Gymnasium environment of one learner: its decisions",
    "vector": "The Gymnasium vector environment: the learners' decisions, the drawing not counted",
    "start": "Start, in a fresh process",
    "memory": "Memory",
    "openspiel-c++": "OpenSpiel, played inside C++",
    "openspiel": "OpenSpiel, played from Python",
    "pgx": "Pgx, batched by XLA on one core",
    "rlcard": "RLCard, played from Python",
    "pettingzoo": "PettingZoo's own environments, one game",
    "training": "Training, play and update: the game's own configuration",
    "tutorial": "Training as PettingZoo's tutorial with MaskablePPO does, on our game",
}
"""Of the kinds of measurements, in the order of the tables."""


def as_json(
    conditions: Mapping[str, Any], skipped: Sequence[str], rows: Sequence[Row]
) -> dict[str, Any]:
    """All of a run as plain values."""
    return {"format": FORMAT, "conditions": conditions, "skipped": skipped, "rows": rows}


def read(path: Path) -> list[Row]:
    """The rows of a run's JSON file; ``ValueError`` if it is none."""
    text = path.read_text(encoding="utf-8")
    try:
        content = json.loads(text)
        rows = content["rows"]
        if content["format"] == FORMAT and all(
            {*FACTS, "name", "samples"} <= {*row} for row in rows
        ):
            return rows
    except (ValueError, KeyError, TypeError):
        pass
    raise ValueError(f"compare={path}: must be written by --out, in format {FORMAT}")


# ---------------------------------------------------------------- tables


def page(path: Path) -> str:
    """A run's JSON file as a page of Markdown."""
    content = json.loads(path.read_text(encoding="utf-8"))
    text = StringIO()
    out = Console(file=text, width=10_000)
    out.print("# Speed: the figures\n")
    out.print(conditions_text(content["conditions"], content["skipped"]) + "\n")
    print_rows(out, content["rows"], MARKDOWN)
    print_training_ratios(out, content["rows"], MARKDOWN)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def print_rows(out: Console, rows: Sequence[Row], box: Box = SIMPLE_HEAD) -> None:
    """A table for each kind of measurement."""
    kinds = list(TITLES)
    in_order = sorted(rows, key=lambda row: kinds.index(row["kind"]))
    for kind, of_kind in groupby(in_order, key=lambda row: row["kind"]):
        table = _table("", "players", "lanes", "threads", "observation", "buffer", box=box)
        table.add_column("median", justify="right")
        table.add_column("least to greatest", justify="right")
        table.add_column("a CPU second", justify="right")
        for row in of_kind:
            table.add_row(*_cells(row))
        out.print(f"{TITLES[kind]}:")
        out.print(table)


def _cells(row: Row) -> list[str | Text]:
    buffer = row["buffer_bytes"]
    return [
        Text(row["subject"]),
        _number(row["players"]),
        _number(row["lanes"]),
        _number(row["threads"]),
        f"{row['observation_bytes']:,} B" if row["observation_bytes"] else "-",
        "-" if buffer is None else f"{buffer:,} B, {row['cache'] or '?'}",
        f"{_value(row['median'])} {row['unit']}",
        f"{_value(row['low'])} to {_value(row['high'])}",
        _value(row["per_cpu_second"]) if "per_cpu_second" in row else "-",
    ]


def _number(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _value(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def print_training_ratios(out: Console, rows: Sequence[Row], box: Box = SIMPLE_HEAD) -> None:
    """How many times as fast training is as the tutorial, if it was measured; by the clock."""
    found = ratios([row for row in rows if row["kind"] in TRAINING])
    if not found:
        return
    table = _table("", "median", "least to greatest", box=box)
    for name, values in found.items():
        table.add_row(Text(name), f"{values[0]:.4g}", _range(values))
    out.print("How many times as fast, in the same repeat:")
    out.print(table)


def print_comparisons(out: Console, comparisons: Sequence[Comparison], absent: int) -> None:
    """Every ratio now and in the stored run, and which have left their spread."""
    table = _table("", "now", "least to greatest", "stored", "least to greatest", "")
    for comparison in comparisons:
        now, stored = comparison.now, comparison.stored
        table.add_row(
            Text(comparison.name),
            *(f"{now[0]:.4g}", _range(now)),
            *(f"{stored[0]:.4g}", _range(stored)),
            comparison.verdict,
        )
    out.print("Ratios now and as stored; lower or higher: the two spreads do not meet:")
    out.print(table)
    moved = sum(bool(comparison.verdict) for comparison in comparisons)
    out.print(
        f"{moved} of {len(comparisons)} ratios lie outside the stored spread; "
        f"{absent} stored ones were not measured now."
    )


def _range(values: tuple[float, float, float]) -> str:
    return f"{values[1]:.4g} to {values[2]:.4g}"


def _table(*headers: str, box: Box = SIMPLE_HEAD) -> Table:
    table = Table(box=box)
    table.add_column(headers[0])
    for header in headers[1:]:
        table.add_column(header, justify="right")
    return table


def conditions_text(conditions: Mapping[str, Any], skipped: Sequence[str]) -> str:
    """What the numbers depend on, in a few lines."""
    caches = ", ".join(
        f"{name} {size // 1024:,} KiB" for name, size in conditions["caches"].items()
    )
    versions = ", ".join(f"{name} {number}" for name, number in conditions["versions"].items())
    return "\n".join(
        [
            *skipped,
            f"{conditions['processor']}, {conditions['cores']} cores; {caches or 'caches unknown'}",
            f"{conditions['system']}, Python {conditions['python']}, {versions}",
            f"Median of {conditions['repeats']} repeats of {conditions['seconds']:g} s each; "
            "every repeat ran every measurement once.",
        ]
    )


# ---------------------------------------------------------------- the picture


def plot(rows: Sequence[Row], path: Path) -> None:
    """Decisions a second against the observation's bytes, below what memory allows."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    axes = figure.add_subplot()
    _draw_limits(axes, rows)
    shown = [row for row in rows if _is_shown(row, rows)]
    for number, ((kind, subject), points) in enumerate(_series(shown).items()):
        axes.scatter(
            [row["observation_bytes"] for row in points],
            [row["median"] for row in points],
            color=colormaps["tab20"](number),
            marker="*" if subject else "o",
            label=f"{kind}: {subject}" if subject else kind,
        )
        if subject is None:
            for row in points:
                place = row["observation_bytes"], row["median"]
                axes.annotate(row["subject"], place, fontsize=6, alpha=0.7)
    axes.set(
        xscale="log", yscale="log", xlabel="bytes of one observation", ylabel="decisions a second"
    )
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=7, loc="lower left")
    figure.savefig(path, dpi=150)


def _draw_limits(axes: "Axes", rows: Sequence[Row]) -> None:
    limits = [row for row in rows if row["kind"] == "rows" and row["threads"] == 1]
    lines = groupby(limits, key=lambda row: row["buffer_bytes"])
    for (buffer, points), style in zip(lines, ("--", ":"), strict=False):
        line = list(points)
        axes.plot(
            [row["observation_bytes"] for row in line],
            [row["median"] for row in line],
            linestyle=style,
            color="grey",
            label=f"rows written into {line[0]['cache'] or 'memory'} ({buffer // 1024:,} KiB)",
        )


def _is_shown(row: Row, rows: Sequence[Row]) -> bool:
    """With observations; of the compiled rows the plain ones, of the batches of a peer the best."""
    if row["unit"] != RATE or not row["observation_bytes"] or row["kind"] in ("single", "vector"):
        return False
    if row["kind"] == "compiled":
        return (row["lanes"], row["threads"]) == (LANES, 1)
    alike = [
        other["median"]
        for other in rows
        if (other["kind"], other["subject"]) == (row["kind"], row["subject"])
        and other["observation_bytes"]
    ]
    return row["kind"] != "pgx" or row["median"] == max(alike)


def _series(rows: Sequence[Row]) -> dict[tuple[str, str | None], list[Row]]:
    """The points by kind, our own also by game."""
    series: dict[tuple[str, str | None], list[Row]] = {}
    for row in rows:
        subject = row["subject"] if row["kind"] in OURS else None
        series.setdefault((row["kind"], subject), []).append(row)
    return series
