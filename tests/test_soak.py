"""The long runs of ``python -m tests.soak`` find what they look for."""

import pytest

from masked_monsters.envs.registry import get_game
from tests.soak import begin, check, soak

SPOILT = {
    "monster_my_neighbor": ("composition", "cards are lost or made"),
    "under_my_bed": ("under_bed", "the cards are not one of each"),
}
"""A field that is overwritten in mid-match, and the fault."""


@pytest.mark.slow
def test_a_sound_game_passes(name: str) -> None:
    assert "no fault" in soak(name, 1)


def test_a_fault_is_found_and_named(name: str) -> None:
    field, fault = SPOILT[name]
    game, (states, *_) = begin(get_game(name))
    check(game, states)
    states[field] = 0
    with pytest.raises(AssertionError, match=fault):
        check(game, states)
