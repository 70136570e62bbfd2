"""The deal and all else that chance decides in Under My Bed (B3, B4, B10), and whose turn it is."""

from typing import Any

from masked_monsters.envs.engine.chance import binomial
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.engine.random import below, next_match, start_generator
from masked_monsters.envs.under_my_bed.monsters import MAX_ATTRIBUTES
from masked_monsters.envs.under_my_bed.reading import (
    count_bits,
    pending,
    seat_after,
)
from masked_monsters.envs.under_my_bed.state import (
    ASK_PLAYER,
    CHECKED_RIGHT,
    DEAL_CARD,
    DRAW_ASKER,
    DRAW_BED,
    DRAW_LINEUP,
    DRAW_POLLED,
    KID,
    NOBODY,
    TIME,
    WINDOW,
    WRONG_ACCUSAL,
)


@compiled
def start(state: Any) -> None:
    """A new match with the record's options: waits for the line-up (B3)."""
    next_match(state)
    start_generator(state, 1)
    state["round"] = 1
    state["reward"][:] = 0
    state["cut"] = 0
    state["lineup"][:] = NOBODY
    state["looks"][:] = NOBODY
    state["fits"][:] = 0
    state["under_bed"] = NOBODY
    state["role"][:] = NOBODY
    state["dealt"] = 0
    state["num_asked"] = 0
    state["asked"][:] = 0
    state["questions"][:] = NOBODY
    state["askers"][:] = NOBODY
    state["answerers"][:] = NOBODY
    state["claims"][:] = 0
    for attribute in range(MAX_ATTRIBUTES):
        state["allowed"][:, attribute] = (1 << int(state["num_values"][attribute])) - 1
    state["polls"][:] = NOBODY
    state["num_polls"][:] = 0
    state["num_passes"][:] = 0
    state["accused"][:] = NOBODY
    state["agreed"][:] = 0
    state["silent"][:] = 0
    state["asker"] = NOBODY
    state["answerer"] = NOBODY
    state["num_votes"] = 0
    state["outcome"] = NOBODY
    state["checked"] = NOBODY
    wait_for_chance(state, DRAW_LINEUP)


# ---------------------------------------------------------------- chance


@compiled
def chance(state: Any, codes: Any, weights: Any) -> int:
    """Every outcome of the pending chance event and its probability; all are equally likely.

    Writes as many as fit into ``codes`` (int64) and ``weights`` (float64); returns how many there
    are. A code is a bit mask of the catalogue (the line-up), a slot or KID, or a seat.
    """
    if state["chance"] == DRAW_LINEUP:
        found = int(binomial(int(state["num_monsters"]), int(state["num_players"])))
        lineup = (1 << int(state["num_players"])) - 1
        for i in range(min(found, len(codes))):
            codes[i] = lineup
            lineup = next_lineup(lineup)
    else:
        left = outcomes_left(state)
        found = count_bits(left)
        for i in range(min(found, len(codes))):
            codes[i] = lowest(left)
            left &= left - 1
    for i in range(min(found, len(codes))):
        weights[i] = 1 / found
    return found


@compiled
def next_lineup(lineup: int) -> int:
    """The next larger number with as many bits set (Gosper's hack)."""
    lowest = lineup & -lineup
    carried = lineup + lowest
    return carried | (((lineup ^ carried) // lowest) >> 2)


@compiled
def outcomes_left(state: Any) -> int:
    """The slots, cards or seats that are still to be had, as a bit mask."""
    event = state["chance"]
    left = (1 << int(state["num_players"])) - 1
    if event == DEAL_CARD:  # B3: what lies neither under the bed nor before a seat
        left |= 1 << KID
        left &= ~(1 << int(state["under_bed"]))
        for seat in range(state["dealt"]):
            left &= ~(1 << int(state["role"][seat]))
    elif event == DRAW_POLLED:  # B10: who has not been polled in this window
        last = pending(state)
        for i in range(state["num_polls"][last]):
            left &= ~(1 << int(state["polls"][last, i]))
    return left


@compiled
def lowest(left: int) -> int:
    """The number of the lowest bit that is set."""
    return count_bits((left & -left) - 1)


@compiled
def draw(state: Any) -> int:
    """One outcome of the pending chance event, drawn with the record's own generator."""
    if state["chance"] == DRAW_LINEUP:
        return draw_lineup(state)
    left = outcomes_left(state)
    for _ in range(below(state, count_bits(left))):
        left &= left - 1
    return lowest(left)


@compiled
def draw_lineup(state: Any) -> int:
    """So many different monsters, all sets alike (Floyd's sampling)."""
    size, n = int(state["num_monsters"]), int(state["num_players"])
    lineup = 0
    for largest in range(size - n, size):
        monster = below(state, largest + 1)
        if (lineup >> monster) & 1:
            monster = largest
        lineup |= 1 << monster
    return lineup


@compiled
def resolve(state: Any, code: int) -> None:
    """The pending chance event has this outcome."""
    event = state["chance"]
    if event == DRAW_LINEUP:
        lay_out(state, code)
        wait_for_chance(state, DRAW_BED)
    elif event == DRAW_BED:
        state["under_bed"] = code
        wait_for_chance(state, DEAL_CARD)
    elif event == DEAL_CARD:
        deal(state, code)
    elif event == DRAW_ASKER:
        begin_question(state, code)
    else:
        poll(state, code)


@compiled
def lay_out(state: Any, lineup: int) -> None:
    """B3: in catalogue order; nobody has claimed anything that one of them does not fit."""
    n = int(state["num_players"])
    for slot in range(n):
        monster = lowest(lineup)
        lineup &= lineup - 1
        state["lineup"][slot] = monster
        for attribute in range(state["num_attributes"]):
            state["looks"][slot, attribute] = state["catalogue"][monster, attribute]
    state["fits"][:n, :n] = 1


@compiled
def deal(state: Any, card: int) -> None:
    """B3: a card a seat, from seat 0 on; B4: then someone asks."""
    state["role"][state["dealt"]] = card
    state["dealt"] += 1
    if state["dealt"] < state["num_players"]:
        wait_for_chance(state, DEAL_CARD)
    elif state["first_asker"] >= 0:
        begin_question(state, int(state["first_asker"]))
    else:
        wait_for_chance(state, DRAW_ASKER)


# ---------------------------------------------------------------- whose turn it is


@compiled
def begin_question(state: Any, asker: int) -> None:
    """B5: somebody is to ask somebody something."""
    state["asker"] = asker
    state["answerer"] = NOBODY
    ask(state, ASK_PLAYER, asker)


@compiled
def poll_next(state: Any) -> None:
    """B10: at random, or clockwise from the answerer's left."""
    if state["clockwise"]:
        polled = int(state["num_polls"][pending(state)])
        poll(state, seat_after(state, int(state["answerer"]), polled + 1))
    else:
        wait_for_chance(state, DRAW_POLLED)


@compiled
def poll(state: Any, seat: int) -> None:
    """B10: this player may speak."""
    last = pending(state)
    state["polls"][last, state["num_polls"][last]] = seat
    state["num_polls"][last] += 1
    ask(state, WINDOW, seat)


@compiled
def end_match(state: Any, outcome: int) -> None:
    """B16: who has won, and what that pays."""
    kid_wins = outcome in (WRONG_ACCUSAL, CHECKED_RIGHT, TIME)
    state["outcome"] = outcome
    for seat in range(state["num_players"]):
        is_kid = state["role"][seat] == KID
        state["reward"][seat] = 1 if is_kid == kid_wins else -1
    state["cut"] = 1
    ask(state, OVER, NOBODY)


@compiled
def ask(state: Any, phase: int, seat: int) -> None:
    """The seat decides next."""
    state["phase"] = phase
    state["to_move"] = seat


@compiled
def wait_for_chance(state: Any, event: int) -> None:
    """Chance decides next."""
    state["chance"] = event
    ask(state, CHANCE, NOBODY)
