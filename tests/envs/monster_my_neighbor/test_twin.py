"""The compiled rules against the slow twin, state by state. Also run with NUMBA_DISABLE_JIT=1."""

import random

import pytest

from tests.envs.lockstep import count_tree
from tests.envs.monster_my_neighbor.lockstep import GAME, Lockstep

DECKS = (
    None,
    {"wanted": 1, "hunter": 12, "hide": 1, "rumor": 6, "gossip": 6, "steal": 5, "dog": 5},
    {"wanted": 1, "hunter": 1, "hide": 1, "fog": 10, "deal": 10, "friend": 12},
    {"wanted": 1, "hunter": 5, "hide": 5, "villager": 9, "dog": 4, "friend": 9},
)


def play_matches(num_players: int, count: int, seed: int) -> None:
    chooser = random.Random(seed)
    for index in range(count):
        match = Lockstep(
            seed=chooser.getrandbits(64),
            num_players=num_players,
            num_rounds=chooser.randint(1, 5),
            hand_size=chooser.choice((2, 3, 4, 4, 4)),
            deck=chooser.choice(DECKS),
            tiebreak=chooser.choice(("share", "rounds")),
        )
        match.play_randomly(chooser, list_chance=index % 20 == 0)


@pytest.mark.parametrize("num_players", range(3, 9))
def test_the_twin_agrees_over_300_random_matches(num_players: int) -> None:
    play_matches(num_players, 300, seed=num_players)


@pytest.mark.slow
@pytest.mark.parametrize("num_players", range(3, 9))
def test_the_twin_agrees_over_5000_random_matches(num_players: int) -> None:
    play_matches(num_players, 5000, seed=100 + num_players)


DEALT = [
    [
        ["fog", "hide", "hunter", "steal"],
        ["hide", "monster", "villager", "wanted"],
        ["deal", "deal", "hide", "villager"],
    ],
    [
        ["gossip", "monster", "villager", "wanted"],
        ["gossip", "hunter", "hunter", "villager"],
        ["deal", "friend", "hide", "rumor"],
    ],
]


def test_a_seed_deals_the_same_hands_compiled_or_not_on_every_machine() -> None:
    states = GAME.with_options(num_players=3).new_states(2)
    states["stream"] = 0, 2**64 - 1
    for lane in range(2):
        GAME.kernels.start_match(states, lane, True)
    dealt = [GAME.words.god_view(state)["hands"] for state in states]
    assert dealt == DEALT


# Counted by the twin alone (count_tree), which knows nothing of the compiled rules.
TREES: dict[tuple[str, ...], tuple[int, int, int]] = {
    ("villager", "rumor", "steal"): (9135, 28488, 12378),
    ("villager", "dog", "gossip"): (6570, 26505, 7452),
    ("friend", "fog", "deal"): (19950, 57207, 14307),
    ("hunter", "hunter", "villager"): (789, 2646, 876),
}


def reduced(added: tuple[str, ...]) -> Lockstep:
    """3 players, 2 cards each, one round, a six-card general deck."""
    deck = {"wanted": 1, "hunter": 1, "hide": 1}
    for card in added:
        deck[card] = deck.get(card, 0) + 1
    return Lockstep(num_players=3, hand_size=2, num_rounds=1, deck=deck)


@pytest.mark.parametrize("added", TREES)
def test_a_reduced_game_has_its_exact_numbers_of_histories_and_information_states(
    added: tuple[str, ...],
) -> None:
    assert count_tree(reduced(added).twin) == TREES[added]
    assert reduced(added).check_tree() == TREES[added]
