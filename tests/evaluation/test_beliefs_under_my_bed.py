"""Exact beliefs in Under My Bed, against deals played through one by one, and whole trees."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy
from masked_monsters.envs.reduced import reduced_game
from masked_monsters.envs.registry import get_game
from masked_monsters.envs.under_my_bed.state import (
    ANSWER,
    CHECK,
    DRAW_ASKER,
    FIRST_QUESTION,
    KID,
    WINDOW,
)
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.beliefs import Profile, history_of, resample
from masked_monsters.evaluation.beliefs.answering import ANSWERING, Ignoring
from masked_monsters.evaluation.beliefs.under_my_bed import (
    likelihoods,
    posterior,
    sample,
)
from masked_monsters.training.policy import NetworkPolicy
from tests.evaluation.beds import (
    ByCard,
    assert_same,
    assignments,
    bed_game,
    believed,
    brute_force,
    by_card,
    eager,
    gather,
    played,
    words_of,
)
from tests.evaluation.players import Drawing
from tests.training.test_history import history_config, model_of
from tests.training.tiny import changed, tiny_config

# ---------------------------------------------------------------- beliefs


PLAYERS = ("random", "honest", "trickster")


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("n", [3, 4, 5])
def test_beliefs_are_those_of_playing_every_deal_through(n: int, name: str) -> None:
    game = bed_game(n, 4 if n < 5 else 2)
    policy = get_baseline(game, name)
    player = eager(game, 0) if name == "random" else policy
    _compare(game, player, policy, None if name == "random" else policy)


@pytest.mark.parametrize("name", ANSWERING)
@pytest.mark.parametrize("n", [3, 4, 5])
def test_beliefs_by_an_answering_model_are_those_of_its_claims_alone(n: int, name: str) -> None:
    game = bed_game(n, 4 if n < 5 else 3)
    model = ANSWERING[name]()
    _compare(game, get_baseline(game, "trickster"), model, model, answers_only=True)
    if name == "uniform":
        _compare(game, get_baseline(game, "honest"), model, None, answers_only=True)


def _compare(
    game: Game, player: Policy, policy: Policy, profile: Profile, *, answers_only: bool = False
) -> None:
    """At moments of some matches, as the kid sees it and as a monster does."""
    unsure = 0
    for seed in range(3):
        moments = list(played(game, seed, player))
        for events, states in [*moments[:: len(moments) // 4], moments[-1]]:
            kid = int((states["role"][0] == KID).argmax())
            for seat in (kid, (kid + 1 + seed) % game.num_players):
                history = history_of(game, states, 0, seat)
                expected = brute_force(
                    game, events, seat, history, policy, answers_only=answers_only
                )
                found = believed(game, seat, history, profile, answers_only=answers_only)
                assert_same(found, expected)
                unsure += (expected.holds.max(axis=1) < 1).sum()
    assert unsure > 20


def test_a_kid_that_looks_instead_of_answering_has_claimed_nothing() -> None:
    game, model = bed_game(4), ANSWERING["uniform"]()
    looked = 0
    for seed in range(20):
        *_, (events, states) = played(game, seed, Drawing())
        if events[-1].phase == ANSWER:
            for seat in range(4):
                history = history_of(game, states, 0, seat)
                expected = brute_force(game, events, seat, history, model, answers_only=True)
                found = believed(game, seat, history, model, answers_only=True)
                assert_same(found, expected)
                assert found.kid[events[-1].seat] == 1
            looked += 1
    assert looked > 1


@pytest.mark.parametrize("kind", ["mlp", "gru"])
def test_beliefs_about_a_network_are_those_of_playing_every_deal_through(kind: str) -> None:
    game = bed_game(3, 2)
    config = tiny_config("under_my_bed") if kind == "mlp" else history_config(kind, "under_my_bed")
    config = changed(config, run={"num_games": 2})
    policy = NetworkPolicy(model_of(config).policy)
    assert policy.reads_history == (kind == "gru")
    moments = list(played(game, 0, eager(game, 0)))
    for events, states in moments[3::9]:
        for seat in range(3):
            history = history_of(game, states, 0, seat)
            expected = brute_force(game, events, seat, history, policy)
            assert_same(believed(game, seat, history, policy), expected, within=1e-5)  # float32


def test_beliefs_in_a_reduced_game_are_those_of_the_whole_tree() -> None:
    game = reduced_game("umb-small")
    weights: dict[tuple[int, bytes], dict[tuple[int, ...], float]] = {}
    _walk(game, _begun(game), 1.0, weights)
    assert len(weights) > 10_000
    for seat, history in list(weights)[::67]:
        rows = np.frombuffer(history, np.int8).reshape(-1, 4)
        expected = gather(weights[seat, history], 3)
        assert_same(believed(game, seat, rows, ByCard()), expected)


def _begun(game: Game) -> np.ndarray:
    states = game.new_states(1)
    game.kernels.start_match(states, 0, False)
    return states


def _walk(game: Game, states: np.ndarray, reach: float, weights: dict) -> None:
    """Add up the reach of all nodes in which a seat recalls the same, by what is dealt."""
    kernels, now = game.kernels, states[0]
    if now["phase"] == CHANCE:
        codes, chances = np.zeros(16, np.int64), np.zeros(16)
        count = kernels.list_chance(states, 0, codes, chances)
        # Seat 0 asks first: all recall who does, so nothing of another asker would be added.
        for i in range(1 if now["chance"] == DRAW_ASKER else count):
            after = np.frombuffer(bytearray(states.tobytes()), game.state)
            kernels.resolve_chance(after, 0, codes[i])
            _walk(game, after, reach * chances[i], weights)
        return
    cards = (*np.minimum(now["role"][:3], 3).tolist(), int(now["under_bed"]))
    for seat in range(3):
        node = weights.setdefault(
            (seat, history_of(game, states, 0, seat).tobytes()), defaultdict(float)
        )
        node[cards] += reach
    if now["phase"] != OVER:
        mask = np.zeros(game.num_actions, np.int8)
        kernels.list_legal(states, 0, mask)
        row = by_card(int(now["role"][now["to_move"]]), int(now["to_move"]), mask)
        for action in np.flatnonzero(mask).tolist():
            after = np.frombuffer(bytearray(states.tobytes()), game.state)
            kernels.step(after, 0, action, False)
            _walk(game, after, reach * row[action], weights)


def test_a_profile_may_have_a_policy_for_each_seat() -> None:
    game = bed_game(4)
    moments = list(played(game, 2, eager(game, 0)))
    _, states = moments[-2]
    history = history_of(game, states, 0, 0)
    mixed = likelihoods(game, 0, history, [ByCard(), ByCard(), Drawing(), ByCard()])
    alike, other = (likelihoods(game, 0, history, policy) for policy in (ByCard(), None))
    np.testing.assert_array_equal(mixed[[0, 1, 3]], alike[[0, 1, 3]])
    np.testing.assert_allclose(mixed[2], other[2])
    assert not np.allclose(alike[2], other[2])
    with pytest.raises(ValueError, match=r"profile of 3 policies: .* each of 4 seats"):
        likelihoods(game, 0, history, [ByCard()] * 3)


def test_who_ignores_claims_believes_what_the_cards_alone_say() -> None:
    game = bed_game(4)
    for _, states in played(game, 0, get_baseline(game, "honest")):
        if states["phase"][0] == OVER:
            break
        found = believed(game, 1, history_of(game, states, 0, 1), Ignoring(), answers_only=True)
        role = int(states["role"][0, 1])
        kid = np.eye(4)[1] if role == KID else np.array([1, 0, 1, 1]) / 3
        np.testing.assert_allclose(found.kid, kid, atol=1e-12)


# ---------------------------------------------------------------- draws and errors


@pytest.mark.parametrize("n", [3, 4])
def test_draws_are_as_frequent_as_they_are_probable(n: int) -> None:
    random = np.random.default_rng(n)
    table = random.random((n, n + 1)) * (random.random((n, n + 1)) < 0.8)
    weight = {tuple(cards): np.prod(table[range(n), cards]) for cards, _ in assignments(n)}
    count = 60_000
    drawn = Counter(map(tuple, sample(table, count, random).tolist()))
    assert drawn.keys() == {cards for cards, value in weight.items() if value > 0}
    total = sum(weight.values())
    statistic = sum(
        (drawn[cards] - count * value / total) ** 2 / (count * value / total)
        for cards, value in weight.items()
        if value > 0
    )
    assert statistic < len(drawn) + 5 * np.sqrt(2 * len(drawn))  # chi-squared: 5 deviations


def test_draws_at_the_largest_table_are_deals() -> None:
    cards = sample(np.ones((8, 9)), 500, np.random.default_rng(0))
    assert cards.dtype == np.int8
    assert ((cards == 8).sum(axis=1) == 1).all()
    assert all(len(set(row)) == 8 for row in cards.tolist())


def test_nothing_that_fits_is_an_error() -> None:
    table = np.ones((3, 4))
    table[:, 3] = 0
    for find in (posterior, lambda table: sample(table, 1, np.random.default_rng(0))):
        with pytest.raises(ValueError, match="no way to deal"):
            find(table)


def test_before_the_deal_is_over_there_are_no_beliefs() -> None:
    game = bed_game(3)
    history = history_of(game, _begun(game), 0, 0)
    with pytest.raises(ValueError, match=r"must be of a match that is dealt"):
        resample(game, 0, history)


def test_rows_that_are_not_used_do_not_matter() -> None:
    game = bed_game(4)
    *_, (_, states), _ = played(game, 5, eager(game, 0))
    history = history_of(game, states, 0, 3)
    padded = np.concatenate([history, np.zeros((9, 4), np.int8)])
    np.testing.assert_array_equal(
        likelihoods(game, 3, padded, None), likelihoods(game, 3, history, None)
    )


def test_a_row_keeps_its_proportions_in_a_match_too_long_for_products() -> None:
    game = get_game("under_my_bed", num_players=3, max_questions=None)
    words = words_of(game)

    class Rare(Drawing):
        """Passes with a probability that 30 windows of passing bring below the smallest number."""

        def probabilities(self, decisions: Decisions) -> np.ndarray:
            probabilities = super().probabilities(decisions)
            window = (probabilities[:, words + 14] > 0) & (decisions.view["phase"] == WINDOW)
            rare = np.where(decisions.view["role"] == KID, 1e-20, 2e-20)
            probabilities[window, words + 14] = rare[window]
            return probabilities

    calm = np.ones(game.num_actions)
    calm[:FIRST_QUESTION] = 1e-6
    calm[words + CHECK :] = 1e-9
    *_, (_, states) = played(game, 0, Drawing(calm))
    assert states["num_asked"][0] > 30
    table = likelihoods(game, 0, history_of(game, states, 0, 0), Rare())
    assert (table.max(axis=1) == 1).all()
