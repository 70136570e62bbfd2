"""The long runs of ``python -m tests.soak`` find what they look for."""

from importlib import import_module

import pytest

from tests.soak.__main__ import Table, soak

SPOILT = {
    "monster_my_neighbor": ("composition", "cards are lost or made"),
    "under_my_bed": ("max_questions", "the questions are not those that count as asked"),
}
"""An option that is changed under a match's feet, and the fault."""


@pytest.mark.slow
def test_a_sound_game_passes(name: str) -> None:
    assert "no fault" in soak(name, 1)


@pytest.mark.slow
def test_a_fault_is_found_and_named(name: str) -> None:
    field, fault = SPOILT[name]
    invariants = import_module(f"tests.soak.{name}")
    table = Table(name, 4, invariants.fault_of)
    table.states[field] = 0
    with pytest.raises(AssertionError, match=fault):
        table.play(invariants.FAULTS)
