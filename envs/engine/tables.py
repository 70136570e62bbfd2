"""What goes with the state of a match in which one seat is a learner's and opponents have the others."""

import numpy as np

LEARNER = -1
NOBODY = -2
"""Decides when no match is being played."""

TABLE = np.dtype(
    [
        ("paid", np.float64),  # to the learner, not handed out yet
        ("random", np.uint64),  # the generator of the seat and the opponents, never the game's
        ("seat", np.int8),  # the learner's
        ("decider", np.int8),  # LEARNER, NOBODY or an opponent's number
        ("illegal", np.int8),  # 1: the learner lost the match by an illegal action
    ]
)

SALT = 0xBB67AE8584CAA73B
"""Keeps a table's random numbers apart from its game's; both come from the match's name."""
