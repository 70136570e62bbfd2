"""What the package tells a seat, to be compared between worlds that the seat cannot tell apart."""

from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from masked_monsters.envs.adapters.aec import AEC
from masked_monsters.envs.game import Game
from tests.envs.lockstep import Lockstep
from tests.games import module_of


@cache
def environment(game: Game, kind: str) -> AEC:
    env = module_of(game.name).raw_env(**game.options, observation=kind, render_mode="ansi")
    env.reset(seed=0)
    return env


def seen(game: Game, states: np.ndarray, seat: int, *, turn: bool = True) -> dict[str, Any]:
    """All that the package would tell ``seat``, through the environment in both encodings.

    Args:
        game: one and the same object for all positions with its options.
        states: one record.
        seat: who looks.
        turn: is it public whose turn it is?
    """
    told: dict[str, Any] = {}
    for kind in ("compact", "history"):
        env = environment(game, kind)
        env._states[:] = states
        env._select()
        agent = env.possible_agents[seat]
        told |= {f"{kind} {name}": entry.tolist() for name, entry in env.observe(agent).items()}
        info = env.infos[agent]
        told[f"{kind} info"] = {name: np.asarray(entry).tolist() for name, entry in info.items()}
        told[f"{kind} render"] = env.render()
        told[f"{kind} string"] = env.information_state_string(agent)
        if turn:
            told[f"{kind} turn"] = env.agent_selection
    view = np.zeros(1, game.view)
    game.kernels.observe(states, 0, seat, view, np.zeros(1, game.compact), 0)
    told["view"] = {name: view[name].tolist() for name in game.view.names or ()}
    told["words"] = game.words.seat(view[0])
    return told


def check_tree(root: Lockstep, turn_is_public: Any = lambda states: True) -> None:
    """Who knows the same by the twin's own account is told the same, whoever is to move."""
    game = root.game
    first: dict[Any, dict[str, Any]] = {}
    waiting: list[Any] = [root]
    worlds = 0
    while waiting:
        node = waiting.pop()
        if node.twin.over:
            continue
        if node.twin.phase == "chance":
            for code in node.outcomes() or ():
                child = node.clone()
                child.resolve(code)
                waiting.append(child)
            continue
        for seat in range(game.num_players):
            known = node.twin.information_state(seat)
            if crc32(repr(known).encode()) % 10 == 0:  # a sample, but with all worlds of each
                told = seen(game, node.states, seat, turn=turn_is_public(node.states))
                assert first.setdefault(known, told) == told
                worlds += 1
        for action in node.legal_actions():
            child = node.clone()
            child.step(action)
            waiting.append(child)
    assert worlds > len(first) + 1000
