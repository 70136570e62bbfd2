"""Seats around the table, without division: compiled code divides slowly, and often."""

from masked_monsters.envs.engine.compile import compiled


@compiled
def wrap(place: int, n: int) -> int:
    """A place of ``0 … 2n - 1``, counted around a table of ``n`` seats."""
    return place - n if place >= n else place


@compiled
def relative(seat: int, to: int, n: int) -> int:
    """A seat as counted from another one to the left; -1 stays -1."""
    if seat < 0:
        return -1
    return seat - to if seat >= to else seat - to + n
