"""The learning curve: a log of evaluations, and its picture."""

from pathlib import Path
from typing import NamedTuple

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from masked_monsters.training.files import append_row, read_rows


class Point(NamedTuple):
    """An evaluation in the course of training, and a row of the log."""

    decisions: int
    """Learned from or not, since the start of training."""
    against: str
    mean: float
    """The gain: what the agent scores a round, less the mean of its table."""
    low: float
    """Of the 95 % confidence interval."""
    high: float


def append_point(log: Path, point: Point) -> None:
    """Add a row to the log, a CSV file; begin it if there is none."""
    append_row(log, point._asdict())


def read_points(log: Path) -> list[Point]:
    """All rows of the log."""
    return [
        Point(
            int(row["decisions"]),
            row["against"],
            float(row["mean"]),
            float(row["low"]),
            float(row["high"]),
        )
        for row in read_rows(log)
    ]


def draw_curve(log: Path, picture: Path, title: str) -> None:
    """The gain against each opponent by decisions played, with its 95 % band, as a PNG."""
    points = read_points(log)
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for against in dict.fromkeys(point.against for point in points):
        mine = [point for point in points if point.against == against]
        decisions = [point.decisions / 1e6 for point in mine]
        axes.plot(decisions, [point.mean for point in mine], marker="o", label=against)
        axes.fill_between(
            decisions, [point.low for point in mine], [point.high for point in mine], alpha=0.2
        )
    axes.axhline(0, color="grey", linewidth=1)
    axes.set(title=title, xlabel="million decisions played", ylabel="gain a round, in points")
    axes.legend(title="against copies of")
    axes.grid(alpha=0.3)
    FigureCanvasAgg(figure).print_png(picture)
