from typing import Any

import numpy as np
import pytest

from masked_monsters.evaluation.tournament.results import Results, cross_table, gains


def results_of(agent: list[Any], reward: list[Any]) -> Results:
    seats, paid = np.array(agent), np.array(reward, np.float64)
    won = paid == paid.max(axis=2, keepdims=True)
    return Results(
        seats,
        paid,
        won / won.sum(axis=2, keepdims=True),
        np.ones(seats.shape[:2], int),
        None,
        None,
        0,
    )


def test_the_cross_table_is_the_mean_over_deals_of_who_is_paid_more() -> None:
    deals = results_of(
        [[[0, 1], [1, 0]], [[0, 1], [1, 0]], [[2, 1], [1, 2]], [[2, 1], [1, 2]]],
        [[[2, 0], [1, 1]], [[0, 0], [0, 4]], [[1, 0], [0, 0]], [[1, 0], [0, 0]]],
    )
    found = cross_table(deals, 3)
    cell = found[0][1]
    assert cell is not None
    assert cell.mean == pytest.approx((1 + 2) / 2)
    assert cell.half_width > 3  # of two observations, 1 apart
    mirrored = found[1][0]
    assert mirrored is not None
    assert mirrored.mean == -cell.mean
    assert found[0][2] is None
    assert found[1][1] is None
    only = found[2][1]
    assert only is not None
    assert (only.mean, only.half_width) == (0.5, 0)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    generator = np.random.default_rng(0)
    held = 0
    for _ in range(300):
        luck = generator.normal(size=(20, 1, 1))  # of the deal, the same in both its matches
        paid = np.broadcast_to(luck, (20, 2, 2)) + generator.normal(size=(20, 2, 2)) / 10
        cell = cross_table(results_of([[[0, 1], [1, 0]]] * 20, paid.tolist()), 2)[0][1]
        assert cell is not None
        held += abs(cell.mean) < cell.half_width
    assert 270 <= held <= 297


def test_gains_are_less_the_tables_mean() -> None:
    results = results_of([[[0, 1, 2]]], [[[3, 0, 0]]])
    np.testing.assert_array_equal(gains(results), [[[2, -1, -1]]])
