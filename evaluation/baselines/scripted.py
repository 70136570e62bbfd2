"""A scripted player as a policy."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.kernels import Kernels, bind
from masked_monsters.envs.engine.random import GENERATOR
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions

LOOP = Path(__file__).with_name("loop.py")
MAX_SEED = 2**64 - 1


@compiled
def weigh_evenly(view: Any, mask: Any, weights: Any) -> None:
    """Every legal action alike."""
    weights[:] = mask


class ScriptedPolicy:
    """Plays by one compiled function, ``weigh(view, mask, weights)``.

    It reads a record of ``game.view`` and the legal actions, and writes a weight for each action:
    positive only if legal, and for at least one. Actions are drawn in proportion to their weights.
    Pickles as its names and the state of its random numbers.
    """

    def __init__(self, game: Game, name: str, weigh: Callable[..., None]) -> None:
        self.game = game
        self.name = name
        self.weigh = weigh
        self._generator = np.zeros(1, GENERATOR)

    def reset(self, seed: int) -> None:
        """Start the policy's random numbers anew, from a seed of 0 … 2**64 - 1."""
        self._generator["random"] = check_range("seed", seed, 0, MAX_SEED)

    def act(self, decisions: Decisions) -> np.ndarray:
        """``(k,)`` int64: actions drawn in proportion to their weights."""
        views, masks = _contiguous(decisions)
        weights = np.zeros(masks.shape[1])
        actions = np.zeros(len(views), np.int64)
        self._kernels.choose(views, masks, self._generator, weights, actions)
        return actions

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """``(k, game.num_actions)`` float64: the weights, each row divided by its sum."""
        views, masks = _contiguous(decisions)
        probabilities = np.zeros(masks.shape)
        self._kernels.distribute(views, masks, probabilities)
        return probabilities

    @cached_property
    def _kernels(self) -> Kernels:
        return bind(LOOP, f"{self.game.name}_{self.name}", {"weigh": self.weigh})

    def __reduce__(self) -> tuple[Any, ...]:
        from masked_monsters.evaluation.baselines import get_baseline

        return get_baseline, (self.game, self.name), {"_generator": self._generator}


def _contiguous(decisions: Decisions) -> tuple[np.ndarray, np.ndarray]:
    """The views and masks, of the one layout that the loops are compiled for."""
    return np.ascontiguousarray(decisions.view), np.ascontiguousarray(decisions.action_mask)
