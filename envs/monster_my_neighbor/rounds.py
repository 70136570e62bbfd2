"""Matches and rounds of Monster My Neighbor: set-up, turns, score (M1 to M7, M26 to M30)."""

from typing import Any

from masked_monsters.envs.engine.chance import total
from masked_monsters.envs.engine.compile import (
    compiled,
)
from masked_monsters.envs.engine.phases import (
    OVER,
)
from masked_monsters.envs.engine.random import (
    next_match,
    start_generator,
)
from masked_monsters.envs.monster_my_neighbor.memory import (
    EVERYONE,
    forget_hands,
    take_out,
)
from masked_monsters.envs.monster_my_neighbor.state import (
    BETRAYED,
    DEAL_HAND,
    DRAW_MONSTER,
    FOG,
    HIDE,
    HUNTER,
    MAX_EXTRA_ROUNDS,
    MONSTER,
    NOBODY,
    NUM_GENERAL,
    PLAY,
    PLAYED,
    VAMPIRE,
    WANTED,
)
from masked_monsters.envs.monster_my_neighbor.table import (
    ask,
    clear_effect,
    lay_face_up,
    left_of,
    wait_for_chance,
)


@compiled
def start(state: Any) -> None:
    """A new match with the record's options: waits for the first round's monster (M3)."""
    next_match(state)
    state["round"] = 0
    state["vp"][:] = 0
    state["monsters_seen"][:] = NOBODY
    state["monster_deck"][:] = 0
    state["winner"][:] = 0
    state["last_end"] = NOBODY
    state["last_monster_player"] = NOBODY
    state["last_by"] = NOBODY
    state["gains"][:] = 0
    state["reward"][:] = 0
    state["cut"] = 0
    start_round(state)


@compiled
def start_round(state: Any) -> None:
    """M3, M5: a clean table; chance draws the monster, the starting deck, then hand by hand.

    The monster deck is reshuffled whenever it is used up (M30).
    """
    state["round"] += 1
    start_generator(state, int(state["round"]))
    if total(state["monster_deck"]) == 0:
        state["monster_deck"][:] = 1
    state["monster"] = NOBODY
    state["turn"] = NOBODY
    state["turns"][:] = 0
    state["hands"][:] = 0
    state["hand_sizes"][:] = 0
    state["hand_sizes"][: state["num_players"]] = state["hand_size"]
    state["table"][:] = NOBODY
    state["table_size"][:] = 0
    state["face_down"][:] = NOBODY
    state["face_down_size"][:] = 0
    state["deck"][MONSTER] = 0
    for card in range(NUM_GENERAL):
        state["deck"][card] = state["composition"][card]
    state["pool"][:] = 0
    for card in (HUNTER, HIDE, WANTED):
        state["deck"][card] -= 1
        state["pool"][card] = 1
    state["pool"][MONSTER] = 1
    state["buried"][:] = NOBODY
    state["buried_size"] = 0
    state["friend"][:] = 0
    state["hunters_played"] = 0
    state["villagers_played"] = 0
    state["knows_monster"][:] = 0
    state["events"][:] = 0
    state["num_events"] = 0
    forget_hands(state)
    clear_effect(state)
    wait_for_chance(state, DRAW_MONSTER, NOBODY)


@compiled
def deal_from(state: Any, first: int) -> None:
    """M5, M20: seat by seat, each hand by chance; after the last the round goes on."""
    for seat in range(first, state["num_players"]):
        if state["hand_sizes"][seat] > 0:
            wait_for_chance(state, DEAL_HAND, seat)
            return
    if state["resolving"] == FOG:
        end_turn(state)
    else:
        first_turn(state)


@compiled
def first_turn(state: Any) -> None:
    """M6: whoever holds Wanted begins."""
    for seat in range(state["num_players"]):
        if state["hands"][seat, WANTED] > 0:
            state["turn"] = seat
            ask(state, PLAY, seat)


@compiled
def end_turn(state: Any) -> None:
    """M7: clockwise; hands are not refilled."""
    clear_effect(state)
    state["turn"] = left_of(state, int(state["turn"]))
    ask(state, PLAY, int(state["turn"]))


@compiled
def catch_monster(state: Any, end: int, monster_player: int, by: int) -> None:
    """M27, M28: the Monster comes to lie face up; a Friend who catches it betrays."""
    take_out(state, monster_player, MONSTER, EVERYONE)
    lay_face_up(state, monster_player, MONSTER)
    end_round(state, BETRAYED if state["friend"][by] else end, monster_player, by)


@compiled
def end_round(state: Any, end: int, monster_player: int, by: int) -> None:
    """M26 to M29: score the round, then the next round or the match's end (M30)."""
    state["last_end"] = end
    state["last_monster_player"] = monster_player
    state["last_by"] = by
    for seat in range(state["num_players"]):
        gain = vp_gained(state, end, seat, monster_player, by)
        state["gains"][seat] = gain
        state["vp"][seat] += gain
        if not state["pays_wins"]:
            state["reward"][seat] = gain
    state["monsters_seen"][state["round"] - 1] = state["monster"]
    if another_round(state):
        # Wins hang on all rounds; with breaks_ties points lead to ties, and ties to more rounds.
        state["cut"] = not (state["pays_wins"] or state["breaks_ties"])
        start_round(state)
    else:
        end_match(state)


@compiled
def vp_gained(state: Any, end: int, seat: int, monster_player: int, by: int) -> int:
    """M26 (with the Vampire's extra point), M27, M28."""
    monster_side = seat == monster_player or state["friend"][seat] == 1
    if end == PLAYED:
        if not monster_side:
            return 0
        return 3 if seat == monster_player and state["monster"] == VAMPIRE else 2
    if monster_side:
        return 0
    return 2 if seat == by else 1  # who betrays is a Friend and has got 0


@compiled
def another_round(state: Any) -> bool:
    """M30: the rounds agreed on; then, if ties are broken by rounds, while the first place is tied."""
    if state["round"] < state["num_rounds"]:
        return True
    if not state["breaks_ties"] or state["round"] >= state["num_rounds"] + MAX_EXTRA_ROUNDS:
        return False
    return num_leaders(state) > 1


@compiled
def is_leader(state: Any, seat: int) -> bool:
    """Has nobody more VP?"""
    for other in range(state["num_players"]):
        if state["vp"][other] > state["vp"][seat]:
            return False
    return True


@compiled
def num_leaders(state: Any) -> int:
    """How many seats have the most VP."""
    leaders = 0
    for seat in range(state["num_players"]):
        leaders += is_leader(state, seat)
    return leaders


@compiled
def end_match(state: Any) -> None:
    """M30: most VP wins, ties share the win. Cards stay where they are."""
    winners = num_leaders(state)
    for seat in range(state["num_players"]):
        state["winner"][seat] = is_leader(state, seat)
        if state["pays_wins"]:
            state["reward"][seat] = state["winner"][seat] / winners - 1 / state["num_players"]
    state["cut"] = 1
    state["knows_monster"][:] = 1
    clear_effect(state)
    ask(state, OVER, NOBODY)
