"""Players in plain Python, and ones that watch."""

import numpy as np

from masked_monsters.envs.policy import Decisions


class Drawing:
    """Any legal action."""

    name = "drawing"

    def reset(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)

    def act(self, decisions: Decisions) -> np.ndarray:
        shape = decisions.action_mask.shape
        return (self.generator.random(shape) * decisions.action_mask).argmax(axis=1)

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        return decisions.action_mask / decisions.action_mask.sum(axis=1, keepdims=True)


class First(Drawing):
    """The first legal action: no luck in it."""

    name = "first"

    def act(self, decisions: Decisions) -> np.ndarray:
        return decisions.action_mask.argmax(axis=1)


class Last(Drawing):
    """The last legal action."""

    name = "last"

    def act(self, decisions: Decisions) -> np.ndarray:
        width = decisions.action_mask.shape[1]
        return width - 1 - decisions.action_mask[:, ::-1].argmax(axis=1)


class Watching:
    """Plays like another player, and keeps the views of all decisions, one array a call."""

    def __init__(self, player: Drawing | None = None) -> None:
        self.player = player or First()
        self.name = self.player.name
        self.views: list[np.ndarray] = []

    def reset(self, seed: int) -> None:
        self.player.reset(seed)

    def act(self, decisions: Decisions) -> np.ndarray:
        self.views.append(decisions.view.copy())
        return self.player.act(decisions)

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        return self.player.probabilities(decisions)
