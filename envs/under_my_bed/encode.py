"""The ``compact`` observation: a flat int8 vector for an MLP, made from the view alone.

``SEGMENTS`` is the one table: it gives the vector's size, every entry's bounds, the slices and the
page in the docs. A monster's own slot comes first, the others in order after it; for the kid, whose
actions name slots, they stay in order.
"""

from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import FIRST_DECISION, MAX_PLAYERS
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
    out["asked"] = view["asked"]
    light(out["left"], min(int(view["max_questions"]) - int(view["num_asked"]), 5))
    light(out["asker"], int(view["asker"]))
    light(out["answerer"], int(view["answerer"]))
    out["hedging"][0] = view["hedging"]
    encode_lineup(view, out)
    encode_seats(view, out)
    encode_question(view, out)
    encode_accusals(view, out)


@compiled
def encode_lineup(view: Any, out: Any) -> None:
    """What the monsters look like."""
    for slot in range(MAX_PLAYERS):
        place = place_of(view, slot)
        for attribute in range(MAX_ATTRIBUTES):
            light(out["looks"][place, attribute], int(view["looks"][slot, attribute]))


@compiled
def place_of(view: Any, slot: int) -> int:
    """A monster's own slot comes first."""
    own = int(view["role"])
    if own == KID or slot > own:
        return slot
    return 0 if slot == own else slot + 1


@compiled
def encode_seats(view: Any, out: Any) -> None:
    """What each seat's claims leave."""
    n = int(view["num_players"])
    for k in range(MAX_PLAYERS):
        fitting = 0
        for slot in range(MAX_PLAYERS):
            fits = int(view["fits"][k, slot])
            out["fits"][k, place_of(view, slot)] = fits
            if k == 0 or slot != view["role"]:
                fitting += fits
        there = k < n and view["lineup"][0] >= 0
        light(out["fitting"][k], min(fitting, 3) if there else -1)
    for slot in range(MAX_PLAYERS):
        takers = 0
        for k in range(1, n):
            takers += int(view["fits"][k, slot])
        there = view["lineup"][slot] >= 0
        light(out["takers"][place_of(view, slot)], min(takers, 2) if there else -1)
    for k in range(MAX_PLAYERS):
        for attribute in range(MAX_ATTRIBUTES):
            allowed = int(view["allowed"][k, attribute])
            for value in range(MAX_VALUES):
                there = value < view["num_values"][attribute]
                out["allowed"][k, attribute, value] = (allowed >> value) & 1 if there else 0


@compiled
def encode_question(view: Any, out: Any) -> None:
    """The last question, its answer, and how the line-up looks there."""
    attribute, value, claim = -1, -1, 0
    last = int(view["num_asked"]) - 1
    if last >= 0:
        question = int(view["questions"][last])
        attribute = asked_attribute(view, question)
        value = asked_value(view, question)
        claim = int(view["claims"][last])
    light(out["attribute"], attribute)
    light(out["value"], value)
    out["bearers"][:] = 0
    for bit in range(MAX_VALUES):
        out["claim"][bit] = (claim >> bit) & 1
    for slot in range(MAX_PLAYERS):
        look = int(view["looks"][slot, attribute]) if last >= 0 else -1
        light(out["at_issue"][place_of(view, slot)], look)
        if look >= 0:
            out["bearers"][look] = min(3, int(out["bearers"][look]) + int(view["fits"][0, slot]))
    out["divides"][:] = 0
    if view["phase"] == ASK_QUESTION and view["to_move"] == 0:
        for question in range(view["num_questions"]):
            if not view["asked"][question]:
                out["divides"][question] = dissenters(view, question)


@compiled
def dissenters(view: Any, question: int) -> int:
    """Of the slots that fit whom I ask, all but the largest part that would answer alike."""
    attribute, value = asked_attribute(view, question), asked_value(view, question)
    fitting, largest = 0, 0
    for slot in range(view["num_players"]):
        if view["fits"][view["answerer"], slot]:
            fitting += 1
            look = view["looks"][slot, attribute]
            alike = 0
            for other in range(view["num_players"]):
                if view["fits"][view["answerer"], other]:
                    there = view["looks"][other, attribute]
                    alike += look == there if value < 0 else (look == value) == (there == value)
            largest = max(largest, alike)
    return min(3, fitting - largest)


@compiled
def encode_accusals(view: Any, out: Any) -> None:
    """The window, the vote, the last accusal, and the record of those that failed."""
    out["passed"] = view["passed"]
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
