"""The exact solver beside OpenSpiel's, which reaches the same numbers by other ways."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

from masked_monsters.envs.adapters.openspiel import openspiel_game
from masked_monsters.evaluation.exact import tree as tree_module
from masked_monsters.evaluation.exact.solve import CFR, nash_conv
from masked_monsters.evaluation.exact.tree import Tree, build_tree, uniform
from tests.envs.spiel import SMALL

GAMES = pytest.mark.parametrize("name", SMALL)


@cache
def solved(name: str) -> tuple[Tree, Any, list[str]]:
    """Ours, theirs, and what each of our information states is called there."""
    tree = build_tree(SMALL[name])
    names = []
    walk = tree_module._Walk(tree.game, tree.histories)
    for first, decisions in walk.information_states(history=True):
        assert decisions.history is not None
        for number, tokens in enumerate(decisions.history):
            recalled = tree.game.words.information_state(tokens[tokens[:, 0] > 0])
            names.append(f"player_{tree.states['seat'][first + number]}: {recalled}")
    return tree, openspiel_game(tree.game), names


def as_strategy(tree: Tree, names: list[str], table: Any) -> np.ndarray:
    """A tabular policy of OpenSpiel's."""
    strategy = uniform(tree)
    for state, name in zip(tree.states, names, strict=True):
        actions = slice(state["first"], state["first"] + state["num_actions"])
        row = table.action_probability_array[table.state_lookup[name]]
        strategy[actions] = row[tree.actions[actions]]
    return strategy


def check(tree: Tree, theirs: Any, names: list[str], table: Any) -> float:
    """Values, improvements and NashConv are the same to 1e-9; returns NashConv."""
    found = nash_conv(tree, as_strategy(tree, names, table))
    expected: Any = exploitability.nash_conv(theirs, table, return_only_nash_conv=False)
    assert found.total == pytest.approx(expected.nash_conv, abs=1e-9)
    np.testing.assert_allclose(found.improvements, expected.player_improvements, atol=1e-9)
    scores = expected_game_score.policy_value(theirs.new_initial_state(), [table] * tree.num_seats)
    np.testing.assert_allclose(found.value, scores, atol=1e-9)
    return found.total


@GAMES
def test_uniform_and_random_strategies_are_worth_the_same(name: str) -> None:
    tree, theirs, names = solved(name)
    table = spiel_policy.TabularPolicy(theirs)
    assert len(table.state_lookup) == len(tree.states) == len(set(names))
    assert check(tree, theirs, names, table) > 0.1
    generator = np.random.default_rng(0)
    weights = generator.random(table.action_probability_array.shape) * table.legal_actions_mask
    table.action_probability_array[:] = weights / weights.sum(axis=1, keepdims=True)
    assert check(tree, theirs, names, table) > 0.1


@GAMES
def test_what_openspiels_cfr_finds_is_worth_the_same_and_as_near_to_an_equilibrium(
    name: str,
) -> None:
    tree, theirs, names = solved(name)
    solver: Any = cfr.CFRPlusSolver(theirs)
    for _ in range(4):
        solver.evaluate_and_update_policy()
    total = check(tree, theirs, names, solver.average_policy())
    assert total < nash_conv(tree, uniform(tree)).total


@pytest.mark.parametrize(("ours", "theirs"), [("cfr", cfr.CFRSolver), ("cfr+", cfr.CFRPlusSolver)])
def test_cfr_plays_as_openspiels_does_in_every_iteration(ours: str, theirs: Any) -> None:
    """Averages differ, since OpenSpiel's begin with the uniform strategy.

    In the other game some regrets are 0 but for rounding, and that decides what is played next.
    """
    tree, game, names = solved("masked_monsters_mmn")
    solver, mine = theirs(game), CFR(tree, ours)
    for _ in range(3):
        solver.evaluate_and_update_policy()
        mine.run(1)
        current = as_strategy(tree, names, solver.current_policy())
        np.testing.assert_allclose(mine.current, current, atol=1e-9)
