"""The ``compact`` observation: a flat int8 vector for an MLP, made from the view alone.

``SEGMENTS`` is the one table: it gives the vector's size, every entry's bounds, the slices and the
page in the docs. A monster's own slot comes first, the others in order after it; for the kid, whose
actions name slots, they stay in order.
"""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import FIRST_DECISION, MAX_PLAYERS
from masked_monsters.envs.engine.rows import (
    EVERYTHING,
    NOTHING,
    ONES,
    as_bits,
    copy,
    count_ones,
    entry,
    have_bit,
    load_row,
    smaller,
    store_bits,
    store_row,
)
from masked_monsters.envs.engine.segments import Segment, segments_dtype
from masked_monsters.envs.engine.views import light
from masked_monsters.envs.under_my_bed.monsters import MAX_ATTRIBUTES, MAX_VALUES
from masked_monsters.envs.under_my_bed.reading import asked_attribute, asked_value
from masked_monsters.envs.under_my_bed.state import (
    ASK_QUESTION,
    KID,
    MAX_QUESTIONS,
    PHASES,
    VOTE,
    WINDOW,
)

NUM_PHASES = len(PHASES) - FIRST_DECISION
SEATS = "by seat, mine first"
SLOTS = "by slot, a monster's own first"
VALUES = (MAX_ATTRIBUTES, MAX_VALUES)

SEGMENTS = (
    Segment("players", (MAX_PLAYERS - 2,), 1, "how many play: 3 … 8"),
    Segment("role", (KID + 1,), 1, "my card: the slot, or last the kid"),
    Segment("phase", (NUM_PHASES,), 1, f"{', '.join(PHASES[FIRST_DECISION:])}"),
    Segment("mine", (1,), 1, "1: I decide"),
    Segment("looks", (MAX_PLAYERS, *VALUES), 1, f"the line-up: {SLOTS}, and attribute, its value"),
    Segment(
        "allowed",
        (MAX_PLAYERS, *VALUES),
        1,
        f"{SEATS}, and attribute: 1 for each value that all claims of the seat allow",
    ),
    Segment(
        "fits", (MAX_PLAYERS, MAX_PLAYERS), 1, f"{SEATS}, and {SLOTS}: 1: it fits all its claims"
    ),
    Segment(
        "fitting",
        (MAX_PLAYERS, 4),
        1,
        f"{SEATS}, how many slots fit, for others not counting mine: 0, 1, 2, more",
    ),
    Segment("takers", (MAX_PLAYERS, 3), 1, f"{SLOTS}, how many other seats it fits: 0, 1, more"),
    Segment("asked", (MAX_QUESTIONS,), 1, "1: that question of the bank has been asked"),
    Segment(
        "divides",
        (MAX_QUESTIONS,),
        3,
        "while I choose what to ask: of the slots that fit whom I ask, how many would answer otherwise "
        "than the most (at most 3)",
    ),
    Segment("left", (6,), 1, "how many questions can still be asked: 0 … 4, more"),
    Segment("asker", (MAX_PLAYERS,), 1, f"who asks, or has asked last, {SEATS}"),
    Segment("answerer", (MAX_PLAYERS,), 1, f"whom, {SEATS}"),
    Segment("attribute", (MAX_ATTRIBUTES,), 1, "what the last question was about"),
    Segment("value", (MAX_VALUES,), 1, "the value asked about; none for an open question"),
    Segment("at_issue", (MAX_PLAYERS, MAX_VALUES), 1, f"that attribute's value, {SLOTS}"),
    Segment(
        "bearers", (MAX_VALUES,), 3, "how many slots that fit my claims have each value (at most 3)"
    ),
    Segment("claim", (MAX_VALUES,), 1, "the values named in answer to the last question"),
    Segment("passed", (MAX_PLAYERS,), 1, f"who has passed in this window, {SEATS}"),
    Segment("closed", (1,), 1, "1: this window is closed to accusals"),
    Segment("accuser", (MAX_PLAYERS,), 1, f"of the last accusal, {SEATS}"),
    Segment("accused", (MAX_PLAYERS,), 1, f"of the last accusal, {SEATS}"),
    Segment("agreed", (MAX_PLAYERS,), 1, f"who agreed to it, once all had voted, {SEATS}"),
    Segment("voting", (1,), 1, "1: it is being voted on"),
    Segment("voted", (2,), 1, "my vote in it: disagree, agree"),
    Segment("answers", (MAX_PLAYERS,), MAX_QUESTIONS, f"questions answered, {SEATS}"),
    Segment("accusals_by", (MAX_PLAYERS,), MAX_QUESTIONS, f"accusals made, {SEATS}"),
    Segment("accusals_of", (MAX_PLAYERS,), MAX_QUESTIONS, f"accusals suffered, {SEATS}"),
    Segment("agreements", (MAX_PLAYERS,), MAX_QUESTIONS, f"votes for those of others, {SEATS}"),
    Segment("hedging", (1,), 1, "1: an answer to an open question may name several values"),
)
COMPACT = segments_dtype(SEGMENTS)


@compiled
def encode(view: Any, out: Any) -> None:
    """Write the view into ``out`` (a record of ``COMPACT``)."""
    light(out["players"], int(view["num_players"]) - 3)
    light(out["role"], int(view["role"]))
    light(out["phase"], int(view["phase"]) - FIRST_DECISION)
    out["mine"][0] = view["to_move"] == 0
    copy(view["asked"], out["asked"])
    light(out["left"], min(int(view["max_questions"]) - int(view["num_asked"]), 5))
    light(out["asker"], int(view["asker"]))
    light(out["answerer"], int(view["answerer"]))
    out["hedging"][0] = view["hedging"]
    own = int(view["role"]) if view["role"] >= 0 else KID  # before the deal, as the kid sees it
    encode_looks(view, own, out)
    encode_seats(view, own, out)
    encode_question(view, own, out)
    encode_divides(view, out)
    encode_accusals(view, out)


@compiled
def own_first(row: Any, own: int) -> Any:
    """By slot, a monster's own first."""
    if own == KID:
        return row
    before = (np.uint64(1) << np.uint64(8 * own)) - np.uint64(1)
    own_entry = (row >> np.uint64(8 * own)) & np.uint64(255)
    after = row & ~before & ~(np.uint64(255) << np.uint64(8 * own))
    return after | ((row & before) << np.uint64(8)) | own_entry


@compiled
def encode_looks(view: Any, own: int, out: Any) -> None:
    """What the monsters look like."""
    out["looks"][:] = 0
    for slot in range(view["num_players"]):
        place = slot
        if own != KID:
            place = 0 if slot == own else slot + int(slot < own)
        store_bits(as_bits(load_row(view["looks"][slot])), out["looks"][place])


@compiled
def encode_seats(view: Any, own: int, out: Any) -> None:
    """What each seat's claims leave."""
    n = int(view["num_players"])
    dealt = view["lineup"][0] >= 0
    out["allowed"][:] = 0
    out["fits"][:] = 0
    out["fitting"][:] = 0
    out["takers"][:] = 0
    takers = NOTHING
    for k in range(n):
        store_bits(load_row(view["allowed"][k]), out["allowed"][k])
        fits = own_first(load_row(view["fits"][k]), own)
        store_row(fits, out["fits"][k])
        if k > 0:
            takers += fits
            if own != KID:
                fits >>= np.uint64(8)
        out["fitting"][k, min(count_ones(fits), 3)] = dealt
    for place in range(n):
        out["takers"][place, min(entry(takers, place), 2)] = dealt


@compiled
def looks_at(view: Any, attribute: int) -> Any:
    """The line-up's values of an attribute, by slot, as bits."""
    row = EVERYTHING
    for slot in range(int(view["num_players"]) - 1, -1, -1):
        look = np.uint64(int(view["looks"][slot, attribute]) & 255)
        row = (row << np.uint64(8)) | look
    return as_bits(row)


@compiled
def encode_question(view: Any, own: int, out: Any) -> None:
    """The last question, its answer, and how the line-up looks there."""
    attribute, value, claim, looks = -1, -1, 0, NOTHING
    last = int(view["num_asked"]) - 1
    if last >= 0:
        question = int(view["questions"][last])
        attribute = asked_attribute(view, question)
        value = asked_value(view, question)
        claim = int(view["claims"][last])
        looks = looks_at(view, attribute)
    light(out["attribute"], attribute)
    light(out["value"], value)
    store_bits(own_first(looks, own), out["at_issue"])
    mine = load_row(view["fits"][0])
    for bit in range(MAX_VALUES):
        out["claim"][bit] = (claim >> bit) & 1
        out["bearers"][bit] = min(3, count_ones(have_bit(looks, bit) & mine))


@compiled
def encode_divides(view: Any, out: Any) -> None:
    """Of the slots that fit whom I ask, all but the largest part that would answer alike."""
    out["divides"][:] = 0
    if view["phase"] != ASK_QUESTION or view["to_move"] != 0:
        return
    fitting = 0
    alike = (NOTHING, NOTHING, NOTHING, NOTHING)  # by value, for each attribute
    for slot in range(view["num_players"]):
        if view["fits"][view["answerer"], slot]:
            fitting += 1
            looks = as_bits(load_row(view["looks"][slot]))
            alike = (
                alike[0] + have_bit(looks, 0),
                alike[1] + have_bit(looks, 1),
                alike[2] + have_bit(looks, 2),
                alike[3] + have_bit(looks, 3),
            )
    every = ONES * np.uint64(fitting)
    fewest = smaller(
        smaller(every - alike[0], every - alike[1]), smaller(every - alike[2], every - alike[3])
    )
    for attribute in range(view["num_attributes"]):
        divide(view, attribute, fewest, attribute, out)
    question = int(view["num_attributes"])
    for attribute in range(view["num_attributes"]):
        for value in range(view["num_values"][attribute]):
            yes = alike[value]
            divide(view, question, smaller(yes, every - yes), attribute, out)
            question += 1


@compiled
def divide(view: Any, question: int, dissenters: Any, attribute: int, out: Any) -> None:
    """How a question that can still be asked divides them."""
    out["divides"][question] = (
        0 if view["asked"][question] else min(3, entry(dissenters, attribute))
    )


@compiled
def encode_accusals(view: Any, out: Any) -> None:
    """The window, the vote, the last accusal, and the record of those that failed."""
    copy(view["passed"], out["passed"])
    for k in range(MAX_PLAYERS):
        out["answers"][k] = 0
        out["accusals_by"][k] = 0
        out["accusals_of"][k] = 0
        out["agreements"][k] = 0
    accuser, accused, agreed = -1, -1, 0
    last = int(view["num_asked"]) - 1
    for i in range(last + 1):
        if view["claims"][i] > 0:
            out["answers"][view["answerers"][i]] += 1
        if view["accusers"][i] >= 0:
            accuser, accused = int(view["accusers"][i]), int(view["accused"][i])
            agreed = int(view["agreed"][i])
            if i < last or not view["voting"]:
                count_accusal(out, accuser, accused, agreed)
    light(out["accuser"], accuser)
    light(out["accused"], accused)
    for k in range(MAX_PLAYERS):
        out["agreed"][k] = (agreed >> k) & 1
    in_window = view["phase"] in (WINDOW, VOTE)
    out["closed"][0] = in_window and view["accusers"][last] >= 0
    out["voting"][0] = view["voting"]
    light(out["voted"], int(view["voted"]))


@compiled
def count_accusal(out: Any, accuser: int, accused: int, agreed: int) -> None:
    """One more in the record."""
    out["accusals_by"][accuser] += 1
    out["accusals_of"][accused] += 1
    for k in range(MAX_PLAYERS):
        if k != accuser:
            out["agreements"][k] += (agreed >> k) & 1
