"""The scripted players of Monster My Neighbor: their characters and their strength."""

import numpy as np
import pytest

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import baselines, get_baseline
from masked_monsters.evaluation.match import evaluate
from tests.envs.monster_my_neighbor.tables import do, table, to_left
from tests.evaluation.players import likings

GAME = get_game("monster_my_neighbor")
NAMES = baselines(GAME)
SHREWD = ("tracker", "mastermind")

# ---------------------------------------------------------------- their characters


def favourite(name: str, states: np.ndarray) -> str:
    """The action it most likely takes."""
    liked = likings(GAME, name, states)
    return max(liked, key=lambda action: liked[action])


def passed_the_monster_on(played: str) -> np.ndarray:
    """Seat 0, with this before it, has dealt the Monster to seat 2 and may now hunt."""
    states = table(
        "deal hunter monster",
        "villager rumor fog",
        "villager villager gossip",
        "villager rumor fog",
        played={0: played},
    )
    do(states, "DEAL", to_left(2), "MONSTER", "VILLAGER", "VILLAGER", "VILLAGER", "VILLAGER")
    return states


def test_a_hothead_hunts_when_it_can_and_does_not_care_whom() -> None:
    states = passed_the_monster_on("wanted")
    assert likings(GAME, "hothead", states)["HUNTER"] == 1
    do(states, "HUNTER")
    assert set(likings(GAME, "hothead", states).values()) == {1 / 3}


def test_a_hothead_keeps_its_hunters() -> None:
    states = table("gossip hunter fog", "monster rumor fog", "deal hide rumor")
    do(states, "GOSSIP")
    assert likings(GAME, "hothead", states) == {"HUNTER": 0, "FOG": 1}


@pytest.mark.parametrize("name", ["friendly", *SHREWD])
def test_the_monsters_friends_become_so_at_once(name: str) -> None:
    states = table("friend hide rumor", "monster rumor fog", "deal hide rumor")
    assert favourite(name, states) == "FRIEND"


@pytest.mark.parametrize("name", ["friendly", *SHREWD])
def test_a_friend_never_hunts_where_it_knows_the_monster_to_be(name: str) -> None:
    states = passed_the_monster_on("friend")
    do(states, "HUNTER")
    assert likings(GAME, name, states)[to_left(2)] < 1e-6


def test_the_cautious_keep_their_hide() -> None:
    states = table("monster hide villager", "rumor rumor fog", "deal hide rumor")
    assert likings(GAME, "cautious", states) == {"HIDE": 0, "VILLAGER": 1}


def test_the_cautious_hunt_late() -> None:
    states = table("villager hunter hide", "monster rumor fog", "deal hide rumor")
    assert favourite("cautious", states) == "VILLAGER"
    states = table("hunter hide", "monster fog", "hide rumor")
    assert favourite("cautious", states) == "HUNTER"


@pytest.mark.parametrize("name", ["cautious", *SHREWD])
def test_who_has_the_monster_and_no_hide_gives_it_away(name: str) -> None:
    states = table("monster deal villager rumor", "rumor rumor fog hide", "deal hide rumor hunter")
    assert favourite(name, states) == "DEAL"
    do(states, "DEAL", to_left(1))
    assert favourite(name, states) == "MONSTER"


@pytest.mark.parametrize("name", SHREWD)
def test_the_shrewd_hunt_where_they_know_the_monster_to_be(name: str) -> None:
    states = passed_the_monster_on("wanted")
    assert likings(GAME, name, states)["HUNTER"] > 0.9
    do(states, "HUNTER")
    assert likings(GAME, name, states)[to_left(2)] > 0.9


@pytest.mark.parametrize("name", SHREWD)
def test_the_shrewd_set_the_dog_on_a_last_card(name: str) -> None:
    states = table("dog villager", "monster rumor", "deal hide", "rumor")
    do(states, "DOG")
    assert likings(GAME, name, states)[to_left(3)] > 0.9


@pytest.mark.parametrize("name", NAMES[2:])
def test_who_may_play_the_monster_early_does(name: str) -> None:
    states = table(
        "monster hide fog",
        "rumor hide fog",
        "deal hide rumor",
        played={0: "villager", 1: "villager"},
        monster="mermaid",
    )
    assert likings(GAME, name, states)["MONSTER"] > 0.99


# ---------------------------------------------------------------- their strength


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("friendly", "hothead"),
        ("cautious", "hothead"),
        ("tracker", "friendly"),
        ("mastermind", "cautious"),
        ("mastermind", "friendly"),
    ],
)
def test_the_stronger_gain_more_than_their_table(better: str, worse: str) -> None:
    players = (get_baseline(GAME, name) for name in (better, worse))
    assert evaluate(GAME, *players, matches=1600).gain.low > 0
