"""The cards of Monster My Neighbor: what each does when played (M11 to M23)."""

from typing import Any

from masked_monsters.envs.engine.chance import total
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.monster_my_neighbor.memory import (
    AIMED,
    BURIED,
    DISCARDED,
    DREW,
    EVERYONE,
    MOVED,
    forget_hands,
    put_in,
    record,
    take_out,
)
from masked_monsters.envs.monster_my_neighbor.rounds import catch_monster, deal_from, end_turn
from masked_monsters.envs.monster_my_neighbor.state import (
    BETRAYED,
    DEAL,
    DOG,
    DOG_DISCARD,
    DOGGED,
    FOG,
    FRIEND,
    FRIEND_DISCARD,
    FRIEND_DRAW,
    GIVE,
    GOOMIHO,
    GOSSIP,
    HIDE,
    HUNTED,
    HUNTER,
    MONSTER,
    NOBODY,
    NUM_CARDS,
    RUMOR,
    RUMOR_DRAW,
    STEAL,
    STEAL_DRAW,
    TARGET,
    WEREWOLF,
)
from masked_monsters.envs.monster_my_neighbor.table import (
    ask,
    lay_face_down,
    left_of,
    places_after,
    right_of,
    seat_after,
    wait_for_chance,
)


@compiled
def has_effect(state: Any, seat: int, card: int) -> bool:
    """M11, M13, M14, M21: is there anything for the card to act on?"""
    last_card = state["hand_sizes"][seat] == 0
    if card == HUNTER:
        return True
    if card in (DOG, STEAL):
        return someone_else_holds(state, seat)
    if card == DEAL:
        return not last_card and someone_else_holds(state, seat)
    if card in (RUMOR, GOSSIP, FOG):
        return not last_card
    if card == FRIEND:
        return not last_card and (total(state["deck"]) > 0 or state["buried_size"] > 0)
    return False


@compiled
def someone_else_holds(state: Any, seat: int) -> bool:
    """Does another player hold a card?"""
    return total(state["hand_sizes"]) > state["hand_sizes"][seat]


@compiled
def begin_effect(state: Any, seat: int, card: int) -> None:
    """What the card asks for first: a target, a choice, or chance."""
    if card == GOSSIP:
        ask_gossip_from(state, 0)
    elif card == RUMOR:
        draw_rumor_from(state, 0)
    elif card == FOG:
        begin_fog(state)
    elif card == FRIEND:
        draw_for_friend(state, seat)
    else:
        ask(state, TARGET, seat)


@compiled
def aim(state: Any, seat: int, target: int) -> None:
    """A Hunter, Dog, Steal or Deal has its target."""
    record(state, AIMED, seat, target, 0)
    state["target"] = target
    card = state["resolving"]
    if card == HUNTER:
        hunt(state, seat, target)
    elif card == DOG:
        ask(state, DOG_DISCARD, target)
    elif card == STEAL:
        wait_for_chance(state, STEAL_DRAW, seat)
    else:
        ask(state, GIVE, seat)


@compiled
def hunt(state: Any, hunter: int, target: int) -> None:
    """M12: a Monster that nothing protects must be discarded."""
    if state["hands"][target, MONSTER] > 0 and not protected(state, target):
        catch_monster(state, HUNTED, target, hunter)
    else:
        end_turn(state)


@compiled
def protected(state: Any, seat: int) -> bool:
    """M13 Hide; M22 Werewolf as the only card; M23 Goomiho against the round's first Hunter."""
    monster = state["monster"]
    return (
        state["hands"][seat, HIDE] > 0
        or (monster == WEREWOLF and state["hand_sizes"][seat] == 1)
        or (monster == GOOMIHO and state["hunters_played"] == 1)
    )


@compiled
def discard_to_dog(state: Any, seat: int, card: int) -> None:
    """M15: the target discards face down before the Dog's player and takes the Dog."""
    by = int(state["by"])
    if card == MONSTER:
        catch_monster(state, DOGGED, seat, by)
        return
    record(state, DISCARDED, seat, by, card)
    take_out(state, seat, card, 1 << seat)
    lay_face_down(state, by, card)
    state["table_size"][by] -= 1
    state["table"][by, state["table_size"][by]] = NOBODY
    put_in(state, seat, DOG, EVERYONE)
    end_turn(state)


@compiled
def ask_gossip_from(state: Any, k: int) -> None:
    """M17: clockwise from the Gossip player, each holding a card chooses; then all cards move."""
    for i in range(k, state["num_players"]):
        seat = seat_after(state, i)
        if state["hand_sizes"][seat] > 0:
            ask(state, GIVE, seat)
            return
    pass_cards(state)


@compiled
def choose_to_give(state: Any, seat: int, card: int) -> None:
    """M17, M19: choices stay secret, and the cards in hand, until all are made."""
    state["passing"][seat] = card
    if state["resolving"] == GOSSIP:
        ask_gossip_from(state, places_after(state, seat) + 1)
    elif seat == state["by"]:
        ask(state, GIVE, int(state["target"]))
    else:
        pass_cards(state)


@compiled
def draw_rumor_from(state: Any, k: int) -> None:
    """M16: clockwise from the Rumor player, each draws from the right neighbor; then all cards move."""
    for i in range(k, state["num_players"]):
        seat = seat_after(state, i)
        if state["hand_sizes"][right_of(state, seat)] > 0:
            wait_for_chance(state, RUMOR_DRAW, seat)
            return
    pass_cards(state)


@compiled
def pass_cards(state: Any) -> None:
    """M16, M17, M19: all chosen or drawn cards change hands at once.

    Clockwise from the card's player, so that what a seat recalls does not depend on its number.
    """
    witnesses = 0  # a byte a giver
    for i in range(state["num_players"]):
        giver = seat_after(state, i)
        card = int(state["passing"][giver])
        if card != NOBODY:
            ends = (1 << giver) | (1 << taker_from(state, giver))
            witnesses |= take_out(state, giver, card, ends) << (8 * giver)
    for i in range(state["num_players"]):
        giver = seat_after(state, i)
        card = int(state["passing"][giver])
        if card != NOBODY:
            taker = taker_from(state, giver)
            record(state, MOVED, giver, taker, card)
            put_in(state, taker, card, (witnesses >> (8 * giver)) & EVERYONE)
    end_turn(state)


@compiled
def taker_from(state: Any, giver: int) -> int:
    """M16, M17: to the left; M19: the two of a Deal swap."""
    if state["resolving"] != DEAL:
        return left_of(state, giver)
    return int(state["target"]) if giver == state["by"] else int(state["by"])


@compiled
def begin_fog(state: Any) -> None:
    """M20: all hands are gathered, to be dealt back."""
    for seat in range(state["num_players"]):
        for card in range(NUM_CARDS):
            state["pool"][card] += state["hands"][seat, card]
    state["hands"][:] = 0
    forget_hands(state)
    deal_from(state, 0)


@compiled
def draw_for_friend(state: Any, seat: int) -> None:
    """M21: the general deck's top card, by chance while any is left in random order."""
    if total(state["deck"]) > 0:
        wait_for_chance(state, FRIEND_DRAW, seat)
        return
    card = int(state["buried"][0])
    state["buried_size"] -= 1
    for i in range(state["buried_size"]):
        state["buried"][i] = state["buried"][i + 1]
    state["buried"][state["buried_size"]] = NOBODY
    friend_draws(state, seat, card)


@compiled
def friend_draws(state: Any, seat: int, card: int) -> None:
    """M21: the drawn card joins the hand; one card of it must go under the deck."""
    record(state, DREW, seat, 0, card)
    put_in(state, seat, card, 0)
    ask(state, FRIEND_DISCARD, seat)


@compiled
def bury(state: Any, seat: int, card: int) -> None:
    """M21: a card goes under the general deck; if it is the Monster, that is betrayal (M28)."""
    if card == MONSTER:
        catch_monster(state, BETRAYED, seat, seat)
        return
    record(state, BURIED, seat, 0, card)
    take_out(state, seat, card, 1 << seat)
    state["buried"][state["buried_size"]] = card
    state["buried_size"] += 1
    end_turn(state)
