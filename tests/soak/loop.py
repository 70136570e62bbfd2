"""Random play that looks after every so many decisions whether the state is sound; bound by game."""

from collections.abc import Callable
from typing import Any

from masked_monsters.envs.engine.chance import total
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import OVER
from masked_monsters.evaluation.speed.draw import draw_legal

# Bound before this file is run: the game's rules, two of the engine's loops, and the invariants.
start: Callable[..., None]
legal: Callable[..., None]
look: Callable[..., None]
encode: Callable[..., None]
act: Callable[..., None]
settle: Callable[..., None]
fault_of: Callable[..., int]

STUCK = 1
"""The fault that who decides may do nothing; a game's own are counted from 2."""


@compiled
def play(
    states: Any,
    generators: Any,
    views: Any,
    observations: Any,
    masks: Any,
    steps: int,
    every: int,
) -> int:
    """``steps`` decisions a lane; returns 0, or a fault times the number of lanes, plus its lane."""
    until_check = every
    for _ in range(steps):
        for lane in range(len(states)):
            state = states[lane]
            legal(state, masks[lane])
            look(state, int(state["to_move"]), views[lane])
            encode(views[lane], observations[lane])
            until_check -= 1
            if until_check == 0:
                until_check = every
                fault = fault_of(state)
                if total(masks[lane]) == 0:
                    fault = STUCK
                if fault > 0:
                    return fault * len(states) + lane
            act(state, draw_legal(masks[lane], generators[0]))
            settle(state)
            if state["phase"] == OVER:
                start(state)
                settle(state)
    return 0
