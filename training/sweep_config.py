"""What a sweep searches: typed, read from YAML, checked before the first run."""

import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import Discriminator, Field, Tag, model_validator

from masked_monsters.envs.errors import check_choice
from masked_monsters.training.config import (
    Config,
    Section,
    config_file,
    differences,
    flat_values,
    make_section,
    read_config,
    read_values,
    write_config,
)


class Range(Section):
    """The numbers from ``low`` to ``high``, both included; integers if both are."""

    low: int | float
    high: int | float
    log: bool = False
    """Drawn evenly by their logarithm."""

    def probes(self) -> tuple[float, ...]:
        """Values that must be allowed if all are."""
        if isinstance(self.low, int) and isinstance(self.high, int):
            return self.low, self.high
        return self.low, self.high, self.low + (self.high - self.low) / math.e  # not whole


def _kind(options: Any) -> str | None:
    if isinstance(options, list | tuple):
        return "list"
    if isinstance(options, dict):
        return "range" if {"low", "high"} <= set(options) <= {"low", "high", "log"} else None
    return "range" if isinstance(options, Range) else None


Options = Annotated[
    Annotated[Range, Tag("range")] | Annotated[tuple[Any, ...], Tag("list")],
    Discriminator(
        _kind,
        custom_error_type="options",
        custom_error_message="must be a list of values, or a range {{low: 1, high: 8, log: true}}",
    ),
]


class SweepConfig(Section):
    """A sweep: training runs that differ in a few keys."""

    name: str = Field(pattern=r"^\w[\w.-]*$")
    """The sweep's folder; if not given, the name of its file."""
    config: str
    """Of the training: one that comes with the package, by name, or a file beside the sweep's."""
    overrides: tuple[str, ...] = ()
    """What all runs change in it, as ``key=value``."""
    search: dict[str, Options] = Field(min_length=1)
    """For each key that is searched the values to choose from, or their range."""
    seeds: tuple[Annotated[int, Field(ge=0, le=2**32 - 1)], ...] = Field((0,), min_length=1)
    """Each trial trains once with each as ``run.seed``; what it scores is the mean."""
    sampler: Literal["grid", "random", "tpe"] = "tpe"
    """Grid: every combination, in order; tpe: Bergstra et al. 2011, as Optuna has it."""
    sampler_seed: int = Field(default=0, ge=0, le=2**32 - 1)
    trials: int | None = Field(default=None, gt=0)
    """To finish, in all; None: the whole grid."""
    against: str | None = None
    """The scripted player by whom a trial is scored; None: the mean over ``evaluation.against``."""

    @model_validator(mode="after")
    def _searchable(self) -> Self:
        for key, options in self.search.items():
            _check_options(key, options)
            if self.sampler == "grid" and isinstance(options, Range):
                raise ValueError(f"search.{key}: must be a list of values for sampler='grid'")
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError(f"seeds={list(self.seeds)}: must all differ")
        if self.sampler != "grid" and self.trials is None:
            raise ValueError("trials: missing; only sampler='grid' has an end of its own")
        if self.sampler == "grid" and self.budget > (size := math.prod(map(len, self._lists()))):
            raise ValueError(f"trials={self.trials}: must be at most {size}, the size of the grid")
        return self

    @property
    def budget(self) -> int:
        """How many trials to finish."""
        return self.trials or math.prod(map(len, self._lists()))

    def grid(self) -> Iterator[dict[str, str]]:
        """Each combination of the listed values, as YAML; that of the last key changes fastest."""
        for row in itertools.product(*self._lists()):
            yield dict(zip(self.search, map(as_yaml, row), strict=True))

    def _lists(self) -> list[tuple[Any, ...]]:
        return [options for options in self.search.values() if isinstance(options, tuple)]


def read_sweep(path: Path, overrides: Sequence[str] = ()) -> tuple[SweepConfig, Config]:
    """The sweep in a YAML file, changed by overrides such as ``trials=20``, and what it trains.

    Raises:
        ValueError: in one line, naming the key, its value and what is allowed; also if a value that
            is to be tried makes no configuration of a training run.
        OSError: if a file cannot be read.
    """
    sweep = make_section(SweepConfig, {"name": path.stem, **read_values(path, overrides)})
    file = config_file(sweep.config, path.parent)
    config = read_config(file, sweep.overrides)
    if not config.evaluation.against:
        raise ValueError("evaluation.against=[]: must name somebody, to score trials by")
    if sweep.against is not None:
        check_choice("against", sweep.against, config.evaluation.against)
    for key, options in sweep.search.items():
        for value in options.probes() if isinstance(options, Range) else options:
            try:
                read_config(file, [*sweep.overrides, f"{key}={as_yaml(value)}"])
            except ValueError as error:
                raise ValueError(f"search: {error}") from None
    return sweep, config


def declare(sweep: SweepConfig, config: Config, folder: Path) -> None:
    """Write into the sweep's folder what it is, or check that it is what was begun there.

    Raises:
        ValueError: naming what differs. More trials are no difference.
    """
    file = folder / "sweep.yaml"
    if file.exists():
        before, config_before = read_sweep(file)
        was, now = _identity(before, config_before), _identity(sweep, config)
        if sweep.budget < before.budget:
            was["trials"], now["trials"] = before.budget, sweep.budget
        if differing := differences(was, now):
            raise ValueError(f"{folder}: holds another sweep: {differing}; choose a new name")
    write_config(config, folder / "config.yaml")
    write_config(sweep.model_copy(update={"config": "config.yaml", "overrides": ()}), file)


def as_yaml(value: Any) -> str:
    """A value in one line, as in ``key=value``."""
    return yaml.safe_dump(value, default_flow_style=True, width=math.inf).partition("\n")[0]


def _check_options(key: str, options: Range | tuple[Any, ...]) -> None:
    """What can be said of a key's values without a configuration."""
    if key == "run.name" or key == "run.seed" or key.partition(".")[0] == "evaluation":
        raise ValueError(f"search.{key}: must not differ between trials, or they would not compare")
    if isinstance(options, Range):
        if not options.low < options.high:
            raise ValueError(f"search.{key}: low={options.low} must be less than {options.high}")
        if options.log and options.low <= 0:
            raise ValueError(f"search.{key}: low={options.low} must be more than 0 with log: true")
    elif not options or len(set(map(as_yaml, options))) < len(options):
        raise ValueError(f"search.{key}={list(options)}: must be values, all different")


def _identity(sweep: SweepConfig, config: Config) -> dict[str, Any]:
    """All that must stay for trials to be comparable, by dotted key."""
    values = sweep.model_dump(mode="json", exclude={"config", "overrides", "trials"})
    return flat_values({**values, "config": config.model_dump(mode="json")})
