"""The scripted players of Under My Bed: their characters and their strength."""

import numpy as np
import pytest

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import baselines, get_baseline
from masked_monsters.evaluation.match import evaluate_roles
from tests.envs.under_my_bed.tables import FOUR, accuse, answer, ask, do, poll, table, to_left
from tests.evaluation.players import likings

GAME = get_game("under_my_bed")
NAMES = baselines(GAME)[1:]
SHREWD = ("honest", "mimic", "trickster")


def favourite(name: str, states: np.ndarray) -> str:
    """The action it most likely takes."""
    liked = likings(GAME, name, states)
    return max(liked, key=lambda action: liked[action])


# FOUR: the kid, Mopwick (three purple fur), Gloamtwig (many blue feathers), Pipquill (one red
# feathers); Slurrow (one purple slime) lies under the bed.
CONTRADICTION = [(0, "colour green", "yes")]
"""Nobody in the line-up is green."""


def test_a_blurter_tells_exactly_what_it_is_and_a_hedger_does_not() -> None:
    states = table(*FOUR)
    ask(states, 1, "eyes")
    assert likings(GAME, "blurter", states)["CLAIM_3"] == 1
    for name in ("honest", "mimic"):
        assert likings(GAME, name, states)["CLAIM_3"] == 0
        assert likings(GAME, name, states)["CLAIM_13"] == 1  # one or three fits Slurrow too ...


@pytest.mark.parametrize("name", NAMES)
def test_who_has_contradicted_itself_is_accused_and_all_agree(name: str) -> None:
    states = table(*FOUR, asker=1, said=CONTRADICTION)
    ask(states, 2, "scene")
    answer(states, "night")
    poll(states, 1)
    assert favourite(name, states) == to_left(3)
    do(states, to_left(3))
    assert favourite(name, states) == "AGREE"


@pytest.mark.parametrize("name", NAMES)
def test_nobody_is_accused_before_anything_has_been_said(name: str) -> None:
    states = table(*FOUR)
    ask(states, 1, "scene")
    answer(states, "night")
    poll(states, 2)
    assert favourite(name, states) == "PASS"


@pytest.mark.parametrize("name", NAMES)
def test_the_kid_looks_under_the_bed_once_it_knows(name: str) -> None:
    known = [(1, "skin fur", "yes"), (2, "colour blue", "yes"), (3, "colour red", "yes")]
    states = table(*FOUR, said=known)
    ask(states, 0, "scene")
    assert favourite(name, states) == "CHECK_SLOT_2"


@pytest.mark.parametrize("name", NAMES)
def test_the_kid_does_not_look_when_it_knows_nothing(name: str) -> None:
    states = table(*FOUR)
    assert not favourite(name, states).startswith("CHECK")
    ask(states, 1, "scene")
    answer(states, "night")
    poll(states, 0)
    assert not favourite(name, states).startswith("CHECK")


@pytest.mark.parametrize("name", NAMES)
def test_the_kid_agrees_to_whatever_is_said_of_others(name: str) -> None:
    states = table(*FOUR)
    ask(states, 1, "scene")
    answer(states, "night")
    accuse(states, 1, 2)
    while states["to_move"][0] != 0:
        do(states, "AGREE")
    assert favourite(name, states) == "AGREE"


@pytest.mark.parametrize("name", SHREWD)
def test_the_shrewd_kid_never_says_what_no_monster_would(name: str) -> None:
    states = table(*FOUR, asker=1)
    ask(states, 0, "colour green")
    assert likings(GAME, name, states)["CLAIM_2"] == 0


def test_a_mimic_sticks_to_its_monster() -> None:
    said = [(0, "skin fur", "yes"), (2, "colour blue", "yes"), (3, "colour red", "yes")]
    states = table(*FOUR, asker=1, said=said)
    ask(states, 0, "eyes")  # after the fur of Mopwick, its three eyes
    assert likings(GAME, "mimic", states)["CLAIM_1"] == 0
    assert (
        sum(liked for claim, liked in likings(GAME, "mimic", states).items() if "3" in claim) == 1
    )


@pytest.mark.parametrize(
    ("kid", "stronger", "weaker"),
    [
        ("random", "trickster", "random"),
        ("mimic", "trickster", "mimic"),
        ("trickster", "trickster", "mimic"),
        ("honest", "mimic", "blurter"),
    ],
)
def test_the_stronger_monsters_catch_more_kids(kid: str, stronger: str, weaker: str) -> None:
    players = [get_baseline(GAME, name) for name in (kid, stronger, weaker)]
    strong, weak = evaluate_roles(GAME, players, [(0, 1), (0, 2)], matches=400)
    assert strong.win.mean < weak.win.mean + (0.03 if kid == "random" else 0)


@pytest.mark.parametrize(
    ("stronger", "weaker"), [("trickster", "mimic"), ("honest", "blurter"), ("mimic", "blurter")]
)
def test_the_stronger_kids_escape_the_trickster_more_often(stronger: str, weaker: str) -> None:
    players = [get_baseline(GAME, name) for name in ("trickster", stronger, weaker)]
    strong, weak = evaluate_roles(GAME, players, [(1, 0), (2, 0)], matches=400)
    assert strong.win.low > weak.win.high
