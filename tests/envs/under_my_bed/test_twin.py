"""The compiled rules against the slow twin, state by state. Also run with NUMBA_DISABLE_JIT=1."""

import random
from typing import Any

import pytest

from masked_monsters.envs.registry import get_game
from tests.envs.lockstep import count_tree
from tests.envs.under_my_bed.lockstep import Lockstep


def catalogue(sizes: tuple[int, ...], monsters: int, seed: int = 0) -> dict[str, Any]:
    """Monsters of random looks: an attribute of so many values for each size."""
    chooser = random.Random(seed)
    attributes = {f"a{i}": [f"v{k}" for k in range(size)] for i, size in enumerate(sizes)}
    return {
        "attributes": attributes,
        "monsters": {
            f"m{i}": {name: chooser.choice(values) for name, values in attributes.items()}
            for i in range(monsters)
        },
    }


CATALOGUES = (
    None,
    None,
    catalogue((2, 2), 8),
    catalogue((2,), 9),
    catalogue((3, 2, 4), 20),
    catalogue((4,) * 8, 32),
)


def play_matches(num_players: int, count: int, seed: int) -> None:
    chooser = random.Random(seed)
    outcomes, longest, most_accusals = set(), 0, 0
    for index in range(count):
        match = Lockstep(
            seed=chooser.getrandbits(64),
            num_players=num_players,
            max_questions=chooser.choice(("3n", "3n", None, 1, 2, 1000)),
            window_order=chooser.choice(("random", "clockwise")),
            first_asker=chooser.choice((None, 0, num_players - 1)),
            catalogue=chooser.choice(CATALOGUES),
            hedging=chooser.choice((True, False)),
        )
        match.patient = index % 2 == 0
        match.play_randomly(chooser, list_chance=index % 20 == 0)
        outcomes.add(match.twin.outcome)
        longest = max(longest, len(match.twin.questions_asked))
        most_accusals = max(most_accusals, len(match.twin.accusations))
    assert len(outcomes) == 5
    assert longest > 20
    assert most_accusals > 3


@pytest.mark.parametrize("num_players", range(3, 9))
def test_the_twin_agrees_over_300_random_matches(num_players: int) -> None:
    play_matches(num_players, 300, seed=num_players)


@pytest.mark.slow
@pytest.mark.parametrize("num_players", range(3, 9))
def test_the_twin_agrees_over_5000_random_matches(num_players: int) -> None:
    play_matches(num_players, 5000, seed=100 + num_players)


DEALT = [
    {
        "lineup": ["Gloamtwig", "Pipquill", "Flapsodden", "Bluntwhistle", "Fuzzlewing"],
        "under_bed": 1, "roles": ["kid", 0, 2, 4, 3], "asker": 1,
    },
    {
        "lineup": ["Skittermaw", "Dribblehorn", "Bluntwhistle", "Thistlegulp", "Nibbershade"],
        "under_bed": 4, "roles": ["kid", 1, 0, 2, 3], "asker": 1,
    },
    {
        "lineup": ["Pipquill", "Feathergast", "Scalawink", "Thistlegulp", "Nibbershade"],
        "under_bed": 3, "roles": [0, 2, 1, 4, "kid"], "asker": 0,
    },
]  # fmt: skip


def test_a_seed_deals_the_same_cards_compiled_or_not_on_every_machine() -> None:
    game = get_game("under_my_bed", num_players=5)
    states = game.new_states(3)
    states["stream"] = 0, 1, 2**64 - 1
    for lane in range(3):
        game.kernels.start_match(states, lane, True)
    dealt = [game.words.god_view(state) for state in states]
    fields = ("lineup", "under_bed", "roles", "asker")
    assert [{field: truth[field] for field in fields} for truth in dealt] == DEALT


# ---------------------------------------------------------------- whole trees


def reduced(max_questions: int, **options: Any) -> Lockstep:
    """3 players, 3 monsters of two attributes of two values, a clockwise window."""
    monsters = {
        "attributes": {"eyes": ["one", "two"], "skin": ["fur", "slime"]},
        "monsters": {
            "a": {"eyes": "one", "skin": "fur"},
            "b": {"eyes": "one", "skin": "slime"},
            "c": {"eyes": "two", "skin": "fur"},
        },
    }
    options = {"window_order": "clockwise", "first_asker": 0, **options}
    return Lockstep(num_players=3, catalogue=monsters, max_questions=max_questions, **options)


# Terminal histories, decisions and information states, counted by the twin alone (count_tree), which
# knows nothing of the compiled rules.
TREES: dict[tuple[tuple[str, Any], ...], tuple[int, int, int]] = {
    (): (10026, 4590, 1248),
    (("window_order", "random"),): (49482, 21870, 6000),
    (("first_asker", None),): (30078, 13770, 3744),
}
TWO_QUESTIONS = (446994, 207702, 79032)
TWO_QUESTIONS_OF_ONE_DEAL = (29946, 13767, 13767)


def one_deal(match: Lockstep) -> Lockstep:
    """Chance has dealt the first of its outcomes at each event."""
    while match.twin.phase == "chance":
        match.resolve(next(iter(match.outcomes() or ())))
    return match


@pytest.mark.parametrize("options", TREES)
def test_a_reduced_game_has_its_exact_numbers_of_histories_and_information_states(
    options: tuple[tuple[str, Any], ...],
) -> None:
    assert count_tree(reduced(1, **dict(options)).twin) == TREES[options]
    assert reduced(1, **dict(options)).check_tree() == TREES[options]


def test_one_deal_of_two_questions_has_its_exact_numbers() -> None:
    assert count_tree(one_deal(reduced(2)).twin) == TWO_QUESTIONS_OF_ONE_DEAL
    assert one_deal(reduced(2)).check_tree() == TWO_QUESTIONS_OF_ONE_DEAL


@pytest.mark.slow
def test_two_questions_have_their_exact_numbers() -> None:
    assert count_tree(reduced(2).twin) == TWO_QUESTIONS
    assert reduced(2).check_tree() == TWO_QUESTIONS
