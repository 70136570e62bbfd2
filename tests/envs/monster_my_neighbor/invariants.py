"""What holds in every state of Monster My Neighbor in which a seat decides, and at the end."""

from typing import Any

from masked_monsters.envs.engine.chance import count_in, total
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import OVER
from masked_monsters.envs.monster_my_neighbor.state import (
    MONSTER,
    NUM_CARDS,
    NUM_GENERAL,
    PHASES,
    PLAY,
    TARGET,
)

FAULTS = (
    "no known phase, or nobody to move",
    "who is to move holds no card",
    "cards are lost or made",
    "a hand has not its size",
    "a seat is sure of a card that is not there",
    "the Monster is not in one hand",
    "a hand has not what its turns have left",
)


@compiled
def fault_of(state: Any) -> int:
    """0, or 1 + the place in FAULTS."""
    n = int(state["num_players"])
    over = state["phase"] == OVER
    if not over:
        if not (PLAY <= state["phase"] < len(PHASES) and 0 <= state["to_move"] < n):
            return 1
        if state["phase"] != TARGET and state["hand_sizes"][state["to_move"]] == 0:
            return 2
    for card in range(NUM_CARDS):
        wanted = int(state["composition"][card]) if card < NUM_GENERAL else 1
        if cards_anywhere(state, n, card) != wanted:
            return 3
    monsters = 0
    for seat in range(n):
        hand = state["hands"][seat]
        monsters += hand[MONSTER]
        if total(hand) != state["hand_sizes"][seat]:
            return 4
        for observer in range(n):
            for card in range(NUM_CARDS):
                if count_in(int(state["known"][observer, seat]), card) > hand[card]:
                    return 5
        turns = int(state["turns"][seat])
        if state["phase"] == PLAY and total(hand) + turns != state["hand_size"]:
            return 7
    return 0 if monsters == 1 or over else 6


@compiled
def cards_anywhere(state: Any, n: int, card: int) -> int:
    """In hands, on the table, in and under the deck."""
    found = int(state["deck"][card])
    for seat in range(n):
        found += state["hands"][seat, card]
        for i in range(state["table_size"][seat]):
            found += state["table"][seat, i] == card
        for i in range(state["face_down_size"][seat]):
            found += state["face_down"][seat, i] == card
    for i in range(state["buried_size"]):
        found += state["buried"][i] == card
    return found
