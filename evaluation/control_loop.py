"""What a decision or a deal can lead to, for control variates; ``kernels.bind`` loads it once a game.

An *event* is a decision with the chance that follows it, up to the next decision, the end, or a cut;
or a deal: the chance from a cut or the match's beginning to the first decision. Its *leaves* are the
states to which it can lead, with weights that add up to 1.
"""

from collections.abc import Callable
from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.engine.random import next_word

# Bound before this file is run: the game's rules, and act of its loop.py.
start: Callable[..., None]
chance: Callable[..., int]
draw: Callable[..., int]
resolve: Callable[..., None]
look: Callable[..., None]
encode: Callable[..., None]
act: Callable[..., None]


@compiled
def weigh_decisions(
    states: Any, lanes: Any, agents: Any, probabilities: Any, first: int, draws: int, work: Any
) -> int:
    """Add the expectations of the decisions of ``lanes[first:]`` to ``work``, while there is room.

    Returns:
        Where to go on, when the rows have been valued.
    """
    work.used[0] = 0
    for i in range(first, len(lanes)):
        lane = lanes[i]
        possible = 0
        for action in range(probabilities.shape[1]):
            possible += int(probabilities[i, action] > 0)
        if work.used[0] + possible * len(work.leaves) > len(work.row_lane):
            return i
        for action in range(probabilities.shape[1]):
            if probabilities[i, action] > 0:
                work.event[0] = states[lane]
                act(work.event[0], action)
                work.uncertain[lane] = possible > 1 or is_pending(work.event[0])
                if work.uncertain[lane]:
                    deals = work.event[0]["round"] != states[lane]["round"]
                    found = 0 if deals else branch_exactly(work)
                    if found == 0:
                        found = branch_by_lot(draws, work)
                    add_leaves(found, lane, agents[lane], probabilities[i, action], work)
    return len(lanes)


@compiled
def weigh_deals(
    states: Any, actions: Any, lanes: Any, agents: Any, first: int, draws: int, work: Any
) -> int:
    """As ``weigh_decisions``, of the deals that follow the cuts to which the actions have led."""
    work.used[0] = 0
    for i in range(first, len(lanes)):
        lane = lanes[i]
        if work.used[0] + len(work.leaves) > len(work.row_lane):
            return i
        work.event[0] = states[lane]
        act(work.event[0], actions[lane])
        settle_to_cut(work.event[0])
        work.event[0]["reward"][:] = 0
        work.event[0]["cut"] = 0
        add_leaves(branch_by_lot(draws, work), lane, agents[lane], 1.0, work)
    return len(lanes)


@compiled
def weigh_first_deals(
    states: Any, lanes: Any, agents: Any, first: int, draws: int, work: Any
) -> int:
    """As ``weigh_decisions``, of the deals with which matches that have not begun will begin."""
    work.used[0] = 0
    for i in range(first, len(lanes)):
        lane = lanes[i]
        if work.used[0] + len(work.leaves) > len(work.row_lane):
            return i
        work.event[0] = states[lane]
        start(work.event[0])
        add_leaves(branch_by_lot(draws, work), lane, agents[lane], 1.0, work)
    return len(lanes)


@compiled
def add_leaves(leaves: int, lane: int, agent: int, probability: float, work: Any) -> None:
    """Rewards are added at once; states with rewards to come become rows that are to be valued."""
    for leaf in range(leaves):
        state, weight = work.leaves[leaf], probability * work.weights[leaf]
        players = int(state["num_players"])
        for k in range(players):
            work.sums[lane, k] += weight * state["reward"][(agent + k) % players]
        if state["phase"] != OVER and not state["cut"]:
            row = work.used[0]
            work.used[0] += 1
            work.row_lane[row] = lane
            work.row_weight[row] = weight
            show_table(state, agent, work.sight, work.tables[row])


@compiled
def branch_by_lot(draws: int, work: Any) -> int:
    """So many independent draws of the event's leaves; of a deal, there are too many to list."""
    for leaf in range(draws):
        work.leaves[leaf] = work.event[0]
        state = work.leaves[leaf]
        # Also the stream, from which a generator may start anew: nothing may follow the match's own.
        state["stream"] = next_word(work.generator[0])
        state["random"] = next_word(work.generator[0])
        settle_to_cut(state)
        work.weights[leaf] = 1.0 / draws
    return draws


@compiled
def branch_exactly(work: Any) -> int:
    """All leaves and their probabilities; 0 if there is no room for them."""
    work.leaves[0] = work.event[0]
    work.weights[0] = 1.0
    found, leaf = 1, 0
    while leaf < found:
        state = work.leaves[leaf]
        while is_pending(state):
            outcomes = chance(state, work.codes, work.chances)
            if found + outcomes - 1 > len(work.leaves):
                return 0
            for outcome in range(1, outcomes):
                work.leaves[found] = state
                resolve(work.leaves[found], work.codes[outcome])
                work.weights[found] = work.weights[leaf] * work.chances[outcome]
                found += 1
            resolve(state, work.codes[0])
            work.weights[leaf] *= work.chances[0]
        leaf += 1
    return found


@compiled
def is_pending(state: Any) -> bool:
    """Does chance decide next, in the same event?"""
    return state["phase"] == CHANCE and not state["cut"]


@compiled
def settle_to_cut(state: Any) -> None:
    """Let the record's generator decide to the end of the event."""
    while is_pending(state):
        resolve(state, draw(state))


@compiled
def show_table(state: Any, agent: int, view: Any, table: Any) -> None:
    """Every seat's ``compact`` observation, from the agent's to its left; ``view`` is scratch."""
    players = int(state["num_players"])
    for k in range(players):
        look(state, (agent + k) % players, view[0])
        encode(view[0], table[k])


@compiled
def show_tables(states: Any, lanes: Any, agents: Any, view: Any, tables: Any) -> None:
    """``show_table`` of some lanes, a row each."""
    for i in range(len(lanes)):
        show_table(states[lanes[i]], agents[lanes[i]], view, tables[i])
