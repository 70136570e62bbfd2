"""What a tournament has come to, with 95 % intervals over deals, of which each is one observation."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from masked_monsters.envs.game import Roles
from masked_monsters.evaluation.estimate import Estimate, estimate
from masked_monsters.evaluation.tournament.design import Chunk
from masked_monsters.evaluation.tournament.play import PlayedChunk


class Results(NamedTuple):
    """All matches, ``m`` of them, of ``d`` deals, at tables of ``n`` seats."""

    agent: np.ndarray
    """``(d, n, n)`` int64: who sits where in each of a deal's matches, by number."""
    reward: np.ndarray
    """``(d, n, n)`` float64: what each seat was paid a round."""
    win_share: np.ndarray
    """``(d, n, n)`` float64."""
    rounds: np.ndarray
    """``(d, n)`` int64: of each match."""
    role: np.ndarray | None
    """``(d, n, n)`` int64; None if the game deals none, as the next."""
    outcome: np.ndarray | None
    """``(d, n)`` int64."""
    decisions: int


def gather(
    identities: Sequence[str], chunks: Sequence[Chunk], played: Iterable[PlayedChunk]
) -> Results:
    """All chunks as one; agents are numbered as in ``identities``."""
    numbers = {identity: number for number, identity in enumerate(identities)}
    parts = []
    for chunk, found in zip(chunks, played, strict=True):
        agent = np.array([numbers[identity] for identity in chunk.line_up])[found.seating]
        parts.append((agent, found.played))
    n = parts[0][0].shape[1]
    roles = [each.roles for _, each in parts if each.roles is not None]

    def by_deal(arrays: Iterable[np.ndarray]) -> np.ndarray:
        joined = np.concatenate(list(arrays))
        return joined.reshape(-1, n, *joined.shape[1:])

    return Results(
        agent=by_deal(agent for agent, _ in parts),
        reward=by_deal(each.score / each.rounds[:, None] for _, each in parts),
        win_share=by_deal(each.win_share for _, each in parts),
        rounds=by_deal(each.rounds for _, each in parts),
        role=by_deal(each.role for each in roles) if roles else None,
        outcome=by_deal(each.outcome for each in roles) if roles else None,
        decisions=sum(each.decisions for _, each in parts),
    )


def mean_where(values: np.ndarray, counted: np.ndarray) -> Estimate | None:
    """The mean of what is counted, each deal's mean being one observation; None of under two deals.

    Args:
        values: ``(d, …)``.
        counted: of the same shape, bool.
    """
    axes = tuple(range(1, values.ndim))
    count = counted.sum(axis=axes)
    total = np.where(counted, values, 0).sum(axis=axes)
    if (count > 0).sum() < 2:
        return None
    return estimate(total[count > 0] / count[count > 0])


def gains(results: Results) -> np.ndarray:
    """``(d, n, n)``: what each seat was paid a round, less the mean of its table."""
    return results.reward - results.reward.mean(axis=2, keepdims=True)


def by_agent(results: Results, values: np.ndarray, agents: int) -> list[Estimate | None]:
    """The mean of each agent's values."""
    return [mean_where(values, results.agent == number) for number in range(agents)]


def mean_rewards(results: Results, agents: int) -> np.ndarray:
    """``(d, agents)``: what a deal's matches paid an agent a round on the mean; NaN if it is absent."""
    total = np.zeros((len(results.agent), agents))
    count = np.zeros((len(results.agent), agents))
    deal = np.arange(len(results.agent))[:, None, None]
    np.add.at(total, (deal, results.agent), results.reward)
    np.add.at(count, (deal, results.agent), 1)
    with np.errstate(invalid="ignore"):
        return total / count


def differences(results: Results, agents: int) -> np.ndarray:
    """``(d, agents, agents)``: the row's mean reward a round less the column's; NaN if one is absent."""
    mean = mean_rewards(results, agents)
    return mean[:, :, None] - mean[:, None, :]


def cross_table(results: Results, agents: int) -> list[list[Estimate | None]]:
    """The row's reward a round less the column's, over the deals that both have played."""
    difference = differences(results, agents)
    met = ~np.isnan(difference)
    return [
        [
            None if row == column else mean_where(difference[:, row, column], met[:, row, column])
            for column in range(agents)
        ]
        for row in range(agents)
    ]


def wins_by_role(
    results: Results, roles: Roles, agent: int
) -> list[tuple[str, Estimate | None, int]]:
    """Each role's name, the part of its matches that the agent won in it, and how many they are."""
    assert results.role is not None
    won = results.win_share > 0
    found = []
    for number, name in enumerate(roles.names):
        counted = (results.agent == agent) & (results.role == number)
        found.append((name, mean_where(won, counted), int(counted.any(axis=2).sum())))
    return found
