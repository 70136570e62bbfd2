"""PettingZoo environments played at random."""

import random
from typing import Any

import numpy as np

from tests.games import weights


def choose(match: Any, chooser: random.Random) -> int:
    """A legal action of the selected agent."""
    mask = match.observe(match.agent_selection)["action_mask"]
    (action,) = chooser.choices(range(len(mask)), (mask * weights(match.unwrapped.game)).tolist())
    return action


def play(match: Any, steps: int | None = None, seed: int = 0) -> list[Any]:
    """Random legal play for so many decisions, or to the end; returns what ``last`` said."""
    chooser = random.Random(seed)
    told = []
    while match.agents and steps != 0:
        observation, reward, termination, truncation, _ = match.last()
        told.append(
            (match.agent_selection, reward, termination, observation["observation"].tobytes())
        )
        match.step(None if termination or truncation else choose(match, chooser))
        steps = None if steps is None else steps - 1
    return told


def told(match: Any) -> Any:
    """All that is told now, as plain values."""
    observations = [match.observe(agent) for agent in match.agents]
    flags = match.rewards, match.terminations, match.truncations
    return plain(
        [match.agents, match.agent_selection, match.last(), observations, match.infos, flags]
    )


def plain(value: Any) -> Any:
    """With lists in place of arrays, so that it can be compared."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value.tolist() if isinstance(value, np.ndarray) else value
