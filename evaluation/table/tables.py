"""All tables of a server, found by the tokens of their eyes."""

import copy
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.table.eyes import Eye
from masked_monsters.evaluation.table.roster import PERSON
from masked_monsters.evaluation.table.table import Table, TableError

KEPT = 30
"""Agents that stay loaded: one for each game, options and name."""


class Tables:
    """All tables of a server, found by the tokens of their eyes."""

    def __init__(
        self, load: Callable[[str, Game], Policy], *, most: int = 100, idle: float = 1800.0
    ) -> None:
        """No table yet.

        Args:
            load: makes the agent of a name, for a game.
            most: how many there may be at once.
            idle: seconds after which a table that nobody looks at is closed.
        """
        self.load = load
        self.most = most
        self.idle = idle
        self.pool = ThreadPoolExecutor(2, thread_name_prefix="agents")
        self._by_token: dict[str, tuple[Table, Eye]] = {}
        self._agents: dict[tuple[str, str, str], Policy] = {}
        self._loading = Lock()

    def open(
        self,
        game: Game,
        players: Sequence[str],
        *,
        seed: int | None = None,
        pace: float = 1.0,
        adviser: str | None = None,
    ) -> Table:
        """A new table: ``make`` and ``add``."""
        table = self.make(game, players, seed=seed, pace=pace, adviser=adviser)
        self.add(table)
        return table

    def make(
        self,
        game: Game,
        players: Sequence[str],
        *,
        seed: int | None = None,
        pace: float = 1.0,
        adviser: str | None = None,
    ) -> Table:
        """A table that nobody can find yet; any thread may make it, since agents can take long to load.

        Args:
            game: what is played.
            players: by seat, ``PERSON`` or an agent's name.
            seed: of the match; None: nobody knows it.
            pace: seconds before an act of an agent is shown.
            adviser: the agent whom people may ask.

        Raises:
            ValueError: naming what is wrong.
        """
        if len(players) != game.num_players:
            raise ValueError(f"players: must be {game.num_players}, one a seat, are {len(players)}")
        return Table(
            game,
            [None if name == PERSON else self._agent(name, game) for name in players],
            players,
            seed=secrets.randbits(53) if seed is None else seed,
            pace=pace,
            adviser=self._agent(adviser, game) if adviser else None,
            pool=self.pool,
        )

    def add(self, table: Table) -> None:
        """From now on its tokens lead to it; ``ValueError`` if there are too many tables.

        If there are, one whose match is over and which nobody looks at has to go, if there is one.
        """
        self.close_idle()
        tables = self._tables()
        if len(tables) >= self.most:
            done = [each for each in tables if each.is_over and each.is_left_alone(0)]
            if not done:
                raise ValueError(
                    f"tables: there are {self.most} already, which is the most; one must be played "
                    f"to its end or be left for {self.idle / 60:g} minutes first"
                )
            oldest = min(done, key=lambda each: each.left_alone_since)
            self._close(oldest, "The match is over, and its table was needed.")
        self._by_token |= {eye.token: (table, eye) for eye in table.eyes}

    def find(self, token: Any) -> tuple[Table, Eye]:
        """The table and the eye of a token; ``TableError`` if it is of none."""
        if not isinstance(token, str) or token not in self._by_token:
            raise TableError("There is no such table, or it has been closed.")
        return self._by_token[token]

    def close_idle(self) -> None:
        """Close the tables that nobody has looked at for long."""
        for table in self._tables():
            if table.is_left_alone(self.idle):
                self._close(table, "Nobody was at this table any more.")

    def close(self) -> None:
        """Close them all."""
        for table in self._tables():
            self._close(table, "The server stops.")
        self.pool.shutdown(wait=False, cancel_futures=True)

    def _tables(self) -> list[Table]:
        return [table for table, eye in self._by_token.values() if eye is table.watchers]

    def _close(self, table: Table, why: str) -> None:
        table.close(why)
        for eye in table.eyes:
            del self._by_token[eye.token]

    def _agent(self, name: str, game: Game) -> Policy:
        """A copy of its own for each seat: agents remember."""
        key = name, game.name, repr(game.options)
        with self._loading:
            if key not in self._agents:
                if len(self._agents) >= KEPT:
                    del self._agents[next(iter(self._agents))]
                self._agents[key] = self.load(name, game)
            return copy.deepcopy(self._agents[key])
