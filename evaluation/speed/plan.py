"""Which measurements a run makes."""

from collections.abc import Collection
from contextlib import ExitStack

from masked_monsters.evaluation.speed.measure import Measurement
from masked_monsters.evaluation.speed.ours import of_game, of_machine
from masked_monsters.evaluation.speed.peers import PEERS, missing

KINDS = ("rows", "compiled", "batch", "aec", "single", "vector", "start", "memory", *PEERS)
"""What can be chosen; the calibration is always measured."""
TRAINING = ("training", "tutorial")
"""Kinds of a run of their own."""
OTHERS = (*PEERS, "tutorial")
"""The kinds that are not ours."""


def plan(
    games: Collection[str], kinds: Collection[str], stack: ExitStack
) -> tuple[list[Measurement], list[str]]:
    """The measurements of those games and kinds, and a line for each kind that cannot be made here.

    Programs that peers need are started on ``stack``. ``ModuleNotFoundError`` if training is to be
    measured and what it needs is not installed.
    """
    ours = [*of_machine(), *(row for game in games for row in of_game(game))]
    if "training" in kinds:
        from masked_monsters.evaluation.speed.training import of_training  # needs torch

        ours += (row for game in games for row in of_training(game))
    chosen = [row for row in ours if row.kind in (*kinds, "calibration")]
    skipped = []
    for kind, peer in PEERS.items():
        if kind not in kinds:
            continue
        if why := missing(kind):
            skipped.append(f"{kind}: skipped, {why}")
        else:
            chosen += peer.rows(stack)
    return chosen, skipped
