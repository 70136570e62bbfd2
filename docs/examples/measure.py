"""How good is what ``ppo.py`` has learned? ``python docs/examples/measure.py ppo.pt``."""

import sys

import numpy as np
import torch
from ppo import Agent  # beside this file

from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.match import evaluate


class Learned:
    """The agent as a player like any other, see ``masked_monsters.envs.policy``."""

    name = "ppo"

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def reset(self, seed: int) -> None:
        """Start the random numbers of ``act`` anew."""
        self.generator = np.random.default_rng(seed)

    def act(self, decisions: Decisions) -> np.ndarray:
        """``(k,)`` int64: each drawn from the row's probabilities."""
        cumulated = self.probabilities(decisions).cumsum(axis=1)
        drawn = self.generator.random((len(cumulated), 1)) * cumulated[:, -1:]
        return (cumulated > drawn).argmax(axis=1)  # the first beyond: never one of probability 0

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        """``(k, num_actions)`` float64, 0 for what is illegal."""
        rows = torch.as_tensor(decisions.observation), torch.as_tensor(decisions.action_mask)
        with torch.no_grad():
            policy, _ = self.agent(*rows)
        return policy.logits.double().softmax(-1).numpy()


if __name__ == "__main__":
    game = get_game("monster_my_neighbor")
    agent = Agent(game.compact_highs, game.num_actions)
    agent.load_state_dict(torch.load(sys.argv[1], weights_only=True))
    for player in (Learned(agent), get_baseline(game, "random")):
        gain = evaluate(game, player, get_baseline(game, "tracker"), matches=4000).gain
        print(f"{player.name}: {gain.mean:+.3f} ± {gain.half_width:.3f} a round against tracker")
