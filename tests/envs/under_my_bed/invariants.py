"""What holds in every state of Under My Bed in which a seat decides."""

from typing import Any

from masked_monsters.envs.engine.chance import total
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.under_my_bed.state import ASK_PLAYER, KID, PHASES

FAULTS = (
    "no known phase, or nobody to move",
    "the cards are not one of each",
    "the questions are not those that count as asked",
    "what a seat's claims allow is not what they say",
    "a slot fits a seat's claims, or does not, against what they allow",
    "somebody was polled twice in a window",
)


@compiled
def fault_of(state: Any) -> int:
    """0, or 1 + the place in FAULTS."""
    n = int(state["num_players"])
    if not (ASK_PLAYER <= state["phase"] < len(PHASES) and 0 <= state["to_move"] < n):
        return 1
    cards = 1 << int(state["under_bed"])
    for seat in range(n):
        cards |= 1 << int(state["role"][seat])
    if cards != ((1 << n) - 1) | (1 << KID):
        return 2
    if total(state["asked"]) != state["num_asked"] or state["num_asked"] > state["max_questions"]:
        return 3
    for seat in range(n):
        for attribute in range(state["num_attributes"]):
            if allowed_by_claims(state, seat, attribute) != state["allowed"][seat, attribute]:
                return 4
        for slot in range(n):
            if fits(state, seat, slot) != state["fits"][seat, slot]:
                return 5
    for number in range(state["num_asked"]):
        for i in range(state["num_polls"][number]):
            for before in range(i):
                if state["polls"][number, before] == state["polls"][number, i]:
                    return 6
    return 0


@compiled
def allowed_by_claims(state: Any, seat: int, attribute: int) -> int:
    """The values that all of a seat's claims about an attribute name."""
    allowed = (1 << int(state["num_values"][attribute])) - 1
    for number in range(state["num_asked"]):
        about = state["about"][state["questions"][number], 0]
        claim = int(state["claims"][number])
        if state["answerers"][number] == seat and about == attribute and claim > 0:
            allowed &= claim
    return allowed


@compiled
def fits(state: Any, seat: int, slot: int) -> bool:
    """Could the monster of that slot have made all of the seat's claims?"""
    for attribute in range(state["num_attributes"]):
        value = int(state["catalogue"][state["lineup"][slot], attribute])
        if not (int(state["allowed"][seat, attribute]) >> value) & 1:
            return False
    return True
