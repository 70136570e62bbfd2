"""What seats remember: the cards they can place for certain (``known``), and ``history``."""

import numpy as np

from masked_monsters.envs.engine.chance import BITS
from masked_monsters.envs.monster_my_neighbor.state import CARDS, MONSTERS, PHASES
from tests.envs.monster_my_neighbor.tables import (
    do,
    happen,
    history,
    known,
    look,
    settle,
    table,
    to_left,
)

LEFT = to_left(1)


def swapped() -> np.ndarray:
    """Seat 0 has dealt seat 1 a Hide for a Fog; seat 1 is to play."""
    hands = ("deal hide rumor", "fog deal gossip", "hide dog monster", "steal villager friend")
    states = table(*hands)
    do(states, "DEAL", LEFT, "HIDE", "FOG")
    return states


def test_known_both_ends_of_a_deal_know_and_nobody_else() -> None:
    states = swapped()
    assert known(states, 0, 1) == "hide"
    assert known(states, 1, 0) == "fog"
    for seat in (2, 3):
        assert [known(states, seat, other) for other in range(2)] == ["", ""]


def test_known_a_card_stays_known_until_it_may_have_left() -> None:
    states = swapped()
    do(states, "DEAL", LEFT, "GOSSIP", "HIDE")  # seat 1 gives seat 2 an unseen card …
    assert known(states, 0, 1) == ""  # … that may have been the Hide
    assert known(states, 1, 0) == "fog"
    assert known(states, 1, 2) == "gossip"


def test_known_a_card_played_face_up_lowers_only_its_own_type() -> None:
    states = swapped()
    kept, gone = states.copy(), states.copy()
    do(kept, "DEAL")
    assert known(kept, 0, 1) == "hide"
    do(gone, "HIDE")
    assert known(gone, 0, 1) == ""
    assert known(gone, 1, 0) == "fog"


def three_known() -> np.ndarray:
    """Seat 0 has seen two Hides and a Fog come to seat 1, which also holds a card it got unseen."""
    hide, fog = CARDS.index("hide"), CARDS.index("fog")
    states = table("monster dog deal", "hide hide fog deal", "villager deal deal rumor", to_move=1)
    states["known"][0, 0, 1] = 2 << (BITS * hide) | 1 << (BITS * fog)
    assert known(states, 0, 1) == "hide hide fog"
    return states


def test_known_an_unseen_card_that_leaves_lowers_each_types_count_by_one() -> None:
    for given in ("HIDE", "FOG"):
        states = three_known()
        do(states, "DEAL", LEFT, given, "VILLAGER")
        assert known(states, 0, 1) == "hide"
        assert known(states, 2, 1) == "villager"
        assert known(states, 1, 2) == given.lower()


def test_known_a_card_seen_leaving_lowers_only_its_own_type() -> None:
    states = three_known()
    do(states, "DEAL", to_left(2), "HIDE", "MONSTER")  # with seat 0
    assert known(states, 0, 1) == "hide fog monster"


def test_known_whoever_knows_a_hand_to_be_all_of_a_type_sees_what_leaves_it() -> None:
    states = table("deal hide", "deal fog", "rumor monster", "villager steal")
    do(states, "DEAL", LEFT, "HIDE", "FOG")
    do(states, "DEAL")  # the Hide that seat 0 knows is all that seat 1 holds now
    do(states, LEFT, "HIDE", "RUMOR")
    assert known(states, 0, 1) == ""
    assert known(states, 0, 2) == "hide"
    assert known(states, 3, 2) == ""


def test_known_both_ends_of_gossip() -> None:
    states = table("gossip fog", "hide villager", "monster deal", "rumor dog")
    do(states, "GOSSIP", "FOG", "HIDE", "DEAL", "DOG")
    for giver, card in enumerate(["fog", "hide", "deal", "dog"]):
        taker = (giver + 1) % 4
        assert known(states, giver, taker) == card
        assert known(states, taker, giver) == ""
        assert known(states, (giver + 2) % 4, taker) == ""


def test_known_both_ends_of_rumor() -> None:
    states = table("rumor fog", "hide villager", "monster deal", "rumor dog")
    do(states, "RUMOR")
    happen(states, "dog", "fog", "hide", "deal")
    for giver, card in enumerate(["fog", "hide", "deal", "dog"]):
        taker = (giver + 1) % 4
        assert known(states, giver, taker) == card
        assert known(states, (giver + 2) % 4, taker) == ""


def test_known_both_ends_of_steal() -> None:
    states = table("steal hide", "monster fog", "villager deal", "rumor dog")
    do(states, "STEAL", LEFT)
    happen(states, "monster")
    assert known(states, 1, 0) == "monster"
    returned = states.copy()
    do(states, "HIDE")
    assert known(states, 0, 1) == "hide"
    assert known(states, 1, 0) == "monster"
    do(returned, "MONSTER")
    assert known(returned, 0, 1) == "monster"
    assert known(returned, 1, 0) == ""
    for seat in (2, 3):
        assert known(states, seat, 0) == known(states, seat, 1) == ""


def test_known_the_dogs_place_is_public_from_its_giving() -> None:
    states = table("dog deal hide", "hide villager fog", "monster deal gossip", "steal friend deal")
    do(states, "DOG", LEFT, "FOG")
    for seat in (0, 2, 3):
        assert known(states, seat, 1) == "dog"
    do(states, "VILLAGER")  # face up, so the Dog is still there
    assert known(states, 0, 1) == "dog"
    do(states, "DEAL", to_left(3), "GOSSIP", "HIDE")  # seat 1 gives an unseen card
    assert known(states, 0, 1) == known(states, 3, 1) == ""
    assert known(states, 2, 1) == "dog gossip"


def test_known_a_dogs_discard_may_have_been_any_card() -> None:
    states = table("deal hide fog", "fog deal villager", "dog monster gossip")
    do(states, "DEAL", LEFT, "HIDE", "FOG", "VILLAGER")
    assert known(states, 0, 1) == "hide"
    do(states, "DOG", to_left(2), "DEAL")
    assert known(states, 0, 1) == known(states, 2, 1) == "dog"


def test_known_a_dog_played_again_is_known_to_be_nowhere() -> None:
    states = table("dog deal", "hide villager", "monster deal", "steal friend")
    do(states, "DOG", LEFT, "HIDE", "DOG", LEFT, "DEAL")
    for seat in (0, 1, 3):
        assert known(states, seat, 2) == "dog"
    assert known(states, 0, 1) == ""


def test_known_the_fog_clears_all() -> None:
    states = table("deal hide fog", "fog deal villager", "hide monster gossip")
    do(states, "DEAL", LEFT, "FOG", "VILLAGER", "FOG")
    settle(states)
    for seat in range(3):
        assert [known(states, seat, other) for other in range(3) if other != seat] == ["", ""]


def test_known_a_friends_exchange_hides_the_friends_cards() -> None:
    states = table("deal hide", "deal friend", "monster deal")
    do(states, "DEAL", LEFT, "HIDE", "DEAL")
    assert known(states, 0, 1) == "hide"
    do(states, "FRIEND")
    happen(states, "fog")
    assert known(states, 0, 1) == "hide"  # it has only drawn so far
    do(states, "FOG")
    assert known(states, 0, 1) == ""


def test_known_a_failed_hunter_tells_nothing() -> None:
    states = table("hunter fog", "hide monster", "deal deal")
    do(states, "HUNTER", LEFT)
    assert known(states, 0, 1) == known(states, 2, 1) == ""


# ---------------------------------------------------------------- history


def test_history_keeps_the_order_that_the_position_has_lost() -> None:
    one = table("hide villager fog", "hide hide fog", "hide hide monster")
    other = one.copy()
    do(one, "HIDE", "HIDE", "HIDE", "VILLAGER")
    do(other, "VILLAGER", "HIDE", "HIDE", "HIDE")
    for seat in range(3):
        assert look(one, seat) == look(other, seat)
        assert history(one, seat) != history(other, seat)


def test_history_tells_the_round_as_the_seat_saw_it() -> None:
    states = table("steal hide", "fog monster", "friend deal", vp=(4, 5, 6), round=2)
    do(states, "STEAL", LEFT)
    happen(states, "fog")
    do(states, "HIDE", "HIDE", "FRIEND")
    happen(states, "dog")
    do(states, "DEAL")
    card = CARDS.index
    assert history(states, 1) == [
        *(("score", 0, 0, 5), ("score", 1, 0, 6), ("score", 2, 0, 4)),
        ("gone", 0, 0, MONSTERS.index("werewolf")),
        ("name", 0, 0, MONSTERS.index("vampire")),
        *(("dealt", 0, 0, card("fog")), ("dealt", 0, 0, card("monster"))),
        *(("played", 2, 0, card("steal")), ("aimed", 2, 0, 0)),
        *(("moved", 0, 2, card("fog")), ("moved", 2, 0, card("hide"))),
        *(("played", 0, 0, card("hide")), ("played", 1, 0, card("friend"))),
        ("now", 2, 0, PHASES.index("play")),
    ]
    assert history(states, 2)[4:] == [
        *(("dealt", 0, 0, card("friend")), ("dealt", 0, 0, card("deal"))),
        *(("played", 1, 0, card("steal")), ("aimed", 1, 2, 0)),
        *(("played", 2, 0, card("hide")), ("played", 0, 0, card("friend"))),
        *(("drew", 0, 0, card("dog")), ("buried", 0, 0, card("deal"))),
        ("now", 1, 0, PHASES.index("play")),
    ]


def test_history_says_who_folded() -> None:
    hands = ("hide fog deal", "hunter hunter hunter hunter", "monster deal deal deal")
    states = table(*hands, to_move=1)
    do(states, "FOLD")
    for seat in range(3):
        assert ("folded", (1 - seat) % 3, 0, 0) in history(states, seat)
