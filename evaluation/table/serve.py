"""The page's server: Starlette on uvicorn."""

import argparse
import asyncio
import contextlib
import gc
import json
import socket
import webbrowser
from collections import deque
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.evaluation.replay import game_of, play_back, read, record
from masked_monsters.evaluation.table import lobby, replays
from masked_monsters.evaluation.table.eyes import Connection, Eye
from masked_monsters.evaluation.table.roster import PERSON, Roster, agent_of, strongest
from masked_monsters.evaluation.table.table import Table, TableError
from masked_monsters.evaluation.table.tables import Tables

MAX_MESSAGE = 10_000
"""Bytes of a message, or of a request."""
PARTING = 5
"""Seconds that pages which do not read their answers are waited for when the server stops."""
SWEEP = 10.0
"""Seconds between two looks for tables that were left alone."""
REPLAY = "replay"
"""What follows # in the address of the replay that the server was started with."""
LOADING = "Loading the rules and the players (the first time some twenty seconds) ..."
GUARDS = {
    "content-security-policy": "default-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}
"""Headers of every answer."""


def play(args: argparse.Namespace, game: Game, players: Sequence[str]) -> int:
    """A page with a table of these players, until Ctrl-C."""
    with _listening(args) as listener:
        print(LOADING, flush=True)
        adviser = args.adviser or strongest(game)
        roster = Roster([*players, adviser, *args.agent], game)
        tables = Tables(roster.load)
        record(game, [agent_of("random", game)] * game.num_players)  # compiles what is not yet
        table = tables.open(
            game,
            [roster.name(player) for player in players],
            seed=args.seed,
            pace=args.pace,
            adviser=roster.name(adviser),
        )
        eye = table.eyes[players.index(PERSON)] if PERSON in players else table.watchers
        _serve(args, listener, make_app(tables, roster, args.host), eye.token)
    return 0


def watch(args: argparse.Namespace) -> int:
    """A page that shows the replay ``args.file``, until Ctrl-C."""
    text = args.file.read_bytes()
    with _listening(args) as listener:
        print(LOADING, flush=True)
        replay = read(text, args.file)
        deque(play_back(replay), maxlen=0)  # what does not fit is refused here
        if args.adviser:
            agent_of(args.adviser, game_of(replay))
        roster = Roster()
        app = make_app(Tables(roster.load), roster, args.host, shown=text, adviser=args.adviser)
        _serve(args, listener, app, REPLAY)
    return 0


def _listening(args: argparse.Namespace) -> socket.socket:
    check_range("port", args.port, 0, 65535)
    try:
        return socket.create_server((args.host, args.port))
    except OSError as error:
        raise ValueError(f"host={args.host}, port={args.port}: {error.strerror}") from None


def _serve(args: argparse.Namespace, listener: socket.socket, app: Starlette, key: str) -> None:
    link = f"http://{args.host}:{listener.getsockname()[1]}/#{key}"
    print(f"{'Watch' if key == REPLAY else 'Play'} at {link}\nCtrl-C ends.", flush=True)
    if not args.no_browser:
        webbrowser.open(link)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE,
        ws_per_message_deflate=False,  # frames are short, and the time is the server's
        timeout_graceful_shutdown=PARTING,
    )
    server = uvicorn.Server(config)
    app.state.stops = lambda: server.should_exit
    gc.collect()
    gc.freeze()  # what is loaded stays; to look through it stops all tables for a third of a second
    server.run(sockets=[listener])


def make_app(
    tables: Tables,
    roster: Roster,
    host: str,
    *,
    shown: bytes | None = None,
    adviser: str | None = None,
) -> Starlette:
    """The page, what it asks for, and the tables.

    Args:
        tables: what the page opens, and where its people sit.
        roster: who can be chosen on it.
        host: by which name, besides those of this machine, it is reached.
        shown: a replay's content, for the page of the key ``REPLAY``.
        adviser: of the analyses of replays; None: see ``analyse``.

    ``app.state.stops`` tells whether the server is about to stop.
    """

    @contextlib.asynccontextmanager
    async def sweeping(_: Starlette) -> AsyncIterator[None]:
        async def sweep() -> None:
            while True:
                await asyncio.sleep(SWEEP)
                tables.close_idle()

        task = asyncio.create_task(sweep())
        yield
        task.cancel()
        tables.close()

    async def choices(_: Request) -> Response:
        return replays.as_json(await asyncio.to_thread(lobby.choices, roster))

    async def open_table(request: Request) -> Response:
        try:
            wish = json.loads(await replays.content(request, MAX_MESSAGE))
            table = await asyncio.to_thread(lobby.make_table, tables, roster, wish)
            tables.add(table)
        except (ValueError, TypeError, RecursionError, ImportError) as error:
            return replays.as_json({"error": str(error)}, 400)
        return replays.as_json(
            {
                "seats": [eye.token for eye in table.eyes if eye is not table.watchers],
                "people": [seat for seat, policy in enumerate(table.seats) if policy is None],
                "watch": table.watchers.token,
            }
        )

    page = StaticFiles(packages=[("masked_monsters.evaluation.table", "page")], html=True)
    app = Starlette(
        routes=[
            Route("/api/choices", choices),
            Route("/api/tables", open_table, methods=["POST"]),
            WebSocketRoute("/api/sit", partial(_sit, tables)),
            *replays.routes(shown, adviser),
            Mount("/", page),
        ],
        middleware=[Middleware(OwnPagesOnly, hosts=(host, "127.0.0.1", "localhost", "[::1]"))],
        lifespan=sweeping,
    )
    app.state.stops = lambda: False
    return app


# ---------------------------------------------------------------- at a table


async def _sit(tables: Tables, socket: WebSocket) -> None:
    """One connection: its first message says by which token."""
    await socket.accept()
    try:
        table, eye = tables.find(_read(await socket.receive()).get("token"))
    except TableError as error:
        await socket.send_json({"type": "closed", "message": str(error)})
        await socket.close()
        return
    except WebSocketDisconnect:
        return
    connection = table.join(eye)
    writing = asyncio.create_task(_write(socket, connection))
    try:
        while not writing.done():
            await _hear(table, eye, connection, await socket.receive())
    except WebSocketDisconnect:
        pass
    finally:
        writing.cancel()
        table.leave(eye, connection)


async def _write(socket: WebSocket, connection: Connection) -> None:
    while (message := await connection.messages.get()) is not None:
        await socket.send_json(message)
    await socket.close()


async def _hear(table: Table, eye: Eye, connection: Connection, raw: Any) -> None:
    try:
        message = _read(raw)
        match message:
            case {"act": action, "turn": turn}:
                table.act(eye, action, turn)
            case {"hint": turn}:
                connection.send(await table.hint(eye, turn))
            case {"pace": pace}:
                table.set_pace(eye, pace)
            case _:
                raise TableError("A message must have act and turn, hint, or pace.")
    except TableError as error:
        connection.send({"type": "error", "message": str(error)})


def _read(raw: Any) -> dict[str, Any]:
    """The object in a message; ``TableError`` if it has none."""
    if raw["type"] == "websocket.disconnect":
        raise WebSocketDisconnect
    try:
        message = json.loads(raw.get("text") or "")
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise TableError("A message must be a JSON object.")
    return message


class OwnPagesOnly:
    """Refuses what pages of other sites send, and names of this machine that are not its own."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if host.rpartition(":")[0] not in self.hosts or origin not in (None, f"http://{host}"):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await Response("This page is for its own machine.", 403)(scope, receive, send)
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(GUARDS)
            await send(message)

        await self.app(scope, receive, guarded)
