"""Shares, means and areas under curves of rows that come in independent clusters.

Decisions within a game are not independent, games are: what is resampled, or added up before an error
is taken, is always a whole cluster.
"""

import math
from dataclasses import dataclass

import numpy as np

from masked_monsters.envs.errors import check_range
from masked_monsters.evaluation.estimate import CONFIDENCE, Estimate, student_t_quantile

RESAMPLES = 1000


@dataclass(frozen=True)
class Interval:
    """A number and its 95 % confidence interval, which need not be symmetric."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Bin:
    """The rows whose scores lie from ``low`` to ``high``, of which only the last bin includes it."""

    low: float
    high: float
    mean_score: float
    share: Interval
    """Of the rows that are true; as large as ``mean_score`` if the scores are probabilities."""
    count: int


# ---------------------------------------------------------------- means


def clustered_mean(values: np.ndarray, clusters: np.ndarray) -> Estimate:
    """The mean of all rows; its error is that of a ratio of totals by cluster (Cochran 1977, 6.4).

    Args:
        values: ``(k,)`` numbers.
        clusters: ``(k,)`` integers: rows of one cluster may depend on each other.

    Raises:
        ValueError: if there are fewer than two clusters, so that nothing is known of the error.
    """
    mean, error, number = _ratio(values, clusters)
    if number < 2:
        raise ValueError(f"clusters: must be two or more, are {number}")
    return Estimate(mean, student_t_quantile(number - 1) * error)


def clustered_share(truths: np.ndarray, clusters: np.ndarray) -> Interval:
    """The part of ``(k,)`` bool rows, at least one, that are true, with an interval within 0 … 1.

    Wilson's interval (1927) with the effective number of rows in place of ``k``: as many independent
    ones as would have the same error (Korn and Graubard 1998), ``k`` at most. Where all rows are alike
    the error is not known, and each cluster counts as one row.
    """
    share, error, number = _ratio(truths, clusters)
    if number < 2:
        return Interval(share, 0.0, 1.0)
    variance = share * (1 - share)
    rows = variance / max(error**2, variance / len(truths)) if variance else float(number)
    square = student_t_quantile(number - 1) ** 2 / rows
    centre = (share + square / 2) / (1 + square)
    half = math.sqrt(square * (variance + square / 4)) / (1 + square)
    return Interval(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def _ratio(values: np.ndarray, clusters: np.ndarray) -> tuple[float, float, int]:
    """The mean of the rows, its standard error (0 for one cluster), the number of clusters."""
    values = np.asarray(values, np.float64)
    found, place = np.unique(clusters, return_inverse=True)
    number = len(found)
    if number == 0:
        raise ValueError("values: must be one or more, are 0")
    mean = float(values.mean())
    residuals = np.bincount(place, values - mean, number)
    spread = number / max(1, number - 1) * float(residuals @ residuals)
    return mean, math.sqrt(spread) / len(values), number


# ---------------------------------------------------------------- probabilities


def brier(scores: np.ndarray, truths: np.ndarray, clusters: np.ndarray) -> Estimate:
    """The mean squared error of probabilities (Brier 1950): 0 … 1, less is better."""
    return clustered_mean((scores - truths) ** 2, clusters)


def calibration(
    scores: np.ndarray, truths: np.ndarray, clusters: np.ndarray, bins: int = 10
) -> tuple[Bin, ...]:
    """How often what is given some probability is true: bins of equal width, empty ones left out.

    Args:
        scores: ``(k,)`` probabilities.
        truths: ``(k,)`` bool.
        clusters: ``(k,)`` integers.
        bins: of 0 … 1; 1 to 1,000.

    Raises:
        ValueError: naming what is wrong.
    """
    check_range("bins", bins, 1, 1000)
    if len(scores) and not (scores.min() >= 0 and scores.max() <= 1):
        raise ValueError(f"scores: must be 0 … 1, are {scores.min()} … {scores.max()}")
    ends = np.linspace(0, 1, bins + 1)
    place = np.minimum(np.searchsorted(ends, scores, side="right") - 1, bins - 1)
    rows = [np.flatnonzero(place == number) for number in range(bins)]
    return tuple(
        Bin(
            float(ends[number]),
            float(ends[number + 1]),
            float(scores[some].mean()),
            clustered_share(truths[some], clusters[some]),
            len(some),
        )
        for number, some in enumerate(rows)
        if len(some)
    )


# ---------------------------------------------------------------- areas under ROC curves


def auroc(scores: np.ndarray, truths: np.ndarray) -> float | None:
    """The area under the receiver operating characteristic.

    It is the probability that a true row has a higher score than a false one (Hanley and McNeil 1982);
    ties count half.

    Args:
        scores: ``(k,)``; only their order matters.
        truths: ``(k,)`` bool.

    Returns:
        0 … 1, or None if not both a true and a false row are there.
    """
    area = _Ranking(scores, truths, np.arange(len(scores))).area(np.ones(len(scores)))
    return None if math.isnan(area) else area


def clustered_auroc(
    scores: np.ndarray,
    truths: np.ndarray,
    clusters: np.ndarray,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Interval | None:
    """``auroc`` with the percentile interval of a bootstrap over clusters (Field and Welsh 2007).

    Args:
        scores: ``(k,)``, or ``(k, m)`` for the mean over ``m`` columns of the area of each.
        truths: bool, of the same shape.
        clusters: ``(k,)`` integers.
        seed: of the resamples.
        resamples: how many.

    Returns:
        None if there are fewer than two clusters, or no column with both a true and a false row.
        Columns without, and resamples of a column without, are left out.
    """
    found, place = np.unique(clusters, return_inverse=True)
    number = len(found)
    columns = zip(scores.reshape(len(place), -1).T, truths.reshape(len(place), -1).T, strict=True)
    rankings = [
        _Ranking(score, truth, place) for score, truth in columns if 0 < truth.sum() < len(truth)
    ]
    if number < 2 or not rankings:
        return None
    random = np.random.default_rng(seed)
    areas = np.zeros((resamples, len(rankings)))
    for row in areas:
        times = np.bincount(random.integers(number, size=number), minlength=number).astype(
            np.float64
        )
        row[:] = [ranking.area(times) for ranking in rankings]
    known = ~np.isnan(areas)
    some = known.any(axis=1)
    means = np.where(known, areas, 0).sum(axis=1)[some] / known.sum(axis=1)[some]
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, (tail, 1 - tail)) if len(means) else (0, 1)
    mean = np.mean([ranking.area(np.ones(number)) for ranking in rankings])
    return Interval(float(mean), float(low), float(high))


class _Ranking:
    """Rows sorted once, for areas in which each cluster counts some times."""

    def __init__(self, scores: np.ndarray, truths: np.ndarray, clusters: np.ndarray) -> None:
        order = np.argsort(scores, kind="stable")
        scores, truths, clusters = scores[order], truths[order].astype(np.bool_), clusters[order]
        self._true, self._false = clusters[truths], clusters[~truths]
        false_scores = scores[~truths]
        # For each true row, so many false ones have lower scores, and so many no higher ones.
        self._lower = np.searchsorted(false_scores, scores[truths], side="left")
        self._no_higher = np.searchsorted(false_scores, scores[truths], side="right")

    def area(self, times: np.ndarray) -> float:
        """``times``: how often each cluster counts; NaN if no true row counts, or no false one."""
        true = times.take(self._true)
        false = np.zeros(len(self._false) + 1)
        np.cumsum(times.take(self._false), out=false[1:])
        pairs = true.sum() * false[-1]
        if pairs == 0:
            return math.nan
        wins = true * (false.take(self._lower) + false.take(self._no_higher))
        return float(wins.sum() / (2 * pairs))
