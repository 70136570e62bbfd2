"""Monster My Neighbor as text (ASCII) and as plain Python values."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from masked_monsters.envs.engine.chance import count_in
from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.monster_my_neighbor.state import (
    CARDS,
    DEAL_HAND,
    DOG_DISCARD,
    DRAW_MONSTER,
    DRAW_STARTING_DECK,
    ENDS,
    FIRST_PLAYER_ACTION,
    FOLD,
    FRIEND_DISCARD,
    FRIEND_DRAW,
    GIVE,
    MONSTER,
    MONSTERS,
    NUM_CARDS,
    PHASES,
    PLAY,
    RETURN,
    RUMOR,
    RUMOR_DRAW,
    STEAL_DRAW,
    TARGET,
)
from masked_monsters.envs.monster_my_neighbor.view import TOKEN_KINDS


def god_view(state: Any) -> dict[str, Any]:
    """The whole hidden state. Seats and counts are ints, cards and monsters names in lower case.

    ``round`` (from 1), ``num_players``, ``hand_size``, ``phase``, ``to_move``, ``turns`` (taken this
    round, by seat), ``hands`` (sorted, by seat), ``table`` (face-up cards in the order played, by
    seat), ``face_down`` (by seat), ``deck`` (first the cards still in random order, sorted, then
    those put under it), ``monster``, ``monsters_seen`` (of the rounds before), ``friends``,
    ``hunters_played``, ``villagers_played``, ``resolving`` (``{"card", "by", "target"}``),
    ``pending`` (secret choices, ``{seat: card}``), ``vp``, ``winners``, ``last_outcome`` (``{"kind",
    "monster_player", "by", "gains"}`` of the round that ended last). None where there is nothing.
    """
    # All at once: out of a record, each number by itself takes a microsecond.
    state = {
        name: value if isinstance(value, int) else value.tolist()
        for name, value in zip(state.dtype.names, state.item(), strict=True)
        if name != "events"
    }
    n = state["num_players"]
    seats = range(n)
    last_seat = _seat(state["last_monster_player"])
    rounds_before = state["round"] - 1
    return {
        "round": state["round"],
        "num_players": n,
        "hand_size": state["hand_size"],
        "phase": PHASES[state["phase"]],
        "to_move": _seat(state["to_move"]),
        "turns": state["turns"][:n],
        "hands": [_cards(state["hands"][seat]) for seat in seats],
        "table": [_laid(state["table"][seat], state["table_size"][seat]) for seat in seats],
        "face_down": [
            _laid(state["face_down"][seat], state["face_down_size"][seat]) for seat in seats
        ],
        "deck": _cards(state["deck"]) + _laid(state["buried"], state["buried_size"]),
        "monster": MONSTERS[state["monster"]] if state["monster"] >= 0 else None,
        "monsters_seen": [MONSTERS[m] for m in state["monsters_seen"][:rounds_before]],
        "friends": [seat for seat in seats if state["friend"][seat]],
        "hunters_played": state["hunters_played"],
        "villagers_played": state["villagers_played"],
        "resolving": None
        if state["resolving"] < 0
        else {
            "card": CARDS[state["resolving"]],
            "by": _seat(state["by"]),
            "target": _seat(state["target"]),
        },
        "pending": {
            seat: CARDS[state["passing"][seat]]
            for seat in seats
            if state["passing"][seat] >= 0 and state["resolving"] != RUMOR
        },
        "vp": state["vp"][:n],
        "winners": [seat for seat in seats if state["winner"][seat]],
        "last_outcome": None
        if last_seat is None
        else {
            "kind": ENDS[state["last_end"]],
            "monster_player": last_seat,
            "by": _seat(state["last_by"]),
            "gains": state["gains"][:n],
        },
    }


def table(state: Any) -> str:
    """What everybody sees: no hand, no face-down card, no monster's name."""
    god = god_view(state)
    lines = [f"Round {god['round']}: {_situation(god)}"]
    if god["monsters_seen"]:
        lines.append(f"  monsters of the rounds before: {' '.join(god['monsters_seen'])}")
    if god["last_outcome"]:
        lines.append(f"  the last round: {_ending(god['last_outcome'])}")
    for seat, cards in enumerate(god["table"]):
        lines.append(
            f"  player_{seat}  VP {god['vp'][seat]}  hand {len(god['hands'][seat])}  "
            f"face down {len(god['face_down'][seat])}"
            f"{'  friend' if seat in god['friends'] else ''}  played: {' '.join(cards) or '-'}"
        )
    return "\n".join(lines)


def _situation(god: dict[str, Any]) -> str:
    if god["phase"] == PHASES[OVER]:
        return "over, won by " + " and ".join(f"player_{seat}" for seat in god["winners"])
    if god["phase"] == PHASES[CHANCE]:
        return "waiting for chance"
    doing = f"player_{god['to_move']} decides ({god['phase']})"
    if god["resolving"]:
        target = god["resolving"]["target"]
        aimed = "" if target is None else f" at player_{target}"
        doing += f", {god['resolving']['card']} of player_{god['resolving']['by']}{aimed}"
    return doing


def _ending(outcome: dict[str, Any]) -> str:
    holder, by = f"player_{outcome['monster_player']}", f"player_{outcome['by']}"
    how = {
        "played": f"{holder} played the Monster",
        "hunted": f"{by} hunted the Monster of {holder}",
        "dogged": f"the Dog of {by} found the Monster of {holder}",
        "betrayed": f"{by}, a Friend, betrayed the Monster of {holder}",
    }
    gains = " ".join(f"+{gain}" for gain in outcome["gains"])
    return f"{how[outcome['kind']]} ({gains})"


def seat(view: Any) -> str:
    """What one seat sees beyond the table: its hand, what it knows of the others', the monster."""
    own = int(view["seat"])
    n = int(view["num_players"])
    lines = [f"player_{own} holds: {' '.join(_cards(view['hand'])) or 'nothing'}"]
    for k in range(1, n):
        known = _cards(view["known"][k])
        if known:
            lines.append(f"  knows that player_{(own + k) % n} holds: {' '.join(known)}")
    if view["pending"] >= 0:
        lines.append(f"  has chosen to give: {CARDS[view['pending']]}")
    if view["monster"] >= 0:
        lines.append(f"  knows the monster: {MONSTERS[view['monster']]}")
    return "\n".join(lines)


def outcome(state: Any, code: int) -> str:
    """A chance event's outcome, as a phrase."""
    event = state["chance"]
    who = f"player_{state['chance_seat']}"
    if event == DRAW_MONSTER:
        return f"the monster of round {state['round']} is the {MONSTERS[code]}"
    if event == DRAW_STARTING_DECK:
        return f"the starting deck gets: {_coded(code)}"
    if event == DEAL_HAND:
        return f"{who} is dealt: {_coded(code)}"
    if event == RUMOR_DRAW:
        return f"{who} draws from the right: {CARDS[code]}"
    if event == STEAL_DRAW:
        return f"{who} steals: {CARDS[code]}"
    return f"{who} draws from the general deck: {CARDS[code]}"


def action(state: Any, action_: int) -> str:
    """An action of the seat to move, as a sentence."""
    own = int(state["to_move"])
    who = f"player_{own}"
    phase = state["phase"]
    if action_ == FOLD:
        return f"{who} folds"
    if phase == TARGET:
        target = (own + action_ - FIRST_PLAYER_ACTION + 1) % int(state["num_players"])
        return f"{who} aims {CARDS[state['resolving']]} at player_{target}"
    card = CARDS[action_]
    if phase == PLAY:
        return f"{who} plays {card}"
    if phase == RETURN:
        return f"{who} gives back {card}"
    if phase == FRIEND_DISCARD:
        return f"{who} puts {card} under the general deck"
    return f"{who} chooses to {'discard' if phase == DOG_DISCARD else 'give'} {card}"


def outcome_seen(state: Any, code: int, seat: int | None) -> str | None:
    """A chance event's outcome as a seat sees it (None: the table); None if nobody sees a thing."""
    event, drawer = int(state["chance"]), int(state["chance_seat"])
    ends = {drawer}
    if event == RUMOR_DRAW:
        ends.add((drawer - 1) % int(state["num_players"]))
    elif event == STEAL_DRAW:
        ends.add(int(state["target"]))
    if event in HIDDEN_DRAWS:
        return outcome(state, code) if seat in ends else f"player_{drawer} {HIDDEN_DRAWS[event]}"
    return None


def action_seen(state: Any, action_: int, seat: int | None) -> str:
    """An action of the seat to move as a seat sees it (None: the table)."""
    own, phase = int(state["to_move"]), int(state["phase"])
    ends = {own, int(state["target"])} if phase == RETURN else {own}
    revealed = action_ == MONSTER and phase in (DOG_DISCARD, FRIEND_DISCARD)
    if phase in HIDDEN_CHOICES and seat not in ends and not revealed:
        return f"player_{own} {HIDDEN_CHOICES[phase]}"
    return action(state, action_)


HIDDEN_DRAWS = {
    DEAL_HAND: "is dealt a hand",
    RUMOR_DRAW: "draws a card from the right",
    STEAL_DRAW: "steals a card",
    FRIEND_DRAW: "draws a card from the general deck",
}
HIDDEN_CHOICES = {
    GIVE: "chooses a card to give",
    RETURN: "gives back a card",
    DOG_DISCARD: "chooses a card to discard",
    FRIEND_DISCARD: "puts a card under the general deck",
}


def information_state(tokens: np.ndarray) -> str:
    """All that a seat recalls: one word a row, as ``kind.who.whom.what`` in numbers after the kind."""
    return " ".join(f"{TOKEN_KINDS[kind]}.{who}.{whom}.{what}" for kind, who, whom, what in tokens)


def _seat(seat: int) -> int | None:
    return seat if seat >= 0 else None


def _cards(counts: Sequence[int] | np.ndarray) -> list[str]:
    """Counts as a sorted list of names."""
    return sorted(CARDS[card] for card, count in enumerate(counts) for _ in range(count))


def _coded(code: int) -> str:
    return (
        " ".join(_cards(np.array([count_in(code, card) for card in range(NUM_CARDS)]))) or "nothing"
    )


def _laid(cards: list[int], count: int) -> list[str]:
    return [CARDS[card] for card in cards[:count]]
