"""Short words to play a game on from a hand-built position, and to look at what came of it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.game import Game

MOST_OUTCOMES = 20_000


class Driver:
    """The words for one game; positions are arrays of one record.

    Args:
        game: with any options that leave the actions as they are in the positions.
        token_kinds: the names of the kinds of rows that a seat recalls.
        named: the name of an outcome of the pending chance event, given its code.
        code: the code of an outcome, given its name.
        most_tokens: that a seat can recall in any of the positions.
    """

    def __init__(
        self,
        game: Game,
        *,
        token_kinds: Sequence[str],
        named: Callable[[np.ndarray, int], str],
        code: Callable[[np.ndarray, str], int],
        most_tokens: int,
    ) -> None:
        self.game = game
        self.kernels = game.kernels
        self.token_kinds = token_kinds
        self.named = named
        self.code = code
        self.most_tokens = most_tokens

    def legal(self, states: np.ndarray) -> set[str]:
        """The names of the actions that the seat to move may take."""
        mask = np.zeros(self.game.num_actions, np.int8)
        self.kernels.list_legal(states, 0, mask)
        return {self.game.actions[action] for action in np.flatnonzero(mask)}

    def do(self, states: np.ndarray, *actions: str) -> None:
        """The seats to move take these legal actions in turn; chance is left to ``happen``."""
        for name in actions:
            allowed = self.legal(states)
            assert name in allowed, f"{name}: allowed are {allowed}"
            self.kernels.step(states, 0, self.game.actions.index(name), False)

    def outcomes(self, states: np.ndarray) -> dict[str, float]:
        """What the pending chance event can bring, and how likely."""
        assert states["phase"][0] == CHANCE, "nothing is left to chance"
        codes, weights = np.zeros(MOST_OUTCOMES, np.int64), np.zeros(MOST_OUTCOMES)
        found = self.kernels.list_chance(states, 0, codes, weights)
        assert found <= MOST_OUTCOMES
        named = {self.named(states, int(codes[i])): float(weights[i]) for i in range(found)}
        assert len(named) == found, "each outcome is listed once"
        return named

    def happen(self, states: np.ndarray, *what: str) -> None:
        """The pending chance events bring these."""
        for name in what:
            possible = self.outcomes(states)
            assert name in possible, f"{name}: possible are {list(possible)[:20]}"
            self.kernels.resolve_chance(states, 0, self.code(states, name))

    def settle(self, states: np.ndarray) -> None:
        """The record's generator decides until a seat must."""
        while states["phase"][0] == CHANCE:
            self.kernels.resolve_chance(states, 0, self.kernels.draw_chance(states, 0))

    def god(self, states: np.ndarray) -> dict[str, Any]:
        """The whole hidden state as plain values."""
        return self.game.words.god_view(states[0])

    def look(self, states: np.ndarray, seat: int) -> Any:
        """What a seat sees: a record of the game's view."""
        return self._observe(states, seat)[0]

    def compact(self, states: np.ndarray, seat: int) -> Any:
        """What a seat sees as numbers: a record of the ``compact`` observation."""
        return self._observe(states, seat)[1]

    def _observe(self, states: np.ndarray, seat: int) -> tuple[Any, Any]:
        views, observations = np.zeros(1, self.game.view), np.zeros(1, self.game.compact)
        self.kernels.observe(states, 0, seat, views, observations, 0)
        return views[0], observations[0]

    def history(self, states: np.ndarray, seat: int) -> list[tuple[Any, ...]]:
        """What a seat recalls: rows of the kind's name, who, whom, what."""
        tokens = np.zeros((self.most_tokens, len(self.game.token_highs)), np.int8)
        used = self.kernels.recollect(states, 0, seat, tokens)
        return [(self.token_kinds[kind], *map(int, row)) for kind, *row in tokens[:used]]

    def told_apart(self, one: np.ndarray, other: np.ndarray) -> list[int]:
        """The seats whose view, vector or history differs; all three must agree on it."""
        seats = []
        for seat in range(int(one["num_players"][0])):
            differs = {
                "view": self.look(one, seat) != self.look(other, seat),
                "compact": self.compact(one, seat) != self.compact(other, seat),
                "history": self.history(one, seat) != self.history(other, seat),
            }
            assert len(set(map(bool, differs.values()))) == 1, f"seat {seat}: {differs}"
            if differs["view"]:
                seats.append(seat)
        return seats
