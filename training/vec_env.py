"""A ``Batch`` as Stable-Baselines3 wants to see it."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from masked_monsters.envs.adapters.aec import compact_space, history_space
from masked_monsters.envs.adapters.sb3 import LanesVecEnv
from masked_monsters.envs.batch import Batch
from masked_monsters.envs.game import Game


def action_space(game: Game) -> spaces.Discrete:
    """Of all actions; the mask says which are legal."""
    return spaces.Discrete(game.num_actions)


def policy_space(game: Game, observation: str) -> spaces.Box:
    """Of what a policy reads: ``compact`` or ``history``."""
    return history_space(game) if observation == "history" else compact_space(game)


class BatchVecEnv(LanesVecEnv):
    """Every lane of a ``Batch`` is one environment, seen by whoever decides there.

    The reward is the deciding seat's own, of its step alone, and the next observation is often
    another seat's. A learner needs more than that: ``SelfPlayPPO`` reads ``batch`` itself.

    Attributes:
        batch: the games; a new one from the same seed after each ``reset``.
    """

    batch: Batch

    def __init__(
        self,
        game: Game,
        num_games: int,
        seed: int,
        *,
        table_sizes: Sequence[int] = (),
        observation: Literal["compact", "history"] = "compact",
        critic: Literal["shared", "own", "central"] = "shared",
    ) -> None:
        """Begin the games.

        Args:
            game: what is played.
            num_games: side by side.
            seed: of the games.
            table_sizes: as of ``Batch``.
            observation: what the policy reads, ``"compact"`` or ``"history"``.
            critic: ``"shared"``, ``"own"`` or ``"central"``, as of the network; what it is shown.
        """
        self.game = game
        self.batch_seed = seed
        self.table_sizes = tuple(table_sizes)
        self.observation = observation
        self.critic = critic
        tables = [game.with_options(num_players=size) for size in table_sizes] or [game]
        wordiest = max(tables, key=lambda table: table.max_tokens)
        super().__init__(num_games, policy_space(wordiest, observation), action_space(game))
        self.reset()

    def reset(self) -> np.ndarray:
        """Begin all games anew; ``(num_games, …)`` int8 observations."""
        self.batch = Batch(self.game, self.num_envs, self.batch_seed, table_sizes=self.table_sizes)
        return self._observed()

    def _observed(self) -> np.ndarray:
        """What the policy reads; a new array."""
        if self.observation == "history":
            return self.batch.history(np.arange(self.num_envs))
        return self.batch.observation.copy()

    def observe(self) -> tuple[np.ndarray, np.ndarray]:
        """What the deciding seats see, and what a critic apart sees (without one, nothing).

        Returns:
            Two ``(num_games, …)`` int8, new arrays.
        """
        if self.critic == "central":
            return self._observed(), self.batch.whole_table()
        compact = self.batch.observation.copy()
        return self._observed(), compact if self.critic == "own" else compact[:, :0]

    def action_masks(self) -> np.ndarray:
        """``(num_games, game.num_actions)`` bool, true for each legal action."""
        return self.batch.action_mask.astype(np.bool_)

    def step_wait(self) -> VecEnvStepReturn:
        """Every lane's deciding seat acts."""
        seat = self.batch.seat.copy()
        self.batch.step(self._actions)
        reward = self.batch.reward[np.arange(self.num_envs), seat]
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self._observed(), reward, self.batch.done.copy(), infos

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """The seed of the games from the next ``reset`` on."""
        if seed is not None:
            self.batch_seed = seed
        return [self.batch_seed] * self.num_envs
