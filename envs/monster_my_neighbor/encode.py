"""The ``compact`` observation: a flat int8 vector for an MLP, made from the view alone.

``SEGMENTS`` is the one table: it gives the vector's size, every entry's bounds, the slices and the
page in the docs.
"""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.chance import MAX_COUNT
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import FIRST_DECISION, MAX_PLAYERS
from masked_monsters.envs.engine.rows import ONES, copy, store_row
from masked_monsters.envs.engine.segments import Segment, segments_dtype
from masked_monsters.envs.engine.views import light
from masked_monsters.envs.monster_my_neighbor.state import (
    CARDS,
    MAX_EXTRA_ROUNDS,
    MAX_HAND,
    MAX_ROUNDS,
    MAX_TURNS,
    MAX_VP,
    MONSTERS,
    NUM_CARDS,
    NUM_MONSTERS,
    PHASES,
)

SEATS = "by seat, mine first"
NUM_PHASES = len(PHASES) - FIRST_DECISION
CARD_NAMES = ", ".join(CARDS)

SEGMENTS = (
    Segment("hand", (NUM_CARDS,), MAX_HAND, f"my cards by type: {CARD_NAMES}"),
    Segment("face_up", (MAX_PLAYERS, NUM_CARDS), MAX_HAND, f"face-up cards {SEATS}, and type"),
    Segment(
        "known",
        (MAX_PLAYERS - 1, NUM_CARDS),
        MAX_HAND,
        "cards that surely lie in each other hand, by seat from my left, and type",
    ),
    Segment(
        "unseen",
        (NUM_CARDS,),
        MAX_COUNT,
        "cards by type that are not in my hand, nor face up, nor known to lie in another hand",
    ),
    Segment("hand_sizes", (MAX_PLAYERS,), MAX_HAND, f"cards in hand {SEATS}"),
    Segment("face_down", (MAX_PLAYERS,), MAX_HAND, f"cards lying face down {SEATS}"),
    Segment("turns", (MAX_PLAYERS,), MAX_HAND, f"turns taken this round {SEATS}"),
    Segment("friend", (MAX_PLAYERS,), 1, f"has played a Friend this round {SEATS}"),
    Segment("vp", (MAX_PLAYERS,), MAX_VP, f"victory points {SEATS}"),
    Segment("exists", (MAX_PLAYERS,), 1, f"the seat is taken {SEATS}"),
    Segment("round", (1,), MAX_ROUNDS + MAX_EXTRA_ROUNDS, "the round, from 1"),
    Segment("rounds_left", (1,), MAX_ROUNDS - 1, "agreed rounds after this one"),
    Segment("phase", (NUM_PHASES,), 1, f"what is decided: {', '.join(PHASES[FIRST_DECISION:])}"),
    Segment("to_move", (MAX_PLAYERS,), 1, f"who decides {SEATS}"),
    Segment("turn", (MAX_PLAYERS,), 1, f"whose turn it is {SEATS}"),
    Segment("resolving", (NUM_CARDS,), 1, "the card being resolved, by type"),
    Segment("by", (MAX_PLAYERS,), 1, f"who played it {SEATS}"),
    Segment("target", (MAX_PLAYERS,), 1, f"whom it is aimed at {SEATS}"),
    Segment("pending", (NUM_CARDS,), 1, "the card I have secretly chosen to give, by type"),
    Segment("monster", (NUM_MONSTERS,), 1, f"this round's, if I know it: {', '.join(MONSTERS)}"),
    Segment("monsters_gone", (NUM_MONSTERS,), 1, "monsters that cannot be this round's"),
    Segment("hunters_played", (1,), MAX_TURNS, "Hunters played face up this round"),
    Segment("villagers_played", (1,), MAX_TURNS, "Villagers played face up this round"),
    Segment("deck_left", (1,), 1, "the general deck is not empty"),
)

COMPACT = segments_dtype(SEGMENTS)


@compiled
def encode(view: Any, out: Any) -> None:
    """Write the view into ``out``, a record of ``COMPACT``."""
    copy(view["hand"], out["hand"])
    copy(view["face_up"], out["face_up"])
    copy(view["known"][1:], out["known"])
    copy(view["unseen"], out["unseen"])
    copy(view["hand_sizes"], out["hand_sizes"])
    copy(view["face_down"], out["face_down"])
    copy(view["turns"], out["turns"])
    copy(view["friend"], out["friend"])
    copy(view["vp"], out["vp"])
    store_row(ONES >> np.uint64(8 * (MAX_PLAYERS - view["num_players"])), out["exists"])
    out["round"][0] = view["round"]
    out["rounds_left"][0] = max(0, view["num_rounds"] - view["round"])
    light(out["phase"], view["phase"] - FIRST_DECISION)
    light(out["to_move"], view["to_move"])
    light(out["turn"], view["turn"])
    light(out["resolving"], view["resolving"])
    light(out["by"], view["by"])
    light(out["target"], view["target"])
    light(out["pending"], view["pending"])
    light(out["monster"], view["monster"])
    copy(view["monsters_gone"], out["monsters_gone"])
    out["hunters_played"][0] = view["hunters_played"]
    out["villagers_played"][0] = view["villagers_played"]
    out["deck_left"][0] = view["deck_left"]
