"""A player kept from bluffing: the same policy with some acts masked out."""

import numpy as np

from masked_monsters.envs.policy import Decisions, Policy, reads_history, sample
from masked_monsters.evaluation.bluff.lens import Forbid
from masked_monsters.evaluation.decisions import some_of


def forbidden_at(forbid: Forbid, decisions: Decisions) -> np.ndarray:
    """``(k, num_actions)`` bool: legal actions not to be done; none where nothing else would be left."""
    legal = decisions.action_mask > 0
    forbidden = forbid(decisions) & legal
    forbidden[~(legal & ~forbidden).any(axis=1)] = False
    return forbidden


class Candid:
    """A policy that draws again, among what is allowed, when it has drawn what is forbidden.

    So one that never draws it plays exactly as the policy does. Where all that is legal is forbidden,
    nothing is.

    Attributes:
        occasions: decisions since ``reset`` at which something was forbidden.
        done: of those, at which it was done all the same.
    """

    def __init__(self, policy: Policy, forbid: Forbid, share: float = 1.0) -> None:
        """Of a policy.

        Args:
            policy: whose acts.
            forbid: which of them not.
            share: the part of the forbidden acts that it is kept from.
        """
        self.policy = policy
        self.forbid = forbid
        self.share = share
        self.name = f"{policy.name}, candid"
        self.reads_history = True

    def reset(self, seed: int) -> None:
        """See ``Policy``."""
        self.policy.reset(seed)
        self._random = np.random.default_rng(seed)
        self.occasions = self.done = 0

    def act(self, decisions: Decisions) -> np.ndarray:
        """``(k,)`` int64; see ``Policy``."""
        actions = self.policy.act(self._for_policy(decisions))
        forbidden = self._forbidden(decisions)
        rows = np.flatnonzero(forbidden[np.arange(len(actions)), actions])
        self.occasions += int(forbidden.any(axis=1).sum())
        self.done += len(rows)
        rows = rows[self._random.random(len(rows)) < self.share]
        self.done -= len(rows)
        if len(rows):
            chances = self._allowed(some_of(decisions, rows), forbidden[rows])
            actions[rows] = sample(chances, self._random)
        return actions

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """``(k, num_actions)`` float64; see ``Policy``."""
        forbidden = self._forbidden(decisions)
        before = self.policy.probabilities(self._for_policy(decisions))
        moved = self.share * np.where(forbidden, before, 0).sum(axis=1, keepdims=True)
        kept = np.where(forbidden, (1 - self.share) * before, before)
        return kept + moved * self._allowed(decisions, forbidden)

    def _allowed(self, decisions: Decisions, forbidden: np.ndarray) -> np.ndarray:
        """Rows that sum to 1: of what is allowed, as the policy would; all alike if it never would."""
        chances = self.policy.probabilities(self._for_policy(decisions)) * ~forbidden
        none = chances.sum(axis=1) == 0
        chances[none] = decisions.action_mask[none] & ~forbidden[none]
        return chances / chances.sum(axis=1, keepdims=True)

    def _forbidden(self, decisions: Decisions) -> np.ndarray:
        return forbidden_at(self.forbid, decisions)

    def _for_policy(self, decisions: Decisions) -> Decisions:
        return decisions if reads_history(self.policy) else decisions._replace(history=None)
