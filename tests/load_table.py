"""Play at many tables of one server at once, and measure how long people wait for it.

``python -m tests.load_table --seconds 60``; ``--help`` lists the rest. The server is ``masked-monsters
play``, a process of its own, on one core where the platform can pin it. At each table sit three people,
who are connections of this process, and an agent. Whoever is asked waits for a moment, drawn anew each
time, and does a random legal act. When a match ends a new table is opened at once.

Measured is, for every act, the time from sending it to hearing what has come of it. A table tells that
before the next seat decides, so its own agent has no part in the time; the agents of the other tables,
which think on the same core, have. Tables of both games take turns. Afterwards
somebody sends malformed messages. The exit status is 1 if anything was refused, lost or changed that
should not be, if the 95th percentile of the times reaches ``MOST_WAIT``, or if malformed messages leave
more than ``MOST_GROWN`` behind. Whatever else runs on that core makes the times longer.
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from masked_monsters.envs.registry import GAMES
from tests.evaluation.table_server import MALFORMED

MOST_WAIT = 0.1
"""Seconds."""
MOST_GROWN = 2**24
"""Bytes of memory that may come to be resident while malformed messages are sent."""
NUM_MALFORMED = 10_000
PATIENCE = 30.0
"""Seconds without a word from a table at which people play; then it hangs."""
EARLY = 10.0
"""Seconds after which the server's memory is looked at for the first time."""
PLAY = "from masked_monsters.evaluation.cli import main; raise SystemExit(main())"


@dataclass
class Load:
    """What has been measured."""

    waits: list[float] = field(default_factory=list)
    """Seconds, one an act."""
    errors: list[str] = field(default_factory=list)
    matches: int = 0
    """That were played to their end."""
    resident: dict[str, int] = field(default_factory=dict)
    """Bytes of the server, by when."""

    def lines(self) -> Iterator[str]:
        """The measurement, to be read."""
        p50, p95, p99 = 1000 * np.percentile(self.waits or [np.nan], [50, 95, 99])
        yield (
            f"{len(self.waits):,} acts, {self.matches:,} matches; "
            f"waits: p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms"
        )
        memory = (f"{size / 2**20:,.1f} MiB {when}" for when, size in self.resident.items())
        yield f"resident: {', '.join(memory) or 'not known on this platform'}"
        yield f"{len(self.errors)} errors"
        yield from self.errors[:10]

    def check(self) -> None:
        """Add to the errors what is too slow."""
        if not self.waits:
            self.errors.append("nobody has acted")
        elif (slow := float(np.percentile(self.waits, 95))) >= MOST_WAIT:
            self.errors.append(f"p95={1000 * slow:.1f} ms: must be less than {1000 * MOST_WAIT:g}")


def main(argv: list[str] | None = None) -> int:
    """Measure and report; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="(default: %(default)g)")
    parser.add_argument("--tables", type=int, default=20, help="at once (default: %(default)s)")
    parser.add_argument("--agent", default="reference", help="on each table (default: %(default)s)")
    parser.add_argument(
        "--moment", type=float, default=0.2, help="at most, before an act (default: %(default)g s)"
    )
    args = parser.parse_args(argv)
    load = Load()
    with serving(args.agent) as (process, address):
        for part in (play(load, process, address, args), send_malformed(load, process, address)):
            try:
                asyncio.run(part)
            except (OSError, ValueError, WebSocketException) as error:
                load.errors.append(f"{type(error).__name__}: {error}")
    load.check()
    print("\n".join(load.lines()))
    return 1 if load.errors else 0


@contextmanager
def serving(agent: str) -> Iterator[tuple[int, str]]:
    """A server with an agent loaded; the id of its process, and its address."""
    seats = ["person", "random", "random", "--adviser", agent]
    command = [sys.executable, "-c", PLAY, "play", *seats, "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(process.pid, {max(os.sched_getaffinity(0))})
            assert process.stdout
            found = (re.match(r"Play at (.*)#", line) for line in process.stdout)
            yield process.pid, next(match[1] for match in found if match)
        finally:
            process.terminate()


def resident(process: int) -> int | None:
    """The bytes of a process that are in memory, where that can be known."""
    statm = Path(f"/proc/{process}/statm")
    if not statm.exists():
        return None
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# ---------------------------------------------------------------- people who play


async def play(load: Load, process: int, address: str, args: argparse.Namespace) -> None:
    """All tables, for so many seconds."""

    async def look(when: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if (size := resident(process)) is not None:
            load.resident[when] = size

    async def keep_busy(number: int) -> None:
        choose = random.Random(number)
        while True:
            await play_at_a_table(load, address, number, choose, args)

    for number in range(len(GAMES)):  # what a game needs is loaded before anybody is timed
        await asyncio.to_thread(open_table, address, number, args.agent)
    tables = [asyncio.create_task(keep_busy(number)) for number in range(args.tables)]

    async def look_twice() -> None:
        early = min(EARLY, args.seconds)
        await look(f"after {early:g} s", early)
        await look("at the end", args.seconds - early)

    looks = asyncio.create_task(look_twice())
    await asyncio.wait([looks, *tables], return_when=asyncio.FIRST_COMPLETED)
    looks.cancel()
    for table in tables:
        table.cancel()
    for result in await asyncio.gather(*tables, looks, return_exceptions=True):
        if isinstance(result, Exception):
            load.errors.append(f"{type(result).__name__}: {result}")


async def play_at_a_table(
    load: Load, address: str, number: int, choose: random.Random, args: argparse.Namespace
) -> None:
    """A match at a new table, to its end."""
    opened = await asyncio.to_thread(open_table, address, number, args.agent)
    people = (sit(load, address, opened["seats"][s], choose, args.moment) for s in opened["people"])
    await asyncio.gather(*people)
    load.matches += 1


def open_table(address: str, number: int, agent: str) -> dict[str, Any]:
    """A table of the games in turn."""
    wish = {
        "game": list(GAMES)[number % len(GAMES)],
        "players": ["person", "person", "person", agent],
        "pace": 0,
        "adviser": None,
    }
    request = urllib.request.Request(f"{address}api/tables", json.dumps(wish).encode())
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        with refusal:
            raise ValueError(refusal.read().decode()) from None


async def sit(load: Load, address: str, token: str, choose: random.Random, moment: float) -> None:
    """One person, to the end of the match."""
    async with joined(address, token) as socket:
        sent = 0.0
        while True:
            frame = await hear(socket)
            if sent and frame["type"] == "update":
                load.waits.append(time.perf_counter() - sent)
                sent = 0.0
            if frame["type"] == "end":
                return
            if frame["type"] in ("error", "closed"):
                raise ValueError(frame["message"])
            if legal := frame.get("legal"):
                await asyncio.sleep(choose.uniform(0, moment))
                act = json.dumps({"act": choose.choice(legal)[0], "turn": frame["turn"]})
                sent = time.perf_counter()
                await socket.send(act)


@asynccontextmanager
async def joined(address: str, token: str) -> AsyncIterator[ClientConnection]:
    """A connection to a seat."""
    async with connect(f"{address.replace('http', 'ws')}api/sit") as socket:
        await socket.send(json.dumps({"token": token}))
        yield socket


async def hear(socket: ClientConnection) -> dict[str, Any]:
    """The next frame; ``TimeoutError`` if none comes."""
    return json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))


# ---------------------------------------------------------------- one who sends nonsense


async def send_malformed(load: Load, process: int, address: str) -> None:
    """Whoever is asked at a new table sends what cannot be heeded; then the match goes on."""
    opened = await asyncio.to_thread(open_table, address, 0, "random")
    token, before = await whoever_is_asked(address, opened)
    size = resident(process)
    async with joined(address, token) as socket:
        for _ in range(-(-NUM_MALFORMED // len(MALFORMED))):
            for message in MALFORMED:
                await socket.send(message)
            answers = 0
            while answers < len(MALFORMED):
                frame = await hear(socket)
                answers += frame["type"] == "error"
                if frame["type"] not in ("welcome", "here", "error"):
                    load.errors.append(f"a malformed message was answered by {frame}")
                    return
    grown = None if size is None else (resident(process) or 0) - size
    if grown is not None:
        load.resident["more after malformed messages"] = grown
        if grown > MOST_GROWN:
            load.errors.append(f"{grown:,} bytes more: must be at most {MOST_GROWN:,}")
    async with joined(address, token) as socket:
        after = await hear(socket)
        if after != before:
            load.errors.append("malformed messages have changed the table")
        await socket.send(json.dumps({"act": after["legal"][0][0], "turn": after["turn"]}))
        while (await hear(socket))["type"] != "update":
            pass


async def whoever_is_asked(address: str, opened: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The token of a seat of which a decision is wanted, and its welcome."""
    while True:
        for seat in opened["people"]:
            async with joined(address, opened["seats"][seat]) as socket:
                if (welcome := await hear(socket))["legal"]:
                    return opened["seats"][seat], welcome
        await asyncio.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
