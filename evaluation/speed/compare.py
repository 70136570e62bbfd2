"""Ratios between the rows of one run, and those of another run, to see what has become slower.

Rates are taken by CPU seconds, which other programs on the machine disturb least; but by the clock
where two threads are compared with one.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from masked_monsters.evaluation.speed.measure import spread
from masked_monsters.evaluation.speed.ours import LANES

OURS = ("compiled", "batch", "aec")
TOLD_BY = ("kind", "subject", "players", "lanes", "threads")
PEERS_OF = {
    "compiled": ("openspiel-c++", "openspiel", "pgx", "rlcard"),
    "aec": ("pettingzoo",),
}
"""With which peers each of our ways to play is compared."""

Row = Mapping[str, Any]


class Comparison(NamedTuple):
    """One ratio now and in the stored run: median, least and greatest over the repeats."""

    name: str
    now: tuple[float, float, float]
    stored: tuple[float, float, float]

    @property
    def verdict(self) -> str:
        """``lower`` or ``higher`` if the two spreads do not meet, else nothing."""
        if self.now[2] < self.stored[1]:
            return "lower"
        return "higher" if self.now[1] > self.stored[2] else ""


def compare(now: Sequence[Row], stored: Sequence[Row]) -> list[Comparison]:
    """Every ratio that both runs have."""
    before = ratios(stored)
    return [
        Comparison(name, values, before[name])
        for name, values in ratios(now).items()
        if name in before
    ]


def ratios(rows: Sequence[Row]) -> dict[str, tuple[float, float, float]]:
    """Median, least and greatest of each ratio; both of a repeat's runs lie near in time."""
    return {
        f"{above['name']} / {below['name']}": spread(
            [
                _rate(one, by) / _rate(other, by)
                for one, other in zip(above["samples"], below["samples"], strict=True)
            ]
        )
        for above, below in _pairs(rows)
        for by in [_clock(above, below)]
    }


def _clock(above: Row, below: Row) -> str:
    """What their seconds are counted by."""
    ours = above["kind"] == below["kind"]
    return "wall" if ours and above["threads"] != below["threads"] else "cpu"


def _rate(sample: Mapping[str, float], by: str) -> float:
    """How much was done in a second of that clock; by the clock where CPU time is too coarse."""
    return sample["value"] * sample["wall"] / (sample[by] or sample["wall"])


def _pairs(rows: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    """What is divided by what."""
    for row in rows:
        if row["kind"] in OURS:
            yield from ((row, other) for other in rows if _is_below(row, other))


def _is_below(row: Row, other: Row) -> bool:
    """Whether one of our rows is to be divided by the other."""
    if other["kind"] == "calibration":
        return True
    if other["kind"] in PEERS_OF.get(row["kind"], ()):
        return _is_typical(row) and other["observation_bytes"] > 0
    differ = {fact: (row[fact], other[fact]) for fact in TOLD_BY if row[fact] != other[fact]}
    observed = bool(row["observation_bytes"]), bool(other["observation_bytes"])
    if observed == (True, False):
        return not differ
    return observed[0] == observed[1] and differ in ({"threads": (2, 1)}, {"players": (8, 4)})


def _is_typical(row: Row) -> bool:
    """Whether peers are compared with it."""
    return row["observation_bytes"] > 0 and (
        row["kind"] != "compiled" or (row["players"], row["lanes"], row["threads"]) == (4, LANES, 1)
    )
