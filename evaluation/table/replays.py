"""What the page asks for to show a replay: the match as pictures, and what an analysis says of it."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from masked_monsters.evaluation.replay import Replay, game_of, read
from masked_monsters.evaluation.table.analysis import analyse
from masked_monsters.evaluation.table.film import film

MAX_REPLAY = 1_000_000
"""Bytes of a replay; the longest matches have some ten thousand."""


def routes(shown: bytes | None, adviser: str | None) -> list[Route]:
    """``shown`` is the replay that the server was started with; of ``adviser`` see ``analyse``."""
    thinking = asyncio.Lock()

    async def started_with(_: Request) -> Response:
        if shown is None:
            return as_json({"error": "This server was started without a replay."}, 404)
        return Response(shown, media_type="application/json")

    async def filmed(request: Request) -> Response:
        replay = await _replay_of(request)
        return await asyncio.to_thread(lambda: as_json(film(replay)))

    async def analysed(request: Request) -> Response:
        replay = await _replay_of(request)
        stops = request.app.state.stops
        lines = _in_turn(_lines(replay, adviser), thinking, stops)
        return StreamingResponse(lines, media_type="application/x-ndjson")

    return [
        Route("/api/replay", started_with),
        Route("/api/film", _or_refused(filmed), methods=["POST"]),
        Route("/api/analysis", _or_refused(analysed), methods=["POST"]),
    ]


def as_json(found: Any, status: int = 200) -> Response:
    """An answer in ASCII: texts that were sent here, and are in it, may be no valid Unicode."""
    return Response(json.dumps(found), status, media_type="application/json")


async def content(request: Request, most: int) -> bytes:
    """Of a request; ``ValueError`` if it is of more bytes than that."""
    text = b""
    async for part in request.stream():
        text += part
        if len(text) > most:
            raise ValueError(f"request: must be at most {most} bytes")
    return text


async def _replay_of(request: Request) -> Replay:
    replay = read(await content(request, MAX_REPLAY), "replay")
    game_of(replay)
    return replay


def _or_refused(
    answer: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    async def answered(request: Request) -> Response:
        try:
            return await answer(request)
        except ValueError as error:
            return as_json({"error": str(error)}, 400)

    return answered


def _lines(replay: Replay, adviser: str | None) -> Iterator[str]:
    """The analysis, a line of JSON each; a last one says what went wrong, if anything did."""
    try:
        for found in analyse(replay, adviser=adviser):
            yield json.dumps(found) + "\n"
    except (ValueError, ImportError) as error:
        yield json.dumps({"error": str(error)}) + "\n"


async def _in_turn(
    lines: Iterator[str], thinking: asyncio.Lock, stops: Callable[[], bool]
) -> AsyncIterator[str]:
    """The lines; of all analyses one thinks at a time, so that tables hardly feel how many there are."""
    while not stops():
        async with thinking:
            line = await run_in_threadpool(next, lines, None)
        if line is None:
            return
        yield line
    yield json.dumps({"error": "The server stops."}) + "\n"
