"""Who must see what and who must not: by role and phase, in numbers and in words."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.envs.under_my_bed.tables import (
    DRIVER,
    FOUR,
    GAME,
    accuse,
    answer,
    ask,
    code_of,
    compact,
    do,
    god,
    happen,
    history,
    look,
    match,
    passes,
    poll,
    table,
    to_left,
    vote,
)

Moves = Callable[[np.ndarray], None]


def play(*cards: str, bed: str = "Slurrow", moves: Moves = lambda states: None) -> np.ndarray:
    states = table(*cards, bed=bed)
    moves(states)
    return states


# ---------------------------------------------------------------- must not see, by phase
# It is night for all five, so that anyone may truly say so.


def is_asked(states: np.ndarray) -> None:
    ask(states, 1, "scene")


def is_answered(states: np.ndarray) -> None:
    is_asked(states)
    answer(states, "night")


def is_polled(states: np.ndarray) -> None:
    is_answered(states)
    passes(states, 3)
    poll(states, 2)


def is_accused(states: np.ndarray) -> None:
    is_polled(states)
    do(states, to_left(1))


def is_voting(states: np.ndarray) -> None:
    is_accused(states)
    vote(states, "AGREE")


def has_failed(states: np.ndarray) -> None:
    is_voting(states)
    vote(states, "DISAGREE")


def goes_on(states: np.ndarray) -> None:
    has_failed(states)
    do(states, "PASS")


PHASES: dict[str, Moves] = {
    "ask_player": lambda states: None,
    "ask_question": lambda states: do(states, to_left(1)),
    "answer": is_asked,
    "chance": is_answered,
    "window": is_polled,
    "vote": is_accused,
    "second vote": is_voting,
    "lone window": has_failed,
    "next ask_player": goes_on,
}


@pytest.mark.parametrize("phase", PHASES)
def test_only_its_holder_knows_a_card_and_nobody_what_lies_under_the_bed(phase: str) -> None:
    moves = PHASES[phase]
    one = play(*FOUR, moves=moves)
    assert god(one)["phase"] == phase.split()[-1]
    for seat in (1, 2, 3):
        other = play(*FOUR[:seat], "Slurrow", *FOUR[seat + 1 :], bed=FOUR[seat], moves=moves)
        assert DRIVER.told_apart(one, other) == [seat]
    assert DRIVER.told_apart(one, play("kid", "Gloamtwig", "Mopwick", "Pipquill", moves=moves)) == [
        1,
        2,
    ]
    assert DRIVER.told_apart(one, play("Pipquill", *FOUR[1:3], "kid", moves=moves)) == [0, 3]
    assert DRIVER.told_apart(one, play("Mopwick", "kid", *FOUR[2:], moves=moves)) == [0, 1]


def test_only_who_is_polled_knows_it() -> None:
    def polls(seat: int) -> np.ndarray:
        states = play(*FOUR, moves=is_answered)
        passes(states, 1)
        poll(states, seat)
        return states

    assert DRIVER.told_apart(polls(2), polls(3)) == [2, 3]
    assert DRIVER.told_apart(polls(0), polls(3)) == [0, 3]
    assert [look(polls(2), seat)["to_move"] for seat in range(4)] == [-1, -1, 0, -1]


@pytest.mark.parametrize("kid", range(4))
def test_nobody_but_the_kid_sees_the_lone_poll(kid: int) -> None:
    cards = [card for card in FOUR if card != "kid"]
    states = play(*cards[:kid], "kid", *cards[kid:], moves=has_failed)
    assert god(states)["to_move"] == kid
    for seat in range(4):
        mine = seat == kid
        assert look(states, seat)["to_move"] == (0 if mine else -1)
        assert compact(states, seat)["mine"].tolist() == [mine]
        assert history(states, seat)[-1][1:3] == (0, not mine)
        assert compact(states, seat)["passed"].sum() == 1  # seat 3, before the accusal
    do(states, "PASS")
    for seat in range(4):
        assert [row[0] for row in history(states, seat)].count("silent") == (seat == kid)
        assert [row[0] for row in history(states, seat)].count("passed") == 1
        assert not compact(states, seat)["passed"].any()


def five(*votes: str) -> np.ndarray:
    """Seat 1 accuses seat 2; seats 3, 4 and 0 vote."""
    states = table(*FOUR, "Grumbelow")
    ask(states, 1, "scene")
    answer(states, "night")
    accuse(states, 1, 2)
    vote(states, *votes)
    return states


def test_a_pending_vote_is_seen_by_its_voter_only() -> None:
    assert DRIVER.told_apart(five("AGREE"), five("DISAGREE")) == [3]
    assert DRIVER.told_apart(five("AGREE", "AGREE"), five("AGREE", "DISAGREE")) == [4]
    assert DRIVER.told_apart(five("AGREE", "DISAGREE"), five("DISAGREE", "AGREE")) == [3, 4]
    everybody = [0, 1, 2, 3, 4]
    assert (
        DRIVER.told_apart(five("AGREE", "DISAGREE", "AGREE"), five("DISAGREE", "AGREE", "AGREE"))
        == everybody
    )


def test_how_many_have_voted_is_seen_by_those_only_who_have_or_are_asked() -> None:
    assert DRIVER.told_apart(five(), five("AGREE")) == [3, 4]
    assert DRIVER.told_apart(five("AGREE"), five("AGREE", "AGREE")) == [0, 4]


# ---------------------------------------------------------------- must see


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda s: do(s, to_left(1)), lambda s: do(s, to_left(2))),
        (lambda s: ask(s, 1, "eyes"), lambda s: ask(s, 1, "eyes three")),
        (lambda s: (ask(s, 1, "eyes"), answer(s, "three"))[0],
         lambda s: (ask(s, 1, "eyes"), answer(s, "two three"))[0]),
        (lambda s: (is_answered(s), passes(s, 3))[0], lambda s: (is_answered(s), passes(s, 2))[0]),
        (lambda s: (is_answered(s), accuse(s, 3, 2))[0], lambda s: (is_answered(s), accuse(s, 3, 1))[0]),
        (lambda s: (is_answered(s), accuse(s, 3, 2))[0], lambda s: (is_answered(s), accuse(s, 1, 2))[0]),
        (lambda s: (is_voting(s), vote(s, "DISAGREE"))[0],
         lambda s: (is_accused(s), vote(s, "DISAGREE", "AGREE"))[0]),
    ],
)  # fmt: skip
def test_everybody_sees_questions_claims_passes_accusals_and_votes(
    one: Moves, other: Moves
) -> None:
    assert DRIVER.told_apart(play(*FOUR, moves=one), play(*FOUR, moves=other)) == [0, 1, 2, 3]


def test_everybody_sees_the_line_up() -> None:
    one, other = table(*FOUR), table(*FOUR, bed="Grumbelow")
    assert DRIVER.told_apart(one, other) == [0, 1, 2, 3]


def test_a_history_tells_the_course_of_a_match() -> None:
    states = play(*FOUR, moves=goes_on)
    deal = [("lineup", slot, 0, slot) for slot in range(4)]
    told = [("asked", 0, 1, 7), ("claimed", 1, 0, 2), ("passed", 3, 0, 0), ("accused", 2, 3, 0)]
    votes = [("voted", 0, 0, 1), ("voted", 1, 0, 0)]
    assert history(states, 0) == [
        *deal, ("card", 0, 0, 8), ("begins", 0, 0, 0), *told, *votes,
        ("silent", 0, 0, 0), ("now", 1, 0, 2),
    ]  # fmt: skip
    told = [("asked", 2, 3, 7), ("claimed", 3, 0, 2), ("passed", 1, 0, 0), ("accused", 0, 1, 0)]
    votes = [("voted", 2, 0, 1), ("voted", 3, 0, 0)]
    assert history(states, 2) == [
        *deal, ("card", 0, 0, 1), ("begins", 2, 0, 0), *told, *votes, ("now", 3, 0, 2)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("moves", "shown"),
    [
        (lambda s: (is_answered(s), accuse(s, 2, 0), vote(s, "AGREE", "AGREE"))[0],
         [("showed", 0, 0, 8), ("ended", 0, 0, 0)]),
        (lambda s: (is_answered(s), accuse(s, 2, 1), vote(s, "AGREE", "AGREE"))[0],
         [("showed", 1, 0, 0), ("ended", 0, 0, 1)]),
        (lambda s: do(s, "CHECK_SLOT_2"), [("checked", 0, 0, 2), ("bed", 0, 0, 2), ("ended", 0, 0, 2)]),
        (lambda s: do(s, "CHECK_SLOT_1"), [("checked", 0, 0, 1), ("bed", 0, 0, 2), ("ended", 0, 0, 3)]),
    ],
)  # fmt: skip
def test_the_end_shows_everybody_what_the_rules_show_and_no_more(moves: Moves, shown: list) -> None:
    states = play(*FOUR, moves=moves)
    for seat in range(4):
        rows = [(kind, (who + seat) % 4 if kind in ("showed", "checked") else who, whom, what)
                for kind, who, whom, what in history(states, seat)]  # fmt: skip
        assert rows[-len(shown) - 1 :] == [*shown, ("now", 0, 1, 1)]
        assert {"showed", "bed"} & {row[0] for row in rows} == {"showed", "bed"} & {
            s[0] for s in shown
        }


# ---------------------------------------------------------------- in words


def heard(states: np.ndarray, action: str) -> list[str | None]:
    """An action as the table hears it, and each seat."""
    number = GAME.actions.index(action)
    return [GAME.words.action_seen(states[0], number, seat) for seat in (None, 0, 1, 2, 3)]


def test_words_for_chance_reach_only_those_whom_it_concerns() -> None:
    def seen(states: np.ndarray, name: str) -> list[str | None]:
        code = code_of(states, name)
        happen(other := states.copy(), name)
        assert GAME.words.outcome(states[0], code)
        told = [GAME.words.outcome_seen(states[0], code, seat) for seat in (None, 0, 1, 2, 3)]
        states[:] = other
        return told

    states = match(4)
    lineup = "Mopwick Gloamtwig Slurrow Pipquill"
    assert seen(states, lineup) == [f"the line-up is {lineup.replace(' ', ', ')}"] * 5
    assert seen(states, "Slurrow") == [None] * 5
    nobody = None
    assert seen(states, "kid") == [nobody, "player_0 is dealt the kid's card", None, None, None]
    assert seen(states, "Mopwick") == [nobody, None, "player_1 is dealt Mopwick", None, None]
    assert seen(states, "Gloamtwig") == [nobody, None, None, "player_2 is dealt Gloamtwig", None]
    assert seen(states, "Pipquill") == [nobody, None, None, None, "player_3 is dealt Pipquill"]
    assert seen(states, "player_0") == ["player_0 begins"] * 5
    is_answered(states)
    assert seen(states, "player_2") == [None] * 5


def test_words_for_what_is_said_aloud_reach_everybody() -> None:
    states = table(*FOUR)
    assert (
        heard(states, "CHECK_SLOT_1")
        == ["player_0 is the kid, and looks under the bed for Gloamtwig"] * 5
    )
    assert heard(states, to_left(1)) == ["player_0 turns to player_1"] * 5
    do(states, to_left(1))
    assert heard(states, "ASK_EYES") == ['player_0 asks player_1: "How many eyes have you?"'] * 5
    do(states, "ASK_EYES")
    assert heard(states, "CLAIM_34") == ['player_1 answers: "Three or many."'] * 5
    do(states, "CLAIM_34")
    poll(states, 3)
    assert heard(states, "PASS") == ["player_3 passes"] * 5
    assert heard(states, to_left(1)) == ['player_3 accuses: "player_0 is the kid!"'] * 5


@pytest.mark.parametrize(("said", "claim"), [("Yes.", "CLAIM_3"), ("No.", "CLAIM_124")])
def test_words_for_the_answer_to_a_closed_question_are_yes_and_no(said: str, claim: str) -> None:
    states = table(*FOUR, asker=1)
    ask(states, 0, "eyes three")
    assert heard(states, claim) == [f'player_0 answers: "{said}"'] * 5


def test_words_for_votes_reach_only_the_voter_and_everybody_with_the_last_one() -> None:
    states = play(*FOUR, moves=is_accused)
    assert heard(states, "AGREE") == [None, "player_0 agrees", None, None, None]
    assert heard(states, "DISAGREE") == [None, "player_0 disagrees", None, None, None]
    do(states, "DISAGREE")
    last = "player_2 has accused player_3; against it: player_0"
    assert heard(states, "AGREE") == [last] * 5
    assert heard(states, "DISAGREE") == [f"{last}, player_1"] * 5


def test_words_for_the_lone_silence_reach_the_kid_only() -> None:
    states = play(*FOUR, moves=has_failed)
    assert heard(states, "PASS") == [None, "player_0 stays silent", None, None, None]
    assert (
        heard(states, "CHECK_SLOT_2")
        == ["player_0 is the kid, and looks under the bed for Slurrow"] * 5
    )


@pytest.mark.parametrize("phase", PHASES)
def test_words_for_a_seat_say_its_own_card_and_those_for_the_table_say_none(phase: str) -> None:
    moves = PHASES[phase]
    states = play(*FOUR, moves=moves)
    told = [GAME.words.seat(look(states, seat)) for seat in range(4)]
    assert [text.split(", who ")[0] for text in told] == [
        "player_0 is the kid", "player_1 is Mopwick", "player_2 is Gloamtwig", "player_3 is Pipquill",
    ]  # fmt: skip
    assert told[1] == "player_1 is Mopwick, who sweeps up the crumbs, and whoever dropped them"
    text = GAME.words.table(states[0])
    assert text.isascii()
    assert "kid" not in text
    for cards, bed in (
        (("Mopwick", "kid", *FOUR[2:]), "Slurrow"),
        ((*FOUR[:3], "Slurrow"), "Pipquill"),
    ):
        assert GAME.words.table(play(*cards, bed=bed, moves=moves)[0]) == text


def test_words_for_a_seat_without_a_card() -> None:
    assert GAME.words.seat(look(match(4), 2)) == "player_2 has no card yet"
