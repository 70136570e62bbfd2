"""Any game as a Gymnasium vector environment: thousands of ``SingleSeat`` in compiled loops."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from masked_monsters.envs.adapters.aec import observation_space
from masked_monsters.envs.adapters.tables import Observation, Opponents, Tables, check_options
from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.game import Game


class Vector(VectorEnv[Observation, np.ndarray, np.ndarray]):
    """``num_envs`` matches side by side; lane ``i`` is a ``SingleSeat`` reset with the lane's seed.

    Observations, masks, rewards and illegal actions are those of ``SingleSeat``, with a first axis of
    lanes. ``reset(seed=s)`` gives lane ``i`` the seed ``s + i``, as Gymnasium's vector environments do;
    a sequence gives each its own. (A policy that is not scripted draws for all lanes from one source,
    so its sampled play depends on their number.)

    **Autoreset** is ``AutoresetMode.SAME_STEP``: where a match ends, ``terminations`` and the reward are
    its last, the observation is the first one of the lane's next match, and the infos hold in addition

    - ``final_obs``: ``(num_envs,)`` objects, the last observation, a dictionary as of ``SingleSeat``;
    - ``final_info``: ``action_mask``, all 0; ``seat``, int8, the learner's; ``illegal_action``, bool;
      ``state``, ``(num_envs,)`` objects, the last record of ``game.state``, of which
      ``game.words.god_view(record)`` is the whole hidden state as plain values.

    ``_final_obs``, ``_final_info`` and ``_key`` for each key in it say on which lanes they hold; the
    others' entries are None or 0. Infos of live matches have ``action_mask`` alone.

    All arrays are the caller's own. With ``copy=False`` the observations and the mask in the infos are
    the environment's, which the next ``step`` or ``reset`` overwrites.
    """

    metadata = {"render_modes": ["ansi"], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  # as in Gymnasium

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        *,
        opponents: Opponents = "random",
        seat: int | None = None,
        observation: str = "compact",
        render_mode: str | None = None,
        copy: bool = True,
        **options: Any,
    ) -> None:
        """Prepare the tables.

        Args:
            game: a game or its name.
            num_envs: how many lanes, at least 1.
            opponents: as of ``SingleSeat``.
            seat: as of ``SingleSeat``.
            observation: ``"compact"`` or ``"history"``.
            render_mode: None or ``"ansi"`` (``render`` returns each lane's text).
            copy: False hands out observations that change with the next step.
            options: of the game, to change, for example ``num_players``.

        Raises:
            ValueError: naming an option, its value and what is allowed.
        """
        check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        check_choice("copy", copy, (True, False))
        self.num_envs = check_range("num_envs", num_envs, 1, 2**31)
        self.render_mode = render_mode
        self._tables = Tables(game, num_envs, opponents, seat, observation, **options)
        self.game = self._tables.game
        self.single_observation_space = observation_space(self.game, observation)
        self.single_action_space = Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._kept = None if copy else self._tables.new_observations(num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int] | np.ndarray | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a match on every lane; there are no ``options``.

        Args:
            seed: of lane 0, and each next lane's is one more; or ``num_envs`` seeds; or None for each
                lane's next match. Seeds are 0 … 2**64 - 1.
            options: none.
        """
        check_options(options)
        if seed is not None:
            self._tables.seed(self._lane_seeds(seed))
        self._tables.begin(self._tables.lanes)
        return self._show()

    def _lane_seeds(self, seed: int | Sequence[int] | np.ndarray) -> np.ndarray:
        if isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str):
            if np.shape(seed) != (self.num_envs,):
                raise ValueError(
                    f"seed: {np.size(seed)} are given; must be one or {self.num_envs}, in a row"
                )
            seeds = [check_range("seed", each, 0, 2**64 - 1) for each in seed]
        else:
            first = check_range("seed", seed, 0, 2**64 - self.num_envs)
            seeds = range(first, first + self.num_envs)
        return np.array(seeds, np.uint64)

    def step(
        self, actions: np.ndarray
    ) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Every lane's learner acts, then its opponents.

        Args:
            actions: ``(num_envs,)`` integers; one that is illegal now loses its lane's match.

        Returns:
            observations; rewards, ``(num_envs,)`` float64; terminations and truncations,
            ``(num_envs,)`` bool, the latter all false; infos.

        Raises:
            ValueError: if the shape, the type or an entry is none of an action; no lane is stepped.
            RuntimeError: before the first ``reset``.
        """
        if self._tables.ended.any():
            raise RuntimeError("no matches are being played: call reset() first")
        self._tables.act(self._checked(actions))
        rewards, ended = self._tables.take_pay(), self._tables.ended
        final: dict[str, Any] = {}
        if ended.any():
            final = self._final(ended)
            self._tables.begin(np.flatnonzero(ended))
        observations, infos = self._show()
        return observations, rewards, ended, np.zeros_like(ended), {**infos, **final}

    def _checked(self, actions: np.ndarray) -> np.ndarray:
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions: must be {self.num_envs} integers, is {actions.dtype} {actions.shape}"
            )
        wrong = (actions < 0) | (actions >= self.game.num_actions)
        if wrong.any():
            lane = int(wrong.argmax())
            check_range(f"actions[{lane}]", actions[lane], 0, self.game.num_actions - 1)
        return actions.astype(np.int64, copy=False)

    def _show(self) -> tuple[Observation, dict[str, Any]]:
        """Every lane's observation and info."""
        out = self._kept or self._tables.new_observations(self.num_envs)
        observations = dict(self._tables.observe(self._tables.lanes, out))
        mask = observations["action_mask"]
        return observations, {
            "action_mask": mask.copy() if self._kept is None else mask,
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }

    def _final(self, ended: np.ndarray) -> dict[str, Any]:
        """What there is to say of the matches that have ended, before the next ones begin."""
        lanes = np.flatnonzero(ended)
        rows = self._tables.observe(lanes, self._tables.new_observations(len(lanes)))
        records = self._tables.states[lanes]
        final_obs, states = np.full((2, self.num_envs), None, object)
        for row, lane in enumerate(lanes.tolist()):
            final_obs[lane] = {name: entries[row] for name, entries in rows.items()}
            states[lane] = records[row]
        tables = self._tables.tables
        facts = {
            "action_mask": np.zeros((self.num_envs, self.game.num_actions), np.int8),
            "seat": np.where(ended, tables["seat"], 0),
            "illegal_action": ended & (tables["illegal"] == 1),
            "state": states,
        }
        final_info = facts | {f"_{name}": ended.copy() for name in facts}
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }

    def action_masks(self) -> np.ndarray:
        """``(num_envs, num_actions)`` bool, true for each legal action."""
        return self._tables.action_masks()

    def render(self) -> tuple[str, ...] | None:
        """What everybody at each table sees, in ASCII."""
        if self._tables.ended.any():
            raise RuntimeError("no matches are being played: call reset() first")
        if self.render_mode is None:
            logger.warn("render() without a render_mode: pass 'ansi'")
            return None
        return tuple(self.game.words.table(state) for state in self._tables.states)
