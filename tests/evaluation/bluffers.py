"""Players that bluff, or never do, and positions of theirs."""

import numpy as np

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, sample
from masked_monsters.envs.under_my_bed import state as B

PLAYERS = {"monster_my_neighbor": "random", "under_my_bed": "honest"}
"""Who plays long enough to say something."""
GAMES = tuple(PLAYERS)


class Table:
    """A policy given as a function of decisions; its weights need not add up to 1."""

    name = "table"

    def __init__(self, game: Game) -> None:
        self.game = game
        self.reset(0)

    def weights(self, decisions: Decisions) -> np.ndarray:
        raise NotImplementedError

    def reset(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def act(self, decisions: Decisions) -> np.ndarray:
        return sample(self.probabilities(decisions), self.random)

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        weights = self.weights(decisions).astype(np.float64)
        return weights / weights.sum(axis=1, keepdims=True)


class NeverLies(Table):
    """As the kid, looks under the bed rather than say anything; else anything legal."""

    def weights(self, decisions: Decisions) -> np.ndarray:
        weights = decisions.action_mask.copy()
        view = decisions.view
        silent = (view["phase"] == B.ANSWER) & (view["role"] == B.KID)
        weights[silent, : self.game.num_actions - B.MAX_PLAYERS] = 0
        return weights


class First(Table):
    """Always the first legal action."""

    def weights(self, decisions: Decisions) -> np.ndarray:
        return np.arange(self.game.num_actions) == decisions.action_mask.argmax(axis=1)[:, None]


def random_states(game: Game, count: int, seed: int = 0) -> np.ndarray:
    """Of decisions in random matches."""
    random = np.random.default_rng(seed)
    batch = Batch(game, 64, seed)
    found = []
    while sum(map(len, found)) < count:
        found.append(batch.states[random.random(64) < 0.3].copy())
        batch.step((random.random(batch.action_mask.shape) * batch.action_mask).argmax(axis=1))
    return np.concatenate(found)[:count]
