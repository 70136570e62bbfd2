"""The figures, drawn by matplotlib as SVG that is light or dark as its reader is."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import Any, NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import EngFormatter, MaxNLocator, NullFormatter

from masked_monsters.evaluation.page.content import between, short
from masked_monsters.evaluation.page.records import Bin

WIDTH = 5.6
"""In inches of 72 points, small enough for the text to be read on a phone."""
INK, FAINT = "#1d2530", "#a3adba"
DARK = {
    INK: "#e4e9f0",
    FAINT: "#566273",
    "#1f6fb5": "#6db3f2",
    "#b8560a": "#f0a05a",
    "#1b7f56": "#5fcf9f",
    "#8a4bb0": "#c79be8",
    "#a8324f": "#f08aa4",
    "#6b6f12": "#c9cc5c",
    "#0f7c8a": "#5cc8d6",
    "#7a5540": "#cfa68d",
}
"""What each colour is to one who prefers dark pages."""
SERIES = tuple(DARK)[2:]
"""The colours of groups and lines."""
GAIN = "gain a round: reward less the table's mean"
DECISIONS = "decisions played"
MARKERS = "osD^vPX*"
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "masked-monsters",
    "text.parse_math": False,
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": True,
    "font.size": 9.0,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": FAINT,
    "grid.alpha": 0.4,
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.frameon": False,
}


class Spread(NamedTuple):
    """A value and its 95 % interval, in a figure's row; its group has a colour."""

    row: str
    group: str
    mean: float
    low: float
    high: float


class Step(NamedTuple):
    """A value and its 95 % interval at a point, such as after so many decisions."""

    at: float
    mean: float
    low: float
    high: float


def in_words(values: Iterable[tuple[str, float, float, float]]) -> str:
    """For those who cannot see the picture."""
    return "; ".join(f"{name}: {between(mean, low, high)}" for name, mean, low, high in values)


def spreads(points: Sequence[Spread], label: str, zero: float | None = None) -> str:
    """A row for each value, with its interval; groups side by side; a line at ``zero``."""
    rows = list(dict.fromkeys(point.row for point in points))
    groups = list(dict.fromkeys(point.group for point in points))

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for index, group in enumerate(groups):
            mine = [point for point in points if point.group == group]
            offset = (index - (len(groups) - 1) / 2) * 0.7 / len(groups)
            axes.errorbar(
                [point.mean for point in mine],
                [rows.index(point.row) + offset for point in mine],
                xerr=[
                    [point.mean - point.low for point in mine],
                    [point.high - point.mean for point in mine],
                ],
                **_look(index),
                linestyle="none",
                elinewidth=1.6,
                capsize=3,
            )
        if zero is not None:
            axes.axvline(zero, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.set_yticks(range(len(rows)), [short(row) for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(label)
        axes.grid(axis="x")
        if len(groups) > 1:
            _legend(figure, axes, groups)

    lines = len(rows) * max(1.0, 0.45 * len(groups))
    return _svg(draw, 0.8 + 0.28 * lines + 0.25 * (len(groups) > 1))


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    label: str,
    middle: float,
) -> str:
    """Row against column: blue above the middle, red below, hatched where there is nothing."""
    known = [value for row in values for value in row if value is not None]
    limit = max((abs(value - middle) for value in known), default=0) or 1

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        colours = matplotlib.colormaps["RdBu"]
        for y, row in enumerate(values):
            for x, value in enumerate(row):
                place = (x - 0.5, y - 0.5), 1, 1
                if value is None:
                    axes.add_patch(
                        Rectangle(
                            *place, facecolor="none", edgecolor=FAINT, hatch="////", linewidth=0
                        )
                    )
                    continue
                part = 0.5 + 0.42 * (value - middle) / limit
                axes.add_patch(Rectangle(*place, facecolor=colours(part), linewidth=0))
                if len(columns) <= 10:
                    colour = "#fefefe" if abs(part - 0.5) > 0.27 else "#111111"
                    look = {"ha": "center", "va": "center", "fontsize": 8, "color": colour}
                    axes.text(x, y, f"{value:.2f}", **look)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        turned = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
        axes.set_xticks(range(len(columns)), [short(name, 18) for name in columns], **turned)
        axes.set_yticks(range(len(rows)), [short(name, 18) for name in rows])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(label)

    return _svg(draw, 1.5 + 0.36 * len(rows))


def curves(
    lines: Mapping[str, Sequence[Step]], label: str, legend: str, across: str = DECISIONS
) -> str:
    """Means with the band of their 95 % intervals."""

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        for index, steps in enumerate(lines.values()):
            look = _look(index)
            points = [step.at for step in steps]
            axes.plot(points, [step.mean for step in steps], **look, linewidth=1.6)
            axes.fill_between(
                points,
                [step.low for step in steps],
                [step.high for step in steps],
                color=look["color"],
                alpha=0.18,
                linewidth=0,
            )
        axes.axhline(0, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.set(xlabel=across, ylabel=label)
        if across == DECISIONS:
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.grid()
        _legend(figure, axes, list(lines), legend)

    return _svg(draw, 3.4)


def logs(columns: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """What a run logged with every update, a small picture for each column."""
    across = min(2, len(columns))
    down = -(-len(columns) // across)

    def draw(figure: Figure) -> None:
        grid = figure.subplots(down, across, squeeze=False, sharex=True)
        for axes in grid.flat[len(columns) :]:
            axes.set_visible(False)
        for axes, (title, values) in zip(grid.flat, columns.items(), strict=False):
            axes.plot(*zip(*values, strict=True), color=SERIES[0], linewidth=1)
            axes.set_title(title, fontsize=9, loc="left")
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
            axes.xaxis.set_major_locator(MaxNLocator(4))
            axes.grid()
        figure.supxlabel(DECISIONS, fontsize=9)

    return _svg(draw, 0.5 + 1.35 * down)


def calibration(bins: Sequence[Bin]) -> str:
    """Observed against predicted, with intervals; on the diagonal the two are the same."""

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.errorbar(
            [each.predicted for each in bins],
            [each.observed.mean for each in bins],
            yerr=[each.observed.half_width for each in bins],
            **_look(0),
            linestyle="none",
            elinewidth=1.6,
            capsize=3,
        )
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        axes.set(xlabel="predicted", ylabel="observed, with its 95 % interval")
        axes.grid()

    return _svg(draw, 4.0)


def bars(values: Mapping[str, float], label: str) -> str:
    """Exact values, without intervals; from 0, or by powers of ten if some are far smaller."""
    positive = [value for value in values.values() if value > 0]
    logarithmic = len(positive) == len(values) and max(positive) > 100 * min(positive)

    def draw(figure: Figure) -> None:
        axes = figure.add_subplot()
        axes.barh(range(len(values)), list(values.values()), height=0.6, color=SERIES[0])
        axes.set_yticks(range(len(values)), [short(name, 34) for name in values])
        axes.set_ylim(len(values) - 0.5, -0.5)
        axes.set_xlabel(label)
        if logarithmic:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
        axes.grid(axis="x")

    return _svg(draw, 0.8 + 0.28 * len(values))


# ---------------------------------------------------------------- how they look


def _look(index: int) -> dict[str, Any]:
    """Colour and marker, so that colour is not all that tells lines apart."""
    return {
        "color": SERIES[index % len(SERIES)],
        "marker": MARKERS[index % len(MARKERS)],
        "markersize": 5,
    }


def _legend(figure: Figure, axes: Axes, names: Sequence[str], title: str | None = None) -> None:
    """Above the axes. Names are put in afterwards, since labels with a leading _ are left out."""
    handles = [Line2D([], [], **_look(index), linewidth=1.6) for index in range(len(names))]
    legend = figure.legend(
        handles,
        [str(index) for index in range(len(names))],
        loc="outside upper left",
        ncols=3 if any(len(name) > 10 for name in names) else 4,
        title=title,
        alignment="left",
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(short(name))


def _svg(draw: Callable[[Figure], None], height: float) -> str:
    """A figure's bytes; the same for the same drawing, whatever matplotlib is set to elsewhere."""
    text = StringIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # the reader's may have it
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure)
        metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(text, format="svg", transparent=True, metadata=metadata)
    svg = text.getvalue()
    start = svg.index("<svg")
    head = svg.index(">", start) + 1
    return f"{svg[start:head]}\n{_dark_style()}{svg[head:]}"


def _dark_style() -> str:
    """Other colours for readers who prefer dark pages; what does not know this shows it light."""
    rules = "".join(
        f'[style*="{what}: {light}"]{{{what}:{dark}!important}}'
        for light, dark in DARK.items()
        for what in ("fill", "stroke")
    )
    return f"<style>@media screen and (prefers-color-scheme:dark){{{rules}}}</style>"
