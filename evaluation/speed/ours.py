"""What is measured of this package, each game alike, and of the machine itself."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from masked_monsters.envs.adapters.single_seat import SingleSeat
from masked_monsters.envs.adapters.vector import Vector
from masked_monsters.envs.batch import Batch
from masked_monsters.envs.engine.kernels import Kernels, bind
from masked_monsters.envs.engine.random import GENERATOR
from masked_monsters.envs.game import Game, Rules
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.speed import fresh
from masked_monsters.evaluation.speed.draw import (
    chain_words,
    draw_all,
    draw_one,
    write_rows,
)
from masked_monsters.evaluation.speed.measure import (
    Measurement,
    Runner,
    Sample,
    cache_sizes,
    timed,
)

LOOP = Path(__file__).with_name("loop.py")
LANES = 1024
"""Where only one number of games is measured."""
TABLES = [(4, lanes, 1) for lanes in (1, 64, LANES, 16384)]
TABLES += [(players, LANES, 1) for players in (3, 5, 6, 7, 8)]
TABLES += [(4, lanes, 2) for lanes in (LANES, 16384)]
"""Of compiled play: players, lanes, threads."""
BATCHES: list[dict[str, Any]] = [
    {"num_games": 1024},
    {"num_games": 4096, "threads": 2},
]
"""Of ``Batch.step``: its arguments."""
CHUNK = 50_000
"""Decisions, or other small things, between two looks at the clock, for each thread."""
WRITTEN = 2**26
"""Bytes of rows between two looks at the clock, for each thread."""
ROW_BYTES = (16, 64, 256, 1024, 4096)


# ---------------------------------------------------------------- the machine


def of_machine() -> Iterator[Measurement]:
    """A plain loop, and rows of bytes written into a cache and into main memory.

    By two threads also: what cores share, more than one thread of play cannot use either.
    """
    for kind, threads in (("calibration", 1), ("rows", 2)):
        yield Measurement(
            kind, "plain loop", partial(_plain_loop, threads), unit="steps/s", threads=threads
        )
    caches = cache_sizes()
    near = caches.get("L2", 2**20) // 2
    far = 4 * max(caches.values(), default=2**25)
    for where, size in (("L2", near), ("main memory", far)):
        for row, threads in (*((row, 1) for row in ROW_BYTES), (256, 2)):
            yield Measurement(
                "rows",
                f"{row} bytes into {where}",
                partial(_rows, size // row, row, threads),
                unit="rows/s",
                threads=threads,
                observation_bytes=row,
                buffer_bytes=threads * size,
            )


def _plain_loop(threads: int) -> Runner:
    own = [np.zeros(1, GENERATOR) for _ in range(threads)]
    return _by_threads(lambda generators: chain_words(generators, 10 * CHUNK), own)


def _rows(number: int, size: int, threads: int) -> Runner:
    own = [np.zeros((number, size), np.int8) for _ in range(threads)]
    times = max(2, WRITTEN // own[0].nbytes)  # zeros over zeros would be written faster
    return _by_threads(lambda rows: write_rows(rows, times), own)


def _by_threads(work: Callable[[Any], int], shares: Sequence[Any]) -> Runner:
    """Do ``work`` on every share, each in a thread of its own."""
    if len(shares) == 1:
        return partial(timed, lambda: work(shares[0]))
    pool = ThreadPoolExecutor(len(shares))
    return partial(timed, lambda: sum(pool.map(work, shares)))


# ---------------------------------------------------------------- the games


def of_game(name: str) -> Iterator[Measurement]:
    """All that is measured of a game."""
    yield from _compiled_rows(name)
    yield from _batch_rows(name)
    yield _aec_row(name)
    yield from _learner_rows(name)
    yield from _fresh_rows(name)


def _compiled_rows(name: str) -> Iterator[Measurement]:
    for players, lanes, threads in TABLES:
        game = get_game(name, num_players=players)
        for observed in (True, False):
            size = game.compact_size if observed else 0
            yield Measurement(
                "compiled",
                name,
                partial(_compiled, game, lanes, threads, observed),
                players=players,
                lanes=lanes,
                threads=threads,
                observation_bytes=size,
                buffer_bytes=lanes * (game.state.itemsize + size + game.num_actions),
            )
    game = get_game(name)
    yield Measurement(
        "compiled",
        f"{name}, the view alone",
        partial(_compiled, game, LANES, 1, False, viewed=True),
        players=game.num_players,
        lanes=LANES,
    )


def _compiled(game: Game, lanes: int, threads: int, observed: bool, viewed: bool = False) -> Runner:
    """Each thread plays its share of the lanes."""
    play = loops(game).play
    steps = max(1, CHUNK * threads // lanes)
    shares = [
        arrays(game, lanes // threads, observed, thread, viewed=viewed) for thread in range(threads)
    ]
    for states, *_ in shares:
        loops(game).start_all(states)
    return _by_threads(lambda share: play(*share, steps), shares)


def loops(game: Game) -> Kernels:
    """``loop.py`` over the game's rules, loaded once a game, whatever its options."""
    return _loops(game.name, game.rules, game.kernels)


@cache
def _loops(name: str, rules: Rules, kernels: Kernels) -> Kernels:
    return bind(LOOP, name, {**vars(rules), "act": kernels.act, "settle": kernels.settle})


def arrays(
    game: Game, lanes: int, observed: bool, seed: int, *, viewed: bool = False
) -> tuple[np.ndarray, ...]:
    """What ``play`` goes through: states, generators, views, observations, masks.

    A view goes with the observation; ``viewed`` has it filled without one.
    """
    states = game.new_states(lanes)
    states["stream"] = np.random.SeedSequence(seed).generate_state(lanes, np.uint64)
    return (
        states,
        np.array([(seed,)], GENERATOR),
        np.zeros(int(observed or viewed), game.view),
        np.zeros(lanes if observed else 0, game.compact),
        np.zeros((lanes, game.num_actions), np.int8),
    )


def _batch_rows(name: str) -> Iterator[Measurement]:
    game = get_game(name)
    for arguments in BATCHES:
        yield Measurement(
            "batch",
            name,
            partial(_batch, game, arguments),
            players=game.num_players,
            lanes=arguments["num_games"],
            threads=arguments.get("threads", 1),
            observation_bytes=game.compact_size,
        )


def _batch(game: Game, arguments: dict[str, Any]) -> Runner:
    """``Batch.step``; the drawing of actions is outside the time."""
    batch = Batch(game, **arguments)
    generators = np.zeros(1, GENERATOR)
    actions = np.zeros(batch.num_games, np.int64)

    def step() -> int:
        batch.step(actions)
        return batch.num_games

    return partial(timed, step, before=lambda: draw_all(batch.action_mask, generators, actions))


def _aec_row(name: str) -> Measurement:
    game = get_game(name)
    module = import_module(f"masked_monsters.envs.{name}_v{GAMES[name]}")
    return Measurement(
        "aec",
        name,
        lambda: aec_loop(module.env()),
        players=game.num_players,
        lanes=1,
        observation_bytes=game.compact_size,
    )


def aec_loop(env: Any) -> Runner:
    """PettingZoo's usual loop, the action drawn from the observation's mask by compiled code."""
    generators = np.zeros(1, GENERATOR)
    env.reset(seed=0)

    def match() -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(draw_one(observation["action_mask"], generators))
                decisions += 1
        return decisions

    return partial(timed, match)


def _learner_rows(name: str) -> Iterator[Measurement]:
    """A learner among each of the scripted players, at one table and at many."""
    game = get_game(name)
    for opponents in baselines(game):
        for kind, lanes, prepare in (("single", 1, _single), ("vector", LANES, _vector)):
            yield Measurement(
                kind,
                f"{name} among {opponents}",
                partial(prepare, game, opponents),
                players=game.num_players,
                lanes=lanes,
                observation_bytes=game.compact_size,
            )


def _single(game: Game, opponents: str) -> Runner:
    """The learner's decisions, the drawing of its actions and the resets included."""
    env = SingleSeat(game, opponents=opponents)
    generators = np.zeros(1, GENERATOR)
    env.reset(seed=0)

    def match() -> int:
        observation, _ = env.reset()
        decisions, ended = 0, False
        while not ended:
            action = draw_one(observation["action_mask"], generators)
            observation, _, ended, _, _ = env.step(action)
            decisions += 1
        return decisions

    return partial(timed, match)


def _vector(game: Game, opponents: str) -> Runner:
    """The learners' decisions; the drawing of their actions is outside the time."""
    envs = Vector(game, LANES, opponents=opponents, copy=False)
    generators = np.zeros(1, GENERATOR)
    actions = np.zeros(LANES, np.int64)
    observation, _ = envs.reset(
        seed=0
    )  # with copy=False these arrays are written anew at each step

    def step() -> int:
        envs.step(actions)
        return LANES

    mask = observation["action_mask"]
    return partial(timed, step, before=lambda: draw_all(mask, generators, actions))


# ---------------------------------------------------------------- in fresh processes


def _fresh_rows(name: str) -> Iterator[Measurement]:
    game = get_game(name)
    subjects = fresh.SUBJECTS
    if not fresh.STATM.exists():  # not on Linux
        subjects = {what: unit for what, unit in subjects.items() if what != fresh.RESIDENT}
    for subject, unit in subjects.items():
        yield Measurement(
            "memory" if unit == "bytes" else "start",
            f"{name}: {subject}",
            partial(_fresh, name, subject),
            unit=unit,
            players=game.num_players,
            once=subject == fresh.COLD,
        )
    size = float(game.state.itemsize)
    yield Measurement(
        "memory",
        f"{name}: a game in progress",
        lambda: lambda seconds: Sample(size, 0.0, 0.0),
        unit="bytes",
        players=game.num_players,
    )


def _fresh(name: str, subject: str) -> Runner:
    def run(seconds: float) -> Sample:
        with tempfile.TemporaryDirectory() as empty:
            cold = {"NUMBA_CACHE_DIR": empty} if subject == fresh.COLD else {}
            done = subprocess.run(
                [sys.executable, "-m", fresh.__name__, name, subject],
                env={**os.environ, **cold},
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                check=True,
            )
        return Sample(*json.loads(done.stdout))

    return run
