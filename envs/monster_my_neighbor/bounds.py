"""How long a match of Monster My Neighbor can get, how widely it branches and what it pays."""

from collections.abc import Mapping, Sequence
from typing import Any

from masked_monsters.envs.game import Bounds
from masked_monsters.envs.monster_my_neighbor.state import (
    DEAL,
    DOG,
    FOG,
    FRIEND,
    GOSSIP,
    HIDE,
    HUNTER,
    MAX_EXTRA_ROUNDS,
    NUM_MONSTERS,
    RUMOR,
    STEAL,
    WANTED,
)


def bounds(state: Any) -> Bounds:
    """Of a match with the options of a record of ``STATE``.

    A seat takes at most as many turns a round as it is dealt cards, since each turn costs its hand
    one (M7), and whatever moves between hands leaves them as large. Of cards played as the last one
    in hand only Hunters, Dogs and Steals do something (M11).
    """
    n, hand = int(state["num_players"]), int(state["hand_size"])
    deck = [int(count) for count in state["composition"]]
    rounds = int(state["num_rounds"]) + (MAX_EXTRA_ROUNDS if state["breaks_ties"] else 0)
    early = (hand - 1) * n  # turns of which a card is left
    asks = {HUNTER: 1, FRIEND: 1, DOG: 2, STEAL: 2, DEAL: 3, GOSSIP: n}  # M12 to M21
    asks_last = {HUNTER: 1, DOG: 2, STEAL: 2}
    draws = {STEAL: 1, FRIEND: 1, RUMOR: n, FOG: n}
    decisions = hand * n + _most(asks, deck, early) + _most(asks_last, deck, n)
    chances = 2 + n + _most(draws, deck, early) + _most({STEAL: 1}, deck, n)  # M5 first
    least, most = 0.0, 2.0 * rounds + -(-rounds // NUM_MONSTERS)  # M26: the Vampire's extra point
    if state["pays_wins"]:
        least, most = -1 / n, 1 - 1 / n
    return Bounds(
        rounds=rounds,
        decisions=rounds * decisions,
        chances=rounds * chances,
        outcomes=max(NUM_MONSTERS, _most_outcomes(deck, hand, hand * n - 4)),
        least_score=least,
        most_score=most,
        zero_sum=bool(state["pays_wins"]),
        pays_at_end=bool(state["pays_wins"]) or rounds == 1,
    )


def _most(events: Mapping[int, int], deck: list[int], turns: int) -> int:
    """The most events in so many turns of cards, each causing so many; a Dog comes back (M15)."""
    found = [
        count
        for card, count in events.items()
        for _ in range(turns if card == DOG and deck[DOG] else deck[card])
    ]
    return sum(sorted(found, reverse=True)[:turns])


def _most_outcomes(deck: list[int], hand: int, added: int) -> int:
    """Of the starting deck's random cards (M5), and of a hand or a card out of whatever is there."""
    rest = [count - (card in (HUNTER, HIDE, WANTED)) for card, count in enumerate(deck)]
    return max(_sets(rest, added)[added], *_sets([*deck, 1], hand)[1:])


def _sets(counts: Sequence[int], most: int) -> list[int]:
    """How many different sets of 0 … ``most`` cards there are out of so many of each type."""
    ways = [1] + [0] * most
    for count in counts:
        ways = [sum(ways[max(0, size - count) : size + 1]) for size in range(most + 1)]
    return ways
