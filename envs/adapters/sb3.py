"""``Vector`` as Stable-Baselines3 wants to see it: thousands of lanes for its algorithms."""

import time
from abc import abstractmethod
from typing import Any

import gymnasium as gym
import numpy as np
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from masked_monsters.envs.adapters.tables import Observation, check_options
from masked_monsters.envs.adapters.vector import Vector
from masked_monsters.envs.game import Game


class LanesVecEnv(VecEnv):
    """Lanes stepped all at once, no environments of their own: ``action_masks`` is their one method."""

    @abstractmethod
    def action_masks(self) -> np.ndarray:
        """``(num_envs, num_actions)`` bool, true for each legal action."""

    def shared_attribute(self, name: str) -> Any:
        """What ``get_attr`` gives for every lane; ``AttributeError`` if there is no such thing."""
        if name == "render_mode":
            return None
        raise AttributeError(f"{type(self).__name__} has no {name} for each lane")

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions of the next ``step_wait``."""
        self._actions = actions

    def close(self) -> None:
        """Nothing is held open."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """``action_masks`` by lane; any other attribute is the same for all."""
        lanes = list(self._get_indices(indices))
        if attr_name == "action_masks":
            return list(self.action_masks()[lanes])
        return [self.shared_attribute(attr_name)] * len(lanes)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """There is nothing to set."""
        raise AttributeError(f"{type(self).__name__}: {attr_name} cannot be set")

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """``action_masks`` is the one method of every lane."""
        if method_name != "action_masks":
            raise AttributeError(f"{type(self).__name__} has no method {method_name} of each lane")
        return self.get_attr(method_name, indices)

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper], indices: VecEnvIndices = None
    ) -> list[bool]:
        """No lane is wrapped."""
        return [False] * len(list(self._get_indices(indices)))


class StableBaselinesVecEnv(LanesVecEnv):
    """``num_envs`` matches side by side, a learner at each, stepped in compiled code.

    Observations, rewards and illegal actions are those of ``Vector``; ``env_method("action_masks")``
    is where sb3-contrib's ``get_action_masks`` finds each lane's mask. ``seed(s)``, which algorithms
    call with their own seed, gives lane ``i`` the seed ``s + i`` at the next ``reset``.

    Where a match ends, ``dones`` is true, the observation is the next match's first, and the lane's
    info, empty before, holds

    - ``terminal_observation``: the last observation, a dictionary of rows;
    - ``TimeLimit.truncated``: always false;
    - ``episode``, as ``VecMonitor`` writes it: ``r``, the learner's score in the match; ``l``, its
      decisions; ``t``, seconds since the environment was made;
    - ``seat``, the learner's; ``illegal_action``, bool; ``state``, the last record of ``game.state``.

    A match that a ``reset`` breaks off is reported nowhere.

    Attributes:
        vector: what is stepped.
    """

    def __init__(self, game: Game | str, num_envs: int = 1, **settings: Any) -> None:
        """Prepare the lanes; ``ValueError`` names an option that is wrong.

        Args:
            game: a game or its name.
            num_envs: how many lanes, at least 1.
            settings: ``opponents``, ``seat``, ``observation`` and the game's options, as of ``Vector``.
        """
        self.vector = Vector(game, num_envs, **settings, copy=True)
        super().__init__(
            num_envs, self.vector.single_observation_space, self.vector.single_action_space
        )
        self._made = time.time()
        self._scores = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)

    def reset(self) -> Observation:  # type: ignore[override]  # no name for a dictionary of arrays
        """Begin a match on every lane: those of the seeds, if ``seed`` was called, else the next."""
        seeds = [seed for seed in self._seeds if seed is not None]
        observations, _ = self.vector.reset(seed=seeds or None)
        self._reset_seeds()  # for one reset alone
        self._scores[:] = 0
        self._lengths[:] = 0
        return observations

    def step_wait(self) -> VecEnvStepReturn:
        """Every lane's learner acts, then its opponents."""
        observations, rewards, dones, _, told = self.vector.step(self._actions)
        self._scores += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for lane in np.flatnonzero(dones).tolist():
            infos[lane] = self._last_facts(lane, told)
        self._scores[dones] = 0
        self._lengths[dones] = 0
        return observations, rewards, dones, infos

    def _last_facts(self, lane: int, told: dict[str, Any]) -> dict[str, Any]:
        """The info of a match that has ended."""
        final = told["final_info"]
        return {
            "terminal_observation": told["final_obs"][lane],
            "TimeLimit.truncated": False,
            "episode": {
                "r": float(self._scores[lane]),
                "l": int(self._lengths[lane]),
                "t": round(time.time() - self._made, 6),
            },
            "seat": int(final["seat"][lane]),
            "illegal_action": bool(final["illegal_action"][lane]),
            "state": final["state"][lane],
        }

    def action_masks(self) -> np.ndarray:
        """``(num_envs, num_actions)`` bool, true for each legal action."""
        return self.vector.action_masks()

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """There are none: ``ValueError`` if any is given."""
        for each in options if isinstance(options, list) else [options]:
            check_options(each)

    def shared_attribute(self, name: str) -> Any:
        """The ``Vector``'s."""
        return getattr(self.vector, name)
