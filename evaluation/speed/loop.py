"""Random legal play of one game in compiled code; ``kernels.bind`` loads it once a game."""

from collections.abc import Callable
from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import OVER
from masked_monsters.evaluation.speed.draw import draw_legal

# Bound before this file is run: the game's rules, and of the engine's loops these two.
start: Callable[..., None]
legal: Callable[..., None]
look: Callable[..., None]
encode: Callable[..., None]
act: Callable[..., None]
settle: Callable[..., None]


@compiled
def start_all(states: Any) -> None:
    """Begin a match on every lane."""
    for lane in range(len(states)):
        start(states[lane])
        settle(states[lane])


@compiled
def play(
    states: Any, generators: Any, views: Any, observations: Any, masks: Any, steps: int
) -> int:
    """``steps`` random decisions on every lane, a match that ends followed by the next.

    Before each, the mask of the deciding seat is written, its view if ``views`` has a record, and its
    observation if ``observations`` has one a lane. Returns the number of decisions.
    """
    for _ in range(steps):
        for lane in range(len(states)):
            state = states[lane]
            legal(state, masks[lane])
            if len(views) > 0:
                look(state, int(state["to_move"]), views[0])
            if len(observations) > 0:
                encode(views[0], observations[lane])
            act(state, draw_legal(masks[lane], generators[0]))
            settle(state)
            if state["phase"] == OVER:
                start(state)
                settle(state)
    return steps * len(states)
