"""A server's own agents: who can choose them, by which names, and that the page opens no files."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.agents import REFERENCE, agent_file
from masked_monsters.evaluation.table.roster import Roster, short_names
from tests.evaluation.table_server import WISH, Person, Server, ask, serving
from tests.games import CATALOGUE

pytest.importorskip("torch")
MMN, UMB = "monster_my_neighbor", "under_my_bed"
OWN = {MMN: ["first/agent.zip", "pimc:4"], UMB: ["second/agent.zip", "pimc:4"]}
"""Who is offered for a game beyond those who always are."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent file for each game, of the same name, and one that no server is told of."""
    folder = tmp_path_factory.mktemp("agents")
    for place, game in (("first", MMN), ("second", UMB), ("untold", UMB)):
        (folder / place).mkdir()
        shutil.copy(agent_file(f"{REFERENCE}{game}"), folder / place / "agent.zip")
    return folder


@pytest.fixture(scope="module")
def specs(folder: Path) -> list[str]:
    return [str(folder / "first/agent.zip"), str(folder / "second/agent.zip"), "pimc:4", "random"]


@pytest.fixture(scope="module")
def server(specs: list[str]) -> Iterator[Server]:
    with serving(specs) as running:
        yield running


def test_own_agents_are_offered_for_the_games_that_they_fit(server: Server, name: str) -> None:
    offered = {game["name"]: game["players"] for game in json.loads(ask(server, "api/choices")[1])}
    always = ["person", *Roster().names(get_game(name))]
    assert offered[name] == [*always, *OWN[name]]


def test_an_own_agent_plays_and_advises_under_its_short_name(server: Server, folder: Path) -> None:
    own = OWN[MMN][0]
    wish = {**WISH, "game": MMN, "players": ["person", own, own], "adviser": own}
    status, body = ask(server, "api/tables", wish)
    assert status == 200
    person = Person(server, json.loads(body)["seats"][0])
    asked = person.hear_until_asked()
    assert asked
    person.say(hint=asked["turn"])
    assert person.hear_until("hint")["by"] == own
    assert person.frames[0]["players"] == ["person", own, own]
    assert person.frames[0]["adviser"] == own
    assert str(folder) not in json.dumps(person.frames)


@pytest.mark.parametrize("place", ["players", "adviser"])
def test_the_page_cannot_name_a_file_nor_an_agent_of_another_game(
    server: Server, folder: Path, place: str
) -> None:
    told = str(folder / "second/agent.zip")  # of this game, and the server's, but not by its path
    names = [told, str(folder / "untold/agent.zip"), "untold/agent.zip", OWN[MMN][0], "pimc:5"]
    for name in names:
        change = {place: ["person", "random", name] if place == "players" else name}
        status, body = ask(server, "api/tables", {**WISH, **change})
        assert status == 400
        assert f"={name!r}: must be one of" in json.loads(body)["error"]


def test_options_that_an_own_agent_does_not_fit_are_refused_in_the_loaders_words(
    server: Server, folder: Path
) -> None:
    own = OWN[UMB][0]
    wish = {**WISH, "players": ["person", "random", own], "options": {"catalogue": CATALOGUE}}
    status, body = ask(server, "api/tables", wish)
    error = json.loads(body)["error"]
    assert status == 400
    assert error.startswith(f"{own}: ")
    assert str(folder) not in error


def test_one_who_does_not_fit_the_servers_odd_game_is_offered_for_the_usual_one(
    folder: Path,
) -> None:
    agent = str(folder / "second/agent.zip")
    odd = get_game(UMB, catalogue=CATALOGUE)
    with pytest.raises(ValueError, match=r"actions is|observation_hash is"):
        Roster().load(agent, odd)
    assert "agent.zip" in Roster([agent], odd).names(get_game(UMB))
    assert "agent.zip" not in Roster([agent], odd).names(get_game(MMN))


@pytest.mark.parametrize("content", [None, b"", b"PK"])
def test_a_file_that_is_no_agent_is_an_error_at_the_start(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "agent.zip"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=r"agent\.zip"):
        Roster([str(path)])


def test_names_are_as_short_as_can_be_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = ["a/x/agent.zip", "b/x/agent.zip", "b/other.zip", "random", "b/../twice.zip"]
    for file in map(Path, [*files, "twice.zip"]):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    assert short_names([*files, "twice.zip", "pimc:9"], {"random"}) == {
        "a/x/agent.zip": "a/x/agent.zip",
        "b/x/agent.zip": "b/x/agent.zip",
        "b/other.zip": "other.zip",
        "random": f"{tmp_path.name}/random",
        "b/../twice.zip": "twice.zip",
        "twice.zip": "twice.zip",
        "pimc:9": "pimc:9",
    }
