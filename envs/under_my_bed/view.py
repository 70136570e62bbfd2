"""What one seat may know: ``look`` for the position as it stands, ``recall`` for all that happened.

Seats are relative to the seat that looks: 0 is itself, k the k-th seat to its left.
"""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import MAX_PLAYERS, OVER
from masked_monsters.envs.engine.rows import copy, rotate_rows
from masked_monsters.envs.engine.seats import relative
from masked_monsters.envs.engine.views import token
from masked_monsters.envs.under_my_bed.monsters import MAX_ATTRIBUTES
from masked_monsters.envs.under_my_bed.reading import (
    accuser,
    in_window,
    is_voted_on,
    kid_seat,
    pending,
    seat_after,
    voter,
)
from masked_monsters.envs.under_my_bed.state import (
    ASK_QUESTION,
    KID,
    KID_CAUGHT,
    MAX_QUESTIONS,
    NOBODY,
    TIME,
    VOTE,
    WINDOW,
    WRONG_ACCUSAL,
)

VIEW = np.dtype(
    [
        ("seat", np.int8),  # who looks (everything below is relative to it)
        ("num_players", np.int8),
        ("max_questions", np.int8),
        ("hedging", np.int8),
        ("num_attributes", np.int8),
        ("num_values", np.int8, MAX_ATTRIBUTES),  # of each attribute; 0 beyond
        ("num_questions", np.int8),  # in the bank
        ("about", np.int8, (MAX_QUESTIONS, 2)),  # each question's attribute, and value: -1 if open
        ("phase", np.int8),
        ("to_move", np.int8),  # -1: nobody, or somebody else in a window or a vote
        ("role", np.int8),  # my slot, or KID; -1 before the deal
        ("lineup", np.int8, MAX_PLAYERS),  # monsters of the catalogue by slot; -1 beyond
        ("looks", np.int8, (MAX_PLAYERS, MAX_ATTRIBUTES)),  # their values; -1 beyond
        # claims
        ("num_asked", np.int8),
        ("asked", np.int8, MAX_QUESTIONS),  # 1: that question of the bank has been asked
        ("questions", np.int8, MAX_QUESTIONS),  # in the order asked; the others alike; -1 beyond
        ("askers", np.int8, MAX_QUESTIONS),
        ("answerers", np.int8, MAX_QUESTIONS),
        ("claims", np.int8, MAX_QUESTIONS),  # bit masks of values; 0: none yet
        ("allowed", np.int8, (MAX_PLAYERS, MAX_ATTRIBUTES)),  # by seat, what its claims allow
        ("fits", np.int8, (MAX_PLAYERS, MAX_PLAYERS)),  # [seat, slot] 1: fits all of its claims
        ("asker", np.int8),  # who asks, or has asked last; -1 before the first
        ("answerer", np.int8),  # whom; -1: not chosen yet
        # accusals, by the number of the question before them
        ("accusers", np.int8, MAX_QUESTIONS),  # -1: no accusal
        ("accused", np.int8, MAX_QUESTIONS),
        ("agreed", np.uint8, MAX_QUESTIONS),  # bit mask of seats, once all have voted
        ("voting", np.int8),  # 1: the last of them is being voted on
        ("voted", np.int8),  # my vote in it: -1 not cast, 0 disagree, 1 agree
        ("passed", np.int8, MAX_PLAYERS),  # 1: has passed in the open window
        ("outcome", np.int8),  # -1 before the end
    ],
    align=True,
)


@compiled
def look(state: Any, seat: int, view: Any) -> None:
    """Fill ``view`` (a record of ``VIEW``) with what ``seat`` may know of ``state``."""
    n = int(state["num_players"])
    view["seat"] = seat
    view["num_players"] = n
    view["max_questions"] = state["max_questions"]
    view["hedging"] = state["hedging"]
    view["num_attributes"] = state["num_attributes"]
    copy(state["num_values"], view["num_values"])
    view["num_questions"] = state["num_questions"]
    copy(state["about"], view["about"])
    view["phase"] = state["phase"]
    view["to_move"] = who_is_seen_to_move(state, seat)
    view["role"] = state["role"][seat]
    copy(state["lineup"], view["lineup"])  # B3: for all to see
    copy(state["looks"], view["looks"])
    view["asker"] = relative(state["asker"], seat, n)
    view["answerer"] = relative(state["answerer"], seat, n)
    view["outcome"] = state["outcome"]
    look_at_claims(state, seat, n, view)
    look_at_accusals(state, seat, n, view)


@compiled
def who_is_seen_to_move(state: Any, seat: int) -> int:
    """B10, B11: nobody sees who else is polled, or is asked to vote."""
    hidden = state["phase"] == WINDOW or state["phase"] == VOTE
    if hidden and state["to_move"] != seat:
        return NOBODY
    return relative(state["to_move"], seat, int(state["num_players"]))


@compiled
def look_at_claims(state: Any, seat: int, n: int, view: Any) -> None:
    """Who said what to whom, and which monsters of the line-up that leaves."""
    view["num_asked"] = state["num_asked"]
    copy(state["asked"], view["asked"])
    copy(state["questions"], view["questions"])
    copy(state["claims"], view["claims"])
    view["askers"][:] = NOBODY
    view["answerers"][:] = NOBODY
    for i in range(state["num_asked"]):
        view["askers"][i] = relative(state["askers"][i], seat, n)
        view["answerers"][i] = relative(state["answerers"][i], seat, n)
    rotate_rows(state["allowed"], seat, n, view["allowed"])
    rotate_rows(state["fits"], seat, n, view["fits"])


@compiled
def look_at_accusals(state: Any, seat: int, n: int, view: Any) -> None:
    """Accusals and votes once all are cast; of the pending vote only my own."""
    last = pending(state)
    view["voting"] = state["phase"] == VOTE
    view["voted"] = vote_of(state, seat) if state["phase"] == VOTE else NOBODY
    view["accused"][:] = NOBODY
    view["accusers"][:] = NOBODY
    view["agreed"][:] = 0
    for i in range(state["num_asked"]):
        accused = int(state["accused"][i])
        if accused >= 0:
            view["accused"][i] = relative(accused, seat, n)
            view["accusers"][i] = relative(accuser(state, i), seat, n)
            if not is_voted_on(state, i):
                view["agreed"][i] = relative_seats(int(state["agreed"][i]), seat, n)
    view["passed"][:] = 0
    if in_window(state):
        for i in range(state["num_passes"][last]):
            view["passed"][relative(state["polls"][last, i], seat, n)] = 1


@compiled
def vote_of(state: Any, seat: int) -> int:
    """B11: what a seat has voted in the pending vote; -1: nothing yet."""
    last = pending(state)
    agrees = (int(state["agreed"][last]) >> seat) & 1
    if agrees:
        return 1
    for number in range(state["num_votes"]):
        if voter(state, number) == seat:
            return 0
    return NOBODY


@compiled
def relative_seats(seats: int, to: int, n: int) -> int:
    """A bit mask of seats, as counted from another one."""
    return ((seats >> to) | (seats << (n - to))) & ((1 << n) - 1)


# What a seat recalls: rows [kind, who, whom, what], who and whom relative seats, 0 where unused.
TOKEN_KINDS = (
    "nothing",
    "lineup",  # in the slot who lies the monster what of the catalogue
    "card",  # my card: the slot what, or 8 for the kid
    "begins",  # who asks first
    "chose",  # who is to ask whom, and has not said what yet
    "asked",  # who asked whom the question what
    "claimed",  # who answered: one of the values of the bit mask what
    "passed",  # who passed when polled
    "accused",  # who accused whom
    "voted",  # who voted what (1: agree) on it, told when all have voted; mine at once
    "silent",  # I, the kid, passed after the failed accusal
    "showed",  # who showed the card what
    "bed",  # the slot what lies under the bed
    "checked",  # who, the kid, named the slot what
    "ended",  # with the outcome what
    "now",  # who decides in the phase what; whom is 1 if nobody does, or I am not told who
)
(
    _, LINEUP, CARD, BEGINS, CHOSE, ASKED, CLAIMED, PASSED, ACCUSED, VOTED, SILENT,
    SHOWED, BED, CHECKED, ENDED, NOW,
) = range(len(TOKEN_KINDS))  # fmt: skip
TOKEN_HIGHS = (len(TOKEN_KINDS) - 1, MAX_PLAYERS - 1, MAX_PLAYERS - 1, MAX_QUESTIONS - 1)


def max_tokens(num_players: int, max_questions: int) -> int:
    """The most rows there can be: the deal, the questions with their windows, the end and now."""
    window = num_players + (num_players - 2) + 1  # polls, votes besides the accuser's, silence
    return num_players + 2 + max_questions * (2 + window) + 4


@compiled
def recall(state: Any, seat: int, tokens: Any) -> int:
    """Write what ``seat`` recalls into ``tokens`` (int8, rows of 4); returns how many rows."""
    n = int(state["num_players"])
    found = 0
    for slot in range(n):
        if state["lineup"][slot] >= 0:
            found = token(tokens, found, LINEUP, slot, 0, state["lineup"][slot])
    if state["role"][seat] >= 0:
        found = token(tokens, found, CARD, 0, 0, state["role"][seat])
    if state["asker"] >= 0:
        first = state["askers"][0] if state["num_asked"] > 0 else state["asker"]
        found = token(tokens, found, BEGINS, relative(first, seat, n), 0, 0)
    for number in range(state["num_asked"]):
        found = recall_question(state, number, seat, tokens, found)
    if state["phase"] == ASK_QUESTION:
        asker, answerer = relative(state["asker"], seat, n), relative(state["answerer"], seat, n)
        found = token(tokens, found, CHOSE, asker, answerer, 0)
    if state["phase"] == OVER:
        found = recall_end(state, seat, tokens, found)
    who = who_is_seen_to_move(state, seat)
    found = token(tokens, found, NOW, max(0, who), who < 0, state["phase"])
    tokens[found:] = 0
    return found


@compiled
def recall_question(state: Any, number: int, seat: int, tokens: Any, found: int) -> int:
    """A question, its answer, and the window after it."""
    n = int(state["num_players"])
    asker = relative(state["askers"][number], seat, n)
    answerer = relative(state["answerers"][number], seat, n)
    found = token(tokens, found, ASKED, asker, answerer, state["questions"][number])
    if state["claims"][number] > 0:
        found = token(tokens, found, CLAIMED, answerer, 0, state["claims"][number])
    for i in range(state["num_passes"][number]):
        who = relative(state["polls"][number, i], seat, n)
        found = token(tokens, found, PASSED, who, 0, 0)
    if state["accused"][number] >= 0:
        found = recall_accusal(state, number, seat, tokens, found)
    return found


@compiled
def recall_accusal(state: Any, number: int, seat: int, tokens: Any, found: int) -> int:
    """An accusal, the votes that the seat has been told, and the kid's own silence after it."""
    n = int(state["num_players"])
    accused = int(state["accused"][number])
    accuser = int(state["polls"][number, state["num_polls"][number] - 1])
    found = token(tokens, found, ACCUSED, relative(accuser, seat, n), relative(accused, seat, n), 0)
    is_last = number == state["num_asked"] - 1
    voting = is_last and state["phase"] == VOTE
    for k in range(1, n):
        voter_ = seat_after(state, accused, k)
        if voter_ != accuser and (not voting or (voter_ == seat and vote_of(state, seat) >= 0)):
            agrees = (int(state["agreed"][number]) >> voter_) & 1
            found = token(tokens, found, VOTED, relative(voter_, seat, n), 0, agrees)
    if state["silent"][number] and state["role"][seat] == KID:
        found = token(tokens, found, SILENT, 0, 0, 0)
    return found


@compiled
def recall_end(state: Any, seat: int, tokens: Any, found: int) -> int:
    """B12, B14, B15: how the match ended, and what that showed to all."""
    n = int(state["num_players"])
    outcome = state["outcome"]
    if outcome in (KID_CAUGHT, WRONG_ACCUSAL):
        accused = int(state["accused"][state["num_asked"] - 1])
        found = token(tokens, found, SHOWED, relative(accused, seat, n), 0, state["role"][accused])
    elif outcome != TIME:
        kid = relative(kid_seat(state), seat, n)
        found = token(tokens, found, CHECKED, kid, 0, state["checked"])
        found = token(tokens, found, BED, 0, 0, state["under_bed"])
    return token(tokens, found, ENDED, 0, 0, outcome)
