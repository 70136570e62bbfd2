"""Random actions out of masks, and the plain loops that a machine is judged by, in compiled code."""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.chance import total
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.random import below, next_word
from masked_monsters.envs.engine.rows import HIGH_BITS, ONES, count_ones, load_row


@compiled
def draw_legal(mask: Any, generator: Any) -> int:
    """A legal action, each as likely as the others."""
    left = below(generator, total(mask))
    first = 0
    while first + 8 <= len(mask):
        row = load_row(mask[first : first + 8])
        ones = count_ones(row)
        if left < ones:
            return first + place_of_one(row, left)
        left -= ones
        first += 8
    while True:
        left -= mask[first]
        if left < 0:
            return first
        first += 1


@compiled
def place_of_one(row: Any, number: int) -> int:
    """Where a row of ones and zeros has the one of that number, from 0."""
    row += row << np.uint64(8)
    row += row << np.uint64(16)
    row += row << np.uint64(32)  # each entry is now how many ones there are up to it
    beyond = (row | HIGH_BITS) - ONES * np.uint64(number + 1)
    return 8 - count_ones((beyond >> np.uint64(7)) & ONES)


@compiled
def draw_one(mask: Any, generators: Any) -> int:
    """A legal action of one mask."""
    return draw_legal(mask, generators[0])


@compiled
def draw_all(masks: Any, generators: Any, actions: Any) -> None:
    """A legal action for each mask."""
    for i in range(len(masks)):
        actions[i] = draw_legal(masks[i], generators[0])


@compiled
def chain_words(generators: Any, steps: int) -> int:
    """Random words, each made from the one before: the processor's plain speed, without memory."""
    generator = generators[0]
    for _ in range(steps):
        generator["random"] = next_word(generator)
    return steps


@compiled
def write_rows(rows: Any, times: int) -> int:
    """Every row so many times, as an observation is written."""
    for time in range(times):
        for row in range(len(rows)):
            rows[row, :] = time & 1
    return len(rows) * times
