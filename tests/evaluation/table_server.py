"""A table's server in a thread of the tests' own process, and people who talk to it."""

import json
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import uvicorn
from websockets.sync.client import ClientConnection, connect

from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.table.roster import Roster
from masked_monsters.evaluation.table.serve import make_app
from masked_monsters.evaluation.table.table import Table
from masked_monsters.evaluation.table.tables import Tables

WISH = {
    "game": "under_my_bed",
    "players": ["person", "random", "honest"],
    "pace": 0,
    "adviser": None,
}
"""What the page may ask for."""
MALFORMED = (
    "", "{", "[]", "null", "7", '"act"', "{}", '{"act": 1}', '{"turn": 1}', '{"act": 99, "turn": 1}',
    '{"act": -1, "turn": 1}', '{"act": 1.0, "turn": 1}', '{"act": true, "turn": 1}',
    '{"act": "1", "turn": 1}', '{"act": [1], "turn": 1}', '{"act": 1, "turn": 99}',
    '{"act": NaN, "turn": 1}', '{"act": 1, "turn": null}', '{"hint": 99}', '{"hint": {}}',
    '{"pace": -1}', '{"pace": "fast"}', '{"pace": NaN}', '{"pace": 1e999}', '{"pace": true}',
    '{"token": "x"}', "[" * 3000, '{"act": ' + "9" * 5000 + ', "turn": 1}', b"\x00\xff", b"{}",
)  # fmt: skip
"""Messages of one who sits at a table, none of which can be heeded."""


class Server:
    """A server that runs, its tables, and where it is."""

    def __init__(self, tables: Tables, port: int) -> None:
        self.tables = tables
        self.host = f"127.0.0.1:{port}"
        self.address = f"http://{self.host}/"
        self.people = ExitStack()
        """The connections to it, closed with it."""

    def open(self, game: Game | str, players: Sequence[str], **options: Any) -> Table:
        """A table, whose agents do not wait."""
        game = get_game(game, num_players=len(players)) if isinstance(game, str) else game
        return self.tables.open(game, players, pace=options.pop("pace", 0.0), **options)


@contextmanager
def serving(
    agents: Sequence[str] = (), *, shown: bytes | None = None, **options: Any
) -> Iterator[Server]:
    """A server at a free port, with agents and a replay of its own."""
    roster = Roster(agents)
    tables = Tables(roster.load, **options)
    app = make_app(tables, roster, "127.0.0.1", shown=shown)
    config = uvicorn.Config(app, port=0, log_level="warning", ws="websockets-sansio")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    running = Server(tables, server.servers[0].sockets[0].getsockname()[1])
    try:
        with running.people:
            yield running
    finally:
        server.should_exit = True
        thread.join()


def ask(server: Server, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    """The status and the body of an answer; with a body it is a POST."""
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(server.address + path, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


class Person:
    """A connection to a seat, all that has come over it, and the latest of each kind."""

    def __init__(self, server: Server, token: str) -> None:
        self.socket: ClientConnection = server.people.enter_context(
            connect(f"ws://{server.host}/api/sit")
        )
        self.frames: list[dict[str, Any]] = []
        self.latest: dict[str, dict[str, Any]] = {}
        self.say(token=token)

    def say(self, **message: Any) -> None:
        """Send a message."""
        self.socket.send(json.dumps(message))

    def hear(self) -> dict[str, Any]:
        """The next message."""
        frame = json.loads(self.socket.recv(timeout=120))
        self.frames.append(frame)
        self.latest["update" if frame["type"] == "welcome" else frame["type"]] = frame
        return frame

    def hear_until(self, kind: str) -> dict[str, Any]:
        """All messages up to one of that kind."""
        while (frame := self.hear())["type"] != kind:
            pass
        return frame

    def hear_until_asked(self) -> dict[str, Any] | None:
        """All messages up to a turn of one's own; None if the match is over first."""
        while (frame := self.hear())["type"] != "end":
            if frame.get("legal"):
                return frame
        return None


def play_to_the_end(person: Person, seed: int) -> None:
    """Act at random whenever asked."""
    choose = random.Random(seed)
    while asked := person.hear_until_asked():
        person.say(act=choose.choice(asked["legal"])[0], turn=asked["turn"])
