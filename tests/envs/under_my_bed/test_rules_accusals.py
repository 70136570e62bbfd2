"""Windows, accusals, checks and results (B10 to B14, B16), from hand-built positions."""

from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.registry import get_game
from tests.envs.under_my_bed.tables import (
    FOUR,
    NAMES,
    accuse,
    answer,
    ask,
    do,
    everyone_passes,
    god,
    legal,
    outcomes,
    passes,
    poll,
    settle,
    table,
    to_left,
    vote,
)

OTHERS = {to_left(k) for k in (1, 2, 3)}
CHECKS = {f"CHECK_SLOT_{slot}" for slot in range(4)}
SIX = ("Mopwick", "Gloamtwig", "kid", "Pipquill", "Grumbelow", "Skittermaw")


def window(*cards: str, answerer: int = 1, order: str = "random", **options: Any) -> np.ndarray:
    """The window after the first question, which seat 0 asks and all answer alike; nobody polled."""
    states = table(*cards, window_order=order, **options)
    ask(states, answerer, "scene")
    answer(states, "night")
    return states


# ---------------------------------------------------------------- the window


def test_b10_in_a_random_order_whoever_has_not_been_polled_is_next_equally_likely() -> None:
    states = window(*FOUR)
    assert outcomes(states) == {f"player_{seat}": 0.25 for seat in range(4)}
    passes(states, 2)
    left = {f"player_{seat}": pytest.approx(1 / 3) for seat in (0, 1, 3)}
    assert outcomes(states) == left
    passes(states, 1)  # the answerer too, at any place
    assert outcomes(states) == {"player_0": 0.5, "player_3": 0.5}
    passes(states, 0)
    assert outcomes(states) == {"player_3": 1.0}
    assert god(states)["window"] == {"polled": [2, 1, 0], "accusals_open": True}
    poll(states, 3)
    assert god(states)["window"] == {"polled": [2, 1, 0, 3], "accusals_open": True}
    do(states, "PASS")
    assert god(states)["phase"] == "ask_player"


@pytest.mark.parametrize("answerer", [1, 2, 3])
def test_b10_in_clockwise_order_the_answerers_left_is_first_and_the_answerer_last(
    answerer: int,
) -> None:
    states = window("kid", "Mopwick", "Gloamtwig", "Pipquill", answerer=answerer, order="clockwise")
    polled = []
    while god(states)["phase"] == "window":
        polled.append(god(states)["to_move"])
        assert god(states)["window"]["polled"] == polled
        do(states, "PASS")
    assert polled == [(answerer + k) % 4 for k in (1, 2, 3, 4)]
    assert god(states)["phase"] == "ask_player"


def test_b10_the_order_is_fresh_after_every_answer() -> None:
    states = table(*FOUR, said=[(1, "scene", "night")])
    ask(states, 2, "scene night")
    answer(states, "yes")
    assert outcomes(states) == {f"player_{seat}": 0.25 for seat in range(4)}
    assert god(states)["window"] == {"polled": [], "accusals_open": True}


def test_b10_the_record_draws_every_order_about_equally_often() -> None:
    states = window("kid", "Mopwick", "Gloamtwig")
    counts: dict[tuple[int, ...], int] = {}
    for stream in range(1200):
        one = states.copy()
        one["random"] = stream
        order = []
        while god(one)["phase"] in ("window", "chance"):
            settle(one)
            order.append(god(one)["to_move"])
            do(one, "PASS")
        counts[tuple(order)] = counts.get(tuple(order), 0) + 1
    assert len(counts) == 6
    assert all(abs(count - 200) < 5 * 200**0.5 for count in counts.values())


@pytest.mark.parametrize("order", ["random", "clockwise"])
def test_b10_a_polled_monster_passes_or_accuses_and_the_kid_may_check_too(order: str) -> None:
    states = window(*FOUR, order=order)
    for seat in (2, 3, 0, 1):
        poll(states, seat)
        assert legal(states) == {"PASS"} | OTHERS | (CHECKS if seat == 0 else set())
        do(states, "PASS")


@pytest.mark.parametrize("order", ["Random", "", None, 1, ["random"]])
def test_b10_the_window_order_is_random_or_clockwise(order: Any) -> None:
    with pytest.raises(ValueError, match=r"window_order=.*must be one of 'random', 'clockwise'"):
        get_game("under_my_bed", window_order=order)


# ---------------------------------------------------------------- accusals


def voters(states: np.ndarray) -> list[int]:
    """Who is asked to vote, in order, if all agree."""
    asked = []
    states = states.copy()
    while god(states)["phase"] == "vote":
        asked.append(god(states)["to_move"])
        assert legal(states) == {"AGREE", "DISAGREE"}
        do(states, "AGREE")
    return asked


@pytest.mark.parametrize(
    ("by", "accused", "order"),
    [
        (0, 1, [2, 3, 4, 5]),
        (1, 0, [2, 3, 4, 5]),
        (4, 2, [3, 5, 0, 1]),
        (2, 4, [5, 0, 1, 3]),
        (3, 5, [0, 1, 2, 4]),
        (5, 3, [4, 0, 1, 2]),
    ],
)
def test_b11_all_but_accuser_and_accused_vote_clockwise_from_the_accuseds_left(
    by: int, accused: int, order: list[int]
) -> None:
    states = window(*SIX, bed="Slurrow", answerer=3)
    accuse(states, by, accused)
    assert god(states)["accusation"] == {"by": by, "accused": accused, "votes": {by: True}}
    assert voters(states) == order


@pytest.mark.parametrize("by", range(3))
@pytest.mark.parametrize("k", [1, 2])
def test_b11_of_three_players_one_votes(by: int, k: int) -> None:
    states = window("Mopwick", "Gloamtwig", "kid")
    accuse(states, by, (by + k) % 3)
    assert voters(states) == [3 - by - (by + k) % 3]


def test_b11_all_are_asked_whatever_has_been_voted_before() -> None:
    states = window(*SIX, bed="Slurrow", answerer=3)
    accuse(states, 0, 1)
    for seat in (2, 3, 4, 5):
        assert (god(states)["phase"], god(states)["to_move"]) == ("vote", seat)
        vote(states, "DISAGREE")
    assert god(states)["accusations"] == [
        {"by": 0, "accused": 1, "votes": {0: True, 2: False, 3: False, 4: False, 5: False}}
    ]
    assert god(states)["accusation"] is None


def test_b11_the_votes_are_their_voters() -> None:
    states = window(*SIX, bed="Slurrow", answerer=3)
    accuse(states, 4, 2)
    vote(states, "AGREE", "DISAGREE")
    assert god(states)["accusation"]["votes"] == {4: True, 3: True, 5: False}
    vote(states, "DISAGREE", "AGREE")
    assert god(states)["accusations"][0]["votes"] == {4: True, 3: True, 5: False, 0: False, 1: True}


@pytest.mark.parametrize("n", range(3, 9))
def test_b12_a_kid_whom_all_accuse_is_caught_and_the_monsters_win(n: int) -> None:
    states = window(*NAMES[1:3], "kid", *NAMES[3:n], bed="Mopwick", answerer=2)
    accuse(states, 1, 2)
    vote(states, *["AGREE"] * (n - 2))
    assert (god(states)["phase"], god(states)["outcome"]) == ("over", "kid_caught")
    assert god(states)["rewards"] == [-1.0 if seat == 2 else 1.0 for seat in range(n)]
    assert god(states)["window"] is god(states)["accusation"] is None
    assert len(god(states)["accusations"]) == 1


def test_b12_a_monster_whom_all_accuse_loses_for_the_monsters() -> None:
    states = window("Mopwick", "Gloamtwig", "kid", "Pipquill")
    accuse(states, 0, 3)
    vote(states, "AGREE", "AGREE")
    assert god(states)["outcome"] == "wrong_accusal"
    assert god(states)["rewards"] == [-1.0, -1.0, 1.0, -1.0]


def test_b12_also_when_the_kid_was_the_accuser() -> None:
    states = window("Mopwick", "Gloamtwig", "kid", "Pipquill")
    accuse(states, 2, 0)
    vote(states, "AGREE", "AGREE")
    assert god(states)["outcome"] == "wrong_accusal"
    assert god(states)["rewards"] == [-1.0, -1.0, 1.0, -1.0]


@pytest.mark.parametrize("votes", [("AGREE", "DISAGREE"), ("DISAGREE", "AGREE")])
@pytest.mark.parametrize(("by", "accused"), [(0, 3), (3, 0), (0, 1), (1, 3)])
def test_b12_one_vote_against_it_is_enough_the_kids_like_any_other(
    votes: tuple[str, str], by: int, accused: int
) -> None:
    states = window("Mopwick", "Gloamtwig", "kid", "Pipquill")
    accuse(states, by, accused)
    assert 2 in voters(states)  # one of the two votes is the kid's
    vote(states, *votes)
    assert god(states)["outcome"] is None
    assert god(states)["phase"] == "window"


# ---------------------------------------------------------------- after a failed accusal


@pytest.mark.parametrize("order", ["random", "clockwise"])
@pytest.mark.parametrize("polled_before", [True, False])
@pytest.mark.parametrize(("by", "accused"), [(3, 1), (1, 3)])
def test_b13_then_the_kid_alone_is_polled_once_more_polled_before_or_not(
    by: int, accused: int, polled_before: bool, order: str
) -> None:
    # Clockwise from seat 2 on: the kid sits there, or on seat 0, which comes after seat 3.
    cards = ("Mopwick", "Gloamtwig", "kid", "Pipquill") if polled_before else FOUR
    kid = cards.index("kid")
    states = window(*cards, order=order)
    if order == "clockwise":
        before = [
            seat for seat in (2, 3, 0, 1) if (2, 3, 0, 1).index(seat) < (2, 3, 0, 1).index(by)
        ]
    else:
        before = [kid] if polled_before else [2]
    passes(states, *before)
    accuse(states, by, accused)
    vote(states, "DISAGREE", "AGREE")
    assert (god(states)["phase"], god(states)["to_move"]) == ("window", kid)
    assert god(states)["window"] == {"polled": [*before, by, kid], "accusals_open": False}
    assert legal(states) == {"PASS"} | CHECKS
    do(states, "PASS")
    truth = god(states)
    assert (truth["phase"], truth["to_move"], truth["window"]) == ("ask_player", 1, None)


@pytest.mark.parametrize(("by", "accused"), [(0, 3), (3, 0)])
@pytest.mark.parametrize("then", ["PASS", "CHECK_SLOT_2", "CHECK_SLOT_1"])
def test_b13_also_the_kid_who_accused_or_was_accused(by: int, accused: int, then: str) -> None:
    states = window(*FOUR)
    accuse(states, by, accused)
    vote(states, "DISAGREE", "DISAGREE")
    assert (god(states)["phase"], god(states)["to_move"]) == ("window", 0)
    do(states, then)
    ends = {"PASS": None, "CHECK_SLOT_2": "checked_right", "CHECK_SLOT_1": "checked_wrong"}
    assert god(states)["outcome"] == ends[then]
    assert god(states)["phase"] == ("ask_player" if then == "PASS" else "over")


def test_b13_at_most_one_accusal_falls_between_two_questions() -> None:
    states = window(*FOUR)
    for number, (answerer, question) in enumerate(
        [(2, "head bare"), (3, "head horns"), (1, "eyes")]
    ):
        accuse(states, 3, 0)
        assert len(god(states)["accusations"]) == number
        vote(states, "DISAGREE", "AGREE")
        assert not legal(states) & OTHERS
        do(states, "PASS")  # the others are not polled any more
        assert god(states)["phase"] == "ask_player"
        assert len(god(states)["accusations"]) == number + 1
        ask(states, answerer, question)
        do(states, sorted(legal(states))[0])
        assert god(states)["window"] == {"polled": [], "accusals_open": True}
    poll(states, 2)
    assert legal(states) >= OTHERS  # the next window is open again


def test_b13_the_next_window_polls_all_after_one_that_was_cut_short() -> None:
    states = window(*FOUR, order="clockwise")
    accuse(states, 2, 3)
    vote(states, "DISAGREE", "DISAGREE")
    do(states, "PASS")
    ask(states, 2, "size")
    answer(states, "medium")
    everyone_passes(states)
    assert (god(states)["phase"], god(states)["to_move"]) == ("ask_player", 2)


# ---------------------------------------------------------------- checks


def positions() -> dict[str, np.ndarray]:
    """The kid, on seat 0, decides in every phase."""
    asking = table(*FOUR)
    do(choosing := asking.copy(), to_left(1))
    answering = table(*FOUR, asker=1)
    ask(answering, 0, "scene")
    polled = window(*FOUR)
    poll(polled, 0)
    voting = window(*FOUR)
    accuse(voting, 2, 1)
    vote(voting, "AGREE")
    alone = voting.copy()
    vote(alone, "DISAGREE")
    return {
        "ask_player": asking, "ask_question": choosing, "answer": answering,
        "window": polled, "vote": voting, "alone": alone,
    }  # fmt: skip


@pytest.mark.parametrize("phase", ["ask_player", "answer", "window", "alone"])
def test_b14_the_kid_checks_right_or_wrong_instead_of_all_else(phase: str) -> None:
    for slot in range(4):
        states = positions()[phase]
        assert god(states)["to_move"] == 0
        assert {action for action in legal(states) if action.startswith("CHECK")} == CHECKS
        do(states, f"CHECK_SLOT_{slot}")
        truth = god(states)
        assert truth["phase"] == "over"
        assert truth["outcome"] == ("checked_right" if slot == 2 else "checked_wrong")
        assert truth["rewards"] == ([1, -1, -1, -1] if slot == 2 else [-1, 1, 1, 1])
        assert truth["window"] is truth["to_move"] is None


@pytest.mark.parametrize("phase", ["ask_question", "vote"])
def test_b14_the_kid_may_not_check_between_whom_and_what_nor_in_a_vote(phase: str) -> None:
    states = positions()[phase]
    assert (god(states)["phase"], god(states)["to_move"]) == (phase, 0)
    assert not {action for action in legal(states) if action.startswith("CHECK")}


@pytest.mark.parametrize("n", range(3, 9))
def test_b14_every_slot_of_the_line_up_may_be_named_and_no_other(n: int) -> None:
    states = table("kid", *NAMES[: n - 1], bed=NAMES[n - 1])
    checks = {action for action in legal(states) if action.startswith("CHECK")}
    assert checks == {f"CHECK_SLOT_{slot}" for slot in range(n)}


def test_b14_an_unanswered_question_counts_as_asked_when_the_kid_checks_instead() -> None:
    states = positions()["answer"]
    do(states, "CHECK_SLOT_2")
    assert god(states)["questions_asked"] == [7]
    assert god(states)["claims"] == []


# ---------------------------------------------------------------- results


@pytest.mark.parametrize("n", range(3, 9))
@pytest.mark.parametrize("kid", [0, 2])
@pytest.mark.parametrize("right", [True, False])
def test_b16_the_kid_and_every_monster_are_paid_1_or_lose_it(n: int, kid: int, right: bool) -> None:
    monsters = list(NAMES[: n - 1])
    states = table(*monsters[:kid], "kid", *monsters[kid:], bed=NAMES[n - 1], asker=kid)
    assert states["reward"][0].tolist() == [0] * 8
    do(states, f"CHECK_SLOT_{n - 1 if right else 0}")
    kids = 1 if right else -1
    paid = [kids if seat == kid else -kids for seat in range(n)]
    assert god(states)["rewards"] == states["reward"][0, :n].tolist() == paid
    assert states["reward"][0, n:].tolist() == [0] * (8 - n)
    assert states["cut"][0]


def test_b16_nothing_is_paid_before_the_end() -> None:
    for states in positions().values():
        assert god(states)["rewards"] is god(states)["outcome"] is None
        assert not states["reward"].any()
        assert not states["cut"].any()
