"""The games' random numbers: SplitMix64 (Steele, Lea and Flood 2014), its state in the game's record.

A record has two fields of it. ``stream`` names the match: it moves on by one step a match.
``random`` is the generator that chance events draw from; it starts anew from ``stream`` and the
round's number, so that a deal does not depend on how the rounds before it were played.
Same seed, same game: on every platform, in every batch size and thread count.
"""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.compile import compiled

GENERATOR = np.dtype([("random", np.uint64)])
"""A generator by itself, for whoever draws beside the game: players, benchmarks."""
GAMMA = 0x9E3779B97F4A7C15
MASK = 0xFFFFFFFFFFFFFFFF


@compiled
def mix(word: Any) -> Any:
    """Scramble 64 bits (SplitMix64's finaliser). Plain integers and masks: alike when not compiled."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


@compiled
def next_word(state: Any) -> Any:
    """The next 64 random bits of the record's generator."""
    word = (int(state["random"]) + GAMMA) & MASK
    state["random"] = word
    return mix(word)


@compiled
def below(state: Any, bound: int) -> int:
    """A uniform integer in ``0 … bound - 1`` (``bound`` under 2**16; bias under 2**-16)."""
    return int(((next_word(state) >> 32) * bound) >> 32)


@compiled
def next_match(state: Any) -> None:
    """Move on to the record's next match."""
    state["stream"] = (int(state["stream"]) + GAMMA) & MASK


@compiled
def start_generator(state: Any, index: int) -> None:
    """Start the generator of the match's ``index``-th part (a round)."""
    word = mix(int(state["stream"]))
    for _ in range(index):
        word = mix((word + GAMMA) & MASK)
    state["random"] = word


@compiled
def draw_action(weights: Any, generator: Any) -> int:
    """An action in proportion to its weight, by the generator's next number."""
    left = int(next_word(generator) >> 11) * 2.0**-53 * weights.sum()
    drawn = -1
    for action in range(len(weights)):
        if weights[action] > 0:
            drawn = action
            left -= weights[action]
            if left < 0:
                break
    return drawn
