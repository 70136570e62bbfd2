"""What a table shows: Views as plain values, and what explains them.

A game can have a module here, ``about_`` and its name, with ``PRIVATE``, the fields of its View that
nobody but the seat that looks may see, and ``about(game)``, all that the page and the help need to know
of the game. Without one its watchers are told all in words.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.game import Game
from masked_monsters.evaluation.replay import Event

PUBLIC = -1
"""Whoever watches: an eye without a seat."""


def about(game: Game) -> dict[str, Any]:
    """What stays the same all match long, and is known to all.

    ``game``, ``title``, ``num_players``, ``options``, ``actions``, and what the game's own module says
    of it.
    """
    module = _module(game.name)
    return {
        "game": game.name,
        "title": game.title,
        "num_players": game.num_players,
        "options": dict(game.options),
        "actions": list(game.actions),
        **(module.about(game) if module else {}),
    }


def view_of(game: Game, states: np.ndarray, seat: int) -> dict[str, Any]:
    """A seat's View of ``states[0]``: its fields as ints and nested lists of them."""
    views, compact = np.zeros(1, game.view), np.zeros(1, game.compact)
    game.kernels.observe(states, 0, seat, views, compact, 0)
    return {name: views[name][0].tolist() for name in game.view.names or ()}


def seen_by(game: Game, states: np.ndarray, eye: int, table: str | None = None) -> dict[str, Any]:
    """What an eye sees of ``states[0]``, whose ``Words.table`` can be handed in if it is known.

    ``view`` (of a seat; for ``PUBLIC`` that of one that does not decide, without what is private to
    it; None if the game's module is missing), ``table`` and ``own``: the same in words.
    """
    words = game.words
    table = words.table(states[0]) if table is None else table
    if eye != PUBLIC:
        views, compact = np.zeros(1, game.view), np.zeros(1, game.compact)
        game.kernels.observe(states, 0, eye, views, compact, 0)
        own = words.seat(views[0])
        return {"view": view_of(game, states, eye), "table": table, "own": own}
    view = None
    if private := _private(game):
        seat = 1 if states["to_move"][0] == 0 else 0
        view = view_of(game, states, seat)
        view = {name: value for name, value in view.items() if name not in private}
    return {"view": view, "table": table, "own": ""}


def told(game: Game, before: np.ndarray, event: Event, eye: int) -> str | None:
    """An event at ``before[0]`` as an eye sees it; None if it does not."""
    seat = None if eye == PUBLIC else eye
    if before["phase"][0] == CHANCE:
        return game.words.outcome_seen(before[0], event["chance"], seat)
    return game.words.action_seen(before[0], event["action"], seat)


def act_told(game: Game, before: np.ndarray, event: Event, eye: int) -> dict[str, Any] | None:
    """An act, ``{"seat", "action"}``, as an eye sees it.

    None if it does not; the action is None if it is not the eye's own and not all of it is told.
    """
    if (sentence := told(game, before, event, eye)) is None:
        return None
    whole = game.words.action(before[0], event["action"])
    is_seen = event["seat"] == eye or sentence == whole
    return {"seat": event["seat"], "action": event["action"] if is_seen else None}


def reveal(game: Game, states: np.ndarray) -> dict[str, Any]:
    """All there is, once a match is over: ``views`` by seat, ``god`` (see ``Words.god_view``)."""
    return {
        "views": [view_of(game, states, seat) for seat in range(game.num_players)],
        "god": game.words.god_view(states[0]),
    }


def _private(game: Game) -> tuple[str, ...]:
    module = _module(game.name)
    return module.PRIVATE if module else ()


@cache
def _module(game: str) -> Any:
    module = f"{__package__}.about_{game}"
    return import_module(module) if find_spec(module) else None
