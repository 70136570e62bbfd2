"""The loop in which a scripted opponent plays; ``kernels.bind`` loads it once a game and player."""

from collections.abc import Callable
from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.random import draw_action

# Bound before this file is run: a game's rules, ``advance`` of its table_loop.py, and the player.
look: Callable[..., None]
legal: Callable[..., None]
advance: Callable[..., None]
weigh: Callable[..., None]


@compiled
def play_on(
    states: Any, tables: Any, players: Any, number: int, views: Any, mask: Any, weights: Any
) -> None:
    """Opponent ``number`` plays on every lane until another must decide; the last three are scratch."""
    for lane in range(len(states)):
        state, table = states[lane], tables[lane]
        while table["decider"] == number:
            look(state, state["to_move"], views[0])
            legal(state, mask)
            weigh(views[0], mask, weights)
            advance(state, table, players, draw_action(weights, table))
