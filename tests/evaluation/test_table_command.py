"""``masked-monsters play`` as a process of its own."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator

import pytest
from websockets.sync.client import connect

from masked_monsters.envs.reduced import reduced_game
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.table.command import agent_of, strongest

MAIN = "from masked_monsters.evaluation.cli import main; raise SystemExit(main())"


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", MAIN, "play", "person", "random", "ismcts:4"]
    with subprocess.Popen(
        [*command, "--port", "0", "--no-browser", "--adviser", "random", "--agent", "pimc:4"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        yield running
        running.kill()


def test_the_link_leads_to_a_running_match_and_ctrl_c_ends_it(
    process: subprocess.Popen[str],
) -> None:
    assert process.stdout
    link = next(found[1] for line in process.stdout if (found := re.match(r"Play at (.*)", line)))
    address, token = link.split("#")
    with urllib.request.urlopen(address, timeout=120) as page:
        assert b"Masked Monsters" in page.read()
    with urllib.request.urlopen(f"{address}api/choices", timeout=120) as choices:
        assert all({"ismcts:4", "pimc:4"} < {*game["players"]} for game in json.load(choices))
    with connect(address.replace("http", "ws") + "api/sit") as socket:
        socket.send(f'{{"token": "{token}"}}')
        assert '"welcome"' in str(socket.recv(timeout=120))
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 130


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
