"""What a seat sees, must not see, and remembers: ``look``, ``encode`` and ``recall``."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.adapters.aec import observation_space
from masked_monsters.envs.monster_my_neighbor.state import CARDS, MAX_EVENTS, MONSTERS, PHASES
from masked_monsters.envs.registry import get_game
from tests.envs.monster_my_neighbor.tables import (
    DRIVER,
    compact,
    do,
    god,
    happen,
    history,
    legal,
    look,
    match,
    settle,
    table,
    to_left,
)

GAME = get_game("monster_my_neighbor")

LEFT = to_left(1)
Moves = Callable[[np.ndarray], None]


def counts(cards: list[str]) -> list[int]:
    return [cards.count(card) for card in CARDS]


# ---------------------------------------------------------------- must see

MIXED = {card: 4 for card in CARDS[1:-1]} | {"wanted": 1}


@pytest.mark.parametrize("deck", [None, MIXED], ids=["published", "mixed"])
@pytest.mark.parametrize("n", [3, 4, 8])
def test_every_seat_sees_at_every_step_what_is_public_and_what_is_its_own(
    n: int, deck: dict[str, int] | None
) -> None:

    rng = np.random.default_rng(n)
    phases = set()
    for stream in range(36 // n):
        states = match(n, stream=stream, deck=deck, num_rounds=2)
        while states["phase"][0] != PHASES.index("over"):
            settle(states)
            phases.add(god(states)["phase"])
            for seat in range(n):
                check_view(god(states), seat, look(states, seat))
            do(states, rng.choice(sorted(legal(states))))
        for seat in range(n):
            check_view(god(states), seat, look(states, seat))
    assert phases == set(PHASES[2:])


def check_view(truth: dict[str, Any], seat: int, view: Any) -> None:
    n = truth["num_players"]
    seats = [(seat + k) % n for k in range(n)]
    resolving = truth["resolving"] or {"card": None, "by": None, "target": None}

    def relative(other: int | None) -> int:
        return -1 if other is None else (other - seat) % n

    def by_seat(field: str, of: Callable[[int], int]) -> None:
        assert view[field].tolist() == [of(other) for other in seats] + [0] * (8 - n), field

    assert view["seat"] == seat
    assert (view["num_players"], view["hand_size"]) == (n, truth["hand_size"])
    assert PHASES[view["phase"]] == truth["phase"]
    assert view["to_move"] == relative(truth["to_move"])
    assert view["round"] == truth["round"]
    by_seat("turns", lambda other: truth["turns"][other])
    by_seat("vp", lambda other: truth["vp"][other])
    by_seat("winner", lambda other: other in truth["winners"])
    by_seat("hand_sizes", lambda other: len(truth["hands"][other]))
    by_seat("face_down", lambda other: len(truth["face_down"][other]))
    by_seat("friend", lambda other: other in truth["friends"])
    assert view["hand"].tolist() == counts(truth["hands"][seat])
    for k, other in enumerate(seats):
        assert view["face_up"][k].tolist() == counts(truth["table"][other])
        assert all(view["known"][k] <= counts(truth["hands"][other])), "known means for certain"
    assert not view["face_up"][n:].any()
    assert not view["known"][n:].any()
    assert view["known"][0].tolist() == view["hand"].tolist()
    hidden = [card for other in seats for card in truth["hands"][other]] + truth["deck"]
    hidden += [card for cards in truth["face_down"] for card in cards]
    placed = view["known"].sum(axis=0)
    assert view["unseen"].tolist() == (np.array(counts(hidden)) - placed).tolist()
    assert view["deck_left"] == bool(truth["deck"])
    assert view["hunters_played"] == truth["hunters_played"]
    assert view["villagers_played"] == truth["villagers_played"]
    assert view["resolving"] == (CARDS.index(resolving["card"]) if resolving["card"] else -1)
    assert view["by"] == relative(resolving["by"])
    assert view["target"] == relative(resolving["target"])
    assert view["pending"] == (
        CARDS.index(truth["pending"][seat]) if seat in truth["pending"] else -1
    )
    if "monster" in truth["hands"][seat] or truth["phase"] == "over":
        assert view["monster"] == MONSTERS.index(truth["monster"])
    assert view["monster"] in (-1, MONSTERS.index(truth["monster"]))
    gone = [name in truth["monsters_seen"] for name in MONSTERS]
    assert view["monsters_gone"].tolist() == gone


def test_whose_turn_it_is_is_public_while_another_seat_decides() -> None:
    states = table("dog fog", "hide monster", "deal deal")
    do(states, "DOG", LEFT)
    for seat in range(3):
        assert look(states, seat)["turn"] == (0 - seat) % 3
        assert look(states, seat)["to_move"] == (1 - seat) % 3
        assert compact(states, seat)["turn"].tolist() == np.eye(8)[(0 - seat) % 3].tolist()


@pytest.mark.parametrize(("round_", "gone"), [(1, 0), (5, 4), (6, 0), (8, 2)])
def test_the_monsters_gone_are_those_since_the_last_reshuffle(round_: int, gone: int) -> None:
    states = table("monster", "fog", "hide", round=round_, tiebreak="rounds")
    assert look(states, 1)["monsters_gone"].sum() == gone


# ---------------------------------------------------------------- must not see
# Two games that differ in one hidden thing: only these seats can tell them apart.


def play(hands: tuple[str, ...], moves: Moves, **more: Any) -> np.ndarray:
    states = table(*hands, **more)
    moves(states)
    return states


def nothing(states: np.ndarray) -> None:
    """No moves: as the table stands."""


@pytest.mark.parametrize("moves", [nothing, lambda states: do(states, "HUNTER")])
def test_hands_deck_and_monster_are_hidden_in_play_and_target(moves: Moves) -> None:
    one = play(("hunter hide", "monster fog", "deal rumor"), moves)
    assert DRIVER.told_apart(one, play(("hunter hide", "deal fog", "monster rumor"), moves)) == [
        1,
        2,
    ]
    assert DRIVER.told_apart(one, play(("hunter hide", "monster deal", "fog rumor"), moves)) == [
        1,
        2,
    ]
    assert DRIVER.told_apart(one, play(("hunter hide", "monster steal", "deal rumor"), moves)) == [
        1
    ]
    assert DRIVER.told_apart(
        one, play(("hunter hide", "monster fog", "deal rumor"), moves, monster="mermaid")
    ) == [1]


def test_the_general_deck_and_its_order_are_hidden() -> None:
    one = table("hunter hide", "monster fog", "deal rumor", deck="dog fog", buried="steal deal")
    other = table("hunter hide", "monster fog", "deal rumor", deck="deal fog", buried="dog steal")
    assert DRIVER.told_apart(one, other) == []


def test_a_pending_gossip_card_is_seen_by_its_chooser_only() -> None:
    hands = ("gossip fog hide", "hide villager", "monster deal")

    def chooses(*cards: str) -> np.ndarray:
        return play(hands, lambda states: do(states, "GOSSIP", *cards))

    assert DRIVER.told_apart(chooses("FOG"), chooses("HIDE")) == [0]
    assert DRIVER.told_apart(chooses("FOG", "HIDE"), chooses("FOG", "VILLAGER")) == [1]
    one, other = chooses("FOG", "HIDE", "DEAL"), chooses("FOG", "VILLAGER", "DEAL")
    assert DRIVER.told_apart(one, other) == [1, 2]  # once it has moved, both ends know it
    assert look(chooses("FOG"), 0)["pending"] == CARDS.index("fog")
    assert compact(chooses("FOG"), 0)["pending"].tolist() == counts(["fog"])
    assert not compact(chooses("FOG"), 1)["pending"].any()


def test_a_pending_deal_card_is_seen_by_its_chooser_only() -> None:
    hands = ("deal fog hide", "hide villager", "monster deal")

    def chooses(*cards: str) -> np.ndarray:
        return play(hands, lambda states: do(states, "DEAL", LEFT, *cards))

    assert DRIVER.told_apart(chooses("FOG"), chooses("HIDE")) == [0]
    assert DRIVER.told_apart(chooses("FOG", "HIDE"), chooses("HIDE", "HIDE")) == [0, 1]
    assert DRIVER.told_apart(chooses("FOG", "HIDE"), chooses("FOG", "VILLAGER")) == [0, 1]


def test_a_rumor_card_is_seen_by_both_ends_only_once_all_have_moved() -> None:
    hands = ("rumor hide", "monster fog", "villager deal", "steal dog")

    def draws(*cards: str) -> np.ndarray:
        return play(hands, lambda states: (do(states, "RUMOR"), happen(states, *cards))[0])

    assert DRIVER.told_apart(draws("dog", "hide", "fog"), draws("dog", "hide", "monster")) == []
    one = draws("dog", "hide", "fog", "deal")
    assert DRIVER.told_apart(one, draws("dog", "hide", "monster", "deal")) == [1, 2]
    assert DRIVER.told_apart(one, draws("steal", "hide", "fog", "deal")) == [0, 3]


def test_a_stolen_card_and_the_one_given_back_are_seen_by_both_ends_only() -> None:
    hands = ("steal hide", "villager fog", "monster deal", "dog rumor")

    def steals(drawn: str, *given: str) -> np.ndarray:
        def moves(states: np.ndarray) -> None:
            do(states, "STEAL", to_left(2))
            happen(states, drawn)
            do(states, *given)

        return play(hands, moves)

    assert DRIVER.told_apart(steals("monster"), steals("deal")) == [0, 2]
    assert DRIVER.told_apart(steals("deal", "DEAL"), steals("deal", "HIDE")) == [0, 2]


def test_a_dog_discard_is_seen_by_its_discarder_only() -> None:
    def discards(card: str) -> np.ndarray:
        return play(("dog deal", "hide fog", "monster deal"), lambda s: do(s, "DOG", LEFT, card))

    assert DRIVER.told_apart(discards("HIDE"), discards("FOG")) == [1]


def test_a_friends_exchange_is_seen_by_the_friend_only() -> None:
    def exchanges(drawn: str, *buried: str) -> np.ndarray:
        def moves(states: np.ndarray) -> None:
            do(states, "FRIEND")
            happen(states, drawn)
            do(states, *buried)

        return play(("friend deal", "hide fog", "monster deal"), moves)

    assert DRIVER.told_apart(exchanges("dog"), exchanges("steal")) == [0]
    assert DRIVER.told_apart(exchanges("dog", "DEAL"), exchanges("dog", "DOG")) == [0]


def test_a_hand_dealt_out_of_the_fog_is_seen_by_its_seat_only() -> None:
    def deals(*hands: str) -> np.ndarray:
        def moves(states: np.ndarray) -> None:
            do(states, "FOG")
            happen(states, *hands)

        return play(("fog hide", "villager rumor", "monster deal"), moves)

    one = deals("hide", "villager rumor", "deal monster")
    assert DRIVER.told_apart(one, deals("hide", "villager deal", "rumor monster")) == [1, 2]
    assert DRIVER.told_apart(one, deals("rumor", "hide villager", "deal monster")) == [0, 1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("HUNTER", to_left(2)), ("HUNTER", LEFT)),
        (("HIDE",), ("VILLAGER",)),
        (("HUNTER",), ("VILLAGER",)),
    ],
)
def test_everybody_sees_what_is_played_and_at_whom(
    one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    hands = ("hunter hide villager", "hide fog monster", "hide deal deal", "rumor rumor fog")

    def moves(*actions: str) -> np.ndarray:
        return play(hands, lambda states: do(states, *actions))

    for seat in range(4):
        assert history(moves(*one), seat) != history(moves(*other), seat)


# ---------------------------------------------------------------- the monster's name


def test_the_monsters_name_is_for_those_who_held_it_this_round() -> None:
    states = table("deal hide", "monster fog", "villager deal", monster="goomiho")
    goomiho = MONSTERS.index("goomiho")
    assert [look(states, seat)["monster"] for seat in range(3)] == [-1, goomiho, -1]
    do(states, "DEAL", LEFT, "HIDE", "MONSTER")
    assert [look(states, seat)["monster"] for seat in range(3)] == [goomiho, goomiho, -1]
    assert compact(states, 1)["monster"].tolist() == [0, 0, 1, 0, 0]
    assert not compact(states, 2)["monster"].any()
    assert ("name", 0, 0, goomiho) in history(states, 1)
    assert "name" not in [row[0] for row in history(states, 2)]


def test_the_monsters_name_is_known_to_a_thief_and_to_one_whom_the_fog_deals_it() -> None:
    states = table("steal hide", "monster fog", "deal deal", monster="mermaid")
    do(states, "STEAL", LEFT)
    happen(states, "monster")
    assert look(states, 0)["monster"] == MONSTERS.index("mermaid")
    do(states, "MONSTER", "FOG")
    happen(states, "deal", "deal", "hide monster")
    assert [look(states, seat)["monster"] for seat in range(3)] == [3, 3, 3]


def test_the_next_rounds_monster_is_unknown_to_those_who_knew_the_last_one() -> None:
    states = table("monster", "fog", "hide")
    do(states, "MONSTER")
    happen(states, "mandrake")
    assert [look(states, seat)["monster"] for seat in range(3)] == [-1] * 3
    assert look(states, 1)["monsters_gone"].tolist() == [1, 0, 0, 0, 0]
    settle(states)
    for seat in range(3):
        assert (look(states, seat)["monster"] >= 0) == ("monster" in god(states)["hands"][seat])


# ---------------------------------------------------------------- seats


def rotated(by: int, hands: list[str], played: list[str], moves: list[str], vp: list[int]) -> Any:
    """The same game with all seats moved on by ``by``; chance brings what is said in ``moves``."""
    n = len(hands)
    turn = [(seat - by) % n for seat in range(n)]  # who sits here
    states = table(
        *(hands[who] for who in turn),
        to_move=by,
        played={seat: played[who] for seat, who in enumerate(turn)},
        vp=tuple(vp[who] for who in turn),
        monster="mermaid",
    )
    for move in moves:
        (do if move.isupper() else happen)(states, move)
    return states


ROTATION = (
    ["rumor steal", "hide dog", "friend deal", "gossip monster"],
    ["hide friend", "rumor deal", "villager villager", "hunter wanted"],
    [
        *("RUMOR", "gossip", "steal", "dog", "deal"),  # seat by seat, from the right
        *("HIDE", "DOG", LEFT, "DEAL", "MONSTER"),
    ],
    [3, 0, 7, 1],
)


@pytest.mark.parametrize("by", [1, 2, 3])
def test_rotating_the_seats_rotates_the_view_and_the_compact_observation(by: int) -> None:
    hands, played, moves, vp = ROTATION
    for steps in range(len(moves) + 1):
        here = rotated(0, hands, played, moves[:steps], vp)
        there = rotated(by, hands, played, moves[:steps], vp)
        for seat in range(4):
            moved = (seat + by) % 4
            assert compact(here, seat) == compact(there, moved)
            view = look(there, moved)
            assert view["seat"] == moved
            view["seat"] = seat
            assert view == look(here, seat)
        assert compact(here, 0) != compact(here, 1)


@pytest.mark.parametrize("by", [1, 2, 3])
def test_rotating_the_seats_rotates_the_history(by: int) -> None:
    hands, played, moves, vp = ROTATION
    for steps in range(len(moves) + 1):
        here = rotated(0, hands, played, moves[:steps], vp)
        there = rotated(by, hands, played, moves[:steps], vp)
        for seat in range(4):
            assert history(here, seat) == history(there, (seat + by) % 4), moves[:steps]


def test_empty_seats_are_all_zeros() -> None:
    seen = compact(table("hide fog", "monster deal", "fog deal", vp=(1, 2, 3)), 1)
    assert seen["exists"].tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
    for field in ("face_up", "hand_sizes", "face_down", "turns", "friend", "vp", "to_move", "turn"):
        assert not seen[field][3:].any(), field
    assert not seen["known"][2:].any()


def test_none_yet_is_not_encoded_like_a_value() -> None:
    seen = compact(table("hide fog", "monster deal", "fog deal"), 0)
    for field in ("resolving", "by", "target", "pending", "monster"):
        assert not seen[field].any(), field
    states = match(3)
    for field in ("phase", "to_move", "turn"):
        assert not compact(states, 0)[field].any(), field


# ---------------------------------------------------------------- bounds

MANY = dict.fromkeys(CARDS[1:-1], 31) | {"wanted": 1}
FOGGY = {"wanted": 1, "hunter": 1, "hide": 1, "fog": 31}
GOSSIPY = {"wanted": 1, "hunter": 1, "hide": 1, "gossip": 30}
VILLAGE = {"wanted": 1, "hunter": 1, "hide": 1, "villager": 31}
THIEVES = {"wanted": 1, "hunter": 1, "hide": 1, "steal": 30}
DOGS = {"wanted": 1, "hunter": 1, "hide": 1, "dog": 31}


@pytest.mark.parametrize("deck", [None, MANY, FOGGY, GOSSIPY, VILLAGE, THIEVES, DOGS])
@pytest.mark.parametrize("n", [3, 8])
def test_observations_are_within_their_space_in_every_game(
    n: int, deck: dict[str, int] | None
) -> None:
    rng = np.random.default_rng(n)
    spaces = {kind: observation_space(GAME, kind)["observation"] for kind in ("compact", "history")}
    for stream in range(3):
        states = match(n, stream=stream, deck=deck, tiebreak="rounds")
        over = False
        while not over:
            settle(states)
            over = states["phase"][0] == PHASES.index("over")
            assert states["num_events"][0] <= MAX_EVENTS
            for seat in range(n):
                assert_within(spaces, states, seat)
            if not over:
                careful = legal(states) - {"MONSTER"} or legal(states)  # for long rounds
                do(states, rng.choice(sorted(careful)))


def assert_within(spaces: dict[str, Any], states: np.ndarray, seat: int) -> None:
    flat = np.frombuffer(compact(states, seat).tobytes(), np.int8)
    assert flat.dtype == np.int8
    assert flat.shape == (GAME.compact_size,)
    assert spaces["compact"].contains(flat)
    tokens = np.zeros((GAME.max_tokens, 4), np.int8)
    used = GAME.kernels.recollect(states, 0, seat, tokens)
    assert used <= GAME.max_tokens
    assert spaces["history"].contains(tokens)
    assert tokens[:used, 0].all()
    assert not tokens[used:].any()


def test_observations_are_within_their_space_at_the_most_vp() -> None:
    spaces = {kind: observation_space(GAME, kind)["observation"] for kind in ("compact", "history")}
    states = table("monster", "fog", "hide", round=10, vp=(27, 27, 27), tiebreak="rounds")
    for _ in range(2):
        for seat in range(3):
            assert_within(spaces, states, seat)
        if states["phase"][0] != PHASES.index("over"):
            do(states, "MONSTER")
    assert compact(states, 1)["vp"].tolist() == [27, 27, 30, 0, 0, 0, 0, 0]


def play_out(states: np.ndarray, *favorites: str) -> None:
    """To the match's end, with the first of these actions that is legal, else the Monster last."""
    while states["phase"][0] != PHASES.index("over"):
        allowed = legal(states)
        do(states, next((action for action in favorites if action in allowed), min(allowed)))
        settle(states)
        assert states["num_events"][0] <= MAX_EVENTS
        assert max(len(history(states, seat)) for seat in range(8)) <= GAME.max_tokens


def test_the_most_eventful_round_fits() -> None:
    states = table(
        *["gossip gossip gossip steal"] * 7, "gossip gossip gossip monster", num_rounds=1
    )
    # whoever plays a Gossip passes on the other card, which comes home after 24 of them
    while "gossip" in god(states)["hands"][god(states)["to_move"]]:
        do(states, "GOSSIP")
        for _ in range(8):
            do(states, "STEAL" if "STEAL" in legal(states) else "MONSTER")
    play_out(states, LEFT)
    # hands; 24 Gossips; 7 Steals, each played, aimed, drawn, given back; the Monster
    assert states["num_events"][0] == 8 + 24 * (1 + 8) + 7 * 4 + 1


def test_the_longest_history_of_a_seat_fits() -> None:
    hands = [*["fog fog fog fog"] * 7, "fog fog fog monster"]
    states = table(*hands, round=10, tiebreak="rounds")
    play_out(states, "FOG")
    assert max(len(history(states, seat)) for seat in range(8)) > 100
