"""Train with many values of some keys: hyper-parameter sweeps with Optuna (Akiba et al. 2019)."""

import argparse
import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import optuna
from filelock import FileLock, Timeout
from optuna.samplers import BaseSampler, RandomSampler, TPESampler
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, Trial, TrialState
from rich.console import Console

from masked_monsters.training.config import Config, read_config
from masked_monsters.training.curve import Point, read_points
from masked_monsters.training.sweep_config import Range, SweepConfig, as_yaml, declare, read_sweep
from masked_monsters.training.sweep_table import describe, run_points, run_score, write_tables
from masked_monsters.training.train import train_on


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What ``masked-monsters sweep`` is told."""
    parser.add_argument("sweep", type=Path, metavar="SWEEP", help="a YAML file, see configs/sweeps")
    parser.add_argument(
        "overrides", nargs="*", metavar="KEY=VALUE", help="instead of the file's, as in trials=20"
    )
    parser.add_argument(
        "--runs",
        type=Path,
        default=Path("runs"),
        metavar="FOLDER",
        help="of all runs (default: %(default)s); the sweep is in its sweeps/NAME, and goes on there",
    )


def run(args: argparse.Namespace) -> int:
    """Do what ``masked-monsters sweep`` is told."""
    sweep, config = read_sweep(args.sweep, args.overrides)
    print(run_sweep(sweep, config, args.runs / "sweeps" / sweep.name))
    return 0


def run_sweep(sweep: SweepConfig, config: Config, folder: Path) -> Path:
    """Train and score trials until the budget is spent.

    The folder then holds ``table.md`` and ``table.csv``, also after each trial; ``sweep.yaml`` and
    ``config.yaml``, from which the sweep can be repeated; ``sweep.db``, Optuna's study, in SQLite;
    and the folder of each run, ``trial_003/seed_0``. Interrupted at any moment and called again it
    goes on: runs that were complete are kept, the one at hand is resumed.

    A trial fails if its configuration is refused, or a run ends with a ``ValueError``,
    ``ArithmeticError`` or ``RuntimeError``, as when weights diverge. It has no score, counts for
    the budget and is not tried again. Any other error ends the sweep, to be gone on with.

    Args:
        sweep: what to search.
        config: what to train.
        folder: a new one, or that of the same sweep; more trials can be asked for than before.

    Returns:
        The path of ``table.md``.

    Raises:
        ValueError: if the folder is that of another sweep, or another process is at it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        declare(sweep, config, folder)
        with open_study(folder) as study:
            if sweep.sampler == "grid":
                for values in itertools.islice(sweep.grid(), len(study.trials), sweep.budget):
                    study.enqueue_trial(values)
            write_tables(sweep, config, _finished(study), folder)
            for number in range(len(_finished(study)), sweep.budget):
                study.sampler = _sampler(sweep, number)
                _run_trial(study, _begin_trial(study), sweep, folder)
                write_tables(sweep, config, _finished(study), folder)
                _say(sweep, _finished(study))
    return folder / "table.md"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let no other process run the same sweep; the lock ends with the process, however it ends."""
    try:
        lock = FileLock(folder / "sweep.lock").acquire(timeout=0)
    except Timeout:
        raise ValueError(f"{folder}: another process is at this sweep") from None
    with lock:
        yield


@contextmanager
def open_study(folder: Path) -> Iterator[optuna.Study]:
    """The sweep's study, new or as it was left."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = RDBStorage(f"sqlite:///{folder / 'sweep.db'}")
    try:
        yield optuna.create_study(
            storage=storage, study_name="sweep", direction="maximize", load_if_exists=True
        )
    finally:
        storage.remove_session()
        storage.engine.dispose()


def _sampler(sweep: SweepConfig, number: int) -> BaseSampler:
    """One a trial, seeded by its number: an interrupted sweep suggests what an unbroken one does.

    The trials of a grid are enqueued, and leave it nothing to suggest.
    """
    seed = int(np.random.SeedSequence((sweep.sampler_seed, number)).generate_state(1)[0])
    return TPESampler(seed=seed) if sweep.sampler == "tpe" else RandomSampler(seed=seed)


def _finished(study: optuna.Study) -> list[FrozenTrial]:
    """The trials that are over, failed ones included, in their order."""
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.FAIL))


def _begin_trial(study: optuna.Study) -> Trial:
    """The trial that was interrupted; else the next of the grid, or a new one.

    A trial keeps what has been suggested to it, and Optuna lets it go on if it is not told its end.
    """
    for begun in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        return Trial(study, begun._trial_id)
    return study.ask()


def _run_trial(study: optuna.Study, trial: Trial, sweep: SweepConfig, folder: Path) -> None:
    """Train with each seed, but for those that are done, and score the trial."""
    name = f"trial_{trial.number:03}"
    values = [f"{key}={_suggest(trial, key, options)}" for key, options in sweep.search.items()]
    try:
        for seed in sweep.seeds:
            if f"seed_{seed}" not in trial.user_attrs:
                run = [f"run.name={sweep.name}-{name}-seed_{seed}", f"run.seed={seed}"]
                config = read_config(folder / "config.yaml", [*values, *run])
                points = _train(config, folder / name / f"seed_{seed}")
                trial.set_user_attr(f"seed_{seed}", [point._asdict() for point in points])
        score = fmean(run_score(sweep, run_points(trial, seed)) for seed in sweep.seeds)
    except (ValueError, ArithmeticError, RuntimeError) as error:
        trial.set_user_attr("error", f"{type(error).__name__}: {' '.join(str(error).split())}")
        study.tell(trial, state=TrialState.FAIL)
    else:
        study.tell(trial, score)


def _suggest(trial: Trial, key: str, options: Range | tuple[Any, ...]) -> str:
    """The trial's value of a key, as YAML: Optuna's lists hold only numbers and words."""
    if isinstance(options, tuple):
        return trial.suggest_categorical(key, [as_yaml(value) for value in options])
    low, high = options.low, options.high
    if isinstance(low, int) and isinstance(high, int):
        return as_yaml(trial.suggest_int(key, low, high, log=options.log))
    return as_yaml(trial.suggest_float(key, low, high, log=options.log))


def _train(config: Config, folder: Path) -> list[Point]:
    """The last evaluation of a run, a new one or one that was interrupted."""
    train_on(config, folder)
    last = {point.against: point for point in read_points(folder / "evaluation.csv")}
    return [last[name] for name in dict.fromkeys(config.evaluation.against)]


def _say(sweep: SweepConfig, trials: list[FrozenTrial]) -> None:
    """A line on standard error: how the last trial went."""
    last = trials[-1]
    text = f"trial {last.number} ({len(trials)} of {sweep.budget}), {describe(last)}"
    best = max(trials, key=lambda trial: -math.inf if trial.value is None else trial.value)
    if best.value is not None:
        text += "; the best so far"
        text += "" if best is last else f" is trial {best.number}, {describe(best)}"
    Console(stderr=True, markup=False, highlight=False).print(text, soft_wrap=True)
