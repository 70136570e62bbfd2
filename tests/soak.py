"""Play for very long, at tables of all sizes, and look for a state that cannot be.

``python -m tests.soak --decisions 1000000000``; with ``NUMBA_BOUNDSCHECK=1`` every index is checked too.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module

import numpy as np
from rich.progress import Progress

from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.speed import ours
from masked_monsters.evaluation.speed.fresh import resident_bytes

LANES = 100
EVERY = 1000
"""Decisions of a lane between two looks at its state."""
PLAYERS = range(3, 9)
MOST_GROWN = 2**24
"""Bytes of memory that may come to be resident after the first round."""


def main() -> None:
    """Every game in turn; stops with an error at the first fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", nargs="+", choices=list(GAMES), default=list(GAMES))
    parser.add_argument("--decisions", type=int, default=10**9, help="of each game")
    args = parser.parse_args()
    with Progress() as progress:
        for name in args.game:
            task = progress.add_task(name, total=args.decisions)
            line = soak(name, args.decisions, partial(progress.advance, task))
            progress.console.print(line, soft_wrap=True)


def soak(name: str, decisions: int, advance: Callable[[int], None] = lambda done: None) -> str:
    """Play so many decisions; returns what was done, as a line."""
    tables = [begin(get_game(name, num_players=n)) for n in PLAYERS]
    played, begun, resident = 0, time.perf_counter(), 0
    while played < decisions:
        for game, arrays in tables:
            done = ours.loops(game).play(*arrays, EVERY)
            check(game, arrays[0])
            played += done
            advance(done)
        resident = resident or resident_bytes()
    grown = resident_bytes() - resident
    if grown > MOST_GROWN:
        raise MemoryError(f"{name}: {grown:,} bytes more are resident than after the first round")
    seconds = time.perf_counter() - begun
    return (
        f"{name}: {played:,} decisions by {PLAYERS[0]} to {PLAYERS[-1]} players in {seconds:,.0f} s, "
        f"{played // EVERY:,} states looked at, no fault; {grown:,} bytes more resident at the end"
    )


def begin(game: Game) -> tuple[Game, tuple[np.ndarray, ...]]:
    """A match on every lane, and all that ``play`` goes through; the states come first."""
    arrays = ours.arrays(game, LANES, observed=True, seed=game.num_players)
    ours.loops(game).start_all(arrays[0])
    return game, arrays


def check(game: Game, states: np.ndarray) -> None:
    """``AssertionError`` says what is wrong with a state, and shows it."""
    invariants = import_module(f"tests.envs.{game.name}.invariants")
    for state in states:
        if fault := invariants.fault_of(state):
            shown = game.words.god_view(state)
            raise AssertionError(f"{invariants.FAULTS[fault - 1]}: {shown}")


if __name__ == "__main__":
    main()
