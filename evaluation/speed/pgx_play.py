"""Random legal play of Pgx's games on one CPU core, for a ``Worker``.

Each line on standard input is ``GAME LANES SECONDS``. The environment must have told XLA to
use one thread, before this process began.
"""

# pyright: reportMissingImports=false
# Neither need be installed where types are checked.

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jax
import pgx
from pgx.bridge_bidding import BridgeBidding, _load_sample_hash
from pgx.experimental import act_randomly, auto_reset

STEPS = 32
"""Decisions of each lane between two looks at the clock."""


def main() -> None:
    """Answer each line, see ``worker.py``."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for line in sys.stdin:
        name, lanes, seconds = line.split()
        print(*_measure(_player(name, int(lanes)), int(lanes), float(seconds)), flush=True)


def _measure(step: Callable[[], None], lanes: int, seconds: float) -> tuple[int, float, float]:
    count = 0
    begun, cpu_begun = time.perf_counter(), time.process_time()
    while (wall := time.perf_counter() - begun) < seconds:
        step()
        count += STEPS * lanes
    return count, wall, time.process_time() - cpu_begun


@cache
def _player(name: str, lanes: int) -> Callable[[], None]:
    """``STEPS`` random decisions on every lane; compiled before it is returned."""
    env = make(name)
    init, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    def decide(carry: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], None]:
        state, key = carry
        key, for_action, for_step = jax.random.split(key, 3)
        action = act_randomly(for_action, state.legal_action_mask)
        return (step(state, action, jax.random.split(for_step, lanes)), key), None

    @jax.jit
    def play(carry: tuple[Any, Any]) -> tuple[Any, Any]:
        return jax.lax.scan(decide, carry, None, length=STEPS)[0]

    key = jax.random.PRNGKey(0)
    carry = [(jax.jit(init)(jax.random.split(key, lanes)), key)]

    def run() -> None:
        carry[0] = jax.block_until_ready(play(carry[0]))

    run()
    return run


def make(name: str) -> Any:
    """The environment; bridge with the 100 deals of Pgx's own tests, its table being a download."""
    if name != "bridge_bidding":
        return pgx.make(name)  # type: ignore[arg-type]  # one of its literal names
    with tempfile.TemporaryDirectory() as folder:
        deals = Path(folder, "deals.npy")
        jax.numpy.save(deals, jax.numpy.array(_load_sample_hash()))
        return BridgeBidding(str(deals))


if __name__ == "__main__":
    main()
