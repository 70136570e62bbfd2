"""What tests of the page, and those of the audit, share."""

from pathlib import Path

import pytest

from masked_monsters.evaluation.page.content import Page
from tests.evaluation import samples
from tests.evaluation.audits import deal_anew
from tests.evaluation.pages import page


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file of every kind, and a run under way."""
    folder = samples.write_all(tmp_path_factory.mktemp("samples"))
    samples.write_run(folder / "run")
    return folder


@pytest.fixture(scope="session")
def sample_page(sample_folder: Path) -> Page:
    """A page of these."""
    return page(sample_folder)


@pytest.fixture
def dealt_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """The audit's worlds are dealt anew instead of sampled."""
    deal_anew(monkeypatch)
