"""What an act pays more than what the policy does on average, by playing on many times."""

from collections.abc import Sequence

import numpy as np

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy, act_for

AT_ONCE = 8192
"""Matches that are played on side by side."""


def gains(
    game: Game,
    policies: Sequence[Policy],
    seating: np.ndarray,
    states: np.ndarray,
    actions: np.ndarray,
    *,
    rollouts: int,
    seed: int,
) -> np.ndarray:
    """``(k,)``: what each act pays its seat up to the next cut, less what is paid where it decides anew.

    Both are means over ``rollouts`` plays of everything after, by the policies, with the same seeds.

    Args:
        game: the game.
        policies: who play.
        seating: ``(k, n)``: the number of the policy on each seat.
        states: ``(k,)`` records, before the acts.
        actions: ``(k,)``: what the deciding seats did.
        rollouts: of each.
        seed: of the chance events.
    """
    random = np.random.default_rng(seed)
    found = []
    some = max(1, AT_ONCE // (2 * rollouts))
    for first in range(0, len(states), some):
        part = slice(first, first + some)
        count = len(states[part])
        lanes = np.repeat(np.arange(first, first + count), 2 * rollouts)
        begin = states[lanes]
        chance = random.integers(2**64, size=(count, 1, rollouts), dtype=np.uint64)
        begin["random"] = begin["stream"] = np.tile(chance, (1, 2, 1)).ravel()
        forced = np.tile(np.repeat([True, False], rollouts), count)
        paid = _play_on(game, policies, seating[lanes], begin, actions[lanes], forced)
        means = paid.reshape(count, 2, rollouts).mean(axis=2)
        found.append(means[:, 0] - means[:, 1])
    return np.concatenate(found) if found else np.zeros(0)


def _play_on(
    game: Game,
    policies: Sequence[Policy],
    seating: np.ndarray,
    states: np.ndarray,
    first: np.ndarray,
    forced: np.ndarray,
) -> np.ndarray:
    """``(lanes,)``: what the deciding seats are paid up to the next cut."""
    every = np.arange(len(states))
    seats = states["to_move"].astype(int)
    batch = Batch(game, len(states))
    batch.place(states)
    playing = np.ones(len(states), np.bool_)
    paid = np.zeros(len(states))
    while playing.any():
        decider = np.where(playing, seating[every, batch.seat], -1)
        actions = batch.action_mask.argmax(axis=1)
        if forced.any():
            decider[forced] = -1
            actions[forced] = first[forced]
        act_for(enumerate(policies), decider, batch, actions)
        forced = np.zeros_like(forced)
        batch.step(actions)
        paid[playing] += batch.reward[every, seats][playing]
        playing &= ~(batch.cut | batch.done)
    return paid
