"""Find and read what a page is made from: runs' folders, tournaments' folders, JSON files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from masked_monsters.evaluation.page.records import AnyRecord, read_record, sha256
from masked_monsters.evaluation.page.runs import (
    AGENT,
    CONFIG,
    EVALUATIONS,
    UPDATES,
    VERSIONS,
    TrainingRun,
    read_run,
)

SWEEP = "sweep.yaml"
"""Whose folder has a configuration as well, and is no run."""
TOURNAMENT, RESULTS, RESPONSE = "tournament.json", "results.sqlite", "best_response.json"


@dataclass(frozen=True)
class Source:
    """A record and the file that it was read from."""

    path: Path
    record: AnyRecord

    @property
    def name(self) -> str:
        """The file's, or its folder's if the file has the name that all of its kind have."""
        generic = self.path.name in (TOURNAMENT, RESPONSE)
        return self.path.resolve().parent.name if generic else self.path.stem


@dataclass(frozen=True)
class Collected:
    """All that a page is made from, in the order in which it was named."""

    runs: list[TrainingRun] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    hashes: dict[Path, str] = field(default_factory=dict)
    """SHA-256 of every file that was read, or belongs to what was read."""


def collect(paths: Sequence[Path]) -> Collected:
    """All there is in these files and folders; what is found twice is taken once.

    Raises:
        ValueError: naming a file or folder that is none of ours, or spoiled.
        OSError: naming one that cannot be read.
    """
    collected = Collected()
    seen: set[Path] = set()
    for path in paths:
        found = False
        for place in _places(path):
            found = True
            if place.resolve() not in seen:
                seen.add(place.resolve())
                _read(place, collected)
        if not found:
            raise ValueError(
                f"{path}: has nothing to report: no run ({CONFIG}), no {TOURNAMENT}, {RESPONSE}, "
                "and no other JSON file"
            )
    return collected


def _places(path: Path) -> Iterator[Path]:
    """Folders of runs, and JSON files, in a path; by name."""
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    if path.is_file():
        yield path
        return
    named = [path / name for name in (TOURNAMENT, RESPONSE) if (path / name).is_file()]
    if (path / CONFIG).is_file() and not (path / SWEEP).is_file():
        yield path
        yield from named
    elif not named and (path / RESULTS).is_file():
        raise ValueError(f"{path}: has {RESULTS} but no {TOURNAMENT}: the tournament is not over")
    else:
        yield from _inside(path, path.glob("*.json"))


def _inside(folder: Path, files: Iterable[Path]) -> Iterator[Path]:
    """Of a folder, these files and what its folders hold; what is hidden is unfinished."""
    folders = (inner for inner in folder.iterdir() if inner.is_dir())
    for inner in sorted([*files, *folders]):
        if not inner.name.startswith("."):
            yield from _places(inner)


def _read(place: Path, collected: Collected) -> None:
    if place.is_dir():
        collected.runs.append(read_run(place))
        files = [place / name for name in (CONFIG, VERSIONS, UPDATES, EVALUATIONS, AGENT)]
    else:
        collected.sources.append(Source(place, read_record(place)))
        results = [place.with_name(RESULTS)] if place.name == TOURNAMENT else []
        files = [place, *results]
    collected.hashes.update({file: sha256(file) for file in files if file.exists()})
