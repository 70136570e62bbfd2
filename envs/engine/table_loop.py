"""The loops over tables with one learner at each; ``kernels.bind`` loads it once a game.

Each lane has a record of the game's state and one of ``TABLE``. ``players`` says who has which seat,
counted from the learner's to its left: ``LEARNER``, or an opponent's number.
"""

from collections.abc import Callable
from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import OVER
from masked_monsters.envs.engine.random import below, mix
from masked_monsters.envs.engine.tables import LEARNER, NOBODY, SALT

# Bound before this file is run: the game's rules, and two functions of its loop.py.
start: Callable[..., None]
legal: Callable[..., None]
look: Callable[..., None]
recall: Callable[..., int]
encode: Callable[..., None]
act: Callable[..., None]
settle: Callable[..., None]


@compiled
def begin(states: Any, tables: Any, players: Any, lanes: Any, seat: int) -> None:
    """The next match of some lanes; the learner is on ``seat``, or where a lot says if that is -1."""
    for lane in lanes:
        state, table = states[lane], tables[lane]
        start(state)
        table["random"] = mix(mix(int(state["stream"])) ^ SALT)
        table["seat"] = seat if seat >= 0 else below(table, int(state["num_players"]))
        table["paid"] = 0
        table["illegal"] = 0
        pass_on(state, table, players)


@compiled
def pass_on(state: Any, table: Any, players: Any) -> None:
    """Chance first; then see what the learner was paid, and who decides."""
    settle(state)
    table["paid"] += state["reward"][table["seat"]]
    if state["phase"] == OVER:
        table["decider"] = NOBODY
    else:
        table["decider"] = players[(state["to_move"] - table["seat"]) % state["num_players"]]


@compiled
def advance(state: Any, table: Any, players: Any, action: int) -> None:
    """Who decides does something legal."""
    act(state, action)
    pass_on(state, table, players)


@compiled
def advance_learners(
    states: Any, tables: Any, players: Any, actions: Any, penalty: float, mask: Any
) -> None:
    """Every lane's learner acts; an illegal action loses the match. ``mask`` is scratch for one."""
    for lane in range(len(states)):
        state, table = states[lane], tables[lane]
        legal(state, mask)
        if mask[actions[lane]]:
            advance(state, table, players, actions[lane])
        else:
            table["paid"] += penalty
            table["illegal"] = 1
            table["decider"] = NOBODY


@compiled
def opponent_decides(tables: Any) -> bool:
    """Is there a lane on which an opponent is to decide?"""
    for lane in range(len(tables)):
        if tables[lane]["decider"] >= 0:
            return True
    return False


@compiled
def advance_opponent(states: Any, tables: Any, players: Any, lanes: Any, actions: Any) -> None:
    """An opponent's legal actions on some lanes."""
    for i in range(len(lanes)):
        advance(states[lanes[i]], tables[lanes[i]], players, actions[i])


@compiled
def show_opponent(states: Any, lanes: Any, views: Any, observations: Any, masks: Any) -> None:
    """Put the decisions of some lanes before whoever is to make them, a row each."""
    for i in range(len(lanes)):
        state = states[lanes[i]]
        look(state, state["to_move"], views[i])
        encode(views[i], observations[i])
        legal(state, masks[i])


@compiled
def show_compact(
    states: Any, tables: Any, lanes: Any, views: Any, observations: Any, masks: Any
) -> None:
    """Put ``compact`` before the learners of some lanes, a row each; ``views`` is scratch for one."""
    for i in range(len(lanes)):
        state, table = states[lanes[i]], tables[lanes[i]]
        look(state, table["seat"], views[0])
        encode(views[0], observations[i])
        show_mask(state, table, masks[i])


@compiled
def show_history(
    states: Any, tables: Any, lanes: Any, tokens: Any, token_masks: Any, masks: Any
) -> None:
    """Put ``history`` before the learners of some lanes, a row each."""
    for i in range(len(lanes)):
        state, table = states[lanes[i]], tables[lanes[i]]
        used = recall(state, table["seat"], tokens[i])
        tokens[i, used:] = 0
        token_masks[i, :used] = 1
        token_masks[i, used:] = 0
        show_mask(state, table, masks[i])


@compiled
def show_masks(states: Any, tables: Any, masks: Any) -> None:
    """What every lane's learner may do."""
    for lane in range(len(states)):
        show_mask(states[lane], tables[lane], masks[lane])


@compiled
def show_mask(state: Any, table: Any, mask: Any) -> None:
    """What the learner may do: nothing once the match has ended."""
    if table["decider"] == LEARNER:
        legal(state, mask)
    else:
        mask[:] = 0
