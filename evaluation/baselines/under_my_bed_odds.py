"""Who is the kid, who is which monster, and what lies under the bed, by counting assignments exactly.

An assignment gives every seat but the kid's a slot of the line-up of its own; the slot that is left
lies under the bed. Each monster's slot must fit all that it has claimed (B8). Assignments are counted,
each with a weight if need be, by dynamic programming over the subsets of slots, seat by seat, forwards
and backwards.
"""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import MAX_PLAYERS
from masked_monsters.envs.engine.random import draw_action
from masked_monsters.envs.under_my_bed.state import KID

IS_KID = MAX_PLAYERS
"""The row of the odds that says who is the kid, by seat."""
IN_BED = MAX_PLAYERS + 1
"""The row that says what lies under the bed, by slot. Row ``k`` says which slot seat ``k`` holds."""

COUNT = np.array([bin(slots).count("1") for slots in range(1 << MAX_PLAYERS)])
"""How many slots are in a bit mask."""

FROM_ANYTHING = 1.0
"""Candour: a kid that claims whatever comes to its mind."""
FROM_A_MONSTER = 0.1
"""Candour: a kid that mostly claims what some monster would."""


@compiled
def count_ways(n: int, fits: Any, kid_weights: Any) -> Any:
    """``(n + 1, 1 << n)`` float64: ``[seat, slots]``, in how many ways the seats before take just those.

    The arguments are those of ``count_assignments``.
    """
    size = 1 << n
    before = np.zeros((n + 1, size))
    before[0, 0] = 1
    for seat in range(n):
        for taken in range(size):
            ways = before[seat, taken]
            if ways > 0:
                if COUNT[taken] == seat:  # nobody yet has been the kid, and taken no slot
                    before[seat + 1, taken] += ways * kid_weights[seat]
                for slot in range(n):
                    if fits[seat, slot] > 0 and not (taken >> slot) & 1:
                        before[seat + 1, taken | (1 << slot)] += ways * fits[seat, slot]
    return before


@compiled
def count_assignments(n: int, fits: Any, kid_weights: Any) -> Any:
    """The probabilities of all that is hidden.

    Args:
        n: the number of seats, and of slots.
        fits: ``[seat, slot]``, 1 if the seat may be the monster of that slot, else 0; or how likely
            what it has done is from that monster.
        kid_weights: ``[seat]``, how likely the seat's claims are from the kid, in proportion to a
            monster's that they fit.

    Returns:
        ``(10, 8)`` float64: rows ``0 … 7``, that the seat holds the slot; ``IS_KID``; ``IN_BED``. All 0
        if nothing fits.
    """
    size = 1 << n
    before = count_ways(n, fits, kid_weights)
    after = np.zeros((n + 1, size))  # ways for the seats from i on, when these are taken
    odds = np.zeros((IN_BED + 1, MAX_PLAYERS))
    total = 0.0
    for slot in range(n):
        all_but_this = (size - 1) ^ (1 << slot)
        after[n, all_but_this] = 1
        odds[IN_BED, slot] = before[n, all_but_this]
        total += before[n, all_but_this]
    if total == 0:
        return odds
    for seat in range(n - 1, -1, -1):
        for taken in range(size):
            reach = before[seat, taken]
            if reach > 0:
                if COUNT[taken] == seat:
                    ways = kid_weights[seat] * after[seat + 1, taken]
                    after[seat, taken] += ways
                    odds[IS_KID, seat] += reach * ways
                for slot in range(n):
                    if fits[seat, slot] > 0 and not (taken >> slot) & 1:
                        ways = fits[seat, slot] * after[seat + 1, taken | (1 << slot)]
                        after[seat, taken] += ways
                        odds[seat, slot] += reach * ways
    for row in range(IN_BED + 1):
        for column in range(n):
            odds[row, column] /= total
    return odds


@compiled
def draw_assignments(n: int, fits: Any, kid_weights: Any, generators: Any, cards: Any) -> None:
    """Draw assignments with the probabilities by which ``count_assignments`` counts them.

    Each is drawn backwards: what lies under the bed, then what the last seat has, and so on.

    Args:
        n: as in ``count_assignments``; something must fit.
        fits: likewise.
        kid_weights: likewise.
        generators: ``(1,)`` records of ``GENERATOR``.
        cards: ``(count, n)`` int8, written: by seat a slot, or ``n`` for the kid.
    """
    before = count_ways(n, fits, kid_weights)
    ways = np.zeros(n + 1)
    for i in range(len(cards)):
        everything = (1 << n) - 1
        for slot in range(n):
            ways[slot] = before[n, everything ^ (1 << slot)]
        ways[n] = 0
        taken = everything ^ (1 << draw_action(ways, generators[0]))
        for seat in range(n - 1, -1, -1):
            for slot in range(n):
                held = (taken >> slot) & 1
                ways[slot] = before[seat, taken ^ (1 << slot)] * fits[seat, slot] if held else 0.0
            ways[n] = before[seat, taken] * kid_weights[seat] if COUNT[taken] == seat else 0.0
            card = draw_action(ways, generators[0])
            cards[i, seat] = card
            if card < n:
                taken ^= 1 << card


@compiled
def public_fits(view: Any) -> Any:
    """What everybody knows: by seat, the slots that fit its claims."""
    fits = np.zeros((MAX_PLAYERS, MAX_PLAYERS), np.int8)
    for seat in range(view["num_players"]):
        for slot in range(view["num_players"]):
            fits[seat, slot] = view["fits"][seat, slot]
    return fits


@compiled
def public_odds(view: Any, fits: Any) -> Any:
    """What one without a card would think if the claims fitted so."""
    n = int(view["num_players"])
    return count_assignments(n, fits, kid_weights_of(n, fits, FROM_A_MONSTER))


@compiled
def own_odds(view: Any, candour: float) -> Any:
    """What the player itself may think, knowing its own card; see ``kid_weights_of``."""
    return own_odds_if(view, public_fits(view), candour)


@compiled
def own_odds_if(view: Any, fits: Any, candour: float) -> Any:
    """The same if the claims fitted so; ``fits`` is overwritten."""
    n = int(view["num_players"])
    weights = kid_weights_of(n, fits, candour)
    fits[0] = 0
    if view["role"] == KID:
        weights[1:] = 0
    else:
        weights[0] = 0
        fits[0, view["role"]] = 1
    return count_assignments(n, fits, weights)


@compiled
def kid_weights_of(n: int, fits: Any, candour: float) -> Any:
    """How likely a kid is to claim what each seat has claimed, see ``count_assignments``.

    With ``FROM_ANYTHING`` it is no less likely than a monster to have claimed anything; the more it is
    taken to claim what some monster would, the less likely where few fit.
    """
    weights = np.zeros(MAX_PLAYERS)
    for seat in range(n):
        fitting = 0
        for slot in range(n):
            fitting += fits[seat, slot]
        weights[seat] = candour + (1 - candour) * max(fitting, 0.1) / n
    return weights
