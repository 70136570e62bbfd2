import json
import shlex
import zipfile
from pathlib import Path

import pytest

from masked_monsters.evaluation.page.collect import collect
from masked_monsters.evaluation.page.content import Table
from masked_monsters.evaluation.page.learning import train_command
from masked_monsters.evaluation.page.runs import read_run
from masked_monsters.training.config import Config, config_file, read_config, write_config
from tests.evaluation import samples
from tests.evaluation.pages import blocks, page
from tests.training.tiny import league_config, tiny_config


def test_a_run_under_way_is_shown_as_such(sample_folder: Path) -> None:
    run = read_run(sample_folder / "run")
    assert run.state == (
        "in progress or killed, no agent.zip; last logged at 3,000 of 4,000 decisions; "
        "the last row of evaluation.csv is cut off"
    )
    assert [point.decisions for point in run.points] == [0, 2000]


@pytest.mark.parametrize(
    ("decisions", "state"),
    [
        (2000, "stopped at 2,000 of 4,000 decisions"),
        (4096, "complete, 4,096 decisions"),
    ],
)
def test_a_run_with_an_agent_is_stopped_or_complete(
    tmp_path: Path, decisions: int, state: str
) -> None:
    run = samples.write_run(tmp_path / "run")
    with zipfile.ZipFile(run / "agent.zip", "w") as archive:
        archive.writestr("masked_monsters.json", json.dumps({"decisions": decisions}))
    assert read_run(run).state.startswith(state)


@pytest.mark.parametrize(
    "config",
    [
        tiny_config(name="tiny-2", seed=7, table_sizes=[3, 8]),
        tiny_config("under_my_bed"),
        league_config("under_my_bed"),
        tiny_config().model_copy(update={"options": {"num_rounds": 3}}),
    ],
)
def test_the_command_shown_makes_the_same_configuration_again(
    tmp_path: Path, config: Config
) -> None:
    run = samples.write_run(tmp_path / "run")
    write_config(config, run / "config.yaml")
    _, command, name, *overrides = shlex.split(train_command(read_run(run)))
    assert command == "train"
    assert read_config(config_file(name), overrides) == config


def test_only_what_differs_from_the_packages_configuration_is_in_the_table(tmp_path: Path) -> None:
    run = samples.write_run(tmp_path / "run")
    config = read_config(config_file("monster_my_neighbor"), ["run.seed=3", "ppo.gamma=0.9"])
    write_config(config, run / "config.yaml")
    (table,) = [each for each in blocks(page(run), Table) if each.header[0] == "key"]
    assert table.rows == (("run.seed", "3", "0"), ("ppo.gamma", "0.9", "1.0"))


def test_an_older_run_is_trained_again_from_its_own_file(sample_folder: Path) -> None:
    run = sample_folder / "run"
    command = f"masked-monsters train {shlex.quote(str(run / 'config.yaml'))}"
    assert train_command(read_run(run)) == command


def test_a_sweep_is_its_runs(tmp_path: Path) -> None:
    (tmp_path / "sweep.yaml").write_text("")
    (tmp_path / "config.yaml").write_text("")
    for seed in range(2):
        samples.write_run(tmp_path / "trial_000" / f"seed_{seed}")
    samples.write_run(tmp_path / ".trial.unfinished")
    runs = collect([tmp_path]).runs
    assert [run.folder.name for run in runs] == ["seed_0", "seed_1"]
