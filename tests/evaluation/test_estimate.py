import numpy as np
import pytest

from masked_monsters.evaluation.estimate import estimate, student_t_quantile


@pytest.mark.parametrize(
    ("degrees", "published"),
    # Abramowitz and Stegun (1964), table 26.10
    [(4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980), (10**9, 1.960)],
)
def test_the_quantiles_of_student_t_are_the_published_ones(degrees: int, published: float) -> None:
    assert student_t_quantile(degrees) == pytest.approx(published, abs=2e-3)


@pytest.mark.parametrize("count", [5, 10, 100])
def test_19_of_20_intervals_hold_the_true_mean(count: int) -> None:
    samples = np.random.default_rng(0).normal(3.0, 2.0, (4000, count))
    held = np.mean([abs(e.mean - 3.0) <= e.half_width for e in map(estimate, samples)])
    assert held == pytest.approx(0.95, abs=0.01)


def test_an_interval_is_the_mean_and_its_error_on_both_sides() -> None:
    of = estimate(np.array([0.0, 1.0] * 5000))
    assert of.mean == 0.5
    assert of.half_width == pytest.approx(1.96 * 0.5 / 100, rel=1e-3)


def test_a_constant_has_an_interval_of_no_width() -> None:
    assert estimate(np.full(7, 0.25)).half_width == 0
