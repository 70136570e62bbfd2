"""What deciding seats see, over many states; ``kernels.bind`` loads it once a game."""

from collections.abc import Callable
from typing import Any

from masked_monsters.envs.engine.compile import compiled

# Bound before this file is run: the game's rules.
look: Callable[..., None]
encode: Callable[..., None]
legal: Callable[..., None]


@compiled
def show(states: Any, views: Any, observations: Any, masks: Any) -> None:
    """The view, observation and legal actions of each state's deciding seat."""
    for lane in range(len(states)):
        look(states[lane], states[lane]["to_move"], views[lane])
        encode(views[lane], observations[lane])
        legal(states[lane], masks[lane])


@compiled
def encode_all(views: Any, observations: Any) -> None:
    """The observation of each view."""
    for row in range(len(views)):
        encode(views[row], observations[row])
