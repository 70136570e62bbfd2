"""The table and a round's course (M1 to M11), from hand-built positions."""

from collections import Counter
from typing import Any

import pytest

from masked_monsters.envs.monster_my_neighbor.state import MONSTERS
from masked_monsters.envs.registry import get_game
from tests.envs.monster_my_neighbor.tables import (
    do,
    god,
    happen,
    holds,
    legal,
    match,
    outcomes,
    settle,
    table,
    to_left,
)

GAME = get_game("monster_my_neighbor")

LEFT = to_left(1)
PUBLISHED = {
    "wanted": 1, "hunter": 4, "hide": 5, "villager": 4, "dog": 1, "rumor": 3,
    "gossip": 3, "steal": 2, "friend": 4, "fog": 2, "deal": 4,
}  # fmt: skip


# ---------------------------------------------------------------- the table


def test_m1_play_goes_clockwise_and_players_are_named_from_the_left() -> None:
    states = table("hide", "hunter fog", "hide fog", "hide monster", to_move=1)
    do(states, "HUNTER", to_left(3))
    assert god(states)["last_outcome"] is None
    for seat in (2, 3):
        assert god(states)["to_move"] == seat
        do(states, "HIDE")
    assert god(states)["to_move"] == 0


@pytest.mark.parametrize("by", range(4))
@pytest.mark.parametrize("k", [1, 2, 3])
def test_m1_the_kth_player_to_my_left(by: int, k: int) -> None:
    hands = ["deal fog"] * 4
    hands[by] = "hunter fog"
    hands[(by + k) % 4] = "monster fog"
    states = table(*hands, to_move=by)
    do(states, "HUNTER", to_left(k))
    assert god(states)["last_outcome"]["monster_player"] == (by + k) % 4


@pytest.mark.parametrize("n", [2, 9, 0, -3, 4.0, "4", True, None])
def test_m1_there_are_3_to_8_players(n: Any) -> None:
    with pytest.raises(ValueError, match=r"num_players=.*3 to 8") as error:
        GAME.with_options(num_players=n).new_states(1)
    assert f"num_players={n!r}" in str(error.value)


def test_m2_the_published_deck_has_33_cards_of_11_types() -> None:
    assert sum(PUBLISHED.values()) == 33
    states = match(4)
    happen(states, "vampire")
    settle(states)
    view = god(states)
    cards = Counter(card for zone in (*view["hands"], view["deck"]) for card in zone)
    assert cards == {**PUBLISHED, "monster": 1}


def bad(**cards: Any) -> dict[str, Any]:
    return {**PUBLISHED, **cards}


@pytest.mark.parametrize(
    ("deck", "words"),
    [
        (bad(wanted=0), "exactly 1 'wanted', has 0"),
        (bad(wanted=2), "exactly 1 'wanted', has 2"),
        ({card: 9 for card in PUBLISHED if card != "wanted"}, "exactly 1 'wanted', has 0"),
        (bad(hunter=0), "at least 1 'hunter'"),
        (bad(hide=0), "at least 1 'hide'"),
        ({"wanted": 1, "hunter": 10, "hide": 3}, "at least 15 cards .*has 14"),
        (bad(witch=1), "'witch'.*allowed: wanted, hunter, hide"),
        (bad(Hunter=1), "'Hunter'.*allowed: wanted"),
        (bad(monster=1), "'monster'.*allowed: wanted"),
        (bad(monster=0), "'monster'.*allowed: wanted"),
        (bad(fog=-1), "'fog'.*=-1: must be an integer from 0"),
        (bad(fog=2.0), r"'fog'.*=2\.0: must be an integer from 0"),
        (bad(fog=True), "'fog'.*=True: must be an integer from 0"),
        (bad(wanted=True), "'wanted'.*=True: must be an integer from 0"),
        (bad(fog="2"), "'fog'.*='2': must be an integer from 0"),
        (bad(fog=None), "'fog'.*=None: must be an integer from 0"),
        ([], "must be a mapping"),
        ("hunter", "must be a mapping"),
        (3, "must be a mapping"),
        ({}, "exactly 1 'wanted', has 0"),
    ],
)
def test_m2_a_custom_deck_that_cannot_be_played_is_refused_by_name(deck: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"^deck.*{words}"):
        GAME.with_options(num_players=4, deck=deck).new_states(1)


def test_m2_a_custom_deck_of_just_enough_cards_is_played_without_a_general_deck() -> None:
    states = match(3, hand_size=2, deck={"wanted": 1, "hunter": 1, "hide": 1, "friend": 2})
    settle(states)
    assert god(states)["deck"] == []
    dealt = Counter(card for hand in god(states)["hands"] for card in hand)
    assert dealt == Counter(["wanted", "hunter", "hide", "friend", "friend", "monster"])


def test_m3_a_round_has_one_of_the_monsters_not_seen_before() -> None:
    states = match(3)
    assert outcomes(states) == dict.fromkeys(MONSTERS, pytest.approx(0.2))
    states = table(
        "monster", "fog", "hide", monster="goomiho", round=3, monsters_seen="mermaid vampire"
    )
    do(states, "MONSTER")
    assert outcomes(states) == {"werewolf": 0.5, "mandrake": 0.5}
    assert god(states)["monsters_seen"] == ["mermaid", "vampire", "goomiho"]
    assert god(states)["monster"] is None


@pytest.mark.parametrize("hand_size", [2, 3, 4])
@pytest.mark.parametrize("n", [3, 5, 8])
def test_m4_m5_everyone_is_dealt_a_hand_out_of_the_starting_deck(n: int, hand_size: int) -> None:
    for stream in range(20):
        states = match(n, stream=stream, hand_size=hand_size)
        settle(states)
        view = god(states)
        assert [len(hand) for hand in view["hands"]] == [hand_size] * n
        dealt = Counter(card for hand in view["hands"] for card in hand)
        assert min(dealt["hunter"], dealt["hide"]) >= 1
        assert dealt["wanted"] == dealt["monster"] == 1
        assert dealt + Counter(view["deck"]) == {**PUBLISHED, "monster": 1}
        assert view["table"] == view["face_down"] == [[]] * n


@pytest.mark.parametrize("hand_size", [1, 5, 0, 3.0, True, "4"])
def test_m4_a_hand_has_2_to_4_cards(hand_size: Any) -> None:
    with pytest.raises(ValueError, match=r"hand_size=.*2 to 4") as error:
        GAME.with_options(hand_size=hand_size).new_states(1)
    assert f"hand_size={hand_size!r}" in str(error.value)


def test_m5_the_starting_deck_gets_random_cards_and_is_dealt_seat_by_seat() -> None:
    states = match(3, hand_size=2)
    happen(states, "mermaid")
    added = outcomes(states)  # two of the thirty cards that are left
    assert sum(added.values()) == pytest.approx(1)
    assert added["villager villager"] == pytest.approx(4 * 3 / (30 * 29))
    assert added["hunter dog"] == pytest.approx(2 * 3 * 1 / (30 * 29))
    assert not any("wanted" in cards for cards in added)
    happen(states, "hunter dog")
    hands = outcomes(states)  # wanted, hunter, hunter, hide, dog, monster
    assert hands["hunter hunter"] == pytest.approx(1 / 15)
    assert hands["hunter monster"] == pytest.approx(2 / 15)
    happen(states, "dog monster")
    assert outcomes(states)["wanted hide"] == pytest.approx(1 / 6)
    happen(states, "hunter hunter")
    assert outcomes(states) == {"wanted hide": 1.0}
    happen(states, "wanted hide")
    assert god(states)["hands"] == [["dog", "monster"], ["hunter", "hunter"], ["hide", "wanted"]]
    left = Counter(PUBLISHED) - Counter(["wanted", "hunter", "hunter", "hide", "dog"])
    assert Counter(god(states)["deck"]) == left


# ---------------------------------------------------------------- turns


def test_m6_whoever_holds_wanted_begins_and_must_play_it() -> None:
    for stream in range(20):
        states = match(5, stream=stream)
        settle(states)
        starter = god(states)["to_move"]
        assert "wanted" in holds(states, starter)
        assert legal(states) == {"WANTED"}
        hands = god(states)["hands"]
        do(states, "WANTED")
        hands[starter].remove("wanted")
        assert god(states)["hands"] == hands
        assert god(states)["to_move"] == (starter + 1) % 5


def test_m7_one_card_a_turn_face_up_and_hands_are_not_refilled() -> None:
    states = table("hide deal", "villager fog", "monster fog")
    do(states, "HIDE", "VILLAGER")
    assert [table[-1] for table in god(states)["table"][:2]] == ["hide", "villager"]
    assert god(states)["hands"] == [["deal"], ["fog"], ["fog", "monster"]]
    assert god(states)["turns"] == [3, 3, 2]
    assert god(states)["to_move"] == 2


def test_m7_turn_table_and_counters_grow_as_soon_as_the_card_is_chosen() -> None:
    states = table("hunter deal", "friend fog", "monster fog")
    do(states, "HUNTER")
    view = god(states)
    assert (view["phase"], view["to_move"]) == ("target", 0)
    assert view["turns"] == [3, 2, 2]
    assert view["table"][0][-1] == "hunter"
    assert view["hunters_played"] == 1
    assert view["hands"][0] == ["deal"]
    assert view["resolving"] == {"card": "hunter", "by": 0, "target": None}
    do(states, LEFT, "FRIEND")
    assert god(states)["phase"] == "chance"
    assert god(states)["friends"] == [1]


def test_m7_decisions_with_one_legal_action_are_asked_too() -> None:
    states = table("deal hide", "hide", "monster")
    do(states, "DEAL", LEFT)
    assert legal(states) == {"HIDE"}
    do(states, "HIDE")
    assert legal(states) == {"HIDE"}
    do(states, "HIDE")
    assert legal(states) == {"HIDE"}
    assert god(states)["phase"] == "play"


def test_m8_nobody_plays_a_hunter_on_their_first_turn() -> None:
    states = table(
        "hunter fog monster", "hunter deal deal hide", "hunter hide hide hide", to_move=1
    )
    assert legal(states) == {"DEAL", "HIDE"}
    do(states, "HIDE")
    assert legal(states) == {"HIDE"}
    do(states, "HIDE")
    assert legal(states) == {"HUNTER", "FOG"}


def test_m9_the_monster_is_played_only_as_the_last_card() -> None:
    assert legal(table("monster hide", "deal deal", "deal deal")) == {"HIDE"}
    assert legal(table("monster", "deal", "deal")) == {"MONSTER"}
    states = table("monster hunter", "deal deal", "deal deal", monster="mermaid")
    assert legal(states) == {"HUNTER"}


@pytest.mark.parametrize("hand", ["hunter hunter hunter hunter", "hunter hunter hunter monster"])
def test_m10_a_first_turn_without_a_playable_card_is_a_fold(hand: str) -> None:
    other = "hide fog monster" if "monster" not in hand else "hide fog deal"
    states = table(other, hand, "deal deal deal deal", to_move=1)
    assert legal(states) == {"FOLD"}
    do(states, "FOLD")
    view = god(states)
    assert view["face_down"] == [[], ["hunter"], []]
    assert view["table"][1] == []
    assert view["hands"][1] == sorted(hand.split()[1:])
    assert view["turns"] == [1, 1, 0]  # a turn taken …
    assert view["hunters_played"] == 0  # … but no Hunter played
    assert view["to_move"] == 2
    do(states, "DEAL", LEFT, "DEAL", "HIDE", "FOG")
    settle(states)
    assert god(states)["turns"] == [2, 1, 1]
    assert "FOLD" not in legal(states)


def test_m10_a_short_hand_folds_too_and_may_then_play_the_monster() -> None:
    states = table("hide", "hunter monster", "fog hide", to_move=1, hand_size=2)
    assert legal(states) == {"FOLD"}
    do(states, "FOLD", "HIDE", "HIDE")
    assert legal(states) == {"MONSTER"}


def test_m10_a_monster_playable_by_m24_or_m25_prevents_the_fold() -> None:
    hands = [
        "hide fog deal",
        "hide fog deal",
        "hunter hunter hunter monster",
        "deal deal deal deal",
    ]
    for monster, card in (("mermaid", "villager"), ("mandrake", "hunter")):
        states = table(*hands, to_move=2, monster=monster, played={0: card, 1: card})
        assert legal(states) == {"MONSTER"}
        states = table(*hands, to_move=2, monster=monster, played={0: card, 1: "hide"})
        assert legal(states) == {"FOLD"}
        states = table(*hands, to_move=2, monster="vampire", played={0: card, 1: card})
        assert legal(states) == {"FOLD"}


def test_m10_is_judged_when_the_turn_comes_and_not_at_the_deal() -> None:
    states = table(
        "deal hide monster deal", "hunter hunter hunter hunter", "fog fog fog", to_move=0
    )
    do(states, "DEAL", LEFT, "HIDE", "HUNTER")
    assert legal(states) == {"HIDE"}
    states = table(
        "deal hunter monster deal", "hunter hunter hunter hide", "fog fog fog", to_move=0
    )
    do(states, "DEAL", LEFT, "HUNTER", "HIDE")
    assert legal(states) == {"FOLD"}


def test_m10_after_the_first_turn_there_is_no_fold() -> None:
    assert legal(table("hunter monster", "deal deal", "deal deal")) == {"HUNTER"}


@pytest.mark.parametrize("card", ["FOG", "GOSSIP", "RUMOR", "DEAL"])
def test_m11_fog_gossip_rumor_and_deal_as_the_last_card_have_no_effect(card: str) -> None:
    states = table(card.lower(), "hide", "monster")
    do(states, card)
    assert god(states)["hands"] == [[], ["hide"], ["monster"]]
    assert (god(states)["phase"], god(states)["to_move"]) == ("play", 1)
    assert god(states)["resolving"] is None


@pytest.mark.parametrize("card", ["DOG", "STEAL", "DEAL"])
def test_m11_dog_steal_and_deal_have_no_effect_if_nobody_else_holds_a_card(card: str) -> None:
    states = table(f"{card.lower()} monster", "hide", "hide")
    states["hands"][0, 1:] = 0  # it can hardly come up in play
    states["hand_sizes"][0, 1:] = 0
    do(states, card)
    assert (god(states)["phase"], god(states)["to_move"]) == ("play", 1)
    assert god(states)["table"][0][-1] == card.lower()
    assert god(states)["resolving"] is None
