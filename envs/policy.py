"""What a policy is: scripted players, networks, searchers and people all are one."""

from collections.abc import Iterable
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
    history: np.ndarray | None = None
    """``(k, max_tokens, len(game.token_highs))`` int8: the same as ``history`` observations, rows that
    are not used 0; only for a policy that ``reads_history``."""


class Policy(Protocol):
    """Decides for many seats at once. Its random numbers are its own, never the game's.

    One with an attribute ``reads_history`` that is true is also given what the seats recall.
    """

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


def reads_history(policy: Policy) -> bool:
    """Is the policy to be given the ``history`` of its decisions?"""
    return getattr(policy, "reads_history", False)


def decisions_of(policy: Policy, batch: Batch, lanes: np.ndarray) -> Decisions:
    """What a policy is given to decide on lanes, ``(k,)`` integers."""
    return Decisions(
        batch.view[lanes],
        batch.observation[lanes],
        batch.action_mask[lanes],
        batch.history(lanes) if reads_history(policy) else None,
    )


def act_for(
    policies: Iterable[tuple[int, Policy]], decider: np.ndarray, batch: Batch, actions: np.ndarray
) -> None:
    """Ask each policy once, for all the lanes on which it decides.

    Args:
        policies: who plays, by number.
        decider: ``(num_games,)`` integers, the number of the policy that decides; another number
            leaves the lane's action as it is.
        batch: the games.
        actions: ``(num_games,)`` int64, written where a policy decides.
    """
    for number, policy in policies:
        rows = np.flatnonzero(decider == number)
        if len(rows):
            actions[rows] = policy.act(decisions_of(policy, batch, rows))


def sample(probabilities: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """One action from each row, ``(k,)`` int64; never one of probability 0.

    Inverse transform: the first action at which the cumulated probability exceeds a uniform share
    of the whole. An action of probability 0 adds nothing, so it is never the first.
    """
    cumulated = probabilities.cumsum(axis=1, dtype=np.float64)
    threshold = generator.random((len(probabilities), 1)) * cumulated[:, -1:]
    return (cumulated > threshold).argmax(axis=1)
