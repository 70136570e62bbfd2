"""What there is to know exactly about the reduced games: a row for each game and policy."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np

from masked_monsters.envs.game import Game
from masked_monsters.envs.reduced import reduced_game
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.exact.solve import CFR, nash_conv
from masked_monsters.evaluation.exact.tables import Row
from masked_monsters.evaluation.exact.team import sides
from masked_monsters.evaluation.exact.tree import Tree, build_tree, strategy_of, uniform

ITERATIONS = {"tiny": 1000, "small": 1000, "medium": 2000, "four": 500, "large": 100}
"""Of CFR, by the size in a reduced game's name."""
PROVED = "tiny"
"""The size of the games in which an integer program bounds what the monsters can get together."""
PROOF_SECONDS = 60
STARTS = {"large": 1}
"""From how many strategies the monsters improve on, by size."""
ALONE = ["opponents.names=[]", "opponents.past=0", "imitation.player=null", "evaluation.against=[]"]
WAYS = {
    "PPO": [*ALONE, "magnet.coef=0"],
    "MMD": [*ALONE, "magnet.coef=0.05", "magnet.rate=0.05"],
}
"""To train an agent: self-play, without and with a magnet; all else is as the game's configuration."""

Progress = Callable[[int, int], None]


class Solver:
    """One reduced game; its tree is built when it is first needed."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.game: Game = reduced_game(name)
        self.size = name.rpartition("-")[2]
        self.seed = seed

    @cached_property
    def tree(self) -> Tree:
        """Of the game."""
        return build_tree(self.game)

    def uniform(self) -> Row:
        """Every legal action alike."""
        return self._row("uniform", uniform(self.tree))

    def cfr(self, algorithm: str, iterations: int, progress: Progress | None = None) -> Row:
        """The average strategy of CFR."""
        cfr = CFR(self.tree, algorithm)
        cfr.run(iterations, progress)
        return self._row(cfr_name(algorithm, iterations), cfr.average)

    def player(self, spec: str, name: str) -> Row:
        """A player in every seat, given by name or by file; ``name`` is for the row."""
        return self._row(name, strategy_of(self.tree, load_agent(spec, self.game)))

    def trained(self, way: str, decisions: int, folder: Path) -> Row:
        """An agent that is trained for so many decisions; what is in the folder is not done again."""
        from masked_monsters.training.config import config_file, make_config, read_values
        from masked_monsters.training.train import train_on

        name = f"{self.name}-{way.lower()}-{decisions}-{self.seed}"
        changes = [f"run.name={name}", f"run.seed={self.seed}", f"run.decisions={decisions}"]
        values = read_values(config_file(self.game.name), [*WAYS[way], *changes])
        config = make_config({**values, "options": dict(self.game.options)})
        agent = train_on(config, folder / name)
        return self.player(str(agent), trained_name(way, decisions))

    def _row(self, name: str, strategy: np.ndarray) -> Row:
        tree = self.tree
        found = nash_conv(tree, strategy)
        row = {
            "game": self.name,
            "policy": name,
            "seed": self.seed,
            "histories": tree.histories,
            "terminal_histories": len(tree.payoff),
            "information_states": len(tree.states),
            "value": found.value.tolist(),
            "improvements": found.improvements.tolist(),
            "nash_conv": found.total,
        }
        if self.game.roles:
            row |= sides(
                tree,
                strategy,
                starts=STARTS.get(self.size, 20),
                seed=self.seed,
                seconds=PROOF_SECONDS if self.size == PROVED else 0,
            )._asdict()
        return row


def cfr_name(algorithm: str, iterations: int) -> str:
    """What the row is called."""
    return f"{algorithm.upper()}, {iterations:,} iterations"


def trained_name(way: str, decisions: int) -> str:
    """What the row is called."""
    return f"{way}, {decisions:,} decisions"
