"""A page before it is HTML or Markdown: sections of words, tables, figures and listings."""

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from masked_monsters.evaluation.page.records import Interval

BOUND = "lower bound"
NONE = "–"
"""In a cell for which there is no number."""


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str
    kind = "words"


@dataclass(frozen=True)
class Heading:
    """Of a part of a section."""

    text: str
    kind = "heading"


@dataclass(frozen=True)
class Table:
    """Rows of text; the first cell of each is its header."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    """So many columns are words; the others numbers."""
    number: int = 0
    kind = "table"

    @property
    def id(self) -> str:
        """By which links find it."""
        return f"table-{self.number}"


@dataclass(frozen=True)
class Figure:
    """A picture, and all that it says in words."""

    name: str
    """Part of its file's name."""
    caption: str
    alt: str
    svg: str
    number: int = 0
    kind = "figure"

    @property
    def id(self) -> str:
        """By which links find it; unique on the page."""
        return f"figure-{self.number}-{self.name}"

    @property
    def uri(self) -> str:
        """The picture itself, as an address that needs no network."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.svg.encode()).decode()}"


@dataclass(frozen=True)
class Listing:
    """Text of a machine, such as a command or a configuration."""

    title: str
    text: str
    folded: bool = False
    """Shown when asked for."""
    kind = "listing"


Block = Words | Heading | Table | Figure | Listing


@dataclass(frozen=True)
class Section:
    """A part of the page, with an entry in its table of contents."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """All there is to say, its tables and figures numbered."""

    title: str
    sections: tuple[Section, ...]


def make_page(title: str, sections: Sequence[Section]) -> Page:
    """Sections that have something in them, with tables and figures numbered in order."""
    tables, figures = count(1), count(1)

    def numbered(block: Block) -> Block:
        if isinstance(block, Table):
            return replace(block, number=next(tables))
        return replace(block, number=next(figures)) if isinstance(block, Figure) else block

    return Page(
        title,
        tuple(
            replace(section, blocks=tuple(numbered(block) for block in section.blocks))
            for section in sections
            if section.blocks
        ),
    )


# ---------------------------------------------------------------- numbers and names as text


def plus_minus(interval: Interval, signed: bool = False) -> str:
    """A mean and half of its interval, to three places or as many as the latter needs to show."""
    half = interval.half_width
    places = 3 if half == 0 or half >= 0.001 else math.ceil(-math.log10(half)) + 1
    mean = round(interval.mean, places) + 0.0  # never "-0.000"
    return f"{mean:{'+' if signed else ''}.{places}f} ± {half:.{places}f}"


def number(value: float, signed: bool = False) -> str:
    """To three places; small ones, such as a NashConv near 0, to three digits."""
    if value and abs(value) < 0.01 and not signed:
        return f"{value:.3g}"
    return f"{round(value, 3) + 0.0:{'+' if signed else ''}.3f}"  # never "-0.000"


def between(mean: float, low: float, high: float, sign: str = "") -> str:
    """A value and the ends of its interval, to two digits of its half; ``sign`` may be "+"."""
    half = (high - low) / 2
    places = 3 if half <= 0 else max(0, 1 - math.floor(math.log10(half)))
    value, *ends = (f"{round(each, places) + 0.0:{sign}.{places}f}" for each in (mean, low, high))
    return f"{value} ({' to '.join(ends)})"


def at_least(bound: float) -> str:
    """A lower bound to three places, never rounded up."""
    return f"at least {math.floor(round(bound * 1000, 6)) / 1000:.3f}"


def plain(text: str) -> str:
    """What cannot be seen, or turns text around, made visible; line ends stay."""
    return "".join(each if each.isprintable() or each in "\n\t" else "\ufffd" for each in text)


def short(name: str, length: int = 26) -> str:
    """A name for a figure: one line, its middle left out if it is long."""
    name = " ".join(plain(name).split())
    half = (length - 1) // 2
    return name if len(name) <= length else f"{name[:half]}…{name[-half:]}"
