"""The rules of Monster My Neighbor (M1 to M30), over one record of ``STATE``.

``start`` begins a match (``rounds.py``, also scoring). In a decision phase ``legal`` says what the
seat to move may do and ``apply`` does it (``cards.py``: what each card does). In the phase CHANCE
``chance`` lists what can happen, ``draw`` picks one of it with the record's own generator, and
``resolve`` makes it happen.
"""

from typing import Any

from masked_monsters.envs.engine.chance import (
    card_outcomes,
    cards_outcomes,
    count_in,
    draw_card,
    draw_cards,
)
from masked_monsters.envs.engine.compile import (
    compiled,
)
from masked_monsters.envs.monster_my_neighbor.cards import (
    aim,
    begin_effect,
    bury,
    choose_to_give,
    discard_to_dog,
    draw_rumor_from,
    friend_draws,
    has_effect,
)
from masked_monsters.envs.monster_my_neighbor.memory import (
    EVERYONE,
    FOLDED,
    PLAYED_CARD,
    deal,
    move,
    record,
    take_out,
)
from masked_monsters.envs.monster_my_neighbor.rounds import (
    deal_from,
    end_round,
    end_turn,
)
from masked_monsters.envs.monster_my_neighbor.state import (
    DEAL_HAND,
    DOG_DISCARD,
    DRAW_MONSTER,
    DRAW_STARTING_DECK,
    FIRST_PLAYER_ACTION,
    FOLD,
    FRIEND,
    FRIEND_DISCARD,
    GIVE,
    HUNTER,
    MANDRAKE,
    MERMAID,
    MONSTER,
    NOBODY,
    NUM_ACTIONS,
    NUM_CARDS,
    PLAY,
    PLAYED,
    RETURN,
    RUMOR_DRAW,
    STEAL_DRAW,
    TARGET,
    VILLAGER,
    WANTED,
)
from masked_monsters.envs.monster_my_neighbor.table import (
    ask,
    lay_face_down,
    lay_face_up,
    places_after,
    right_of,
    seat_after,
    wait_for_chance,
)


@compiled
def legal(state: Any, mask: Any) -> None:
    """Write 1 into ``mask`` (NUM_ACTIONS) for each action of the seat to move, else 0."""
    for action in range(NUM_ACTIONS):  # of a known length, quicker than mask[:] = 0
        mask[action] = 0
    phase = state["phase"]
    if phase == PLAY:
        legal_plays(state, mask)
    elif phase == TARGET:
        legal_targets(state, mask)
    elif phase > TARGET:
        legal_cards(state, int(state["to_move"]), mask)


@compiled
def legal_plays(state: Any, mask: Any) -> None:
    """M6: Wanted first. M8: no Hunter on one's first turn. M10: who has no playable card folds."""
    seat = int(state["to_move"])
    if state["hands"][seat, WANTED] > 0:
        mask[WANTED] = 1
        return
    legal_cards(state, seat, mask)
    unplayable = 0
    if state["turns"][seat] == 0:
        mask[HUNTER] = 0
        unplayable += state["hands"][seat, HUNTER]
    if not may_play_monster(state, seat):
        mask[MONSTER] = 0
        unplayable += state["hands"][seat, MONSTER]
    # M10
    mask[FOLD] = unplayable == state["hand_sizes"][seat]


@compiled
def legal_cards(state: Any, seat: int, mask: Any) -> None:
    """Every card in the hand."""
    for card in range(NUM_CARDS):
        mask[card] = state["hands"][seat, card] > 0


@compiled
def may_play_monster(state: Any, seat: int) -> bool:
    """M9: as the last card; M24, M25: a Mermaid or Mandrake once it has been called."""
    return (
        state["hand_sizes"][seat] == 1
        or (state["monster"] == MERMAID and state["villagers_played"] >= 2)
        or (state["monster"] == MANDRAKE and state["hunters_played"] >= 2)
    )


@compiled
def legal_targets(state: Any, mask: Any) -> None:
    """M12: a Hunter may aim at anyone else; M15, M18, M19: the others need someone with a card."""
    for k in range(1, state["num_players"]):
        seat = seat_after(state, k)
        if state["resolving"] == HUNTER or state["hand_sizes"][seat] > 0:
            mask[FIRST_PLAYER_ACTION + k - 1] = 1


@compiled
def apply(state: Any, action: int) -> None:
    """The seat to move does a legal action."""
    seat = int(state["to_move"])
    phase = state["phase"]
    if phase == PLAY:
        state["turns"][seat] += 1
        if action == FOLD:
            fold(state, seat)
        else:
            play(state, seat, action)
    elif phase == TARGET:
        k = action - FIRST_PLAYER_ACTION + 1
        aim(state, seat, seat_after(state, k))
    elif phase == GIVE:
        choose_to_give(state, seat, action)
    elif phase == RETURN:
        move(state, seat, int(state["target"]), action)
        end_turn(state)
    elif phase == DOG_DISCARD:
        discard_to_dog(state, seat, action)
    elif phase == FRIEND_DISCARD:
        bury(state, seat, action)


@compiled
def fold(state: Any, seat: int) -> None:
    """M10: everyone knows that the card laid face down is a Hunter."""
    record(state, FOLDED, seat, 0, 0)
    take_out(state, seat, HUNTER, EVERYONE)
    lay_face_down(state, seat, HUNTER)
    end_turn(state)


@compiled
def play(state: Any, seat: int, card: int) -> None:
    """M7: the card lies face up, then has its effect."""
    record(state, PLAYED_CARD, seat, 0, card)
    take_out(state, seat, card, EVERYONE)
    lay_face_up(state, seat, card)
    if card == HUNTER:
        state["hunters_played"] += 1
    elif card == VILLAGER:
        state["villagers_played"] += 1
    elif card == FRIEND:
        state["friend"][seat] = 1

    if card == MONSTER:
        end_round(state, PLAYED, seat, seat)
    elif has_effect(state, seat, card):
        state["resolving"] = card
        state["by"] = seat
        begin_effect(state, seat, card)
    else:
        end_turn(state)


@compiled
def chance(state: Any, codes: Any, weights: Any) -> int:
    """Every outcome of the pending chance event and its probability.

    Writes as many as fit into ``codes`` (int64) and ``weights`` (float64); returns how many there
    are. A code is a monster, a card's type, or a set of cards (see ``engine/chance.py``).
    """
    event = state["chance"]
    if event == DRAW_MONSTER:
        return card_outcomes(state["monster_deck"], codes, weights)
    if event == DRAW_STARTING_DECK:
        return cards_outcomes(state["deck"], num_added(state), codes, weights)
    if event == DEAL_HAND:
        size = int(state["hand_sizes"][state["chance_seat"]])
        return cards_outcomes(state["pool"], size, codes, weights)
    return card_outcomes(drawn_from(state), codes, weights)


@compiled
def draw(state: Any) -> int:
    """One outcome of the pending chance event, drawn with the record's own generator."""
    event = state["chance"]
    if event == DRAW_MONSTER:
        return draw_card(state, state["monster_deck"])
    if event == DRAW_STARTING_DECK:
        return draw_cards(state, state["deck"], num_added(state))
    if event == DEAL_HAND:
        return draw_cards(state, state["pool"], int(state["hand_sizes"][state["chance_seat"]]))
    return draw_card(state, drawn_from(state))


@compiled
def resolve(state: Any, code: int) -> None:
    """The pending chance event has this outcome."""
    event = state["chance"]
    seat = int(state["chance_seat"])
    if event == DRAW_MONSTER:
        state["monster"] = code
        state["monster_deck"][code] = 0
        wait_for_chance(state, DRAW_STARTING_DECK, NOBODY)
    elif event == DRAW_STARTING_DECK:
        for card in range(NUM_CARDS):
            state["pool"][card] += count_in(code, card)
            state["deck"][card] -= count_in(code, card)
        deal_from(state, 0)
    elif event == DEAL_HAND:
        deal(state, seat, code)
        deal_from(state, seat + 1)
    elif event == RUMOR_DRAW:
        state["passing"][right_of(state, seat)] = code
        draw_rumor_from(state, places_after(state, seat) + 1)
    elif event == STEAL_DRAW:
        move(state, int(state["target"]), seat, code)
        ask(state, RETURN, seat)
    else:
        state["deck"][code] -= 1
        friend_draws(state, seat, code)


@compiled
def num_added(state: Any) -> int:
    """M5: how many random cards join the four fixed ones of the starting deck."""
    return int(state["hand_size"]) * int(state["num_players"]) - 4


@compiled
def drawn_from(state: Any) -> Any:
    """The cards that one is drawn from: M16 the right neighbor's, M18 the target's, M21 the deck."""
    if state["chance"] == RUMOR_DRAW:
        return state["hands"][right_of(state, int(state["chance_seat"]))]
    if state["chance"] == STEAL_DRAW:
        return state["hands"][state["target"]]
    return state["deck"][:]
