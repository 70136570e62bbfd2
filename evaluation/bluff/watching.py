"""Games played to be watched: an agent on one seat in turn, copies of another one elsewhere."""

import copy
import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from masked_monsters.envs.batch import MAX_SEED
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.lanes import Watcher, play
from masked_monsters.evaluation.match import CHUNK, Progress
from masked_monsters.evaluation.workers import work


class Recorder(Watcher, Protocol):
    """A watcher that has something to show for it."""

    @property
    def records(self) -> Any:
        """What it has seen; it pickles."""
        ...


Begin = Callable[[Game, np.ndarray, np.random.Generator], Recorder]
"""Of the game, the number of each lane's game and random numbers: a recorder of games that begin."""


def watch(
    game: Game,
    agent: Policy,
    others: Policy,
    begin: Begin,
    *,
    games: int,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> list[Any]:
    """The records of games that are independent: each has a deal of its own.

    Args:
        game: the game.
        agent: policy 0, on seat ``i % n`` of game ``i``; like ``others``, reset for every 256 games.
        others: policy 1, on all other seats.
        begin: makes a recorder; with more than one worker, a function or class of a module.
        games: how many, at least 1.
        seed: 0 … 2**64 - 1.
        workers: processes; the records do not depend on it.
        progress: called as games are played.

    Returns:
        The records of each chunk of games, in order.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """
    check_range("games", games, 1, 2**31)
    check_range("seed", seed, 0, MAX_SEED)
    contest = _Contest(game, agent, others, begin, games, seed)
    records = []
    for number, record in enumerate(
        work(_play_chunk, contest, range(math.ceil(games / CHUNK)), workers), start=1
    ):
        records.append(record)
        if progress:
            progress(min(games, number * CHUNK), games)
    return records


class _Contest(NamedTuple):
    game: Game
    agent: Policy
    others: Policy
    begin: Begin
    games: int
    seed: int


def _play_chunk(contest: _Contest, chunk: int) -> Any:
    game, agent, others = contest.game, contest.agent, contest.others
    numbers = np.arange(chunk * CHUNK, min(contest.games, (chunk + 1) * CHUNK))
    seeds = np.random.SeedSequence(contest.seed, spawn_key=(chunk,))
    agent_seed, others_seed, own_seed, *deals = seeds.generate_state(3 + len(numbers), np.uint64)
    if agent is others:
        others = copy.deepcopy(agent)
    agent.reset(int(agent_seed))
    others.reset(int(others_seed))
    seating = (numbers[:, None] % game.num_players != np.arange(game.num_players)).astype(np.int64)
    recorder = contest.begin(game, numbers, np.random.default_rng(int(own_seed)))
    play(game, (agent, others), seating, np.array(deals, np.uint64), recorder)
    return recorder.records
