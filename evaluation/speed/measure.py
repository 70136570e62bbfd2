"""Runs measurements side by side: every repeat runs each of them once, so that drift hits all alike."""

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from masked_monsters.evaluation.match import Progress

RATE = "decisions/s"
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
PACKAGES = (
    "masked-monsters", "numpy", "numba", "llvmlite", "gymnasium", "pettingzoo",
    "open-spiel", "pgx", "jax", "jaxlib", "rlcard",
    "torch", "stable-baselines3", "sb3-contrib",
)  # fmt: skip
WARM_UP = 0.05
"""Seconds that each measurement runs before the first repeat."""


class Sample(NamedTuple):
    """One run of a measurement."""

    value: float
    """In the measurement's unit; a rate is by wall-clock time."""
    wall: float
    cpu: float
    """Seconds, of all threads."""


Runner = Callable[[float], Sample]
"""Measures for about so many seconds."""


@dataclass(frozen=True)
class Measurement:
    """One thing to measure, and what tells it from the others."""

    kind: str
    """One of ``plan.KINDS``."""
    subject: str
    """The game or whatever else is measured."""
    prepare: Callable[[], Runner]
    """Builds what is measured; called once, before the first repeat."""
    unit: str = RATE
    players: int | None = None
    lanes: int | None = None
    """Games that are stepped side by side."""
    threads: int = 1
    observation_bytes: int = 0
    """Of one decision's observation; 0: none is written."""
    buffer_bytes: int | None = None
    """Of all arrays that the run goes through."""
    once: bool = False
    """Too slow for every repeat, and not to be warmed up."""

    @property
    def name(self) -> str:
        """All that tells it from other measurements, as one line."""
        parts = [self.kind, self.subject]
        if self.players is not None:
            parts.append(f"{self.players} players")
        if self.lanes is not None:
            parts.append(f"{self.lanes} lanes")
        if self.threads > 1:
            parts.append(f"{self.threads} threads")
        if self.unit == RATE and not self.observation_bytes:
            parts.append("no observation")
        return ", ".join(parts)


FACTS = tuple(field.name for field in fields(Measurement) if field.name not in ("prepare", "once"))


def timed(
    work: Callable[[], int], seconds: float, before: Callable[[], object] | None = None
) -> Sample:
    """Repeat ``work``, which returns how much it did; ``before`` runs each time, outside the time."""
    count, wall, cpu = 0, 0.0, 0.0
    while wall < seconds:
        if before is not None:
            before()
        cpu_begun, begun = time.process_time(), time.perf_counter()
        count += work()
        wall += time.perf_counter() - begun
        cpu += time.process_time() - cpu_begun
    return Sample(count / wall, wall, cpu)


def measure(
    measurements: Sequence[Measurement], repeats: int, seconds: float, progress: Progress
) -> list[dict[str, Any]]:
    """A row for each measurement: its facts, every sample, and their median and spread."""
    runners = []
    for number, measurement in enumerate(measurements):
        runner = measurement.prepare()
        if not measurement.once:
            runner(min(seconds, WARM_UP))
        runners.append(runner)
        progress(number + 1, len(measurements) * (1 + repeats))
    samples: list[list[Sample]] = [[] for _ in measurements]
    for repeat in range(repeats):
        for number, (measurement, runner) in enumerate(zip(measurements, runners, strict=True)):
            if repeat == 0 or not measurement.once:
                samples[number].append(runner(seconds))
            progress(
                len(measurements) * (1 + repeat) + number + 1, len(measurements) * (1 + repeats)
            )
    return [_row(*pair) for pair in zip(measurements, samples, strict=True)]


def _row(measurement: Measurement, samples: Sequence[Sample]) -> dict[str, Any]:
    row: dict[str, Any] = {"name": measurement.name}
    row |= {fact: getattr(measurement, fact) for fact in FACTS}
    row["cache"] = cache_of(measurement.buffer_bytes, cache_sizes())
    row["median"], row["low"], row["high"] = spread([sample.value for sample in samples])
    if measurement.unit.endswith("/s"):
        row["per_cpu_second"] = statistics.median(
            rate(sample._asdict(), "cpu") for sample in samples
        )
    row["samples"] = [sample._asdict() for sample in samples]
    return row


def rate(sample: Mapping[str, float], by: str) -> float:
    """How much was done in a second of that clock; by the clock where CPU time is too coarse."""
    return sample["value"] * sample["wall"] / (sample[by] or sample["wall"])


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Median, least and greatest."""
    return statistics.median(values), min(values), max(values)


def conditions(repeats: int, seconds: float) -> dict[str, Any]:
    """What the numbers depend on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "caches": cache_sizes(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": dict(_versions()),
        "repeats": repeats,
        "seconds": seconds,
    }


def _versions() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def cache_sizes() -> dict[str, int]:
    """The bytes of each of a core's data caches, ``L1`` first; empty where the system does not say."""
    sizes = {}
    for index in sorted(CACHES.glob("index*")):
        try:
            level, kind, size = (
                (index / name).read_text(encoding="ascii").strip()
                for name in ("level", "type", "size")
            )
        except OSError:
            continue
        if kind != "Instruction":
            units = {"K": 2**10, "M": 2**20}
            sizes[f"L{level}"] = int(size.rstrip("KM")) * units.get(size[-1], 1)
    return sizes


def cache_of(size: int | None, caches: Mapping[str, int]) -> str | None:
    """The smallest cache that holds so many bytes, else ``"memory"``; None if nothing is known."""
    if size is None or not caches:
        return None
    return next((name for name, room in caches.items() if size <= room), "memory")
