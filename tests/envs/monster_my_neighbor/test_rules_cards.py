"""The cards' effects (M12 to M20), from hand-built positions."""

import numpy as np
import pytest

from tests.envs.monster_my_neighbor.tables import (
    do,
    god,
    happen,
    history,
    holds,
    known,
    legal,
    look,
    outcomes,
    table,
    to_left,
)

LEFT = to_left(1)


def ends(states: np.ndarray) -> bool:
    return god(states)["last_outcome"] is not None


# ---------------------------------------------------------------- Hunter, Hide


def test_m12_a_hunter_is_aimed_at_anyone_else_also_at_an_empty_hand() -> None:
    states = table("fog", "", "hunter", "monster", to_move=2)
    do(states, "HUNTER")
    assert legal(states) == {to_left(1), to_left(2), to_left(3)}
    do(states, to_left(3))  # seat 1 holds nothing
    assert not ends(states)
    assert god(states)["to_move"] == 3


def test_m12_an_unprotected_monster_is_discarded_and_the_round_ends() -> None:
    states = table("hunter deal", "fog monster", "villager deal", num_rounds=1)
    do(states, "HUNTER", LEFT)
    assert god(states)["last_outcome"] == {
        "kind": "hunted",
        "monster_player": 1,
        "by": 0,
        "gains": [2, 0, 1],
    }
    assert god(states)["table"][1][-1] == "monster"
    assert god(states)["hands"] == [["deal"], ["fog"], ["deal", "villager"]]
    assert god(states)["resolving"] is None


def test_m12_a_hunter_at_anyone_else_changes_nothing() -> None:
    states = table("hunter deal", "fog monster", "villager deal")
    do(states, "HUNTER", to_left(2))
    assert god(states)["hands"] == [["deal"], ["fog", "monster"], ["deal", "villager"]]
    assert god(states)["to_move"] == 1
    assert god(states)["table"][0][-1] == "hunter"
    assert [known(states, 0, seat) for seat in (1, 2)] == ["", ""]


def test_m13_a_hide_in_hand_protects_from_every_hunter_and_is_not_revealed() -> None:
    states = table("hunter hunter", "hide monster", "deal deal")
    states_without_monster = table("hunter hunter", "hide fog", "deal monster")
    for each in (states, states_without_monster):
        do(each, "HUNTER", LEFT)
        assert not ends(each)
    assert holds(states, 1) == "hide monster"
    assert known(states, 0, 1) == known(states, 2, 1) == ""
    assert np.array_equal(look(states, 0), look(states_without_monster, 0))
    assert history(states, 0) == history(states_without_monster, 0)


def test_m13_a_played_hide_does_nothing_and_protects_no_more() -> None:
    states = table("hide monster", "deal deal", "hunter deal")
    do(states, "HIDE")
    assert god(states)["to_move"] == 1
    assert god(states)["resolving"] is None
    do(states, "DEAL", LEFT, "DEAL", "DEAL", "HUNTER", LEFT)
    assert ends(states)


def test_m13_a_hide_does_not_protect_from_a_dog() -> None:
    states = table("dog deal", "hide monster", "deal deal")
    do(states, "DOG", LEFT)
    assert legal(states) == {"HIDE", "MONSTER"}
    do(states, "MONSTER")
    assert god(states)["last_outcome"]["kind"] == "dogged"


@pytest.mark.parametrize("card", ["VILLAGER", "WANTED"])
def test_m14_wanted_and_villager_have_no_effect(card: str) -> None:
    states = table(f"{card.lower()} hide", "fog monster", "deal deal")
    do(states, card)
    assert god(states)["to_move"] == 1
    assert god(states)["phase"] == "play"
    assert god(states)["hands"] == [["hide"], ["fog", "monster"], ["deal", "deal"]]
    assert god(states)["face_down"] == [[], [], []]


# ---------------------------------------------------------------- Dog


def test_m15_the_target_discards_face_down_before_the_dog_player_and_takes_the_dog() -> None:
    states = table("dog deal", "fog monster", "villager deal")
    do(states, "DOG", LEFT)
    assert (god(states)["phase"], god(states)["to_move"]) == ("dog_discard", 1)
    assert god(states)["table"][0][-1] == "dog"  # until the discard is chosen
    assert holds(states, 1) == "fog monster"
    do(states, "FOG")
    assert god(states)["face_down"] == [["fog"], [], []]
    assert "dog" not in god(states)["table"][0]
    assert holds(states, 1) == "dog monster"
    assert (god(states)["phase"], god(states)["to_move"]) == ("play", 1)


def test_m15_that_dog_cannot_be_the_discard_but_another_one_can() -> None:
    states = table("dog deal", "hide villager", "monster deal")
    do(states, "DOG", LEFT)
    assert legal(states) == {"HIDE", "VILLAGER"}
    states = table("dog deal", "dog hide", "monster deal")
    do(states, "DOG", LEFT)
    assert legal(states) == {"DOG", "HIDE"}
    do(states, "DOG")
    assert god(states)["face_down"] == [["dog"], [], []]
    assert holds(states, 1) == "dog hide"


def test_m15_the_dog_goes_only_to_a_player_with_a_card() -> None:
    states = table("fog", "", "dog", "monster", to_move=2)
    do(states, "DOG")
    assert legal(states) == {to_left(1), to_left(2)}


def test_m15_a_monster_discarded_to_a_dog_is_revealed_and_the_dog_stays() -> None:
    states = table("dog deal", "hide fog", "monster", num_rounds=1)
    do(states, "DOG", to_left(2))
    assert legal(states) == {"MONSTER"}  # the only card must go
    do(states, "MONSTER")
    assert god(states)["table"][0][-1] == "dog"
    assert god(states)["table"][2][-1] == "monster"
    assert god(states)["face_down"] == [[], [], []]
    assert holds(states, 2) == ""
    assert god(states)["last_outcome"]["gains"] == [2, 1, 0]


# ---------------------------------------------------------------- Rumor, Gossip


def test_m16_all_draw_from_the_right_at_once_from_the_hands_as_they_were() -> None:
    states = table("rumor hide", "monster fog", "villager deal")
    do(states, "RUMOR")
    assert outcomes(states) == {"villager": 0.5, "deal": 0.5}  # seat 0, from seat 2
    happen(states, "deal")
    assert outcomes(states) == {"hide": 1.0}  # seat 1, from seat 0: not the deal just drawn
    happen(states, "hide")
    assert outcomes(states) == {"fog": 0.5, "monster": 0.5}  # seat 2, from seat 1
    assert god(states)["hands"] == [["hide"], ["fog", "monster"], ["deal", "villager"]]
    happen(states, "monster")
    assert god(states)["hands"] == [["deal"], ["fog", "hide"], ["monster", "villager"]]
    assert god(states)["to_move"] == 1


def test_m16_rumor_draws_begin_with_its_player_and_go_clockwise() -> None:
    states = table("hide", "rumor fog", "gossip monster", "deal villager", to_move=1)
    do(states, "RUMOR")
    drawn_from = []
    for _ in range(4):
        drawn_from.append(set(outcomes(states)))
        happen(states, min(outcomes(states)))
    assert drawn_from == [{"hide"}, {"fog"}, {"gossip", "monster"}, {"deal", "villager"}]


def test_m17_gossip_is_asked_clockwise_from_its_player_and_cards_move_at_once() -> None:
    states = table("hide", "gossip fog", "villager monster", "deal hunter", to_move=1)
    do(states, "GOSSIP")
    asked = []
    for card in ("FOG", "MONSTER", "DEAL"):
        asked.append(god(states)["to_move"])
        do(states, card)
        assert holds(states, 1) == "fog"  # a chosen card stays until all have chosen
    assert asked == [1, 2, 3]
    assert god(states)["to_move"] == 0
    assert god(states)["phase"] == "give"
    assert god(states)["pending"] == {1: "fog", 2: "monster", 3: "deal"}
    assert god(states)["resolving"] == {"card": "gossip", "by": 1, "target": None}
    assert legal(states) == {"HIDE"}  # what comes to a seat cannot be passed on
    do(states, "HIDE")
    assert god(states)["hands"] == [["deal"], ["hide"], ["fog", "villager"], ["hunter", "monster"]]
    assert god(states)["pending"] == {}
    assert god(states)["to_move"] == 2


# ---------------------------------------------------------------- Steal, Deal


def test_m18_a_steal_draws_at_random_and_then_gives_any_card_back() -> None:
    states = table("steal hide deal", "fog fog monster", "villager deal deal")
    do(states, "STEAL")
    assert legal(states) == {to_left(1), to_left(2)}
    do(states, LEFT)
    assert outcomes(states) == pytest.approx({"fog": 2 / 3, "monster": 1 / 3})
    happen(states, "fog")
    assert (god(states)["phase"], god(states)["to_move"]) == ("return", 0)
    assert (holds(states, 0), holds(states, 1)) == ("deal fog hide", "fog monster")
    drawn_back = states.copy()
    do(drawn_back, "FOG")
    assert (holds(drawn_back, 0), holds(drawn_back, 1)) == ("deal hide", "fog fog monster")
    do(states, "HIDE")
    assert (holds(states, 0), holds(states, 1)) == ("deal fog", "fog hide monster")
    assert god(states)["to_move"] == 1


def test_m18_with_nothing_else_in_hand_the_drawn_card_goes_back_and_is_still_asked() -> None:
    states = table("steal", "fog", "monster")
    do(states, "STEAL", to_left(2))
    happen(states, "monster")
    assert god(states)["phase"] == "return"
    assert legal(states) == {"MONSTER"}
    do(states, "MONSTER")
    assert god(states)["hands"] == [[], ["fog"], ["monster"]]
    assert god(states)["to_move"] == 1


@pytest.mark.parametrize("card", ["STEAL", "DEAL"])
def test_m18_m19_steal_and_deal_need_a_target_with_a_card(card: str) -> None:
    states = table(f"{card.lower()} hide", "fog", "monster", to_move=0)
    states["hands"][0, 1] = 0  # such a hand never comes up in play
    states["hand_sizes"][0, 1] = 0
    do(states, card)
    assert legal(states) == {to_left(2)}


def test_m19_a_deal_asks_its_player_first_and_then_swaps() -> None:
    states = table("deal hide fog", "gossip monster villager", "deal rumor hunter")
    do(states, "DEAL", LEFT)
    assert (god(states)["phase"], god(states)["to_move"]) == ("give", 0)
    assert legal(states) == {"HIDE", "FOG"}
    do(states, "FOG")
    assert (god(states)["phase"], god(states)["to_move"]) == ("give", 1)
    assert god(states)["pending"] == {0: "fog"}
    assert god(states)["resolving"] == {"card": "deal", "by": 0, "target": 1}
    assert holds(states, 0) == "fog hide"
    assert legal(states) == {"GOSSIP", "MONSTER", "VILLAGER"}
    do(states, "MONSTER")
    assert (holds(states, 0), holds(states, 1)) == ("hide monster", "fog gossip villager")
    assert holds(states, 2) == "deal hunter rumor"
    assert god(states)["to_move"] == 1


# ---------------------------------------------------------------- Fog


def test_m20_fog_shuffles_all_hands_and_keeps_their_sizes() -> None:
    states = table("fog hide", "monster", "villager", to_move=0)
    do(states, "FOG")
    third = pytest.approx(1 / 3)
    assert outcomes(states) == {"hide": third, "villager": third, "monster": third}
    happen(states, "monster")
    assert outcomes(states) == {"hide": 0.5, "villager": 0.5}
    happen(states, "hide")
    assert outcomes(states) == {"villager": 1.0}
    happen(states, "villager")
    assert god(states)["hands"] == [["monster"], ["hide"], ["villager"]]
    assert god(states)["to_move"] == 1


def test_m20_fog_deals_a_hand_by_counts_and_leaves_the_rest_of_the_table_alone() -> None:
    states = table("fog hide", "villager villager", "deal deal", "monster")
    before = god(states)
    do(states, "FOG")
    happen(states, "hide")
    assert outcomes(states) == pytest.approx(
        {
            "villager villager": 1 / 10,
            "villager deal": 4 / 10,
            "villager monster": 2 / 10,
            "deal deal": 1 / 10,
            "deal monster": 2 / 10,
        }
    )
    happen(states, "villager deal", "deal monster", "villager")
    assert [len(hand) for hand in god(states)["hands"]] == [1, 2, 2, 1]
    assert god(states)["table"] == [[*before["table"][0], "fog"], *before["table"][1:]]
    for zone in ("deck", "face_down", "friends"):
        assert god(states)[zone] == before[zone]
