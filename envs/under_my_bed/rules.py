"""The rules of Under My Bed (B1 to B16), over one record of ``STATE``.

``start`` begins a match. In a decision phase ``legal`` says what the seat to move may do and ``apply``
does it. In the phase CHANCE ``chance`` lists what can happen, ``draw`` picks one of it with the
record's own generator, and ``resolve`` makes it happen (these five: ``dealing.py``).
"""

from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.under_my_bed.dealing import (
    ask,
    begin_question,
    end_match,
    poll_next,
)
from masked_monsters.envs.under_my_bed.reading import (
    accusals_open,
    after_questions,
    asked_value,
    count_bits,
    kid_seat,
    pending,
    pending_attribute,
    pending_question,
    question_size,
    seat_after,
    value_of,
    voter,
    who_just_asked,
)
from masked_monsters.envs.under_my_bed.state import (
    AGREE,
    ANSWER,
    ASK_PLAYER,
    ASK_QUESTION,
    CHECK,
    CHECKED_RIGHT,
    CHECKED_WRONG,
    CLAIM,
    DISAGREE,
    FIRST_PLAYER_ACTION,
    FIRST_QUESTION,
    KID,
    KID_CAUGHT,
    NOBODY,
    PASS,
    TIME,
    VOTE,
    WINDOW,
    WRONG_ACCUSAL,
)

# ---------------------------------------------------------------- what is legal


@compiled
def legal(state: Any, mask: Any) -> None:
    """Write 1 into ``mask`` (32 + num_questions) for each action of the seat to move, else 0."""
    mask[:] = 0
    phase = state["phase"]
    seat = int(state["to_move"])
    rest = after_questions(state)
    if phase == ASK_PLAYER:
        legal_players(state, seat, who_just_asked(state), mask)
    elif phase == ASK_QUESTION:
        for question in range(state["num_questions"]):
            mask[FIRST_QUESTION + question] = 1 - state["asked"][question]
    elif phase == ANSWER:
        legal_claims(state, seat, mask[rest + CLAIM :])
    elif phase == WINDOW:
        mask[rest + PASS] = 1
        if accusals_open(state):
            legal_players(state, seat, NOBODY, mask)
    elif phase == VOTE:
        mask[rest + AGREE] = 1
        mask[rest + DISAGREE] = 1
    if may_check(state, seat):
        for slot in range(state["num_players"]):
            mask[rest + CHECK + slot] = 1


@compiled
def legal_players(state: Any, seat: int, exempt: int, mask: Any) -> None:
    """Anyone else, save one."""
    for k in range(1, state["num_players"]):
        if seat_after(state, seat, k) != exempt:
            mask[FIRST_PLAYER_ACTION + k - 1] = 1


@compiled
def may_check(state: Any, seat: int) -> bool:
    """B14: the kid, except while choosing what to ask and during a vote."""
    phase = state["phase"]
    at_all = phase in (ASK_PLAYER, ANSWER, WINDOW)
    return at_all and state["role"][seat] == KID


@compiled
def legal_claims(state: Any, seat: int, mask: Any) -> None:
    """B7: what the question allows; ``mask`` is of the claims, from 0 on."""
    every = (1 << question_size(state)) - 1
    true = true_values(state, seat, every)
    value = asked_value(state, pending_question(state))
    if value >= 0:
        yes = 1 << value
        mask[yes] = (true & yes) > 0
        mask[every ^ yes] = (true & ~yes) > 0
    else:
        most = most_values(state)
        for claim in range(1, every):
            mask[claim] = (true & claim) > 0 and count_bits(claim) <= most


@compiled
def true_values(state: Any, seat: int, every: int) -> int:
    """B8: a claim must contain one of these: a monster's own value; any, if it is the kid's claim."""
    role = int(state["role"][seat])
    return every if role == KID else 1 << value_of(state, role, pending_attribute(state))


@compiled
def most_values(state: Any) -> int:
    """B7: how many values an answer to the pending open question may name."""
    return (question_size(state) + 1) // 2 if state["hedging"] else 1


# ---------------------------------------------------------------- what is done


@compiled
def apply(state: Any, action: int) -> None:
    """The seat to move does a legal action."""
    seat = int(state["to_move"])
    phase = state["phase"]
    rest = after_questions(state)
    if action >= rest + CHECK:
        check(state, action - rest - CHECK)
    elif phase == ASK_PLAYER:
        state["answerer"] = seat_after(state, seat, action - FIRST_PLAYER_ACTION + 1)
        ask(state, ASK_QUESTION, seat)
    elif phase == ASK_QUESTION:
        put_question(state, action - FIRST_QUESTION)
    elif phase == ANSWER:
        claim(state, seat, action - rest - CLAIM)
    elif phase == VOTE:
        vote(state, seat, action == rest + AGREE)
    elif action < FIRST_QUESTION:
        accuse(state, seat, seat_after(state, seat, action - FIRST_PLAYER_ACTION + 1))
    elif accusals_open(state):
        state["num_passes"][pending(state)] += 1
        poll_on(state)
    else:
        state["silent"][pending(state)] = 1
        end_window(state)


@compiled
def put_question(state: Any, question: int) -> None:
    """B5: each question of the bank once a game."""
    last = int(state["num_asked"])
    state["num_asked"] = last + 1
    state["asked"][question] = 1
    state["questions"][last] = question
    state["askers"][last] = state["asker"]
    state["answerers"][last] = state["answerer"]
    ask(state, ANSWER, int(state["answerer"]))


@compiled
def claim(state: Any, seat: int, values: int) -> None:
    """B7: "mine is one of these"; then everybody is polled (B10)."""
    state["claims"][pending(state)] = values
    attribute = pending_attribute(state)
    state["allowed"][seat, attribute] &= values
    for slot in range(state["num_players"]):
        state["fits"][seat, slot] &= (values >> value_of(state, slot, attribute)) & 1
    poll_on(state)


@compiled
def poll_on(state: Any) -> None:
    """B10: every player once; then the window ends."""
    if state["num_polls"][pending(state)] == state["num_players"]:
        end_window(state)
    else:
        poll_next(state)


@compiled
def end_window(state: Any) -> None:
    """B9: who answered asks next. B15: the kid wins after the last window."""
    if state["num_asked"] == state["max_questions"]:
        end_match(state, TIME)
    else:
        begin_question(state, int(state["answerer"]))


@compiled
def accuse(state: Any, seat: int, accused: int) -> None:
    """B11: the accuser agrees; the others but the accused vote, clockwise from the accused's left."""
    state["accused"][pending(state)] = accused
    state["agreed"][pending(state)] = 1 << seat
    state["num_votes"] = 0
    ask(state, VOTE, voter(state, 0))


@compiled
def vote(state: Any, seat: int, agrees: bool) -> None:
    """B11, B12: with the last vote, either all have agreed, or play goes on (B13)."""
    if agrees:
        state["agreed"][pending(state)] |= 1 << seat
    state["num_votes"] += 1
    if state["num_votes"] < state["num_players"] - 2:
        ask(state, VOTE, voter(state, int(state["num_votes"])))
    elif count_bits(int(state["agreed"][pending(state)])) == state["num_players"] - 1:
        accused = state["accused"][pending(state)]
        end_match(state, KID_CAUGHT if state["role"][accused] == KID else WRONG_ACCUSAL)
    else:
        ask(state, WINDOW, kid_seat(state))  # B13: the kid alone, once more


@compiled
def check(state: Any, slot: int) -> None:
    """B14: what is under the bed?"""
    state["checked"] = slot
    end_match(state, CHECKED_RIGHT if slot == state["under_bed"] else CHECKED_WRONG)
