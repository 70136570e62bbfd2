"""A draw in proportion to weights: how scripted players come to an action."""

from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.random import next_word


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
