import dataclasses
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import baselines, get_baseline
from masked_monsters.evaluation.match import evaluate
from tests.envs.tables import do, table, to_left

GAME = get_game("monster_my_neighbor")
NAMES = baselines(GAME)
SHREWD = ("tracker", "mastermind")


def decisions_of(batch: Batch, rows: np.ndarray) -> Decisions:
    return Decisions(batch.view[rows], batch.observation[rows], batch.action_mask[rows])


def positions(
    num_players: int, hand_size: int = 4, *, steps: int = 60, lanes: int = 40
) -> Iterator[Decisions]:
    """Decisions of tables at which all players sit."""
    batch = Batch(GAME, lanes, num_players=num_players, hand_size=hand_size)
    players = [get_baseline(GAME, name) for name in NAMES]
    who = np.arange(lanes) % len(players)
    for step in range(steps):
        yield Decisions(batch.view.copy(), batch.observation.copy(), batch.action_mask.copy())
        actions = np.zeros(lanes, np.int64)
        for number, player in enumerate(players):
            rows = np.flatnonzero((who + step) % len(players) == number)
            actions[rows] = player.act(decisions_of(batch, rows))
        batch.step(actions)


def gathered(num_players: int, **how: Any) -> Decisions:
    return Decisions(*map(np.concatenate, zip(*positions(num_players, **how), strict=True)))


@pytest.fixture(scope="module")
def some() -> Decisions:
    """Many decisions at a table of four."""
    return gathered(4)


# ---------------------------------------------------------------- the list of players


def test_the_first_of_at_least_six_players_is_random() -> None:
    assert NAMES[0] == "random"
    assert len(set(NAMES)) == len(NAMES) >= 6


def test_an_unknown_player_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match=r"baseline='nobody'.*'random', 'hothead'"):
        get_baseline(GAME, "nobody")


def test_a_game_without_scripts_has_the_random_player() -> None:
    assert baselines(dataclasses.replace(GAME, name="another_game")) == ("random",)


# ---------------------------------------------------------------- every player


@pytest.mark.parametrize("hand_size", [2, 3, 4])
@pytest.mark.parametrize("num_players", range(3, 9))
def test_players_choose_among_the_legal_actions(num_players: int, hand_size: int) -> None:
    decisions = gathered(num_players, hand_size=hand_size)
    for name in NAMES:
        probabilities = get_baseline(GAME, name).probabilities(decisions)
        assert probabilities.dtype == np.float64
        assert (probabilities >= 0).all(), name
        assert (probabilities[decisions.action_mask == 0] == 0).all(), name
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, err_msg=name)


def test_random_takes_every_legal_action_alike(some: Decisions) -> None:
    expected = some.action_mask / some.action_mask.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(get_baseline(GAME, "random").probabilities(some), expected)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_actions_and_another_seed_others(
    name: str, some: Decisions
) -> None:
    player = get_baseline(GAME, name)
    by_default = player.act(some)
    after = player.act(some)
    player.reset(0)
    assert (player.act(some) == by_default).all()
    assert (player.act(some) == after).all()
    player.reset(2**64 - 1)
    assert (player.act(some) != by_default).any()


def test_a_bad_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="seed=-1: must be an integer from 0 to"):
        get_baseline(GAME, "random").reset(-1)


@pytest.mark.parametrize("name", NAMES)
def test_actions_come_as_often_as_their_probabilities_say(name: str, some: Decisions) -> None:
    player = get_baseline(GAME, name)
    times = 20_000
    for row in range(200, 1000, 100):
        one = Decisions(*(part[row : row + 1] for part in some))
        many = Decisions(*(part.repeat(times, axis=0) for part in one))
        frequencies = np.bincount(player.act(many), minlength=GAME.num_actions) / times
        np.testing.assert_allclose(frequencies, player.probabilities(one)[0], atol=0.015)


@pytest.mark.parametrize("name", NAMES)
def test_players_look_at_nothing_but_the_view_and_not_at_who_they_are(
    name: str, some: Decisions
) -> None:
    player = get_baseline(GAME, name)
    elsewhere = some.view.copy()
    elsewhere["seat"] = (elsewhere["seat"] + 1) % 4
    other = Decisions(elsewhere, np.zeros_like(some.observation), some.action_mask)
    assert (player.probabilities(other) == player.probabilities(some)).all()


@pytest.mark.parametrize("name", NAMES)
def test_players_leave_the_decisions_as_they_are(name: str, some: Decisions) -> None:
    for part in (before := Decisions(*(part.copy() for part in some))):
        part.flags.writeable = False
    player = get_baseline(GAME, name)
    player.act(before)
    assert all((a == b).all() for a, b in zip(before, some, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_a_pickled_player_goes_on_alike(name: str, some: Decisions) -> None:
    player = get_baseline(GAME, name)
    player.act(some)
    copy = pickle.loads(pickle.dumps(player))
    assert (copy.name, copy.game) == (name, GAME)
    assert (copy.act(some) == player.act(some)).all()


def test_nobody_to_decide_for_is_no_trouble(some: Decisions) -> None:
    nobody = Decisions(*(part[:0] for part in some))
    assert get_baseline(GAME, "random").act(nobody).shape == (0,)
    assert get_baseline(GAME, "random").probabilities(nobody).shape == (0, GAME.num_actions)


PLAIN = """
import sys
import numpy as np
from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import baselines, get_baseline

given = np.load(sys.argv[1])
decisions = Decisions(given["view"], given["observation"], given["action_mask"])
game = get_game("monster_my_neighbor")
players = [get_baseline(game, name) for name in baselines(game)]
np.savez(
    sys.argv[2],
    actions=[player.act(decisions) for player in players],
    probabilities=[player.probabilities(decisions) for player in players],
)
"""


def test_compiled_and_plain_python_play_alike(some: Decisions, tmp_path: Path) -> None:
    fewer = Decisions(*(part[::4] for part in some))
    np.savez(tmp_path / "given.npz", **fewer._asdict())
    subprocess.run(
        [sys.executable, "-c", PLAIN, tmp_path / "given.npz", tmp_path / "plain.npz"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=True,
    )
    plain = np.load(tmp_path / "plain.npz")
    for number, name in enumerate(NAMES):
        player = get_baseline(GAME, name)
        assert (plain["actions"][number] == player.act(fewer)).all(), name
        np.testing.assert_allclose(
            plain["probabilities"][number], player.probabilities(fewer), rtol=1e-12, err_msg=name
        )


# ---------------------------------------------------------------- their characters


def likings(name: str, states: np.ndarray) -> dict[str, float]:
    """The probability of each action that the seat to move may take."""
    views, observations = np.zeros(1, GAME.view), np.zeros(1, GAME.compact)
    masks = np.zeros((1, GAME.num_actions), np.int8)
    GAME.kernels.observe(states, 0, int(states["to_move"][0]), views, observations, 0)
    GAME.kernels.list_legal(states, 0, masks[0])
    decisions = Decisions(views, observations.view(np.int8).reshape(1, -1), masks)
    (row,) = get_baseline(GAME, name).probabilities(decisions)
    return {GAME.actions[action]: row[action] for action in np.flatnonzero(masks[0])}


def favourite(name: str, states: np.ndarray) -> str:
    """The action it most likely takes."""
    liked = likings(name, states)
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
    assert likings("hothead", states)["HUNTER"] == 1
    do(states, "HUNTER")
    assert set(likings("hothead", states).values()) == {1 / 3}


def test_a_hothead_keeps_its_hunters() -> None:
    states = table("gossip hunter fog", "monster rumor fog", "deal hide rumor")
    do(states, "GOSSIP")
    assert likings("hothead", states) == {"HUNTER": 0, "FOG": 1}


@pytest.mark.parametrize("name", ["friendly", *SHREWD])
def test_the_monsters_friends_become_so_at_once(name: str) -> None:
    states = table("friend hide rumor", "monster rumor fog", "deal hide rumor")
    assert favourite(name, states) == "FRIEND"


@pytest.mark.parametrize("name", ["friendly", *SHREWD])
def test_a_friend_never_hunts_where_it_knows_the_monster_to_be(name: str) -> None:
    states = passed_the_monster_on("friend")
    do(states, "HUNTER")
    assert likings(name, states)[to_left(2)] < 1e-6


def test_the_cautious_keep_their_hide() -> None:
    states = table("monster hide villager", "rumor rumor fog", "deal hide rumor")
    assert likings("cautious", states) == {"HIDE": 0, "VILLAGER": 1}


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
    assert likings(name, states)["HUNTER"] > 0.9
    do(states, "HUNTER")
    assert likings(name, states)[to_left(2)] > 0.9


@pytest.mark.parametrize("name", SHREWD)
def test_the_shrewd_set_the_dog_on_a_last_card(name: str) -> None:
    states = table("dog villager", "monster rumor", "deal hide", "rumor")
    do(states, "DOG")
    assert likings(name, states)[to_left(3)] > 0.9


@pytest.mark.parametrize("name", NAMES[2:])
def test_who_may_play_the_monster_early_does(name: str) -> None:
    states = table(
        "monster hide fog",
        "rumor hide fog",
        "deal hide rumor",
        played={0: "villager", 1: "villager"},
        monster="mermaid",
    )
    assert likings(name, states)["MONSTER"] > 0.99


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
