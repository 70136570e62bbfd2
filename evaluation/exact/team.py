"""The kid against the monsters: best responses of a whole side, where a game deals roles.

The first role (the kid) is one seat, so its best response is found exactly. All others are a team whose
members are paid alike but know different things: their joint best response is a hard problem
(Tsitsiklis and Athans 1985). Seats that respond in turn until none can improve give a lower bound; an
integer program with a variable for each sequence proves the best, where the game is small enough.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from masked_monsters.evaluation.exact import passes
from masked_monsters.evaluation.exact.solve import reach_probabilities, terminal_values
from masked_monsters.evaluation.exact.tree import Tree

KID, MONSTER = 0, 1
"""The first role, and all others."""
TOLERANCE = 1e-6
"""Of a match's payoff; the integer program's own is about as large."""


class Sides(NamedTuple):
    """What each side is paid, and with a best response to the other; a side's mean of its seats."""

    kid: float
    kid_best: float
    """Exact."""
    monsters: float
    monsters_best: float
    """What some strategy of theirs gets: a lower bound of the best they can do together."""
    monsters_bound: float | None
    """An upper bound of that, the same number where it is proved the best; None if none is known."""


def sides(
    tree: Tree, strategy: np.ndarray, *, starts: int = 20, seed: int = 0, seconds: float = 0
) -> Sides:
    """Both sides' best responses to the other side of a strategy.

    Args:
        tree: of a game that deals roles.
        strategy: of all seats in both roles.
        starts: how many strategies the monsters improve on: the given one, and random ones.
        seed: of the random ones.
        seconds: that the integer program may take; 0 goes without an upper bound.
    """
    kid, monsters = _side_payoffs(tree)
    best = _respond_in_turn(tree, strategy, monsters, starts, seed)
    bound = None
    if seconds:
        found, bound = _integer_program(tree, strategy, monsters, seconds)
        best = max(best, found)
        if bound is not None and bound < best + TOLERANCE:
            bound = best
    return Sides(
        kid=_value(tree, strategy, kid),
        kid_best=_kid_best(tree, strategy, kid),
        monsters=_value(tree, strategy, monsters),
        monsters_best=best,
        monsters_bound=bound,
    )


def _side_payoffs(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """``(terminals,)`` each, times chance: what the kid is paid, and each of the monsters."""
    rows = np.arange(len(tree.payoff))
    kid = tree.payoff[rows, tree.kid]
    return kid, (tree.payoff.sum(axis=1) - kid) / (tree.num_seats - 1)


def _value(tree: Tree, strategy: np.ndarray, payoff: np.ndarray) -> float:
    reached = reach_probabilities(tree, strategy)
    return float(reached @ terminal_values(tree, reached, 0, payoff))


def _kid_best(tree: Tree, strategy: np.ndarray, payoff: np.ndarray) -> float:
    """Each seat responds where it is the kid; never are two."""
    reached = reach_probabilities(tree, strategy)
    best = strategy.copy()
    for seat in range(tree.num_seats):
        values = terminal_values(tree, reached, seat, payoff)
        passes.respond(tree.states, seat, KID, best, values)
    return _value(tree, best, payoff)


def _respond_in_turn(
    tree: Tree, strategy: np.ndarray, payoff: np.ndarray, starts: int, seed: int
) -> float:
    """The most that monsters get who improve one after another until none can."""
    generator = np.random.default_rng(seed)
    found = -np.inf
    for start in range(starts):
        current = strategy.copy()
        if start > 0:
            numbers = generator.random(len(tree.states))
            passes.choose(tree.states, MONSTER, numbers, current)
        before, now = -np.inf, _value(tree, current, payoff)
        while now > before + TOLERANCE:
            for seat in range(tree.num_seats):
                reached = reach_probabilities(tree, current)
                values = terminal_values(tree, reached, seat, payoff)
                passes.respond(tree.states, seat, MONSTER, current, values)
            before, now = now, _value(tree, current, payoff)
        found = max(found, now)
    return found


# ---------------------------------------------------------------- the integer program


def _integer_program(
    tree: Tree, strategy: np.ndarray, payoff: np.ndarray, seconds: float
) -> tuple[float, float | None]:
    """The most that monsters get together, as far as it is found in time, and an upper bound of it.

    One variable for each sequence is its reach probability, 0 or 1 for a monster's; one for each
    combination of the monsters' sequences is the product of theirs.
    """
    combinations, pays = _combinations(tree, strategy, payoff)
    sequences, size = len(tree.actions), len(tree.actions) + len(pays)
    fixed = np.arange(size) < tree.num_seats  # the empty sequences
    integral = np.zeros(size)
    integral[tree.num_seats : sequences] = np.repeat(
        tree.states["role"] == MONSTER, tree.states["num_actions"]
    )
    result = milp(
        np.r_[np.zeros(sequences), -pays],
        constraints=[_flow(tree, size), *_products(combinations, sequences, size)],
        bounds=Bounds(fixed.astype(float), np.ones(size)),  # type: ignore[arg-type]  # stubs know only floats
        integrality=integral,
        options={"time_limit": seconds},
    )
    found = -np.inf if result.fun is None else -float(result.fun)
    return found, None if result.mip_dual_bound is None else -float(result.mip_dual_bound)


def _combinations(
    tree: Tree, strategy: np.ndarray, payoff: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The monsters' sequences that end matches together, ``(k, n - 1)``, and what each pays."""
    terminals, others = np.arange(len(payoff)), np.arange(tree.num_seats - 1)
    kids = reach_probabilities(tree, strategy)[tree.sequence[terminals, tree.kid]]
    monsters = others + (others >= tree.kid[:, None])
    rows = np.take_along_axis(tree.sequence, monsters, axis=1)
    combinations, number = np.unique(rows, axis=0, return_inverse=True)
    return combinations, np.bincount(number.ravel(), kids * payoff)


def _flow(tree: Tree, size: int) -> LinearConstraint:
    """The actions at an information state share the reach probability of what leads there."""
    numbers = np.arange(len(tree.states))
    after = np.repeat(numbers, tree.states["num_actions"])
    row = np.r_[after, numbers]
    column = np.r_[np.arange(tree.num_seats, len(tree.actions)), tree.states["parent"]]
    entry = np.r_[np.ones(len(after)), -np.ones(len(numbers))]
    return LinearConstraint(coo_array((entry, (row, column)), (len(numbers), size)).tocsr(), 0, 0)


def _products(combinations: np.ndarray, sequences: int, size: int) -> Iterator[LinearConstraint]:
    """A product of zeros and ones is at most each factor, and at least their sum less the others'."""
    count, factors = combinations.shape
    rows, ones = np.arange(count), np.ones(count)
    product = coo_array((ones, (rows, sequences + rows)), (count, size)).tocsr()
    own = [coo_array((ones, (rows, column)), (count, size)).tocsr() for column in combinations.T]
    for factor in own:
        yield LinearConstraint(product - factor, -np.inf, 0)
    yield LinearConstraint(product - sum(own[1:], own[0]), 1 - factors, np.inf)
