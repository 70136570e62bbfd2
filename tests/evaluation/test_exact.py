import itertools
from functools import cache
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import exploitability

from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.reduced import REDUCED, reduced_game
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import baselines, get_baseline
from masked_monsters.evaluation.exact import tree as tree_module
from masked_monsters.evaluation.exact.solve import (
    ALGORITHMS,
    CFR,
    best_response,
    nash_conv,
    reach_probabilities,
    value,
)
from masked_monsters.evaluation.exact.tree import (
    Tree,
    build_tree,
    seated,
    strategy_of,
    uniform,
)
from masked_monsters.evaluation.lanes import play
from tests.envs.monster_my_neighbor.test_twin import TREES as MONSTER_TREES
from tests.envs.monster_my_neighbor.test_twin import reduced as reduced_monster
from tests.envs.under_my_bed.test_twin import TREES as BED_TREES
from tests.envs.under_my_bed.test_twin import TWO_QUESTIONS
from tests.envs.under_my_bed.test_twin import reduced as reduced_bed
from tests.kuhn import BET, CHECK, kuhn_poker

JACK, QUEEN, KING = 1, 2, 3
"""As what is recalled names them."""


@cache
def tree_of(name: str) -> Tree:
    return build_tree(kuhn_poker() if name == "kuhn" else reduced_game(name))


def counts(game: Game) -> tuple[int, int, int]:
    tree = build_tree(game)
    return len(tree.payoff), tree.decisions, len(tree.states)


def random_strategy(tree: Tree, generator: np.random.Generator, *, pure: bool) -> np.ndarray:
    strategy = uniform(tree)
    for state in tree.states:
        actions = slice(state["first"], state["first"] + state["num_actions"])
        if pure:
            strategy[actions] = np.eye(state["num_actions"])[
                generator.integers(state["num_actions"])
            ]
        else:
            strategy[actions] = generator.dirichlet(np.ones(state["num_actions"]))
    return strategy


# ---------------------------------------------------------------- the tree


@pytest.mark.parametrize("added", MONSTER_TREES)
def test_a_tree_has_as_many_nodes_as_the_twin_counts(added: tuple[str, ...]) -> None:
    assert counts(reduced_monster(added).game) == MONSTER_TREES[added]


@pytest.mark.parametrize("options", BED_TREES)
def test_a_tree_of_under_my_bed_has_as_many_nodes_as_the_twin_counts(
    options: tuple[tuple[str, object], ...],
) -> None:
    assert counts(reduced_bed(1, **dict(options)).game) == BED_TREES[options]


def test_a_tree_of_two_questions_has_as_many_nodes_as_the_twin_counts() -> None:
    assert counts(reduced_bed(2).game) == TWO_QUESTIONS


def test_small_buffers_find_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = tree_of("umb-tiny")
    monkeypatch.setattr(tree_module, "NEW_STATES", 8)
    monkeypatch.setattr(tree_module, "NEW_TERMINALS", 5)
    found = build_tree(expected.game)
    for field in ("states", "actions", "sequence", "payoff", "kid"):
        np.testing.assert_array_equal(getattr(found, field), getattr(expected, field))
    policy = get_baseline(expected.game, "trickster")
    np.testing.assert_array_equal(strategy_of(found, policy), strategy_of(expected, policy))


def test_all_that_chance_and_the_seats_may_do_adds_up_to_one() -> None:
    tree = tree_of("umb-small")
    strategy = random_strategy(tree, np.random.default_rng(0), pure=False)
    won = Tree(**{**vars(tree), "payoff": np.abs(tree.payoff)})  # all are paid 1 or -1
    np.testing.assert_allclose(value(won, strategy), 1, atol=1e-12)


def test_several_rounds_are_refused_because_what_was_done_before_is_forgotten() -> None:
    game = reduced_game("mmn-tiny").with_options(num_rounds=2)
    with pytest.raises(ValueError, match=r"'num_rounds': 2.*forget what their seat has done"):
        build_tree(game)


def test_a_game_that_is_too_large_is_refused() -> None:
    with pytest.raises(ValueError, match=r"under_my_bed .* more than 20,000 histories"):
        build_tree(get_game("under_my_bed"), max_histories=20_000)
    assert build_tree(tree_of("umb-tiny").game, 14_648).histories == 14_648


@pytest.mark.parametrize(
    ("limit", "value", "named"),
    [("MAX_CHOICES", 60, "60 choices are open"), ("MAX_DEPTH", 6, "more than 5 events in a match")],
)
def test_a_game_that_is_too_broad_or_too_deep_is_refused(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int, named: str
) -> None:
    monkeypatch.setattr(tree_module, limit, value)
    with pytest.raises(ValueError, match=named):
        build_tree(reduced_game("umb-tiny"))


def test_an_unknown_reduced_game_names_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'mmn-tinny'.*mmn-tiny"):
        reduced_game("mmn-tinny")


# ---------------------------------------------------------------- policies


class ByNumber:
    """Does an action the more often the greater its number."""

    name = "by number"

    def reset(self, seed: int) -> None: ...

    def act(self, decisions: Decisions) -> np.ndarray:
        raise NotImplementedError

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        weights = decisions.action_mask * np.arange(1.0, decisions.action_mask.shape[1] + 1)
        return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", ["mmn-tiny", "umb-tiny"])
def test_a_policy_is_asked_about_every_information_state(name: str) -> None:
    tree = tree_of(name)
    strategy = strategy_of(tree, ByNumber())
    for state in tree.states:
        actions = slice(state["first"], state["first"] + state["num_actions"])
        weights = 1.0 + tree.actions[actions]
        np.testing.assert_allclose(strategy[actions], weights / weights.sum())


def test_a_policy_that_may_do_what_is_not_legal_is_refused() -> None:
    class Careless(ByNumber):
        def probabilities(self, decisions: Decisions) -> np.ndarray:
            shape = decisions.action_mask.shape
            return np.full(shape, 1 / shape[1])

    with pytest.raises(ValueError, match=r"by number: the probabilities of legal actions must add"):
        strategy_of(tree_of("mmn-tiny"), Careless())


def test_a_policy_with_a_negative_probability_is_refused() -> None:
    class Negative(ByNumber):
        def probabilities(self, decisions: Decisions) -> np.ndarray:
            legal = decisions.action_mask.astype(float)
            count = legal.sum(axis=1, keepdims=True)
            first = np.eye(legal.shape[1])[legal.argmax(axis=1)]
            return np.where(
                count > 1, 2 * first - (legal - first) / np.maximum(count - 1, 1), legal
            )

    with pytest.raises(ValueError, match=r"by number: a probability must not be negative, as -1"):
        strategy_of(tree_of("mmn-tiny"), Negative())


@pytest.mark.parametrize("name", ["mmn-tiny", "umb-tiny"])
def test_random_is_uniform(name: str) -> None:
    tree = tree_of(name)
    np.testing.assert_allclose(
        strategy_of(tree, get_baseline(tree.game, "random")), uniform(tree), atol=1e-15
    )


@pytest.mark.parametrize("name", ["mmn-small", "umb-small"])
def test_the_exact_value_is_what_play_comes_to(name: str) -> None:
    tree, matches = tree_of(name), 4000
    names = (baselines(tree.game)[-1], "random", baselines(tree.game)[-2])
    players = [get_baseline(tree.game, player) for player in names]
    for player in players:
        player.reset(1)
    exact = value(tree, seated(tree, [strategy_of(tree, player) for player in players]))
    seating = np.tile(np.arange(3), (matches, 1))
    score = play(tree.game, players, seating, np.arange(matches, dtype=np.uint64)).score
    error = score.std(axis=0) / np.sqrt(matches)
    assert np.all(np.abs(score.mean(axis=0) - exact) < 4 * error)


# ---------------------------------------------------------------- known games


def published(tree: Tree, strategy: np.ndarray) -> dict[tuple[int, ...], float]:
    """The probability of betting, or of calling, by what is recalled."""
    walk = tree_module._Walk(tree.game, tree.histories)
    recalled: list[tuple[int, ...]] = []
    for _, decisions in walk.information_states(history=True):
        assert decisions.history is not None
        recalled += [tuple(row[row > 0].tolist()) for row in decisions.history[:, :, 0]]
    bets = strategy[tree.states["first"] + 1]
    return dict(zip(recalled, bets.tolist(), strict=True))


def test_kuhn_poker_has_its_known_size() -> None:
    tree = tree_of("kuhn")
    assert (len(tree.payoff), len(tree.states)) == (30, 12)


def test_uniform_play_of_kuhn_poker_has_its_known_value_and_nash_conv() -> None:
    """1/8, and 11/12: OpenSpiel's exploitability_test.py gives the same."""
    tree = tree_of("kuhn")
    found = nash_conv(tree, uniform(tree))
    np.testing.assert_allclose(found.value, [1 / 8, -1 / 8], atol=1e-12)
    assert found.total == pytest.approx(11 / 12, abs=1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_cfr_finds_an_equilibrium_of_kuhn_poker(algorithm: str) -> None:
    """Kuhn 1950: worth -1/18 to the first player, who bluffs with a in [0, 1/3] of the jacks."""
    tree = tree_of("kuhn")
    cfr = CFR(tree, algorithm)
    cfr.run(2000)
    found = nash_conv(tree, cfr.average)
    assert found.total < 2e-3
    assert found.value[0] == pytest.approx(-1 / 18, abs=1e-3)
    bets = published(tree, cfr.average)
    check, bet = 4 + CHECK, 4 + BET
    bluff = bets[JACK,]
    assert -0.01 < bluff < 1 / 3 + 0.01
    assert bets[KING,] == pytest.approx(3 * bluff, abs=0.03)
    assert bets[QUEEN, check, bet] == pytest.approx(bluff + 1 / 3, abs=0.03)
    assert bets[JACK, check] == pytest.approx(1 / 3, abs=0.03)
    assert bets[QUEEN, bet] == pytest.approx(1 / 3, abs=0.03)


def test_nash_conv_is_that_of_openspiel_in_kuhn_poker() -> None:
    tree, theirs = tree_of("kuhn"), pyspiel.load_game("kuhn_poker")
    strategy = random_strategy(tree, np.random.default_rng(3), pure=False)
    table = spiel_policy.TabularPolicy(theirs)
    for recalled, bet in published(tree, strategy).items():
        key = str(recalled[0] - 1) + "".join("pb"[done - 4] for done in recalled[1:])
        table.action_probability_array[table.state_lookup[key]] = 1 - bet, bet
    expected: Any = exploitability.nash_conv(theirs, table, return_only_nash_conv=False)
    found = nash_conv(tree, strategy)
    assert found.total == pytest.approx(expected.nash_conv, abs=1e-12)
    np.testing.assert_allclose(found.improvements, expected.player_improvements, atol=1e-12)


def test_a_best_response_is_the_best_of_all_pure_strategies() -> None:
    tree = tree_of("kuhn")
    strategy = random_strategy(tree, np.random.default_rng(0), pure=False)
    for seat in range(2):
        own = np.flatnonzero(tree.states["seat"] == seat)
        paid = []
        for choices in itertools.product((0, 1), repeat=len(own)):
            tried = strategy.copy()
            for state, choice in zip(tree.states[own], choices, strict=True):
                tried[state["first"] : state["first"] + 2] = np.eye(2)[choice]
            paid.append(value(tree, tried)[seat])
        best, response = best_response(tree, strategy, seat)
        assert best == pytest.approx(max(paid), abs=1e-12)
        assert value(tree, response)[seat] == pytest.approx(best, abs=1e-12)


# ---------------------------------------------------------------- NashConv, CFR


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["mmn-tiny", "umb-tiny"])
def test_nobody_loses_by_a_best_response_and_it_pays_what_it_says(name: str, seed: int) -> None:
    tree = tree_of(name)
    strategy = random_strategy(tree, np.random.default_rng(seed), pure=seed == 0)
    found = nash_conv(tree, strategy)
    assert np.all(found.improvements >= 0)
    assert found.total == found.improvements.sum() > 0.1
    for seat in range(tree.num_seats):
        best, response = best_response(tree, strategy, seat)
        others = tree.states["seat"] != seat
        first = tree.states["first"][others]
        np.testing.assert_array_equal(response[first], strategy[first])
        assert value(tree, response)[seat] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("name", ["mmn-small", "umb-small"])
def test_cfr_reaches_a_nash_conv_below_a_hundredth(name: str) -> None:
    tree = tree_of(name)
    cfr = CFR(tree, "dcfr")
    assert nash_conv(tree, cfr.average).total > 0.5
    cfr.run(150)
    assert nash_conv(tree, cfr.average).total < 0.01


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_cfr_can_be_stopped_and_go_on(algorithm: str) -> None:
    tree = tree_of("umb-tiny")
    whole, parts = CFR(tree, algorithm), CFR(tree, algorithm)
    whole.run(5)
    parts.run(2)
    parts.run(3)
    assert whole.iterations == parts.iterations == 5
    np.testing.assert_array_equal(whole.average, parts.average)


@pytest.mark.parametrize(("algorithm", "power"), [("cfr", 0), ("cfr+", 1), ("dcfr", 2)])
def test_the_average_weighs_the_t_th_strategy_by_a_power_of_t(algorithm: str, power: int) -> None:
    tree = tree_of("umb-tiny")
    cfr = CFR(tree, algorithm)
    sums = np.zeros(len(tree.actions))
    for t in range(1, 5):
        cfr.run(1)
        sums += t**power * reach_probabilities(tree, cfr.current)
    for state in tree.states:
        actions = slice(state["first"], state["first"] + state["num_actions"])
        if sums[actions].sum() > 0:
            expected = sums[actions] / sums[actions].sum()
            np.testing.assert_allclose(cfr.average[actions], expected, atol=1e-12)


def test_each_algorithm_is_another() -> None:
    averages = []
    for algorithm in ALGORITHMS:
        cfr = CFR(tree_of("umb-tiny"), algorithm)
        cfr.run(5)
        averages.append(cfr.average)
    assert all(not np.allclose(a, b) for a, b in itertools.combinations(averages, 2))


def test_an_unknown_algorithm_is_named() -> None:
    with pytest.raises(
        ValueError, match=r"algorithm='cfr2': must be one of 'cfr', 'cfr\+', 'dcfr'"
    ):
        CFR(tree_of("kuhn"), "cfr2")


def test_every_reduced_game_is_a_game_whose_first_history_is_chance() -> None:
    for name in REDUCED:
        states = reduced_game(name).new_states(1)
        reduced_game(name).kernels.start_match(states, 0, False)
        assert states["phase"][0] == 0
