"""What the tests of every game need to know of each; a new game needs an entry in ``CASES``."""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import GAMES

God = Mapping[str, Any]
Options = dict[str, Any]


class Case(NamedTuple):
    """One game."""

    short: Options
    """Of a match of few decisions."""
    other: Options
    """As far from the defaults as they go, mappings included."""
    deal: Callable[[God], Any]
    """What chance has dealt at a round's beginning."""
    scores: tuple[tuple[Options, Callable[[God], list[float]]], ...]
    """For each way to be paid: its options, and every seat's score by the ``god_view`` at the end."""
    cuts: tuple[tuple[Options, int], ...]
    """For each way to be paid: its options, and how often a match of it is cut."""
    bad_options: tuple[Options, ...]
    """One wrong value each."""
    hasty: tuple[str, ...] = ()
    """How the names of actions begin that would soon end a match played at random."""


@contextmanager
def global_generators_unused() -> Iterator[None]:
    """What runs within neither draws from Python's and NumPy's global generators nor seeds them."""
    random.seed(1)
    np.random.seed(1)
    expected = random.random(), np.random.random()
    random.seed(1)
    np.random.seed(1)
    yield
    assert (random.random(), np.random.random()) == expected


def win_shares(god: God) -> list[float]:
    """Each winner's share of 1, less that of a seat."""
    seats, winners = range(len(god["vp"])), god["winners"]
    return [(seat in winners) / len(winners) - 1 / len(seats) for seat in seats]


ATTRIBUTES = {"eyes": ["one", "two"], "skin": ["fur", "slime", "scales"]}
CATALOGUE = {
    "attributes": ATTRIBUTES,
    "monsters": {
        f"monster {number}": {
            name: values[number // (1 + place) % len(values)]
            for place, (name, values) in enumerate(ATTRIBUTES.items())
        }
        for number in range(9)
    },
}

CASES = {
    "monster_my_neighbor": Case(
        short={"num_rounds": 2},
        other={
            "num_rounds": 4,
            "hand_size": 3,
            "deck": {"wanted": 1, "hunter": 9, "hide": 9, "fog": 9},
            "reward": "win",
            "tiebreak": "rounds",
        },
        deal=lambda god: god["hands"],
        scores=(
            ({"reward": "vp"}, lambda god: god["vp"]),
            ({"reward": "win"}, win_shares),
        ),
        cuts=(
            ({"num_rounds": 2, "reward": "vp"}, 2),
            ({"num_rounds": 2, "reward": "win"}, 1),
        ),
        bad_options=(
            {"num_rounds": 0},
            {"hand_size": 5},
            {"reward": "gold"},
            {"tiebreak": "duel"},
            {"deck": {"wanted": 2}},
        ),
    ),
    "under_my_bed": Case(
        short={"max_questions": 3},
        other={
            "max_questions": None,
            "window_order": "clockwise",
            "first_asker": 1,
            "catalogue": CATALOGUE,
            "hedging": False,
        },
        deal=lambda god: (god["lineup"], god["under_bed"], god["roles"]),
        scores=(({}, lambda god: god["rewards"]),),
        cuts=(({"max_questions": 3}, 1),),
        bad_options=(
            {"max_questions": 0},
            {"max_questions": "4n"},
            {"window_order": "chaotic"},
            {"first_asker": 4},
            {"catalogue": {"attributes": {}, "monsters": {}}},
            {"hedging": 1},
        ),
        hasty=("CHECK", "AGREE"),
    ),
}

BAD_OPTIONS = (
    {"num_players": 2},
    {"num_players": 9},
    {"observation": "pixels"},
    {"render_mode": "rgb_array"},
)
"""Wrong for every environment."""


def weights(game: Game) -> np.ndarray:
    """Of every action in random play that sees the whole of a match: hasty actions are rare."""
    hasty = CASES[game.name].hasty
    return np.array([0.01 if action.startswith(hasty) else 1.0 for action in game.actions])


def module_of(name: str) -> Any:
    """The game's module for PettingZoo: it has ``env`` and ``raw_env``."""
    return import_module(f"masked_monsters.envs.{name}_v{GAMES[name]}")
