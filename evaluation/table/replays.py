"""What the page asks for to show a replay: the match as pictures, and what an analysis says of it."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from masked_monsters.evaluation.replay import Replay, game_of, read
from masked_monsters.evaluation.table.analysis import analyse
from masked_monsters.evaluation.table.film import film

MAX_REPLAY = 1_000_000
"""Bytes of a replay; the longest matches have some ten thousand."""


def routes(shown: bytes | None, adviser: str | None) -> list[Route]:
    """``shown`` is the replay that the server was started with; of ``adviser`` see ``analyse``."""

    async def started_with(_: Request) -> Response:
        if shown is None:
            return JSONResponse({"error": "This server was started without a replay."}, 404)
        return Response(shown, media_type="application/json")

    async def filmed(request: Request) -> Response:
        replay = await _replay_of(request)
        return JSONResponse(await asyncio.to_thread(film, replay))

    async def analysed(request: Request) -> Response:
        replay = await _replay_of(request)
        return StreamingResponse(_lines(replay, adviser), media_type="application/x-ndjson")

    return [
        Route("/api/replay", started_with),
        Route("/api/film", _or_refused(filmed), methods=["POST"]),
        Route("/api/analysis", _or_refused(analysed), methods=["POST"]),
    ]


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
            return JSONResponse({"error": str(error)}, 400)

    return answered


def _lines(replay: Replay, adviser: str | None) -> Iterator[str]:
    """The analysis, a line of JSON each; a last one says what went wrong, if anything did."""
    try:
        for found in analyse(replay, adviser=adviser):
            yield json.dumps(found) + "\n"
    except (ValueError, ImportError) as error:
        yield json.dumps({"error": str(error)}) + "\n"
