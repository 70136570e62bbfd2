import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from masked_monsters.evaluation.cli import main

ENCODERS = """
def leaking(env, agent):
    roles = env.god_view()["roles"]
    seat = env.possible_agents.index(agent)
    return {"next[bold]": int(roles[(seat + 1) % len(roles)] == "kid")}

def fair(env, agent):
    return env.observe(agent)

number = 3
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with a module of encoders in it."""
    (tmp_path / "my_audited.py").write_text(ENCODERS, encoding="utf-8")
    (tmp_path / "my_needy.py").write_text("import no_such_package", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    path = sys.path.copy()
    yield tmp_path
    assert sys.path == path
    for module in ("my_audited", "my_needy", "my_encoder"):
        sys.modules.pop(module, None)


PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
SMALL = "audit", "--game", "under_my_bed", "--positions", "30"


def test_the_command_says_what_was_compared_and_that_nothing_leaks(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SMALL, "--encoder", "my_audited:fair", "--json", "audit.json"]) == 0
    out = capsys.readouterr().out
    for words in (
        "30 positions, each seen by 4 seats:",
        "vote 6",
        "compared with another 480 times",
        "who is the kid",
        "B3: everyone sees their own card only",
        "No leak found",
        "under_my_bed v0: num_players=4",
        "seed=0",
    ):
        assert words in out
    content = json.loads((here / "audit.json").read_text(encoding="utf-8"))
    assert content["kind"] == "audit"
    assert content["clean"] is True
    assert content["pairs"] == 480
    assert content["differed"].keys() == content["rules"].keys()
    assert content["encoders"] == ["my_audited:fair"]
    assert content["command"].startswith("masked-monsters audit --game under_my_bed")


def test_the_command_names_a_leak_and_its_rule_and_returns_1(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SMALL, "--encoder", "my_audited:leaking", "--json", "audit.json"]) == 1
    out = capsys.readouterr().out
    assert "LEAK  1 entry is not the same" in out
    assert "my_audited:leaking: next[bold]" in out
    named = out.split("What differed each time:")[1].splitlines()
    assert named[2].strip() == "who is the kid (B3: everyone sees their own card only)"
    assert "No leak found" not in out
    (leak,) = json.loads((here / "audit.json").read_text(encoding="utf-8"))["leaks"]
    assert leak["entry"] == "my_audited:leaking: next[bold]"
    assert sorted(leak["example"]) == ["0", "1"]
    assert leak["secrets"][0] == "who is the kid"


def test_the_command_says_what_too_few_positions_have_not_tried(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["audit", "--game", "under_my_bed", "--positions", "1", "--worlds", "1"]) == 1
    out = capsys.readouterr().out
    assert "1 position, each seen by 4 seats" in out
    assert "NOT TRIED  the votes cast so far: never differed" in out
    assert "No leak found" not in out


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("my_audited", "encoder='my_audited': must be MODULE:NAME"),
        (":fair", "encoder=':fair': must be MODULE:NAME"),
        ("my_absent:fair", "encoder='my_absent:fair': there is no module my_absent"),
        ("my_audited:absent", "my_audited has no function absent"),
        ("my_audited:number", "my_audited has no function number"),
        ("my_needy:fair", "no_such_package is not installed"),
    ],
)
@pytest.mark.usefixtures("here")
def test_the_command_names_a_bad_encoder(
    spec: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SMALL, "--encoder", spec]) == 2
    assert message in capsys.readouterr().err


def test_the_page_on_audits_shows_what_its_example_prints(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    shown = re.findall(r"```\n(LEAK.*?)```", PAGE, re.DOTALL)[0]
    (here / "my_encoder.py").write_text(code, encoding="utf-8")
    assert main(["audit", "--positions", "60", "--encoder", "my_encoder:encode"]) == 1
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines() if line.strip()]
    times = re.compile(r" +\d+ +(?=dog_discard)")  # hangs on how worlds are sampled
    assert times.sub(" ", shown) in times.sub(" ", "\n".join(printed) + "\n")


def test_the_command_refuses_a_file_that_it_cannot_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SMALL, "--json", str(tmp_path / "absent" / "audit.json")]) == 2
    assert "must be a file's name in a folder that exists" in capsys.readouterr().err
