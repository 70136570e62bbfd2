import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from masked_monsters.envs.registry import GAMES
from masked_monsters.evaluation.arguments import check_file
from masked_monsters.evaluation.cli import main

COMMAND = Path(sys.executable).with_name("masked-monsters")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The installed command, its output piped."""
    return subprocess.run(
        [COMMAND, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )


def table_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """All that is printed."""
    assert main(arguments) == 0
    return capsys.readouterr().out


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line on standard error of a command that fails."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("masked-monsters: error: ")
    return captured.err


# ---------------------------------------------------------------- evaluate


def test_the_command_says_its_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"masked-monsters {version('masked-monsters')}\n")


def test_evaluate_prints_the_same_table_for_the_same_seed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = "evaluate", "random", "--against", "random", "--matches", "40", "--seed"
    tables = [table_of(capsys, *arguments, seed) for seed in ("0", "0", "1")]
    assert tables[0] == tables[1]
    assert tables[0] != tables[2]
    default = table_of(capsys, *arguments[:-1])
    assert default == tables[0]


def test_evaluate_says_what_its_numbers_depend_on(capsys: pytest.CaptureFixture[str]) -> None:
    text = table_of(capsys, "evaluate", "random", "--matches", "40", "--players", "5")
    for words in (
        "random against copies of each:",
        "95 % confidence interval over 8 deals",
        "once on each of 5 seats",
        "the win share 0.200",
        "Trained agents draw their actions.",
        "monster_my_neighbor v0: num_players=5",
        "seed=0",
        f"masked-monsters {version('masked-monsters')}",
    ):
        assert words in text


def test_evaluate_says_that_agents_do_not_draw(capsys: pytest.CaptureFixture[str]) -> None:
    text = table_of(capsys, "evaluate", "random", "--matches", "4", "--deterministic")
    assert "Trained agents do their likeliest action." in text


def test_a_pipe_that_takes_only_ascii_gets_ascii() -> None:
    done = run(
        *("evaluate", "random", "--against", "random", "--matches", "40"),
        PYTHONIOENCODING="ascii",
        TERM="dumb",
        COLUMNS="20",
    )
    assert done.returncode == 0
    assert done.stderr == "" or done.stderr.startswith("masked-monsters: compiling")
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout
    (row,) = [line for line in done.stdout.splitlines() if line.startswith("| random")]
    assert row.count("+-") == 3


def test_evaluate_writes_its_numbers_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "numbers.json"
    table_of(
        capsys,
        *("evaluate", "random", "--against", "random", "random", "--matches", "40"),
        *("--option", "num_rounds=1", "--option", "tiebreak=rounds", "--json", str(path)),
    )
    data = json.loads(path.read_text())
    assert data["game"] == "monster_my_neighbor"
    assert data["options"]["num_rounds"] == 1
    assert data["options"]["tiebreak"] == "rounds"
    assert [row["matches"] for row in data["evaluations"]] == [40, 40]
    assert data["evaluations"][0]["gain"]["half_width"] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("evaluate nobody", "agent='nobody': must be a baseline of monster_my_neighbor (random"),
        ("evaluate random --against nobody", "agent='nobody'"),
        (
            "evaluate random --players 4 --option num_players=5",
            "num_players: given twice, by --players and by --option",
        ),
        (
            "evaluate random --option num_rounds=1 --option num_rounds=2",
            "num_rounds: given twice by --option",
        ),
        ("evaluate random --option name=x", "unknown option name; allowed: num_players,"),
        ("crosstable random --by-role", "monster_my_neighbor: deals no roles"),
        ("evaluate random --players 9", "num_players=9: must be an integer from 3 to 8"),
        ("evaluate random --option colour=1", "unknown option colour; allowed: num_players"),
        ("evaluate random --matches 0", "matches=0"),
        ("evaluate random --seed -1", "seed=-1"),
        ("evaluate random --workers 0", "workers=0"),
        ("evaluate random --json no/folder/file.json", "no/folder"),
        ("record random random random --out no/folder/game.json", "no/folder"),
        ("record random random random --out .", "not a file"),
        ("record random random --out game.json", "num_players=2"),
        ("replay no-such-file.json", "no-such-file.json"),
        ("replay THIS_FILE", "is not JSON"),
    ],
)
def test_an_error_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: str, words: str
) -> None:
    given = [__file__ if word == "THIS_FILE" else word for word in arguments.split()]
    assert words in error_of(capsys, *given)


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "dance",
        "evaluate",
        "evaluate random --game chess",
        "evaluate random --option colour",
        "evaluate random --players 4 run.seed=1",
        "demo under_my_bed --runs here dance",
        "demo under_my_bed --runs here --seed=1",
    ],
)
def test_a_mistyped_command_exits_with_2(
    capsys: pytest.CaptureFixture[str], arguments: str
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments.split())
    assert exit_.value.code == 2
    assert "usage: masked-monsters" in capsys.readouterr().err


def test_neither_help_nor_evaluating_scripted_players_loads_torch() -> None:
    code = (
        "import sys; from masked_monsters.evaluation.cli import main; "
        "main(['evaluate', 'random', '--against', 'random', '--matches', '4']); "
        "sys.exit('torch' in sys.modules or 'matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0


def test_an_agent_file_without_torch_names_the_extra(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent.zip").write_text("")
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("masked_monsters.training")]:
        monkeypatch.delitem(sys.modules, name)
    error = error_of(capsys, "evaluate", str(tmp_path / "agent.zip"))
    assert "pip install 'masked-monsters[train]'" in error


# ---------------------------------------------------------------- record and replay


def test_every_game_can_be_evaluated_recorded_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    text = table_of(capsys, "evaluate", "random", "--game", name, "--matches", "8")
    assert f"{name} v{GAMES[name]}: num_players=4" in text
    path = str(tmp_path / "game.json")
    assert main(["record", *["random"] * 3, "--game", name, "--out", path]) == 0
    for eyes in ([], ["--seat", "1"], ["--god"]):
        assert main(["replay", path, *eyes]) == 0
        assert f"{name}, version {GAMES[name]}" in capsys.readouterr().out


def test_a_recorded_match_can_be_shown_to_all_eyes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "game.json")
    assert main(["record", *["random"] * 3, "--seed", "7", "--out", path]) == 0
    assert path in capsys.readouterr().out
    shown = []
    for eyes in ([], ["--seat", "1"], ["--god"]):
        assert main(["replay", path, *eyes]) == 0
        shown.append(capsys.readouterr().out)
    assert "player_1 holds:" not in shown[0]
    assert "player_1 holds:" in shown[1]
    assert "the monster of round 1 is" in shown[2]


def test_a_replay_that_does_not_fit_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.json"
    main(["record", *["random"] * 3, "--out", str(path)])
    path.write_text(path.read_text().replace('"game_version": 0', '"game_version": 99'))
    capsys.readouterr()
    assert main(["replay", str(path)]) == 2
    assert "game_version=99: this is version 0" in capsys.readouterr().err


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    path = str(tmp_path / "game.json")
    main(["record", *["random"] * 3, "--out", path])
    with subprocess.Popen(
        [COMMAND, "replay", path, "--god"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""


def test_options_may_be_said_as_python_or_as_json(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    arguments = ["record", *["random"] * 3, "--game", "under_my_bed", "--out", str(file)]
    said = ("max_questions=None", "hedging=False", "first_asker=2")
    assert main([*arguments, *(word for option in said for word in ("--option", option))]) == 0
    options = json.loads(file.read_text())["options"]
    assert (options["max_questions"], options["hedging"], options["first_asker"]) == (
        None,
        False,
        2,
    )


def test_a_key_given_twice_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["evaluate", "random", "--option", 'deck={"hide": 1, "hide": 2}'])
    assert "'hide' is given twice" in capsys.readouterr().err


def test_a_place_where_nothing_may_be_written_is_refused_before_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write anywhere
    for path in (tmp_path / "new.json", tmp_path):
        with pytest.raises(ValueError, match=r"json=.*: must be"):
            check_file("json", path)
