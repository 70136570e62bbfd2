"""Friends and the monsters' abilities (M21 to M25), from hand-built positions."""

import numpy as np
import pytest

from tests.envs.monster_my_neighbor.tables import (
    do,
    god,
    happen,
    holds,
    legal,
    outcomes,
    table,
    to_left,
)

LEFT = to_left(1)


def ends(states: np.ndarray) -> bool:
    return god(states)["last_outcome"] is not None


# ---------------------------------------------------------------- Friend


def test_m21_a_friend_draws_the_top_card_and_puts_any_card_under_the_deck() -> None:
    states = table("friend deal", "hide monster", "hunter deal", deck="fog fog dog", buried="rumor")
    do(states, "FRIEND")
    assert god(states)["friends"] == [0]
    assert outcomes(states) == pytest.approx({"fog": 2 / 3, "dog": 1 / 3})
    happen(states, "dog")
    assert (god(states)["phase"], god(states)["to_move"]) == ("friend_discard", 0)
    assert legal(states) == {"DEAL", "DOG"}
    do(states, "DOG")  # the drawn one is allowed
    assert god(states)["deck"] == ["fog", "fog", "rumor", "dog"]
    assert holds(states, 0) == "deal"
    assert god(states)["face_down"] == [[], [], []]
    assert god(states)["table"][0][-1] == "friend"
    assert (god(states)["phase"], god(states)["to_move"]) == ("play", 1)


def test_m21_under_the_deck_cards_come_in_order_once_the_random_ones_are_used_up() -> None:
    states = table("friend deal", "friend hide", "hunter monster", deck="fog", buried="dog rumor")
    do(states, "FRIEND")
    assert outcomes(states) == {"fog": 1.0}
    happen(states, "fog")
    do(states, "DEAL")
    assert god(states)["deck"] == ["dog", "rumor", "deal"]
    do(states, "FRIEND")  # no chance event: the oldest buried card is on top
    assert god(states)["phase"] == "friend_discard"
    assert holds(states, 1) == "dog hide"
    do(states, "HIDE")
    assert god(states)["deck"] == ["rumor", "deal", "hide"]


def test_m21_the_last_card_of_the_deck_can_be_exchanged_and_comes_back() -> None:
    states = table("friend deal", "friend hide", "hunter monster", deck="", buried="fog")
    do(states, "FRIEND")
    assert holds(states, 0) == "deal fog"
    assert god(states)["deck"] == []
    do(states, "FOG")
    assert god(states)["deck"] == ["fog"]


def test_m21_with_an_empty_deck_there_is_no_exchange_but_a_friend() -> None:
    states = table("friend deal", "hide monster", "hunter deal", deck="")
    do(states, "FRIEND")
    assert god(states)["friends"] == [0]
    assert (god(states)["phase"], god(states)["to_move"]) == ("play", 1)
    assert holds(states, 0) == "deal"


def test_m21_a_friend_played_as_the_last_card_makes_no_exchange() -> None:
    states = table("friend", "hide", "monster")
    do(states, "FRIEND")
    assert god(states)["friends"] == [0]
    assert (god(states)["phase"], god(states)["to_move"]) == ("play", 1)
    assert holds(states, 0) == ""


def test_m21_a_second_friend_exchanges_again_and_adds_no_vp() -> None:
    states = table(
        "friend deal", "hide villager", "monster", played={0: "friend"}, monster="mermaid"
    )
    do(states, "FRIEND")
    happen(states, "dog")
    do(states, "DEAL", "HIDE", "MONSTER")
    assert god(states)["last_outcome"]["gains"] == [2, 0, 2]


def test_m21_m28_the_monster_put_under_the_deck_is_betrayal() -> None:
    states = table("friend monster", "hide villager", "hunter deal", num_rounds=1)
    do(states, "FRIEND")
    happen(states, "dog")
    assert legal(states) == {"DOG", "MONSTER"}
    do(states, "MONSTER")
    assert god(states)["last_outcome"] == {
        "kind": "betrayed",
        "monster_player": 0,
        "by": 0,
        "gains": [0, 1, 1],
    }
    assert god(states)["table"][0][-2:] == ["friend", "monster"]
    assert "monster" not in god(states)["deck"]
    assert holds(states, 0) == "dog"


# ---------------------------------------------------------------- the monsters


def test_m22_hunters_have_no_effect_on_a_werewolf_that_is_the_only_card() -> None:
    states = table("hunter", "monster", "fog", monster="werewolf")
    do(states, "HUNTER", LEFT)
    assert not ends(states)
    assert legal(states) == {"MONSTER"}


def test_m22_a_werewolf_among_other_cards_is_caught_and_so_is_another_monster_alone() -> None:
    states = table("hunter hide", "monster fog", "fog deal", monster="werewolf")
    do(states, "HUNTER", LEFT)
    assert ends(states)
    states = table("hunter", "monster", "fog", monster="mermaid")
    do(states, "HUNTER", LEFT)
    assert ends(states)


def test_m22_counts_for_whoever_holds_the_werewolf_after_a_fog() -> None:
    states = table("fog hide", "hunter monster", "villager", monster="werewolf")
    do(states, "FOG")
    happen(states, "villager", "hunter hide", "monster")
    do(states, "HUNTER", LEFT)
    assert not ends(states)
    assert holds(states, 2) == "monster"


def test_m22_counts_for_whoever_holds_the_werewolf_after_a_rumor() -> None:
    states = table("rumor hide", "hunter monster", "villager", monster="werewolf")
    do(states, "RUMOR")
    happen(states, "villager", "hide", "monster")
    do(states, "HUNTER", LEFT)
    assert not ends(states)
    assert god(states)["hands"] == [["villager"], ["hide"], ["monster"]]


def test_m22_does_not_protect_from_a_dog() -> None:
    states = table("dog", "monster", "fog", monster="werewolf")
    do(states, "DOG", LEFT, "MONSTER")
    assert god(states)["last_outcome"]["kind"] == "dogged"


def test_m23_the_first_hunter_of_the_round_has_no_effect_on_the_goomiho() -> None:
    states = table("hunter hide", "fog monster", "hunter deal", monster="goomiho")
    do(states, "HUNTER", LEFT)
    assert not ends(states)
    assert holds(states, 1) == "fog monster"


def test_m23_the_second_hunter_catches_the_goomiho() -> None:
    states = table(
        "hunter hide", "fog monster", "hunter deal", monster="goomiho", played={2: "hunter deal"}
    )
    do(states, "HUNTER", LEFT)
    assert god(states)["last_outcome"]["kind"] == "hunted"


def test_m23_a_hunter_aimed_elsewhere_uses_the_protection_up() -> None:
    states = table("hunter deal", "hunter villager", "fog monster", monster="goomiho")
    do(states, "HUNTER", LEFT)
    do(states, "HUNTER", LEFT)
    assert god(states)["last_outcome"]["gains"] == [1, 2, 0]


def test_m23_a_folded_hunter_does_not_use_the_protection_up() -> None:
    states = table(
        "monster fog hunter",
        "hunter hunter hunter hunter",
        "hide deal deal deal",
        to_move=1,
        monster="goomiho",
    )
    do(states, "FOLD", "HIDE", "FOG")
    happen(states, "deal deal", "hunter hunter hunter", "deal hunter monster")
    do(states, "HUNTER", LEFT)
    assert not ends(states)
    assert god(states)["hunters_played"] == 1


def test_m23_protects_the_goomiho_only() -> None:
    states = table("hunter deal", "fog monster", "deal deal", monster="vampire")
    do(states, "HUNTER", LEFT)
    assert ends(states)


@pytest.mark.parametrize(("monster", "card"), [("mermaid", "villager"), ("mandrake", "hunter")])
@pytest.mark.parametrize("times", [0, 1, 2, 3])
def test_m24_m25_the_monster_comes_out_once_two_of_its_card_have_been_played(
    monster: str, card: str, times: int
) -> None:
    cards = [card] * times + ["deal"] * (4 - times)
    played = {1: " ".join(cards[:2]), 2: " ".join(cards[2:])}
    states = table("monster hide", "deal deal", "deal fog", monster=monster, played=played)
    assert legal(states) == ({"HIDE", "MONSTER"} if times >= 2 else {"HIDE"})
    for other in {"vampire", "werewolf", "goomiho", "mermaid", "mandrake"} - {monster}:
        assert legal(
            table("monster hide", "deal deal", "deal fog", monster=other, played=played)
        ) == {"HIDE"}


def test_m24_the_second_villager_counts_at_once() -> None:
    states = table(
        "villager hide", "monster deal", "deal deal", monster="mermaid", played={2: "villager deal"}
    )
    do(states, "VILLAGER")
    assert god(states)["villagers_played"] == 2
    assert legal(states) == {"DEAL", "MONSTER"}
    do(states, "MONSTER")
    assert god(states)["last_outcome"] == {
        "kind": "played",
        "monster_player": 1,
        "by": 1,
        "gains": [0, 2, 0],
    }


def test_m24_a_first_villager_is_not_enough() -> None:
    states = table("villager hide", "monster deal", "deal deal", monster="mermaid")
    do(states, "VILLAGER")
    assert god(states)["villagers_played"] == 1
    assert legal(states) == {"DEAL"}


def test_m25_the_second_hunter_counts_at_once_but_may_catch_the_mandrake_first() -> None:
    states = table(
        "hunter hide", "monster deal", "deal deal", monster="mandrake", played={2: "hunter deal"}
    )
    do(states, "HUNTER")
    assert god(states)["hunters_played"] == 2
    caught = states.copy()
    do(caught, LEFT)
    assert god(caught)["last_outcome"]["kind"] == "hunted"
    do(states, to_left(2))
    assert legal(states) == {"DEAL", "MONSTER"}


def test_m24_m25_only_cards_played_face_up_count() -> None:
    states = table(
        "dog hide", "villager deal", "deal monster", monster="mermaid", played={0: "villager deal"}
    )
    do(states, "DOG", LEFT, "VILLAGER")
    assert god(states)["villagers_played"] == 1
    assert god(states)["face_down"][0] == ["villager"]
    do(states, "DEAL", LEFT, "DOG", "DEAL")
    assert legal(states) == {"DOG"}
    states = table(
        "deal hide fog", "hunter hunter hunter hunter", "hide deal deal monster", to_move=1
    )
    do(states, "FOLD")
    assert god(states)["hunters_played"] == 0
