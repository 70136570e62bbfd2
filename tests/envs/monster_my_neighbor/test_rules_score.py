"""A round's end, the match and its options (M26 to M30), from hand-built positions."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.monster_my_neighbor.state import DEFAULT_DECK as PUBLISHED
from masked_monsters.envs.monster_my_neighbor.state import MONSTERS
from masked_monsters.envs.registry import get_game
from tests.envs.monster_my_neighbor.tables import (
    do,
    god,
    happen,
    legal,
    match,
    outcomes,
    settle,
    table,
    to_left,
)

GAME = get_game("monster_my_neighbor")

LEFT = to_left(1)


# ---------------------------------------------------------------- the round's end


@pytest.mark.parametrize(
    ("monster", "friends", "gained"),
    [
        ("mermaid", (), [2, 0, 0, 0]),
        ("mermaid", (2,), [2, 0, 2, 0]),
        ("mermaid", (1, 2, 3), [2, 2, 2, 2]),
        ("mermaid", (0,), [2, 0, 0, 0]),  # once, even if one player is both
        ("mermaid", (0, 3), [2, 0, 0, 2]),
        ("vampire", (), [3, 0, 0, 0]),
        ("vampire", (0,), [3, 0, 0, 0]),
        ("vampire", (0, 1), [3, 2, 0, 0]),
    ],
)
def test_m26_a_played_monster_pays_its_player_and_each_friend(
    monster: str, friends: tuple[int, ...], gained: list[int]
) -> None:
    played = {seat: "friend hide deal" for seat in friends}
    states = table(
        "monster", "fog", "hide", "deal", monster=monster, played=played, vp=(1, 2, 3, 4)
    )
    do(states, "MONSTER")
    assert god(states)["last_outcome"] == {
        "kind": "played",
        "monster_player": 0,
        "by": 0,
        "gains": gained,
    }
    assert god(states)["vp"] == [
        gain + before for gain, before in zip(gained, (1, 2, 3, 4), strict=True)
    ]
    assert states["reward"][0, :4].tolist() == gained


@pytest.mark.parametrize("card", ["hunter", "dog"])
@pytest.mark.parametrize(
    ("friends", "kind", "gained"),
    [
        ((), "caught", [2, 0, 1, 1]),  # M27
        ((2,), "caught", [2, 0, 0, 1]),
        ((2, 3), "caught", [2, 0, 0, 0]),
        ((1,), "caught", [2, 0, 1, 1]),  # M29: a Friend held it, the catcher is none
        ((1, 3), "caught", [2, 0, 1, 0]),
        ((0,), "betrayed", [0, 0, 1, 1]),  # M28
        ((0, 1), "betrayed", [0, 0, 1, 1]),
        ((0, 2), "betrayed", [0, 0, 0, 1]),
        ((0, 1, 2, 3), "betrayed", [0, 0, 0, 0]),
    ],
)
def test_m27_m28_m29_a_caught_monster_pays_by_whether_the_catcher_is_a_friend(
    card: str, friends: tuple[int, ...], kind: str, gained: list[int]
) -> None:
    played = {seat: "friend hide" for seat in friends}
    states = table(f"{card} rumor", "monster fog", "deal deal", "rumor deal", played=played)
    do(states, card.upper(), LEFT)
    if card == "dog":
        do(states, "MONSTER")
    caught = {"hunter": "hunted", "dog": "dogged"}[card]
    assert god(states)["last_outcome"] == {
        "kind": caught if kind == "caught" else kind,
        "monster_player": 1,
        "by": 0,
        "gains": gained,
    }
    assert god(states)["vp"] == states["reward"][0, :4].tolist() == gained


@pytest.mark.parametrize(
    ("friends", "gained"), [((), [0, 1, 1, 1]), ((2,), [0, 1, 0, 1]), ((1, 2, 3), [0, 0, 0, 0])]
)
def test_m28_a_friends_own_discard_pays_everyone_but_the_friends(
    friends: tuple[int, ...], gained: list[int]
) -> None:

    played = {seat: "friend hide" for seat in friends}
    states = table("friend monster", "fog fog", "deal deal", "rumor deal", played=played)
    do(states, "FRIEND")
    happen(states, "hide")
    do(states, "MONSTER")
    assert god(states)["last_outcome"] == {
        "kind": "betrayed",
        "monster_player": 0,
        "by": 0,
        "gains": gained,
    }


def test_m29_the_monster_player_and_the_friends_are_those_of_the_rounds_end() -> None:
    states = table("deal fog hide", "hide villager deal", "monster friend hide", monster="vampire")
    do(states, "DEAL", to_left(2), "FOG", "MONSTER", "VILLAGER", "FRIEND")
    happen(states, "dog")
    do(states, "DOG", "HIDE", "HIDE", "HIDE", "MONSTER")
    assert god(states)["last_outcome"]["monster_player"] == 0
    assert god(states)["last_outcome"]["gains"] == [3, 0, 2]


def test_m29_a_friend_who_chose_the_monster_for_a_strangers_dog_is_no_traitor() -> None:
    states = table("dog fog", "monster hide", "fog deal", played={1: "friend hide"})
    do(states, "DOG", LEFT, "MONSTER")
    assert god(states)["last_outcome"]["kind"] == "dogged"
    assert god(states)["last_outcome"]["gains"] == [2, 0, 1]


# ---------------------------------------------------------------- the match


def about_to_end(n: int, vp: tuple[int, ...], **options: Any) -> np.ndarray:
    """Seat 0 is about to play a Mermaid, for 2 VP, with no Friend about."""
    hands = ["monster", *["fog"] * (n - 1)]
    return table(*hands, monster="mermaid", vp=vp, **options)


@pytest.mark.parametrize("num_rounds", [1, 2, 5])
def test_m30_a_match_has_the_rounds_agreed_on(num_rounds: int) -> None:
    for round_ in range(1, num_rounds + 1):
        states = about_to_end(3, (0, 0, 0), round=round_, num_rounds=num_rounds)
        do(states, "MONSTER")
        if round_ == num_rounds:
            assert god(states)["phase"] == "over"
        else:
            assert god(states)["round"] == round_ + 1
            assert god(states)["winners"] == []
            settle(states)
            assert legal(states) == {"WANTED"}
            assert god(states)["vp"] == [2, 0, 0]


@pytest.mark.parametrize("num_rounds", [0, 6, -1, 2.0, True, "5"])
def test_m30_a_match_has_1_to_5_rounds(num_rounds: Any) -> None:
    with pytest.raises(ValueError, match=r"^num_rounds=.*1 to 5") as error:
        GAME.with_options(num_rounds=num_rounds).new_states(1)
    assert f"num_rounds={num_rounds!r}" in str(error.value)


@pytest.mark.parametrize(
    ("vp", "winners"),
    [
        ((0, 0, 0, 0), [0]),
        ((1, 3, 0, 0), [0, 1]),
        ((1, 3, 3, 3), [0, 1, 2, 3]),
        ((0, 4, 4, 3), [1, 2]),
        ((0, 4, 5, 5), [2, 3]),
        ((9, 4, 5, 12), [3]),
    ],
)
def test_m30_the_most_vp_win_and_ties_share(vp: tuple[int, ...], winners: list[int]) -> None:
    states = about_to_end(4, vp, num_rounds=1)
    do(states, "MONSTER")
    view = god(states)
    assert (view["phase"], view["to_move"], view["winners"]) == ("over", None, winners)
    assert view["vp"] == [vp[0] + 2, *vp[1:]]
    assert view["table"][0][-1] == "monster"
    assert view["hands"] == [[], ["fog"], ["fog"], ["fog"]]
    assert view["resolving"] is None
    assert view["pending"] == {}
    assert legal(states) == set()
    assert states["reward"][0, :4].tolist() == [2, 0, 0, 0]

    states = about_to_end(4, vp, num_rounds=1, reward="win")
    do(states, "MONSTER")
    won = [1 / len(winners) - 1 / 4 if seat in winners else -1 / 4 for seat in range(4)]
    assert states["reward"][0, :4].tolist() == pytest.approx(won)
    assert states["reward"][0, 4:].tolist() == [0] * 4


def test_m30_reward_win_pays_nothing_before_the_matchs_end() -> None:
    states = about_to_end(3, (0, 0, 0), reward="win")
    do(states, "MONSTER")
    assert god(states)["vp"] == [2, 0, 0]
    assert not states["reward"].any()


def test_m30_a_rounds_vp_are_paid_once() -> None:
    states = about_to_end(3, (0, 0, 0))
    do(states, "MONSTER")
    settle(states)
    assert states["reward"][0, :3].tolist() == [2, 0, 0]
    do(states, "WANTED")
    assert not states["reward"].any()


TIED = (1, 3, 0)  # seat 0 is about to gain 2


def test_m30_tiebreak_rounds_plays_on_while_the_first_place_is_tied() -> None:
    states = about_to_end(3, TIED, round=2, num_rounds=2)
    do(states, "MONSTER")
    assert god(states)["winners"] == [0, 1]  # by default the tie is shared
    for vp, plays_on in ((TIED, True), ((1, 2, 0), False), ((0, 5, 5), True), ((0, 2, 3), False)):
        states = about_to_end(3, vp, round=2, num_rounds=2, tiebreak="rounds")
        do(states, "MONSTER")
        assert (god(states)["phase"] == "chance") == plays_on
    states = about_to_end(3, (5, 2, 2), round=2, num_rounds=2, tiebreak="rounds")
    do(states, "MONSTER")  # a tie for the second place does not matter
    assert god(states)["winners"] == [0]


def test_m30_in_tiebreak_rounds_all_play_and_any_may_win() -> None:
    states = about_to_end(4, (3, 4, 4, 0), round=3, num_rounds=2, tiebreak="rounds")
    do(states, "MONSTER")
    assert god(states)["winners"] == [0]


def test_m30_tiebreak_rounds_reshuffle_the_monster_deck_when_it_is_used_up() -> None:
    states = about_to_end(3, TIED, round=5, tiebreak="rounds")
    do(states, "MONSTER")
    assert god(states)["round"] == 6
    assert outcomes(states) == dict.fromkeys(MONSTERS, pytest.approx(0.2))
    states = about_to_end(3, TIED, round=6, tiebreak="rounds")
    do(states, "MONSTER")
    assert outcomes(states) == dict.fromkeys(set(MONSTERS) - {"mermaid"}, 0.25)
    states = about_to_end(3, TIED, round=2, num_rounds=2, tiebreak="rounds")
    do(states, "MONSTER")
    assert outcomes(states) == dict.fromkeys(
        set(MONSTERS) - {"mermaid", "vampire"}, pytest.approx(1 / 3)
    )


@pytest.mark.parametrize("num_rounds", [1, 3, 5])
def test_m30_after_5_more_rounds_the_tie_is_shared(num_rounds: int) -> None:
    options: dict[str, Any] = {"num_rounds": num_rounds, "tiebreak": "rounds"}
    states = about_to_end(3, TIED, round=num_rounds + 4, **options)
    do(states, "MONSTER")
    assert god(states)["phase"] == "chance"
    states = about_to_end(3, TIED, round=num_rounds + 5, **options)
    do(states, "MONSTER")
    assert god(states)["phase"] == "over"
    assert god(states)["winners"] == [0, 1]


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("reward", "money", "'vp', 'win'"),
        ("reward", None, "'vp', 'win'"),
        ("reward", 0, "'vp', 'win'"),
        ("tiebreak", "dice", "'share', 'rounds'"),
        ("tiebreak", True, "'share', 'rounds'"),
    ],
)
def test_m30_reward_and_tiebreak_are_among_the_known_ones(
    option: str, value: Any, allowed: str
) -> None:
    with pytest.raises(ValueError, match=f"^{option}={value!r}: .*{allowed}"):
        GAME.with_options(**{option: value}).new_states(1)


def test_an_unknown_option_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"num_player.*allowed: .*num_players"):
        GAME.with_options(num_player=4).new_states(1)


# ---------------------------------------------------------------- random play

FOLDS = {"wanted": 1, "hunter": 20, "hide": 1, "friend": 10, "dog": 3}
MOVES = {"wanted": 1, "hunter": 1, "hide": 1, "dog": 9, "steal": 9, "fog": 9, "rumor": 9}


@pytest.mark.parametrize("deck", [None, FOLDS, MOVES], ids=["published", "folds", "moves"])
@pytest.mark.parametrize("n", range(3, 9))
def test_m30_a_round_always_ends_before_hands_run_out_and_no_card_is_lost(
    n: int, deck: dict[str, int] | None
) -> None:
    rng = np.random.default_rng(n)
    for hand_size in (2, 3, 4):
        states = match(n, hand_size=hand_size, deck=deck, num_rounds=3)
        settle(states)
        everything = Counter(PUBLISHED if deck is None else deck) + Counter(["monster"])
        vp = np.zeros(n)
        while god(states)["phase"] != "over":
            view = god(states)
            assert legal(states)
            if view["phase"] == "play":
                assert view["hands"][view["to_move"]]
                assert max(view["turns"]) - min(view["turns"]) <= 1
            zones = (*view["hands"], *view["table"], *view["face_down"], view["deck"])
            assert Counter(card for zone in zones for card in zone) == everything
            do(states, rng.choice(sorted(legal(states))))
            settle(states)
            vp += states["reward"][0, :n]
        assert god(states)["round"] == 3
        assert god(states)["vp"] == vp.tolist()
