"""What happens beside the learning: the bar on the terminal, evaluations, logs, checkpoints."""

import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import (
    KVWriter,
    Logger,
    TensorBoardOutputFormat,
    filter_excluded_keys,
)
from torch.utils.tensorboard import SummaryWriter

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.match import evaluate
from masked_monsters.training.checkpoint import save_agent, save_trainer
from masked_monsters.training.config import Config
from masked_monsters.training.curve import Point, append_point, draw_curve
from masked_monsters.training.files import append_row, keep_rows
from masked_monsters.training.policy import NetworkPolicy
from masked_monsters.training.self_play import SelfPlayPPO

DECISIONS = "time/total_timesteps"
TRAINER = "trainer.pt"


class ProgressCsv(KVWriter):
    """``progress.csv``: a row for each update. It holds no times, so that it can be repeated."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(
        self,
        key_values: dict[str, Any],
        key_excluded: dict[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """A row of what is not excluded; columns by name."""
        row = filter_excluded_keys(key_values, key_excluded, "csv")
        if row:
            append_row(self.path, dict(sorted(row.items())))

    def close(self) -> None:
        """The file is never left open."""


class Board(TensorBoardOutputFormat):
    """TensorBoard's log, in which what an earlier start wrote of later than ``begun`` is not shown."""

    def __init__(self, folder: Path, begun: int) -> None:
        self.writer = SummaryWriter(str(folder), purge_step=begun + 1)
        self._is_closed = False


class Chronicle(BaseCallback):
    """Keeps a run's folder and the terminal up to date; evaluates and saves between updates.

    Attributes:
        agent: the path of the agent file.
        trainer: the path of the trainer's state.
        progress: a bar on standard error, if that is a terminal; a context manager.
        stopping: set, the run saves and stops before the next update.
    """

    def __init__(self, config: Config, folder: Path, model: SelfPlayPPO) -> None:
        super().__init__()
        self.config = config
        self.folder = folder
        self.model: SelfPlayPPO = model  # type: ignore[assignment]  # narrower than the base's
        self.agent = folder / "agent.zip"
        self.trainer = folder / TRAINER
        self.evaluations = folder / "evaluation.csv"
        self.updates = folder / "progress.csv"
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
        self.next_checkpoint = 0
        self.evaluated = -1
        self.seconds_beside = 0.0
        self.stopping = False

    def say(self, text: str) -> None:
        """A line above the bar."""
        self.progress.console.print(text, soft_wrap=True)

    # ------------------------------------------------------------ files

    def open_logs(self) -> None:
        """Begin the logs, or go on with what they say of up to where the model is."""
        begun = self.model.num_timesteps
        keep_rows(self.evaluations, "decisions", begun)
        keep_rows(self.updates, DECISIONS, begun)
        board = Board(self.folder, begun)
        self.model.set_logger(Logger(str(self.folder), [ProgressCsv(self.updates), board]))

    def go_on(self, counts: dict[str, Any]) -> None:
        """Take up the counts that ``save`` kept."""
        self.next_evaluation = counts["next_evaluation"]
        self.next_checkpoint = counts["next_checkpoint"]
        self.evaluated = counts["evaluated"]

    def save(self) -> None:
        """Keep the agent as it is now, and then all that is needed to go on from here."""
        decisions = self.model.num_timesteps
        path = self.folder / "checkpoints" / f"agent_{decisions:012}.zip"
        save_agent(self.model, path, self.game, self.config)
        counts = {
            "next_evaluation": self.next_evaluation,
            "next_checkpoint": self.next_checkpoint,
            "evaluated": self.evaluated,
        }
        save_trainer(self.model, self.trainer, self.config, counts)

    def finish(self) -> None:
        """Save the agent and draw the learning curve."""
        save_agent(self.model, self.agent, self.game, self.config)
        if self.evaluations.exists():
            draw_curve(
                self.evaluations,
                self.folder / "learning_curve.png",
                f"{self.config.run.name}: {self.game.title}",
            )

    # ------------------------------------------------------------ in the course of training

    def _on_training_start(self) -> None:
        self.began = time.perf_counter()
        self.begun_with = self.num_timesteps, self.model.seconds

    def _on_rollout_start(self) -> None:
        began = time.perf_counter()
        decisions = self.model.num_timesteps
        self.model.seconds = self.begun_with[1] + self._seconds()
        if decisions >= self.next_evaluation:
            self.next_evaluation = decisions + self.config.evaluation.every
            self._evaluate()
        self.logger.dump(decisions)
        if decisions >= self.next_checkpoint or self.stopping:
            if decisions >= self.next_checkpoint:
                self.next_checkpoint = decisions + self.config.run.checkpoint_every
            self.save()
        if self.stopping:
            raise KeyboardInterrupt
        self.seconds_beside += time.perf_counter() - began

    def _on_step(self) -> bool:
        self.progress.update(
            self.task, completed=self.num_timesteps, description=f"{self._speed():,.0f} a second"
        )
        return True

    def _on_rollout_end(self) -> None:
        self.logger.record(DECISIONS, self.num_timesteps, exclude="tensorboard")
        self.logger.record("time/decisions_a_second", self._speed(), exclude="csv")

    def _speed(self) -> float:
        return (self.num_timesteps - self.begun_with[0]) / self._seconds()

    def _seconds(self) -> float:
        """Since the training began or went on, evaluations and checkpoints left out."""
        return time.perf_counter() - self.began - self.seconds_beside

    def _on_training_end(self) -> None:
        self.model.seconds = self.begun_with[1] + self._seconds()
        self._evaluate()
        self.logger.dump(self.num_timesteps)
        self.save()

    def _evaluate(self) -> None:
        """Measure the agent, which draws its actions, against each opponent on the same deals."""
        if self.evaluated == self.model.num_timesteps:
            return
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
            append_point(self.evaluations, point)
            self.logger.record(f"evaluation/gain_{opponent.name}", gain.mean, exclude="csv")
            self.say(
                f"{point.decisions:,} decisions: {gain.mean:+.3f} a round "
                f"({gain.low:+.3f} to {gain.high:+.3f}) against copies of {opponent.name}"
            )
        self.evaluated = self.model.num_timesteps
