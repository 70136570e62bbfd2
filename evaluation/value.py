"""Value functions for control variates: a small network that sees all seats' cards."""

import hashlib
import json
import math
import pickle
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from masked_monsters.envs.batch import MAX_SEED, Batch
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy, act_for
from masked_monsters.evaluation.control_variates import check_rounds, whole_tables
from masked_monsters.evaluation.lanes import play
from masked_monsters.training.files import whole_file

ABOUT, WEIGHTS = "value.json", "weights.pth"
HIDDEN = 128
ROWS_A_STEP = 512
LEARNING_RATE = 2e-3
KEPT = 0.5
"""The share of the states that are learned from, by lot: those of a match are much alike."""
FIT = 0x7A1E
"""Marks the seeds of the matches that values are fitted to: no measured match has one of them."""
MATCHES_AT_ONCE = 1024


@dataclass(frozen=True, eq=False)
class ValueFunction:
    """What every seat is to be paid until the next cut, by all that all seats see.

    See ``control_variates.Value``.
    """

    game: Game
    players: tuple[str, ...]
    """The agent, and whom it sat with in the matches that it was fitted to."""
    seed: int
    matches: int
    network: nn.Sequential

    def __call__(self, tables: np.ndarray) -> np.ndarray:
        """``(rows, n)`` float64, from ``(rows, n * game.compact_size)`` int8."""
        with torch.no_grad():
            return self.network(torch.from_numpy(tables).float()).numpy().astype(np.float64)


def fit_value(
    game: Game,
    agent: Policy,
    against: Sequence[Policy],
    *,
    matches: int,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ValueFunction:
    """Fit a value function to matches of the agent among copies of each of its opponents.

    Args:
        game: the game.
        agent: who plays each seat in turn.
        against: each plays all other seats in its share of the matches.
        matches: about how many.
        seed: of the matches, of which none is ever measured, and of the fit.
        progress: called as matches are played.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """
    check_range("matches", matches, 1, 2**31)
    check_range("seed", seed, 0, MAX_SEED)
    n = game.num_players
    chunks = math.ceil(matches / (len(against) * MATCHES_AT_ONCE)) * len(against)
    random = np.random.default_rng([seed, FIT])
    fitting = _Fitting(game, int(random.integers(2**62)))
    seating = 1 - np.eye(n, dtype=np.int64)[np.arange(MATCHES_AT_ONCE) % n]
    for chunk in range(chunks):
        numbers = np.random.SeedSequence(seed, spawn_key=(FIT, chunk))
        first, second, *seeds = numbers.generate_state(2 + MATCHES_AT_ONCE, np.uint64)
        opponent = against[chunk % len(against)]
        agent.reset(int(first))
        opponent.reset(int(second))
        recorder = _Recorder(game, seating, random)
        played = play(game, (agent, opponent), seating, np.array(seeds, np.uint64), recorder)
        check_rounds(game, played.rounds)
        fitting.learn(*recorder.rows(), LEARNING_RATE * (1 - chunk / chunks))
        if progress:
            progress(chunk + 1, chunks)
    total = chunks * MATCHES_AT_ONCE
    return ValueFunction(
        game, (agent.name, *(policy.name for policy in against)), seed, total, fitting.result()
    )


class _Recorder:
    """Watches matches; keeps states, and what every seat was paid from there to the next cut."""

    def __init__(self, game: Game, seating: np.ndarray, random: np.random.Generator) -> None:
        n = game.num_players
        self._game = game
        self._random = random
        self._agents = (seating == 0).argmax(axis=1)
        self._turn = (self._agents[:, None] + np.arange(n)) % n
        self._lanes: list[np.ndarray] = []
        self._tables: list[np.ndarray] = []
        self._paid: list[np.ndarray] = []
        self._cut: list[np.ndarray] = []

    def decide(
        self, policies: Sequence[Policy], decider: np.ndarray, batch: Batch, actions: np.ndarray
    ) -> None:
        """``lanes.Watcher``."""
        kept = np.flatnonzero((decider >= 0) & (self._random.random(batch.num_games) < KEPT))
        self._lanes.append(kept)
        self._tables.append(whole_tables(self._game, batch.states, kept, self._agents))
        act_for(enumerate(policies), decider, batch, actions)

    def stepped(self, batch: Batch, playing: np.ndarray) -> None:
        """``lanes.Watcher``."""
        self._paid.append(np.take_along_axis(batch.reward, self._turn, axis=1))
        self._cut.append(batch.cut | batch.done)

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """The states, as ``control_variates.Value`` gets them; and what came of each, float32."""
        to_come = np.zeros_like(self._paid[0])
        targets = []
        for lanes, paid, cut in zip(
            reversed(self._lanes), reversed(self._paid), reversed(self._cut), strict=True
        ):
            to_come = paid + np.where(cut[:, None], 0, to_come)
            targets.append(to_come[lanes])
        return np.concatenate(self._tables), np.concatenate(targets[::-1])


class _Fitting:
    """Least squares by Adam; every state is seen once, so that none is learned by heart."""

    def __init__(self, game: Game, seed: int) -> None:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._network = _network(game)
        self._order = torch.Generator().manual_seed(seed)
        self._optimizer = torch.optim.Adam(self._network.parameters())
        self._middle: torch.Tensor | None = None

    def learn(self, tables: np.ndarray, targets: np.ndarray, rate: float) -> None:
        """From some states, at a rate."""
        if self._middle is None:
            self._middle = torch.from_numpy(tables.mean(axis=0, dtype=np.float32))
            spread = torch.from_numpy(tables.std(axis=0, dtype=np.float32))
            self._scale = torch.where(spread > 0, 0.5 / spread.clamp(min=0.1), 0)
        self._optimizer.param_groups[0]["lr"] = rate
        for some in torch.randperm(len(tables), generator=self._order).split(ROWS_A_STEP):
            rows = (torch.from_numpy(tables[some]).float() - self._middle) * self._scale
            loss = nn.functional.mse_loss(self._network(rows), torch.from_numpy(targets[some]))
            self._optimizer.zero_grad()
            loss.backward()
            self._optimizer.step()

    def result(self) -> nn.Sequential:
        """The network, its first layer for entries that are not scaled."""
        with torch.no_grad():
            first = self._network[0]
            assert isinstance(first, nn.Linear)
            assert self._middle is not None, "nothing has been learned"
            first.weight.mul_(self._scale)
            first.bias.sub_(first.weight @ self._middle)
        return self._network.eval()


def _network(game: Game) -> nn.Sequential:
    n = game.num_players
    return nn.Sequential(
        nn.Linear(n * game.compact_size, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, n),
    )


# ---------------------------------------------------------------- files


def save_value(value: ValueFunction, path: Path) -> None:
    """Write the file: a zip of what the function is, and its weights."""
    about = {
        **_requirements(value.game),
        "players": value.players,
        "seed": value.seed,
        "matches": value.matches,
        "package_version": version("masked-monsters"),
    }
    with whole_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(ABOUT), json.dumps(about, indent=2))
        with archive.open(zipfile.ZipInfo(WEIGHTS), "w") as weights:
            torch.save(value.network.state_dict(), weights)


def load_value(path: Path, game: Game) -> ValueFunction:
    """The value function in a file. Only weights are read, without unpickling: no code can run.

    Raises:
        ValueError: if it is no such file, or not one for this game, naming what does not match.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(archive.read(ABOUT))
            for key, wanted in _requirements(game).items():
                if about.get(key) != wanted:
                    raise ValueError(f"{path}: {key} is {about.get(key)!r}, must be {wanted!r}")
            network = _network(game)
            with archive.open(WEIGHTS) as weights:
                network.load_state_dict(torch.load(weights, weights_only=True))
    except (zipfile.BadZipFile, KeyError, EOFError, RuntimeError, pickle.UnpicklingError) as error:
        raise ValueError(f"{path}: not a file of control variates, or a spoiled one") from error
    return ValueFunction(
        game, tuple(about["players"]), about["seed"], about["matches"], network.eval()
    )


def _requirements(game: Game) -> dict[str, Any]:
    """What must be the same where a value function was fitted and where it is used."""
    segments = [(segment.name, segment.shape, segment.high) for segment in game.segments]
    return {
        "format": 1,
        "game": game.name,
        "game_version": game.version,
        "options": json.loads(json.dumps(dict(game.options))),
        "observation_hash": hashlib.sha256(repr(segments).encode()).hexdigest()[:16],
    }
