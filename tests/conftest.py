"""What all tests share."""

import pytest
from hypothesis import settings

from masked_monsters.envs.registry import GAMES
from tests.games import CASES, Case, Options

# A first call may compile; machines differ in speed.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


@pytest.fixture(params=GAMES)
def name(request: pytest.FixtureRequest) -> str:
    """Each game's name in turn."""
    return request.param


@pytest.fixture
def case(name: str) -> Case:
    """What the tests need to know of that game."""
    return CASES[name]


@pytest.fixture(params=["defaults", "other options"])
def options(request: pytest.FixtureRequest, case: Case) -> Options:
    """None, then such as are far from the game's defaults."""
    return {} if request.param == "defaults" else case.other
