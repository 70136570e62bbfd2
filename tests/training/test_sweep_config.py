import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from masked_monsters import configs
from masked_monsters.training.config import read_config
from masked_monsters.training.sweep import run_sweep
from masked_monsters.training.sweep_config import SweepConfig, read_sweep
from tests.training.tiny_sweep import GRID, RANGE, Runs, run, table, write_sweep

SHIPPED = sorted((Path(configs.__path__[0]) / "sweeps").glob("*.yaml"))


def complaint(tmp_path: Path, **values: Any) -> str:
    """What is said of a bad sweep: one line."""
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        read_sweep(write_sweep(tmp_path, **values))
    return str(error.value)


# ---------------------------------------------------------------- checks before the first run


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"search": {"ppo.ent_coeff": [0.1]}},
            "search: ppo.ent_coeff: unknown key; did you mean ppo.ent_coef?",
        ),
        ({"sampeler": "tpe"}, "sampeler: unknown key; did you mean sampler?"),
        ({"search": {"ppo.ent_coef": [0.1, 2]}}, "search: ppo.ent_coef=2: input should be less"),
        ({"search": {"ppo.ent_coef": {"low": 0.1, "high": 1.5}}}, "search: ppo.ent_coef=1.5: "),
        ({"search": {"ppo.n_epochs": {"low": 1.0, "high": 3.0}}}, "search: ppo.n_epochs=1.7"),
        ({"search": {"ppo.ent_coef": {"low": 0.2, "high": 0.1}}}, "low=0.2 must be less than 0.1"),
        ({"search": {"ppo.ent_coef": {**RANGE, "low": 0}}}, "low=0 must be more than 0"),
        (
            {"search": {"ppo.ent_coef": {"lo": 1, "high": 2}}},
            "must be a list of values, or a range",
        ),
        ({"search": {"ppo.ent_coef": 0.1}}, "search.ppo.ent_coef=0.1: must be a list"),
        ({"search": {"ppo.ent_coef": []}}, "search.ppo.ent_coef=[]: must be values"),
        ({"search": {"ppo.ent_coef": [0.1, 0.1]}}, "[0.1, 0.1]: must be values, all different"),
        ({"search": {"run.seed": [0, 1]}}, "search.run.seed: must not differ between trials"),
        ({"search": {"evaluation.matches": [8]}}, "search.evaluation.matches: must not differ"),
        ({"search": {}}, "search={}: "),
        ({"sampler": "grid"}, "search.ppo.ent_coef: must be a list of values for sampler='grid'"),
        ({**GRID, "trials": 5}, "trials=5: must be at most 4, the size of the grid"),
        ({"trials": None}, "trials: missing"),
        ({"trials": 0}, "trials=0: input should be greater than 0"),
        ({"seeds": [1, 1]}, "seeds=[1, 1]: must all differ"),
        ({"sampler": "best"}, "sampler='best': input should be 'grid', 'random' or 'tpe'"),
        ({"against": "tracker"}, "against='tracker': must be one of 'random', 'cautious'"),
        ({"config": "chess"}, "config='chess': must be one of 'monster_my_neighbor'"),
        ({"overrides": ["ppo.gama=1"]}, "ppo.gama: unknown key; did you mean ppo.gamma?"),
        ({"overrides": ["evaluation.against=[]"]}, "evaluation.against=[]: must name somebody"),
    ],
)
def test_a_bad_sweep_is_an_error_at_once_that_names_the_key_and_what_is_allowed(
    tmp_path: Path, values: dict[str, Any], said: str
) -> None:
    assert said in complaint(tmp_path, **values)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_sweeps_that_come_with_the_package_can_be_read_and_measure_well(path: Path) -> None:
    sweep, config = read_sweep(path)
    assert sweep.budget * len(sweep.seeds) == 8
    assert config.evaluation.matches >= 2000
    assert config.evaluation.every >= config.run.decisions


def test_a_sweep_of_its_own_name_and_of_a_configuration_of_the_package(tmp_path: Path) -> None:
    sweep, config = read_sweep(write_sweep(tmp_path, config="under_my_bed", name="mine"))
    assert isinstance(sweep, SweepConfig)
    assert sweep.name == "mine"
    assert config == read_config(Path(configs.__path__[0]) / "under_my_bed.yaml")


# ---------------------------------------------------------------- the same sweep


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seeds": [0, 1]}, "seeds was [0], is [0, 1]"),
        (
            {"search": {"ppo.ent_coef": {**RANGE, "high": 0.2}}},
            "search.ppo.ent_coef.high was 0.1, is 0.2",
        ),
        (
            {"search": {"ppo.ent_coef": RANGE, "ppo.n_epochs": [1]}},
            "search.ppo.n_epochs was None, is [1]",
        ),
        ({"sampler": "tpe"}, "sampler was 'random', is 'tpe'"),
        ({"overrides": ["ppo.gamma=0.9"]}, "config.ppo.gamma was 1.0, is 0.9"),
        ({"against": "random"}, "against was None, is 'random'"),
        ({"trials": 2}, "trials was 3, is 2"),
    ],
)
def test_another_sweep_of_the_same_name_is_refused_and_what_differs_named(
    tmp_path: Path, runs: Runs, change: dict[str, Any], said: str
) -> None:
    folder = run(tmp_path)
    before = (folder / "sweep.yaml").read_text(), (folder / "config.yaml").read_text()
    with pytest.raises(ValueError, match=re.escape(f"small: holds another sweep: {said}; choose")):
        run(tmp_path, **change)
    assert len(runs) == 3
    assert before == ((folder / "sweep.yaml").read_text(), (folder / "config.yaml").read_text())


def test_a_sweep_can_be_gone_on_with_from_what_it_leaves(tmp_path: Path, runs: Runs) -> None:
    folder = run(tmp_path, overrides=["ppo.gamma=0.9"])
    shutil.rmtree(tmp_path / "files")
    run_sweep(*read_sweep(folder / "sweep.yaml", ["trials=5"]), folder)
    assert len(table(folder)) == 5
    assert set(runs.values("gamma")) == {0.9}
