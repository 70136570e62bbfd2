"""How well players do against each other, on duplicate deals.

Every deal is played once with the player of interest on each seat, against copies of one other
player, so that neither seats nor cards favour anyone; or, by role, once with it in the first role.
The mean over a deal's matches is one observation of the confidence intervals, since they are not
independent. The numbers do not depend on how many workers play.
"""

import copy
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from masked_monsters.envs.batch import MAX_SEED
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.control_variates import (
    CorrectedEvaluation,
    Corrections,
    Value,
    check_rounds,
    correct,
)
from masked_monsters.evaluation.estimate import Estimate, estimate
from masked_monsters.evaluation.lanes import Played, PlayedRoles, dealt_roles, play
from masked_monsters.evaluation.workers import work

CHUNK = 256
"""Deals that are played side by side. Another number would be other random numbers."""

CORRECTIONS = 1
"""Marks the random numbers of control variates among a chunk's."""

Progress = Callable[[int, int], None]
"""Told how many of how many matches have been played."""


@dataclass(frozen=True)
class RoleResult:
    """How a player did in one of the roles that the game deals."""

    agent: str
    against: str
    """Who played all other seats."""
    role: str
    win: Estimate
    """The part of the matches that it won, alone or with its side."""
    outcomes: dict[str, Estimate]
    """How the matches ended, in parts of them."""
    length: Estimate
    """How long they were, in the game's own unit."""
    matches: int


@dataclass(frozen=True)
class Evaluation:
    """A player against copies of another one. Equal when all but the time is equal."""

    agent: str
    against: str
    score: Estimate
    """The player's reward a round."""
    gain: Estimate
    """The same, less the mean reward a round of all seats at the table."""
    win_share: Estimate
    """The part of the matches that it won; a win tied between ``k`` counts ``1 / k``."""
    deals: int
    matches: int
    rounds: int
    decisions: int
    """Of all seats."""
    roles: tuple[RoleResult, ...]
    """By role, where the game deals roles."""
    control_variates: CorrectedEvaluation | None
    """The means with less luck in them, if a value function was given."""
    seconds: float = field(compare=False)
    """Of play, added up over the workers."""


def evaluate(
    game: Game,
    agent: Policy,
    against: Policy,
    *,
    matches: int,
    seed: int = 0,
    workers: int = 1,
    value: Value | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """``agent`` against copies of ``against`` on all other seats.

    Args:
        game: the game, with its options.
        agent: whose play is measured; like ``against``, it is reset for every 256 deals.
        against: who plays the other seats.
        matches: at least how many; rounded up to whole deals, at least two, of a match a seat.
        seed: 0 … 2**64 - 1; the same seed gives the same result and the same deals for any players.
        workers: processes; the result does not depend on it.
        value: for control variates, fitted to other matches (``value.fit_value``); actions are then
            drawn by the policies' ``probabilities``, with other random numbers.
        progress: called as matches are played.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """
    (evaluation,) = evaluate_pairs(
        game,
        (agent, against),
        [(0, 1)],
        matches=matches,
        seed=seed,
        workers=workers,
        value=value,
        progress=progress,
    )
    return evaluation


def evaluate_pairs(
    game: Game,
    policies: Sequence[Policy],
    pairs: Sequence[tuple[int, int]],
    *,
    matches: int,
    seed: int = 0,
    workers: int = 1,
    value: Value | None = None,
    progress: Progress | None = None,
) -> list[Evaluation]:
    """``evaluate`` the policies of each pair of numbers, with one set of workers."""
    check_range("matches", matches, 1, 2**31)
    players = game.num_players
    deals = max(2, math.ceil(matches / players))  # fewer have no confidence interval
    contest = _Contest(game, tuple(policies), deals, seed, by_role=False, value=value)
    return [
        _summarize(contest, policies[agent].name, policies[against].name, chunks)
        for (agent, against), chunks in zip(
            pairs, _play_pairs(contest, pairs, workers, progress), strict=True
        )
    ]


def evaluate_roles(
    game: Game,
    policies: Sequence[Policy],
    pairs: Sequence[tuple[int, int]],
    *,
    matches: int,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> list[RoleResult]:
    """The first policy of each pair in the game's first role, copies of the second in all others.

    Every pair plays the same deals, each once.

    Raises:
        ValueError: as ``evaluate`` does, or if the game deals no roles.
    """
    if game.roles is None:
        raise ValueError(f"{game.name}: deals no roles")
    results = []
    for (agent, against), played in zip(
        pairs,
        play_pairs(
            game,
            policies,
            pairs,
            deals=check_range("matches", matches, 2, 2**31),
            by_role=True,
            seed=seed,
            workers=workers,
            progress=progress,
        ),
        strict=True,
    ):
        assert played.roles is not None
        results.append(
            _role_result(
                game,
                policies[agent].name,
                policies[against].name,
                played,
                role=0,
                seats=played.roles.role == 0,
                rotations=1,
            )
        )
    return results


def play_pairs(
    game: Game,
    policies: Sequence[Policy],
    pairs: Sequence[tuple[int, int]],
    *,
    deals: int,
    by_role: bool = False,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> list[Played]:
    """The matches of ``evaluate_pairs``, or ``by_role`` of ``evaluate_roles``, one by one.

    All pairs play the same deals. A deal's matches lie together: match ``i`` has the first policy of
    the pair on seat ``i % num_players``; ``by_role`` there is one match a deal.
    """
    contest = _Contest(game, tuple(policies), deals, seed, by_role)
    return [_join(chunks) for chunks in _play_pairs(contest, pairs, workers, progress)]


def _play_pairs(
    contest: "_Contest",
    pairs: Sequence[tuple[int, int]],
    workers: int,
    progress: Progress | None,
) -> list[list["_PlayedChunk"]]:
    """The chunks of each pair."""
    check_range("seed", contest.seed, 0, MAX_SEED)
    chunks = [
        _Chunk(agent, against, number)
        for agent, against in pairs
        for number in range(math.ceil(contest.deals / CHUNK))
    ]
    played: list[_PlayedChunk] = []
    done = 0
    for chunk in work(_play_chunk, contest, chunks, workers):
        played.append(chunk)
        done += len(chunk.played.rounds)
        if progress:
            progress(done, len(pairs) * contest.deals * contest.rotations)
    size = len(chunks) // len(pairs)
    return [played[i * size : (i + 1) * size] for i in range(len(pairs))]


def _join(chunks: Sequence["_PlayedChunk"]) -> Played:
    """All matches as one."""
    parts = [chunk.played for chunk in chunks]
    roles = [part.roles for part in parts if part.roles is not None]
    corrections = [part.correction for part in parts if part.correction is not None]
    return Played(
        np.concatenate([part.score for part in parts]),
        np.concatenate([part.rounds for part in parts]),
        sum(part.decisions for part in parts),
        PlayedRoles(*map(np.concatenate, zip(*roles, strict=True))) if roles else None,
        np.concatenate(corrections) if corrections else None,
    )


def _role_result(
    game: Game,
    agent: str,
    against: str,
    played: Played,
    *,
    role: int,
    seats: np.ndarray,
    rotations: int,
) -> RoleResult:
    """Of the agent's ``seats`` that have the role; a deal is so many matches (rotations) in a row."""
    assert game.roles is not None
    assert played.roles is not None
    counted = seats & (played.roles.role == role)

    def by_deal(values: np.ndarray) -> Estimate:
        """Of ``(matches, players)`` values; deals without the role on such a seat drop out."""
        total = (values * counted).sum(axis=1).reshape(-1, rotations).sum(axis=1)
        count = counted.sum(axis=1).reshape(-1, rotations).sum(axis=1)
        return estimate(total[count > 0] / count[count > 0])

    return RoleResult(
        agent=agent,
        against=against,
        role=game.roles.names[role],
        win=by_deal(played.won),
        outcomes={
            name: by_deal((played.roles.outcome == number)[:, None])
            for number, name in enumerate(game.roles.outcomes)
        },
        length=by_deal(played.roles.length[:, None]),
        matches=int(counted.any(axis=1).sum()),
    )


def _summarize(
    contest: "_Contest", agent: str, against: str, chunks: Sequence["_PlayedChunk"]
) -> Evaluation:
    game, played = contest.game, _join(chunks)
    matches, players = played.score.shape
    a_round = played.score / played.rounds[:, None]
    own = np.arange(matches) % players  # the agent's seat, see _play_chunk

    def agents(values: np.ndarray) -> np.ndarray:
        """``(deals, players)``, of ``(matches, players)`` values."""
        return values[np.arange(matches), own].reshape(-1, players)

    def by_deal(values: np.ndarray) -> Estimate:
        return estimate(agents(values).mean(axis=1))

    corrected = None
    if played.correction is not None:
        check_rounds(game, played.rounds)
        better = a_round + played.correction / played.rounds[:, None]
        corrected = correct(
            agents(better), agents(_gain(better)), agents(_gain(a_round)), contest.seed
        )
    seats = own[:, None] == np.arange(players)
    return Evaluation(
        agent=agent,
        against=against,
        score=by_deal(a_round),
        gain=by_deal(_gain(a_round)),
        win_share=by_deal(played.win_share),
        deals=matches // players,
        matches=matches,
        rounds=int(played.rounds.sum()),
        decisions=played.decisions,
        roles=tuple(
            _role_result(game, agent, against, played, role=role, seats=seats, rotations=players)
            for role in range(len(game.roles.names) if game.roles else 0)
        ),
        control_variates=corrected,
        seconds=sum(chunk.seconds for chunk in chunks),
    )


def _gain(scores: np.ndarray) -> np.ndarray:
    """How much more than its table each seat has."""
    return scores - scores.mean(axis=1, keepdims=True)


# ---------------------------------------------------------------- chunks


class _Contest(NamedTuple):
    game: Game
    policies: tuple[Policy, ...]
    deals: int
    seed: int
    by_role: bool
    """Is each deal played once, the agent in the first role, or with the agent on every seat?"""
    value: Value | None = None
    """For control variates."""

    @property
    def rotations(self) -> int:
        """How often each deal is played."""
        return 1 if self.by_role else self.game.num_players


class _Chunk(NamedTuple):
    agent: int
    against: int
    number: int


class _PlayedChunk(NamedTuple):
    played: Played
    seconds: float


def _play_chunk(contest: _Contest, chunk: _Chunk) -> _PlayedChunk:
    """Up to ``CHUNK`` deals; a deal's lanes lie together, the agent on one seat after another."""
    began = time.perf_counter()
    deals = min(CHUNK, contest.deals - chunk.number * CHUNK)
    numbers = np.random.SeedSequence(contest.seed, spawn_key=(chunk.number,))
    agent_seed, against_seed, *seeds = numbers.generate_state(2 + deals, np.uint64)
    agent, against = contest.policies[chunk.agent], contest.policies[chunk.against]
    policies = agent, copy.deepcopy(against) if agent is against else against
    policies[0].reset(int(agent_seed))
    policies[1].reset(int(against_seed))
    seeds = np.repeat(seeds, contest.rotations)
    if contest.by_role:
        seating = (dealt_roles(contest.game, seeds) != 0).astype(np.int64)
    else:
        seating = np.tile(1 - np.eye(contest.rotations, dtype=np.int64), (deals, 1))
    if contest.value is None:
        played = play(contest.game, policies, seating, seeds)
    else:
        own = np.random.SeedSequence(contest.seed, spawn_key=(chunk.number, CORRECTIONS))
        corrections = Corrections(contest.game, contest.value, seating, seeds, own)
        played = play(contest.game, policies, seating, seeds, corrections)
        played = played._replace(correction=corrections.by_seat)
    return _PlayedChunk(played, time.perf_counter() - began)
