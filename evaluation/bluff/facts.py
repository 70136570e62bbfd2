"""Hidden facts that a probe looks for in a network, by game."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from masked_monsters.envs.game import Game
from masked_monsters.envs.monster_my_neighbor.state import MONSTER
from masked_monsters.envs.under_my_bed.state import KID


@dataclass(frozen=True)
class Fact:
    """A question about the hidden state with some classes of answers."""

    classes: Callable[[int], int]
    """How many, at a table of so many players."""
    of: Callable[[np.ndarray, np.ndarray], np.ndarray]
    """``(k,)`` states of one table size, and the seats that look; ``(k,)`` int64: the class, -1 where
    the fact does not count."""


def facts_of(game: Game) -> Mapping[str, Fact]:
    """The game's facts by name; ``ValueError`` if it has none here."""
    if game.name not in FACTS:
        raise ValueError(f"{game.name}: no hidden facts are known; allowed: {', '.join(FACTS)}")
    return FACTS[game.name]


def _relative(states: np.ndarray, seats: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """Which seat is marked: 0 the next to the left of who looks, and so on; -1 that one, or none."""
    players = states["num_players"].astype(np.int64)
    relative = (marked.argmax(axis=1) - seats) % players
    return np.where(marked.any(axis=1), relative - 1, -1)


def _is_kid(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    return states["role"][np.arange(len(states)), seats] == KID


def _kid(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    return _relative(states, seats, states["role"] == KID)


def _bed_for_kid(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    return np.where(_is_kid(states, seats), states["under_bed"].astype(np.int64), -1)


def _bed_for_monsters(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    return np.where(_is_kid(states, seats), -1, states["under_bed"].astype(np.int64))


def _monster(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    return _relative(states, seats, states["hands"][:, :, MONSTER] > 0)


FACTS: Mapping[str, Mapping[str, Fact]] = {
    "under_my_bed": {
        "kid": Fact(classes=lambda players: players - 1, of=_kid),
        "bed, seen by monsters": Fact(classes=lambda players: players, of=_bed_for_monsters),
        "bed, seen by the kid": Fact(classes=lambda players: players, of=_bed_for_kid),
    },
    "monster_my_neighbor": {"monster": Fact(classes=lambda players: players - 1, of=_monster)},
}
"""``kid``: the kid's seat from the left of a monster that looks (the kid's own decisions do not count).
``bed``: the slot under the bed. ``monster``: the seat of who holds the Monster, likewise; not where the
looker, or nobody, holds it."""
