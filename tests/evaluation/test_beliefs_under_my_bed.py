"""Exact beliefs in Under My Bed, against deals played through one by one, and whole trees."""

from collections import Counter, defaultdict
from functools import cache

import numpy as np
import pytest

from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy
from masked_monsters.envs.reduced import reduced_game
from masked_monsters.envs.registry import get_game
from masked_monsters.envs.under_my_bed.state import (
    AGREE,
    ANSWER,
    ASK_PLAYER,
    CHECK,
    CLAIM,
    DISAGREE,
    DRAW_ASKER,
    FIRST_QUESTION,
    KID,
    VOTE,
    WINDOW,
)
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.beliefs import Profile, Worlds, history_of, resample
from masked_monsters.evaluation.beliefs.answering import ANSWERING, Ignoring, Mimic
from masked_monsters.evaluation.beliefs.under_my_bed import (
    Posterior,
    likelihoods,
    posterior,
    sample,
)
from masked_monsters.training.policy import NetworkPolicy
from tests.evaluation.beds import assignments, brute_force, decision, eager, gather, played
from tests.evaluation.players import Drawing
from tests.training.test_history import history_config, model_of
from tests.training.tiny import changed, tiny_config

HIDDEN = ("stream", "random")


@cache
def bed_game(n: int, questions: int = 3, order: str = "random") -> Game:
    return get_game("under_my_bed", num_players=n, max_questions=questions, window_order=order)


def words_of(game: Game) -> int:
    return FIRST_QUESTION + int(game.record["num_questions"][0])


def believed(
    game: Game, seat: int, history: np.ndarray, profile: Profile, *, answers_only: bool = False
) -> Posterior:
    return posterior(likelihoods(game, seat, history, profile, answers_only=answers_only))


def assert_same(found: Posterior, expected: Posterior, within: float = 1e-12) -> None:
    for name in Posterior._fields:
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=0, atol=within, err_msg=name
        )


def worlds_of(
    game: Game,
    states: np.ndarray,
    seat: int,
    profile: Profile = None,
    count: int = 4,
    seed: int = 0,
) -> Worlds:
    history = history_of(game, states, 0, seat)
    return resample(game, seat, history, profile=profile, count=count, seed=seed)


def is_lone_poll(states: np.ndarray) -> bool:
    last = states["num_asked"][0] - 1
    return states["phase"][0] == WINDOW and states["accused"][0, last] >= 0


# ---------------------------------------------------------------- worlds


@pytest.mark.parametrize("order", ["random", "clockwise"])
@pytest.mark.parametrize("n", range(3, 9))
def test_in_each_world_the_seat_recalls_just_what_it_does(n: int, order: str) -> None:
    game = bed_game(n, 2, order)
    seen = Counter()
    for seed in range(8 if n < 6 else 6):
        for _, states in played(game, seed, eager(game, seed), chance=True):
            now = states[0]
            seen["lone poll" if is_lone_poll(states) else int(now["phase"])] += 1
            for seat in range(n):
                worlds = worlds_of(game, states, seat, seed=seed)
                history = history_of(game, states, 0, seat).tobytes()
                for lane in range(len(worlds.states)):
                    found = history_of(game, worlds.states, lane, seat)
                    assert found.tobytes() == history
    phases = {ASK_PLAYER, ANSWER, WINDOW, VOTE, OVER, "lone poll"}
    assert seen.keys() >= phases | ({CHANCE} if order == "random" else set())


@pytest.mark.parametrize("order", ["random", "clockwise"])
def test_a_world_with_the_true_hidden_parts_is_the_true_position(order: str) -> None:
    game = bed_game(3, 3, order)
    true, phases = 0, Counter()
    for seed in range(6):
        for _, states in played(game, seed, eager(game, seed), chance=True):
            for seat in range(3):
                for world in worlds_of(game, states, seat, count=6, seed=seed).states:
                    parts = ("role", "to_move", "agreed", "num_votes", "silent")
                    if all(np.array_equal(world[part], states[0][part]) for part in parts):
                        true += 1
                        phases[int(world["phase"])] += 1
                        for name in game.state.names or ():
                            if name not in HIDDEN:
                                np.testing.assert_array_equal(world[name], states[0][name], name)
    assert phases.keys() >= {ASK_PLAYER, ANSWER, WINDOW, VOTE, OVER}
    assert true > 300


def test_the_same_seed_draws_the_same_worlds_and_another_one_others() -> None:
    game = bed_game(5)
    *_, (_, states), _ = played(game, 1, eager(game, 0))
    one, again, other = (worlds_of(game, states, 2, count=50, seed=seed) for seed in (0, 0, 1))
    assert one.states.tobytes() == again.states.tobytes()
    assert (one.states["role"] != other.states["role"]).any()
    assert len(np.unique(one.states["random"])) == len(np.unique(one.states["stream"])) == 50
    assert one.effective_size == pytest.approx(50)


def test_worlds_are_as_probable_as_the_posterior_says() -> None:
    game, policy = bed_game(4), ByCard()
    found = (
        (states, expected)
        for _, states in played(game, 4, eager(game, 2))
        for expected in [believed(game, 0, history_of(game, states, 0, 0), policy)]
        if len(set(expected.kid.round(3))) == 4 and len(set(expected.bed.round(2))) > 2
    )
    states, expected = next(found)
    assert expected.kid.max() < 0.95
    roles = worlds_of(game, states, 0, policy, count=20_000).states["role"][:, :4]
    assert (roles == KID).mean(axis=0) == pytest.approx(expected.kid, abs=0.015)
    assert (roles[:, :, None] == np.arange(4)).mean(axis=0) == pytest.approx(
        expected.holds, abs=0.015
    )


def test_who_is_polled_is_anyone_else_who_has_not_been() -> None:
    game = bed_game(6)
    checked = 0
    for _, states in played(game, 0, Drawing(eager(game, 0).weights * 1.0)):
        now = states[0]
        if now["phase"] == WINDOW and not is_lone_poll(states) and now["to_move"] != 2:
            last = now["num_asked"] - 1
            free = set(range(6)) - set(now["polls"][last, : now["num_passes"][last]].tolist()) - {2}
            polled = worlds_of(game, states, 2, count=4000).states["to_move"]
            assert set(polled.tolist()) == free
            shares = np.bincount(polled, minlength=6)[sorted(free)] / 4000
            assert shares == pytest.approx(1 / len(free), abs=0.04)
            checked += len(free) > 2
    assert checked > 3


class Loyal(Drawing):
    """Votes by its card alone: monsters agree, the kid does not."""

    name = "loyal"

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        probabilities = super().probabilities(decisions)
        words = FIRST_QUESTION + int(decisions.view["num_questions"][0])
        voting = decisions.view["phase"] == VOTE
        agrees = decisions.view["role"] != KID
        probabilities[voting] = 0
        probabilities[voting, words + np.where(agrees, AGREE, DISAGREE)[voting]] = 1
        return probabilities


def test_pending_votes_are_drawn_from_the_profile_and_how_many_from_what_fits() -> None:
    game, profile = bed_game(6), Loyal()
    kinds = Counter()
    for seed in range(1, 40, 2):
        for _, states in played(game, seed, eager(game, seed)):
            now = states[0]
            last = now["num_asked"] - 1
            if now["phase"] != VOTE or (now["accused"][:last] >= 0).any():
                continue
            accused = int(now["accused"][last])
            accuser = int(now["polls"][last, now["num_polls"][last] - 1])
            turns = [s for s in ((accused + k) % 6 for k in range(1, 6)) if s != accuser]
            for seat in range(6):
                worlds = worlds_of(game, states, seat, profile, count=300).states
                cast = worlds["num_votes"]
                if seat == now["to_move"]:
                    kind, fits = "votes", {int(now["num_votes"])}
                elif seat not in turns:
                    kind, fits = "looks on", {0, 1, 2, 3}
                elif turns.index(seat) < now["num_votes"]:
                    kind, fits = "has voted", set(range(turns.index(seat) + 1, 4))
                else:
                    kind, fits = "waits", set(range(turns.index(seat)))
                kinds[kind] += 1
                assert set(cast.tolist()) == fits
                for world in worlds[:40]:
                    for voter in turns[: world["num_votes"]]:
                        agrees = bool(world["agreed"][last] >> voter & 1)
                        own = bool(now["agreed"][last] >> seat & 1)
                        assert agrees == (own if voter == seat else world["role"][voter] != KID)
    assert len(kinds) == 4
    assert min(kinds.values()) > 3


def test_a_kid_that_looked_in_the_end_may_have_passed_before_it_asked() -> None:
    game = bed_game(3)
    words = words_of(game)
    tried = (_accused_in_vain(game, seed) for seed in range(200))
    states = next(found for found in tried if found is not None)
    kid = int(states["to_move"][0])
    game.kernels.step(states, 0, words + CHECK + 1, False)
    seat = (kid + 1) % 3
    worlds = worlds_of(game, states, seat, count=6000).states
    # Polled alone: to pass, or any of 3 slots; then: 2 players but for who has just asked, or 3 slots.
    at_once, later = 1 / 4, 1 / 4 * 1 / 4
    assert worlds["silent"][:, 0].mean() == pytest.approx(later / (at_once + later), abs=0.02)
    assert not worlds_of(game, states, kid).states["silent"].any()


def _accused_in_vain(game: Game, seed: int) -> np.ndarray | None:
    """The lone poll (B13) of a kid that is to ask next, after the first question; None if it is not."""
    for _, states in played(game, seed, eager(game, 1)):
        if is_lone_poll(states) and states["num_asked"][0] == 1:
            return states if states["to_move"][0] == states["answerer"][0] else None
    return None


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


class ByCard:
    """Does each action the more or the less often, by its card."""

    name = "by card"

    def reset(self, seed: int) -> None:
        pass

    def act(self, decisions: Decisions) -> np.ndarray:
        raise NotImplementedError

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        return by_card(decisions.view["role"][:, None], decisions.action_mask)


def by_card(role: np.ndarray | int, mask: np.ndarray) -> np.ndarray:
    weights = mask * (1.0 + (np.arange(mask.shape[-1]) * 7 + role * 3) % 5)
    return weights / weights.sum(axis=-1, keepdims=True)


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
        row = by_card(int(now["role"][now["to_move"]]), mask)
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


# ---------------------------------------------------------------- answering models


def test_a_mimic_claims_what_one_of_the_monsters_that_it_may_be_might() -> None:
    game, model = bed_game(4, 6), Mimic()
    words = words_of(game)
    seen = Counter()
    for seed in range(40):
        for _, states in played(game, seed, eager(game, 0)):
            now = states[0]
            if now["phase"] != ANSWER or now["role"][now["to_move"]] != KID:
                continue
            seen_by = decision(game, states, model)
            row = model.probabilities(seen_by)[0]
            fits = [slot for slot in range(4) if now["fits"][now["to_move"], slot]] or range(4)
            attribute = now["about"][now["questions"][now["num_asked"] - 1], 0]
            expected = np.zeros(game.num_actions)
            for slot in fits:
                value = now["looks"][slot, attribute]
                true = [
                    claim
                    for claim in range(1, 15)
                    if seen_by.action_mask[0, words + CLAIM + claim] and claim >> value & 1
                ]
                for claim in true:
                    expected[words + CLAIM + claim] += 1 / len(true) / len(fits)
            np.testing.assert_allclose(row, expected, atol=1e-12)
            seen[len(fits)] += 1
    assert len(seen) > 2


@pytest.mark.parametrize("name", ANSWERING)
def test_an_answering_model_plays_whole_matches_by_the_rules(name: str) -> None:
    game, model = bed_game(4), ANSWERING[name]()
    for seed in range(5):
        *_, (events, _) = played(game, seed, model)
        *_, (again, _) = played(game, seed, model)
        assert events == again
    assert model.name == name
