"""Search agents that do not cheat, as policies."""

import time
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from masked_monsters.envs.batch import MAX_SEED
from masked_monsters.envs.engine.kernels import Kernels, bind
from masked_monsters.envs.engine.phases import MAX_PLAYERS
from masked_monsters.envs.engine.random import GENERATOR
from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions
from masked_monsters.evaluation import beliefs
from masked_monsters.evaluation.baselines import baselines, get_baseline
from masked_monsters.evaluation.baselines.scripted import ScriptedPolicy

LOOP = Path(__file__).with_name("search_loop.py")
METHODS = ("pimc", "ismcts")
SIMULATIONS = 1000
MAX_NODES = 2**14
"""Of a tree; when it is full, simulations go on below it by rollout."""
BATCH = 32
"""Simulations between two looks at the clock."""


class Tree(NamedTuple):
    """Information sets of the root's seat, each with who moves in it; the first is the root."""

    size: np.ndarray
    """``(1,)``: how many there are."""
    keys: np.ndarray
    """By node: 64 bits of what the seat recalls there."""
    places: np.ndarray
    """A hash table of nodes by their keys; -1: free."""
    chosen: np.ndarray
    """``[node, action]``: how often it was."""
    available: np.ndarray
    """How often it was legal there."""
    total: np.ndarray
    """What simulations that chose it paid who moves, each 0 … 1, added up."""


class _Work(NamedTuple):
    """What the compiled loops write into; see ``search_loop.py``."""

    world: np.ndarray
    mask: np.ndarray
    sight: np.ndarray
    weights: np.ndarray
    tokens: np.ndarray
    path: np.ndarray
    paid: np.ndarray
    word: np.ndarray
    generator: np.ndarray


class SearchPolicy:
    """Plans each decision over worlds that fit what its seat recalls (``beliefs.resample``).

    It reads the deciding seat's number, its history and the legal actions, never a state.

    ``"pimc"`` (perfect-information Monte Carlo: Ginsberg 2001) does each legal action in each world,
    goes on by rollout, and takes the action with the highest mean reward. ``"ismcts"``
    (single-observer information-set Monte Carlo tree search: Cowling, Powley and Whitehouse 2012)
    grows one tree of information sets over all worlds, in which every player maximises its own
    reward by UCB1, and takes the action chosen most often. Both look as far as the next cut.

    The same seed and the same calls after ``reset`` give the same play, unless the budget is in
    seconds. Pickles without its tree.
    """

    reads_history = True

    def __init__(
        self,
        game: Game,
        method: str = "ismcts",
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        worlds: int = 200,
        profile: beliefs.Profile = None,
        exploration: float = 0.7,
        rollout: str = "random",
        name: str | None = None,
    ) -> None:
        """Make the player; ``reset`` it before use.

        Args:
            game: what is played; it needs beliefs.
            method: ``"pimc"`` or ``"ismcts"``.
            simulations: the budget of a decision: plays to the next cut, 1 to 2**31; 1,000 if not
                given, nor ``seconds``. ``"pimc"`` does each legal action equally often, at least once.
            seconds: the budget in seconds instead, the search for worlds included; above 0. At least
                32 simulations are done.
            worlds: how many worlds are drawn for a decision.
            profile: how the others are taken to have played (``beliefs.resample``); where nothing
                fits it, None.
            exploration: of ``"ismcts"``, the constant of UCB1, the paper's by default; 0 or more.
            rollout: the scripted player by which simulations go on.
            name: the method if not given.

        Raises:
            ValueError: naming the argument, its value and what is allowed; or if the game has no
                beliefs.
        """
        check_choice("method", method, METHODS)
        check_choice("rollout", rollout, baselines(game))
        if simulations is not None and seconds is not None:
            raise ValueError(f"seconds={seconds!r}: must not be given beside simulations")
        if seconds is not None and not 0 < seconds < float("inf"):
            raise ValueError(f"seconds={seconds!r}: must be a number above 0")
        if not 0 <= exploration < float("inf"):
            raise ValueError(f"exploration={exploration!r}: must be a number, 0 or more")
        budget = SIMULATIONS if simulations is None else simulations
        self.simulations = check_range("simulations", budget, 1, 2**31)
        self.worlds = check_range("worlds", worlds, 1, 2**31)
        self.game, self.method, self.seconds = game, method, seconds
        self.profile, self.exploration = profile, exploration
        self.rollout = rollout
        self.name = method if name is None else name
        self._check_beliefs()

    def reset(self, seed: int) -> None:
        """Start the policy's random numbers anew, from a seed of 0 … 2**64 - 1."""
        self._random = np.random.default_rng(check_range("seed", seed, 0, MAX_SEED))

    def act(self, decisions: Decisions) -> np.ndarray:
        """``(k,)`` int64: for each decision the action that a search finds best."""
        return self.probabilities(decisions).argmax(axis=1)

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """``(k, game.num_actions)`` float64: 1 for the action that a search finds best.

        Another search may find another one best: over seeds, ``act`` chooses each action as often as
        it has the 1 here. Where no world fits the history, as where it is of no match, the 1 is drawn.
        """
        assert decisions.history is not None
        rows = np.zeros(decisions.action_mask.shape)
        for row, view, history, mask in zip(
            rows, decisions.view, decisions.history, decisions.action_mask, strict=True
        ):
            try:
                row[self._best(int(view["seat"]), history, np.ascontiguousarray(mask))] = 1
            except beliefs.NothingFitsError:
                row[self._random.choice(np.flatnonzero(mask))] = 1
        return rows

    def grow(self, seat: int, history: np.ndarray) -> Tree:
        """The tree of a decision; it is overwritten by the next."""
        least, span = self._range
        tree = self._empty_tree()
        for worlds, picks in self._simulations(seat, history, 1):
            self._loop.grow(worlds, picks, seat, self.exploration, least, span, tree, self._work)
        return tree

    def mean_rewards(self, seat: int, history: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """``(game.num_actions,)``: of each legal action, by ``"pimc"``; -inf for the others."""
        totals, rounds = np.where(mask, 0.0, -np.inf), 0
        for worlds, picks in self._simulations(seat, history, int(mask.sum())):
            self._loop.try_actions(worlds, picks, mask, seat, totals, self._work)
            rounds += len(picks)
        return totals / rounds

    def _best(self, seat: int, history: np.ndarray, mask: np.ndarray) -> int:
        if mask.sum() == 1:
            return int(mask.argmax())
        if self.method == "pimc":
            return int(self.mean_rewards(seat, history, mask).argmax())
        return int(self.grow(seat, history).chosen[0].argmax())

    def _simulations(
        self, seat: int, history: np.ndarray, plays: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The worlds and, as long as the budget lasts, indices of them by weight, ``plays`` for each."""
        begun = time.perf_counter()
        found = self._resample(seat, history)
        self._work.generator["random"] = self._random.integers(MAX_SEED, dtype=np.uint64)
        many = self.simulations if self.seconds is None else BATCH
        while True:
            yield (
                found.states,
                self._random.choice(len(found.states), max(1, many // plays), p=found.weights),
            )
            if self.seconds is None or time.perf_counter() - begun >= self.seconds:
                return

    def _resample(self, seat: int, history: np.ndarray) -> beliefs.Worlds:
        seed = int(self._random.integers(MAX_SEED, dtype=np.uint64))
        try:
            return beliefs.resample(
                self.game, seat, history, profile=self.profile, count=self.worlds, seed=seed
            )
        except beliefs.NothingFitsError:  # the others do not play by the profile
            if self.profile is None:
                raise
            return beliefs.resample(self.game, seat, history, count=self.worlds, seed=seed)

    def _check_beliefs(self) -> None:
        """Fail now if worlds cannot be found, not in the middle of a match."""
        states = self.game.new_states(1)
        self.game.kernels.start_match(states, 0, True)
        seat = int(states["to_move"][0])
        beliefs.resample(
            self.game,
            seat,
            beliefs.history_of(self.game, states, 0, seat),
            profile=self.profile,
            count=1,
        )

    @property
    def _range(self) -> tuple[float, float]:
        """The least reward from cut to cut, and how much more the most is."""
        bounds = self.game.bounds
        parts = 1 if bounds.pays_at_end else bounds.rounds
        return bounds.least_score / parts, (bounds.most_score - bounds.least_score) / parts

    def _empty_tree(self) -> Tree:
        tree = self._tree
        used = int(tree.size[0])
        for counts in (tree.chosen, tree.available, tree.total):
            counts[:used] = 0
        tree.places[:] = -1
        tree.size[0] = 1  # the root, which nothing leads back to
        return tree

    @cached_property
    def _tree(self) -> Tree:
        by_action = MAX_NODES, self.game.num_actions
        return Tree(
            size=np.zeros(1, np.int64),
            keys=np.zeros(MAX_NODES, np.uint64),
            places=np.zeros(2 * MAX_NODES, np.int32),
            chosen=np.zeros(by_action, np.int32),
            available=np.zeros(by_action, np.int32),
            total=np.zeros(by_action),
        )

    @cached_property
    def _work(self) -> _Work:
        game = self.game
        return _Work(
            world=game.new_states(1),
            mask=np.zeros(game.num_actions, np.int8),
            sight=np.zeros(1, game.view),
            weights=np.zeros(game.num_actions),
            tokens=np.zeros((game.max_tokens, len(game.token_highs)), np.int8),
            path=np.zeros((game.bounds.decisions, 3), np.int64),
            paid=np.zeros(MAX_PLAYERS),
            word=np.zeros(1, np.uint64),
            generator=np.zeros(1, GENERATOR),
        )

    @cached_property
    def _loop(self) -> Kernels:
        player = get_baseline(self.game, self.rollout)
        assert isinstance(player, ScriptedPolicy)
        return _loop(self.game.name, self.game.rules, self.game.kernels.act, player.weigh)

    def __getstate__(self) -> dict[str, Any]:
        compiled = ("_tree", "_work", "_loop")
        return {key: value for key, value in vars(self).items() if key not in compiled}


@cache
def _loop(name: str, rules: Any, act: Any, weigh: Any) -> Kernels:
    return bind(LOOP, name, {**vars(rules), "act": act, "weigh": weigh})
