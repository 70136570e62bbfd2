"""``Game``: all that adapters, the batch, trainers and evaluation know of any game."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from masked_monsters.envs.engine.kernels import Kernels, bind
from masked_monsters.envs.engine.segments import Segment, highs, slices

LOOP = Path(__file__).parent / "engine" / "loop.py"


class Words(Protocol):
    """A game as text and plain values. Seats in ``view`` texts are relative to the one that looks."""

    def god_view(self, state: Any) -> dict[str, Any]:
        """The whole hidden state as plain Python values."""
        ...

    def table(self, state: Any) -> str:
        """What everybody sees, as lines of ASCII."""
        ...

    def seat(self, view: Any) -> str:
        """What one seat sees, as lines of ASCII."""
        ...

    def outcome(self, state: Any, code: int) -> str:
        """A chance event's outcome, as a phrase."""
        ...

    def action(self, state: Any, action_: int) -> str:
        """An action of the seat to move, as a sentence."""
        ...

    def outcome_seen(self, state: Any, code: int, seat: int | None) -> str | None:
        """An outcome as a seat sees it (None: the whole table); None if it does not."""
        ...

    def action_seen(self, state: Any, action_: int, seat: int | None) -> str | None:
        """An action as a seat sees it (None: the whole table); None if it does not."""
        ...

    def information_state(self, tokens: np.ndarray) -> str:
        """All that a seat recalls, from its rows of tokens, as one line."""
        ...


@dataclass(frozen=True, eq=False)
class Rules:
    """A game's compiled functions. Each takes one record first: of the state, or of the view."""

    start: Callable[..., None]
    """``(state)``: a new match with the record's options, waiting for chance."""
    legal: Callable[..., None]
    """``(state, mask)``: 1 for every action the seat to move may do, else 0."""
    apply: Callable[..., None]
    """``(state, action)``: the seat to move does a legal action."""
    chance: Callable[..., int]
    """``(state, codes, weights)``: the outcomes of the pending chance event; returns their number."""
    draw: Callable[..., int]
    """``(state)``: one of them, by the record's generator."""
    resolve: Callable[..., None]
    """``(state, code)``: it happens."""
    look: Callable[..., None]
    """``(state, seat, view)``: what the seat may know."""
    recall: Callable[..., int]
    """``(state, seat, tokens)``: what it has seen happen; returns the number of rows."""
    encode: Callable[..., None]
    """``(view, out)``: the ``compact`` observation."""


@dataclass(frozen=True)
class Roles:
    """The roles that a match deals for good, and how it can end; for evaluation by role."""

    names: tuple[str, ...]
    """Measured by role, one player has the first and another all the others."""
    of: Callable[[np.ndarray], np.ndarray]
    """States in which all is dealt; ``(k, n)`` integers, each seat's role, ``n`` being the largest
    table's seats; at smaller ones the last columns say nothing."""
    entry: int
    """The entry of the ``compact`` observation that is 1 for the first role."""
    outcomes: tuple[str, ...]
    """How a match can end."""
    outcome: Callable[[np.ndarray], np.ndarray]
    """Final states; ``(k,)`` integers, which of them."""
    length_unit: str
    """What a match's length is counted in."""
    length: Callable[[np.ndarray], np.ndarray]
    """Final states; ``(k,)`` integers, how many of those."""


@dataclass(frozen=True)
class Bounds:
    """What a match with these options cannot exceed, whatever is played, and how it pays.

    For solvers and their libraries, which lay out their tables by it. A bound may be somewhat more
    than any match reaches.
    """

    rounds: int
    """Rounds of a match."""
    decisions: int
    """Decisions of a match, of all seats."""
    chances: int
    """Chance events of a match, those with one possible outcome included."""
    outcomes: int
    """Outcomes of one chance event."""
    least_score: float
    """Of a seat: the sum of all that a match pays it."""
    most_score: float
    zero_sum: bool
    """Do all seats' scores add up to 0 in every match?"""
    pays_at_end: bool
    """Is nothing paid before a match's last action?"""


@cache
def _kernels(name: str, rules: Rules) -> Kernels:
    """The engine's loops, loaded once a game, whatever its options."""
    return bind(LOOP, name, vars(rules))


@dataclass(frozen=True, eq=False)
class Game:
    """One game with its options, as ``registry.get_game`` makes it. Pickles as its name and options."""

    name: str
    title: str
    version: int
    """Of the rules: goes up when the same seed and actions would give another game."""
    state: np.dtype
    view: np.dtype
    segments: tuple[Segment, ...]
    """Of the ``compact`` observation."""
    compact: np.dtype
    token_highs: tuple[int, ...]
    """Of the ``history`` observation: the upper bound of each column of a row."""
    max_tokens: int
    actions: tuple[str, ...]
    """The name of each action."""
    options: Mapping[str, Any]
    """All of them."""
    record: np.ndarray
    """``(1,)`` of ``state``: a match with these options that has not begun."""
    bounds: Bounds
    rules: Rules
    words: Words
    roles: Roles | None = None
    """None if nobody keeps a role for the whole match."""
    choices: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """What an option can be, for those of which a few values are all."""

    @property
    def num_players(self) -> int:
        """How many seats the table has."""
        return int(self.record["num_players"][0])

    @property
    def num_actions(self) -> int:
        """How many actions there are."""
        return len(self.actions)

    @property
    def compact_size(self) -> int:
        """The entries of the ``compact`` observation."""
        return self.compact.itemsize

    @cached_property
    def compact_highs(self) -> np.ndarray:
        """The upper bound of each entry of the ``compact`` observation, int8; the lower is 0."""
        return highs(self.segments)

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where each segment lies in the ``compact`` observation."""
        return slices(self.segments)

    @cached_property
    def kernels(self) -> Kernels:
        """The engine's loops, compiled with this game's rules."""
        return _kernels(self.name, self.rules)

    def new_states(self, count: int) -> np.ndarray:
        """``count`` records with the options; no match has begun."""
        return np.repeat(self.record, count)

    def history(self, states: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        """What the deciding seats of some states recall, as ``history`` observations.

        Args:
            states: records of ``state``.
            lanes: ``(k,)`` integers, which of them.

        Returns:
            ``(k, max_tokens, len(token_highs))`` int8; rows that are not used are 0, and no others
            begin with 0.
        """
        tokens = np.zeros((len(lanes), self.max_tokens, len(self.token_highs)), np.int8)
        self.kernels.recollect_lanes(states, lanes, tokens)
        return tokens

    def with_options(self, /, **options: Any) -> "Game":
        """The game with some options changed; ``ValueError`` names a bad one."""
        from masked_monsters.envs.registry import get_game

        return get_game(self.name, **{**self.options, **options})

    def __reduce__(self) -> tuple[Any, ...]:
        from masked_monsters.envs.registry import get_game

        return partial(get_game, self.name, **self.options), ()
