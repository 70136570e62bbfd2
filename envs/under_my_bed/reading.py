"""What can be read from a record of Under My Bed's state; where it says ``record``, also of a view."""

from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.engine.seats import relative, wrap
from masked_monsters.envs.under_my_bed.state import FIRST_QUESTION, KID, NOBODY, VOTE, WINDOW


@compiled
def after_questions(record: Any) -> int:
    """The first action after the bank's questions."""
    return FIRST_QUESTION + int(record["num_questions"])


@compiled
def pending(state: Any) -> int:
    """The number of the last question, from 0."""
    return int(state["num_asked"]) - 1


@compiled
def pending_question(state: Any) -> int:
    """Which question of the bank the last one is."""
    return int(state["questions"][pending(state)])


@compiled
def pending_attribute(state: Any) -> int:
    """The attribute that it asks about."""
    return asked_attribute(state, pending_question(state))


@compiled
def question_size(state: Any) -> int:
    """How many values that attribute has."""
    return int(state["num_values"][pending_attribute(state)])


@compiled
def asked_attribute(record: Any, question: int) -> int:
    """B6: the attribute that a question of the bank asks about."""
    return int(record["about"][question, 0])


@compiled
def asked_value(record: Any, question: int) -> int:
    """B6: the value that a closed question asks about; -1 for an open one."""
    return int(record["about"][question, 1])


@compiled
def value_of(state: Any, slot: int, attribute: int) -> int:
    """A value of a monster in the line-up."""
    return int(state["looks"][slot, attribute])


@compiled
def who_just_asked(state: Any) -> int:
    """B5: who has just asked the asker; -1 before the first question."""
    return int(state["askers"][pending(state)]) if state["num_asked"] > 0 else NOBODY


@compiled
def accusals_open(state: Any) -> bool:
    """B13: not after an accusal in this window."""
    return state["accused"][state["num_asked"] - 1] < 0


@compiled
def in_window(state: Any) -> bool:
    """B10: is a window open, also while chance draws who is polled next, or while all vote?"""
    phase = state["phase"]
    return phase in (WINDOW, VOTE) or (phase == CHANCE and state["num_asked"] > 0)


@compiled
def accuser(state: Any, number: int) -> int:
    """B11: who accused after that question: who was polled last."""
    return int(state["polls"][number, state["num_polls"][number] - 1])


@compiled
def is_voted_on(state: Any, number: int) -> bool:
    """B11: is the accusal after that question not settled yet?"""
    return state["phase"] == VOTE and number == state["num_asked"] - 1


@compiled
def voter(state: Any, number: int) -> int:
    """B11: who casts the vote of that number: clockwise from the accused's left, not the accuser."""
    accused = int(state["accused"][pending(state)])
    k = number + 1
    if k >= relative(accuser(state, pending(state)), accused, int(state["num_players"])):
        k += 1
    return seat_after(state, accused, k)


@compiled
def count_bits(values: int) -> int:
    """How many bits are set."""
    count = 0
    while values != 0:
        values &= values - 1
        count += 1
    return count


@compiled
def kid_seat(state: Any) -> int:
    """Who has the kid's card."""
    seat = 0
    while state["role"][seat] != KID:
        seat += 1
    return seat


@compiled
def seat_after(state: Any, seat: int, k: int) -> int:
    """The k-th seat to the left."""
    return wrap(seat + k, int(state["num_players"]))
