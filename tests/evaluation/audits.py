"""Small audits, and worlds dealt anew instead of sampled."""

import dataclasses
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.adapters.aec import AEC
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation import audit as audit_module
from masked_monsters.evaluation.audit import Audit, audit
from masked_monsters.evaluation.audit.told import Encoder
from masked_monsters.evaluation.beliefs import Worlds
from tests.envs.monster_my_neighbor.test_leaks import another_world as another_deal
from tests.envs.under_my_bed.test_leaks import another_world as another_bed

MMN, UMB = "monster_my_neighbor", "under_my_bed"


def deal_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Worlds by dealing anew what a seat cannot place: likely or not, but at once."""
    true: list[np.ndarray] = []

    def history(game: Game, states: np.ndarray, lane: int, seat: int) -> None:
        true[:] = [states]

    def worlds(game: Game, seat: int, history: None, *, count: int, seed: int) -> Worlds:
        rng = random.Random(seed)
        another_world = another_deal if game.name == MMN else another_bed
        states = np.concatenate([another_world(true[0], seat, rng) for _ in range(count)])
        return Worlds(states, np.full(count, 1 / count), np.arange(count))

    monkeypatch.setattr(audit_module, "history_of", history)
    monkeypatch.setattr(audit_module, "resample", worlds)


def run(name: str = MMN, encode: Encoder | None = None, **options: Any) -> Audit:
    """An audit of a few positions, with an encoder called ``mine``."""
    encoders = {"mine": encode} if encode else {}
    return audit(get_game(name, **options), positions=36, worlds=2, encoders=encoders)


def run_changed(game: Game, **kernels: Callable[..., Any]) -> Audit:
    """An audit of a game with other kernels."""
    changed = dataclasses.replace(game)
    changed.__dict__["kernels"] = SimpleNamespace(**{**vars(game.kernels), **kernels})
    return audit(changed, positions=36, worlds=2)


def entries(result: Audit) -> set[str]:
    return {leak.entry for leak in result.leaks}


def next_has_monster(env: AEC, agent: str) -> bool:
    seat = env.possible_agents.index(agent)
    hands = env.god_view()["hands"]
    return "monster" in hands[(seat + 1) % len(hands)]


def next_is_kid(env: AEC, agent: str) -> bool:
    seat = env.possible_agents.index(agent)
    roles = env.god_view()["roles"]
    return roles[(seat + 1) % len(roles)] == "kid"
