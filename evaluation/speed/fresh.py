"""What is measured in a process of its own: ``python -m`` this module with a game and a subject."""

import json
import os
import sys
import time
from importlib import import_module
from pathlib import Path

IMPORT = "import, beyond NumPy, Numba and PettingZoo"
FIRST = "first game, compiled before"
COLD = "first game, compiling"
RESIDENT = "a Batch of 100,000 games"
SUBJECTS = {IMPORT: "seconds", FIRST: "seconds", COLD: "seconds", RESIDENT: "bytes"}
STATM = Path("/proc/self/statm")
"""Where Linux says how much memory a process has."""
NUM_GAMES = 100_000
STEPS = 10


def main() -> None:
    """Print the value and the wall-clock and CPU seconds, as JSON."""
    name, subject = sys.argv[1:]
    for package in ("numpy", "numba", "pettingzoo"):
        import_module(package)
    begun, cpu_begun = time.perf_counter(), time.process_time()
    if subject == RESIDENT:
        value: float = _resident(name)
        wall = time.perf_counter() - begun
    else:
        _start(name, plays=subject != IMPORT)
        value = wall = time.perf_counter() - begun
    print(json.dumps([value, wall, time.process_time() - cpu_begun]))


def _start(name: str, plays: bool) -> None:
    """Import the game's environment, and begin a match of it."""
    from masked_monsters.envs.registry import GAMES

    module = import_module(f"masked_monsters.envs.{name}_v{GAMES[name]}")
    if plays:
        env = module.env()
        env.reset(seed=0)
        observation, *_ = env.last()
        env.step(int(observation["action_mask"].argmax()))


def _resident(name: str) -> int:
    """The resident bytes that a batch adds to a process in which one has been played."""
    from masked_monsters.envs.batch import Batch

    def played(num_games: int) -> Batch:
        batch = Batch(name, num_games)
        for _ in range(STEPS):
            batch.step(batch.action_mask.argmax(axis=1))
        return batch

    played(1)
    before = resident_bytes()
    batch = played(NUM_GAMES)
    after = resident_bytes()
    assert batch.num_games == NUM_GAMES  # it lives until here
    return after - before


def resident_bytes() -> int:
    """Of this process."""
    pages = int(STATM.read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
