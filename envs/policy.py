"""What a policy is: scripted players, networks, searchers and people all are one."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from masked_monsters.envs.batch import Batch


class Decisions(NamedTuple):
    """``k`` decisions to be made at once, each by one seat of some game."""

    view: np.ndarray
    """``(k,)`` records of ``game.view``: what the deciding seats may know."""
    observation: np.ndarray
    """``(k, game.compact_size)`` int8: the same as ``compact`` observations."""
    action_mask: np.ndarray
    """``(k, game.num_actions)`` int8: 1 for each legal action."""


class Policy(Protocol):
    """Decides for many seats at once. Its random numbers are its own, never the game's."""

    name: str

    def reset(self, seed: int) -> None:
        """Start the policy's random numbers anew; forget all matches."""
        ...

    def act(self, decisions: Decisions) -> np.ndarray:
        """``(k,)`` int64: a legal action for each decision."""
        ...

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """``(k, game.num_actions)`` float64: the probability of each action; rows sum to 1."""
        ...


def act_for(
    policies: Sequence[Policy], decider: np.ndarray, batch: Batch, actions: np.ndarray
) -> None:
    """Ask each policy once, for all the lanes on which it decides.

    Args:
        policies: who plays.
        decider: ``(num_games,)`` integers, the number of the policy that decides; another number
            leaves the lane's action as it is.
        batch: the games.
        actions: ``(num_games,)`` int64, written where a policy decides.
    """
    for number, policy in enumerate(policies):
        rows = np.flatnonzero(decider == number)
        if len(rows):
            actions[rows] = policy.act(
                Decisions(batch.view[rows], batch.observation[rows], batch.action_mask[rows])
            )
