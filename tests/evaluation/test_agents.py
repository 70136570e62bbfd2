from pathlib import Path

import pytest

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.baselines import baselines

GAME = get_game("monster_my_neighbor")


@pytest.mark.parametrize("name", baselines(GAME))
def test_a_baseline_is_loaded_by_its_name(name: str) -> None:
    assert load_agent(name, GAME).name == name


@pytest.mark.parametrize("spec", ["nobody", "", ".", "no/such/file.zip"])
def test_what_is_neither_a_baseline_nor_a_file_is_refused(spec: str) -> None:
    with pytest.raises(ValueError, match="must be a baseline of monster_my_neighbor") as error:
        load_agent(spec, GAME)
    assert repr(spec) in str(error.value)
    assert all(name in str(error.value) for name in baselines(GAME))


def test_a_file_that_is_no_agent_is_refused_by_its_name(tmp_path: Path) -> None:
    pytest.importorskip("torch")  # of the extra "train"
    (tmp_path / "agent.zip").write_text("nothing")
    with pytest.raises(ValueError, match=r"agent\.zip"):
        load_agent(str(tmp_path / "agent.zip"), GAME)
