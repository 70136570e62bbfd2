"""What the engine needs of a record: the fields every game's state has, and the phases all share."""

import numpy as np

MAX_PLAYERS = 8

CHANCE = 0
"""The next event is random: ``to_move`` is -1 until it is resolved."""
OVER = 1
"""The match is over."""
FIRST_DECISION = 2
"""A game numbers its own phases, in which one seat decides, from here."""

COMMON_FIELDS = [
    ("stream", np.uint64),  # names the match; see random.py
    ("random", np.uint64),  # the generator of chance events; see random.py
    ("reward", np.float32, MAX_PLAYERS),  # per seat, what the last action and its chances paid
    ("cut", np.int8),  # 1: no reward to come depends on what was done up to the last action
    ("num_players", np.int8),  # 3 … 8
    ("phase", np.int8),  # CHANCE, OVER, or one of the game's
    ("to_move", np.int8),  # the seat that decides, -1 if none
    ("round", np.int8),  # of the match, from 1
]
