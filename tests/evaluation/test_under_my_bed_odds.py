"""The counting of assignments, against brute force."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masked_monsters.evaluation.baselines.under_my_bed_odds import IN_BED, IS_KID, count_assignments


def brute_force(n: int, fits: np.ndarray, kid_weights: np.ndarray) -> np.ndarray:
    """Every kid and every order of the slots; the one in the kid's place lies under the bed."""
    odds = np.zeros((10, 8))
    total = 0.0
    for kid in range(n):
        for slots in permutations(range(n)):
            if all(fits[seat, slots[seat]] for seat in range(n) if seat != kid):
                total += kid_weights[kid]
                odds[IS_KID, kid] += kid_weights[kid]
                odds[IN_BED, slots[kid]] += kid_weights[kid]
                for seat in range(n):
                    if seat != kid:
                        odds[seat, slots[seat]] += kid_weights[kid]
    return odds / total if total else odds


@given(st.integers(3, 6), st.integers(0, 2**32 - 1), st.floats(0.3, 1))
@settings(max_examples=150, deadline=None)
def test_the_odds_are_those_of_brute_force(n: int, seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    fits = np.zeros((8, 8), np.int8)
    fits[:n, :n] = rng.random((n, n)) < share
    weights = np.zeros(8)
    weights[:n] = rng.random(n)
    found = count_assignments(n, fits, weights)
    assert found == pytest.approx(brute_force(n, fits, weights))


@pytest.mark.parametrize("n", [7, 8])
def test_the_odds_are_those_of_brute_force_at_large_tables(n: int) -> None:
    rng = np.random.default_rng(n)
    fits = np.zeros((8, 8), np.int8)
    fits[:n, :n] = rng.random((n, n)) < 0.6
    weights = np.zeros(8)
    weights[:n] = rng.random(n)
    assert count_assignments(n, fits, weights) == pytest.approx(brute_force(n, fits, weights))


def test_what_cannot_be_is_no_trouble() -> None:
    assert not count_assignments(3, np.zeros((8, 8), np.int8), np.ones(8)).any()
