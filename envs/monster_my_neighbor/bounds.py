"""How long a match of Monster My Neighbor can get, how widely it branches and what it pays."""

from collections.abc import Sequence
from typing import Any

from masked_monsters.envs.game import Bounds
from masked_monsters.envs.monster_my_neighbor.state import (
    FOG,
    GOSSIP,
    HIDE,
    HUNTER,
    MAX_EXTRA_ROUNDS,
    NUM_MONSTERS,
    RUMOR,
    WANTED,
)


def bounds(state: Any) -> Bounds:
    """Of a match with the options of a record of ``STATE``.

    A seat takes at most as many turns a round as it is dealt cards, since each turn costs its hand
    one (M7) and whatever else is moved comes back. In its last turn only Hunters, Dogs and Steals
    do something (M11).
    """
    n, hand = int(state["num_players"]), int(state["hand_size"])
    deck = [int(count) for count in state["composition"]]
    rounds = int(state["num_rounds"]) + (MAX_EXTRA_ROUNDS if state["breaks_ties"] else 0)
    early = (hand - 1) * n
    gossips = min(deck[GOSSIP], early)
    shuffles = min(deck[RUMOR] + deck[FOG], early)
    # A Gossip asks everyone; a Deal comes to four decisions, a last Dog or Steal to three.
    decisions = gossips * (1 + n) + (early - gossips) * 4 + n * 3
    # The monster, the starting deck, the hands; a draw or a new hand for everyone; a draw.
    chances = 2 + n + shuffles * n + (early - shuffles) + n
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
