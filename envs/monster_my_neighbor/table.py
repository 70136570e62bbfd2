"""The table of Monster My Neighbor: whose turn it is to speak, who sits where, what lies where."""

from typing import Any

from masked_monsters.envs.engine.compile import (
    compiled,
)
from masked_monsters.envs.engine.phases import (
    CHANCE,
)
from masked_monsters.envs.engine.seats import relative, wrap
from masked_monsters.envs.monster_my_neighbor.state import (
    NOBODY,
)


@compiled
def ask(state: Any, phase: int, seat: int) -> None:
    """The next event is a decision of this seat."""
    state["phase"] = phase
    state["to_move"] = seat


@compiled
def wait_for_chance(state: Any, event: int, seat: int) -> None:
    """The next event is random."""
    state["chance"] = event
    state["chance_seat"] = seat
    ask(state, CHANCE, NOBODY)


@compiled
def clear_effect(state: Any) -> None:
    """No card is being resolved."""
    state["resolving"] = NOBODY
    state["by"] = NOBODY
    state["target"] = NOBODY
    state["passing"][:] = NOBODY


@compiled
def left_of(state: Any, seat: int) -> int:
    """M1: clockwise."""
    return wrap(seat + 1, int(state["num_players"]))


@compiled
def right_of(state: Any, seat: int) -> int:
    """M1: counter-clockwise."""
    n = int(state["num_players"])
    return wrap(seat + n - 1, n)


@compiled
def places_after(state: Any, seat: int) -> int:
    """How many places to the left of the card's player a seat is."""
    return relative(seat, int(state["by"]), int(state["num_players"]))


@compiled
def seat_after(state: Any, k: int) -> int:
    """The k-th seat to the left of the card's player."""
    return wrap(int(state["by"]) + k, int(state["num_players"]))


@compiled
def lay_face_up(state: Any, seat: int, card: int) -> None:
    """A card comes to lie before a seat for all to see."""
    state["table"][seat, state["table_size"][seat]] = card
    state["table_size"][seat] += 1


@compiled
def lay_face_down(state: Any, seat: int, card: int) -> None:
    """A card comes to lie before a seat, face down."""
    state["face_down"][seat, state["face_down_size"][seat]] = card
    state["face_down_size"][seat] += 1
