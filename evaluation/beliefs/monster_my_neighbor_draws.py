"""Draws of hidden cards that look ahead, compiled, over many worlds at once.

Each function draws from a proposal ``q`` that prefers what the seat will see later, and multiplies the
worlds' ``weights`` by ``p / q``, ``p`` being the rules' probability (or the policy's): so nothing is
biased, and few worlds are lost. A world in which something cannot happen has weight 0 from then on.
"""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.chance import BITS, binomial, count_in, total
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.monster_my_neighbor.rules import (
    apply,
    drawn_from,
    legal,
    num_added,
    resolve,
)
from masked_monsters.envs.monster_my_neighbor.state import MAX_PLAYERS, MONSTER, NUM_CARDS

MISSING = 0.2
"""The proposal's factor for each card that a hand still lacks."""
MAX_SET = 4 * MAX_PLAYERS - 4
"""At most so many cards are drawn at once: the starting deck's."""


@compiled
def draw_deck(states: Any, least: Any, wanted: Any, lots: Any, weights: Any) -> None:
    """M5: the cards added to the starting deck, at least ``least`` by type, ``wanted`` preferred."""
    never = np.zeros(NUM_CARDS, np.int64)
    for lane in range(len(states)):
        size = num_added(states[lane])
        code, ratio = draw_set(states[lane]["deck"], size, least, wanted, never, never, lots[lane])
        weights[lane] *= ratio
        if ratio > 0:
            resolve(states[lane], code)


@compiled
def draw_hands(
    states: Any, least: Any, wanted: Any, kept: Any, left: Any, lots: Any, weights: Any
) -> None:
    """M5, M20: the next hand; ``kept`` cards must stay for later hands, ``left`` should."""
    for lane in range(len(states)):
        state = states[lane]
        size = int(state["hand_sizes"][state["chance_seat"]])
        code, ratio = draw_set(state["pool"], size, least, wanted, kept, left, lots[lane])
        weights[lane] *= ratio
        if ratio > 0:
            resolve(state, code)


@compiled
def deal_hands(states: Any, code: int, weights: Any) -> None:
    """M5, M20: the next hand is known."""
    for lane in range(len(states)):
        state = states[lane]
        size = int(state["hand_sizes"][state["chance_seat"]])
        ways = 1.0
        for card in range(NUM_CARDS):
            ways *= binomial(int(state["pool"][card]), count_in(code, card))
        weights[lane] *= ways / binomial(total(state["pool"]), size)
        if weights[lane] > 0:
            resolve(state, code)


@compiled
def draw_set(
    counts: Any, size: int, least: Any, wanted: Any, kept: Any, left: Any, lots: Any
) -> Any:
    """A set of cards out of counts, and ``p / q``; 0 if there is none with ``least`` and ``kept``.

    The proposal is in proportion to the hypergeometric probability times a factor for each type,
    which depends on how many of it are drawn; its sum is found by dynamic programming over types.
    """
    ways = np.zeros((NUM_CARDS + 1, MAX_SET + 1))
    terms = np.zeros((NUM_CARDS, MAX_SET + 1))
    ways[NUM_CARDS, 0] = 1.0
    for card in range(NUM_CARDS - 1, -1, -1):
        count = int(counts[card])
        for k in range(least[card], min(count - kept[card], size) + 1):
            lacking = max(wanted[card] - k, 0) + max(left[card] - (count - k), 0)
            terms[card, k] = binomial(count, k) * MISSING**lacking
            for drawn in range(k, size + 1):
                ways[card, drawn] += terms[card, k] * ways[card + 1, drawn - k]
    code = 0
    if ways[0, size] == 0.0:
        return code, 0.0
    ratio = ways[0, size] / binomial(total(counts), size)
    rest = size
    for card in range(NUM_CARDS):
        lot = lots[card] * ways[card, rest]
        chosen = -1
        for k in range(rest + 1):
            weight = terms[card, k] * ways[card + 1, rest - k]
            if weight > 0.0:
                chosen = k
                lot -= weight
                if lot < 0.0:
                    break
        ratio *= binomial(int(counts[card]), chosen) / terms[card, chosen]
        code += chosen << (BITS * card)
        rest -= chosen
    return code, ratio


@compiled
def draw_cards(
    states: Any,
    known: int,
    me: int,
    giver: int,
    taker: int,
    wanted: Any,
    lots: Any,
    weights: Any,
) -> None:
    """M16, M18, M21: one random card, ``known`` or -1, from a giver (-1: the deck) to a taker."""
    chances = np.zeros(NUM_CARDS)
    factors = np.zeros(NUM_CARDS)
    for lane in range(len(states)):
        state = states[lane]
        counts = drawn_from(state)
        size = total(counts)
        for card in range(NUM_CARDS):
            chances[card] = counts[card] / size
        if known >= 0:
            weights[lane] *= chances[known]
            card = known
        else:
            prefer(state, me, giver, taker, wanted, factors)
            card, ratio = draw_one(chances, factors, lots[lane])
            weights[lane] *= ratio
        if weights[lane] > 0.0:
            resolve(state, card)


@compiled
def draw_actions(
    states: Any,
    probabilities: Any,
    me: int,
    giver: int,
    taker: int,
    wanted: Any,
    sure: Any,
    lots: Any,
    weights: Any,
    actions: Any,
) -> None:
    """A secret choice of a card that goes to a taker (-1: face down).

    What must ``sure``ly stay does; the Monster does not go face down, since the round would be over.
    """
    factors = np.zeros(NUM_CARDS)
    chances = np.zeros(NUM_CARDS)
    for lane in range(len(states)):
        state = states[lane]
        prefer(state, me, giver, taker, wanted, factors)
        if taker < 0:
            factors[MONSTER] = 0.0
        for card in range(NUM_CARDS):
            chances[card] = probabilities[lane, card]
            if sure[card] > 0 and state["hands"][giver, card] <= sure[card]:
                factors[card] = 0.0
        actions[lane], ratio = draw_one(chances, factors, lots[lane])
        weights[lane] *= ratio


@compiled
def prefer(state: Any, me: int, giver: int, taker: int, wanted: Any, factors: Any) -> None:
    """A factor for each card that may go: what one will need is kept, what the other lacks, given."""
    n = int(state["num_players"])
    for card in range(NUM_CARDS):
        factors[card] = 1.0
        if giver >= 0 and 0 < state["hands"][giver, card] <= wanted[giver, card]:
            factors[card] *= MISSING
        if taker >= 0 and state["hands"][taker, card] < wanted[taker, card]:
            factors[card] /= MISSING
        if taker < 0 and others_hold(state, me, card) <= wanted[n, card]:
            factors[card] *= MISSING
        if giver < 0 and others_hold(state, me, card) < wanted[n, card]:
            factors[card] /= MISSING


@compiled
def others_hold(state: Any, me: int, card: int) -> int:
    """How many of a card are in the others' hands."""
    held = 0
    for seat in range(state["num_players"]):
        if seat != me:
            held += int(state["hands"][seat, card])
    return held


@compiled
def draw_one(chances: Any, factors: Any, lot: float) -> Any:
    """A card in proportion to its chance times its factor, and ``p / q``; -1 and 0 if there is none."""
    sum_ = 0.0
    for card in range(NUM_CARDS):
        sum_ += chances[card] * factors[card]
    left = lot * sum_
    chosen = -1
    for card in range(NUM_CARDS):
        weight = chances[card] * factors[card]
        if weight > 0.0:
            chosen = card
            left -= weight
            if left < 0.0:
                break
    return (chosen, sum_ / factors[chosen]) if chosen >= 0 else (-1, 0.0)


@compiled
def foresee(states: Any, me: int, wanted: Any, sure: Any, promise: Any) -> None:
    """About how likely the hands are to show what will be seen, in proportion."""
    for lane in range(len(states)):
        n = int(states[lane]["num_players"])
        promise[lane] = 1.0
        for card in range(NUM_CARDS):
            for row in range(n + 1):
                if row < n:
                    held = int(states[lane]["hands"][row, card])
                else:
                    held = others_hold(states[lane], me, card)
                if held < sure[row, card]:
                    promise[lane] = 0.0
                elif held < wanted[row, card]:
                    promise[lane] *= MISSING ** (wanted[row, card] - held)


@compiled
def list_legal(states: Any, masks: Any) -> None:
    """What the seats to move may do."""
    for lane in range(len(states)):
        legal(states[lane], masks[lane])


@compiled
def act(states: Any, actions: Any) -> None:
    """The seats to move act, legally."""
    for lane in range(len(states)):
        apply(states[lane], actions[lane])


@compiled
def happen(states: Any, code: int) -> None:
    """The pending chance event has this outcome."""
    for lane in range(len(states)):
        resolve(states[lane], code)
