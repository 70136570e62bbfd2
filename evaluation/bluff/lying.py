"""What bluffing is worth: the same player kept from it, on the same deals."""

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from masked_monsters.envs.batch import MAX_SEED
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.bluff.candid import Candid
from masked_monsters.evaluation.bluff.clustered import clustered_mean
from masked_monsters.evaluation.bluff.lens import forbidden_acts
from masked_monsters.evaluation.estimate import Estimate, estimate
from masked_monsters.evaluation.lanes import play
from masked_monsters.evaluation.match import Progress
from masked_monsters.evaluation.workers import work

CHUNK = 32
"""Deals that are played side by side. Another number would be other random numbers."""
SHARES = (0.0, 0.5, 1.0)
"""Of the bluffs, that the player is kept from."""


@dataclass(frozen=True)
class Kept:
    """The player kept from a part of its bluffs."""

    share: float
    tuned: int
    """Decisions that it was trained for, kept from all of them; 0: it plays as it always does."""
    rate: Estimate | None
    """Bluffs for each decision at which there was one to be made; None: there was none."""
    score: Estimate
    """Its reward a round."""
    value: Estimate
    """What it loses by that, a round: its score if kept from none less this one, deal by deal."""


@dataclass(frozen=True)
class ValueOfLying:
    """Of one way to be candid."""

    forbidden: str
    """A name of the game's ``FORBID``."""
    kept: tuple[Kept, ...]
    """For each of ``SHARES``, and last of the tuned player if there is one."""
    deals: int


class _Contest(NamedTuple):
    game: Game
    agent: Policy
    against: Policy
    forbidden: str
    observers: str | None
    deals: int
    seed: int
    tuned: Policy | None

    @property
    def players(self) -> list[tuple[Policy, float]]:
        """Who plays, and from what part of its bluffs it is kept."""
        players = [(self.agent, share) for share in SHARES]
        return [*players, (self.tuned, 1.0)] if self.tuned else players


class _Chunk(NamedTuple):
    score: np.ndarray
    """``(players, deals)``: of each, a round."""
    occasions: np.ndarray
    """``(players,)``."""
    done: np.ndarray


def value_of_lying(
    game: Game,
    agent: Policy,
    against: Policy,
    forbidden: str,
    *,
    matches: int,
    observers: str | None = None,
    tuned: tuple[Policy, int] | None = None,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> ValueOfLying:
    """The agent on each seat in turn among copies of another player, as it is and kept from bluffs.

    The deals and all random numbers are the same, so an agent that does nothing that is forbidden has
    a value of exactly 0.

    Args:
        game: the game.
        agent: whose bluffs.
        against: who plays the other seats.
        forbidden: what the agent is kept from, of ``lens.ways_to_forbid``.
        matches: of each player, at least how many; rounded up to whole deals, at least two.
        observers: as for ``lens.make_lens``.
        tuned: a player trained under the mask, and for how many decisions.
        seed: 0 … 2**64 - 1.
        workers: processes; the result does not depend on it.
        progress: called as chunks of deals are played.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """
    check_range("matches", matches, 1, 2**31)
    check_range("seed", seed, 0, MAX_SEED)
    deals = max(2, math.ceil(matches / game.num_players))
    policy, decisions = tuned or (None, 0)
    contest = _Contest(game, agent, against, forbidden, observers, deals, seed, policy)
    forbidden_acts(game, forbidden, observers, agent)  # to refuse a wrong name here
    chunks = []
    numbers = list(range(math.ceil(deals / CHUNK)))
    for chunk in work(_play_chunk, contest, numbers, workers):
        chunks.append(chunk)
        if progress:
            progress(len(chunks), len(numbers))
    score = np.concatenate([chunk.score for chunk in chunks], axis=1)
    kept = [
        _kept(score, chunks, i, share, decisions if i == len(SHARES) else 0)
        for i, (_, share) in enumerate(contest.players)
    ]
    return ValueOfLying(forbidden, tuple(kept), deals)


def _kept(score: np.ndarray, chunks: Sequence[_Chunk], i: int, share: float, tuned: int) -> Kept:
    done, occasions = (
        np.array([pair[i] for pair in pairs])
        for pairs in zip(*((chunk.done, chunk.occasions) for chunk in chunks), strict=True)
    )
    some = np.repeat(np.arange(len(chunks)), occasions)
    values = np.concatenate(
        [np.arange(of) < bluffs for bluffs, of in zip(done, occasions, strict=True)]
    )
    rate = clustered_mean(values.astype(np.float64), some) if len(np.unique(some)) > 1 else None
    return Kept(share, tuned, rate, estimate(score[i]), estimate(score[0] - score[i]))


def _play_chunk(contest: _Contest, number: int) -> _Chunk:
    """Up to ``CHUNK`` deals."""
    game, n = contest.game, contest.game.num_players
    deals = min(CHUNK, contest.deals - number * CHUNK)
    numbers = np.random.SeedSequence(contest.seed, spawn_key=(number,))
    agent_seed, against_seed, *seeds = numbers.generate_state(2 + deals, np.uint64)
    forbid = forbidden_acts(game, contest.forbidden, contest.observers, contest.agent)
    seating = np.tile(1 - np.eye(n, dtype=np.int64), (deals, 1))
    own = np.tile(np.arange(n), deals)
    scores, occasions, done = [], [], []
    for policy, share in contest.players:
        agent = Candid(policy, forbid, share)
        against = copy.deepcopy(contest.against)
        agent.reset(int(agent_seed))
        against.reset(int(against_seed))
        played = play(game, (agent, against), seating, np.repeat(seeds, n))
        a_round = played.score[np.arange(len(own)), own] / played.rounds
        scores.append(a_round.reshape(deals, n).mean(axis=1))
        occasions.append(agent.occasions)
        done.append(agent.done)
    return _Chunk(np.array(scores), np.array(occasions), np.array(done))
