"""Statistics of rows in clusters."""

import math
import time
from collections.abc import Callable

import numpy as np
import pytest

from masked_monsters.evaluation.bluff.clustered import (
    Interval,
    auroc,
    brier,
    calibration,
    clustered_auroc,
    clustered_mean,
    clustered_share,
)
from masked_monsters.evaluation.estimate import Estimate, estimate

# ---------------------------------------------------------------- areas


def _by_pairs(scores: np.ndarray, truths: np.ndarray) -> float:
    pairs = [
        1.0 if high > low else 0.5 if high == low else 0.0
        for high in scores[truths]
        for low in scores[~truths]
    ]
    return sum(pairs) / len(pairs)


@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_auroc_is_the_part_of_pairs_in_order_and_ties_count_half(levels: int) -> None:
    random = np.random.default_rng(levels)
    for _ in range(20):
        scores = random.integers(levels, size=60) / levels
        truths = random.random(60) < 0.3 + 0.4 * scores
        assert auroc(scores, truths) == pytest.approx(_by_pairs(scores, truths), abs=1e-12)


def test_auroc_of_one_class_or_of_nothing_is_none() -> None:
    scores = np.array([0.1, 0.2])
    assert auroc(scores, np.array([True, True])) is None
    assert auroc(scores, np.array([False, False])) is None
    assert auroc(scores[:0], np.zeros(0, np.bool_)) is None
    assert clustered_auroc(scores, np.array([True, True]), np.arange(2)) is None


def test_clustered_auroc_needs_two_clusters() -> None:
    scores, truths = np.array([0.1, 0.2]), np.array([False, True])
    assert clustered_auroc(scores, truths, np.zeros(2, np.int64)) is None
    assert clustered_auroc(scores, truths, np.arange(2)) == Interval(1.0, 1.0, 1.0)


def test_a_resample_is_the_area_of_its_clusters_rows_as_often_as_they_were_drawn() -> None:
    random = np.random.default_rng(5)
    clusters = random.integers(6, size=80)
    scores, truths = random.integers(9, size=80) / 9, random.random(80) < 0.4
    drawn = np.random.default_rng(3)
    areas = []
    for _ in range(200):
        rows = [np.flatnonzero(clusters == cluster) for cluster in drawn.integers(6, size=6)]
        taken = np.concatenate(rows)
        areas.append(_by_pairs(scores[taken], truths[taken]))
    low, high = np.quantile(areas, (0.025, 0.975))
    found = clustered_auroc(scores, truths, clusters, seed=3, resamples=200)
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx(
        (_by_pairs(scores, truths), low, high), abs=1e-12
    )


def test_clustered_auroc_of_columns_is_the_mean_of_their_areas_without_those_of_one_class() -> None:
    random = np.random.default_rng(1)
    scores, truths = random.random((50, 3)), random.random((50, 3)) < 0.5
    truths[:, 2] = False
    found = clustered_auroc(scores, truths, np.arange(50))
    areas = [_by_pairs(scores[:, column], truths[:, column]) for column in (0, 1)]
    assert found is not None
    assert found.mean == pytest.approx(np.mean(areas))


def test_a_bootstrap_of_100_000_rows_is_quick_and_repeats_itself() -> None:
    random = np.random.default_rng(0)
    scores, truths = random.random(100_000), random.random(100_000) < 0.25
    clusters = random.integers(2000, size=100_000)
    began = time.process_time()
    first = clustered_auroc(scores, truths, clusters, seed=1, resamples=200)
    assert time.process_time() - began < 1
    assert first == clustered_auroc(scores, truths, clusters, seed=1, resamples=200)
    assert first != clustered_auroc(scores, truths, clusters, seed=2, resamples=200)


# ---------------------------------------------------------------- coverage

EXPERIMENTS = 300


def _games(random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of like probabilities within a cluster, and their clusters, of different sizes."""
    sizes = random.integers(1, 16, size=count)
    clusters = np.repeat(np.arange(count), sizes)
    rates = random.beta(0.6, 0.6, size=count)
    return random.random(len(clusters)) < rates[clusters], clusters


def _coverage(holds: Callable[[np.random.Generator], bool]) -> float:
    random = np.random.default_rng(42)
    return float(np.mean([holds(random) for _ in range(EXPERIMENTS)]))


def _has(interval: Estimate | Interval | None, truth: float) -> bool:
    assert interval is not None
    return interval.low <= truth <= interval.high


def test_clustered_means_and_shares_cover_and_ones_that_count_rows_do_not() -> None:
    mean = _coverage(lambda random: _has(clustered_mean(*_games(random, 60)), 0.5))
    share = _coverage(lambda random: _has(clustered_share(*_games(random, 60)), 0.5))
    naive = _coverage(lambda random: _has(estimate(_games(random, 60)[0].astype(float)), 0.5))
    assert 0.90 <= mean <= 0.99
    assert 0.90 <= share <= 0.99
    assert naive < 0.75


def _scored(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores that say nothing, but go together within a cluster, as the truths do."""
    truths, clusters = _games(random, 60)
    return (
        random.normal(size=60)[clusters] + 0.3 * random.normal(size=len(clusters)),
        truths,
        clusters,
    )


def test_clustered_aurocs_cover_and_ones_that_resample_rows_do_not() -> None:
    def by_cluster(random: np.random.Generator) -> bool:
        return _has(clustered_auroc(*_scored(random), resamples=100), 0.5)

    def by_row(random: np.random.Generator) -> bool:
        scores, truths, clusters = _scored(random)
        return _has(clustered_auroc(scores, truths, np.arange(len(clusters)), resamples=100), 0.5)

    assert 0.90 <= _coverage(by_cluster) <= 0.99
    assert _coverage(by_row) < 0.75


# ---------------------------------------------------------------- means


def test_a_mean_of_clusters_of_one_row_each_is_that_of_independent_observations() -> None:
    values = np.random.default_rng(0).normal(size=50)
    expected = estimate(values)
    found = clustered_mean(values, np.arange(50))
    assert found.mean == pytest.approx(expected.mean)
    assert found.half_width == pytest.approx(expected.half_width)


def test_a_mean_counts_rows_not_clusters() -> None:
    assert clustered_mean(np.array([1.0, 1.0, 1.0, 0.0]), np.array([7, 7, 7, 2])).mean == 0.75


def test_a_mean_of_one_cluster_or_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="clusters: must be two or more, are 1"):
        clustered_mean(np.ones(5), np.zeros(5, np.int64))
    with pytest.raises(ValueError, match="values: must be one or more, are 0"):
        clustered_mean(np.ones(0), np.zeros(0, np.int64))


def test_a_share_of_all_or_nothing_still_has_an_interval_by_the_number_of_clusters() -> None:
    clusters = np.repeat(np.arange(20), 50)
    every = clustered_share(np.ones(1000, np.bool_), clusters)
    none = clustered_share(np.zeros(1000, np.bool_), clusters)
    assert (every.mean, every.high) == (1, 1)
    assert every.low == pytest.approx(0.82, abs=0.01)  # 20 / (20 + 2.093 ** 2)
    assert (none.mean, none.low, none.high) == pytest.approx((0, 0, 1 - every.low))
    assert clustered_share(np.ones(3, np.bool_), np.zeros(3, np.int64)) == Interval(1, 0, 1)


def test_a_share_of_independent_rows_is_wilsons() -> None:
    truths = np.arange(400) % 4 == 0
    found = clustered_share(truths, np.arange(400))
    z = 1.96
    centre = (0.25 + z**2 / 800) / (1 + z**2 / 400)
    half = z / (1 + z**2 / 400) * math.sqrt(0.25 * 0.75 / 400 + z**2 / (4 * 400**2))
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half), abs=1e-3)


# ---------------------------------------------------------------- calibration


def test_a_judge_that_knows_its_probabilities_is_calibrated_and_a_bold_one_is_not() -> None:
    random = np.random.default_rng(0)
    clusters = np.repeat(np.arange(1000), 20)
    chances = random.random(20_000)
    truths = random.random(20_000) < chances
    rows = calibration(chances, truths, clusters)
    assert [row.low for row in rows] == pytest.approx(np.arange(10) / 10)
    assert [row.high for row in rows] == pytest.approx(np.arange(1, 11) / 10)
    assert sum(row.count for row in rows) == 20_000
    assert sum(row.share.low <= row.mean_score <= row.share.high for row in rows) >= 9
    bold = calibration(np.where(chances > 0.5, 0.95, 0.05), truths, clusters)
    assert [row.low for row in bold] == pytest.approx([0, 0.9])
    assert bold[0].share.low > 0.05
    assert bold[1].share.high < 0.95
    assert brier(chances, truths, clusters).high < brier(np.rint(chances), truths, clusters).low


def test_bins_include_their_lower_ends_and_the_last_one_both() -> None:
    scores = np.array([0.0, 0.25, 0.5, 0.5, 1.0])
    rows = calibration(scores, scores > 0.3, np.arange(5), bins=2)
    assert [(row.low, row.high, row.count) for row in rows] == [(0, 0.5, 2), (0.5, 1, 3)]
    assert rows[1].mean_score == pytest.approx(2 / 3)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan])
def test_scores_that_are_no_probabilities_and_no_bins_are_refused(wrong: float) -> None:
    truths, clusters = np.array([True, False]), np.arange(2)
    with pytest.raises(ValueError, match="scores: must be 0 … 1"):
        calibration(np.array([wrong, 0.5]), truths, clusters)
    with pytest.raises(ValueError, match="bins=0"):
        calibration(np.array([0.1, 0.5]), truths, clusters, bins=0)
