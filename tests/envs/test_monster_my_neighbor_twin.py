"""The compiled rules against the slow twin, state by state. Also run with NUMBA_DISABLE_JIT=1."""

import random

import pytest

from tests.envs.lockstep import GAME, Lockstep, play_random_match
from tests.reference.monster_my_neighbor import count_tree

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
        play_random_match(match, chooser, list_chance=index % 20 == 0)


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
    states = GAME.new_states(2, num_players=3)
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
    tree = count_tree(reduced(added).twin)
    assert tuple(tree.values()) == TREES[added]

    terminal = decisions = 0
    twins_name: dict[tuple[int, str], object] = {}
    our_name: dict[object, tuple[int, str]] = {}
    total = 0.0
    waiting = [(reduced(added), 1.0)]
    while waiting:
        node, reach = waiting.pop()
        node.check()
        if node.twin.over:
            terminal += 1
            total += reach
        elif node.twin.phase == "chance":
            node.check_outcomes()
            for code, weight in (node.outcomes() or {}).items():
                child = node.clone()
                child.resolve(code)
                child.states["reward"], child.states["cut"] = 0, 0
                waiting.append((child, reach * weight))
        else:
            decisions += 1
            ours = (node.twin.to_move, node.recall(node.twin.to_move))
            twins = node.twin.information_state(node.twin.to_move)
            assert twins_name.setdefault(ours, twins) == twins
            assert our_name.setdefault(twins, ours) == ours
            legal = node.legal_actions()
            for action in legal:
                child = node.clone()
                child.step(action)
                waiting.append((child, reach / len(legal)))
    assert (terminal, decisions, len(our_name)) == TREES[added]
    assert total == pytest.approx(1.0)
