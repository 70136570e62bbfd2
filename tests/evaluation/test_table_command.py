"""``masked-monsters play`` and ``replay --web`` as processes of their own."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.sync.client import connect

from masked_monsters.envs.reduced import reduced_game
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.replay import record, save
from masked_monsters.evaluation.table.roster import agent_of, strongest

MAIN = """
import signal
from masked_monsters.evaluation.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells turn it off for what runs behind
raise SystemExit(main())
"""


@contextmanager
def running(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, and the link that it prints."""
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments, "--port", "0", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        found = (re.search(r" at (http.*)", line) for line in process.stdout)
        yield process, next(link[1] for link in found if link)
        process.kill()


def fetched(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=120) as answer:
        return answer.read()


def test_the_link_leads_to_a_running_match_and_ctrl_c_ends_it() -> None:
    players = ["person", "random", "ismcts:4", "--adviser", "random", "--agent", "pimc:4"]
    with running("play", *players) as (process, link):
        address, token = link.split("#")
        assert b"Masked Monsters" in fetched(address)
        choices = json.loads(fetched(f"{address}api/choices"))
        assert all({"ismcts:4", "pimc:4"} < {*game["players"]} for game in choices)
        with connect(address.replace("http", "ws") + "api/sit") as socket:
            socket.send(f'{{"token": "{token}"}}')
            assert '"welcome"' in str(socket.recv(timeout=120))
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=120) == 130


@pytest.fixture
def match(tmp_path: Path) -> Path:
    game = get_game("under_my_bed", num_players=3)
    save(record(game, [agent_of("honest", game)] * 3), tmp_path / "match.json")
    return tmp_path / "match.json"


def test_the_link_of_a_replay_leads_to_it(match: Path) -> None:
    with running("replay", str(match), "--web") as (process, link):
        address, key = link.split("#")
        assert key == "replay"
        assert fetched(f"{address}api/replay") == match.read_bytes()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 130


def test_ctrl_c_ends_an_analysis(tmp_path: Path) -> None:
    game = get_game("monster_my_neighbor")
    path = tmp_path / "match.json"
    save(record(game, [agent_of("cautious", game)] * 4), path)
    with running("replay", str(path), "--web") as (process, link):
        wanted = urllib.request.Request(f"{link.split('#')[0]}api/analysis", path.read_bytes())
        with urllib.request.urlopen(wanted, timeout=120) as answer:
            assert b"advisers" in answer.readline()
            process.send_signal(signal.SIGINT)
            *_, last = answer
        assert json.loads(last) == {"error": "The server stops."}
        assert process.wait(timeout=120) == 130
        assert process.stderr
        assert process.stderr.read().strip().endswith("interrupted")


def test_a_port_in_use_is_named(match: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["replay", str(match), "--web", "--port", port]) == 2
    assert f"port={port}: " in capsys.readouterr().err


def test_a_replay_that_cannot_be_shown_is_an_error_that_says_why(
    match: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = match.with_name("broken.json")
    broken.write_text(match.read_text().replace('"seat": 1}', '"seat": 7}', 1))
    for arguments, named in [
        ([str(broken), "--web", "--port", "0"], "seat=7"),
        ([str(match), "--web", "--port", "0", "--adviser", "nobody"], "nobody"),
        ([str(match), "--adviser", "honest"], "is for --web"),
        ([str(match.with_name("no.json")), "--web", "--port", "0"], "no.json"),
        ([str(match), "--web", "--port", "-1"], "port=-1"),
    ]:
        assert main(["replay", *arguments]) == 2
        assert named in capsys.readouterr().err


@pytest.mark.parametrize("name", GAMES)
def test_who_plays_by_default_can_play(name: str) -> None:
    game = get_game(name)
    assert strongest(game) == "reference"
    assert agent_of("reference", game).name == "reference"


@pytest.mark.parametrize("name", ["mmn-tiny", "umb-tiny"])
def test_reduced_games_too_have_somebody_who_can_play_them(name: str) -> None:
    game = reduced_game(name)
    agent_of(strongest(game), game)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["person", "random"], "num_players=2"),
        (["person", "random", "random", "--players", "4"], "players: must be 4"),
        (["person", "random", "nobody"], "nobody"),
        (["--pace", "-1"], "pace=-1"),
        (["--port", "70000"], "port=70000"),
        (["--out", "match.json"], "--terminal"),
        (["random", "random", "random", "--terminal"], "at least one"),
        (["--agent", "no_such.zip"], "agent='no_such.zip'"),
        (["--agent", "README.md"], "README.md"),
        (["--agent", "random", "--terminal"], "agent=random: is for the page"),
        (["--terminal", "--out", "no/such/folder.json"], "out=no/such/folder.json"),
    ],
)
def test_what_cannot_be_is_an_error_that_names_it(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", *arguments]) == 2
    assert named in capsys.readouterr().err
