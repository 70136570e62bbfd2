"""What bluffing is in a game: a ``Lens`` says which acts say something, what, and who believes it."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol

import numpy as np

from masked_monsters.envs.errors import check_choice
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy

Forbid = Callable[[Decisions], np.ndarray]
"""``(k, num_actions)`` bool: acts that are not to be done."""


class Acts(NamedTuple):
    """``k`` acts of one player, each at a state of its own."""

    lanes: np.ndarray
    """``(k,)``: the matches that they belong to."""
    states: np.ndarray
    """``(k,)`` records: before the act; the deciding seat acts."""
    actions: np.ndarray
    probabilities: np.ndarray
    """``(k, num_actions)``: the policy's."""
    policy: Policy
    close: np.ndarray
    """``(k,)`` bool: is this a match in which all is measured, that which takes long included?"""


class Lens(Protocol):
    """Looks at matches of one game as they are played, on many lanes."""

    roles: tuple[str, ...]
    """Whom the ledger tells apart."""
    kinds: tuple[str, ...]
    """Of acts."""
    truth: tuple[str, ...]
    """By role: the fact of which the observers' belief is measured."""
    phases: tuple[str, ...]
    """The game's, by number."""
    observers: str
    """How they are taken to believe, in words."""

    def measure(self, acts: Acts) -> dict[str, np.ndarray]:
        """Columns of ``ledger.ACT`` of these acts; ``kind`` is -1 for acts that say nothing."""
        ...

    def hear(self, lanes: np.ndarray, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """All acts of a step, by whomever, after ``measure``.

        Returns:
            ``(k,)``: the seat that is challenged by the act, else -1.
        """
        ...


def make_lens(game: Game, lanes: int, observers: str | None, seed: int) -> Lens:
    """The game's lens, for so many lanes; ``ValueError`` if there is none, or no such observers."""
    return _module(game).make_lens(game, lanes, observers, seed)


def ways_to_forbid(game: Game) -> tuple[str, ...]:
    """The names of what a player of the game can be kept from."""
    return _module(game).FORBID


def forbidden_acts(game: Game, name: str, observers: str | None, agent: Policy | None) -> Forbid:
    """What a player is kept from, by its name.

    Args:
        game: the game.
        name: of ``ways_to_forbid``.
        observers: as for ``make_lens``.
        agent: the player, which some observers know.

    Raises:
        ValueError: if there is no such way, or no such observers.
    """
    check_choice("forbidden", name, ways_to_forbid(game))
    return _module(game).make_forbid(game, name, observers, agent)


def _module(game: Game) -> Any:
    module = f"{__package__}.{game.name}"
    if find_spec(module) is None:
        raise ValueError(f"{game.name}: has no lens (a module of its name in {__package__})")
    return import_module(module)
