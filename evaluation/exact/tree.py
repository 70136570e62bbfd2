"""``Tree``: a game enumerated whole, once, into flat arrays in sequence form.

A *sequence* of a seat is all that it has done on the way to some history: an information state and
an action there, since with perfect recall these tell what came before (Koller, Megiddo and von
Stengel 1996). The probability that a history is reached is a product, of what chance does and of
each seat's reach probability of its sequence; so terminal histories and information states are
all that is kept.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from masked_monsters.envs.engine.kernels import Kernels, bind
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy, reads_history

LOOP = Path(__file__).with_name("tree_loop.py")
NEW_STATES, NEW_TERMINALS = 1 << 12, 1 << 16
"""The rows of the walk's buffers."""
MAX_DEPTH = 1 << 10
MAX_CHOICES = 1 << 17
"""Open at once, along one history."""

INFORMATION_STATE = np.dtype(
    [
        ("seat", np.int8),
        ("role", np.int8),  # the seat's, see ``envs.game.Roles``; -1 if the game deals none
        ("num_actions", np.int16),
        ("parent", np.int32),  # the seat's sequence that leads there
        ("first", np.int32),  # the sequence of its first legal action; the others follow
    ]
)
WALK = np.dtype(
    [
        (name, np.int64)
        for name in (
            "depth",  # -1: done
            "histories",
            "decisions",
            "terminals",
            "states",
            "num_sequences",
            "new_states",
            "new_terminals",
        )
    ]
)


@dataclass(frozen=True, eq=False)
class Tree:
    """A game's tree. ``n`` seats; sequences ``0 … n - 1`` are the seats' empty ones."""

    game: Game
    states: np.ndarray
    """The information states, records of ``INFORMATION_STATE``, each after those that lead to it."""
    actions: np.ndarray
    """``(sequences,)`` int16: the action that ends each; -1 for the empty ones."""
    sequence: np.ndarray
    """``(terminals, n)`` int32: each seat's sequence at each terminal history."""
    payoff: np.ndarray
    """``(terminals, n)`` float64: what each seat is paid, times what chance had to do with it."""
    kid: np.ndarray
    """``(terminals,)`` int8: who has the first role; empty if the game deals none."""
    histories: int
    """All of them: terminal ones, decisions, and those at which chance decides."""
    decisions: int

    @property
    def num_seats(self) -> int:
        """How many seats there are."""
        return self.payoff.shape[1]


def build_tree(game: Game, max_histories: int = 10**8) -> Tree:
    """Enumerate a game.

    Raises:
        ValueError: if a seat's information state does not tell what it has done before (a match of
            several rounds of Monster My Neighbor), or the tree is too large.
    """
    walk = _Walk(game, check_range("max_histories", max_histories, 1, 2**31 - 1))
    sequence, payoff, kid = map(np.concatenate, zip(*walk.terminals(), strict=True))
    counts = walk.counts[0]
    return Tree(
        game=game,
        states=walk.states[: counts["states"]].copy(),
        actions=walk.actions[: counts["num_sequences"]].copy(),
        sequence=sequence,
        payoff=payoff,
        kid=kid,
        histories=int(counts["histories"]),
        decisions=int(counts["decisions"]),
    )


def strategy_of(tree: Tree, policy: Policy) -> np.ndarray:
    """What a policy does in every information state, of whichever seat.

    Returns:
        ``(sequences,)`` float64: the probability of each sequence's last action in its information
        state; 1 for the empty ones. To have another policy on another seat, put strategies together
        with ``seated``.

    Raises:
        ValueError: if the probabilities of legal actions do not add up to 1, or one is negative.
    """
    strategy = np.ones(len(tree.actions))
    for first, decisions in _Walk(tree.game, tree.histories).information_states(
        reads_history(policy)
    ):
        states = tree.states[first : first + len(decisions.view)]
        sizes = states["num_actions"]
        sequences = slice(states["first"][0], states["first"][-1] + sizes[-1])
        rows = np.repeat(np.arange(len(states)), sizes)
        probabilities = policy.probabilities(decisions) * decisions.action_mask
        if (lowest := probabilities.min()) < 0:
            raise ValueError(f"{policy.name}: a probability must not be negative, as {lowest:g}")
        totals = probabilities.sum(axis=1)
        if not np.all(np.abs(totals - 1) < 1e-4):  # a network's are of single precision
            worst = totals[np.abs(totals - 1).argmax()]
            raise ValueError(
                f"{policy.name}: the probabilities of legal actions must add up to 1, not {worst:g}"
            )
        strategy[sequences] = (probabilities / totals[:, None])[rows, tree.actions[sequences]]
    return strategy


def seated(tree: Tree, strategies: Sequence[np.ndarray]) -> np.ndarray:
    """The strategy in which each seat plays its own of ``n`` strategies."""
    seat = np.repeat(tree.states["seat"], tree.states["num_actions"])
    empty = np.arange(tree.num_seats)
    return np.stack(strategies)[np.r_[empty, seat], np.arange(len(tree.actions))]


def uniform(tree: Tree) -> np.ndarray:
    """``(sequences,)``: every legal action alike."""
    strategy = np.ones(len(tree.actions))
    sizes = tree.states["num_actions"]
    strategy[tree.num_seats :] = np.repeat(1 / sizes, sizes)
    return strategy


# ---------------------------------------------------------------- the walk


class _Lists(NamedTuple):
    """What the walk keeps."""

    codes: np.ndarray
    """What can happen at the histories on the way: actions, or chance's outcomes."""
    weights: np.ndarray
    keys: np.ndarray
    numbers: np.ndarray
    """Of the information states, at the places of their keys; -1 is a free place."""
    states: np.ndarray
    actions: np.ndarray


class _Rows(NamedTuple):
    """What the walk has just found."""

    views: np.ndarray
    observations: np.ndarray
    masks: np.ndarray
    tokens: np.ndarray
    sequence: np.ndarray
    chance: np.ndarray
    payoff: np.ndarray
    final_states: np.ndarray
    """Empty if the game deals no roles."""


class _Walk:
    """The compiled walk, and the arrays it writes into."""

    def __init__(self, game: Game, max_histories: int) -> None:
        n = game.num_players
        assert len(game.token_highs) < 8, "the walk's keys hold rows of up to seven columns"
        self.game = game
        self.max_histories = max_histories
        self.loop = _loop(game)
        self.counts = np.zeros(1, WALK)
        self.states = np.zeros(NEW_STATES, INFORMATION_STATE)
        self.actions = np.full(NEW_STATES * game.num_actions, -1, np.int16)
        self.keys = np.zeros((4 * NEW_STATES, 2), np.uint64)
        self.numbers = np.full(4 * NEW_STATES, -1, np.int32)
        self.flat = np.zeros((NEW_STATES, game.compact_size), np.int8)
        self.rows = _Rows(
            np.zeros(NEW_STATES, game.view),
            self.flat.view(game.compact)[:, 0],
            np.zeros((NEW_STATES, game.num_actions), np.int8),
            np.zeros((NEW_STATES, game.max_tokens, len(game.token_highs)), np.int8),
            np.zeros((NEW_TERMINALS, n), np.int32),
            np.zeros(NEW_TERMINALS),
            np.zeros((NEW_TERMINALS, n)),
            np.zeros(NEW_TERMINALS if game.roles else 0, game.state),
        )

    def terminals(self) -> Iterator[tuple[np.ndarray, ...]]:
        """All terminal histories, some at a time, as ``Tree`` has them."""
        for _ in self._walk():
            found = slice(int(self.counts[0]["new_terminals"]))
            kid = np.zeros(0, np.int8)
            if self.game.roles and found.stop:
                kid = self.game.roles.of(self.rows.final_states[found]).argmin(axis=1)
            yield (
                self.rows.sequence[found].copy(),
                self.rows.payoff[found] * self.rows.chance[found, None],
                kid.astype(np.int8),
            )

    def information_states(self, history: bool) -> Iterator[tuple[int, Decisions]]:
        """All of them, some at a time: the number of the first, and what is to be decided.

        The arrays are valid until the next are asked for.
        """
        for _ in self._walk():
            found = int(self.counts[0]["new_states"])
            if found:
                yield (
                    int(self.counts[0]["states"]) - found,
                    Decisions(
                        self.rows.views[:found],
                        self.flat[:found],
                        self.rows.masks[:found],
                        self.rows.tokens[:found] if history else None,
                    ),
                )

    def _walk(self) -> Iterator[None]:
        """To the end of the tree, stopping when rows are to be taken."""
        counts, game = self.counts[0], self.game
        level = np.dtype(
            [
                ("opened", np.int8),
                ("seat", np.int8),  # who decides, -1: chance
                ("choices", np.int64),  # where those of this history begin in the lists
                ("next", np.int64),
                ("end", np.int64),
                ("first", np.int32),  # the sequence of the first choice
                ("sequence", np.int32, game.num_players),
                ("chance", np.float64),
                ("reward", np.float64, game.num_players),
            ],
            align=True,
        )
        stack, states = np.zeros(MAX_DEPTH, level), game.new_states(MAX_DEPTH)
        codes, weights = np.zeros(MAX_CHOICES, np.int64), np.zeros(MAX_CHOICES)
        self.loop.begin(self.counts, stack, states)
        while counts["depth"] >= 0:
            self._make_room()
            lists = _Lists(codes, weights, self.keys, self.numbers, self.states, self.actions)
            fault = self.loop.advance(self.counts, stack, states, lists, self.rows)
            if fault:
                faults = {
                    self.loop.FORGOTTEN: "information states forget what their seat has done "
                    "(play one round)",
                    self.loop.TOO_MANY_CHOICES: f"more than {MAX_CHOICES:,} choices are open at once",
                    self.loop.TOO_DEEP: f"more than {MAX_DEPTH - 1:,} events in a match",
                }
                raise ValueError(f"{game.name} {dict(game.options)}: {faults[fault]}")
            if counts["histories"] > self.max_histories:
                raise ValueError(
                    f"{game.name} {dict(game.options)}: more than {self.max_histories:,} histories"
                )
            self._note_roles()
            yield

    def _note_roles(self) -> None:
        counts = self.counts[0]
        new = slice(counts["states"] - counts["new_states"], counts["states"])
        roles = self.game.roles
        self.states["role"][new] = (
            1 - self.flat[: counts["new_states"], roles.entry] if roles else -1
        )

    def _make_room(self) -> None:
        """For as many information states as there are rows for."""
        counts = self.counts[0]
        if counts["states"] + NEW_STATES > len(self.states):
            self.states = np.concatenate([self.states, np.zeros_like(self.states)])
        if counts["num_sequences"] + NEW_STATES * self.game.num_actions > len(self.actions):
            self.actions = np.concatenate([self.actions, np.full_like(self.actions, -1)])
        if 2 * (counts["states"] + NEW_STATES) > len(self.numbers):
            keys, numbers = self.keys, self.numbers
            self.keys = np.zeros((2 * len(keys), 2), np.uint64)
            self.numbers = np.full(2 * len(numbers), -1, np.int32)
            self.loop.rehash(keys, numbers, self.keys, self.numbers)


@cache
def _bound(name: str, rules: Any, act: Any) -> Kernels:
    return bind(LOOP, name, {**vars(rules), "act": act})


def _loop(game: Game) -> Kernels:
    return _bound(game.name, game.rules, game.kernels.act)
