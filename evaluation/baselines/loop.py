"""The loops over decisions that are the same for every scripted player; ``kernels.bind`` loads it."""

from collections.abc import Callable
from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.random import draw_action

# Bound before this file is run: the player.
weigh: Callable[..., None]


@compiled
def choose(views: Any, masks: Any, generators: Any, weights: Any, actions: Any) -> None:
    """Draw an action for each decision; ``weights`` is scratch for one row."""
    for i in range(len(views)):
        weigh(views[i], masks[i], weights)
        actions[i] = draw_action(weights, generators[0])


@compiled
def distribute(views: Any, masks: Any, probabilities: Any) -> None:
    """The probability of each action in each decision."""
    for i in range(len(views)):
        weigh(views[i], masks[i], probabilities[i])
        probabilities[i] /= probabilities[i].sum()
