"""Short recorded games, read by a person once, must go on as they did."""

from pathlib import Path

import pytest

from masked_monsters.envs.registry import GAMES
from tests.golden.make import GOLDEN, text_of

RECORDED = sorted(GOLDEN.glob("*.json"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_golden_game_is_retold_word_for_word(path: Path) -> None:
    assert text_of(path) == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_golden_one(name: str) -> None:
    assert any(path.name.startswith(name) for path in RECORDED)
