"""Worlds that differ only in what a seat cannot know must look the same to it."""

import random
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.engine.phases import OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.under_my_bed import state as S
from masked_monsters.envs.under_my_bed import view as V
from tests.envs.leaks import check_tree, told_apart
from tests.envs.under_my_bed.tables import DRIVER, GAME
from tests.envs.under_my_bed.test_twin import reduced


@cache
def the_game(num_players: int, order: str) -> Game:
    return GAME.with_options(num_players=num_players, window_order=order, max_questions=6)


def test_in_a_whole_reduced_tree_equal_information_means_equal_observations() -> None:
    check_tree(reduced(1, window_order="random"))


# ---------------------------------------------------------------- dealt anew


def another_world(states: np.ndarray, seat: int, rng: random.Random) -> np.ndarray:
    """The same match as far as ``seat`` can know, with all its secrets drawn anew."""
    other = states.copy()
    state = other[0]
    deal_anew(state, seat, rng)
    if state["phase"] == S.VOTE:
        vote_anew(state, seat, rng)
    elif state["phase"] == S.WINDOW and state["to_move"] != seat:
        poll_anew(state, seat, rng)
    state["random"] = state["stream"] = rng.getrandbits(64)
    return other


def deal_anew(state: Any, seat: int, rng: random.Random) -> None:
    """Bed and cards, in any way that lets every monster have spoken the truth (B8)."""
    n = int(state["num_players"])
    rivals = [rival for rival in range(n) if rival != seat]
    hidden = [int(state["under_bed"]), *(int(state["role"][rival]) for rival in rivals)]
    for _ in range(2000):
        rng.shuffle(hidden)
        bed, *cards = hidden
        if bed != S.KID and all(map(lambda r, c: could_be(state, r, c), rivals, cards)):
            state["under_bed"] = bed
            state["role"][rivals] = cards
            return


def could_be(state: Any, seat: int, card: int) -> bool:
    """Worked out from the claims, not from what the rules keep of them."""
    for i in range(state["num_asked"]):
        if card != S.KID and state["answerers"][i] == seat and state["claims"][i]:
            attribute, _ = GAME.words._catalogue.questions[state["questions"][i]]  # type: ignore[attr-defined]  # this game's own Words
            value = int(state["catalogue"][state["lineup"][card], attribute])
            if not (int(state["claims"][i]) >> value) & 1:
                return False
    return True


def vote_anew(state: Any, seat: int, rng: random.Random) -> None:
    """How many have voted, and what, as far as the seat has not been told."""
    n, last = int(state["num_players"]), int(state["num_asked"]) - 1
    accused = int(state["accused"][last])
    accuser = int(state["polls"][last, state["num_polls"][last] - 1])
    voters = [(accused + k) % n for k in range(1, n) if (accused + k) % n != accuser]
    cast, agreed = int(state["num_votes"]), int(state["agreed"][last])
    if seat not in voters:
        cast = rng.randrange(n - 2)
    elif voters.index(seat) < cast:
        cast = rng.randrange(voters.index(seat) + 1, n - 2)
    elif voters.index(seat) > cast:
        cast = rng.randrange(voters.index(seat))
    votes = 1 << accuser
    for voter in voters[:cast]:
        agrees = (agreed >> voter) & 1 if voter == seat else rng.randrange(2)
        votes |= agrees << voter
    state["num_votes"], state["agreed"][last], state["to_move"] = cast, votes, voters[cast]


def poll_anew(state: Any, seat: int, rng: random.Random) -> None:
    """Somebody else is polled, who could be; alone, wherever the kid now sits."""
    n, last = int(state["num_players"]), int(state["num_asked"]) - 1
    if state["accused"][last] >= 0:
        state["to_move"] = state["role"][:n].tolist().index(S.KID)
    elif not state["clockwise"]:
        now = int(state["num_polls"][last]) - 1
        before = state["polls"][last, :now].tolist()
        polled = rng.choice([rival for rival in range(n) if rival != seat and rival not in before])
        state["polls"][last, now] = state["to_move"] = polled


def random_states(game: Game, count: int) -> list[np.ndarray]:
    """Positions of decisions out of random matches, in which few check and many accuse in vain."""
    rng = random.Random(game.num_players)
    states = game.new_states(1)
    states["stream"] = game.num_players
    game.kernels.start_match(states, 0, True)
    mask = np.zeros(game.num_actions, np.int8)
    found: list[np.ndarray] = []
    while len(found) < count:
        if states["phase"][0] == OVER:
            game.kernels.start_match(states, 0, True)
        found.append(states.copy())
        game.kernels.list_legal(states, 0, mask)
        legal = np.flatnonzero(mask).tolist()
        calm = [action for action in legal if not game.actions[action].startswith("CHECK")]
        game.kernels.step(states, 0, rng.choice(calm if rng.random() < 0.95 else legal), True)
    return found


@pytest.mark.parametrize("order", ["random", "clockwise"])
@pytest.mark.parametrize("num_players", [3, 4, 8])
def test_dealing_anew_what_a_seat_cannot_know_changes_nothing_it_is_told(
    num_players: int, order: str
) -> None:
    rng = random.Random(0)
    game = the_game(num_players, order)
    changed = 0
    for states in random_states(game, 150):
        seat = rng.randrange(num_players)
        other = another_world(states, seat, rng)
        changed += (other["role"] != states["role"]).any()
        assert told_apart(game, states, other, seat) == []
    assert changed > 75


LEAKS = {
    "what lies under the bed": lambda state, n: int(state["under_bed"]),
    "where the kid sits": lambda state, n: state["role"][:n].tolist().index(S.KID),
    "the next seat's card": lambda state, n: int(state["role"][1]),
    "who is polled or asked to vote": lambda state, n: int(state["to_move"]),
    "how many have voted": lambda state, n: int(state["num_votes"]),
    "a pending vote": lambda state, n: int(state["agreed"][state["num_asked"] - 1]),
    "the random numbers to come": lambda state, n: int(state["random"]),
}


def test_a_view_that_shows_any_of_the_secrets_would_be_caught() -> None:
    rng = random.Random(0)
    caught: Counter[str] = Counter()
    for states in random_states(the_game(5, "random"), 400):
        other = another_world(states, 0, rng)
        for name, leak in LEAKS.items():
            caught[name] += leak(states[0], 5) != leak(other[0], 5)
    assert caught.keys() == LEAKS.keys()
    assert min(caught.values()) > 20, caught


def test_every_kind_of_token_is_told_to_someone() -> None:
    kinds = set()
    tokens = np.zeros((DRIVER.most_tokens, 4), np.int8)
    game = the_game(4, "random")
    mask = np.zeros(game.num_actions, np.int8)
    for states in random_states(game, 1500):
        game.kernels.list_legal(states, 0, mask)
        for action in np.flatnonzero(mask)[-3:].tolist():
            after = states.copy()
            game.kernels.step(after, 0, action, True)
            for seat in range(4):
                used = game.kernels.recollect(after, 0, seat, tokens)
                kinds |= {V.TOKEN_KINDS[kind] for kind in tokens[:used, 0]}
    assert kinds == set(V.TOKEN_KINDS) - {"nothing"}
