"""What the games' views and encoders share: one-hot blocks, rows of tokens."""

from typing import Any

from masked_monsters.envs.engine.compile import compiled


@compiled
def light(entries: Any, which: int) -> None:
    """One-hot; all zeros if ``which`` is negative (none)."""
    entries[:] = 0
    if which >= 0:
        entries[which] = 1


@compiled
def token(tokens: Any, row: int, kind: int, who: int, whom: int, what: int) -> int:
    """Write a row; returns the next one's index."""
    tokens[row, 0] = kind
    tokens[row, 1] = who
    tokens[row, 2] = whom
    tokens[row, 3] = what
    return row + 1
