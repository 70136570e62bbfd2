"""What the seats remember: the round's events, and the cards each seat can place for certain.

Cards move between hands only through this module, so that no move goes unremembered. An event is a
row ``[kind, seat, other seat, card]``; which seats may see it, ``view.py`` decides. ``known`` holds,
for every observer and holder, how many cards of each type must lie in the holder's hand: a card
stays known until it may have left; an unseen card that leaves may have been any of them, so every
type's count falls by one.
"""

from typing import Any

from masked_monsters.envs.engine.chance import BITS, count_in
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import MAX_PLAYERS
from masked_monsters.envs.monster_my_neighbor.state import MONSTER, NUM_CARDS

HAND, PLAYED_CARD, AIMED, FOLDED, MOVED, DISCARDED, DREW, BURIED = range(1, 9)

EVERYONE = (1 << MAX_PLAYERS) - 1
ONE_OF_EACH = sum(1 << (BITS * card) for card in range(NUM_CARDS))


@compiled
def record(state: Any, kind: int, seat: int, other: int, card: int) -> None:
    """Add an event to the round's."""
    row = state["events"][state["num_events"]]
    row[0] = kind
    row[1] = seat
    row[2] = other
    row[3] = card
    state["num_events"] += 1


@compiled
def deal(state: Any, seat: int, code: int) -> None:
    """A seat is dealt a hand. The event's last two entries hold its cards, 4 bits each, plus 1."""
    cards = 0
    shift = 0
    for card in range(NUM_CARDS):
        count = count_in(code, card)
        state["hands"][seat, card] = count
        state["pool"][card] -= count
        for _ in range(count):
            cards |= (card + 1) << shift
            shift += 4
    record(state, HAND, seat, cards & 255, cards >> 8)
    if state["hands"][seat, MONSTER] > 0:
        state["knows_monster"][seat] = 1


@compiled
def forget_hands(state: Any) -> None:
    """All hands were shuffled together: nobody can place a card any more."""
    state["known"][:] = 0


@compiled
def take_out(state: Any, seat: int, card: int, witnesses: int) -> int:
    """A card leaves a hand before the eyes of ``witnesses`` (a bit a seat); returns all who know it.

    Whoever knows the whole hand to be of that type knows the card too.
    """
    for observer in range(state["num_players"]):
        code = state["known"][observer, seat]
        known = count_in(code, card)
        if known > 0 and known == state["hand_sizes"][seat]:
            witnesses |= 1 << observer
        if (witnesses >> observer) & 1:
            if known > 0:
                state["known"][observer, seat] = code - (1 << (BITS * card))
        else:
            state["known"][observer, seat] = _one_less_of_each(code)
    state["hands"][seat, card] -= 1
    state["hand_sizes"][seat] -= 1
    return witnesses


@compiled
def put_in(state: Any, seat: int, card: int, witnesses: int) -> None:
    """A card comes into a hand before the eyes of ``witnesses`` (a bit a seat) and its new holder."""
    for observer in range(state["num_players"]):
        if (witnesses >> observer) & 1 and observer != seat:
            state["known"][observer, seat] += 1 << (BITS * card)
    state["hands"][seat, card] += 1
    state["hand_sizes"][seat] += 1
    if card == MONSTER:
        state["knows_monster"][seat] = 1


@compiled
def move(state: Any, giver: int, taker: int, card: int) -> None:
    """A card goes from hand to hand; both ends see it."""
    record(state, MOVED, giver, taker, card)
    put_in(state, taker, card, take_out(state, giver, card, (1 << giver) | (1 << taker)))


@compiled
def _one_less_of_each(code: int) -> int:
    some = code | (code >> 1) | (code >> 2) | (code >> 3) | (code >> 4)
    return code - (some & ONE_OF_EACH)
