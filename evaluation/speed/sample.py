"""Random actions out of masks, and the plain loops that a machine is judged by, in compiled code."""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.random import below, next_word

GENERATOR = np.dtype([("random", np.uint64)])


@compiled
def draw_legal(mask: Any, generator: Any) -> int:
    """A legal action, each as likely as the others."""
    left = below(generator, int(mask.sum()))
    for action in range(len(mask)):
        left -= mask[action]
        if left < 0:
            return action
    return -1


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
def write_rows(rows: Any, value: int) -> int:
    """Every row once, as an observation is written."""
    for row in range(len(rows)):
        rows[row, :] = value
    return len(rows)
