"""``Batch``: thousands of games of one kind, stepped at once."""

from typing import Any

import numpy as np

from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game

MAX_SEED = 2**64 - 1


class Batch:
    """``num_games`` matches side by side, each at the decision of one seat.

    Lane ``i`` plays the same matches as a single environment reset with ``seeds[i]`` and then
    without a seed, whatever the number of lanes. A match that ends is followed by the next one in
    the same step (same-step autoreset): the arrays then show the new match's first decision, and
    ``final_states`` keeps the last state of the old one.

    The arrays are views that ``step`` overwrites; copy what you keep.

    Attributes:
        states: ``(num_games,)`` records of ``game.state``.
        seeds: ``(num_games,)`` uint64, the lanes' seeds.
        seat: ``(num_games,)`` int8, who decides.
        view: ``(num_games,)`` records of ``game.view``, of the deciding seat.
        action_mask: ``(num_games, game.num_actions)`` int8, 1 for legal.
        reward: ``(num_games, num_players)`` float32, what the last step paid every seat.
        cut: ``(num_games,)`` bool: no reward to come depends on what was done up to then.
        done: ``(num_games,)`` bool: a match ended in the last step.
        final_states: ``(num_games,)`` records, valid where ``done``.
    """

    def __init__(
        self, game: Game | str, num_games: int, seed: int | np.ndarray = 0, **options: Any
    ) -> None:
        """Begin the matches.

        Args:
            game: a game or its name.
            num_games: how many lanes, at least 1.
            seed: 0 … 2**64 - 1, from which the lanes' seeds are made; or those, ``(num_games,)``
                uint64.
            options: of the game, to change, for example ``num_players``.

        Raises:
            ValueError: naming the argument, its value and what is allowed.
        """
        self.game = (get_game(game) if isinstance(game, str) else game).with_options(**options)
        check_range("num_games", num_games, 1, 2**31)
        self.states = self.game.new_states(num_games)
        self.seeds = _lane_seeds(seed, num_games)
        self.states["stream"] = self.seeds
        self.num_games = num_games
        self.num_players = self.game.num_players
        self.seat = np.zeros(num_games, np.int8)
        self.view = np.zeros(num_games, self.game.view)
        self._compact = np.zeros(num_games, self.game.compact)
        self.action_mask = np.zeros((num_games, self.game.num_actions), np.int8)
        self.reward = np.zeros((num_games, self.num_players), np.float32)
        self.cut = np.zeros(num_games, np.bool_)
        self.done = np.zeros(num_games, np.bool_)
        self.final_states = np.zeros(num_games, self.game.state)
        self.game.kernels.start_lanes(
            self.states, self.view, self._compact, self.action_mask, self.seat
        )

    @property
    def observation(self) -> np.ndarray:
        """``(num_games, game.compact_size)`` int8, of the deciding seat."""
        return self._compact.view(np.int8).reshape(self.num_games, -1)

    def step(self, actions: np.ndarray) -> None:
        """Every lane's deciding seat acts.

        Args:
            actions: ``(num_games,)`` integers.

        Raises:
            ValueError: if one is illegal (no lane is then stepped), or the shape or type is wrong.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_games,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions: must be {self.num_games} integers, is {actions.dtype} {actions.shape}"
            )
        actions = actions.astype(np.int64, copy=False)
        kernels = self.game.kernels
        lane = kernels.first_illegal(actions, self.action_mask)
        if lane >= 0:
            raise ValueError(
                f"actions[{lane}]={actions[lane]}: illegal for seat {self.seat[lane]}; "
                f"allowed: {np.flatnonzero(self.action_mask[lane]).tolist()}"
            )
        kernels.step_lanes(
            self.states,
            actions,
            self.view,
            self._compact,
            self.action_mask,
            self.seat,
            self.reward,
            self.cut,
            self.done,
            self.final_states,
        )


def _lane_seeds(seed: int | np.ndarray, num_games: int) -> np.ndarray:
    if not isinstance(seed, np.ndarray):
        check_range("seed", seed, 0, MAX_SEED)
        return np.random.SeedSequence(seed).generate_state(num_games, np.uint64)
    if seed.shape != (num_games,) or seed.dtype != np.uint64:
        raise ValueError(f"seed: must be {num_games} uint64, is {seed.dtype} {seed.shape}")
    return seed.copy()
