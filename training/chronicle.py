"""What happens beside the learning: the bar on the terminal, evaluations, checkpoints."""

import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.match import evaluate
from masked_monsters.training.checkpoint import save_agent
from masked_monsters.training.config import Config
from masked_monsters.training.curve import Point, append_point, draw_curve
from masked_monsters.training.policy import NetworkPolicy
from masked_monsters.training.self_play import SelfPlayPPO


class Chronicle(BaseCallback):
    """Keeps a run's folder and the terminal up to date; evaluates and saves between updates.

    Attributes:
        agent: the path of the agent file.
        progress: a bar on standard error, if that is a terminal; a context manager.
    """

    model: SelfPlayPPO  # type: ignore[assignment]  # narrower than BaseCallback's

    def __init__(self, config: Config, folder: Path) -> None:
        super().__init__()
        self.config = config
        self.folder = folder
        self.agent = folder / "agent.zip"
        self.game = get_game(config.game, **config.options)
        self.opponents = [get_baseline(self.game, name) for name in config.evaluation.against]
        console = Console(stderr=True, markup=False, highlight=False)
        self.progress = Progress(
            BarColumn(),
            TextColumn("{task.completed:,} of {task.total:,} decisions, {task.description}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.task = self.progress.add_task("", total=config.run.decisions)
        self.next_evaluation = 0
        self.next_checkpoint = config.run.checkpoint_every
        self.seconds_beside = 0.0

    def say(self, text: str) -> None:
        """A line above the bar."""
        self.progress.console.print(text, soft_wrap=True)

    def save(self, path: Path) -> None:
        """Write an agent file."""
        save_agent(self.model, path, self.game, self.config.model_dump(mode="json"))

    def finish(self) -> None:
        """Save the agent and draw the learning curve."""
        self.save(self.agent)
        if (self.folder / "evaluation.csv").exists():
            draw_curve(
                self.folder / "evaluation.csv",
                self.folder / "learning_curve.png",
                f"{self.config.run.name}: {self.game.title}",
            )

    def _on_training_start(self) -> None:
        self.began = time.perf_counter()

    def _on_rollout_start(self) -> None:
        began = time.perf_counter()
        decisions = self.model.num_timesteps
        if decisions >= self.next_evaluation:
            self._evaluate()
            self.next_evaluation = decisions + self.config.evaluation.every
        if decisions >= self.next_checkpoint:
            self.save(self.folder / "checkpoints" / f"agent_{decisions:012}.zip")
            self.next_checkpoint = decisions + self.config.run.checkpoint_every
        self.seconds_beside += time.perf_counter() - began

    def _on_step(self) -> bool:
        seconds = time.perf_counter() - self.began - self.seconds_beside
        speed = f"{self.num_timesteps / seconds:,.0f} a second"
        self.progress.update(self.task, completed=self.num_timesteps, description=speed)
        return True

    def _on_training_end(self) -> None:
        self._evaluate()
        self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self.logger.dump(self.num_timesteps)

    def _evaluate(self) -> None:
        """Measure the agent, which draws its actions, against each opponent on the same deals."""
        agent = NetworkPolicy(self.model.policy, "agent")
        for opponent in self.opponents:
            gain = evaluate(
                self.game,
                agent,
                opponent,
                matches=self.config.evaluation.matches,
                seed=self.config.run.seed,
            ).gain
            point = Point(self.model.num_timesteps, opponent.name, gain.mean, gain.low, gain.high)
            append_point(self.folder / "evaluation.csv", point)
            self.logger.record(f"evaluation/gain_{opponent.name}", gain.mean)
            self.say(
                f"{point.decisions:,} decisions: {gain.mean:+.3f} a round "
                f"({gain.low:+.3f} to {gain.high:+.3f}) against copies of {opponent.name}"
            )
