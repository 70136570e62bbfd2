"""Who looks at a table: a seat's eye or that of all who watch, and the connections behind it."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from masked_monsters.envs.game import Game
from masked_monsters.evaluation.table.seen import seen_by

UNREAD = 1000
"""Messages that wait for a connection; one that reads none of so many is cut."""

Message = dict[str, Any]


@dataclass(eq=False)
class Connection:
    """Somebody who listens."""

    messages: "asyncio.Queue[Message | None]" = field(default_factory=lambda: asyncio.Queue(UNREAD))
    """What is to be sent; after None it is closed."""

    def send(self, message: Message | None) -> None:
        """Leave a message; if too many are unread, the connection ends."""
        try:
            self.messages.put_nowait(message)
        except asyncio.QueueFull:
            while not self.messages.empty():
                self.messages.get_nowait()
            self.messages.put_nowait(None)


class Eye:
    """A seat, or whoever watches: what has been shown to it so far."""

    def __init__(self, game: Game, number: int) -> None:
        self.game = game
        self.number = number
        self.token = secrets.token_urlsafe(24)
        self.connections: list[Connection] = []
        self.story: list[str] = []
        self.turn = 0
        """The decisions that the seat has been asked for."""
        self.legal: list[tuple[int, str]] = []
        self.seen: Message = {}

    def look(self, states: np.ndarray, legal: list[tuple[int, str]]) -> bool:
        """See a position; has anything changed for this eye?"""
        seen = seen_by(self.game, states, self.number)
        changed = (seen, legal) != (self.seen, self.legal)
        self.seen, self.legal = seen, legal
        return changed

    def update(self, news: Sequence[str], act: Message | None = None) -> Message:
        """What is seen now, what has been told since, and the act that brought it."""
        update = {"type": "update", "turn": self.turn, "legal": self.legal, "news": list(news)}
        return {**update, **self.seen, "act": act}

    def send(self, message: Message) -> None:
        """To all who look through this eye."""
        for connection in self.connections:
            connection.send(message)
