"""PettingZoo environments played at random."""

import random
from typing import Any

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
