"""Players who are taken to slip now and then, so that no belief is ever ruled out by how they play."""

import numpy as np

from masked_monsters.envs.policy import Decisions, Policy, reads_history

SLIP = 0.1
"""The part of its decisions in which a player is taken to do anything that is legal."""


class Slipping:
    """A policy that does anything legal in the part ``SLIP`` of its decisions."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.name = policy.name
        self.reads_history = reads_history(policy)

    def reset(self, seed: int) -> None:
        """See ``Policy``."""
        self.policy.reset(seed)

    def act(self, decisions: Decisions) -> np.ndarray:
        """Only its probabilities are asked for."""
        raise NotImplementedError

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """``(k, num_actions)`` float64; see ``Policy``."""
        even = decisions.action_mask / decisions.action_mask.sum(axis=1, keepdims=True)
        return (1 - SLIP) * self.policy.probabilities(decisions) + SLIP * even
