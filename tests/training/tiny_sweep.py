"""Sweeps over training runs of a second, or over none at all."""

import csv
from pathlib import Path
from typing import Any

import yaml
from optuna.trial import FrozenTrial

from masked_monsters.training.config import Config, write_config
from masked_monsters.training.curve import Point, append_point
from masked_monsters.training.sweep import open_study, run_sweep
from masked_monsters.training.sweep_config import read_sweep
from tests.training.tiny import tiny_config

RANGE = {"low": 1e-4, "high": 0.1, "log": True}
GRID = {"search": {"ppo.ent_coef": [0.01, 0.1], "ppo.n_epochs": [1, 2]}, "sampler": "grid"}


class Runs(list[Config]):
    """Stands for training: notes what is trained, and has it gain what its entropy says."""

    def __call__(self, config: Config, folder: Path) -> Path:
        self.append(config)
        folder.mkdir(parents=True, exist_ok=True)
        for decisions, gain in (0, -1.0), (1536, config.ppo.ent_coef + config.run.seed):
            for against, more in ("random", 0.5), ("cautious", 0.0):
                point = Point(decisions, against, gain + more, gain + more - 0.3, gain + more + 0.3)
                append_point(folder / "evaluation.csv", point)
        return folder / "agent.zip"

    def values(self, key: str) -> list[Any]:
        """What the runs had for a key of the section ``ppo``."""
        return [getattr(config.ppo, key) for config in self]


def write_sweep(folder: Path, **values: Any) -> Path:
    """The file of a sweep over tiny runs."""
    folder.mkdir(parents=True, exist_ok=True)
    config = tiny_config(decisions=1)
    against = config.evaluation.model_copy(update={"against": ("random", "cautious")})
    write_config(config.model_copy(update={"evaluation": against}), folder / "tiny.yaml")
    content = {
        "config": "tiny.yaml",
        "search": {"ppo.ent_coef": RANGE},
        "sampler": "random",
        "trials": 3,
        **values,
    }
    content = {key: value for key, value in content.items() if value is not None}
    file = folder / "small.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return file


def run(tmp_path: Path, **values: Any) -> Path:
    """The folder of a sweep, run or gone on with."""
    sweep, config = read_sweep(write_sweep(tmp_path / "files", **values))
    return run_sweep(sweep, config, tmp_path / sweep.name).parent


def trials(folder: Path) -> list[FrozenTrial]:
    """What the study holds."""
    with open_study(folder) as study:
        return study.trials


def table(folder: Path) -> list[dict[str, str]]:
    """The rows of the table."""
    with (folder / "table.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
