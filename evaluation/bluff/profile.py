"""The bluff profile of a player: ledgers of many matches, and what they come to."""

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from masked_monsters.envs.batch import MAX_SEED
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.bluff.clustered import clustered_mean
from masked_monsters.evaluation.bluff.ledger import Watch
from masked_monsters.evaluation.bluff.lens import Lens, make_lens
from masked_monsters.evaluation.bluff.rollouts import gains
from masked_monsters.evaluation.estimate import Estimate
from masked_monsters.evaluation.lanes import play
from masked_monsters.evaluation.match import Progress
from masked_monsters.evaluation.workers import work

CHUNK = 16
"""Deals that are played side by side. Another number would be other random numbers."""
MEASURES = ("challenged", "believed", "truth", "shift", "leaked", "other", "gain", "paid")
"""Of ``ledger.ACT``, that are averaged."""


@dataclass(frozen=True)
class Ledger:
    """All acts of a player in some matches, and what their columns mean."""

    rows: np.ndarray
    """Records of ``ledger.ACT``."""
    roles: tuple[str, ...]
    kinds: tuple[str, ...]
    truth: tuple[str, ...]
    observers: str
    phases: tuple[str, ...]
    deals: int
    close_deals: int


@dataclass(frozen=True)
class Entry:
    """A line of the ledger's summary: acts of one role, phase and kind; measures have intervals."""

    role: str
    phase: str
    kind: str
    """Or ``all`` of them."""
    acts: int
    share: Estimate | None
    """Of the role's acts in the phase; None if those are of fewer than two deals."""
    measures: dict[str, Estimate | None]
    """By the names in ``MEASURES``; None where nothing was measured."""


LensMaker = Callable[[Game, int, str | None, int], Lens]


class _Contest(NamedTuple):
    game: Game
    agent: Policy
    against: Policy
    deals: int
    close: int
    observers: str | None
    rollouts: int
    seed: int
    make_lens: LensMaker


def keep_ledger(
    game: Game,
    agent: Policy,
    against: Policy,
    *,
    matches: int,
    close_matches: int = 0,
    observers: str | None = None,
    rollouts: int = 16,
    seed: int = 0,
    workers: int = 1,
    make_lens: LensMaker = make_lens,
    progress: Progress | None = None,
) -> Ledger:
    """Play the agent on each seat in turn among copies of another player, and write down what it does.

    Args:
        game: the game.
        agent: whose acts.
        against: who plays the other seats.
        matches: at least how many; rounded up to whole deals, at least two.
        close_matches: in how many of them also what takes long is measured: the gains, and in Monster
            My Neighbor beliefs and what one without the Monster would do.
        observers: how all are taken to believe; the game's lens says what is allowed.
        rollouts: for a gain; 0: gains are not measured.
        seed: 0 … 2**64 - 1.
        workers: processes; the result does not depend on it.
        make_lens: the game's lens.
        progress: called as deals are played.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """
    n = game.num_players
    check_range("matches", matches, 1, 2**31)
    check_range("close_matches", close_matches, 0, matches)
    check_range("rollouts", rollouts, 0, 10_000)
    check_range("seed", seed, 0, MAX_SEED)
    deals, close = max(2, math.ceil(matches / n)), math.ceil(close_matches / n)
    lens = make_lens(game, 1, observers, 0)
    contest = _Contest(game, agent, against, deals, close, observers, rollouts, seed, make_lens)
    numbers = list(range(math.ceil(deals / CHUNK)))
    rows = []
    for found in work(_play_chunk, contest, numbers, workers):
        rows.append(found)
        if progress:
            progress(min(len(rows) * CHUNK, deals), deals)
    return Ledger(
        rows=np.concatenate(rows),
        roles=lens.roles,
        kinds=lens.kinds,
        truth=lens.truth,
        observers=lens.observers,
        phases=lens.phases,
        deals=deals,
        close_deals=min(close, deals),
    )


def _play_chunk(contest: _Contest, number: int) -> np.ndarray:
    game, n = contest.game, contest.game.num_players
    first = number * CHUNK
    deals = min(CHUNK, contest.deals - first)
    numbers = np.random.SeedSequence(contest.seed, spawn_key=(number,))
    own = numbers.spawn(1)[0].generate_state(4, np.uint64).tolist()
    agent_seed, against_seed, *seeds = numbers.generate_state(2 + deals, np.uint64)
    agent, against = contest.agent, copy.deepcopy(contest.against)
    agent.reset(int(agent_seed))
    against.reset(int(against_seed))
    seating = np.tile(1 - np.eye(n, dtype=np.int64), (deals, 1))
    deal_of = first + np.repeat(np.arange(deals), n)
    lens = contest.make_lens(game, len(deal_of), contest.observers, own[0])
    watch = Watch(game, lens, deal_of, deal_of < contest.close, own[1])
    play(game, (agent, against), seating, np.repeat(seeds, n), watch)
    rows = watch.rows()
    if contest.rollouts and watch.states:
        close = np.concatenate(watch.numbers)
        agent.reset(own[2])
        against.reset(own[3])
        rows["gain"][close] = gains(
            game,
            (agent, against),
            seating[rows["lane"][close]],
            np.concatenate(watch.states),
            np.concatenate(watch.actions),
            rollouts=contest.rollouts,
            seed=own[3],
        )
    return rows


def summarize(ledger: Ledger) -> list[Entry]:
    """A line for each role, phase and kind, and one for all kinds together if there are several."""
    entries = []
    rows = ledger.rows
    for role, role_name in enumerate(ledger.roles):
        for phase in np.unique(rows["phase"][rows["role"] == role]):
            some = rows[(rows["role"] == role) & (rows["phase"] == phase)]
            for kind, kind_name in enumerate(ledger.kinds):
                alike = some["kind"] == kind
                if alike.any():
                    entries.append(
                        _entry(some[alike], alike, some, role_name, ledger.phases[phase], kind_name)
                    )
            if len(np.unique(some["kind"])) > 1:
                every = np.ones(len(some), np.bool_)
                entries.append(_entry(some, every, some, role_name, ledger.phases[phase], "all"))
    return entries


def _entry(
    rows: np.ndarray, alike: np.ndarray, of: np.ndarray, role: str, phase: str, kind: str
) -> Entry:
    return Entry(
        role,
        phase,
        kind,
        len(rows),
        _clustered(alike.astype(np.float64), of["deal"]),
        {name: mean_of(rows, name) for name in MEASURES},
    )


def mean_of(rows: np.ndarray, name: str) -> Estimate | None:
    """Of a column, over the rows in which it was measured; None if those are of fewer than two deals."""
    values = rows[name].astype(np.float64)
    known = ~np.isnan(values)
    return _clustered(values[known], rows["deal"][known])


def _clustered(values: np.ndarray, deals: np.ndarray) -> Estimate | None:
    return clustered_mean(values, deals) if len(np.unique(deals)) > 1 else None


# ---------------------------------------------------------------- what it comes to


@dataclass(frozen=True)
class Deception:
    """Of a role's acts: do they move the observers away from the truth, and does that gain anything?"""

    role: str
    truth: str
    """The fact in question."""
    acts: int
    away: Estimate
    """The part of them after which the observers give the truth less."""
    shift: Estimate | None
    """What they change in that probability, in bits."""
    gain_away: Estimate | None
    """Of those that move them away; None where no gain was measured."""
    gain_not_away: Estimate | None
    """Of the others."""


@dataclass(frozen=True)
class Moment:
    """The observers' mean probability of the truth after a role's acts of some time."""

    role: str
    time: int
    """In the lens's unit."""
    truth: Estimate


@dataclass(frozen=True)
class Cover:
    """How many of the k-th acts of a seat in a match some card fits, and all that it said before."""

    role: str
    number: int
    """``k``, from 1."""
    consistent: Estimate


@dataclass(frozen=True)
class Hedging:
    """How many of a role's acts that could be hedged were."""

    role: str
    hedged: Estimate


def deception(ledger: Ledger) -> list[Deception]:
    """By role; those without acts of which a shift was measured in two deals or more are left out.

    Both halves of deception, apart: an act that does one need not do the other.
    """
    found = []
    for role, name in enumerate(ledger.roles):
        rows = ledger.rows[ledger.rows["role"] == role]
        rows = rows[~np.isnan(rows["shift"])]
        away = rows["shift"] < 0
        share = _clustered(away.astype(np.float64), rows["deal"])
        if share is not None:
            found.append(
                Deception(
                    role=name,
                    truth=ledger.truth[role],
                    acts=len(rows),
                    away=share,
                    shift=mean_of(rows, "shift"),
                    gain_away=mean_of(rows[away], "gain"),
                    gain_not_away=mean_of(rows[~away], "gain"),
                )
            )
    return found


def over_time(ledger: Ledger) -> list[Moment]:
    """By role and time; only where it was measured in two deals or more, as in what follows."""
    rows = ledger.rows[~np.isnan(ledger.rows["truth"])]
    return [Moment(*found) for found in _means(rows, ledger.roles, "time", "truth")]


def covers(ledger: Ledger) -> list[Cover]:
    """By role and number."""
    rows = ledger.rows[ledger.rows["consistent"] >= 0]
    return [Cover(*found) for found in _means(rows, ledger.roles, "own", "consistent")]


def hedging(ledger: Ledger) -> list[Hedging]:
    """By role."""
    rows = ledger.rows[ledger.rows["open"] == 1]
    return [
        Hedging(name, share)
        for role, name in enumerate(ledger.roles)
        if (share := mean_of(rows[rows["role"] == role], "hedged"))
    ]


def _means(
    rows: np.ndarray, roles: tuple[str, ...], by: str, name: str
) -> Iterator[tuple[str, int, Estimate]]:
    """Of a column, by role and another column's value."""
    for role, role_name in enumerate(roles):
        own = rows[rows["role"] == role]
        for value in np.unique(own[by]):
            if mean := mean_of(own[own[by] == value], name):
                yield role_name, int(value), mean
