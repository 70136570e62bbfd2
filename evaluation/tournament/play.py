"""Chunks of a tournament played: the same chunk comes out the same, whoever plays it and when."""

import hashlib
import json
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.lanes import Played, play
from masked_monsters.evaluation.report import versions
from masked_monsters.evaluation.tournament.design import CHUNK, Chunk


class Entrant(NamedTuple):
    """Someone who takes part."""

    name: str
    """For people."""
    identity: str
    """What it is: a baseline's name or the hash of an agent file, and which of several alike."""
    policy: Policy


class Hall(NamedTuple):
    """All that the chunks of a tournament have in common."""

    game: Game
    policies: Mapping[str, Policy]
    """By identity."""
    seed: int

    @property
    def setting(self) -> str:
        """What a match depends on beside its line-up, as JSON."""
        return json.dumps(
            {
                "game": self.game.name,
                "rules": self.game.version,
                "options": dict(self.game.options),
                "seed": self.seed,
                "versions": versions(),
            },
            sort_keys=True,
        )


class PlayedChunk(NamedTuple):
    """What came of a chunk: a deal's rotations lie together, one match a row."""

    seating: np.ndarray
    """``(matches, seats)`` int64: who sits where, a number of the line-up."""
    deals: np.ndarray
    """``(matches,)`` uint64: the seeds of the deals."""
    played: Played


def key_of(setting: str, chunk: Chunk) -> str:
    """Of the chunk in the store: a hash of everything that its matches depend on."""
    text = json.dumps([setting, chunk.line_up, chunk.number, CHUNK])
    return hashlib.sha256(text.encode()).hexdigest()


def play_chunk(hall: Hall, chunk: Chunk) -> PlayedChunk:
    """All deals of a chunk side by side, each in every rotation of an order drawn for it."""
    seats = hall.game.num_players
    text = json.dumps([hall.game.name, hall.seed, chunk.line_up, chunk.number])
    generator = np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))
    deals = np.repeat(generator.integers(2**64, size=CHUNK, dtype=np.uint64), seats)
    orders = generator.permuted(np.tile(np.arange(seats), (CHUNK, 1)), axis=1)
    rotations = (np.arange(seats)[:, None] + np.arange(seats)) % seats
    seating = orders[:, rotations].reshape(-1, seats)
    policies = [hall.policies[identity] for identity in chunk.line_up]
    for policy in policies:
        policy.reset(int(generator.integers(2**63)))
    return PlayedChunk(seating, deals, play(hall.game, policies, seating, deals))
