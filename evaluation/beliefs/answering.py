"""Answering models of Under My Bed: how monsters are taken to answer, and the kid to lie.

Each is a policy. Of it only what it does in the phase ANSWER matters, if it claims anything; all else it
does at random.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from masked_monsters.envs.batch import MAX_SEED
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.policy import Decisions, Policy, sample
from masked_monsters.envs.under_my_bed.reading import after_questions
from masked_monsters.envs.under_my_bed.state import (
    ANSWER,
    CLAIM,
    KID,
    MAX_CLAIM,
)

CLAIMS = np.arange(1, MAX_CLAIM + 1)


def claims_of(record: Any) -> slice:
    """The actions that are claims, from ``{the first value}`` on; of a state's or a view's record."""
    first = after_questions(record) + CLAIM + 1
    return slice(first, first + MAX_CLAIM)


def ignores_claims(policy: Policy | None) -> bool:
    """Is it an answering model after which nothing follows from a claim?"""
    return getattr(policy, "ignores_claims", False)


class Uniform:
    """Whoever answers claims any of what it may claim (B7, B8), all alike: the kid anything."""

    name = "uniform"
    ignores_claims = False
    """Nothing follows from a claim, not even what a monster may not say (B8)."""

    def __init__(self) -> None:
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Start the random numbers of ``act`` anew, from a seed of 0 … 2**64 - 1."""
        self._generator = np.random.default_rng(check_range("seed", seed, 0, MAX_SEED))

    def act(self, decisions: Decisions) -> np.ndarray:
        """``(k,)`` int64: a legal action for each decision."""
        return sample(self.probabilities(decisions), self._generator)

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """``(k, num_actions)`` float64: all legal actions alike."""
        return decisions.action_mask / decisions.action_mask.sum(axis=1, keepdims=True)


class Mimic(Uniform):
    """Monsters claim any of what they may; the kid what one of the monsters might.

    For each answer it picks one anew: of those in the line-up that fit all it has claimed, all alike; of
    all, if none does.
    """

    name = "mimic"

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """``(k, num_actions)`` float64; the kid does not look under the bed instead of answering."""
        probabilities = super().probabilities(decisions)
        views = decisions.view
        for row in np.flatnonzero((views["phase"] == ANSWER) & (views["role"] == KID)):
            view = views[row]
            n = view["num_players"]
            slots = np.flatnonzero(view["fits"][0, :n])
            if not len(slots):
                slots = np.arange(n)
            attribute = view["about"][view["questions"][view["num_asked"] - 1], 0]
            claims = claims_of(view)
            true = (CLAIMS >> view["looks"][slots, attribute][:, None]) & 1
            true &= decisions.action_mask[row, claims]
            probabilities[row] = 0
            probabilities[row, claims] = (true / true.sum(axis=1, keepdims=True)).mean(axis=0)
        return probabilities


class Ignoring(Uniform):
    """Answers tell nothing: whoever thinks so believes after one what it did before."""

    name = "ignoring"
    ignores_claims = True


ANSWERING: Mapping[str, type[Uniform]] = {model.name: model for model in (Uniform, Mimic, Ignoring)}
"""The answering models by name; each is made without arguments."""
