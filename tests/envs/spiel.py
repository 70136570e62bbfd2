"""The games in OpenSpiel that its tests run on, and matches of them."""

import random
from collections.abc import Iterator
from typing import Any

import pyspiel
import pytest
from open_spiel.python import observation

from masked_monsters.envs.adapters.openspiel import OpenSpielGame, openspiel_game
from masked_monsters.envs.registry import get_game
from tests.envs.monster_my_neighbor import test_twin as neighbor
from tests.envs.under_my_bed import test_twin as bed
from tests.games import CASES

# Their annotations, or the lack of them, say less than they return.
load_game: Any = pyspiel.load_game
make_observation: Any = observation.make_observation

ONE_ROUND = neighbor.reduced(("hunter", "hunter", "villager")).game
ONE_QUESTION = bed.reduced(1).game.with_options(
    catalogue={
        "attributes": {"eyes": ["one", "two"]},
        "monsters": {"a": {"eyes": "one"}, "b": {"eyes": "one"}, "c": {"eyes": "two"}},
    },
)
SMALL = {"masked_monsters_mmn": ONE_ROUND, "masked_monsters_umb": ONE_QUESTION}
SMALL_TREES = {  # terminal histories, decisions, information states
    "masked_monsters_mmn": neighbor.TREES["hunter", "hunter", "villager"],
    "masked_monsters_umb": (5022, 2322, 630),
}

VARIED: list[tuple[str, dict[str, Any]]] = [
    ("monster_my_neighbor", {"num_rounds": 2}),
    ("monster_my_neighbor", {"num_players": 3, "num_rounds": 2, "reward": "win"}),
    ("monster_my_neighbor", {"num_players": 8, "num_rounds": 1, "tiebreak": "rounds"}),
    (
        "monster_my_neighbor",
        {
            "num_players": 5,
            "num_rounds": 1,
            "deck": {"wanted": 1, "hunter": 1, "hide": 1, "gossip": 9, "rumor": 9, "fog": 9},
        },
    ),
    ("monster_my_neighbor", CASES["monster_my_neighbor"].other),
    ("under_my_bed", {}),
    ("under_my_bed", {"num_players": 8, "max_questions": None}),
    ("under_my_bed", {"num_players": 3, "window_order": "clockwise"}),
    ("under_my_bed", CASES["under_my_bed"].other),
]


on_small_games = pytest.mark.parametrize(
    "small", [openspiel_game(game) for game in SMALL.values()], ids=SMALL
)
on_varied_games = pytest.mark.parametrize(
    "varied",
    [openspiel_game(get_game(name, **options)) for name, options in VARIED],
    ids=[f"{name}{options}"[:60] for name, options in VARIED],
)


def choices(state: Any) -> list[int]:
    if state.is_chance_node():
        return [outcome for outcome, _ in state.chance_outcomes()]
    return state.legal_actions()


def play(game: OpenSpielGame, seed: int) -> Iterator[Any]:
    """Every state of a match played at random: the same object, later further on."""
    chooser = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        state.apply_action(chooser.choice(choices(state)))
    yield state
