"""The simulations of players that search; ``kernels.bind`` loads it once a game.

Every simulation is a play from the root, in a world that fits what the root's seat recalls, to the next
cut or the end of the match. Chance in it is drawn anew: a world's own generator would tell what is
to come, and simulations of the same world would share their luck.
"""

import math
from collections.abc import Callable
from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.engine.random import GAMMA, MASK, below, draw_action, mix, next_word

# Bound before this file is run: the game's rules, act of its loop.py, the player of the rollouts.
legal: Callable[..., None]
draw: Callable[..., int]
resolve: Callable[..., None]
look: Callable[..., None]
recall: Callable[..., int]
act: Callable[..., None]
weigh: Callable[..., None]


@compiled
def try_actions(worlds: Any, picks: Any, root_mask: Any, seat: int, totals: Any, work: Any) -> None:
    """PIMC: in each world picked, every legal action once, with the same luck, then a rollout.

    ``totals`` gains what the seat was paid, by action.
    """
    for i in range(len(picks)):
        stream, luck = next_word(work.generator[0]), next_word(work.generator[0])
        for action in range(len(root_mask)):
            if root_mask[action]:
                enter(worlds, picks[i], stream, luck, work)
                advance(action, work)
                roll_out(work)
                totals[action] += work.paid[seat]


@compiled
def grow(
    worlds: Any, picks: Any, seat: int, exploration: float, least: float, span: float, tree: Any,
    work: Any,
) -> None:  # fmt: skip
    """SO-ISMCTS: one simulation in each world picked, in one tree of what the root's seat recalls.

    Rewards are taken as parts of ``span`` above ``least``.
    """
    for i in range(len(picks)):
        stream, luck = next_word(work.generator[0]), next_word(work.generator[0])
        enter(worlds, picks[i], stream, luck, work)
        depth = descend(seat, exploration, tree, work)
        roll_out(work)
        for step in range(depth):
            node, action, mover = work.path[step]
            tree.chosen[node, action] += 1
            tree.total[node, action] += (work.paid[mover] - least) / span


@compiled
def descend(seat: int, exploration: float, tree: Any, work: Any) -> int:
    """From the root to a new node, or to the play's end; returns how many moves are in ``path``."""
    state = work.world[0]
    node, depth = 0, 0
    while node >= 0:
        legal(state, work.mask)
        action = select(node, exploration, tree, work)
        work.path[depth, 0] = node
        work.path[depth, 1] = action
        work.path[depth, 2] = state["to_move"]
        depth += 1
        advance(action, work)
        node = -1 if is_over(state) else find(seat, tree, work)
    return depth


@compiled
def select(node: int, exploration: float, tree: Any, work: Any) -> int:
    """An action legal in this world: an untried one, else by UCB1 over the times it was available."""
    untried, chosen = 0, -1
    for action in range(len(work.mask)):
        if work.mask[action]:
            tree.available[node, action] += 1
            if tree.chosen[node, action] == 0:
                untried += 1
                if below(work.generator[0], untried) == 0:
                    chosen = action
    if untried > 0:
        return chosen
    highest = -math.inf
    for action in range(len(work.mask)):
        if work.mask[action]:
            times = tree.chosen[node, action]
            wide = math.sqrt(math.log(tree.available[node, action]) / times)
            bound = tree.total[node, action] / times + exploration * wide
            if bound > highest:
                highest, chosen = bound, action
    return chosen


@compiled
def find(seat: int, tree: Any, work: Any) -> int:
    """The node of what the seat recalls and of who moves; if there is none it is added: -1."""
    key = key_of(seat, work)
    place = int(key & (len(tree.places) - 1))
    while tree.places[place] >= 0:
        if tree.keys[tree.places[place]] == key:
            return int(tree.places[place])
        place = (place + 1) & (len(tree.places) - 1)
    if tree.size[0] < len(tree.keys):
        tree.keys[tree.size[0]] = key
        tree.places[place] = tree.size[0]
        tree.size[0] += 1
    return -1


@compiled
def key_of(seat: int, work: Any) -> Any:
    """64 bits that tell information sets apart: of each row that the seat recalls, and of the mover."""
    state = work.world[0]
    rows = recall(state, seat, work.tokens)
    work.word[0] = state["to_move"]
    key = mix(int(work.word[0]))
    for row in range(rows):
        packed = 0
        for column in range(work.tokens.shape[1]):
            packed = packed * 256 + int(work.tokens[row, column])
        work.word[0] = packed
        key = mix((key + int(work.word[0]) + GAMMA) & MASK)
    return key


@compiled
def enter(worlds: Any, pick: int, stream: Any, luck: Any, work: Any) -> None:
    """Begin a simulation in a world, with luck of its own."""
    work.world[0] = worlds[pick]
    # Also the stream, from which a generator may start anew: nothing may follow the match's own.
    work.world[0]["stream"] = stream
    work.world[0]["random"] = luck
    work.world[0]["cut"] = 0
    work.paid[:] = 0


@compiled
def advance(action: int, work: Any) -> None:
    """An action and the chance after it, up to the next decision, cut or end; adds what it pays."""
    state = work.world[0]
    act(state, action)
    while state["phase"] == CHANCE and not state["cut"]:
        resolve(state, draw(state))
    for seat in range(state["num_players"]):
        work.paid[seat] += state["reward"][seat]


@compiled
def roll_out(work: Any) -> None:
    """To the next cut or end, every seat playing as the player of the rollouts does."""
    state = work.world[0]
    while not is_over(state):
        legal(state, work.mask)
        look(state, state["to_move"], work.sight[0])
        weigh(work.sight[0], work.mask, work.weights)
        advance(draw_action(work.weights, work.generator[0]), work)


@compiled
def is_over(state: Any) -> bool:
    """Does a simulation end here?"""
    return state["phase"] == OVER or state["cut"] != 0
