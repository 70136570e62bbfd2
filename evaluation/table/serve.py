"""The page's server: Starlette on uvicorn."""

import argparse
import asyncio
import contextlib
import json
import socket
import webbrowser
from collections import deque
from collections.abc import AsyncIterator, Sequence
from importlib.resources import files
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.replay import game_of, play_back, read, record
from masked_monsters.evaluation.search.policy import METHODS
from masked_monsters.evaluation.table import replays
from masked_monsters.evaluation.table.command import agent_of, strongest
from masked_monsters.evaluation.table.tables import (
    PERSON,
    Connection,
    Eye,
    Table,
    TableError,
    Tables,
)

MAX_MESSAGE = 10_000
"""Bytes of a message, or of a request."""
SWEEP = 10.0
"""Seconds between two looks for tables that were left alone."""
REPLAY = "replay"
"""What follows # in the address of the replay that the server was started with."""
LOADING = "Loading the rules and the players (the first time some twenty seconds) ..."
POLICY = "default-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'"


def play(args: argparse.Namespace, game: Game, players: Sequence[str]) -> int:
    """A page with a table of these players, until Ctrl-C."""
    with _listening(args) as listener:
        print(LOADING, flush=True)
        record(game, [agent_of("random", game)] * game.num_players)  # compiles what is not yet
        tables = Tables(agent_of)
        adviser = args.adviser or strongest(game)
        table = tables.open(game, players, seed=args.seed, pace=args.pace, adviser=adviser)
        eye = table.eyes[players.index(PERSON)] if PERSON in players else table.watchers
        _serve(args, listener, make_app(tables, args.host), eye.token)
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
        app = make_app(Tables(agent_of), args.host, shown=text, adviser=args.adviser)
        _serve(args, listener, app, REPLAY)
    return 0


def _listening(args: argparse.Namespace) -> socket.socket:
    check_range("port", args.port, 0, 65535)
    return socket.create_server((args.host, args.port))


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
    )
    uvicorn.Server(config).run(sockets=[listener])


def make_app(
    tables: Tables, host: str, *, shown: bytes | None = None, adviser: str | None = None
) -> Starlette:
    """The page, what it asks for, and the tables.

    Args:
        tables: what the page opens, and where its people sit.
        host: by which name, besides those of this machine, it is reached.
        shown: a replay's content, for the page of the key ``REPLAY``.
        adviser: of the analyses of replays; None: see ``analyse``.
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

    async def open_table(request: Request) -> Response:
        try:
            if len(body := await request.body()) > MAX_MESSAGE:
                raise ValueError(f"request: must be at most {MAX_MESSAGE} bytes")
            table = await asyncio.to_thread(_open, tables, json.loads(body))
        except (ValueError, TypeError, RecursionError, ImportError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        return JSONResponse(
            {
                "seats": [eye.token for eye in table.eyes if eye is not table.watchers],
                "people": [seat for seat, policy in enumerate(table.seats) if policy is None],
                "watch": table.watchers.token,
            }
        )

    async def sit(socket: WebSocket) -> None:
        await _sit(tables, socket)

    page = files("masked_monsters.evaluation.table") / "page"
    return Starlette(
        routes=[
            Route("/api/choices", choices),
            Route("/api/tables", open_table, methods=["POST"]),
            WebSocketRoute("/api/sit", sit),
            *replays.routes(shown, adviser),
            Mount("/", StaticFiles(directory=str(page), html=True)),
        ],
        middleware=[Middleware(OwnPagesOnly, hosts=(host, "127.0.0.1", "localhost", "[::1]"))],
        lifespan=sweeping,
    )


async def choices(_: Request) -> Response:
    """What a table can be of."""
    games = [get_game(name) for name in GAMES]
    return JSONResponse(
        [
            {
                "name": game.name,
                "title": game.title,
                "players": [PERSON, strongest(game), *baselines(game), *METHODS],
            }
            for game in games
        ]
    )


def _open(tables: Tables, wish: Any) -> Table:
    """The table that somebody asks for on the page."""
    if not isinstance(wish, dict) or wish.keys() != {"game", "players", "pace", "adviser"}:
        raise ValueError("request: must have game, players, pace and adviser")
    players, adviser = wish["players"], wish["adviser"]
    if not isinstance(players, list):
        raise ValueError(f"players={players!r}: must be a list of names")
    game = get_game(str(wish["game"]), num_players=len(players))
    known = [strongest(game), *baselines(game), *METHODS]
    for name in players:
        check_choice("player", name, [PERSON, *known])
    check_choice("adviser", adviser, [None, *known])
    return tables.open(game, players, pace=wish["pace"], adviser=adviser)


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
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        origin = headers.get(b"origin")
        if host.rpartition(":")[0] not in self.hosts or origin not in (None, f"http://{host}"):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await Response("This page is for its own machine.", 403)(scope, receive, send)
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [
                    (b"content-security-policy", POLICY.encode()),
                    (b"referrer-policy", b"no-referrer"),
                    (b"x-content-type-options", b"nosniff"),
                    (b"cache-control", b"no-cache"),
                ]
            await send(message)

        await self.app(scope, receive, guarded)
