"""Where the Monster is, and whether a Hunter gets it there: what a view lets one work out.

Seats are relative, as in the view: 0 is the player that looks.
"""

from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.monster_my_neighbor.state import (
    GOOMIHO,
    HIDE,
    MONSTER,
    NUM_MONSTERS,
    TARGET,
    WANTED,
    WEREWOLF,
)


@compiled
def monster_chance(view: Any, k: int) -> float:
    """The chance that the seat holds the Monster."""
    if view["unseen"][MONSTER] == 0:
        return 1.0 if view["known"][k, MONSTER] > 0 else 0.0
    total = 0.0
    for other in range(1, view["num_players"]):
        total += suspicion(view, other)
    return suspicion(view, k) / total


@compiled
def suspicion(view: Any, k: int) -> float:
    """In what proportion seats may hold the Monster, while that is open.

    Nobody lays the Monster down, so a hand becomes no less suspect as it shrinks; only the part of it
    that is known does not count. Who was dealt Wanted had one card less that could be the Monster.
    """
    if hidden_cards(view, k) == 0:
        return 0.0
    dealt = view["hand_size"] - view["face_up"][k, WANTED]
    return dealt * hidden_cards(view, k) / view["hand_sizes"][k]


@compiled
def hidden_cards(view: Any, k: int) -> int:
    """How many cards of the hand could be anything."""
    return int(view["hand_sizes"][k]) - int(view["known"][k].sum())


@compiled
def bare_chance(view: Any, k: int) -> float:
    """The chance that the seat has no Hide, if it holds the Monster.

    Who holds the Monster keeps a Hide to the last: it was not among the cards that have been played.
    """
    if view["known"][k, HIDE] > 0:
        return 0.0
    hidden = hidden_cards(view, k) - int(view["unseen"][MONSTER])
    if hidden <= 0:
        return 1.0
    cards = int(view["unseen"].sum()) - int(view["unseen"][MONSTER])
    return (1.0 - view["unseen"][HIDE] / cards) ** (hidden + view["turns"][k])


@compiled
def is_monster(view: Any, monster: int) -> float:
    """The chance that this is the round's monster."""
    if view["monster"] >= 0:
        return 1.0 if view["monster"] == monster else 0.0
    if view["monsters_gone"][monster]:
        return 0.0
    return 1.0 / (NUM_MONSTERS - view["monsters_gone"].sum())


@compiled
def catch_chance(view: Any, k: int) -> float:
    """The chance that a Hunter aimed at the seat catches the Monster there."""
    chance = monster_chance(view, k) * bare_chance(view, k)
    if view["hand_sizes"][k] == 1:
        chance *= 1.0 - is_monster(view, WEREWOLF)
    this_hunter = 1 if view["phase"] == TARGET else 0
    if view["hunters_played"] == this_hunter:
        chance *= 1.0 - is_monster(view, GOOMIHO)
    return chance


@compiled
def best_catch_chance(view: Any) -> float:
    """The same for the best aim."""
    best = 0.0
    for k in range(1, view["num_players"]):
        best = max(best, catch_chance(view, k))
    return best
