"""Proximal policy optimisation (Schulman et al. 2017) by self-play: one network plays the seats."""

from typing import cast

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from masked_monsters.envs.batch import Batch
from masked_monsters.training.network import Network
from masked_monsters.training.opponents import Opponents
from masked_monsters.training.policy import infer, sample
from masked_monsters.training.rollout import SelfPlayBuffer
from masked_monsters.training.vec_env import BatchVecEnv


class SelfPlayPPO(MaskablePPO):
    """sb3-contrib's MaskablePPO on the decisions of every seat of many games at once.

    What differs is how a rollout is collected, and that its returns follow each seat (see
    ``rollout.advantages``); the update is MaskablePPO's own. ``n_steps`` counts steps of each lane
    and ``num_timesteps`` decisions, whosever they are. The random numbers are its own: those of
    Python, NumPy and torch are neither used nor disturbed.
    """

    opponents: Opponents | None = None
    """Who plays some of the seats; their decisions are not learned from."""
    policy: Network  # type: ignore[assignment]  # narrower than MaskablePPO's
    rollout_buffer: SelfPlayBuffer  # type: ignore[assignment]  # likewise

    def _setup_model(self) -> None:
        self.rollout_buffer_class = cast(type[RolloutBuffer], SelfPlayBuffer)
        for_order, for_weights = np.random.SeedSequence(self.seed).generate_state(2)
        self.rollout_buffer_kwargs["seed"] = int(for_order)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(for_weights))
            super()._setup_model()

    def set_random_seed(self, seed: int | None = None) -> None:
        """Start the random numbers of play anew."""
        self.generator = np.random.default_rng(seed)

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
        batch = env.batch
        everybody = np.ones(batch.num_games, np.bool_)
        rollout_buffer.reset()
        callback.on_rollout_start()
        for _ in range(n_rollout_steps):
            actions = np.zeros(batch.num_games, np.int64)
            own = self.opponents.act(batch, actions) if self.opponents else everybody
            log_prob, value = self._act(batch, np.flatnonzero(own), actions)
            rollout_buffer.add_step_of(batch, own, actions, log_prob, value)
            if self.opponents:
                self.opponents.reseat(batch, np.flatnonzero(batch.done))
            self.num_timesteps += batch.num_games
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        rollout_buffer.finish()
        self.logger.record("rollout/learned", len(rollout_buffer.values) / rollout_buffer.played)
        callback.on_rollout_end()
        return True

    def _act(
        self, batch: Batch, lanes: np.ndarray, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Write the network's actions on these lanes.

        Returns:
            Two ``(num_games,)`` float32, 0 on other lanes: the actions' log-probabilities, and the
            critic's values.
        """
        log_prob, value = np.zeros((2, batch.num_games), np.float32)
        if len(lanes):
            log_probs, value[lanes] = infer(
                self.policy, batch.observation[lanes], batch.action_mask[lanes]
            )
            actions[lanes] = sample(np.exp(log_probs), self.generator)
            log_prob[lanes] = log_probs[np.arange(len(lanes)), actions[lanes]]
        return log_prob, value

    def _excluded_save_params(self) -> list[str]:
        """Neither what can be made anew, nor what depends on the number of games."""
        again = ["_last_obs", "_last_episode_starts", "generator", "opponents"]
        return [*super()._excluded_save_params(), *again]
