"""Asking, answering and the questions' end (B5, B7 to B9, B15), from hand-built positions."""

from itertools import combinations
from typing import Any

import pytest

from masked_monsters.envs.registry import get_game
from tests.envs.under_my_bed.tables import (
    ATTRIBUTES,
    BANK,
    FOUR,
    LOOKS,
    NAMES,
    accuse,
    answer,
    ask,
    do,
    everyone_passes,
    god,
    legal,
    numbers,
    passes,
    poll,
    table,
    to_left,
    vote,
)

ALL_VALUES = [15, 15, 15, 7, 7, 7, 7, 3]
"""Of each attribute, as bit masks."""

CHECKS = {f"CHECK_SLOT_{slot}" for slot in range(3)}
Said = list[tuple[int, str, str]]


# ---------------------------------------------------------------- asking


def test_b5_the_first_asker_chooses_any_other_player() -> None:
    assert legal(table(*FOUR, asker=2)) == {to_left(k) for k in (1, 2, 3)}


@pytest.mark.parametrize("n", range(3, 9))
def test_b5_nobody_asks_the_one_who_has_just_asked_them(n: int) -> None:
    cards = (*NAMES[: n - 1], "kid")
    for answerer in range(1, n - 1):
        states = table(
            *cards, bed=NAMES[n - 1], said=[(answerer, "scene", LOOKS[NAMES[answerer]]["scene"])]
        )
        assert legal(states) == {to_left(k) for k in range(1, n)} - {to_left(n - answerer)}


def test_b5_who_asked_two_questions_ago_may_be_asked() -> None:
    states = table(*FOUR, said=[(1, "scene", "night"), (2, "size", "medium")])
    assert god(states)["to_move"] == 2
    assert legal(states) == {to_left(1), to_left(2)}  # seats 3 and 0; seat 1 has just asked
    ask(states, 0, "head")
    assert god(states)["to_move"] == 0


def test_b5_who_has_just_asked_is_exempt_also_after_a_failed_accusal() -> None:
    states = table("Mopwick", "Gloamtwig", "kid", "Pipquill")
    ask(states, 1, "scene")
    answer(states, "night")
    accuse(states, 1, 3)
    vote(states, "AGREE", "DISAGREE")
    do(states, "PASS")
    assert god(states)["to_move"] == 1
    assert legal(states) == {to_left(1), to_left(2)}


def test_b5_then_the_asker_chooses_a_question_for_the_one_chosen() -> None:
    states = table(*FOUR, asker=1)
    do(states, to_left(2))
    assert (god(states)["phase"], god(states)["to_move"]) == ("ask_question", 1)
    assert (god(states)["asker"], god(states)["answerer"]) == (1, 3)
    assert god(states)["question"] is None
    do(states, "ASK_HEAD_BARE")
    assert (god(states)["phase"], god(states)["to_move"]) == ("answer", 3)
    assert BANK[god(states)["question"]] == "head bare"


def test_b5_no_question_is_asked_twice_in_a_game_of_whomever() -> None:
    states = table(*FOUR)
    gone = set()
    for answerer, question, values in [
        (1, "scene", "night"), (2, "scene night", "yes"), (3, "eyes", "one two"),
        (1, "colour red", "no"), (2, "eyes one", "no"),
    ]:  # fmt: skip
        ask(states, answerer, question)
        answer(states, values)
        everyone_passes(states)
        gone.add("ASK_" + question.upper().replace(" ", "_"))
        do(asking := states.copy(), next(iter(legal(states) - CHECKS)))
        every = {"ASK_" + name.upper().replace(" ", "_") for name in BANK}
        assert legal(asking) == every - gone


# ---------------------------------------------------------------- answering


def allowed_claims(holder: str, question: str, **options: Any) -> set[str]:
    """What the holder of a card may say, as names of values between spaces."""
    others = [name for name in ("Mopwick", "Oozelby", "kid") if name != holder][:2]
    if holder != "kid" and "kid" not in others:
        others = ["kid", others[0]]
    cards = (others[0], holder, others[1])
    bed = next(name for name in NAMES if name not in cards)
    states = table(*cards, bed=bed, **options)
    ask(states, 1, question)
    attribute = question.split()[0]
    values = ATTRIBUTES[attribute]
    sets = [" ".join(some) for size in range(1, 5) for some in combinations(values, size)]
    found = {some for some in sets if numbers(some, attribute) in legal(states)}
    assert len(found) == len(legal(states) - CHECKS)
    return found


def subsets(attribute: str, *sizes: int) -> set[str]:
    values = ATTRIBUTES[attribute]
    return {" ".join(some) for size in sizes for some in combinations(values, size)}


@pytest.mark.parametrize(
    ("attribute", "sizes"),
    [("eyes", (1, 2)), ("limbs", (1, 2)), ("scene", (1,))],  # of 4, 3 and 2 values
)
def test_b7_an_open_question_may_be_answered_by_up_to_half_the_values_rounded_up(
    attribute: str, sizes: tuple[int, ...]
) -> None:
    assert allowed_claims("kid", attribute) == subsets(attribute, *sizes)


@pytest.mark.parametrize("attribute", ["eyes", "limbs", "scene"])
def test_b7_without_hedging_an_open_question_is_answered_by_one_value(attribute: str) -> None:
    assert allowed_claims("kid", attribute, hedging=False) == {*ATTRIBUTES[attribute]}


@pytest.mark.parametrize("hedging", [True, False])
@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("eyes three", "three", "one two many"),
        ("limbs claws", "claws", "tentacles wings"),
        ("mouth none", "none", "fangs beak"),
        ("scene day", "day", "night"),
    ],
)
def test_b7_a_closed_question_is_answered_by_its_value_or_all_the_others(
    question: str, yes: str, no: str, hedging: bool
) -> None:
    assert allowed_claims("kid", question, hedging=hedging) == {yes, no}


@pytest.mark.parametrize("hedging", [1, 0, None, "yes"])
def test_b7_hedging_is_true_or_false(hedging: Any) -> None:
    with pytest.raises(ValueError, match=f"hedging={hedging!r}: must be True or False"):
        get_game("under_my_bed", hedging=hedging)


@pytest.mark.parametrize("hedging", [True, False])
@pytest.mark.parametrize("monster", NAMES)
def test_b8_a_monsters_claim_contains_its_true_value(monster: str, hedging: bool) -> None:
    for attribute, value in LOOKS[monster].items():
        most = (len(ATTRIBUTES[attribute]) + 1) // 2 if hedging else 1
        true = {some for some in subsets(attribute, *range(1, most + 1)) if value in some.split()}
        assert allowed_claims(monster, attribute, hedging=hedging) == true


def test_b8_a_monster_answers_a_closed_question_truly() -> None:
    for attribute, values in ATTRIBUTES.items():
        for value in values:
            true = " ".join(
                v for v in values if (v == value) == (LOOKS["Pipquill"][attribute] == value)
            )
            assert allowed_claims("Pipquill", f"{attribute} {value}") == {true}


def test_b8_the_kid_may_claim_what_no_monster_of_the_line_up_is() -> None:
    states = table(*FOUR, asker=1)
    ask(states, 0, "scene")  # it is night for all four
    answer(states, "day")
    assert god(states)["claims"] == [
        {"seat": 0, "asker": 1, "question": 7, "attribute": "scene", "values": ["day"]}
    ]


def test_b8_the_kid_may_contradict_itself() -> None:
    said: Said = [
        (1, "eyes", "three"),
        (0, "scene", "day"),
        (2, "size", "medium"),
        (3, "eyes one", "yes"),
    ]
    states = table(*FOUR, asker=2, said=said)
    ask(states, 0, "scene day")
    answer(states, "no")
    kids = [claim["values"] for claim in god(states)["claims"] if claim["seat"] == 0]
    assert kids == [["day"], ["night"]]
    assert states["allowed"][0, 0].tolist() == [*ALL_VALUES[:7], 0]


def test_b8_claims_of_a_seat_add_up_by_attribute() -> None:
    said: Said = [(1, "colour", "red purple"), (0, "eyes", "one"), (2, "limbs wings", "yes")]
    said += [(1, "colour red", "no"), (3, "eyes one", "yes")]
    states = table(*FOUR, asker=2, said=said)
    assert states["allowed"][0].tolist() == [
        [1, 15, 15, 7, 7, 7, 7, 3],
        [15, 8, 15, 7, 7, 7, 7, 3],
        [15, 15, 15, 4, 7, 7, 7, 3],
        [1, 15, 15, 7, 7, 7, 7, 3],
        *[ALL_VALUES] * 4,
    ]


def test_b8_monsters_may_not_check() -> None:
    states = table(*FOUR, asker=1)
    assert not {action for action in legal(states) if action.startswith("CHECK")}
    ask(states, 2, "eyes")
    assert not {action for action in legal(states) if action.startswith("CHECK")}
    answer(states, "many")
    for seat in (1, 2, 3):
        poll(states, seat)
        assert not {action for action in legal(states) if action.startswith("CHECK")}
        do(states, "PASS")


def test_b9_who_answered_asks_next() -> None:
    states = table(*FOUR)
    for answerer, question in [
        (2, "scene"),
        (3, "scene night"),
        (0, "scene day"),
        (1, "limbs wings"),
    ]:
        ask(states, answerer, question)
        answer(states, "night" if question == "scene" else "yes" if "night" in question else "no")
        everyone_passes(states)
        truth = god(states)
        assert (truth["phase"], truth["to_move"], truth["asker"]) == (
            "ask_player",
            answerer,
            answerer,
        )
        assert (truth["answerer"], truth["question"], truth["window"]) == (None, None, None)


# ---------------------------------------------------------------- time


@pytest.mark.parametrize("n", range(3, 9))
def test_b15_there_are_three_questions_a_player_by_default(n: int) -> None:
    assert get_game("under_my_bed", num_players=n).record["max_questions"][0] == 3 * n


@pytest.mark.parametrize(
    ("wanted", "number"), [(1, 1), (7, 7), (34, 34), (35, 34), (1000, 34), (None, 34), ("3n", 12)]
)
def test_b15_max_questions_counts_up_to_the_bank(wanted: Any, number: int) -> None:
    game = get_game("under_my_bed", max_questions=wanted)
    assert game.record["max_questions"][0] == number


def test_b15_a_small_bank_bounds_three_questions_a_player() -> None:
    monsters = {f"m{i}": {"size": "big"} for i in range(8)}
    catalogue = {"attributes": {"size": ["big", "tiny"]}, "monsters": monsters}
    for wanted in ("3n", None, 4, 3):
        game = get_game("under_my_bed", num_players=8, catalogue=catalogue, max_questions=wanted)
        assert game.record["max_questions"][0] == 3


@pytest.mark.parametrize("wanted", [0, -1, 1.5, "2", "4n", True, False])
def test_b15_max_questions_is_at_least_1(wanted: Any) -> None:
    with pytest.raises(ValueError, match=f"max_questions={wanted!r}: .* from 1 .*'3n', or None"):
        get_game("under_my_bed", max_questions=wanted)


def test_b15_the_kid_wins_after_the_window_of_the_last_question() -> None:
    states = table(*FOUR, max_questions=2, said=[(1, "eyes", "three")])
    assert god(states)["outcome"] is None
    ask(states, 2, "eyes many")
    answer(states, "yes")
    passes(states, 3, 1, 0)
    assert god(states)["phase"] == "chance"
    passes(states, 2)
    assert (god(states)["phase"], god(states)["outcome"]) == ("over", "time")
    assert god(states)["rewards"] == [1.0, -1.0, -1.0, -1.0]
    assert god(states)["to_move"] is None


def last_window(*cards: str) -> Any:
    states = table(*cards, max_questions=1, window_order="clockwise")
    ask(states, 1, "scene")
    answer(states, "night")
    return states


def test_b15_the_last_window_still_hears_an_accusal() -> None:
    states = last_window(*FOUR)
    passes(states, 2)
    accuse(states, 3, 0)
    vote(states, "AGREE", "AGREE")
    assert god(states)["outcome"] == "kid_caught"


def test_b15_the_kid_may_check_in_the_last_window() -> None:
    states = last_window(*FOUR)
    passes(states, 2, 3)
    do(states, "CHECK_SLOT_0")
    assert god(states)["outcome"] == "checked_wrong"


def test_b15_a_failed_accusal_in_the_last_window_leaves_the_kid_the_time_or_a_check() -> None:
    states = last_window(*FOUR)
    accuse(states, 2, 3)
    vote(states, "DISAGREE", "AGREE")
    assert (god(states)["phase"], god(states)["to_move"]) == ("window", 0)
    do(checking := states.copy(), "CHECK_SLOT_2")
    assert god(checking)["outcome"] == "checked_right"
    do(states, "PASS")
    assert god(states)["outcome"] == "time"


def test_b15_no_limit_means_that_every_question_of_the_bank_is_asked() -> None:
    states = table("kid", "Mopwick", "Gloamtwig", max_questions=None, window_order="clockwise")
    for number, question in enumerate(BANK):
        assert god(states)["questions_asked"] == list(range(number))
        ask(states, (int(states["to_move"][0]) + 1) % 3, question)
        do(states, min(legal(states) - CHECKS))
        everyone_passes(states)
    assert god(states)["outcome"] == "time"
    assert god(states)["questions_asked"] == list(range(34))
