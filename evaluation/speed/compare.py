"""Ratios between the rows of one run, and those of another run, to see what has become slower.

Rates are taken by CPU seconds, which other programs on the machine disturb least; but by the clock
where two threads are compared with one, and where training is, whose threads wait busily.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from masked_monsters.evaluation.speed.measure import rate, spread
from masked_monsters.evaluation.speed.ours import LANES

OURS = ("compiled", "batch", "aec", "single", "vector", "training")
"""The kinds of our own rates."""
TOLD_BY = ("kind", "subject", "players", "lanes", "threads")
PEERS_OF = {
    "compiled": ("openspiel-c++", "openspiel", "pgx", "rlcard"),
    "aec": ("pettingzoo",),
    "training": ("tutorial",),
}
"""With which peers each of our ways to play is compared."""
TO_ONE_THREAD = "to 1 thread"

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
    found = {}
    for above, below in product(rows, rows):
        relation = _relation(above, below) if above["kind"] in OURS else None
        if relation:
            by_clock = relation == TO_ONE_THREAD or above["kind"] == "training"
            clock = "wall" if by_clock else "cpu"
            found[f"{above['name']}: {relation}"] = spread(
                [
                    rate(one, clock) / rate(other, clock)
                    for one, other in zip(above["samples"], below["samples"], strict=True)
                ]
            )
    return found


def _relation(above: Row, below: Row) -> str | None:
    """What one of our rows is compared with, in words, if the other row is that."""
    if below["kind"] == "calibration":
        return "to the plain loop"
    if below["kind"] in PEERS_OF.get(above["kind"], ()):
        compared = _is_typical(above) and below["observation_bytes"]
        if above["kind"] == "training":
            compared = above["subject"] == below["subject"]  # the same game
        return f"to {below['name']}" if compared else None
    differ = {fact: (above[fact], below[fact]) for fact in TOLD_BY if above[fact] != below[fact]}
    if above["observation_bytes"] and not below["observation_bytes"]:
        return None if differ else "to no observation"
    if bool(above["observation_bytes"]) != bool(below["observation_bytes"]):
        return None
    if differ == {"threads": (2, 1)}:
        return TO_ONE_THREAD
    return "to 4 players" if differ == {"players": (8, 4)} else None


def _is_typical(row: Row) -> bool:
    """Whether peers are compared with it."""
    return row["observation_bytes"] > 0 and (
        row["kind"] != "compiled" or (row["players"], row["lanes"], row["threads"]) == (4, LANES, 1)
    )
