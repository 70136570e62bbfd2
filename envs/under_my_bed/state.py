"""Everything there is in a match of Under My Bed: one record."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from masked_monsters.envs.engine.phases import COMMON_FIELDS, FIRST_DECISION, MAX_PLAYERS
from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.under_my_bed.monsters import (
    MAX_ATTRIBUTES,
    MAX_MONSTERS,
    MAX_VALUES,
    Catalogue,
    read_catalogue,
)

NOBODY = -1
"""No seat; also no slot, no question, no outcome yet."""
KID = MAX_PLAYERS
"""The kid's card, beside the slots ``0 … 7`` of the line-up."""

# Actions: players, the bank's questions, claims, words, checks.
FIRST_PLAYER_ACTION = 0  # 0 … 6: the 1st … 7th seat to my left
FIRST_QUESTION = MAX_PLAYERS - 1  # 7 …: the bank's questions (B6)
# After the questions, counted from the end of the bank:
CLAIM = -1  # + the set of values as a bit mask of 1 … 14
PASS, AGREE, DISAGREE = 14, 15, 16
CHECK = 17  # + the slot
MAX_CLAIM = (1 << MAX_VALUES) - 2  # 14

PHASES = ("chance", "over", "ask_player", "ask_question", "answer", "window", "vote")
ASK_PLAYER, ASK_QUESTION, ANSWER, WINDOW, VOTE = range(FIRST_DECISION, len(PHASES))

# What chance decides next, in the phase CHANCE.
DRAW_LINEUP, DRAW_BED, DEAL_CARD, DRAW_ASKER, DRAW_POLLED = range(5)

OUTCOMES = ("kid_caught", "wrong_accusal", "checked_right", "checked_wrong", "time")
KID_CAUGHT, WRONG_ACCUSAL, CHECKED_RIGHT, CHECKED_WRONG, TIME = range(5)

MAX_QUESTIONS = MAX_ATTRIBUTES * (1 + MAX_VALUES)  # the largest bank (B6)
THREE_EACH = "3n"  # the default of max_questions (B15)

STATE = np.dtype(
    [
        *COMMON_FIELDS,
        # options
        ("max_questions", np.int8),  # B15: the number in force, 1 … num_questions
        ("clockwise", np.int8),  # B10: 0: window_order="random", 1: "clockwise"
        ("first_asker", np.int8),  # B4: a seat; -1: drawn
        ("hedging", np.int8),  # B7: 1: an answer to an open question may name several values
        ("num_attributes", np.int8),  # B2: 1 … 8
        ("num_values", np.int8, MAX_ATTRIBUTES),  # of each attribute, 2 … 4; 0 beyond
        ("num_questions", np.int8),  # B6: the bank's size, 3 … 40
        ("about", np.int8, (MAX_QUESTIONS, 2)),  # each question's attribute, and value: -1 if open
        ("num_monsters", np.int8),  # in the catalogue
        ("catalogue", np.int8, (MAX_MONSTERS, MAX_ATTRIBUTES)),  # each monster's values
        # the deal (B3, B4)
        ("lineup", np.int8, MAX_PLAYERS),  # monsters of the catalogue by slot; else -1
        ("looks", np.int8, (MAX_PLAYERS, MAX_ATTRIBUTES)),  # their values; -1 beyond
        ("under_bed", np.int8),  # a slot; -1 until drawn
        ("role", np.int8, MAX_PLAYERS),  # by seat, a slot or KID; -1 until dealt
        ("dealt", np.int8),  # seats that have a card
        # the questions so far, in order; the last one may be pending
        ("num_asked", np.int8),
        ("asked", np.int8, MAX_QUESTIONS),  # 1: that question of the bank has been asked
        ("questions", np.int8, MAX_QUESTIONS),
        ("askers", np.int8, MAX_QUESTIONS),
        ("answerers", np.int8, MAX_QUESTIONS),
        ("claims", np.int8, MAX_QUESTIONS),  # the answer as a bit mask of values; 0: none yet
        ("allowed", np.int8, (MAX_PLAYERS, MAX_ATTRIBUTES)),  # [seat]: the values all claims name
        ("fits", np.int8, (MAX_PLAYERS, MAX_PLAYERS)),  # [seat, slot] 1: fits all of its claims
        # their windows (B10 to B13)
        ("polls", np.int8, (MAX_QUESTIONS, MAX_PLAYERS)),  # who was polled, in order
        ("num_polls", np.int8, MAX_QUESTIONS),
        ("num_passes", np.int8, MAX_QUESTIONS),  # so many of them have passed, the first ones
        ("accused", np.int8, MAX_QUESTIONS),  # by who was polled last; -1: nobody
        ("agreed", np.uint8, MAX_QUESTIONS),  # bit mask of the seats that agreed
        ("silent", np.int8, MAX_QUESTIONS),  # 1: the kid passed after the failed accusal
        # now
        ("asker", np.int8),  # who asks, or has asked the last question
        ("answerer", np.int8),  # whom; -1: not chosen yet
        ("num_votes", np.int8),  # cast in this vote, besides the accuser's
        ("chance", np.int8),  # what chance decides next
        ("outcome", np.int8),  # -1 before the end
        ("checked", np.int8),  # the slot that the kid named (B14), else -1
    ],
    align=True,
)


CHOICES: Mapping[str, Sequence[Any]] = {
    "num_players": range(3, MAX_PLAYERS + 1),
    "window_order": ("random", "clockwise"),
    "hedging": (True, False),
}
"""What an option can be, for those of which a few values are all."""


def configure(
    state: Any,
    *,
    num_players: int,
    max_questions: int | str | None,
    window_order: str,
    first_asker: int | None,
    hedging: bool,
    catalogue: Mapping[str, Any] | None,
) -> Catalogue:
    """Write a match's options into its record; returns the catalogue (B2).

    Args:
        state: a record of ``STATE``.
        num_players: 3 to 8 (B1).
        max_questions: 1 or more, ``"3n"`` for three a player, or None for the bank's size, which is
            also the most that counts (B15).
        window_order: ``"random"`` or ``"clockwise"`` (B10).
        first_asker: a seat, or None for a random one (B4).
        hedging: may an open question be answered by several values (B7)?
        catalogue: other monsters, see ``monsters.read_catalogue``.

    Raises:
        ValueError: naming the option, its value and what is allowed.
    """
    sizes = CHOICES["num_players"]
    n = check_range("num_players", num_players, sizes[0], sizes[-1])
    state["num_players"] = n
    state["clockwise"] = check_choice("window_order", window_order, CHOICES["window_order"])
    state["first_asker"] = NOBODY
    if first_asker is not None:
        state["first_asker"] = _or_none("first_asker", first_asker, 0, n - 1)
    if not isinstance(hedging, bool):
        raise ValueError(f"hedging={hedging!r}: must be True or False")
    state["hedging"] = hedging
    read = read_catalogue(catalogue, n)
    sizes = [len(values) for _, values in read.attributes]
    state["num_attributes"] = len(sizes)
    state["num_values"][: len(sizes)] = sizes
    state["num_monsters"] = len(read.names)
    for monster, values in enumerate(read.values):
        state["catalogue"][monster, : len(values)] = values
    bank = len(read.questions)
    state["num_questions"] = bank
    for question, (attribute, value) in enumerate(read.questions):
        state["about"][question] = attribute, NOBODY if value is None else value
    state["max_questions"] = min(bank, _questions_wanted(max_questions, n, bank))
    return read


def _questions_wanted(max_questions: int | str | None, num_players: int, bank: int) -> int:
    if max_questions is None:
        return bank
    if max_questions == THREE_EACH:
        return 3 * num_players
    return _or_none("max_questions", max_questions, 1, 2**31, f", or {THREE_EACH!r}")


def _or_none(option: str, value: Any, low: int, high: int, also: str = "") -> int:
    """``check_range`` of an option that may also be None."""
    try:
        return check_range(option, value, low, high)
    except ValueError as error:
        raise ValueError(f"{error}{also}, or None") from None
