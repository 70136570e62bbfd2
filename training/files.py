"""Files that a kill does not spoil: written whole or not at all, or a row at a time."""

import csv
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import IO, Any


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """To write a file whole or not at all: an old one stays until the new one is complete.

    A link stays, and its file is replaced. What is no file, such as a device or a pipe, is written to: a
    file put in its place would destroy it.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with unfinished.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_json(path: Path, content: Any) -> None:
    """Plain values as a JSON file, written whole."""
    with whole_file(path) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())


def append_row(log: Path, row: Mapping[str, Any]) -> None:
    """Add a row to a CSV file; begin it with the names of the columns if there is none."""
    rows = [row.values()] if log.exists() else [row.keys(), row.values()]
    with log.open("a", newline="", encoding="utf-8") as file:
        file.write(_lines(rows))


def read_rows(log: Path) -> list[dict[str, str]]:
    """All rows of a CSV file but the last, if a kill has cut it off."""
    text = log.read_bytes().decode()
    return list(csv.DictReader(line for line in text.splitlines(True) if line.endswith("\n")))


def keep_rows(log: Path, column: str, last: int) -> None:
    """Drop the rows with more than that in the column."""
    if not log.exists():
        return
    kept = [row for row in read_rows(log) if int(row[column]) <= last]
    if not kept:
        log.unlink()
        return
    with whole_file(log) as file:
        file.write(_lines([kept[0].keys(), *(row.values() for row in kept)]).encode())


def _lines(rows: Iterable[Iterable[Any]]) -> str:
    text = StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue()
