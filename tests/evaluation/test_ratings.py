import numpy as np
import pytest

from masked_monsters.evaluation.tournament.ratings import (
    alpha_rank,
    bradley_terry,
    calibration,
    openskill,
    pairs_won,
)
from masked_monsters.evaluation.tournament.results import Results
from tests.evaluation.test_tournament_results import results_of

STRENGTH = np.array([1.0, 0.0, -0.5])


def contests(deals: int, seed: int, strength: np.ndarray = STRENGTH) -> Results:
    """Of two at a time: a beats b with the odds e^(a - b)."""
    generator = np.random.default_rng(seed)
    pairs = np.array([generator.permutation(len(strength))[:2] for _ in range(deals)])
    chance = 1 / (1 + np.exp(strength[pairs[:, 1]] - strength[pairs[:, 0]]))
    first = generator.random((deals, 2)) < chance[:, None]
    reward = np.stack([first, ~first], axis=2)
    return results_of(np.repeat(pairs[:, None], 2, axis=1).tolist(), reward.tolist())


def test_a_match_is_a_pair_won_for_every_two_seats_and_ties_are_half() -> None:
    results = results_of([[[2, 0, 1]]], [[[1, 1, 0]]])
    np.testing.assert_array_equal(pairs_won(results, 3)[0], [[0, 1, 0.5], [0, 0, 0], [0.5, 1, 0]])


def test_an_agent_that_meets_itself_neither_wins_nor_loses() -> None:
    results = results_of([[[0, 0, 1]]], [[[3, 1, 2]]])
    np.testing.assert_array_equal(pairs_won(results, 2)[0], [[0, 1], [1, 0]])


def test_the_fit_finds_the_strengths_within_its_intervals() -> None:
    found = bradley_terry(contests(4000, 0), 3)
    centered = STRENGTH - STRENGTH.mean()
    for rating, true in zip(found, centered, strict=True):
        assert rating.low < true < rating.high
        assert rating.low < rating.rating < rating.high
        assert rating.high - rating.low < 0.3
    assert sum(rating.rating for rating in found) == pytest.approx(0, abs=1e-9)


def test_the_fits_intervals_hold_the_truth_as_often_as_they_say() -> None:
    true = STRENGTH - STRENGTH.mean()
    held = sum(
        found.low < true[0] < found.high
        for found in (bradley_terry(contests(200, seed), 3)[0] for seed in range(40))
    )
    assert 34 <= held <= 40


def test_one_who_never_loses_has_a_finite_rating() -> None:
    results = results_of([[[0, 1], [1, 0]]] * 50, [[[1, 0], [0, 1]]] * 50)
    first, second = bradley_terry(results, 2)
    assert 2 < first.rating < 5
    assert first.rating == pytest.approx(-second.rating)


def test_all_ratings_agree_on_who_is_best() -> None:
    results = contests(300, 1)
    for rate in (bradley_terry, openskill, alpha_rank):
        found = [rating.rating for rating in rate(results, 3)]
        assert found[0] == max(found), rate
        for rating in rate(results, 3):
            assert rating.low <= rating.high


def test_who_is_paid_the_same_in_another_order_is_tied() -> None:
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    paid = [[0.1, 0.3, 0], [0.2, 0.2, 0], [0.3, 0.1, 0]]
    first, second, last = openskill(results_of([[[0, 1, 2]] * 3] * 50, [paid] * 50), 3)
    assert first == second
    assert first.rating > last.rating


def test_the_ratings_of_a_population_add_up_to_one() -> None:
    assert sum(rating.rating for rating in alpha_rank(contests(500, 2), 3)) == pytest.approx(1)


def test_a_population_of_agents_that_go_round_in_a_circle_is_even() -> None:
    circle = [[[0, 1]], [[1, 2]], [[2, 0]]] * 20
    found = alpha_rank(results_of(circle, [[[1, 0]]] * 60), 3)
    assert [rating.rating for rating in found] == pytest.approx([1 / 3] * 3, abs=1e-6)


def test_there_is_no_population_of_agents_that_have_not_met() -> None:
    assert alpha_rank(results_of([[[0, 1]], [[0, 1]]], [[[1, 0]], [[1, 0]]]), 3) == []


def test_ratings_come_out_the_same_again() -> None:
    results = contests(100, 3)
    for rate in (bradley_terry, openskill, alpha_rank):
        assert rate(results, 3) == rate(results, 3)


def test_a_fit_that_is_right_is_calibrated() -> None:
    bins = calibration(contests(6000, 4), 3, (0.5, 0.6, 0.7, 0.8, 0.9))
    assert len(bins) >= 2
    for each in bins:
        assert abs(each.predicted - each.observed.mean) < 2 * each.observed.half_width


def test_no_deal_is_predicted_by_a_fit_to_itself() -> None:
    """Every second deal comes out the other way: a fit to all of them would foretell a half."""
    results = results_of([[[0, 1]]] * 200, [[[1, 0]], [[0, 1]]] * 100)
    low, high = calibration(results, 2, (0, 0.1, 0.9, 1.01))
    assert (low.observed.mean, high.observed.mean) == (1, 0)


def test_a_fit_that_is_wrong_is_not_calibrated() -> None:
    """In a circle nobody is stronger, yet each beats the next for certain."""
    generator = np.random.default_rng(5)
    circle = np.array([[0, 1], [1, 2], [2, 0]])[generator.integers(3, size=3000)]
    results = results_of(circle[:, None].tolist(), [[[1, 0]]] * 3000)
    (only,) = calibration(results, 3, (0.4, 0.6))
    assert only.predicted == pytest.approx(0.5, abs=0.05)
    assert only.observed.half_width < 0.1
