"""Worlds of Monster My Neighbor: those that a seat cannot tell from the true one, rightly weighted."""

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.engine.chance import cards_outcomes
from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.monster_my_neighbor import state as S
from masked_monsters.envs.monster_my_neighbor import view
from masked_monsters.envs.policy import Decisions, Policy
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.beliefs import history_of, resample
from masked_monsters.evaluation.beliefs import monster_my_neighbor_draws as draws

SECRETS = ("monster", "hands", "deck", "face_down", "buried", "passing")


def key_of(state: Any) -> bytes:
    """All that is hidden."""
    return b"".join(np.ascontiguousarray(state[name]).tobytes() for name in SECRETS)


class Posteriors:
    """Every information state of a reduced game, and the probabilities of its worlds."""

    def __init__(self, game: Game, policy: Policy | None) -> None:
        self.game = game
        self.policy = policy
        self.worlds: dict[tuple[int, bytes], dict[bytes, float]] = defaultdict(
            lambda: defaultdict(float)
        )
        states = game.new_states(1)
        game.kernels.start_match(states, 0, False)
        self._walk(states, np.ones(game.num_players + 1))

    def _walk(self, states: np.ndarray, reach: np.ndarray) -> None:
        """``reach``: by seat, and last of chance."""
        game, kernels = self.game, self.game.kernels
        if states["phase"][0] == OVER:
            return
        if states["phase"][0] == CHANCE:
            codes, weights = np.zeros(4096, np.int64), np.zeros(4096)
            for code, weight in zip(
                codes,
                weights[: kernels.list_chance(states, 0, codes, weights)],
                strict=False,
            ):
                child = states.copy()
                kernels.resolve_chance(child, 0, code)
                self._walk(child, reach * np.r_[np.ones(game.num_players), weight])
            return
        for seat in range(game.num_players):
            history = history_of(game, states, 0, seat).tobytes()
            others = np.delete(reach, seat).prod()
            self.worlds[seat, history][key_of(states[0])] += others
        seat = int(states["to_move"][0])
        chances = self._chances(states, seat)
        for action in np.flatnonzero(chances):
            child = states.copy()
            kernels.step(child, 0, int(action), False)
            after = reach.copy()
            after[seat] *= chances[action]
            self._walk(child, after)

    def _chances(self, states: np.ndarray, seat: int) -> np.ndarray:
        mask = np.zeros((1, self.game.num_actions), np.int8)
        self.game.kernels.list_legal(states, 0, mask[0])
        if self.policy is None:
            return mask[0] / mask[0].sum()
        views, compact = np.zeros(1, self.game.view), np.zeros(1, self.game.compact)
        self.game.kernels.observe(states, 0, seat, views, compact, 0)
        observation = compact.view(np.int8).reshape(1, -1)
        return self.policy.probabilities(Decisions(views, observation, mask))[0]


# One round of three with two cards each: together all that can happen in secret.
DECKS: dict[str, dict[str, int]] = {
    "rumor, steal": {"villager": 1, "rumor": 1, "steal": 1},
    "friend, dog, fog": {"friend": 2, "dog": 1, "fog": 1},
    "gossip, deal": {"gossip": 1, "deal": 1, "villager": 1, "hunter": 2},
    "friend, steal, gossip": {"friend": 2, "steal": 1, "gossip": 1},
    "dog, dog": {"dog": 2, "villager": 1},
}


@cache
def posteriors(cards: str, player: str | None) -> Posteriors:
    deck = {"wanted": 1, "hide": 1, "hunter": 1, **DECKS[cards]}
    game = get_game("monster_my_neighbor", num_players=3, hand_size=2, num_rounds=1, deck=deck)
    return Posteriors(game, load_agent(player, game) if player else None)


def distances(cards: str, player: str | None, count: int, some: int) -> list[float]:
    """Total variation between sampled and exact worlds, at some information states of a few or more."""
    exact = posteriors(cards, player)
    reached = [
        (key, worlds)
        for key, worlds in exact.worlds.items()
        if sum(worlds.values()) > 0 and len(worlds) > 1
    ]
    found = []
    for (seat, history), worlds in reached[:: -(-len(reached) // some)]:
        recalled = np.frombuffer(history, np.int8).reshape(-1, 4)
        sampled: dict[bytes, float] = defaultdict(float)
        drawn = resample(exact.game, seat, recalled, profile=exact.policy, count=count, seed=1)
        for state, weight in zip(drawn.states, drawn.weights, strict=True):
            sampled[key_of(state)] += weight
        total = sum(worlds.values())
        found.append(
            sum(abs(worlds.get(key, 0) / total - sampled[key]) for key in {*worlds, *sampled}) / 2
        )
    return found


@pytest.mark.parametrize(
    ("cards", "player"),
    [
        ("rumor, steal", None),
        ("friend, dog, fog", None),
        ("friend, steal, gossip", "tracker"),
        ("dog, dog", None),
    ],
)
def test_sampled_worlds_have_the_weights_of_the_whole_tree(cards: str, player: str | None) -> None:
    assert max(distances(cards, player, 3000, 12)) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("cards", DECKS)
@pytest.mark.parametrize("player", [None, "tracker", "cautious"])
def test_with_100_000_worlds_their_weights_are_right_to_2_percent(
    cards: str, player: str | None
) -> None:
    assert max(distances(cards, player, 100_000, 40)) < 0.02


def test_whatever_a_set_is_wanted_to_hold_its_weights_are_the_hypergeometric_ones() -> None:
    """Hands drawn by the proposal, weighted by ``p / q``, beside all that there are."""
    counts = np.array([1, 3, 0, 2, 1, 0, 0, 0, 0, 0, 0, 2], np.int8)
    none = np.zeros(S.NUM_CARDS, np.int64)
    wanted, left = none.copy(), none.copy()
    wanted[1] = left[11] = 1
    codes, chances = np.zeros(200, np.int64), np.zeros(200)
    exact = dict(zip(codes, chances[: cards_outcomes(counts, 3, codes, chances)], strict=False))
    random = np.random.default_rng(0)
    found: dict[int, float] = defaultdict(float)
    for lots in random.random((40_000, S.NUM_CARDS)):
        code, ratio = draws.draw_set(counts, 3, none, wanted, none, left, lots)
        found[code] += ratio / 40_000
    assert found.keys() <= exact.keys()
    assert sum(abs(found[int(code)] - chance) for code, chance in exact.items()) / 2 < 0.02


def positions(num_players: int, count: int, **options: Any) -> list[np.ndarray]:
    """States in random matches, also of later rounds; one record each."""
    rng = np.random.default_rng(num_players)
    batch = Batch("monster_my_neighbor", 16, seed=1, num_players=num_players, **options)
    found = []
    while len(found) < count:
        found.append(batch.states[rng.integers(16)][None].copy())
        shares = rng.random(batch.action_mask.shape) * batch.action_mask
        batch.step(shares.argmax(axis=1))
    return found


@pytest.mark.parametrize("num_players", [3, 4, 8])
def test_in_every_world_the_seat_recalls_what_it_does(num_players: int) -> None:
    game = get_game("monster_my_neighbor", num_players=num_players)
    for number, states in enumerate(positions(num_players, 40)):
        seat = number % num_players
        history = history_of(game, states, 0, seat)
        worlds = resample(game, seat, history, count=50, seed=number)
        assert worlds.weights.sum() == pytest.approx(1)
        assert (worlds.weights > 0).all()
        assert 1 <= worlds.effective_size * (1 + 1e-9) <= 64_000
        for lane in range(0, len(worlds.states), 7):
            assert (history_of(game, worlds.states, lane, seat) == history).all()
            assert worlds.states["phase"][lane] == states["phase"][0]
            assert worlds.states["to_move"][lane] == states["to_move"][0]
            assert worlds.states["vp"][lane].tolist() == states["vp"][0].tolist()


def test_who_steals_may_return_the_very_card_it_has_drawn() -> None:
    """Seat 1 steals a Steal from seat 3 and gives it back: it needs to have had only the one played."""
    game = get_game("monster_my_neighbor")
    dealt = [[view.HAS_DEALT, 0, 0, card] for card in (S.WANTED, S.HUNTER, S.HIDE, S.STEAL)]
    history = [
        *([view.SCORE, seat, 0, 0] for seat in range(4)),
        *dealt,
        [view.HAS_PLAYED, 0, 0, S.WANTED],
        [view.HAS_PLAYED, 1, 0, S.HIDE],
        [view.HAS_PLAYED, 2, 0, S.STEAL],
        [view.HAS_AIMED, 2, 0, 0],
        [view.HAS_MOVED, 0, 2, S.STEAL],
        [view.HAS_MOVED, 2, 0, S.STEAL],
        [view.NOW, 3, 0, S.PLAY],
    ]
    recalled = np.array(history, np.int8)
    worlds = resample(game, 3, recalled, count=100)  # of a deck with two Steals
    assert (worlds.states["hands"][:, 3, S.STEAL] == 1).all()
    assert (history_of(game, worlds.states, 0, 3) == recalled).all()


def test_m21_a_card_drawn_from_under_the_deck_is_the_one_that_was_seen() -> None:
    deck = {
        "wanted": 1,
        "hunter": 2,
        "hide": 1,
        "friend": 4,
        "villager": 1,
    }  # all but one are dealt
    game = get_game("monster_my_neighbor", num_players=3, hand_size=3, deck=deck)
    drawn = 0
    for states in positions(3, 100, hand_size=3, deck=deck):
        for seat in range(3):
            history = history_of(game, states, 0, seat)
            drawn += game.words.information_state(history).count("drew")
            worlds = resample(game, seat, history, count=20)
            for lane in range(len(worlds.states)):
                assert (history_of(game, worlds.states, lane, seat) == history).all()
    assert drawn > 10


def same(first: np.ndarray, second: np.ndarray) -> bool:
    names = S.STATE.names or ()
    return len(first) == len(second) and all((first[n] == second[n]).all() for n in names)


def test_worlds_depend_on_nothing_but_what_the_seat_recalls_and_the_seed() -> None:
    game = get_game("monster_my_neighbor")
    for states in positions(4, 10):
        history = history_of(game, states, 0, 1)
        padded = np.concatenate([history, np.zeros((9, 4), np.int8)])
        first = resample(game, 1, history, count=60, seed=3)
        again = resample(game, 1, padded, count=60, seed=3)
        other = resample(game, 1, history, count=60, seed=4)
        assert same(first.states, again.states)
        assert not same(first.states, other.states)


def test_a_policy_for_each_seat_is_asked_for_its_own_decisions_alone() -> None:
    game = get_game("monster_my_neighbor")
    asked: list[int] = []

    class Asked:
        name = "asked"

        def __init__(self, seat: int) -> None:
            self.seat = seat

        def reset(self, seed: int) -> None: ...

        def act(self, decisions: Decisions) -> np.ndarray:
            raise NotImplementedError

        def probabilities(self, decisions: Decisions) -> np.ndarray:
            assert (decisions.view["seat"] == self.seat).all()
            asked.append(self.seat)
            mask = decisions.action_mask
            return mask / mask.sum(axis=1, keepdims=True)

    states = positions(4, 13)[-1]
    history = history_of(game, states, 0, 2)
    worlds = resample(game, 2, history, profile=[Asked(seat) for seat in range(4)], count=40)
    assert set(asked) == {0, 1, 3}
    alike = resample(game, 2, history, count=40)
    assert same(worlds.states, alike.states)


def test_a_history_that_nothing_fits_is_refused() -> None:
    game = get_game("monster_my_neighbor")
    states = positions(4, 20)[-1]
    history = history_of(game, states, 0, 0)
    dealt = history[:, 0] == 4
    history[dealt, 3] = S.WANTED  # four of them in one hand
    with pytest.raises(ValueError, match="nothing fits it"):
        resample(game, 0, history, count=10)


SPOILED: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "no rows": lambda rows: rows[:0],
    "one row": lambda rows: rows[0],
    "a column less": lambda rows: rows[:, :3],
    "not integers": lambda rows: rows.astype(np.float64),
    "a kind that is not": lambda rows: np.where(rows == rows[-1, 0], 100, rows),
    "a card that is not": lambda rows: rows + [0, 0, 0, 30] * (rows[:, :1] == view.HAS_DEALT),
    "without its last row": lambda rows: rows[:-1],
    "without the deal": lambda rows: rows[rows[:, 0] != view.HAS_DEALT],
    "the deal twice": lambda rows: np.repeat(rows, 1 + (rows[:, 0] == view.HAS_DEALT), axis=0),
    "without targets": lambda rows: rows[rows[:, 0] != view.HAS_AIMED],
    "without what was played": lambda rows: rows[rows[:, 0] != view.HAS_PLAYED],
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_spoiled_history_is_refused_by_a_value_error_that_says_so(how: str) -> None:
    game = get_game("monster_my_neighbor")
    spoil = SPOILED[how]
    aimed = [
        (states, seat)
        for states in positions(4, 60)
        for seat in range(4)
        if (history_of(game, states, 0, seat)[:, 0] == view.HAS_AIMED).any()
    ]
    for states, seat in aimed[::9]:
        with pytest.raises(ValueError, match="history"):
            resample(game, seat, spoil(history_of(game, states, 0, seat)), count=10)


def test_a_profile_has_a_policy_for_each_seat() -> None:
    game = get_game("monster_my_neighbor")
    history = history_of(game, positions(4, 13)[-1], 0, 2)
    with pytest.raises(ValueError, match="profile of 3 policies"):
        resample(game, 2, history, profile=[load_agent("random", game)] * 3)


def test_a_match_that_is_over_hides_nothing() -> None:
    game = get_game("monster_my_neighbor", num_rounds=1)
    batch = Batch(game, 1, seed=0)
    while not batch.done[0]:
        batch.step(batch.action_mask.argmax(axis=1))
    history = history_of(game, batch.final_states, 0, 0)
    with pytest.raises(ValueError, match="over"):
        resample(game, 0, history)


def test_a_game_without_beliefs_says_so() -> None:
    from tests.kuhn import kuhn_poker

    with pytest.raises(ValueError, match="kuhn_poker: has no beliefs"):
        resample(kuhn_poker(), 0, np.zeros((1, 1), np.int8))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seat", 4),
        ("seat", -1),
        ("count", 0),
        ("seed", -1),
        ("count", 1.5),
        ("profile", [None] * 3),
    ],
)
def test_bad_arguments_are_named(name: str, value: Any) -> None:
    game = get_game("monster_my_neighbor")
    with pytest.raises(ValueError, match=name):
        resample(game, **{"seat": 0, "history": np.zeros((1, 4), np.int8), name: value})
