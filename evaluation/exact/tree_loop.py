"""The walk through a whole game tree, depth first; ``kernels.bind`` loads it once a game.

It stops whenever a buffer is full and goes on where it stopped, since its place is all in ``stack``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.engine.random import mix

# Bound before this file is run: the game's rules, and act of its loop.py.
start: Callable[..., None]
legal: Callable[..., None]
chance: Callable[..., int]
resolve: Callable[..., None]
look: Callable[..., None]
recall: Callable[..., int]
encode: Callable[..., None]
act: Callable[..., None]

FORGOTTEN, TOO_MANY_CHOICES, TOO_DEEP = 1, 2, 3
"""What can be wrong with a tree."""


@compiled
def begin(walk: Any, stack: Any, states: Any) -> None:
    """Stand before the root."""
    start(states[0])
    root = stack[0]
    root["opened"] = 0
    root["choices"] = 0
    root["chance"] = 1.0
    root["reward"][:] = 0
    for seat in range(len(root["sequence"])):
        root["sequence"][seat] = seat  # its empty sequence
    walk[0]["num_sequences"] = len(root["sequence"])


@compiled
def advance(walks: Any, stack: Any, states: Any, lists: Any, rows: Any) -> int:
    """Walk on until a buffer is full or the tree is done (``depth`` is -1); 0, or what is wrong."""
    walk = walks[0]
    walk["new_states"] = 0
    walk["new_terminals"] = 0
    while walk["depth"] >= 0:
        depth = int(walk["depth"])
        level = stack[depth]
        if not level["opened"]:
            if walk["new_states"] == len(rows.views) or walk["new_terminals"] == len(rows.chance):
                return 0
            level["opened"] = 1
            fault = open_history(walk, level, states[depth], lists, rows)
            if fault:
                return fault
        elif level["next"] < level["end"]:
            if depth + 1 == len(stack):
                return TOO_DEEP
            states[depth + 1] = states[depth]
            go_down(level, stack[depth + 1], states[depth + 1], lists)
            level["next"] += 1
            walk["depth"] = depth + 1
        else:
            walk["depth"] = depth - 1
    return 0


@compiled
def go_down(level: Any, child: Any, state: Any, lists: Any) -> None:
    """The history's next choice happens in ``state``, a copy of its own."""
    choice = level["next"]
    seat = level["seat"]
    child["opened"] = 0
    child["choices"] = level["end"]
    child["chance"] = level["chance"]
    child["sequence"][:] = level["sequence"]
    if seat < 0:
        state["reward"][:] = 0
        resolve(state, lists.codes[choice])
        child["chance"] *= lists.weights[choice]
    else:
        act(state, lists.codes[choice])
        child["sequence"][seat] = level["first"] + choice - level["choices"]
    for other in range(len(child["reward"])):
        child["reward"][other] = level["reward"][other] + state["reward"][other]


@compiled
def open_history(walk: Any, level: Any, state: Any, lists: Any, rows: Any) -> int:
    """List what can happen after a history that is reached for the first time."""
    first = int(level["choices"])
    level["next"] = first
    level["end"] = first
    walk["histories"] += 1
    if state["phase"] == OVER:
        end_history(walk, level, state, rows)
        return 0
    if state["phase"] == CHANCE:
        level["seat"] = -1
        level["end"] += chance(state, lists.codes[first:], lists.weights[first:])
        return TOO_MANY_CHOICES if level["end"] > len(lists.codes) else 0
    walk["decisions"] += 1
    return decide(walk, level, state, lists, rows)


@compiled
def end_history(walk: Any, level: Any, state: Any, rows: Any) -> None:
    """The match is over: what it paid, how probable chance made it, and who did what to get there."""
    row = walk["new_terminals"]
    walk["new_terminals"] += 1
    walk["terminals"] += 1
    rows.chance[row] = level["chance"]
    for seat in range(rows.payoff.shape[1]):
        rows.sequence[row, seat] = level["sequence"][seat]
        rows.payoff[row, seat] = level["reward"][seat]
    if len(rows.final_states):
        rows.final_states[row] = state


@compiled
def decide(walk: Any, level: Any, state: Any, lists: Any, rows: Any) -> int:
    """A seat decides: the sequences that its actions lead to, new ones in a new information state."""
    seat = int(state["to_move"])
    row = walk["new_states"]
    level["seat"] = seat
    legal(state, rows.masks[row])
    first = int(level["choices"])
    if first + rows.masks.shape[1] > len(lists.codes):
        return TOO_MANY_CHOICES
    end = first
    for action in range(rows.masks.shape[1]):
        if rows.masks[row, action]:
            lists.codes[end] = action
            end += 1
    level["end"] = end
    used = recall(state, seat, rows.tokens[row])
    place = find(seat, rows.tokens[row], used, lists.keys, lists.numbers)
    if lists.numbers[place] < 0:
        lists.numbers[place] = walk["states"]
        rows.tokens[row, used:] = 0
        look(state, seat, rows.views[row])
        encode(rows.views[row], rows.observations[row])
        new = lists.states[walk["states"]]
        new["seat"] = seat
        new["parent"] = level["sequence"][seat]
        new["first"] = walk["num_sequences"]
        new["num_actions"] = end - first
        for i in range(end - first):
            lists.actions[walk["num_sequences"] + i] = lists.codes[first + i]
        walk["num_sequences"] += end - first
        walk["states"] += 1
        walk["new_states"] += 1
    known = lists.states[lists.numbers[place]]
    level["first"] = known["first"]
    same = known["num_actions"] == end - first and known["parent"] == level["sequence"][seat]
    return 0 if same else FORGOTTEN


@compiled
def find(seat: int, tokens: Any, used: int, keys: Any, numbers: Any) -> int:
    """The place of what a seat recalls in the hash table, or the free one for it (its key written).

    A key is 128 bits of what is recalled: two information states of a billion share one with a
    probability under 1e-20.
    """
    low = mix(np.uint64(seat + 1))
    high = mix(np.uint64(seat + 101))
    for row in range(used):
        word = np.uint64(1)
        for column in range(tokens.shape[1]):
            word = (word << np.uint64(8)) | np.uint64(int(tokens[row, column]) & 255)
        low = mix(low ^ word)
        high = mix(high + word)
    last = np.uint64(len(numbers) - 1)
    place = low & last
    while numbers[place] >= 0 and (keys[place, 0] != low or keys[place, 1] != high):
        place = (place + np.uint64(1)) & last
    keys[place, 0] = low
    keys[place, 1] = high
    return int(place)


@compiled
def rehash(old_keys: Any, old_numbers: Any, keys: Any, numbers: Any) -> None:
    """Move a hash table into a larger one, whose size also is a power of 2."""
    last = np.uint64(len(numbers) - 1)
    for old in range(len(old_numbers)):
        if old_numbers[old] >= 0:
            place = old_keys[old, 0] & last
            while numbers[place] >= 0:
                place = (place + np.uint64(1)) & last
            keys[place] = old_keys[old]
            numbers[place] = old_numbers[old]
