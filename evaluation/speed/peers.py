"""What is measured of other packages: the same random legal play, each by its own fastest plain way."""

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pettingzoo

from masked_monsters.evaluation.speed.measure import Measurement, Runner, timed
from masked_monsters.evaluation.speed.ours import aec_loop
from masked_monsters.evaluation.speed.worker import Worker

PLAYOUT = Path("build/openspiel/playout")
"""Where ``make openspiel`` puts the program of ``openspiel/playout.cc``."""
OPENSPIEL = (
    "leduc_poker(players=3)",
    "liars_dice",
    "crazy_eights(players=3)",
    "skat",
    "dou_dizhu",
    "spades",
    "hanabi(players=3)",
    "gin_rummy",
)
PGX = {
    "kuhn_poker": (2, 7),
    "leduc_holdem": (2, 34),
    "bridge_bidding": (4, 480),
    "sparrow_mahjong": (3, 165),
}
"""Each game's players and its observation's bytes: JAX is left to the process that plays."""
PGX_PLAY = "masked_monsters.evaluation.speed.pgx_play"
PGX_LANES = (64, 512, 4096)
RLCARD = ("uno", "doudizhu", "leduc-holdem")
PETTINGZOO = ("leduc_holdem_v4", "hanabi_v5")
CHUNK = 1000
"""Decisions between two looks at the clock."""
ONE_THREAD = {
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


# ---------------------------------------------------------------- OpenSpiel


def _openspiel(_: ExitStack) -> Iterator[Measurement]:
    """Driven from Python, observations written into one NumPy array by OpenSpiel's own observer."""
    for name, players, size in _openspiel_games():
        for observed in (True, False):
            yield Measurement(
                "openspiel",
                name,
                partial(_openspiel_loop, name, observed),
                players=players,
                lanes=1,
                observation_bytes=size if observed else 0,
            )


def _openspiel_loop(name: str, observed: bool) -> Runner:
    game = _pyspiel().load_game(name)
    observer = _observer(game) if observed else None
    draw = random.Random(0)
    state = [game.new_initial_state()]

    def play() -> int:
        now = state[0]
        for _ in range(CHUNK):
            while now.is_terminal() or now.is_chance_node():
                if now.is_terminal():
                    now = game.new_initial_state()
                else:
                    outcomes, chances = zip(*now.chance_outcomes(), strict=True)
                    now.apply_action(draw.choices(outcomes, chances)[0])
            if observer is not None:
                observer.set_from(now, now.current_player())
            now.apply_action(draw.choice(now.legal_actions()))
        state[0] = now
        return CHUNK

    return partial(timed, play)


def _openspiel_cpp(stack: ExitStack) -> Iterator[Measurement]:
    """Inside C++, by ``openspiel/playout.cc``."""
    worker = stack.enter_context(Worker(str(PLAYOUT)))
    for name, players, size in _openspiel_games():
        for observed in (True, False):
            yield Measurement(
                "openspiel-c++",
                name,
                lambda words=f"{name} {int(observed)}": partial(worker.ask, words),
                players=players,
                lanes=1,
                observation_bytes=size if observed else 0,
            )


def _openspiel_games() -> Iterator[tuple[str, int, int]]:
    for name in OPENSPIEL:
        game = _pyspiel().load_game(name)
        yield name, game.num_players(), _observer(game).tensor.nbytes


def _pyspiel() -> Any:
    return import_module("pyspiel")


def _observer(game: Any) -> Any:
    return import_module("open_spiel.python.observation").make_observation(game)


# ---------------------------------------------------------------- Pgx, RLCard, PettingZoo


def _pgx(stack: ExitStack) -> Iterator[Measurement]:
    """Batched in XLA on one core; every step writes the observation."""
    worker = stack.enter_context(Worker(sys.executable, "-m", PGX_PLAY, **ONE_THREAD))
    for name, (players, size) in PGX.items():
        for lanes in PGX_LANES:
            yield Measurement(
                "pgx",
                name,
                lambda words=f"{name} {lanes}": partial(worker.ask, words),
                players=players,
                lanes=lanes,
                observation_bytes=size,
            )


def _rlcard(_: ExitStack) -> Iterator[Measurement]:
    """Its loop in Python; every step makes the observation."""
    for name in RLCARD:
        env = import_module("rlcard").make(name, config={"seed": 0})
        yield Measurement(
            "rlcard",
            name,
            partial(_rlcard_loop, env),
            players=env.num_players,
            lanes=1,
            observation_bytes=env.reset()[0]["obs"].nbytes,
        )


def _rlcard_loop(env: Any) -> Runner:
    draw = random.Random(0)

    def match() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            state, _ = env.step(draw.choice(list(state["legal_actions"])))
            decisions += 1
        return decisions

    return partial(timed, match)


def _pettingzoo(_: ExitStack) -> Iterator[Measurement]:
    """The loop of our own AEC environments."""
    for name in PETTINGZOO:
        env: Any = pettingzoo.make("aec", f"classic/{name}")
        env.reset(seed=0)
        observation = env.observe(env.agent_selection)["observation"]
        yield Measurement(
            "pettingzoo",
            name,
            partial(aec_loop, env),
            players=len(env.possible_agents),
            lanes=1,
            observation_bytes=observation.nbytes,
        )


# ---------------------------------------------------------------- all of them


class Peer(NamedTuple):
    """One way in which another package is measured."""

    rows: Callable[[ExitStack], Iterator[Measurement]]
    """Programs of its own are started on the stack."""
    modules: tuple[str, ...]
    """Without which it cannot be."""


PEERS = {
    "openspiel-c++": Peer(_openspiel_cpp, ("pyspiel",)),
    "openspiel": Peer(_openspiel, ("pyspiel",)),
    "pgx": Peer(_pgx, ("jax", "pgx")),
    "rlcard": Peer(_rlcard, ("rlcard",)),
    "pettingzoo": Peer(_pettingzoo, ("rlcard", "pygame", "shimmy", "pyspiel")),
}
"""By the kind of their measurements."""


def missing(kind: str) -> str | None:
    """Why that peer cannot be measured here; None if it can."""
    absent = [module for module in PEERS[kind].modules if find_spec(module) is None]
    if absent:
        return f"{', '.join(absent)} not installed: pip install 'masked-monsters[peers]'"
    if kind == "openspiel-c++" and not PLAYOUT.exists():
        return f"no {PLAYOUT} here: make openspiel"
    return None
