"""What deciding seats are given, shown from states instead of as matches go on."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from masked_monsters.envs.engine.kernels import Kernels, bind
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions

LOOP = Path(__file__).with_name("decisions_loop.py")


def decisions_at(game: Game, states: np.ndarray, history: bool) -> Decisions:
    """What is to be decided in ``(k,)`` records of ``game.state``, each at a decision.

    ``history``: is what the deciding seats recall wanted, too?
    """
    size = len(states)
    views = np.zeros(size, game.view)
    observations = np.zeros((size, game.compact_size), np.int8)
    masks = np.zeros((size, game.num_actions), np.int8)
    loop = _loop(game.name, game.rules)
    loop.show(states, views, observations.view(game.compact)[:, 0], masks)
    return Decisions(
        views, observations, masks, game.history(states, np.arange(size)) if history else None
    )


def some_of(decisions: Decisions, rows: np.ndarray) -> Decisions:
    """These rows of them."""
    return Decisions(
        decisions.view[rows],
        decisions.observation[rows],
        decisions.action_mask[rows],
        None if decisions.history is None else decisions.history[rows],
    )


def encode_views(game: Game, views: np.ndarray) -> np.ndarray:
    """``(k, game.compact_size)`` int8: the observations of some views."""
    observations = np.zeros((len(views), game.compact_size), np.int8)
    _loop(game.name, game.rules).encode_all(views, observations.view(game.compact)[:, 0])
    return observations


@cache
def _loop(name: str, rules: Any) -> Kernels:
    return bind(LOOP, name, vars(rules))
