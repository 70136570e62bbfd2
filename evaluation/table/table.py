"""A table: one match, people and agents on its seats, and all who look at it."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.replay import Event, Match, as_text, reset_each
from masked_monsters.evaluation.table.eyes import Connection, Eye, Message
from masked_monsters.evaluation.table.seen import PUBLIC, about, act_told, reveal, told

MAX_PACE = 10.0
"""Seconds that agents may take before what they do is shown."""

T = TypeVar("T")


class TableError(ValueError):
    """What somebody at a table asks for cannot be; nothing has changed."""


class Table:
    """One match. All its methods belong to one event loop; agents think in ``pool``.

    Args:
        game: what is played.
        seats: an agent each, or None for a person; agents are the table's own.
        names: of who sits on each seat.
        seed: of the match.
        pace: seconds before an act of an agent is shown.
        adviser: whom people may ask; None: nobody.
        pool: where agents think.
    """

    def __init__(
        self,
        game: Game,
        seats: Sequence[Policy | None],
        names: Sequence[str],
        *,
        seed: int,
        pace: float,
        adviser: Policy | None,
        pool: ThreadPoolExecutor,
    ) -> None:
        self.game = game
        self.seats = list(seats)
        self.names = list(names)
        self.pace = check_pace(pace)
        self.adviser = adviser
        self.match = Match(game, seed)
        reset_each(self.seats, seed)
        self.watchers = Eye(game, PUBLIC)
        self.eyes = [*(Eye(game, seat) for seat in range(game.num_players)), self.watchers]
        self.left_alone_since = time.monotonic()
        self._pool = pool
        self._answer: asyncio.Future[int] | None = None
        self._playing: asyncio.Task[None] | None = None
        self._show()

    # ------------------------------------------------------------ people

    def join(self, eye: Eye) -> Connection:
        """Sit down, or look on; the match begins with the first who does.

        A seat has one connection: an older one is told so and ends.
        """
        if eye is not self.watchers:
            for old in eye.connections:
                old.send({"type": "closed", "message": "This seat was opened elsewhere."})
                old.send(None)
            eye.connections.clear()
        connection = Connection()
        eye.connections.append(connection)
        eye.look(self.match.states, self.game.words.table(self.match.states[0]), eye.legal)
        connection.send(self._welcome(eye))
        if self.match.phase == OVER:
            connection.send(self._end())
        self._tell_who_is_here()
        if self._playing is None:
            self._playing = asyncio.create_task(self._play())
        return connection

    def leave(self, eye: Eye, connection: Connection) -> None:
        """The connection is gone; the seat stays."""
        if connection in eye.connections:
            eye.connections.remove(connection)
        if not any(each.connections for each in self.eyes):
            self.left_alone_since = time.monotonic()
        self._tell_who_is_here()

    @property
    def is_over(self) -> bool:
        """Will nothing happen here any more?"""
        failed = self._playing is not None and self._playing.done()
        return failed or self.match.phase == OVER

    def is_left_alone(self, seconds: float) -> bool:
        """Has nobody been connected for so long?"""
        here = any(eye.connections for eye in self.eyes)
        return not here and time.monotonic() - self.left_alone_since >= seconds

    def act(self, eye: Eye, action: Any, turn: Any) -> None:
        """A person's decision; ``TableError`` says why it is none."""
        self._check_turn(eye, turn)
        legal = [number for number, _ in eye.legal]
        if type(action) is not int or action not in legal:
            raise TableError(f"action={_short(action)}: must be one of {legal}")
        assert self._answer
        self._answer.set_result(action)

    async def hint(self, eye: Eye, turn: Any) -> Message:
        """What the adviser would do in a person's place; ``TableError`` if that cannot be asked."""
        if self.adviser is None:
            raise TableError("This table has no adviser.")
        self._check_turn(eye, turn)
        adviser, decision = self.adviser, self.match.decision(self.adviser)
        (chances,) = await self._think(lambda: adviser.probabilities(decision))
        legal = [number for number, _ in eye.legal] if eye.turn == turn else []
        likely = sorted(((float(chances[a]), a) for a in legal), key=lambda pair: -pair[0])
        return {"type": "hint", "turn": turn, "by": adviser.name, "chances": likely}

    def set_pace(self, eye: Eye, pace: Any) -> None:
        """How long agents take, from now on; people at the table may say so."""
        if eye is self.watchers:
            raise TableError("Only players set the pace.")
        self.pace = check_pace(pace)
        for each in self.eyes:
            each.send({"type": "pace", "pace": self.pace})

    def close(self, why: str) -> None:
        """End the table, whatever is going on at it."""
        if self._playing:
            self._playing.cancel()
        for eye in self.eyes:
            eye.send({"type": "closed", "message": why})
            for connection in eye.connections:
                connection.send(None)

    def _check_turn(self, eye: Eye, turn: Any) -> None:
        waiting = self._answer is not None and not self._answer.done()
        if not (waiting and eye.legal):
            raise TableError("It is not your turn.")
        if type(turn) is not int or turn != eye.turn:
            raise TableError(f"turn={_short(turn)}: you are asked for decision {eye.turn}")

    # ------------------------------------------------------------ the match

    async def _play(self) -> None:
        try:
            while self.match.phase != OVER:
                await self._go_on()
            end = self._end()
            for eye in self.eyes:
                eye.send(end)
        except Exception:
            logging.getLogger(__name__).exception("a table has failed")
            self.close("Something went wrong at this table; the server's log says what.")

    async def _go_on(self) -> None:
        """One decision, and the chance events after it."""
        before = self.match.states.copy()
        acts: list[Message | None] = [None] * len(self.eyes)
        news: list[list[str]] = [[] for _ in self.eyes]
        if self.match.phase != CHANCE:
            event = await self._decide()
            for i, eye in enumerate(self.eyes):
                acts[i] = act_told(self.game, before, event, eye.number)
                if sentence := told(self.game, before, event, eye.number):
                    news[i].append(sentence)
            self.match.happen(event)
        while self.match.phase == CHANCE:
            before = self.match.states.copy()
            event = self.match.draw_chance()
            for i, eye in enumerate(self.eyes):
                if sentence := told(self.game, before, event, eye.number):
                    news[i].append(sentence)
        changed = self._show()
        for eye, act, sentences, is_new in zip(self.eyes, acts, news, changed, strict=True):
            eye.story += sentences
            if is_new or sentences:
                eye.send(eye.update(sentences, act))

    async def _decide(self) -> Event:
        """What the seat to move does."""
        seat = self.match.to_move
        policy = self.seats[seat]
        if policy is None:
            self._answer = asyncio.get_running_loop().create_future()
            return {"action": await self._answer, "seat": seat}
        event = await self._think(lambda: self.match.ask(policy))
        # Others must not see by the clock that somebody decides in secret.
        if told(self.game, self.match.states, event, PUBLIC):
            await asyncio.sleep(self.pace)
        return event

    def _think(self, thought: Callable[[], T]) -> Awaitable[T]:
        return asyncio.get_running_loop().run_in_executor(self._pool, thought)

    def _show(self) -> list[bool]:
        """The position to all eyes; for which of them has anything changed?"""
        table = self.game.words.table(self.match.states[0])
        changed = []
        for eye in self.eyes:
            decides = eye.number == self.match.to_move != PUBLIC
            legal = self._legal() if decides and self.seats[eye.number] is None else []
            eye.turn += bool(legal)
            changed.append(eye.look(self.match.states, table, legal))
        return changed

    def _legal(self) -> list[tuple[int, str]]:
        state, words = self.match.states[0], self.game.words
        return [(action, words.action(state, action)) for action in self.match.legal()]

    # ------------------------------------------------------------ messages

    def _welcome(self, eye: Eye) -> Message:
        return {
            **eye.update(eye.story),
            "type": "welcome",
            "about": about(self.game),
            "seat": eye.number,
            "players": self.names,
            "people": [seat for seat, policy in enumerate(self.seats) if policy is None],
            "adviser": self.adviser.name if self.adviser else None,
            "pace": self.pace,
        }

    def _end(self) -> Message:
        return {
            "type": "end",
            "score": self.match.score.tolist(),
            "replay": as_text(self.match.replay(self.names)),
            **reveal(self.game, self.match.states),
        }

    def _tell_who_is_here(self) -> None:
        here = [eye.number for eye in self.eyes if eye is not self.watchers and eye.connections]
        for eye in self.eyes:
            eye.send({"type": "here", "seats": here, "watchers": len(self.watchers.connections)})


def check_pace(pace: Any) -> float:
    """Seconds; ``TableError`` if they are none."""
    if type(pace) not in (int, float) or not 0 <= pace <= MAX_PACE:
        raise TableError(f"pace={_short(pace)}: must be 0 to {MAX_PACE:g} seconds")
    return float(pace)


def _short(value: Any) -> str:
    """A value of a message, in an answer to it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
