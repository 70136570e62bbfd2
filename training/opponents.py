"""Who has the seats that the learner has not: scripted players, agent files, its own past selves."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.policy import Policy, act_for
from masked_monsters.training.config import OpponentsConfig
from masked_monsters.training.network import Network
from masked_monsters.training.policy import NetworkPolicy

STEP_SIZE = 0.01
"""How far one match moves the win rates."""
LEAST = 0.01
"""The weight of an opponent that never wins, so that none is forgotten."""


@dataclass
class Opponent:
    """A fixed player, and how the learner does against it."""

    policy: Policy
    frozen_at: int | None
    """The decisions after which the learner was this; None: it never was."""
    win_rate: float = 0.5
    """The learner's: the part of the matches in which it does better; a moving average."""
    retired: bool = False
    """It plays its matches to their end, and no new ones."""


class Opponents:
    """Fills each side of each new match, by a coin of its own, with the learner or an opponent.

    A side are the seats that have been dealt the same role, or ``by_seat`` and where the game deals
    none, a single seat. It keeps its player for the whole match. A match of opponents alone would
    teach nothing: there the learner gets a side after all, drawn by lot.

    Opponents are of two kinds, fixed players and the learner's past selves, which are frozen now and
    then. When there are too many, every second is given up, and the next ones come half as often, so
    that those kept lie evenly over the run.

    Attributes:
        opponents: by number; None where one has been given up.
        seating: ``(num_games, num_players)`` int64: the number of the opponent on each seat, or
            ``LEARNER``.
    """

    LEARNER = -1

    def __init__(
        self, config: OpponentsConfig, players: Sequence[Policy], batch: Batch, seed: int
    ) -> None:
        """Seat everybody.

        Args:
            config: the mixture.
            players: the fixed players; they are reset.
            batch: the games, their matches just begun.
            seed: of the seating and of the opponents' play.
        """
        self.config = config
        self.opponents: list[Opponent | None] = [Opponent(player, None) for player in players]
        self._share = _share_by_role(config.share, batch)
        self._freeze_at = 0
        self._freeze_every = config.freeze_every
        # Another stream than the learner's, which is made from the same seed.
        self._generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
        for player in players:
            player.reset(self._draw_seed())
        self._score = np.zeros(batch.reward.shape)
        self.seating = np.full(batch.reward.shape, self.LEARNER)
        self.reseat(batch, np.arange(batch.num_games))

    @property
    def past(self) -> list[Opponent]:
        """The past selves that play on, in the order in which they were frozen."""
        past = [
            opponent
            for _, opponent in self._present()
            if opponent.frozen_at is not None and not opponent.retired
        ]
        return sorted(past, key=lambda opponent: opponent.frozen_at or 0)

    def freeze(self, network: Network, decisions: int) -> None:
        """Keep the learner as it is now, if it is time to, for the matches that begin from now on."""
        if self.config.past == 0 or decisions < self._freeze_at:
            return
        frozen = copy.deepcopy(network)
        frozen.critic = None  # nor is there anything to learn: only what plays is kept
        del frozen.optimizer
        policy = NetworkPolicy(frozen, f"self@{decisions}", seed=self._draw_seed())
        number = next((k for k, there in enumerate(self.opponents) if there is None), None)
        if number is None:
            self.opponents.append(Opponent(policy, decisions))
        else:
            self.opponents[number] = Opponent(policy, decisions)
        if len(self.past) > self.config.keep:
            for opponent in self.past[-2::-2]:
                opponent.retired = True
            self._freeze_every *= 2
        self._freeze_at = decisions + self._freeze_every

    def act(self, batch: Batch, actions: np.ndarray) -> np.ndarray:
        """Write the opponents' actions where they decide.

        Returns:
            ``(num_games,)`` bool: the learner decides.
        """
        decider = self.seating[np.arange(batch.num_games), batch.seat]
        policies = [(number, there.policy) for number, there in self._present()]
        act_for(policies, decider, batch, actions)
        return decider == self.LEARNER

    def follow(self, batch: Batch) -> None:
        """After each step of the games: record the matches that ended, and seat the next ones."""
        self._score += batch.reward
        ended = np.flatnonzero(batch.done)
        if len(ended) == 0:
            return
        for number, opponent in self._present():
            self._record(opponent, ended, self.seating[ended] == number, batch.seats[ended])
        self._score[ended] = 0
        self.reseat(batch, ended)
        for number, opponent in self._present():
            if opponent.retired and not (self.seating == number).any():
                self.opponents[number] = None

    def _record(
        self, opponent: Opponent, lanes: np.ndarray, its: np.ndarray, taken: np.ndarray
    ) -> None:
        """How the learner's seats did beside those of one opponent, where both had some."""
        own = taken & (self.seating[lanes] == self.LEARNER)
        both = own.any(axis=1) & its.any(axis=1)
        if not both.any():
            return
        score = self._score[lanes[both]]
        mean_own, mean_its = (
            (score * seats[both]).sum(axis=1) / seats[both].sum(axis=1) for seats in (own, its)
        )
        better = (mean_own > mean_its).mean() + 0.5 * (mean_own == mean_its).mean()
        kept = (1 - STEP_SIZE) ** int(both.sum())
        opponent.win_rate = float(kept * opponent.win_rate + (1 - kept) * better)

    def reseat(self, batch: Batch, lanes: np.ndarray) -> None:
        """Seat everybody anew on lanes, ``(k,)`` integers, whose matches have just begun."""
        probabilities = self._probabilities()
        if probabilities.sum() == 0:
            self.seating[lanes] = self.LEARNER
            return
        taken_seats = batch.seats[lanes]
        shape = taken_seats.shape
        seat = np.tile(np.arange(shape[1]), (len(lanes), 1))
        role = np.zeros_like(seat)
        if batch.game.roles:
            roles = batch.game.roles.of(batch.states[lanes])
            role[:, : roles.shape[1]] = roles
        side = seat if self.config.by_seat or batch.game.roles is None else role

        def one_a_side(values: np.ndarray) -> np.ndarray:
            return np.take_along_axis(values, side, axis=1)

        numbers = self._generator.choice(len(probabilities), size=shape, p=probabilities)
        opponent = one_a_side(numbers)
        theirs = one_a_side(self._generator.random(shape)) < self._share[role]
        lot = np.where(taken_seats, one_a_side(self._generator.random(shape)), -1)
        alone = (theirs | ~taken_seats).all(axis=1, keepdims=True)
        theirs &= ~(alone & (lot == lot.max(axis=1, keepdims=True)))
        self.seating[lanes] = np.where(theirs & taken_seats, opponent, self.LEARNER)

    def _probabilities(self) -> np.ndarray:
        """The probability of each opponent, by number; all 0 if there is none to be had."""
        fixed, past = np.zeros((2, len(self.opponents)))
        for number, opponent in self._present():
            if opponent.retired:
                continue
            hard = (1 - opponent.win_rate) ** 2 + LEAST if self.config.choice == "pfsp" else 1.0
            if opponent.frozen_at is None:
                fixed[number] = hard
            else:
                past[number] = hard
        if self.config.choice == "latest":
            for age, opponent in enumerate(reversed(self.past)):
                past[self.opponents.index(opponent)] = 0.5**age
        shares = ((past, self.config.past), (fixed, 1 - self.config.past))
        present = [(weights / weights.sum(), share) for weights, share in shares if weights.any()]
        whole = sum(share for _, share in present)
        if whole == 0:
            return np.zeros(len(self.opponents))
        return sum((weights * share / whole for weights, share in present), np.zeros(1))

    def win_rates(self) -> list[tuple[str, float]]:
        """By opponent's name, the part of the matches in which the learner did better, lately."""
        return [(there.policy.name, there.win_rate) for _, there in self._present()]

    def _present(self) -> list[tuple[int, Opponent]]:
        """Those not given up, by number."""
        return [(number, there) for number, there in enumerate(self.opponents) if there]

    def _draw_seed(self) -> int:
        return int(self._generator.integers(2**63))


def _share_by_role(share: float | Mapping[str, float], batch: Batch) -> np.ndarray:
    """Float, by the number of the role; of the one number if the game deals no roles."""
    roles = batch.game.roles.names if batch.game.roles else ("",)
    return np.array([share[role] if isinstance(share, Mapping) else share for role in roles])
