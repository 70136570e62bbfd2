"""Many matches side by side, each seat played by one of several policies."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy


class Played(NamedTuple):
    """What came of some matches."""

    score: np.ndarray
    """``(matches, players)`` float64: the rewards of the match, added up."""
    rounds: np.ndarray
    """``(matches,)`` int64."""
    decisions: int

    @property
    def win_share(self) -> np.ndarray:
        """``(matches, players)``: the highest score wins; ``k`` tied winners get ``1 / k``."""
        best = self.score == self.score.max(axis=1, keepdims=True)
        return best / best.sum(axis=1, keepdims=True)


def play(
    game: Game,
    policies: Sequence[Policy],
    seating: np.ndarray,
    seeds: np.ndarray,
    options: Mapping[str, Any],
) -> Played:
    """Play one match on each lane, to its end.

    At each step every policy is asked once, for all the lanes on which it decides.

    Args:
        game: the game.
        policies: those that play, each already reset.
        seating: ``(lanes, players)``: the number of the policy on each seat.
        seeds: ``(lanes,)`` uint64: lanes with the same seed play the same deals.
        options: the game's.
    """
    batch = Batch(game, len(seeds), seeds, **options)
    lanes = np.arange(batch.num_games)
    playing = np.ones(batch.num_games, np.bool_)
    score = np.zeros(batch.reward.shape)
    rounds = np.zeros(batch.num_games, np.int64)
    decisions = 0
    while playing.any():
        decider = np.where(playing, seating[lanes, batch.seat], -1)
        actions = batch.action_mask.argmax(axis=1)  # lanes that have finished do anything legal
        for number, policy in enumerate(policies):
            rows = np.flatnonzero(decider == number)
            if len(rows):
                actions[rows] = policy.act(
                    Decisions(batch.view[rows], batch.observation[rows], batch.action_mask[rows])
                )
        batch.step(actions)
        decisions += int(playing.sum())
        score[playing] += batch.reward[playing]
        ended = playing & batch.done
        rounds[ended] = batch.final_states["round"][ended]
        playing &= ~ended
    return Played(score, rounds, decisions)
