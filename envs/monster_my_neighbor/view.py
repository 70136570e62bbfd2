"""What one seat may know: ``look`` for the position as it stands, ``recall`` for the round's events.

Seats are relative to the seat that looks: 0 is itself, k the k-th seat to its left.
"""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.chance import BITS, pack, total, unpack
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import MAX_PLAYERS
from masked_monsters.envs.engine.rows import copy, rotate
from masked_monsters.envs.engine.seats import relative, wrap
from masked_monsters.envs.engine.views import token
from masked_monsters.envs.monster_my_neighbor.memory import (
    AIMED,
    BURIED,
    DISCARDED,
    DREW,
    FOLDED,
    HAND,
    MOVED,
    PLAYED_CARD,
)
from masked_monsters.envs.monster_my_neighbor.state import (
    GIVE,
    MAX_EXTRA_ROUNDS,
    MAX_HAND,
    MAX_ROUNDS,
    MAX_VP,
    MONSTER,
    NUM_CARDS,
    NUM_MONSTERS,
    RUMOR,
)

VIEW = np.dtype(
    [
        ("seat", np.int8),  # who looks: 0 … num_players - 1 (everything below is relative to it)
        ("num_players", np.int8),
        ("hand_size", np.int8),  # cards dealt to each at a round's start
        ("num_rounds", np.int8),
        ("pays_wins", np.int8),  # the options reward="win" and tiebreak="rounds"
        ("breaks_ties", np.int8),
        ("phase", np.int8),
        ("to_move", np.int8),  # -1: nobody
        ("turn", np.int8),  # whose turn it is; -1 in the set-up
        ("round", np.int8),  # 1 … 10
        ("turns", np.int8, MAX_PLAYERS),  # turns taken in the round
        ("vp", np.int8, MAX_PLAYERS),
        ("winner", np.int8, MAX_PLAYERS),  # once over
        ("hand", np.int8, NUM_CARDS),  # my cards by type
        ("hand_sizes", np.int8, MAX_PLAYERS),
        ("face_up", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # by type
        ("face_down", np.int8, MAX_PLAYERS),  # how many
        ("friend", np.int8, MAX_PLAYERS),
        ("known", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # surely in that hand; row 0 is my hand
        ("unseen", np.int8, NUM_CARDS),  # not in my hand, nor face up, nor in known
        ("deck_left", np.int8),  # 1: the general deck is not empty
        ("hunters_played", np.int8),
        ("villagers_played", np.int8),
        ("resolving", np.int8),  # a card, or -1
        ("by", np.int8),  # who played it, or -1
        ("target", np.int8),  # whom it is aimed at, or -1
        ("pending", np.int8),  # the card I have secretly chosen to give, or -1
        ("monster", np.int8),  # if I have held or seen it this round, else -1
        ("monsters_gone", np.int8, NUM_MONSTERS),  # 1: used since the monster deck was shuffled
    ],
    align=True,
)

ONE = np.array([0, *(1 << (BITS * card) for card in range(NUM_CARDS))])
"""The code of one card, by its type + 1; of none, first."""


@compiled
def look(state: Any, seat: int, view: Any) -> None:
    """Fill ``view`` (a record of ``VIEW``) with what ``seat`` may know of ``state``."""
    n = int(state["num_players"])
    look_for_cards(state, seat, n, view)
    view["seat"] = seat
    view["num_players"] = n
    view["hand_size"] = state["hand_size"]
    view["num_rounds"] = state["num_rounds"]
    view["pays_wins"] = state["pays_wins"]
    view["breaks_ties"] = state["breaks_ties"]
    view["phase"] = state["phase"]
    view["to_move"] = relative(state["to_move"], seat, n)
    view["turn"] = relative(state["turn"], seat, n)
    view["round"] = state["round"]
    copy(state["hands"][seat], view["hand"])
    rotate(state["turns"], seat, n, view["turns"])
    rotate(state["vp"], seat, n, view["vp"])
    rotate(state["winner"], seat, n, view["winner"])
    rotate(state["hand_sizes"], seat, n, view["hand_sizes"])
    rotate(state["face_down_size"], seat, n, view["face_down"])
    rotate(state["friend"], seat, n, view["friend"])
    view["deck_left"] = total(state["deck"]) > 0 or state["buried_size"] > 0
    view["hunters_played"] = state["hunters_played"]
    view["villagers_played"] = state["villagers_played"]
    view["resolving"] = state["resolving"]
    view["by"] = relative(state["by"], seat, n)
    view["target"] = relative(state["target"], seat, n)
    view["pending"] = -1 if state["resolving"] == RUMOR else state["passing"][seat]
    view["monster"] = state["monster"] if state["knows_monster"][seat] else -1
    view["monsters_gone"][:] = 0
    rounds_before = int(state["round"]) - 1
    for i in range(rounds_before - rounds_before % NUM_MONSTERS, rounds_before):
        view["monsters_gone"][state["monsters_seen"][i]] = 1


@compiled
def look_for_cards(state: Any, seat: int, n: int, view: Any) -> None:
    """Where the cards are, by seat from the one that looks; counted in codes of cards."""
    unseen = pack(state["composition"]) + (1 << (BITS * MONSTER))
    view["face_up"][:] = 0
    view["known"][:] = 0
    copy(state["hands"][seat], view["known"][0])
    unseen -= pack(state["hands"][seat])
    for k in range(n):
        other = wrap(seat + k, n)
        face_up = face_up_cards(state, other)
        unpack(face_up, view["face_up"][k])
        unseen -= face_up
        if k > 0:
            known = state["known"][seat, other]
            unpack(known, view["known"][k])
            unseen -= known
    unpack(unseen, view["unseen"])


@compiled
def face_up_cards(state: Any, seat: int) -> int:
    """The code of the cards that lie face up before a seat."""
    code = 0
    for i in range(MAX_HAND):
        code += int(ONE[state["table"][seat, i] + 1])
    return code


# What a seat recalls: rows [kind, who, whom, what], who and whom relative seats, 0 where unused.
# First the match so far, then the round's events in order, last what it has secretly chosen and
# who decides what now.
TOKEN_KINDS = (
    "nothing",
    "score",  # who has what VP
    "gone",  # the monster of an earlier round: what
    "name",  # I know this round's monster: what
    "dealt",  # I am dealt the card what (at the round's start, or out of the Fog)
    "played",  # who played the card what
    "aimed",  # who aimed it at whom
    "folded",  # who folded
    "moved",  # from who to whom (one is me) went the card what
    "discarded",  # I discarded what face down, to whom
    "drew",  # I drew what from the general deck
    "buried",  # I put what under the general deck
    "chosen",  # I have secretly chosen to give what
    "now",  # who decides in the phase what (who is 0 if nobody does)
)
(
    _, SCORE, GONE, NAME, HAS_DEALT, HAS_PLAYED, HAS_AIMED, HAS_FOLDED, HAS_MOVED,
    HAS_DISCARDED, HAS_DREW, HAS_BURIED, CHOSEN, NOW,
) = range(len(TOKEN_KINDS))  # fmt: skip

# The match: a score a seat, the monsters of up to nine rounds, this one's name. The round: a first
# hand; 24 turns of at most 1 + 4 tokens (a Fog), 8 last cards of at most 4 (a Steal). Two for now.
MAX_TOKENS = (
    MAX_PLAYERS + MAX_ROUNDS + MAX_EXTRA_ROUNDS - 1 + 1
    + MAX_HAND + 24 * (1 + MAX_HAND) + 8 * 4 + 2
)  # fmt: skip
TOKEN_HIGHS = (len(TOKEN_KINDS) - 1, MAX_PLAYERS - 1, MAX_PLAYERS - 1, MAX_VP)


@compiled
def recall(state: Any, seat: int, tokens: Any) -> int:
    """Write what ``seat`` recalls into ``tokens`` (int8, MAX_TOKENS x 4); returns how many rows."""
    n = int(state["num_players"])
    found = 0
    for k in range(n):
        found = token(tokens, found, SCORE, k, 0, state["vp"][wrap(seat + k, n)])
    for i in range(int(state["round"]) - 1):
        found = token(tokens, found, GONE, 0, 0, state["monsters_seen"][i])
    if state["knows_monster"][seat]:
        found = token(tokens, found, NAME, 0, 0, state["monster"])
    for i in range(state["num_events"]):
        found = recall_event(state["events"][i], seat, n, tokens, found)
    if state["phase"] == GIVE and state["passing"][seat] >= 0:
        found = token(tokens, found, CHOSEN, 0, 0, state["passing"][seat])
    who = max(0, relative(state["to_move"], seat, n))
    found = token(tokens, found, NOW, who, 0, state["phase"])
    tokens[found:] = 0
    return found


@compiled
def recall_event(event: Any, seat: int, n: int, tokens: Any, found: int) -> int:
    """An event as the seat saw it, or nothing if it did not."""
    kind, actor, other, card = int(event[0]), int(event[1]), int(event[2]), int(event[3])
    who = relative(actor, seat, n)
    whom = relative(other, seat, n)
    if kind == PLAYED_CARD:
        return token(tokens, found, HAS_PLAYED, who, 0, card)
    if kind == AIMED:
        return token(tokens, found, HAS_AIMED, who, whom, 0)
    if kind == FOLDED:
        return token(tokens, found, HAS_FOLDED, who, 0, 0)
    if kind == MOVED:
        if who == 0 or whom == 0:
            return token(tokens, found, HAS_MOVED, who, whom, card)
    elif who == 0:
        if kind == HAND:
            cards = other | (card << 8)
            while cards > 0:
                found = token(tokens, found, HAS_DEALT, 0, 0, (cards & 15) - 1)
                cards >>= 4
        elif kind == DISCARDED:
            return token(tokens, found, HAS_DISCARDED, 0, whom, card)
        elif kind == DREW:
            return token(tokens, found, HAS_DREW, 0, 0, card)
        elif kind == BURIED:
            return token(tokens, found, HAS_BURIED, 0, 0, card)
    return found
