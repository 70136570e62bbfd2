"""Play for very long, at tables of all sizes, and look for a state that cannot be.

``python -m tests.soak --decisions 1000000000``; with ``NUMBA_BOUNDSCHECK=1`` every index is checked too.
"""

import argparse
import os
import time
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import numpy as np
from rich.progress import Progress

from masked_monsters.envs.engine.kernels import Kernels, bind
from masked_monsters.envs.engine.random import GENERATOR
from masked_monsters.envs.registry import GAMES, get_game

LANES = 97
"""Not a divisor of EVERY: each lane has its turn to be looked at."""
EVERY = 1000
STEPS = 10_000
PLAYERS = range(3, 9)


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
    invariants = import_module(f"tests.soak.{name}")
    tables = [Table(name, num_players, invariants.fault_of) for num_players in PLAYERS]
    played, begun, resident = 0, time.perf_counter(), 0
    while played < decisions:
        for table in tables:
            table.play(invariants.FAULTS)
            played += LANES * STEPS
            advance(LANES * STEPS)
        resident = resident or resident_bytes()
    grown = resident_bytes() - resident
    if grown > 2**24:
        raise MemoryError(f"{name}: {grown:,} bytes more are resident than after the first round")
    seconds = time.perf_counter() - begun
    return (
        f"{name}: {played:,} decisions by {PLAYERS[0]} to {PLAYERS[-1]} players in {seconds:,.0f} s, "
        f"{played // EVERY:,} states looked at, no fault; {grown:,} bytes more resident at the end"
    )


class Table:
    """Lanes of one table size."""

    def __init__(self, name: str, num_players: int, fault_of: Callable[..., int]) -> None:
        self.game = get_game(name, num_players=num_players)
        self.loop = _loop(name, fault_of)
        self.states = self.game.new_states(LANES)
        self.states["stream"] = np.random.SeedSequence(num_players).generate_state(LANES, np.uint64)
        self.generators = np.array([(num_players,)], GENERATOR)
        self.shown = (
            np.zeros(LANES, self.game.view),
            np.zeros(LANES, self.game.compact),
            np.zeros((LANES, self.game.num_actions), np.int8),
        )
        self.game.kernels.start_lanes(self.states, *self.shown, np.zeros(LANES, np.int8))

    def play(self, faults: tuple[str, ...]) -> None:
        """STEPS decisions on every lane."""
        found = self.loop.play(self.states, self.generators, *self.shown, STEPS, EVERY)
        if found:
            fault, lane = divmod(found, LANES)
            text = ("nothing is legal", *faults)[fault - 1]
            raise AssertionError(f"{text}: {self.game.words.god_view(self.states[lane])}")


@cache
def _loop(name: str, fault_of: Callable[..., int]) -> Kernels:
    kernels = get_game(name).kernels
    functions = {"act": kernels.act, "settle": kernels.settle, "fault_of": fault_of}
    rules = vars(get_game(name).rules)
    return bind(Path(__file__).with_name("loop.py"), name, {**rules, **functions})


def resident_bytes() -> int:
    """Of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


if __name__ == "__main__":
    main()
