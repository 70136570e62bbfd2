"""Do monsters know the kid? Accusals and votes of Under My Bed as judgements of who it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy, decisions_of, sample
from masked_monsters.envs.under_my_bed.reading import after_questions
from masked_monsters.envs.under_my_bed.state import AGREE, FIRST_PLAYER_ACTION, KID, VOTE, WINDOW
from masked_monsters.evaluation.bluff.clustered import (
    Bin,
    Interval,
    brier,
    calibration,
    clustered_auroc,
    clustered_share,
)
from masked_monsters.evaluation.bluff.watching import watch
from masked_monsters.evaluation.estimate import Estimate
from masked_monsters.evaluation.match import Progress

GAME = "under_my_bed"


class Judgements(NamedTuple):
    """How likely a seat was to declare that another one is the kid, ``k`` times."""

    game: np.ndarray
    """``(k,)`` int64: the number of the game; judgements of different games are independent."""
    seat: np.ndarray
    """``(k,)`` int64: who judges."""
    role: np.ndarray
    """``(k,)`` int64: as what, a number of ``game.roles``; the kid, 0, knows better."""
    accused: np.ndarray
    """``(k,)`` int64: whom, a seat."""
    score: np.ndarray
    """``(k,)`` float64: the probability of agreeing, or of accusing."""
    truth: np.ndarray
    """``(k,)`` bool: that seat is the kid."""

    def of_role(self, role: int) -> "Judgements":
        """Those that seats of one role made."""
        return Judgements(*(values[self.role == role] for values in self))


class Judged(NamedTuple):
    """All that an agent judged."""

    votes: Judgements
    """One for each of its votes: the probability of agreeing that the accused is the kid."""
    accusals: Judgements
    """One for each other seat whenever it could accuse: the probability of accusing that seat."""


@dataclass(frozen=True)
class Detected:
    """How good judgements are."""

    count: int
    games: int
    base_rate: Interval
    """The part of them that concern the kid."""
    auroc: Interval | None
    """Is the kid given more than others? 0.5 if not; None if all, or none, concern the kid."""
    brier: Estimate
    calibration: tuple[Bin, ...]
    """Of the probabilities, were they meant as such."""


def detected(judgements: Judgements, *, seed: int = 0, bins: int = 10) -> Detected | None:
    """The quality of judgements, with 95 % intervals clustered by game.

    Args:
        judgements: such as those ``of_role`` 1, the monsters'.
        seed: of the bootstrap.
        bins: of the calibration.

    Returns:
        None if they come from fewer than two games.
    """
    game, score, truth = judgements.game, judgements.score, judgements.truth
    games = len(np.unique(game))
    if games < 2:
        return None
    return Detected(
        count=len(game),
        games=games,
        base_rate=clustered_share(truth, game),
        auroc=clustered_auroc(score, truth, game, seed=seed),
        brier=brier(score, truth, game),
        calibration=calibration(score, truth, game, bins),
    )


def detect(
    game: Game,
    agent: Policy,
    others: Policy,
    *,
    games: int,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> Judged:
    """What ``agent`` judges among copies of ``others``; arguments and errors as of ``watch``.

    Raises:
        ValueError: also if the game is not Under My Bed.
    """
    _check_game(game)
    parts: list[Judged] = watch(
        game,
        agent,
        others,
        Detection,
        games=games,
        seed=seed,
        workers=workers,
        progress=progress,
    )
    return Judged(*(_joined(some) for some in zip(*parts, strict=True)))


def _joined(parts: Sequence[Judgements]) -> Judgements:
    return Judgements(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _check_game(game: Game) -> None:
    if game.name != GAME:
        raise ValueError(f"game={game.name!r}: must be {GAME!r}, where players accuse and vote")


class Detection:
    """Watches matches, and keeps what policy 0 judges; ``lanes.Watcher``.

    Every policy's actions are drawn from its ``probabilities``, with random numbers of the watcher's.
    """

    def __init__(self, game: Game, games: np.ndarray, random: np.random.Generator) -> None:
        """Of matches that are about to begin.

        Args:
            game: Under My Bed.
            games: ``(lanes,)`` int64, the number of each lane's game (or deal, where lanes share one).
            random: from which the actions are drawn.
        """
        _check_game(game)
        assert game.roles is not None
        self._roles = game.roles
        self._games = games
        self._random = random
        self._players = game.num_players
        self._agree = after_questions(game.record[0]) + AGREE
        none = np.zeros(0, np.int64)
        nothing = Judgements(none, none, none, none, np.zeros(0), np.zeros(0, np.bool_))
        self._votes, self._accusals = [nothing], [nothing]

    @property
    def records(self) -> Judged:
        """All judgements so far."""
        return Judged(_joined(self._votes), _joined(self._accusals))

    def decide(
        self, policies: Sequence[Policy], decider: np.ndarray, batch: Batch, actions: np.ndarray
    ) -> None:
        """Ask each policy once, for all the lanes on which it decides; draw what it does."""
        for number, policy in enumerate(policies):
            lanes = np.flatnonzero(decider == number)
            if len(lanes):
                probabilities = policy.probabilities(decisions_of(policy, batch, lanes))
                if number == 0:
                    self.see(batch.states[lanes], self._games[lanes], probabilities)
                actions[lanes] = sample(probabilities, self._random)

    def stepped(self, batch: Batch, playing: np.ndarray) -> None:
        """Nothing that an action brings is of interest."""

    def see(self, states: np.ndarray, games: np.ndarray, probabilities: np.ndarray) -> None:
        """Keep what is judged in ``(k,)`` states, each of a game and with ``(k, actions)`` chances."""
        accused = states["accused"][np.arange(len(states)), states["num_asked"] - 1]
        votes = np.flatnonzero(states["phase"] == VOTE)
        self._keep(
            self._votes, states, games, votes, accused[votes], probabilities[votes, self._agree]
        )
        windows = np.flatnonzero((states["phase"] == WINDOW) & (accused < 0))  # B13: accusals open
        for k in range(1, self._players):
            seats = (states["to_move"][windows] + k) % self._players
            chances = probabilities[windows, FIRST_PLAYER_ACTION + k - 1]
            self._keep(self._accusals, states, games, windows, seats, chances)

    def _keep(
        self,
        judgements: list[Judgements],
        states: np.ndarray,
        games: np.ndarray,
        rows: np.ndarray,
        accused: np.ndarray,
        score: np.ndarray,
    ) -> None:
        """Judgements in some of the states."""
        if len(rows) == 0:
            return
        some, accused = states[rows], accused.astype(np.int64)
        seat = some["to_move"].astype(np.int64)
        here = np.arange(len(rows))
        judgements.append(
            Judgements(
                games[rows],
                seat,
                self._roles.of(some)[here, seat],
                accused,
                score.astype(np.float64),
                some["role"][here, accused] == KID,
            )
        )
