"""Scripted players of Monster My Neighbor. Seats are relative, as in the view: 0 is the player."""

from typing import Any

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.monster_my_neighbor.state import (
    DEAL,
    DOG,
    DOG_DISCARD,
    FIRST_PLAYER_ACTION,
    FOG,
    FRIEND,
    FRIEND_DISCARD,
    GOSSIP,
    HIDE,
    HUNTER,
    MONSTER,
    PLAY,
    RETURN,
    RUMOR,
    STEAL,
    TARGET,
    VILLAGER,
)
from masked_monsters.evaluation.baselines.monster_my_neighbor_odds import (
    best_catch_chance,
    catch_chance,
    monster_chance,
)

RARELY = 1e-3
SURE_ENOUGH = 0.6


@compiled
def hothead(view: Any, mask: Any, weights: Any) -> None:
    """Hunts whoever, whenever it can, and never lets go of a Hunter."""
    weights[:] = mask
    if view["phase"] == PLAY:
        insist_on(HUNTER, weights)
    else:
        avoid(HUNTER, weights)


@compiled
def friendly(view: Any, mask: Any, weights: Any) -> None:
    """Sides with the Monster as soon as it can, then wastes its Hunters."""
    weights[:] = mask
    if view["phase"] == PLAY:
        insist_on(MONSTER, weights)
        insist_on(FRIEND, weights)
        avoid(HIDE, weights)
    elif view["phase"] == TARGET:
        if view["friend"][0]:
            spare_the_monster(view, weights)
        else:
            prefer_likely(view, weights)
    else:
        avoid(MONSTER, weights)
        avoid(FRIEND, weights)
        avoid(HIDE, weights)


@compiled
def cautious(view: Any, mask: Any, weights: Any) -> None:
    """Keeps its Hide, guards the Monster or sheds it, and hunts late."""
    weights[:] = mask
    holds_monster = view["hand"][MONSTER] > 0
    if view["phase"] == PLAY:
        insist_on(MONSTER, weights)
        if holds_monster and view["hand"][HIDE] == 0:
            first_of((STEAL, DEAL, GOSSIP, FOG, RUMOR), weights)
        else:
            last_of((HIDE, GOSSIP, RUMOR, DEAL, FOG, STEAL), weights)
        if view["hand_sizes"][0] > 2:
            avoid(HUNTER, weights)
    elif view["phase"] == TARGET:
        prefer_likely(view, weights)
    elif holds_monster and view["hand"][HIDE] == 0:
        insist_on(MONSTER, weights)
    else:
        last_of((MONSTER, HIDE, HUNTER), weights)


@compiled
def tracker(view: Any, mask: Any, weights: Any) -> None:
    """Works out where the Monster is and bare, and hunts there; or guards it as its Friend."""
    weights[:] = mask
    bears = view["hand"][MONSTER] > 0
    is_friend = view["friend"][0] > 0
    if view["phase"] == PLAY:
        first_of((MONSTER, FRIEND), weights)
        if bears and view["hand"][HIDE] == 0:
            first_of((STEAL, FOG, DEAL, GOSSIP, RUMOR, HUNTER), weights)
        elif bears or is_friend:
            first_of((VILLAGER, FOG, STEAL, HUNTER, RUMOR, DEAL, GOSSIP, DOG), weights)
        else:
            if view["hand_sizes"][0] < 3:
                insist_on(DOG, weights)
            first_of((HUNTER, STEAL, FOG, RUMOR, HIDE, DEAL, VILLAGER, GOSSIP), weights)
    elif view["phase"] == TARGET:
        aim(view, weights)
    elif view["phase"] < DOG_DISCARD:
        if bears and view["hand"][HIDE] == 0 and cards_to_choose_from(view) > 1:
            insist_on(MONSTER, weights)
        elif is_friend:
            last_of((MONSTER, HUNTER, FRIEND, DOG, STEAL, FOG, DEAL), weights)
        else:
            last_of((MONSTER, HUNTER, FRIEND, DOG, STEAL, HIDE, DEAL), weights)
    elif is_friend:
        last_of((MONSTER, HIDE, FOG, STEAL, VILLAGER, DEAL, FRIEND, RUMOR, GOSSIP), weights)
    else:
        last_of((MONSTER, FRIEND, DOG, HUNTER, HIDE, STEAL), weights)


@compiled
def cards_to_choose_from(view: Any) -> int:
    """My cards, without the one just stolen."""
    return int(view["hand_sizes"][0]) - (view["phase"] == RETURN)


@compiled
def mastermind(view: Any, mask: Any, weights: Any) -> None:
    """Does in every role, with every number of cards, what has proved best."""
    weights[:] = mask
    bears = view["hand"][MONSTER] > 0
    cards = int(view["hand"].sum())
    if view["phase"] == PLAY:
        insist_on(MONSTER, weights)
        if bears and view["hand"][HIDE] > 0:
            if cards == 4:
                first_of((FRIEND, STEAL, FOG, DEAL, VILLAGER, RUMOR, GOSSIP, DOG), weights)
            else:
                first_of((FRIEND, VILLAGER, STEAL, DEAL, FOG, HUNTER, RUMOR, DOG, GOSSIP), weights)
        elif bears:
            first_of((FRIEND, STEAL, DEAL, GOSSIP, RUMOR, FOG, HUNTER, VILLAGER), weights)
        elif view["friend"][0]:
            if cards == 2:
                first_of((FOG, FRIEND, STEAL, VILLAGER, HIDE, DEAL, HUNTER, RUMOR, GOSSIP), weights)
            else:
                first_of((FRIEND, VILLAGER, HUNTER, FOG, STEAL, RUMOR, DEAL, GOSSIP, HIDE), weights)
        else:
            if best_catch_chance(view) > SURE_ENOUGH:
                insist_on(HUNTER, weights)
            if cards == 2:
                first_of((FRIEND, DOG, HUNTER, STEAL, RUMOR, DEAL, GOSSIP, FOG, HIDE), weights)
            elif cards == 3:
                first_of((FRIEND, HUNTER, STEAL, HIDE, FOG, RUMOR, DEAL, VILLAGER, GOSSIP), weights)
            else:
                first_of((FRIEND, STEAL, FOG, HIDE, DEAL, RUMOR, VILLAGER, GOSSIP), weights)
    elif view["phase"] == TARGET:
        aim(view, weights)
    elif view["phase"] == FRIEND_DISCARD or (view["phase"] == DOG_DISCARD and view["friend"][0]):
        if bears:
            first_of(
                (DOG, GOSSIP, RUMOR, HUNTER, FOG, DEAL, FRIEND, VILLAGER, STEAL, HIDE), weights
            )
        else:
            first_of((DOG, HUNTER, GOSSIP, RUMOR, FRIEND, DEAL, VILLAGER, FOG, STEAL), weights)
    elif bears and view["phase"] != DOG_DISCARD:
        if view["hand"][HIDE] == 0 and cards > 2:
            insist_on(MONSTER, weights)
        first_of((VILLAGER, FOG, GOSSIP, RUMOR, MONSTER, DEAL, STEAL, HIDE), weights)
    elif view["friend"][0]:
        if cards == 2 or view["phase"] == RETURN:
            first_of(
                (GOSSIP, RUMOR, HIDE, VILLAGER, FOG, DEAL, STEAL, FRIEND, DOG, HUNTER), weights
            )
        else:
            first_of(
                (GOSSIP, RUMOR, VILLAGER, FOG, DEAL, HIDE, STEAL, FRIEND, DOG, HUNTER), weights
            )
    else:
        first_of((RUMOR, VILLAGER, GOSSIP, FOG, DEAL, HIDE, STEAL, HUNTER, DOG, FRIEND), weights)


@compiled
def aim(view: Any, weights: Any) -> None:
    """On the Monster's side waste the aim; else aim at the Monster, a Dog at who has one card left."""
    last_seat = FIRST_PLAYER_ACTION + view["num_players"] - 2
    if view["hand"][MONSTER] or view["friend"][0]:
        if view["resolving"] == HUNTER:
            spare_the_monster(view, weights)
        else:
            insist_on(last_seat, weights)
    elif view["resolving"] == HUNTER:
        prefer_likely(view, weights)
    else:
        for k in range(1, view["num_players"]):
            weights[FIRST_PLAYER_ACTION + k - 1] *= RARELY + monster_chance(view, k) ** 2
            if view["resolving"] == DOG and view["hand_sizes"][k] > 1:
                weights[FIRST_PLAYER_ACTION + k - 1] *= RARELY


@compiled
def first_of(actions: Any, weights: Any) -> None:
    """Insist on the first of them that is legal, if one is."""
    for action in actions:
        if weights[action] > 0:
            insist_on(action, weights)
            return


@compiled
def last_of(actions: Any, weights: Any) -> None:
    """Avoid them, the first the most."""
    for action in actions:
        avoid(action, weights)


@compiled
def insist_on(action: int, weights: Any) -> None:
    """Do it if it is legal."""
    if weights[action] > 0:
        weights[:] = 0
        weights[action] = 1


@compiled
def avoid(action: int, weights: Any) -> None:
    """Do it only if nothing else is left."""
    if weights.sum() > weights[action]:
        weights[action] = 0


@compiled
def spare_the_monster(view: Any, weights: Any) -> None:
    """Aim where the Monster is least likely."""
    for k in range(1, view["num_players"]):
        weights[FIRST_PLAYER_ACTION + k - 1] *= RARELY ** (10 * monster_chance(view, k))


@compiled
def prefer_likely(view: Any, weights: Any) -> None:
    """Aim where a Hunter is likely to find the Monster."""
    for k in range(1, view["num_players"]):
        weights[FIRST_PLAYER_ACTION + k - 1] *= RARELY + catch_chance(view, k) ** 4


PLAYERS = {
    "hothead": hothead,
    "cautious": cautious,
    "friendly": friendly,
    "tracker": tracker,
    "mastermind": mastermind,
}
"""The weakest first."""
