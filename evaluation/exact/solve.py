"""Exact values, best responses and NashConv of strategies on a ``Tree``, and CFR.

A *strategy* is ``(sequences,)`` float64 for all seats at once: the probability of each sequence's last
action in its information state, 1 for the empty sequences. All values are what a match pays.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.evaluation.exact import passes
from masked_monsters.evaluation.exact.tree import Tree, uniform

ANY_ROLE = -1
ALGORITHMS = ("cfr", "cfr+", "dcfr")


class NashConv(NamedTuple):
    """How far a strategy is from an equilibrium (Lanctot et al. 2017)."""

    value: np.ndarray
    """``(n,)``: what each seat is paid."""
    best: np.ndarray
    """``(n,)``: what each would be paid with a best response to the others."""

    @property
    def improvements(self) -> np.ndarray:
        """``(n,)``: how much more that is, at least 0."""
        return self.best - self.value

    @property
    def total(self) -> float:
        """The sum of the improvements: 0 in a Nash equilibrium, and only there."""
        return float(self.improvements.sum())


def reach_probabilities(tree: Tree, strategy: np.ndarray) -> np.ndarray:
    """``(sequences,)``: each seat's probability to do all that a sequence says."""
    reached = np.ones(len(strategy))
    passes.reach(tree.states, strategy, reached)
    return reached


def terminal_values(
    tree: Tree, reached: np.ndarray, seat: int, payoff: np.ndarray | None = None
) -> np.ndarray:
    """``(sequences,)``: what the terminal histories pay a seat for each of its last sequences.

    Args:
        tree: the game.
        reached: reach probabilities.
        seat: whose.
        payoff: ``(terminals,)``, instead of what the seat is paid.
    """
    values = np.zeros(len(reached))
    own = tree.payoff[:, seat] if payoff is None else payoff
    passes.weigh_terminals(tree.sequence, own, reached, seat, values)
    return values


def value(tree: Tree, strategy: np.ndarray) -> np.ndarray:
    """``(n,)``: what each seat is paid."""
    reached = reach_probabilities(tree, strategy)
    return np.array(
        [reached @ terminal_values(tree, reached, seat) for seat in range(tree.num_seats)]
    )


def best_response(tree: Tree, strategy: np.ndarray, seat: int) -> tuple[float, np.ndarray]:
    """What a seat gets at most against the others, and the strategy with which it does."""
    values = terminal_values(tree, reach_probabilities(tree, strategy), seat)
    best = strategy.copy()
    passes.respond(tree.states, seat, ANY_ROLE, best, values)
    return float(values[seat]), best


def nash_conv(tree: Tree, strategy: np.ndarray) -> NashConv:
    """How much the seats could gain, each by itself, from a best response."""
    best = [best_response(tree, strategy, seat)[0] for seat in range(tree.num_seats)]
    worth = value(tree, strategy)
    return NashConv(worth, np.maximum(best, worth))  # less only by rounding


class CFR:
    """Counterfactual regret minimisation, the seats taking turns.

    ``cfr`` (Zinkevich et al. 2007); ``cfr+`` (Tammelin 2014), which drops negative regrets and
    weights the t-th strategy by t in the average; ``dcfr`` (Brown and Sandholm 2019), which discounts
    with its alpha = 1.5, beta = 0, gamma = 2. With two seats and constant sums the average goes to an
    equilibrium; otherwise nothing is promised, and ``nash_conv`` says what has come of it.

    Attributes:
        iterations: how many have been done.
        current: the strategy of the last.
        average: the average strategy.
    """

    def __init__(self, tree: Tree, algorithm: str = "cfr+") -> None:
        self.tree = tree
        check_choice("algorithm", algorithm, ALGORITHMS)
        self.algorithm = algorithm
        self.iterations = 0
        self.current = uniform(tree)
        self._regrets = np.zeros(len(self.current))
        self._sums = np.zeros(len(self.current))

    @property
    def average(self) -> np.ndarray:
        """``(sequences,)``: the average strategy so far; before the first iteration, uniform."""
        strategy = np.ones(len(self.current))
        passes.average(self.tree.states, self._sums, strategy)
        return strategy

    def run(self, iterations: int, progress: Callable[[int, int], None] | None = None) -> None:
        """So many iterations more; ``progress`` is told how many of how many are done."""
        check_range("iterations", iterations, 1, 2**31)
        for done in range(iterations):
            self._iterate()
            if progress:
                progress(done + 1, iterations)

    def _iterate(self) -> None:
        tree, t = self.tree, self.iterations + 1
        for seat in range(tree.num_seats):
            values = terminal_values(tree, reach_probabilities(tree, self.current), seat)
            passes.regret(tree.states, seat, self.current, values, self._regrets)
            if self.algorithm == "cfr+":
                np.maximum(self._regrets, 0, out=self._regrets)
            passes.match_regrets(tree.states, seat, self._regrets, self.current)
        if self.algorithm == "dcfr":
            self._regrets *= np.where(self._regrets > 0, t**1.5 / (t**1.5 + 1), 0.5)
            self._sums *= ((t - 1) / t) ** 2
        weight = t if self.algorithm == "cfr+" else 1
        self._sums += weight * reach_probabilities(tree, self.current)
        self.iterations = t
