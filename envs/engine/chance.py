"""Chance events over cards held as counts per type.

A set of cards is named by a *code*: ``BITS`` bits a type, the count of the type (up to 12 types of 31
cards in an int64). Drawing without
replacement by counts keeps the explicit tree canonical: cards of a type are not told apart, and the
order in which they came does not matter.
"""

from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.random import below

BITS = 5
MAX_COUNT = (1 << BITS) - 1


@compiled
def count_in(code: int, card: int) -> int:
    """How many cards of a type a code names."""
    return (code >> (BITS * card)) & MAX_COUNT


@compiled
def pack(counts: Any) -> int:
    """The code of a set of cards given as counts."""
    code = 0
    for card in range(len(counts)):
        code += int(counts[card]) << (BITS * card)
    return code


@compiled
def total(counts: Any) -> int:
    """The sum of small counts, cards for the most part (numba's own ``sum`` is slower)."""
    cards = 0
    for count in counts:
        cards += int(count)
    return cards


@compiled
def unpack(code: int, counts: Any) -> None:
    """The counts of the set of cards that a code names."""
    for card in range(len(counts)):
        counts[card] = count_in(code, card)


@compiled
def draw_card(state: Any, counts: Any) -> int:
    """A random card's type out of counts."""
    position = below(state, total(counts))
    card = 0
    before = 0  # without a branch, since no processor can foretell this one
    for other in range(len(counts) - 1):
        before += int(counts[other])
        card += int(position >= before)
    return card


@compiled
def draw_cards(state: Any, counts: Any, size: int) -> int:
    """The code of ``size`` random cards out of counts, without replacement."""
    left = pack(counts)
    cards = total(counts)
    drawn = 0
    for _ in range(size):
        position = below(state, cards)
        card = 0
        before = 0
        for other in range(len(counts) - 1):
            before += count_in(left, other)
            card += int(position >= before)
        drawn += 1 << (BITS * card)
        left -= 1 << (BITS * card)
        cards -= 1
    return drawn


@compiled
def binomial(n: int, k: int) -> float:
    """n over k, exact while it is below 2**53."""
    ways = 1.0
    for i in range(k):
        ways = ways * (n - i) / (i + 1)
    return ways


@compiled
def card_outcomes(counts: Any, codes: Any, weights: Any) -> int:
    """Every type that one random card out of counts can be, with its probability."""
    size = total(counts)
    found = 0
    for card in range(len(counts)):
        if counts[card] > 0:
            if found < len(codes):
                codes[found] = card
                weights[found] = counts[card] / size
            found += 1
    return found


@compiled
def cards_outcomes(counts: Any, size: int, codes: Any, weights: Any) -> int:
    """Every set of ``size`` cards out of counts, with its probability (hypergeometric).

    Writes as many as fit into ``codes`` (int64) and ``weights`` (float64); returns how many there are.
    """
    cards = total(counts)
    return _spread(counts, 0, cards, size, 0, 1.0 / binomial(cards, size), codes, weights, 0)


@compiled
def _spread(
    counts: Any,
    card: int,
    cards: int,
    left: int,
    code: int,
    weight: float,
    codes: Any,
    weights: Any,
    found: int,
) -> int:
    if left == 0:
        if found < len(codes):
            codes[found] = code
            weights[found] = weight
        return found + 1
    count = int(counts[card])
    later = cards - count
    for taken in range(max(0, left - later), min(left, count) + 1):
        found = _spread(
            counts,
            card + 1,
            later,
            left - taken,
            code + (taken << (BITS * card)),
            weight * binomial(count, taken),
            codes,
            weights,
            found,
        )
    return found
