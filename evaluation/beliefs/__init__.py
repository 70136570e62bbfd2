"""What a seat may believe of all that it cannot know: worlds it cannot tell from the true one, weighted.

Each game has a module here, of its name, with a ``resample`` of its own.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from masked_monsters.envs.batch import MAX_SEED
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy

Profile = Policy | Sequence[Policy] | None
"""How the others are taken to play: all alike, or one policy for each seat, the own one not being
asked; None: every legal action alike."""


class NothingFitsError(ValueError):
    """No world fits a history, or none that the profile would lead to."""


class Worlds(NamedTuple):
    """Some worlds, as ``resample`` finds them."""

    states: np.ndarray
    """``(count,)`` records of ``game.state``, each at the present moment; maybe fewer than asked for."""
    weights: np.ndarray
    """``(count,)`` float64, adding up to 1."""
    origins: np.ndarray | None = None
    """``(count,)`` integers: worlds with the same have been drawn together at first; None: none have."""

    @property
    def effective_size(self) -> float:
        """So many independent worlds of equal weights would be as good, or more: 1 to ``count``.

        Kong (1992); worlds of one origin are counted as one, as if they were the same, in the manner
        of Lee and Whiteley (2018).
        """
        of_origin = self.weights
        if self.origins is not None:
            of_origin = np.bincount(self.origins, self.weights)
        return float(1 / (of_origin**2).sum())


def seated(profile: Profile, game: Game) -> list[Policy | None]:
    """The policy of every seat; None: every legal action alike.

    Raises:
        ValueError: if the profile is of another number of seats.
    """
    if not isinstance(profile, Sequence):
        return [profile] * game.num_players
    if len(profile) != game.num_players:
        raise ValueError(
            f"profile of {len(profile)} policies: must be one for each of {game.num_players} seats"
        )
    return list(profile)


def copied(states: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """``states[rows]``, byte by byte: numpy copies records field by field, many times slower."""
    as_bytes = states.view(np.uint8).reshape(len(states), -1)
    return as_bytes[rows].view(states.dtype)[:, 0]


def history_of(game: Game, states: np.ndarray, lane: int, seat: int) -> np.ndarray:
    """``(rows, columns)`` int8: what a seat recalls in a state, without rows that are not used."""
    tokens = np.zeros((game.max_tokens, len(game.token_highs)), np.int8)
    return tokens[: game.kernels.recollect(states, lane, seat, tokens)]


def resample(
    game: Game,
    seat: int,
    history: np.ndarray,
    *,
    profile: Profile = None,
    count: int = 1000,
    seed: int = 0,
) -> Worlds:
    """Worlds in which a seat recalls just what it does, weighted by their posterior probability.

    What is read is what the seat recalls and nothing else, so what comes of it cannot leak.

    Args:
        game: the game, with its options.
        seat: who looks; rows of its history are relative to it.
        history: ``(rows, columns)`` int8, see ``history_of``; rows of zeros at the end do not matter.
        profile: how all others are taken to play.
        count: how many worlds are drawn; those in which something cannot be drop out on the way.
        seed: of all that is drawn; 0 … 2**64 - 1.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
        NothingFitsError: if no world fits the history, as far as can be told.
    """
    check_range("seat", seat, 0, game.num_players - 1)
    check_range("count", count, 1, 2**31)
    check_range("seed", seed, 0, MAX_SEED)
    module = f"{__name__}.{game.name}"
    if find_spec(module) is None:
        raise ValueError(f"{game.name}: has no beliefs (a module of its name in {__name__})")
    used = _used_rows(game, history)
    return import_module(module).resample(
        game, seat, used, seated(profile, game), count, np.random.default_rng(seed)
    )


def _used_rows(game: Game, history: np.ndarray) -> np.ndarray:
    """Those that are not 0, if all could be of the game."""
    rows, highs = np.asarray(history), game.token_highs
    if rows.dtype.kind not in "iu" or rows.ndim != 2 or rows.shape[1] != len(highs):
        raise ValueError(
            f"history: must be rows of {len(highs)} integers, is {rows.dtype} {rows.shape}"
        )
    wrong = ((rows < 0) | (rows > np.array(highs))).any(axis=1)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"history[{row}]={rows[row].tolist()}: must be from 0 to {list(highs)}")
    return rows[rows[:, 0] != 0]
