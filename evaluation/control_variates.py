"""Control variates for matches, in the manner of AIVAT (Burch et al. 2018): less luck, no bias.

A match is a chain of *events*. A decision is one, with the chance that follows it up to the next
decision, the end, or a *cut* (after which nothing depends on what was before); a deal is one, from a
cut or the beginning to the first decision. Let ``W(event)`` be what an event pays plus ``V`` of the
state to which it leads (0 after the end, or at a cut), for any function ``V`` that was fixed before.
The corrected score of a match is

    score + sum over its events of  E[W | state before] - W(event)

The expectation is over the acting policy's ``probabilities``, from which the action is drawn, and over
chance. Given the state before, each term's mean is 0, so the corrected score's mean is the score's.
That stays true when the expectation over chance is replaced by a mean over independent draws of it,
since its mean, given the state before, is the same and it enters the sum linearly; this is done for
deals, and for other events with more than ``MAX_LEAVES`` outcomes. The nearer ``V`` is to what is to
come on average, the more the terms cancel the luck in the score.

To correct the action and the chance after it separately, with the same ``E[W | state before, action]``
in both terms, comes to the same sum: it drops out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.engine.kernels import Kernels, bind
from masked_monsters.envs.engine.random import GENERATOR
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy, decisions_of, sample
from masked_monsters.evaluation.estimate import Estimate, estimate

LOOP = Path(__file__).with_name("control_loop.py")
MAX_LEAVES = 64
"""An event with more outcomes is not enumerated."""
DRAWS = 16
"""In place of those: independent draws of what chance does."""
MIN_ROWS = 2048
"""States that are valued at once."""
RESAMPLES = 1000


class Value(Protocol):
    """``V``: what every seat is to be paid until the next cut."""

    def __call__(self, tables: np.ndarray) -> np.ndarray:
        """``(rows, n)`` from ``(rows, n * game.compact_size)`` int8: both from the agent's seat on.

        A row holds every seat's ``compact`` observation: all that anybody knows, hidden cards too.
        """
        ...


class _Work(NamedTuple):
    """What the compiled loops write into; see ``control_loop.py``."""

    event: np.ndarray
    leaves: np.ndarray
    weights: np.ndarray
    codes: np.ndarray
    chances: np.ndarray
    generator: np.ndarray
    sight: np.ndarray
    uncertain: np.ndarray
    """``(lanes,)`` bool: can the decision lead to more than one state?"""
    sums: np.ndarray
    """``(lanes, n)``: the corrections so far, from the agent's seat on."""
    used: np.ndarray
    row_lane: np.ndarray
    row_weight: np.ndarray
    tables: np.ndarray


class Corrections:
    """Watches matches as they are played (``lanes.play``), and adds up their corrections.

    Decisions in which nothing is left to luck cost nothing.
    """

    def __init__(
        self,
        game: Game,
        value: Value,
        seating: np.ndarray,
        seeds: np.ndarray,
        seed: np.random.SeedSequence,
        max_leaves: int = MAX_LEAVES,
        draws: int = DRAWS,
    ) -> None:
        """Of matches that are about to begin.

        Args:
            game: the game.
            value: ``V``, which must not have been fitted to these matches.
            seating: ``(lanes, n)``: the policies' numbers; 0 is the agent.
            seeds: ``(lanes,)`` uint64, of the matches.
            seed: of the actions, and of the draws; others than the game's.
            max_leaves: of an event that is enumerated; at least ``draws``.
            draws: of the chance in another.
        """
        lanes, n = seating.shape
        actions_seed, draws_seed = seed.generate_state(2, np.uint64)
        rows = max(MIN_ROWS, max_leaves * game.num_actions)
        self.agents = (seating == 0).argmax(axis=1)
        self._value = value
        self._draws = draws
        self._random = np.random.default_rng(int(actions_seed))
        self._loop = _loop(game.name, game.rules, game.kernels.act)
        self._before = game.new_states(lanes)
        self._before["stream"] = seeds
        self._actions = np.zeros(lanes, np.int64)
        self._flat = np.zeros((rows, n * game.compact_size), np.int8)
        self._work = _Work(
            event=game.new_states(1),
            leaves=game.new_states(max_leaves),
            weights=np.zeros(max_leaves),
            codes=np.zeros(max_leaves, np.int64),
            chances=np.zeros(max_leaves),
            generator=np.array([(draws_seed,)], GENERATOR),
            sight=np.zeros(1, game.view),
            uncertain=np.zeros(lanes, np.bool_),
            sums=np.zeros((lanes, n)),
            used=np.zeros(1, np.int64),
            row_lane=np.zeros(rows, np.int64),
            row_weight=np.zeros(rows),
            tables=self._flat.view(game.compact),
        )
        every_lane = np.arange(lanes)
        self._expect(self._loop.weigh_first_deals, self._before, every_lane)
        self._all_begun = False

    @property
    def by_seat(self) -> np.ndarray:
        """``(lanes, n)``: what is to be added to each seat's score."""
        n = self._work.sums.shape[1]
        return np.take_along_axis(
            self._work.sums, (np.arange(n) - self.agents[:, None]) % n, axis=1
        )

    def decide(
        self, policies: Sequence[Policy], decider: np.ndarray, batch: Batch, actions: np.ndarray
    ) -> None:
        """Draw the actions by the policies' probabilities; ``lanes.Watcher``."""
        if not self._all_begun:
            self._subtract(batch.states, np.arange(batch.num_games))
            self._all_begun = True
        self._work.uncertain[:] = False
        for number, policy in enumerate(policies):
            lanes = np.flatnonzero(decider == number)
            if len(lanes):
                probabilities = policy.probabilities(decisions_of(policy, batch, lanes))
                probabilities = np.ascontiguousarray(probabilities, np.float64)
                probabilities /= probabilities.sum(axis=1, keepdims=True)
                actions[lanes] = sample(probabilities, self._random)
                self._expect(
                    self._loop.weigh_decisions, batch.states, lanes, probabilities=probabilities
                )
        self._before[:] = batch.states
        self._actions[:] = actions

    def stepped(self, batch: Batch, playing: np.ndarray) -> None:
        """See what has come of it; ``lanes.Watcher``."""
        n = self._work.sums.shape[1]
        uncertain = np.flatnonzero(playing & self._work.uncertain)
        seats = (self.agents[uncertain, None] + np.arange(n)) % n
        self._work.sums[uncertain] -= batch.reward[uncertain[:, None], seats]
        goes_on = playing & ~batch.done
        self._expect(
            self._loop.weigh_deals,
            self._before,
            np.flatnonzero(goes_on & batch.cut),
            actions=self._actions,
        )
        self._subtract(batch.states, np.flatnonzero(goes_on & (self._work.uncertain | batch.cut)))

    def _expect(
        self, weigh: Callable[..., int], states: np.ndarray, lanes: np.ndarray, **of: np.ndarray
    ) -> None:
        """Add the events' expectations."""
        first = 0
        while first < len(lanes):
            first = weigh(
                states=states,
                lanes=lanes,
                agents=self.agents,
                first=first,
                draws=self._draws,
                work=self._work,
                **of,
            )
            used = int(self._work.used[0])
            self._add(self._work.row_lane[:used], self._work.row_weight[:used, None])

    def _subtract(self, states: np.ndarray, lanes: np.ndarray) -> None:
        """Subtract the value of the states that were reached."""
        rows = len(self._flat)
        for some in (lanes[first : first + rows] for first in range(0, len(lanes), rows)):
            work = self._work
            self._loop.show_tables(states, some, self.agents, work.sight, work.tables)
            self._add(some, -1.0)

    def _add(self, lanes: np.ndarray, weights: np.ndarray | float) -> None:
        """Add the values of the first rows, weighted, to their lanes."""
        if len(lanes):
            np.add.at(self._work.sums, lanes, weights * self._value(self._flat[: len(lanes)]))


def whole_tables(
    game: Game, states: np.ndarray, lanes: np.ndarray, agents: np.ndarray
) -> np.ndarray:
    """``(len(lanes), n * game.compact_size)`` int8: what ``Value`` is given of some lanes.

    Args:
        game: the game.
        states: records of ``game.state``, each at a decision.
        lanes: integers, which of them.
        agents: each state's agent's seat.
    """
    tables = np.zeros((len(lanes), game.num_players * game.compact_size), np.int8)
    loop = _loop(game.name, game.rules, game.kernels.act)
    loop.show_tables(states, lanes, agents, np.zeros(1, game.view), tables.view(game.compact))
    return tables


def check_rounds(game: Game, rounds: np.ndarray) -> None:
    """Refuse matches of different lengths: a score divided by what chance decides would be biased."""
    if rounds.min() < rounds.max():
        raise ValueError(
            f"control variates: matches have {rounds.min()} to {rounds.max()} rounds; must all have "
            f"as many ({game.name} {dict(game.options)})"
        )


@cache
def _loop(name: str, rules: Any, act: Callable[..., None]) -> Kernels:
    return bind(LOOP, name, {**vars(rules), "act": act})


# ---------------------------------------------------------------- what is gained


@dataclass(frozen=True)
class Factor:
    """How many times, with the 95 % interval of a bootstrap over deals."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class CorrectedEvaluation:
    """The means of an evaluation with control variates."""

    score: Estimate
    gain: Estimate
    fewer_games: Factor | None
    """Than duplicate deals need for a gain of the same half width; None if no luck is left."""
    fewer_games_than_independent: Factor | None
    """Than matches need that are each of a deal of its own."""


def correct(
    score: np.ndarray, gain: np.ndarray, raw_gain: np.ndarray, seed: int
) -> CorrectedEvaluation:
    """Of the agent's corrected score and gain, and its gain as played, each ``(deals, n)``."""
    return CorrectedEvaluation(
        estimate(score.mean(axis=1)),
        estimate(gain.mean(axis=1)),
        _factor(raw_gain.mean(axis=1, keepdims=True), gain, seed),
        _factor(raw_gain, gain, seed),
    )


def _factor(raw: np.ndarray, corrected: np.ndarray, seed: int) -> Factor | None:
    """How many times more matches ``raw`` needs: ``(deals, k)``, ``k`` independent numbers a deal."""
    means = corrected.mean(axis=1)
    deals = len(means)
    if means.var() == 0:
        return None
    random = np.random.default_rng(seed)

    def ratio(of: Any) -> float:
        return float(raw[of].var() / raw.shape[1] / max(means[of].var(), 1e-300))

    resampled = [ratio(random.integers(deals, size=deals)) for _ in range(RESAMPLES)]
    return Factor(ratio(slice(None)), *map(float, np.quantile(resampled, (0.025, 0.975))))
