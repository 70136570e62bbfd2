"""Worlds that a seat cannot tell from the true one, in Under My Bed."""

from collections import Counter

import numpy as np
import pytest

from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.under_my_bed import view
from masked_monsters.envs.under_my_bed.state import (
    AGREE,
    ANSWER,
    ASK_PLAYER,
    CHECK,
    DISAGREE,
    FIRST_QUESTION,
    KID,
    VOTE,
    WINDOW,
)
from masked_monsters.evaluation.beliefs import Profile, Worlds, history_of, resample
from tests.evaluation.beds import (
    ByCard,
    bed_game,
    believed,
    eager,
    is_lone_poll,
    played,
    words_of,
)
from tests.evaluation.players import Drawing

HIDDEN = ("stream", "random")


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


def assert_can_be(states: np.ndarray) -> None:
    """Each card is in one place, the kid alone is polled after an accusal, and all are paid (B16)."""
    world, n = states[0], int(states["num_players"][0])
    cards = [*world["role"][:n].tolist(), int(world["under_bed"])]
    assert sorted(cards) == [*range(n), KID]
    if is_lone_poll(states):
        assert world["role"][world["to_move"]] == KID
    if world["phase"] == OVER:
        is_kid = world["role"][:n] == KID
        assert (world["reward"][:n][is_kid] == -world["reward"][:n][~is_kid]).all()


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
                    assert_can_be(worlds.states[lane : lane + 1])
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


@pytest.mark.parametrize("kind", [view.CARD, view.ASKED, view.ACCUSED])
def test_a_history_in_which_something_cannot_have_been_done_is_refused(kind: int) -> None:
    game = bed_game(4)
    refused = 0
    for seed in range(8):
        *_, (_, states) = played(game, seed, eager(game, seed))
        history = history_of(game, states, 0, 0)
        if (history[:, 0] == kind).any():
            with pytest.raises(ValueError, match=r"history|table"):
                resample(game, 0, history[history[:, 0] != kind], count=3)
            refused += 1
    assert refused
