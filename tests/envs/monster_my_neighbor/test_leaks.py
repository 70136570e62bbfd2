"""Worlds that differ only in what a seat cannot know must look the same to it."""

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.engine.phases import OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.monster_my_neighbor import state as S
from masked_monsters.envs.monster_my_neighbor import view as V
from tests.envs.leaks import check_tree, told_apart
from tests.envs.monster_my_neighbor.lockstep import GAME
from tests.envs.monster_my_neighbor.test_twin import TREES, reduced


def test_in_a_whole_reduced_tree_equal_information_means_equal_observations() -> None:
    check_tree(reduced(next(iter(TREES))))


@cache
def the_game(num_players: int) -> Game:
    return GAME.with_options(num_players=num_players)


def another_world(states: np.ndarray, seat: int, rng: random.Random) -> np.ndarray:
    """The same game with every card that ``seat`` cannot place dealt anew, and its secrets."""
    other = states.copy()
    state = other[0]
    n = int(state["num_players"])
    view = np.zeros(1, GAME.view)
    GAME.kernels.observe(states, 0, seat, view, np.zeros(1, GAME.compact), 0)
    rivals = [rival for rival in range(n) if rival != seat]
    hidden: list[int] = []

    def gather(counts: np.ndarray, kept: np.ndarray) -> int:
        hidden.extend(card for card in range(S.NUM_CARDS) for _ in range(counts[card] - kept[card]))
        loose = int(counts.sum() - kept.sum())
        counts[:] = kept
        return loose

    loose = {
        rival: gather(state["hands"][rival], view["known"][0, (rival - seat) % n])
        for rival in rivals
    }
    deck = gather(state["deck"], np.zeros(S.NUM_CARDS, np.int8))
    rng.shuffle(hidden)
    hidden.sort(key=lambda card: card != S.MONSTER)  # the Monster is in a hand, never in the deck
    places = [rival for rival in rivals for _ in range(loose[rival])]
    rng.shuffle(places)
    for rival in places:
        state["hands"][rival, hidden.pop(0)] += 1
    assert len(hidden) == deck
    for card in hidden:
        state["deck"][card] += 1
    if not state["knows_monster"][seat]:
        gone = {int(m) for m in state["monsters_seen"][: state["round"] - 1]}
        state["monster"] = rng.choice([m for m in range(S.NUM_MONSTERS) if m not in gone])
    for rival in rivals:
        if state["passing"][rival] >= 0:
            hand = np.flatnonzero(state["hands"][rival])
            state["passing"][rival] = rng.choice(hand.tolist())
    state["known"][rivals] = 0
    state["random"] = state["stream"] = rng.getrandbits(64)
    return other


def random_states(num_players: int, count: int, **options: Any) -> list[np.ndarray]:
    """Positions of decisions out of random matches."""
    rng = random.Random(num_players)
    states = GAME.with_options(num_players=num_players, **options).new_states(1)
    states["stream"] = num_players
    GAME.kernels.start_match(states, 0, True)
    mask = np.zeros(GAME.num_actions, np.int8)
    found: list[np.ndarray] = []
    while len(found) < count:
        if states["phase"][0] == OVER:
            GAME.kernels.start_match(states, 0, True)
        found.append(states.copy())
        GAME.kernels.list_legal(states, 0, mask)
        GAME.kernels.step(states, 0, rng.choice(np.flatnonzero(mask).tolist()), True)
    return found


@pytest.mark.parametrize("num_players", [3, 4, 8])
def test_dealing_anew_what_a_seat_cannot_know_changes_nothing_it_is_told(num_players: int) -> None:
    rng = random.Random(0)
    changed = 0
    for states in random_states(num_players, 150):
        seat = rng.randrange(num_players)
        other = another_world(states, seat, rng)
        changed += (other["hands"] != states["hands"]).any()
        assert told_apart(the_game(num_players), states, other, seat) == []
    assert changed > 75


def test_a_view_that_shows_the_next_seats_monster_would_be_caught() -> None:
    rng = random.Random(0)
    caught = 0
    for states in random_states(4, 150):
        other = another_world(states, 0, rng)
        caught += states["hands"][0, 1, S.MONSTER] != other["hands"][0, 1, S.MONSTER]
    assert caught > 10


def test_every_kind_of_token_is_told_to_someone() -> None:
    kinds = set()
    tokens = np.zeros((GAME.max_tokens, 4), np.int8)
    many_hunters = {**S.DEFAULT_DECK, "hunter": 20}
    for states in random_states(5, 2000) + random_states(5, 1000, deck=many_hunters):
        used = GAME.kernels.recollect(states, 0, int(states["to_move"][0]), tokens)
        kinds |= {V.TOKEN_KINDS[kind] for kind in tokens[:used, 0]}
    # A choice is pending only while another seat decides.
    assert kinds == set(V.TOKEN_KINDS) - {"nothing", "chosen"}
