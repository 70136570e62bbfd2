"""What the package tells a seat, to be compared between worlds that the seat cannot tell apart."""

from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from masked_monsters.envs.game import Game
from masked_monsters.evaluation.audit.told import Difference, Told, Witness
from tests.envs.lockstep import Lockstep


@cache
def witness(game: Game) -> Witness:
    """One and the same ``game`` object for all positions with its options."""
    return Witness(game)


def told_apart(game: Game, one: np.ndarray, other: np.ndarray, seat: int) -> list[Difference]:
    """Where the package tells ``seat`` otherwise in two states."""
    eyes = witness(game)
    return eyes.differences(eyes.told(one, seat), eyes.told(other, seat))


def check_tree(root: Lockstep) -> None:
    """Who knows the same by the twin's own account is told the same, whoever is to move."""
    eyes = witness(root.game)
    first: dict[Any, Told] = {}
    waiting: list[Any] = [root]
    worlds = 0
    while waiting:
        node = waiting.pop()
        if node.twin.over:
            continue
        if node.twin.phase == "chance":
            for code in node.outcomes() or ():
                child = node.clone()
                child.resolve(code)
                waiting.append(child)
            continue
        for seat in range(root.game.num_players):
            known = node.twin.information_state(seat)
            if crc32(repr(known).encode()) % 10 == 0:  # a sample, but with all worlds of each
                told = eyes.told(node.states, seat)
                assert eyes.differences(first.setdefault(known, told), told) == []
                worlds += 1
        for action in node.legal_actions():
            child = node.clone()
            child.step(action)
            waiting.append(child)
    assert worlds > len(first) + 1000
