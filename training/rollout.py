"""What a rollout of self-play leaves to learn from: each seat's own decisions and their returns."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from stable_baselines3.common.buffers import BaseBuffer
from stable_baselines3.common.vec_env import VecNormalize


def advantages(
    seat: np.ndarray,
    value: np.ndarray,
    reward: np.ndarray,
    cut: np.ndarray,
    gamma: float,
    gae_lambda: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantage estimation (Schulman et al. 2016) along each seat's own decisions.

    A decision earns what its seat is paid from then until the seat's next decision in the same
    lane, whoever moves in between. A cut ends the chains of all seats: the value after it is zero.
    A chain that neither ends in a cut nor goes on lends its last value to the decision before;
    that last decision itself has no known return.

    Args:
        seat: ``(T, B)`` integers, who decided at each step of each lane.
        value: ``(T, B)`` float, what the critic expected for that seat then.
        reward: ``(T, B, n)`` float, what the step paid every seat.
        cut: ``(T, B)`` bool, no reward after the step depends on what was before.
        gamma: the discount from one decision of a seat to its next.
        gae_lambda: 0 trusts the critic, 1 the rewards.

    Returns:
        ``(T, B)`` float32 advantages, and ``(T, B)`` bool: the return is known.
    """
    steps, lanes, seats = reward.shape
    lane = np.arange(lanes)
    advantage = np.zeros((steps, lanes), np.float32)
    known = np.zeros((steps, lanes), np.bool_)
    # What the future holds for each seat of each lane, going back in time.
    earned = np.zeros((lanes, seats), np.float32)
    next_value = np.zeros((lanes, seats), np.float32)
    next_advantage = np.zeros((lanes, seats), np.float32)
    foreseen = np.zeros((lanes, seats), np.bool_)
    for step in reversed(range(steps)):
        ended = cut[step]
        earned[ended] = next_value[ended] = next_advantage[ended] = 0
        foreseen[ended] = True
        earned += reward[step]
        who = lane, seat[step]
        known[step] = foreseen[who]
        error = earned[who] + gamma * next_value[who] - value[step]
        advantage[step] = known[step] * (error + gamma * gae_lambda * next_advantage[who])
        earned[who] = 0
        next_value[who] = value[step]
        next_advantage[who] = advantage[step]
        foreseen[who] = True
    return advantage, known


class Samples(NamedTuple):
    """Some decisions to learn from, a row each."""

    observations: torch.Tensor
    critic_inputs: torch.Tensor
    """What a critic apart sees."""
    actions: torch.Tensor
    action_masks: torch.Tensor
    """Bool."""
    old_log_prob: torch.Tensor
    """Of the actions, when they were done."""
    advantages: torch.Tensor
    returns: torch.Tensor


class Step(NamedTuple):
    """One step of all lanes; each array begins with an axis of lanes."""

    own: np.ndarray
    """Bool: the learner decided."""
    seat: np.ndarray
    observation: np.ndarray
    critic_input: np.ndarray
    action_mask: np.ndarray
    action: np.ndarray
    log_prob: np.ndarray
    value: np.ndarray
    """What the critic expected."""
    reward: np.ndarray
    """Of every seat."""
    cut: np.ndarray


class SelfPlayBuffer(BaseBuffer):
    """The decisions of one rollout; ``get`` yields those to learn from, in random minibatches.

    Not learned from: decisions of others than the learner, those with one legal action, and those
    whose return is not known.

    Attributes:
        values: ``(k,)`` float32, what the critic expected for the decisions to learn from.
        returns: ``(k,)`` float32, what it should have expected.
        played: how many decisions the rollout has.
    """

    def __init__(
        self, *args: Any, gamma: float, gae_lambda: float, seed: int, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.gamma = gamma
        self.gae_lambda = gae_lambda
        self.generator = np.random.default_rng(seed)
        self.reset()

    def reset(self) -> None:
        """Forget the rollout."""
        super().reset()
        self._steps: list[Step] = []

    def add(self, step: Step) -> None:  # type: ignore[override]  # one argument for all
        """One step of all lanes; the arrays are kept, not copied."""
        self._steps.append(step)
        self.pos = len(self._steps)
        self.full = self.pos == self.buffer_size

    def finish(self) -> None:
        """Work out the advantages, and keep the decisions to learn from."""
        whole = Step(*map(np.stack, zip(*self._steps, strict=True)))
        self._steps = []
        advantage, known = advantages(
            whole.seat, whole.value, whole.reward, whole.cut, self.gamma, self.gae_lambda
        )
        learned = whole.own & known & (whole.action_mask.sum(-1) > 1)
        self.played = learned.size
        self.values = whole.value[learned]
        self.returns = self.values + advantage[learned]
        if len(self.values) < 2:
            raise ValueError(
                f"a rollout of {self.played} decisions leaves {len(self.values)} to learn from: "
                "more steps or more games are needed"
            )
        self._samples = Samples(
            observations=self.to_torch(whole.observation[learned]),
            critic_inputs=self.to_torch(whole.critic_input[learned]),
            actions=self.to_torch(whole.action[learned]),
            action_masks=self.to_torch(whole.action_mask[learned].astype(np.bool_)),
            old_log_prob=self.to_torch(whole.log_prob[learned]),
            advantages=self.to_torch(advantage[learned]),
            returns=self.to_torch(self.returns),
        )

    def get(self, batch_size: int) -> Iterator[Samples]:
        """All decisions to learn from once, in minibatches of one size, at most ``batch_size``."""
        order = self.generator.permutation(len(self.values))
        for rows in np.array_split(order, math.ceil(len(order) / batch_size)):
            yield self._get_samples(rows)

    def _get_samples(  # type: ignore[override]  # more than the base class has
        self, batch_inds: np.ndarray, env: VecNormalize | None = None
    ) -> Samples:
        rows = self.to_torch(batch_inds)
        return Samples(*(part[rows] for part in self._samples))
