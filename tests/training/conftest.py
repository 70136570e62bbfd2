"""What the tests of training share."""

from collections.abc import Iterator

import pytest
import torch

from masked_monsters.training import sweep
from tests.training.tiny_sweep import Runs


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    """Networks this small are no faster on more, and much slower on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    """No training takes place: what would have been trained is noted."""
    runs = Runs()
    monkeypatch.setattr(sweep, "train_on", runs)
    return runs
