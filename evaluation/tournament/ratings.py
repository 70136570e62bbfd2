"""Ratings of a tournament's agents, with 95 % bootstrap intervals over deals.

They do not depend on the order of the results, nor on names: the deals come in the order of their
hashes, and what is drawn is drawn from a fixed seed.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import choix
import numpy as np
from open_spiel.python.egt import alpharank
from openskill.models import PlackettLuce

from masked_monsters.evaluation.estimate import Estimate
from masked_monsters.evaluation.tournament.results import (
    Results,
    differences,
    mean_rewards,
    mean_where,
)

SAMPLES = 200
"""Of the bootstrap."""
CONTESTS, RUNS = 4000, 40
"""OpenSkill sees so many deals, one after another, so many times."""
PRIOR = 0.5
"""Wins and losses that every two agents are given, so that one who never loses has a rating."""
ALPHA = 10
"""Of alpha-Rank: how strongly selection favours what pays more."""
SEED = 0


class Rating(NamedTuple):
    """A rating and its 95 % interval."""

    rating: float
    low: float
    high: float


class Bin(NamedTuple):
    """Pairs whose better place was given about the same chance."""

    predicted: float
    observed: Estimate
    """The part that came so."""
    pairs: int


def pairs_won(results: Results, agents: int) -> np.ndarray:
    """``(d, agents, agents)``: in how many of a deal's matches the row was paid more; ties half."""
    deals = len(results.agent)
    won = np.zeros((deals, agents, agents))
    deal = np.arange(deals)[:, None]
    seats = results.agent.shape[2]
    for one in range(seats):
        for other in range(seats):
            if one != other:
                a, b = results.agent[:, :, one], results.agent[:, :, other]
                sign = np.sign(results.reward[:, :, one] - results.reward[:, :, other])
                np.add.at(won, (deal, a, b), (1 + sign) / 2)
    won[:, np.arange(agents), np.arange(agents)] = 0  # an agent that meets itself
    return won


def bradley_terry(results: Results, agents: int) -> list[Rating]:
    """One fit of all results: the odds that a is paid more than b are e^(rating a - rating b).

    Bradley and Terry (1952), by Luce spectral ranking (Maystre and Grossglauser 2015: choix), every
    two agents of a match being a pair. The mean rating is 0.
    """
    won = pairs_won(results, agents)
    return _bootstrap(won.reshape(len(won), -1), lambda mean: _fit(mean * len(won), agents))


def alpha_rank(results: Results, agents: int) -> list[Rating]:
    """The part of the time that a population under selection plays as each (Omidshafiei et al. 2019).

    The game of two that it plays pays what the cross-table says. Empty if two agents have never met.
    """
    difference = differences(results, agents)
    met = ~np.isnan(difference)
    if not met.any(axis=0).all():
        return []
    count = met.reshape(len(met), -1)
    total = np.where(met, difference, 0).reshape(len(met), -1)

    def masses(mean: np.ndarray) -> np.ndarray:
        sums, counts = mean[: agents**2], mean[agents**2 :]
        payoff = (sums / np.maximum(counts, 1e-12)).reshape(agents, agents)
        with np.errstate(over="ignore"):  # of an exponential, whose limit is what is wanted
            return np.abs(alpharank.compute([payoff], alpha=ALPHA)[2])

    return _bootstrap(np.concatenate([total, count], axis=1), masses)


def openskill(results: Results, agents: int) -> list[Rating]:
    """OpenSkill's Plackett-Luce model (Weng and Lin 2011): mean of the ratings after 4,000 deals.

    Each deal is one contest, its agents ranked by what all its matches paid them. Since the model
    rates online, the order of the contests counts: it is run on 40 samples of deals in random order;
    the interval is where 95 % of these end.
    """
    generator = np.random.default_rng(SEED)
    # Who was paid the same in another order must be tied, not apart in the last digit.
    paid = np.round(mean_rewards(results, agents), 9)
    ends = np.zeros((RUNS, agents))
    for run in range(RUNS):
        model = PlackettLuce(tau=0)  # nobody gets better or worse
        ratings = [model.rating() for _ in range(agents)]
        for deal in generator.integers(len(paid), size=min(CONTESTS, len(paid))):
            who = np.flatnonzero(~np.isnan(paid[deal]))
            rated = model.rate([[ratings[agent]] for agent in who], scores=paid[deal, who].tolist())
            for agent, (rating,) in zip(who, rated, strict=True):
                ratings[agent] = rating
        ends[run] = [rating.mu for rating in ratings]
    low, high = np.quantile(ends, [0.025, 0.975], axis=0)
    return [Rating(*map(float, row)) for row in zip(ends.mean(axis=0), low, high, strict=True)]


def calibration(results: Results, agents: int, edges: Sequence[float]) -> list[Bin]:
    """Is who is given a chance of p to be paid more paid more so often? Ties count half.

    Half of the deals are fitted by ``bradley_terry``'s model, the other half predicted, and in turn.
    """
    won = pairs_won(results, agents)
    predicted = np.zeros_like(won)
    half = np.arange(len(won)) % 2
    for side in (0, 1):
        ratings = _fit(won[half != side].sum(axis=0).ravel(), agents)
        predicted[half == side] = 1 / (1 + np.exp(ratings[None, :] - ratings[:, None]))
    met = won + won.transpose(0, 2, 1)
    share = np.divide(won, met, out=np.zeros_like(won), where=met > 0)
    bins = []
    for low, high in itertools.pairwise(edges):
        counted = (met > 0) & (predicted >= low) & (predicted < high)
        observed = mean_where(share, counted)
        if observed is not None:
            bins.append(Bin(float(predicted[counted].mean()), observed, int(counted.sum())))
    return bins


def _fit(won: np.ndarray, agents: int) -> np.ndarray:
    """Ratings from the numbers of pairs won, ``(agents * agents,)``."""
    matrix = won.reshape(agents, agents) + PRIOR
    np.fill_diagonal(matrix, 0)
    return choix.ilsr_pairwise_dense(matrix)


def _bootstrap(by_deal: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray]) -> list[Rating]:
    """Of the mean over the deals."""
    generator = np.random.default_rng(SEED)
    count = len(by_deal)
    weights = generator.multinomial(count, np.full(count, 1 / count), size=SAMPLES) / count
    samples = np.array([statistic(mean) for mean in weights @ by_deal])
    low, high = np.quantile(samples, [0.025, 0.975], axis=0)
    center = statistic(by_deal.mean(axis=0))
    return [Rating(*map(float, row)) for row in zip(center, low, high, strict=True)]
