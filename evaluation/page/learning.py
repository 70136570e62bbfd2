"""Training runs as sections: how they learned, and how they were configured."""

import math
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from masked_monsters.evaluation.page import figures
from masked_monsters.evaluation.page.collect import Collected
from masked_monsters.evaluation.page.content import (
    Block,
    Figure,
    Heading,
    Listing,
    Section,
    Table,
    Words,
    between,
    number,
)
from masked_monsters.evaluation.page.figures import Step
from masked_monsters.evaluation.page.runs import CONFIG, Point, TrainingRun
from masked_monsters.training.config import config_file, make_config, read_values

ABSENT = "not given"
OPTIONS = "options"
LOGGED = {
    "train/entropy_loss": "entropy loss (less the entropy)",
    "train/approx_kl": "approximate KL divergence",
    "train/explained_variance": "explained variance",
    "train/value_loss": "value loss",
    "train/clip_fraction": "clip fraction",
    "train/learning_rate": "learning rate",
}
"""Columns of ``progress.csv`` that are shown, where there are such."""


def learning(collected: Collected) -> Section:
    """The curves of each run."""
    blocks: list[Block] = []
    for run in collected.runs:
        blocks += [Heading(f"Run {run.name} ({run.config['game']})"), Words(f"State: {run.state}.")]
        if run.points:
            blocks += _curve(run)
        columns = {
            title: [(x, y) for x, y in run.updates[key] if math.isfinite(y)]
            for key, title in LOGGED.items()
            if key in run.updates
        }
        columns = {title: values for title, values in columns.items() if values}
        if columns:
            caption = (
                f"{run.name}: what the trainer logged, one value an update. These are exact figures "
                "of the optimisation, not estimates of skill."
            )
            alt = "Last values: " + "; ".join(
                f"{title}: {number(values[-1][1])}" for title, values in columns.items()
            )
            blocks.append(Figure("updates", caption, alt, figures.logs(columns)))
    return Section("learning", "Learning curves", tuple(blocks))


def _curve(run: TrainingRun) -> Iterator[Block]:
    by_opponent: dict[str, list[Point]] = {}
    for point in run.points:
        by_opponent.setdefault(point.against, []).append(point)
    lines = {
        against: [Step(each.decisions, each.mean, each.low, each.high) for each in points]
        for against, points in by_opponent.items()
    }
    matches = run.config.get("evaluation", {}).get("matches")
    played = f", at least {matches:,} matches a point" if isinstance(matches, int) else ""
    caption = (
        f"{run.name}: gain a round against copies of each player in the course of training, with "
        f"bands of 95 % intervals{played}."
    )
    last = {against: points[-1] for against, points in by_opponent.items()}
    alt = "At the end: " + "; ".join(f"{against}: {_gain(each)}" for against, each in last.items())
    figure = figures.curves(lines, "gain a round", "against copies of")
    yield Figure("learning-curve", caption, alt, figure)
    rows = [(against, f"{each.decisions:,}", _gain(each)) for against, each in last.items()]
    header = ("against copies of", "decisions played", "gain a round")
    yield Table(f"{run.name}: the last evaluation, with 95 % intervals.", header, tuple(rows))


def _gain(point: Point) -> str:
    return between(point.mean, point.low, point.high, sign="+")


# ---------------------------------------------------------------- configurations


def configurations(collected: Collected) -> Section:
    """Of each run what differs from the package's own configuration of its game, then all."""
    blocks: list[Block] = []
    for run in collected.runs:
        blocks.append(Heading(run.name))
        shipped = shipped_config(run.config["game"])
        rows = [
            (key, _yaml(mine), _yaml(other))
            for key, mine, other in differences(run.config, shipped)
        ]
        game = run.config["game"]
        if rows:
            caption = f"{run.name}: where it differs from the package's configuration of {game}."
            header = ("key", "this run", "the package's")
            blocks.append(Table(caption, header, tuple(rows), words=3))
        else:
            blocks.append(Words(f"All is as in the package's configuration of {game}."))
        whole = yaml.safe_dump(run.config, sort_keys=False, allow_unicode=True)
        blocks.append(Listing(f"The whole configuration of {run.name}", whole, folded=True))
    return Section("configurations", "Configurations", tuple(blocks))


def train_command(run: TrainingRun) -> str:
    """The command that trains the same agent again, from the package's own configuration.

    Of an older run, whose configuration lacks keys that there are now, from its own file.
    """
    game = run.config["game"]
    found = list(differences(run.config, shipped_config(game)))
    if any(value is ABSENT for _, value, _ in found):
        return shlex.join(["masked-monsters", "train", str(run.folder / CONFIG)])
    changes = [f"{key}={_yaml(value)}" for key, value, _ in found]
    return shlex.join(["masked-monsters", "train", game, *changes])


def shipped_config(game: str) -> dict[str, Any]:
    """The package's configuration of a game, with all defaults."""
    return make_config(read_values(config_file(game))).model_dump(mode="json")


def differences(
    mine: Mapping[str, Any], other: Mapping[str, Any], prefix: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """Keys with both values, such that setting mine in the other makes it equal.

    Of the game's options a key too many in the other cannot be set back, so that they are one value.
    """
    for key in dict.fromkeys([*mine, *other]):
        here, there = mine.get(key, ABSENT), other.get(key, ABSENT)
        sections = isinstance(here, Mapping) and isinstance(there, Mapping)
        if sections and (key != OPTIONS or there.keys() <= here.keys()):
            yield from differences(here, there, f"{prefix}{key}.")
        elif here != there or type(here) is not type(there):
            yield prefix + key, here, there


def _yaml(value: Any) -> str:
    """On one line."""
    if value is ABSENT:
        return ABSENT
    text = yaml.safe_dump(value, default_flow_style=True, width=math.inf, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("\n...")
