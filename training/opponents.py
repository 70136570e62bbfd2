"""Scripted players on some seats of the games that an agent learns from."""

from collections.abc import Mapping, Sequence

import numpy as np

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.policy import Policy, act_for


class Opponents:
    """Fills each side of each new match, by a coin of its own, with the learner or an opponent.

    A side are the seats that have been dealt the same role, or ``by_seat`` and where the game deals
    none, a single seat. It keeps its player for the whole match. A match of opponents alone would
    teach nothing: there the learner gets a side after all, drawn by lot.

    Attributes:
        seating: ``(num_games, num_players)`` int64: the number of the policy on each seat, or
            ``LEARNER``.
    """

    LEARNER = -1

    def __init__(
        self,
        policies: Sequence[Policy],
        share: float | Mapping[str, float],
        batch: Batch,
        seed: int,
        *,
        by_seat: bool = False,
    ) -> None:
        """Seat everybody.

        Args:
            policies: the opponents, all equally likely; they are reset.
            share: the probability that a side is an opponent's, 0 … 1; or by the name of its role.
            batch: the games, their matches just begun.
            seed: of the seating and of the opponents' play.
            by_seat: seats of the same role may have different players.

        Raises:
            ValueError: if ``share`` does not name the game's roles.
        """
        self.policies = policies
        self.by_seat = by_seat
        self._share = _share_by_role(share, batch)
        # Another stream than the learner's, which is made from the same seed.
        self._generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
        for policy in policies:
            policy.reset(int(self._generator.integers(2**63)))
        self.seating = np.full((batch.num_games, batch.num_players), self.LEARNER)
        self.reseat(batch, np.arange(batch.num_games))

    def reseat(self, batch: Batch, lanes: np.ndarray) -> None:
        """Seat everybody anew on lanes, ``(k,)`` integers, whose matches have just begun."""
        if len(lanes) == 0:
            return
        shape = len(lanes), batch.num_players
        seat = np.tile(np.arange(batch.num_players), (len(lanes), 1))
        role = batch.game.roles.of(batch.states[lanes]) if batch.game.roles else np.zeros_like(seat)
        side = seat if self.by_seat or batch.game.roles is None else role

        def one_a_side(values: np.ndarray) -> np.ndarray:
            return np.take_along_axis(values, side, axis=1)

        opponent = one_a_side(self._generator.integers(len(self.policies), size=shape))
        taken = one_a_side(self._generator.random(shape)) < self._share[role]
        lot = one_a_side(self._generator.random(shape))
        alone = taken.all(axis=1, keepdims=True)
        taken &= ~(alone & (lot == lot.max(axis=1, keepdims=True)))
        self.seating[lanes] = np.where(taken, opponent, self.LEARNER)

    def act(self, batch: Batch, actions: np.ndarray) -> np.ndarray:
        """Write the opponents' actions over the learner's where they decide.

        Returns:
            ``(num_games,)`` bool: the learner decides.
        """
        decider = self.seating[np.arange(batch.num_games), batch.seat]
        act_for(self.policies, decider, batch, actions)
        return decider == self.LEARNER


def _share_by_role(share: float | Mapping[str, float], batch: Batch) -> np.ndarray:
    """Float, by the number of the role; of the one number if the game deals no roles."""
    roles = batch.game.roles.names if batch.game.roles else ()
    if not isinstance(share, Mapping):
        return np.full(max(1, len(roles)), share)
    if share.keys() != set(roles):
        raise ValueError(
            f"opponents.share={dict(share)}: must be one number, or one for each role of "
            f"{batch.game.name} ({', '.join(roles) or 'it deals none'})"
        )
    return np.array([share[role] for role in roles])
