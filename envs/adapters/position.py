"""A point in a match as a value: what explicit game trees are made of."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from masked_monsters.envs.engine.phases import CHANCE, MAX_PLAYERS, OVER
from masked_monsters.envs.errors import check_choice
from masked_monsters.envs.game import Game

CHANCE_DECIDES = -1
NOBODY_DECIDES = -2
"""The match is over."""


class FinishedRound(NamedTuple):
    """What is left of a round once the next one has begun."""

    tokens: tuple[np.ndarray, ...]
    """By seat, its ``history`` rows at the round's last decision."""
    texts: tuple[str, ...]
    """By seat, what it saw of that decision's action."""
    ends: tuple[tuple[int, int], ...]
    """By seat, who decided (relative to it, plus 1) and what (plus 1; 0 if it was not told)."""


@dataclass(frozen=True, eq=False)
class Position:
    """A point in a match; never changes, so that copies can share it."""

    game: Game
    memory: np.ndarray
    """``(game.state.itemsize,)`` uint8: the record, which is copied much quicker as bytes."""
    paid: tuple[float, ...]
    """By seat, what was paid before the last action."""
    finished: tuple[FinishedRound, ...]
    """The rounds before this one, which the record has forgotten."""

    @classmethod
    def start(cls, game: Game) -> "Position":
        """Of a match that waits for its first chance event."""
        states = game.new_states(1)
        game.kernels.start_match(states, 0, False)
        return cls(game, states.view(np.uint8), (0.0,) * game.num_players, ())

    def __deepcopy__(self, memo: dict[int, Any]) -> "Position":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Position, (self.game, self.memory, self.paid, self.finished)

    @cached_property
    def states(self) -> np.ndarray:
        """``(1,)`` of ``game.state``."""
        return np.ndarray(1, self.game.state, self.memory)

    @cached_property
    def decider(self) -> int:
        """The seat to move, or ``CHANCE_DECIDES`` or ``NOBODY_DECIDES``."""
        phase = self.states["phase"][0]
        if phase == CHANCE:
            return CHANCE_DECIDES
        return NOBODY_DECIDES if phase == OVER else int(self.states["to_move"][0])

    @cached_property
    def legal(self) -> list[int]:
        """The actions that the seat to move may do, ascending."""
        mask = np.zeros(self.game.num_actions, np.int8)
        self.game.kernels.list_legal(self.states, 0, mask)
        return np.flatnonzero(mask).tolist()

    @cached_property
    def outcomes(self) -> tuple[list[int], list[float]]:
        """The codes of the pending chance event and their probabilities, in canonical order."""
        most = self.game.bounds.outcomes
        codes, weights = np.empty(most, np.int64), np.empty(most)
        found = self.game.kernels.list_chance(self.states, 0, codes, weights)
        return codes[:found].tolist(), weights[:found].tolist()

    @cached_property
    def rewards(self) -> list[float]:
        """By seat, what the last action and the chance events after it have paid."""
        return [_exact(paid) for paid in self.states["reward"][0, : self.game.num_players].tolist()]

    @cached_property
    def returns(self) -> list[float]:
        """By seat, what has been paid so far."""
        return [before + now for before, now in zip(self.paid, self.rewards, strict=True)]

    def after_outcome(self, index: int) -> "Position":
        """Chance decides for the outcome of that place in ``outcomes``."""
        codes, _ = self.outcomes
        if not 0 <= index < len(codes):
            raise ValueError(f"outcome={index}: must be an integer from 0 to {len(codes) - 1}")
        after = Position(self.game, self.memory.copy(), self.paid, self.finished)
        self.game.kernels.resolve_chance(after.states, 0, codes[index])
        return after

    def after_action(self, action: int) -> "Position":
        """The seat to move does ``action``."""
        check_choice("action", action, self.legal)
        after = Position(self.game, self.memory.copy(), tuple(self.returns), self.finished)
        self.game.kernels.step(after.states, 0, action, False)
        if after.states["round"][0] == self.states["round"][0]:
            return after
        return replace(after, finished=(*self.finished, self._finish(action)))

    def _finish(self, action: int) -> FinishedRound:
        """The round that ``action`` ends: no round ends by chance."""
        n, words, state = self.game.num_players, self.game.words, self.states[0]
        fully = words.action(state, action)
        texts = tuple(words.action_seen(state, action, seat) or "" for seat in range(n))
        return FinishedRound(
            tuple(self.recall(seat) for seat in range(n)),
            texts,
            tuple(
                ((self.decider - seat) % n + 1, action + 1 if text == fully else 0)
                for seat, text in enumerate(texts)
            ),
        )

    def recall(self, seat: int) -> np.ndarray:
        """The rows of the seat's ``history`` that are in use."""
        tokens = np.zeros((self.game.max_tokens, len(self.game.token_highs)), np.int8)
        return tokens[: self.game.kernels.recollect(self.states, 0, seat, tokens)]

    def view(self, seat: int) -> tuple[Any, np.ndarray]:
        """The seat's view, and its ``compact`` observation."""
        views, compact = np.zeros(1, self.game.view), np.zeros(1, self.game.compact)
        self.game.kernels.observe(self.states, 0, seat, views, compact, 0)
        return views[0], compact.view(np.int8)

    def information_state(self, seat: int) -> str:
        """All that the seat has seen in the match: round by round, each with its last action."""
        words = self.game.words
        before = (
            f"{words.information_state(each.tokens[seat])} > {each.texts[seat]} / "
            for each in self.finished
        )
        return f"player_{seat}: {''.join(before)}{words.information_state(self.recall(seat))}"


@cache
def _exact(paid: float) -> float:
    """A payment to the last bit: records hold fractions of few parts in single precision."""
    return float(Fraction(paid).limit_denominator(MAX_PLAYERS**2))
