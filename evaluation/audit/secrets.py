"""What is hidden in each game, from whom, and by which rule; what of the past the worlds do not hold."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from masked_monsters.envs.game import Game
from masked_monsters.envs.monster_my_neighbor.state import DEAL, DOG, GOSSIP

God = Mapping[str, Any]


class Secret(NamedTuple):
    """A hidden fact of a game."""

    name: str
    rule: str
    """Why a seat may not know it."""
    of: Callable[[God], Any]
    """Its value, from a ``god_view``."""
    possible: Callable[[Game], bool] = lambda game: True
    """Can it be hidden with the game's options?"""


def _holder(god: God) -> int | None:
    return next((seat for seat, hand in enumerate(god["hands"]) if "monster" in hand), None)


def _deck_is_left(game: Game) -> bool:
    in_hands = int(game.record["hand_size"][0]) * game.num_players - 1
    return int(game.record["composition"].sum()) > in_hands


def _has_cards(*cards: int) -> Callable[[Game], bool]:
    return lambda game: bool(game.record["composition"][0, list(cards)].any())


def _in_phase(phase: str) -> Callable[[God], Any]:
    return lambda god: god["to_move"] if god["phase"] == phase else None


def _several_voters(game: Game) -> bool:
    return game.num_players > 3


MONSTER_MY_NEIGHBOR = (
    Secret(
        "who holds the Monster",
        "M5, M12: hands are dealt in secret; a Hunter that fails tells only that nothing happened",
        _holder,
    ),
    Secret(
        "the others' hands",
        "M5, M16 to M20: a seat sees its own cards, and those that go from or to its hand",
        lambda god: god["hands"],
    ),
    Secret(
        "the round's monster",
        "M3: hidden until someone holds or sees it, and then from everyone else",
        lambda god: god["monster"],
    ),
    Secret(
        "the general deck",
        "M5, M21: it lies face down, and so does what a Friend puts under it",
        lambda god: god["deck"],
        _deck_is_left,
    ),
    Secret(
        "the face-down cards",
        "M15: only who discards a card to the Dog sees it",
        lambda god: god["face_down"],
        _has_cards(DOG),
    ),
    Secret(
        "cards chosen to be given",
        "M17, M19: choices for a Gossip or a Deal are secret",
        lambda god: god["pending"],
        _has_cards(GOSSIP, DEAL),
    ),
)
UNDER_MY_BED = (
    Secret(
        "who is the kid",
        "B3: everyone sees their own card only",
        lambda god: god["roles"].index("kid") if "kid" in god["roles"] else None,
    ),
    Secret("the others' cards", "B3: everyone sees their own card only", lambda god: god["roles"]),
    Secret(
        "what lies under the bed",
        "B3, B14: one of the line-up, shown when the kid checks",
        lambda god: god["under_bed"],
    ),
    Secret(
        "who is polled",
        "B10, B13: nobody sees who else is polled, nor whether the kid was polled alone",
        _in_phase("window"),
    ),
    Secret(
        "who is asked to vote",
        "B11: votes are secret until the last is cast, and so is how many have been",
        _in_phase("vote"),
        _several_voters,
    ),
    Secret(
        "the votes cast so far",
        "B11: votes are secret until the last is cast",
        lambda god: god["accusation"] and god["accusation"]["votes"],
        _several_voters,
    ),
)
SECRETS: Mapping[str, tuple[Secret, ...]] = {
    "monster_my_neighbor": MONSTER_MY_NEIGHBOR,
    "under_my_bed": UNDER_MY_BED,
}
"""By game."""

HIDDEN = {
    "monster_my_neighbor": {"hands", "monster", "deck", "face_down", "pending"},
    "under_my_bed": {"under_bed", "roles", "to_move", "window", "accusation"},
}
"""The keys of the ``god_view`` that are not for all to see, or not always; all others are."""

LAST_ROUND = ("last_end", "last_monster_player", "last_by", "gains")


def secrets_of(game: Game) -> tuple[Secret, ...]:
    """Those that can be hidden with the game's options."""
    return tuple(secret for secret in SECRETS[game.name] if secret.possible(game))


def add_public_past(game: Game, states: np.ndarray, worlds: np.ndarray) -> None:
    """Give worlds what everybody has seen before the round, which no history holds.

    A history of Monster My Neighbor begins with its round. How the round before ended is for all to
    see (M26 to M29); before the round's first action that also is what the last action has paid.

    Args:
        game: of both.
        states: ``(1,)``, the true state.
        worlds: records of worlds at the same moment.
    """
    if game.name != "monster_my_neighbor":
        return
    begins = not states["turns"].any()
    for field in (*LAST_ROUND, *(("reward", "cut") if begins else ())):
        worlds[field] = states[field]
