"""Named segments of a flat observation: one table makes the size, the bounds, the slices, the docs."""

from typing import NamedTuple

import numpy as np


class Segment(NamedTuple):
    """A named block of an int8 observation; every entry lies in ``0 … high``."""

    name: str
    shape: tuple[int, ...]
    high: int
    meaning: str


def segments_dtype(segments: tuple[Segment, ...]) -> np.dtype:
    """A packed record of int8 fields: its bytes are the flat observation."""
    return np.dtype([(segment.name, np.int8, segment.shape) for segment in segments])


def highs(segments: tuple[Segment, ...]) -> np.ndarray:
    """The upper bound of every entry, int8."""
    return np.concatenate(
        [np.full(int(np.prod(segment.shape)), segment.high, np.int8) for segment in segments]
    )


def slices(segments: tuple[Segment, ...]) -> dict[str, slice]:
    """Where each segment lies in the flat observation."""
    ends = np.cumsum([int(np.prod(segment.shape)) for segment in segments])
    return {
        segment.name: slice(int(end) - int(np.prod(segment.shape)), int(end))
        for segment, end in zip(segments, ends, strict=True)
    }


def segments_page(title: str, segments: tuple[Segment, ...]) -> str:
    """The docs page: a Markdown table of the segments."""
    rows = [
        f"| `{segment.name}` | {where.start} to {where.stop - 1} | "
        f"{' x '.join(map(str, segment.shape))} | 0 to {segment.high} | {segment.meaning} |"
        for segment, where in zip(segments, slices(segments).values(), strict=True)
    ]
    size = slices(segments)[segments[-1].name].stop
    return "\n".join(
        [
            f"# {title}",
            "",
            f"A flat vector of {size} int8 entries. Seats count from the one that looks: 0 is itself,",
            "k the k-th seat to its left. A one-hot block is all zeros where there is nothing to say.",
            "",
            "| segment | entries | shape | range | meaning |",
            "| --- | --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )
