"""The loops over games that are the same for every game; ``kernels.bind`` loads it once a game.

Every function takes arrays of records and an index, since a lone record is slow to hand over.
"""

from collections.abc import Callable
from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import CHANCE, OVER

# Bound before this file is run: the game's rules, see game.Rules.
start: Callable[..., None]
legal: Callable[..., None]
apply: Callable[..., None]
chance: Callable[..., int]
draw: Callable[..., int]
resolve: Callable[..., None]
look: Callable[..., None]
recall: Callable[..., int]
encode: Callable[..., None]


@compiled
def settle(state: Any) -> None:
    """Let the record's generator decide until a seat must, or the match is over."""
    while state["phase"] == CHANCE:
        resolve(state, draw(state))


@compiled
def act(state: Any, action: int) -> None:
    """One legal action; ``reward`` and ``cut`` are what it brought."""
    state["reward"][:] = 0
    state["cut"] = 0
    apply(state, action)


@compiled
def start_match(states: Any, lane: int, settled: bool) -> None:
    """Begin a match; if ``settled``, up to the first decision."""
    start(states[lane])
    if settled:
        settle(states[lane])


@compiled
def step(states: Any, lane: int, action: int, settled: bool) -> None:
    """A legal action; if ``settled``, up to the next decision."""
    act(states[lane], action)
    if settled:
        settle(states[lane])


@compiled
def draw_chance(states: Any, lane: int) -> int:
    """An outcome of the pending chance event, by the record's generator."""
    return draw(states[lane])


@compiled
def resolve_chance(states: Any, lane: int, code: int) -> None:
    """The pending chance event has this outcome."""
    resolve(states[lane], code)


@compiled
def list_chance(states: Any, lane: int, codes: Any, weights: Any) -> int:
    """The outcomes of the pending chance event and their probabilities."""
    return chance(states[lane], codes, weights)


@compiled
def list_legal(states: Any, lane: int, mask: Any) -> None:
    """The legal actions of the seat to move."""
    legal(states[lane], mask)


@compiled
def observe(states: Any, lane: int, seat: int, views: Any, observations: Any, row: int) -> None:
    """The seat's view and ``compact`` observation."""
    look(states[lane], seat, views[row])
    encode(views[row], observations[row])


@compiled
def recollect(states: Any, lane: int, seat: int, tokens: Any) -> int:
    """The rows of the seat's ``history``."""
    return recall(states[lane], seat, tokens)


@compiled
def recollect_lanes(states: Any, lanes: Any, tokens: Any) -> None:
    """The rows of the deciding seats' ``history``; ``tokens`` are all 0 before."""
    for i in range(len(lanes)):
        state = states[lanes[i]]
        used = recall(state, state["to_move"], tokens[i])
        tokens[i, used:] = 0


@compiled
def observe_all_seats(states: Any, views: Any, observations: Any) -> None:
    """Every seat's ``compact`` observation, from the deciding one's; ``views`` is scratch for one."""
    for lane in range(len(states)):
        state = states[lane]
        for k in range(state["num_players"]):
            seat = (state["to_move"] + k) % state["num_players"]
            look(state, seat, views[0])
            encode(views[0], observations[lane, k])


@compiled
def show_lane(
    states: Any, lane: int, views: Any, observations: Any, masks: Any, seats: Any
) -> None:
    """Put the deciding seat's view, observation and mask before it."""
    state = states[lane]
    seat = int(state["to_move"])
    seats[lane] = seat
    look(state, seat, views[lane])
    encode(views[lane], observations[lane])
    legal(state, masks[lane])


@compiled
def start_lanes(states: Any, views: Any, observations: Any, masks: Any, seats: Any) -> None:
    """Begin a match on every lane."""
    for lane in range(len(states)):
        start(states[lane])
        settle(states[lane])
        show_lane(states, lane, views, observations, masks, seats)


@compiled
def step_lanes(
    actions: Any,
    states: Any,
    views: Any,
    observations: Any,
    masks: Any,
    seats: Any,
    rewards: Any,
    cuts: Any,
    dones: Any,
    final_states: Any,
) -> None:
    """One legal action on every lane; a match that ends is kept in ``final_states`` and a new begun."""
    for lane in range(len(states)):
        state = states[lane]
        act(state, actions[lane])
        settle(state)
        for seat in range(rewards.shape[1]):
            rewards[lane, seat] = state["reward"][seat]
        cuts[lane] = state["cut"]
        dones[lane] = state["phase"] == OVER
        if dones[lane]:
            final_states[lane] = state
            start(state)
            settle(state)
        show_lane(states, lane, views, observations, masks, seats)


@compiled
def first_illegal(actions: Any, masks: Any) -> int:
    """The first lane whose action is not legal, else -1."""
    for lane in range(len(actions)):
        action = actions[lane]
        if action < 0 or action >= masks.shape[1] or masks[lane, action] == 0:
            return lane
    return -1


@compiled
def list_masks(states: Any, lane: int, masks: Any) -> int:
    """Every seat's mask, all 0 but for the one to move; returns that seat, -1 if the match is over."""
    state = states[lane]
    masks[:] = 0
    if state["phase"] == OVER:
        return -1
    seat = int(state["to_move"])
    legal(state, masks[seat])
    return seat
