"""What the tests of the Gymnasium environments share: a learner that chooses, opponents, a reference."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from masked_monsters.envs.adapters.aec import AEC
from masked_monsters.envs.engine.random import below, mix
from masked_monsters.envs.engine.tables import SALT, TABLE
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import baselines
from tests.games import module_of, weights


def strongest(name: str) -> str:
    """The name of the game's strongest scripted player."""
    return baselines(get_game(name))[-1]


def choose(game: Game, masks: np.ndarray, rng: np.random.Generator) -> Any:
    """A legal action for each row of masks; for a single mask, one."""
    return (masks * weights(game) * rng.random(masks.shape)).argmax(axis=-1)


class Last:
    """A policy that is not scripted: does the last legal action, and says how it was used."""

    name = "last"

    def __init__(self) -> None:
        self.seeds: list[int] = []
        self.decided = 0

    def reset(self, seed: int) -> None:
        self.seeds.append(seed)

    def act(self, decisions: Decisions) -> np.ndarray:
        masks = decisions.action_mask
        assert masks.any(axis=1).all()
        assert decisions.observation.any(axis=1).all()
        self.decided += len(masks)
        actions = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        masks[:] = 1  # a policy may write into what it is given
        return actions

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        raise NotImplementedError


class ThroughAEC:
    """A learner's matches, as played move by move in the PettingZoo environment.

    Args:
        name: the game.
        seat: the learner's, or None.
        opponents: from the learner's left; at most one of them draws random numbers.
        options: of the environment.
    """

    def __init__(
        self, name: str, seat: int | None, opponents: Sequence[Policy], **options: Any
    ) -> None:
        self.aec: AEC = module_of(name).raw_env(**options)
        self.game = self.aec.game
        self.opponents = opponents
        self.given_seat = seat

    def reset(self, seed: int | None = None) -> dict[str, np.ndarray]:
        while True:
            self.aec.reset(seed=seed)
            self.begin()
            if self.aec.agent_selection == self.agent and not self.ended:
                return self.aec.observe(self.agent)
            seed = None

    def begin(self) -> None:
        (table,) = np.zeros(1, TABLE)
        word = mix(self.aec._states["stream"][0])
        table["random"] = mix(np.uint64(word ^ SALT))
        self.seat = (
            below(table, self.game.num_players) if self.given_seat is None else self.given_seat
        )
        for opponent in self.opponents:
            opponent.reset(int(table["random"]))
        self.agent = self.aec.possible_agents[self.seat]
        self.paid = 0.0
        self.play_on()

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool]:
        self.do(action)
        self.play_on()
        paid, self.paid = self.paid, 0.0
        return self.aec.observe(self.agent), paid, self.ended

    @property
    def ended(self) -> bool:
        return all(self.aec.terminations.values())

    def do(self, action: int) -> None:
        self.aec.step(action)
        self.paid += self.aec.rewards[self.agent]

    def play_on(self) -> None:
        game = self.game
        while not self.ended and self.aec.agent_selection != self.agent:
            decider = int(self.aec.agent_selection.removeprefix("player_"))
            to_left = (decider - self.seat) % game.num_players
            view, compact = np.zeros(1, game.view), np.zeros(1, game.compact)
            game.kernels.observe(self.aec._states, 0, decider, view, compact, 0)
            mask = self.aec.observe(self.aec.agent_selection)["action_mask"]
            given = Decisions(view, compact.view(np.int8).reshape(1, -1), mask[None])
            self.do(int(self.opponents[to_left - 1].act(given)[0]))
