"""Players in plain Python, and ones that watch."""

import numpy as np

from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions
from masked_monsters.evaluation.baselines import get_baseline


class Drawing:
    """Any legal action."""

    name = "drawing"

    def __init__(self, weights: np.ndarray | float = 1.0) -> None:
        self.weights = weights  # of the actions, see tests.games.weights

    def reset(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)

    def act(self, decisions: Decisions) -> np.ndarray:
        weights = decisions.action_mask * self.weights
        return (self.generator.random(weights.shape) * weights).argmax(axis=1)

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


def likings(game: Game, name: str, states: np.ndarray) -> dict[str, float]:
    """The probability of each action that the seat to move may take, by a scripted player."""
    views, observations = np.zeros(1, game.view), np.zeros(1, game.compact)
    masks = np.zeros((1, game.num_actions), np.int8)
    game.kernels.observe(states, 0, int(states["to_move"][0]), views, observations, 0)
    game.kernels.list_legal(states, 0, masks[0])
    decisions = Decisions(views, observations.view(np.int8).reshape(1, -1), masks)
    (row,) = get_baseline(game, name).probabilities(decisions)
    return {game.actions[action]: row[action] for action in np.flatnonzero(masks[0])}
