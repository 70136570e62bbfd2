"""Proximal policy optimisation (Schulman et al. 2017) by self-play: one network plays the seats."""

import copy
from collections import defaultdict
from typing import Any, cast

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.type_aliases import Schedule
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv
from torch.nn.functional import mse_loss

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.policy import Decisions, Policy, act_for, sample
from masked_monsters.evaluation.bluff.candid import forbidden_at
from masked_monsters.evaluation.bluff.lens import Forbid
from masked_monsters.training.network import Network
from masked_monsters.training.opponents import Opponents
from masked_monsters.training.policy import infer
from masked_monsters.training.rollout import Samples, SelfPlayBuffer, Step
from masked_monsters.training.vec_env import BatchVecEnv


class SelfPlayPPO(MaskablePPO):
    """sb3-contrib's MaskablePPO on the decisions of every seat of many games at once.

    A rollout is collected from a ``Batch``, and its returns follow each seat (see
    ``rollout.advantages``). ``n_steps`` counts steps of each lane and ``num_timesteps`` decisions,
    whosever they are. The update is PPO's, with an entropy bonus that follows a schedule, and if
    ``magnet_coef`` is positive, with a penalty on the divergence KL(policy ‖ magnet), the magnet being
    a slow moving average of the network (magnetic mirror descent: Sokota et al. 2023). The random
    numbers are its own: those of Python, NumPy and torch are neither used nor disturbed.

    Attributes:
        opponents: who plays some of the seats; their decisions are not learned from.
        forbid: what the learner is kept from, if anything.
        magnet: the network that the policy is held to, if any.
        seconds: spent on play and learning up to the last update.
    """

    policy: Network  # type: ignore[assignment]  # narrower than MaskablePPO's
    rollout_buffer: SelfPlayBuffer  # type: ignore[assignment]  # likewise

    def __init__(
        self,
        *args: Any,
        ent_coef: Schedule,
        relative: bool = False,
        magnet_coef: float = 0.0,
        magnet_rate: float = 0.0,
        **kwargs: Any,
    ) -> None:
        """Prepare an untrained agent.

        Args:
            args: MaskablePPO's.
            ent_coef: of the part of the training that is left, 1 … 0.
            relative: a seat is paid what it gets more than the mean of its table.
            magnet_coef: the weight of the divergence from the magnet, in nats.
            magnet_rate: how far the magnet follows the network with every update, 0 … 1.
            kwargs: MaskablePPO's.
        """
        self.entropy_schedule = ent_coef
        self.relative = relative
        self.magnet_coef = magnet_coef
        self.magnet_rate = magnet_rate
        self.opponents: Opponents | None = None
        self.forbid: Forbid | None = None
        self.seconds = 0.0
        super().__init__(*args, **kwargs)

    def _setup_model(self) -> None:
        self.rollout_buffer_class = cast(type[RolloutBuffer], SelfPlayBuffer)
        for_order, for_weights = np.random.SeedSequence(self.seed).generate_state(2)
        self.rollout_buffer_kwargs["seed"] = int(for_order)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(for_weights))
            super()._setup_model()
        self.magnet = copy.deepcopy(self.policy) if self.magnet_coef else None

    def set_random_seed(self, seed: int | None = None) -> None:
        """Start the random numbers of play anew."""
        self.generator = np.random.default_rng(seed)

    # ------------------------------------------------------------ play

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer | SelfPlayBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play ``n_rollout_steps`` steps of every lane; false if the callback says to stop."""
        assert isinstance(env, BatchVecEnv), f"SelfPlayPPO plays a BatchVecEnv, not {env}"
        assert isinstance(rollout_buffer, SelfPlayBuffer)
        rollout_buffer.reset()
        callback.on_rollout_start()
        if self.opponents:
            self.opponents.freeze(self.policy, self.num_timesteps)
        for _ in range(n_rollout_steps):
            rollout_buffer.add(self.play_step(env))
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        rollout_buffer.finish()
        self.logger.record("rollout/learned", len(rollout_buffer.values) / rollout_buffer.played)
        for name, rate in self.opponents.win_rates() if self.opponents else ():
            self.logger.record(f"opponents/win_rate_against_{name}", rate, exclude="csv")
        callback.on_rollout_end()
        return True

    def play_step(self, env: BatchVecEnv, teacher: Policy | None = None) -> Step:
        """Everybody who decides does something: the learner what its network says, or its teacher."""
        batch = env.batch
        actions = np.zeros(batch.num_games, np.int64)
        log_prob, value = np.zeros((2, batch.num_games), np.float32)
        own = np.ones(batch.num_games, np.bool_)
        if self.opponents and teacher is None:
            own = self.opponents.act(batch, actions)
        observation, critic_input = env.observe()
        action_mask = self._allowed(batch, own)
        if own.any():
            log_probs, value[own] = infer(
                self.policy, observation[own], action_mask[own], critic_input[own]
            )
            if teacher is None:
                actions[own] = sample(np.exp(log_probs), self.generator)
            else:
                act_for([(0, teacher)], np.zeros_like(actions), batch, actions)
            log_prob[own] = np.take_along_axis(log_probs, actions[own, None], axis=1)[:, 0]
        seat = batch.seat.copy()
        batch.step(actions)
        if self.opponents and teacher is None:
            self.opponents.follow(batch)
        reward, cut = self._pay(batch), batch.cut.copy()
        return Step(
            own, seat, observation, critic_input, action_mask, actions, log_prob, value, reward, cut
        )

    def _allowed(self, batch: Batch, own: np.ndarray) -> np.ndarray:
        """``(num_games, num_actions)`` int8: what is legal, less what the learner is kept from."""
        mask = batch.action_mask.copy()
        lanes = np.flatnonzero(own)
        if self.forbid and len(lanes):
            decisions = Decisions(batch.view[lanes], batch.observation[lanes], mask[lanes])
            mask[lanes] &= ~forbidden_at(self.forbid, decisions)
        return mask

    def _pay(self, batch: Batch) -> np.ndarray:
        """``(num_games, num_players)`` float32: what the last step is taken to have paid."""
        if not self.relative:
            return batch.reward.copy()
        mean = batch.reward.sum(1, keepdims=True) / batch.seats.sum(1, keepdims=True)
        return np.where(batch.seats, batch.reward - mean, 0).astype(np.float32)

    # ------------------------------------------------------------ learning

    def train(self) -> None:
        """Learn from the rollout in the buffer."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        left = self._current_progress_remaining
        assert callable(self.clip_range)
        assert self.batch_size
        clip_range, ent_coef = self.clip_range(left), self.entropy_schedule(left)
        log: dict[str, list[torch.Tensor]] = defaultdict(list)
        for _ in range(self.n_epochs):
            for samples in self.rollout_buffer.get(self.batch_size):
                loss = self._loss(samples, clip_range, ent_coef, log)
                self.policy.optimizer.zero_grad()
                loss.backward()
                norm = torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
                if not norm.isfinite():
                    raise FloatingPointError(
                        f"the weights diverge after {self.num_timesteps:,} decisions; "
                        "try a lower ppo.learning_rate"
                    )
                self.policy.optimizer.step()
        self._n_updates += self.n_epochs
        if self.magnet:
            self._move_magnet(self.magnet)
        for name, values in log.items():
            self.logger.record(f"train/{name}", torch.stack(values).mean().item())
        self.logger.record("train/clip_range", clip_range)
        self.logger.record("train/ent_coef", ent_coef)
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        values, returns = self.rollout_buffer.values, self.rollout_buffer.returns
        self.logger.record("train/explained_variance", explained_variance(values, returns))

    def _loss(
        self,
        samples: Samples,
        clip_range: float,
        ent_coef: float,
        log: dict[str, list[torch.Tensor]],
    ) -> torch.Tensor:
        """Of one minibatch."""
        log_probs, values = self.policy.forward_masked(
            samples.observations, samples.action_masks, samples.critic_inputs
        )
        probs = log_probs.exp()
        advantages = samples.advantages
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        log_prob = log_probs.gather(-1, samples.actions[:, None]).squeeze(-1)
        log_ratio = log_prob - samples.old_log_prob
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
        policy_loss = -torch.minimum(advantages * ratio, advantages * clipped).mean()
        value_loss = mse_loss(values, samples.returns)
        entropy = -(probs * log_probs).sum(-1).mean()
        loss = policy_loss - ent_coef * entropy + self.vf_coef * value_loss
        if self.magnet:
            with torch.no_grad():
                magnet, _ = self.magnet.forward_masked(samples.observations, samples.action_masks)
            divergence = (probs * (log_probs - magnet)).sum(-1).mean()
            loss = loss + self.magnet_coef * divergence
            log["magnet_divergence"].append(divergence.detach())
        log["policy_gradient_loss"].append(policy_loss.detach())
        log["value_loss"].append(value_loss.detach())
        log["entropy"].append(entropy.detach())
        log["approx_kl"].append((ratio - 1 - log_ratio).mean().detach())
        log["clip_fraction"].append(((ratio - 1).abs() > clip_range).float().mean())
        return loss

    def place_magnet(self) -> None:
        """Let the magnet, if there is one, begin where the policy is."""
        if self.magnet:
            self.magnet.load_state_dict(self.policy.state_dict())

    @torch.no_grad()
    def _move_magnet(self, magnet: Network) -> None:
        for slow, weight in zip(magnet.parameters(), self.policy.parameters(), strict=True):
            slow.lerp_(weight, self.magnet_rate)
