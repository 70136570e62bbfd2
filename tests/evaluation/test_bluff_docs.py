"""What the pages on beliefs say to type."""

import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_python_on_the_page_of_beliefs_runs(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for block in blocks("docs/beliefs.md"):
        exec(compile(block, "docs/beliefs.md", "exec"), names)
    holds_monster = names["holds_monster"]
    assert holds_monster.sum() == pytest.approx(1)
    assert len(capsys.readouterr().out.splitlines()) >= 2


def test_the_readmes_beliefs_are_probabilities() -> None:
    (block,) = (block for block in blocks("README.md") if "resample" in block)
    names: dict[str, Any] = {}
    exec(compile(block, "README.md", "exec"), names)
    assert names["holds_monster"].sum() == pytest.approx(1)


def test_the_example_prints_how_good_samples_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["effective_size.py", "--moments", "12", "--count", "50"])
    runpy.run_path(str(ROOT / "docs/examples/effective_size.py"), run_name="__main__")
    out = capsys.readouterr().out
    assert "turns each: " in out
    assert "ms a call" in out
