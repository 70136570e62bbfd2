import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from masked_monsters.evaluation.cli import main
from tests.evaluation import samples
from tests.evaluation.pages import page, report


def test_what_evaluate_and_crosstable_write_can_be_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ("--game", "under_my_bed", "--matches", "8", "--json")
    for name, *arguments in (
        ("evaluation", "evaluate", "random", "--against", "honest"),
        ("cross_table", "crosstable", "random", "honest"),
        ("role_cross_table", "crosstable", "--by-role", "random", "honest"),
    ):
        file = tmp_path / f"{name}.json"
        assert main([*arguments, *few, str(file)]) == 0
        content = json.loads(file.read_text())
        assert content["kind"] == name
        assert content["command"] == shlex.join(["masked-monsters", *arguments, *few, str(file)])
    capsys.readouterr()
    assert report(tmp_path, "--out", tmp_path / "page.html") == 0
    shown = page(tmp_path)
    assert {"cross-tables", "evaluations"} < {section.id for section in shown.sections}


def test_without_a_name_the_page_is_report_html(
    sample_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert report(sample_folder / "exact.json") == 0
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_missing_package_is_named_with_the_extra_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [
        name for name in sys.modules if name.startswith("masked_monsters.evaluation.page")
    ]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.split(".")[0] == "jinja2"]:
        monkeypatch.setitem(sys.modules, name, None)
    assert report(".") == 2
    words = "jinja2 is not installed: pip install 'masked-monsters[report]'"
    assert words in capsys.readouterr().err


def test_no_torch_is_needed(sample_folder: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from masked_monsters.evaluation.cli import main; "
        f"main(['report', {str(sample_folder)!r}, '--out', {str(tmp_path / 'a.html')!r}]); "
        "sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def spoil(path: Path, change: Callable[[str], str]) -> None:
    """Write a file again, changed."""
    path.write_text(change(path.read_text()))


FAULTS: list[tuple[str, Callable[[Path], object], str]] = [
    (
        "",
        lambda f: (f / "exact.json").write_text('{"kind": "exact", "ro'),
        "exact.json: not JSON, or",
    ),
    ("", lambda f: (f / "exact.json").write_text("[]"), "exact.json: has no kind"),
    ("", lambda f: (f / "exact.json").write_text('{"rows": []}'), "exact.json: has no kind"),
    (
        "",
        lambda f: (f / "exact.json").write_text('{"kind": "speed"}'),
        "exact.json: kind='speed': must be one of tournament, best_response, exact, evaluation,",
    ),
    (
        "",
        lambda f: spoil(f / "exact.json", lambda text: text.replace('"policy"', '"polcy"')),
        "exact.json: rows.0.policy: missing",
    ),
    (
        "",
        lambda f: spoil(f / "exact.json", lambda text: text.replace("0.91", "NaN")),
        "exact.json: rows.0.nash_conv",
    ),
    (
        "",
        lambda f: spoil(
            f / "numbers.json",
            lambda text: text.replace('width": 0.02', 'width": -0.02'),
        ),
        "half_width=-0.02",
    ),
    (
        "big",
        lambda f: spoil(f / "big/tournament.json", lambda text: text.replace("null, ", "", 1)),
        "tournament.json: cross_table: must have 5 rows and columns, one an agent",
    ),
    (
        "",
        lambda f: (f / "big/tournament.json").rename(f / "big/results.sqlite"),
        "big: has results.sqlite but no tournament.json: the tournament is not over",
    ),
    ("run", lambda f: spoil(f / "run/config.yaml", lambda _: "a: ["), "config.yaml: not YAML"),
    (
        "run",
        lambda f: spoil(f / "run/config.yaml", lambda _: "site_name: docs"),
        "config.yaml: not a run's configuration: it needs game and run",
    ),
    (
        "run",
        lambda f: spoil(f / "run/config.yaml", lambda text: text.replace("4000", "many")),
        "config.yaml: not a run's configuration: run.decisions is 'many'",
    ),
    ("run", lambda f: (f / "run/versions.json").unlink(), "versions.json: no such file"),
    (
        "run",
        lambda f: (f / "run/versions.json").write_text('{"python": "3'),
        "versions.json: does not say what the run began with",
    ),
    (
        "run",
        lambda f: spoil(f / "run/evaluation.csv", lambda text: text.replace("0.2,0.1", "0.2,x")),
        "evaluation.csv: line 3: low='x' is not a number",
    ),
    (
        "run",
        lambda f: spoil(f / "run/evaluation.csv", lambda text: text.replace("0.2,0.1", "nan,0.1")),
        "evaluation.csv: line 3: mean='nan' is not a number",
    ),
    (
        "run",
        lambda f: spoil(f / "run/evaluation.csv", lambda text: text.replace("0.2,0.1,", "")),
        "evaluation.csv: line 3 has not as many cells as there are columns",
    ),
    (
        "run",
        lambda f: spoil(f / "run/progress.csv", lambda text: text.replace("time/total", "x")),
        "progress.csv: line 2 has no time/total_timesteps",
    ),
    (
        "run",
        lambda f: (f / "run/agent.zip").write_bytes(b"PK"),
        "agent.zip: not an agent file of masked-monsters",
    ),
    ("nothing", lambda f: None, "nothing: no such file or folder"),
    ("empty", lambda f: (f / "empty").mkdir(), "empty: has nothing to report"),
]


@pytest.mark.parametrize(("path", "fault", "words"), FAULTS)
def test_what_is_missing_spoiled_or_foreign_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    path: str,
    fault: Callable[[Path], object],
    words: str,
) -> None:
    folder = samples.write_all(tmp_path / "samples")
    samples.write_run(folder / "run")
    fault(folder)
    assert report(folder / path, "--out", tmp_path / "page.html") == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("option", "name", "words"),
    [
        ("--out", "page.pdf", "must end in .html or .htm"),
        ("--out", "no/page.html", "must be a file's name in a folder that exists"),
        ("--markdown", "page.html", "must end in .md or .markdown"),
    ],
)
def test_a_name_that_cannot_be_written_is_refused(
    sample_folder: Path, capsys: pytest.CaptureFixture[str], option: str, name: str, words: str
) -> None:
    assert report(sample_folder, option, name) == 2
    assert f"{option[2:]}={name}: {words}" in capsys.readouterr().err
