"""Many matches side by side, each seat played by one of several policies."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy, act_for


class PlayedRoles(NamedTuple):
    """What came of matches in which roles were dealt, see ``envs.game.Roles``."""

    role: np.ndarray
    """``(matches, players)`` int64."""
    outcome: np.ndarray
    """``(matches,)`` int64."""
    length: np.ndarray
    """``(matches,)`` int64."""


class Played(NamedTuple):
    """What came of some matches."""

    score: np.ndarray
    """``(matches, players)`` float64: the rewards of the match, added up."""
    rounds: np.ndarray
    """``(matches,)`` int64."""
    decisions: int
    roles: PlayedRoles | None
    """None if the game deals none."""
    correction: np.ndarray | None = None
    """``(matches, players)``: what control variates add to the score, if there are any."""

    @property
    def won(self) -> np.ndarray:
        """``(matches, players)`` bool: nobody has a higher score."""
        return self.score == self.score.max(axis=1, keepdims=True)

    @property
    def win_share(self) -> np.ndarray:
        """``(matches, players)``: the highest score wins; ``k`` tied winners get ``1 / k``."""
        return self.won / self.won.sum(axis=1, keepdims=True)


class Watcher(Protocol):
    """Sees matches as they are played."""

    def decide(
        self, policies: Sequence[Policy], decider: np.ndarray, batch: Batch, actions: np.ndarray
    ) -> None:
        """In place of ``act_for``: see the states, and have the policies decide."""
        ...

    def stepped(self, batch: Batch, playing: np.ndarray) -> None:
        """See what the actions have brought, on the lanes that were playing."""
        ...


def dealt_roles(game: Game, seeds: np.ndarray) -> np.ndarray:
    """``(len(seeds), players)`` int64: the roles that ``play`` will deal."""
    assert game.roles is not None, f"{game.name} deals no roles"
    return game.roles.of(Batch(game, len(seeds), seeds).states)


def play(
    game: Game,
    policies: Sequence[Policy],
    seating: np.ndarray,
    seeds: np.ndarray,
    watcher: Watcher | None = None,
) -> Played:
    """Play one match on each lane, to its end.

    At each step every policy is asked once, for all the lanes on which it decides.

    Args:
        game: the game.
        policies: those that play, each already reset.
        seating: ``(lanes, players)``: the number of the policy on each seat.
        seeds: ``(lanes,)`` uint64: lanes with the same seed play the same deals.
        watcher: has the policies decide, and sees what comes of it.
    """
    batch = Batch(game, len(seeds), seeds)
    lanes = np.arange(batch.num_games)
    playing = np.ones(batch.num_games, np.bool_)
    score = np.zeros(batch.reward.shape)
    final_states = np.zeros_like(batch.states)
    decisions = 0
    while playing.any():
        decider = np.where(playing, seating[lanes, batch.seat], -1)
        actions = batch.action_mask.argmax(axis=1)  # lanes that have finished do anything legal
        if watcher:
            watcher.decide(policies, decider, batch, actions)
        else:
            act_for(enumerate(policies), decider, batch, actions)
        batch.step(actions)
        if watcher:
            watcher.stepped(batch, playing)
        decisions += int(playing.sum())
        score[playing] += batch.reward[playing]
        ended = playing & batch.done
        final_states[ended] = batch.final_states[ended]
        playing &= ~ended
    return Played(
        score, final_states["round"].astype(np.int64), decisions, _roles(game, final_states)
    )


def _roles(game: Game, final_states: np.ndarray) -> PlayedRoles | None:
    if game.roles is None:
        return None
    return PlayedRoles(
        game.roles.of(final_states),
        game.roles.outcome(final_states).astype(np.int64),
        game.roles.length(final_states).astype(np.int64),
    )
