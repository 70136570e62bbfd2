"""Training as PettingZoo's tutorial "SB3: Action Masked PPO for Connect Four" does it, on our games.

One AEC environment is seen as if all seats were one Gymnasium agent, and sb3-contrib's MaskablePPO
learns from it with Stable-Baselines3's default hyper-parameters.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from pettingzoo.utils import BaseWrapper
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.wrappers import ActionMasker

from masked_monsters.envs.adapters.aec import AEC


# The two libraries mean different things by the same names; here they are Gymnasium's.
class SB3ActionMaskWrapper(BaseWrapper[str, Any, Any], gym.Env[np.ndarray, int]):  # type: ignore  # see above
    """Whoever decides is the agent; the mask is told apart from the observation."""

    env: AEC

    def __init__(self, env: AEC) -> None:
        super().__init__(env)
        agent = env.possible_agents[0]
        self.observation_space = env.observation_space(agent)["observation"]  # type: ignore  # an attribute, see above
        self.action_space = env.action_space(agent)  # type: ignore  # likewise

    def reset(  # type: ignore  # returns something, see above
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a match."""
        super().reset(seed, options)
        return self.observe(self.agent_selection), {}

    def step(self, action: int) -> Any:
        """The selected agent acts; then what the next one sees, and has been paid."""
        super().step(action)
        return self.last()

    def observe(self, agent: str) -> np.ndarray:
        """The observation without its mask."""
        return self.env.observe(agent)["observation"]

    def action_mask(self) -> np.ndarray:
        """``(num_actions,)`` int8: 1 for each action that the selected agent may do."""
        return self.env.observe(self.agent_selection)["action_mask"]


def new_tutorial_model(env: AEC, hidden: Sequence[int], seed: int = 0) -> MaskablePPO:
    """The untrained agent: policy and critic each a network with layers of the sizes ``hidden``."""
    wrapped = SB3ActionMaskWrapper(env)
    wrapped.reset(seed=seed)
    return MaskablePPO(
        MaskableActorCriticPolicy,
        ActionMasker(wrapped, lambda _: wrapped.action_mask()),
        policy_kwargs={"net_arch": list(hidden)},
        seed=seed,
        device="cpu",
    )
