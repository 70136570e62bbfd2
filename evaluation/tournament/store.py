"""The store of a tournament's matches: an SQLite file; chunks are added to it whole, and never changed.

Table ``chunks`` has a row for each that has been played, table ``matches`` one for each match: its
``seating`` numbers the agents of the chunk's ``line_up`` from seat 0 on, and ``score`` and ``roles`` are
by seat.
"""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np

from masked_monsters.evaluation.lanes import Played, PlayedRoles
from masked_monsters.evaluation.tournament.design import Chunk
from masked_monsters.evaluation.tournament.play import PlayedChunk, key_of

TABLES = """
CREATE TABLE IF NOT EXISTS chunks (
    key TEXT PRIMARY KEY, setting TEXT, line_up TEXT, number INTEGER, decisions INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS matches (
    chunk TEXT REFERENCES chunks (key), number INTEGER, deal TEXT, seating TEXT, score TEXT,
    rounds INTEGER, roles TEXT, outcome INTEGER, length INTEGER, PRIMARY KEY (chunk, number)
) WITHOUT ROWID;
"""
SECONDS = 60
"""To wait for another process that is adding a chunk."""


class Store:
    """Of one file, which is made if there is none. A context manager."""

    def __init__(self, file: Path) -> None:
        """Open it; ``ValueError`` if it is something else, ``OSError`` if it cannot be had."""
        self.file = file
        try:
            self._database = sqlite3.connect(file, timeout=SECONDS)
        except sqlite3.OperationalError as error:
            raise OSError(f"{file}: {error}") from None
        try:
            self._database.executescript(TABLES)
        except sqlite3.DatabaseError as error:
            self._database.close()
            if isinstance(error, sqlite3.OperationalError):  # locked, or not to be written to
                raise OSError(f"{file}: {error}") from None
            raise ValueError(f"{file}: is not a store of matches: {error}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, *__: object) -> None:
        self._database.close()
        if isinstance(error, sqlite3.Error):  # such as a full disk
            raise OSError(f"{self.file}: {error}") from error

    def keys(self) -> set[str]:
        """Of all chunks that have been played."""
        return {key for (key,) in self._database.execute("SELECT key FROM chunks")}

    def add(self, setting: str, chunk: Chunk, found: PlayedChunk) -> None:
        """A chunk, whole or not at all; nothing happens if it is there already."""
        key, played = key_of(setting, chunk), found.played
        row = (key, setting, json.dumps(chunk.line_up), chunk.number, played.decisions)
        with self._database:
            added = self._database.execute(
                "INSERT OR IGNORE INTO chunks VALUES (?, ?, ?, ?, ?)", row
            )
            if added.rowcount:
                self._database.executemany(
                    "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    ((key, *match) for match in _matches(found)),
                )

    def read(self, setting: str, chunk: Chunk) -> PlayedChunk:
        """A chunk that has been played."""
        key = key_of(setting, chunk)
        ((decisions,),) = self._database.execute(
            "SELECT decisions FROM chunks WHERE key = ?", (key,)
        )
        rows = self._database.execute(
            "SELECT deal, seating, score, rounds, roles, outcome, length FROM matches "
            "WHERE chunk = ? ORDER BY number",
            (key,),
        )
        deal, seating, score, rounds, roles, outcome, length = zip(*rows, strict=True)
        dealt = None
        if roles[0] is not None:
            dealt = PlayedRoles(_numbers(roles), np.array(outcome), np.array(length))
        return PlayedChunk(
            _numbers(seating),
            np.array([int(text) for text in deal], np.uint64),
            Played(_numbers(score).astype(np.float64), np.array(rounds), decisions, dealt),
        )


def _numbers(texts: Iterable[str]) -> np.ndarray:
    """An array from its rows as JSON."""
    return np.array(json.loads(f"[{','.join(texts)}]"))


def _matches(found: PlayedChunk) -> Iterable[tuple[Any, ...]]:
    """The rows of a chunk's matches, but for the key."""
    played = found.played
    roles = played.roles
    for i, deal in enumerate(found.deals):
        yield (
            i,
            str(deal),
            json.dumps(found.seating[i].tolist()),
            json.dumps(played.score[i].tolist()),
            int(played.rounds[i]),
            None if roles is None else json.dumps(roles.role[i].tolist()),
            None if roles is None else int(roles.outcome[i]),
            None if roles is None else int(roles.length[i]),
        )
