"""``Batch``: thousands of games of one kind, stepped at once."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from masked_monsters.envs.engine.phases import FIRST_DECISION
from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game

MAX_SEED = 2**64 - 1


class Batch:
    """``num_games`` matches side by side, each at the decision of one seat.

    Lane ``i`` plays the same matches as a single environment reset with ``seeds[i]`` and then
    without a seed, whatever the number of lanes. A match that ends is followed by the next one in
    the same step (same-step autoreset): the arrays then show the new match's first decision, and
    ``final_states`` keeps the last state of the old one.

    The arrays stay the same: each ``step`` writes into them and allocates nothing. Copy what you keep,
    or ask for ``fresh_arrays``.

    Attributes:
        num_players: of the largest table; smaller ones leave the last seats empty.
        max_tokens: the rows of a ``history``, at the table that needs most.
        seats: ``(num_games, num_players)`` bool: somebody sits there.
        states: ``(num_games,)`` records of ``game.state``.
        seeds: ``(num_games,)`` uint64, the lanes' seeds.
        seat: ``(num_games,)`` int8, who decides.
        view: ``(num_games,)`` records of ``game.view``, of the deciding seat.
        observation: ``(num_games, game.compact_size)`` int8, the same as a ``compact`` observation.
        action_mask: ``(num_games, game.num_actions)`` int8, 1 for legal.
        reward: ``(num_games, num_players)`` float32, what the last step paid every seat; 0 where
            nobody sits.
        cut: ``(num_games,)`` bool: no reward to come depends on what was done up to then.
        done: ``(num_games,)`` bool: a match ended in the last step.
        final_states: ``(num_games,)`` records, valid where ``done``.
    """

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        seed: int | np.ndarray = 0,
        *,
        table_sizes: Sequence[int] = (),
        threads: int = 1,
        fresh_arrays: bool = False,
        **options: Any,
    ) -> None:
        """Begin the matches.

        Args:
            game: a game or its name.
            num_games: how many lanes, at least 1.
            seed: 0 … 2**64 - 1, from which the lanes' seeds are made; or those, ``(num_games,)``
                uint64.
            table_sizes: numbers of players that the lanes have in turn; none: the game's own on all.
            threads: how many share the lanes, 1 to num_games; the matches do not depend on it.
            fresh_arrays: put new arrays in the attributes at each step, so that those taken before
                stay as they were (all but ``states``).
            options: of the game, to change, for example ``num_players``.

        Raises:
            ValueError: naming the argument, its value and what is allowed.
        """
        self.game = (get_game(game) if isinstance(game, str) else game).with_options(**options)
        check_range("num_games", num_games, 1, 2**31)
        check_range("threads", threads, 1, num_games)
        check_choice("fresh_arrays", fresh_arrays, (True, False))
        if len(table_sizes) > num_games:
            raise ValueError(
                f"table_sizes={list(table_sizes)}: must be at most num_games={num_games}"
            )
        games = [self.game.with_options(num_players=size) for size in table_sizes] or [self.game]
        self._wordiest = max(games, key=lambda game: game.max_tokens)
        self.max_tokens = self._wordiest.max_tokens
        self.states = np.resize(np.concatenate([game.record for game in games]), num_games)
        players = self.states["num_players"]
        self.num_players = int(players.max())
        self.seats = np.arange(self.num_players) < players[:, None]
        self.seeds = _lane_seeds(seed, num_games)
        self.states["stream"] = self.seeds
        self.num_games = num_games
        self.threads = threads
        self.fresh_arrays = fresh_arrays
        self._hand_out_arrays()
        self._run(self.game.kernels.start_lanes, *self._shown())

    def _hand_out_arrays(self) -> None:
        num_games = self.num_games
        self.seat = np.zeros(num_games, np.int8)
        self.view = np.zeros(num_games, self.game.view)
        self.observation = np.zeros((num_games, self.game.compact_size), np.int8)
        self.action_mask = np.zeros((num_games, self.game.num_actions), np.int8)
        self.reward = np.zeros((num_games, self.num_players), np.float32)
        self.cut = np.zeros(num_games, np.bool_)
        self.done = np.zeros(num_games, np.bool_)
        self.final_states = np.zeros(num_games, self.game.state)

    def _shown(self) -> tuple[np.ndarray, ...]:
        observations = self.observation.view(self.game.compact)[:, 0]
        return self.states, self.view, observations, self.action_mask, self.seat

    def _run(self, kernel: Callable[..., None], *arrays: np.ndarray) -> None:
        """The kernel over all lanes, each thread with its share of them."""
        if self.threads == 1:
            kernel(*arrays)
            return
        ends = [self.num_games * thread // self.threads for thread in range(self.threads + 1)]
        shares = [[array[first:end] for array in arrays] for first, end in pairwise(ends)]
        pool = _pool(os.getpid(), self.threads - 1)
        running: list[Future[None]] = []
        try:
            for share in shares[:-1]:
                running.append(pool.submit(kernel, *share))
        finally:  # also if interrupted: all lanes, and nothing goes on writing afterwards
            try:
                for share in shares[len(running) :]:
                    kernel(*share)
            finally:
                _finish(running)

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
        actions = np.ascontiguousarray(actions, np.int64)
        kernels = self.game.kernels
        lane = kernels.first_illegal(actions, self.action_mask)
        if lane >= 0:
            raise ValueError(
                f"actions[{lane}]={actions[lane]}: illegal for seat {self.seat[lane]}; "
                f"allowed: {np.flatnonzero(self.action_mask[lane]).tolist()}"
            )
        if self.fresh_arrays:
            self._hand_out_arrays()
        brought = self.reward, self.cut, self.done, self.final_states
        self._run(kernels.step_lanes, actions, *self._shown(), *brought)

    def place(self, states: np.ndarray) -> None:
        """Go on with matches in progress, ``(num_games,)`` records, each at a decision; copies them.

        Raises:
            ValueError: if there are not as many, or one is not at a decision.
        """
        if states.shape != (self.num_games,) or states.dtype != self.game.state:
            raise ValueError(f"states: must be {self.num_games} records, is {states.shape}")
        if (waiting := states["phase"] < FIRST_DECISION).any():
            raise ValueError(f"states[{waiting.argmax()}]: must be at a decision")
        self.states[:] = states
        for lane in range(self.num_games):
            self.game.kernels.show_lane(self.states, lane, *self._shown()[1:])

    def history(self, lanes: np.ndarray) -> np.ndarray:
        """What the deciding seats of lanes, ``(k,)`` integers, recall, as ``history`` observations.

        Returns:
            ``(k, max_tokens, len(game.token_highs))`` int8; rows that are not used are 0.
        """
        return self._wordiest.history(self.states, lanes)

    def whole_table(self) -> np.ndarray:
        """All that anybody at each table sees, the hidden part of the game included.

        Returns:
            ``(num_games, num_players * game.compact_size)`` int8: every seat's ``compact``
            observation, that of the deciding seat first, then from its left; 0 where nobody sits.
        """
        whole = np.zeros((self.num_games, self.num_players, self.game.compact_size), np.int8)
        view = np.zeros(1, self.game.view)
        self.game.kernels.observe_all_seats(
            self.states, view, whole.view(self.game.compact)[..., 0]
        )
        return whole.reshape(self.num_games, -1)


def _finish(running: list[Future[None]]) -> None:
    try:
        wait(running)
    except BaseException:  # Ctrl-C: first all must have stopped
        wait(running)
        raise
    for share in running:
        share.result()


@cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """Threads kept for all steps, and not carried over into a forked process, where they are dead."""
    return ThreadPoolExecutor(threads)


def _lane_seeds(seed: int | np.ndarray, num_games: int) -> np.ndarray:
    if not isinstance(seed, np.ndarray):
        check_range("seed", seed, 0, MAX_SEED)
        return np.random.SeedSequence(seed).generate_state(num_games, np.uint64)
    if seed.shape != (num_games,) or seed.dtype != np.uint64:
        raise ValueError(f"seed: must be {num_games} uint64, is {seed.dtype} {seed.shape}")
    return seed.copy()
