import argparse
import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from masked_monsters import configs
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.match import evaluate
from masked_monsters.training.checkpoint import load_policy, read_about
from masked_monsters.training.config import make_config, read_config, write_config
from masked_monsters.training.train import add_arguments, run, train
from tests.training.tiny import collect, tiny_agent, tiny_config, tiny_model

GAME = get_game("monster_my_neighbor")
COMMAND = [sys.executable, "-c", "from masked_monsters.evaluation.cli import main; exit(main())"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a run that is over."""
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    tiny_agent(folder, checkpoint_every=1500)
    return folder


def weights(agent: Path) -> dict[str, torch.Tensor]:
    return load_policy(agent, GAME).network.state_dict()


# ---------------------------------------------------------------- what a run leaves


def test_a_run_leaves_an_agent_that_can_be_evaluated(folder: Path) -> None:
    agent = load_policy(folder / "agent.zip", GAME)
    result = evaluate(GAME, agent, get_baseline(GAME, "random"), matches=8)
    assert result.gain.low <= result.gain.mean <= result.gain.high


def test_the_run_can_be_repeated_from_what_it_leaves(folder: Path) -> None:
    assert read_config(folder / "config.yaml") == tiny_config(checkpoint_every=1500)
    assert json.loads((folder / "versions.json").read_text())["torch"] == torch.__version__


def test_checkpoints_come_at_intervals_and_order_by_name_as_by_number(folder: Path) -> None:
    checkpoints = sorted((folder / "checkpoints").iterdir())
    assert [path.name for path in checkpoints] == [
        "agent_000000000000.zip",
        "agent_000000001536.zip",
        "agent_000000003072.zip",
    ]
    assert [read_about(path)["decisions"] for path in checkpoints] == [0, 1536, 3072]
    assert read_about(folder / "agent.zip")["decisions"] == 3072


def test_the_progress_is_logged_with_every_update(folder: Path) -> None:
    with (folder / "progress.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["time/total_timesteps"] for row in rows] == ["1536", "3072"]
    assert 0 < float(rows[-1]["train/entropy"]) < 3
    assert float(rows[-1]["train/explained_variance"]) < 1
    assert 0.5 < float(rows[0]["rollout/learned"]) < 1
    assert list(folder.glob("events.out.tfevents.*"))


def test_the_learning_curve_begins_before_the_first_decision_and_ends_after_the_last(
    folder: Path,
) -> None:
    with (folder / "evaluation.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["decisions"], row["against"]) for row in rows] == [
        ("0", "random"),
        ("3072", "random"),
    ]
    assert all(float(row["low"]) <= float(row["mean"]) <= float(row["high"]) for row in rows)
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")


def test_training_changes_the_weights(folder: Path) -> None:
    early = folder / "checkpoints" / "agent_000000000000.zip"
    before, after = weights(early), weights(folder / "agent.zip")
    assert all((before[name] != after[name]).any() for name in before if name.endswith("weight"))


# ---------------------------------------------------------------- seeds


def test_the_same_seed_on_one_thread_gives_the_same_weights(folder: Path, tmp_path: Path) -> None:
    torch.manual_seed(99)
    np.random.seed(99)
    again = weights(tiny_agent(tmp_path / "again"))
    other = weights(tiny_agent(tmp_path / "other", seed=1))
    for name, weight in weights(folder / "agent.zip").items():
        assert torch.equal(weight, again[name])
        assert "weight" not in name or not torch.equal(weight, other[name])


def test_training_disturbs_no_random_numbers_and_no_setting_of_torch(tmp_path: Path) -> None:
    before = random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()
    threads = torch.get_num_threads()
    tiny_agent(tmp_path / "run", threads=threads + 1)
    assert before == (random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist())
    assert torch.get_num_threads() == threads


# ---------------------------------------------------------------- the folder


def test_an_existing_folder_is_not_touched(folder: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    with pytest.raises(FileExistsError, match="tiny"):
        tiny_agent(folder)
    assert before == {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    (tmp_path / "letters").touch()
    with pytest.raises(FileExistsError, match="letters"):
        train(tiny_config(), tmp_path / "letters", overwrite=True)
    (tmp_path / "pictures").mkdir()
    with pytest.raises(FileExistsError, match="pictures"):
        train(tiny_config(), tmp_path / "pictures", overwrite=True)


def test_of_an_overwritten_run_nothing_stays(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    tiny_agent(folder, checkpoint_every=1000)
    train(tiny_config(seed=3), folder, overwrite=True)
    assert not (folder / "checkpoints" / "agent_000000001536.zip").exists()
    assert read_about(folder / "agent.zip")["seed"] == 3


def test_an_unknown_opponent_is_an_error_before_anything_is_written(tmp_path: Path) -> None:
    values = tiny_config().model_dump()
    values["evaluation"]["against"] = ["nobody"]
    with pytest.raises(ValueError, match="nobody"):
        train(make_config(values), tmp_path / "run")
    assert not (tmp_path / "run").exists()


# ---------------------------------------------------------------- the command


def test_the_command_trains_and_prints_where_the_agent_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_config(tiny_config(), tmp_path / "tiny.yaml")
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    arguments = [str(tmp_path / "tiny.yaml"), "run.seed=4", "--runs", str(tmp_path / "my runs")]
    assert run(parser.parse_args(arguments)) == 0
    agent = Path(capsys.readouterr().out.strip())
    assert agent == tmp_path / "my runs" / "tiny" / "agent.zip"
    assert read_about(agent)["seed"] == 4


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a group of processes")
def test_ctrl_c_leaves_an_agent_that_can_be_loaded_and_no_process(tmp_path: Path) -> None:
    write_config(tiny_config(decisions=10**9, checkpoint_every=1500), tmp_path / "tiny.yaml")
    with subprocess.Popen(
        [*COMMAND, "train", tmp_path / "tiny.yaml", "--runs", tmp_path],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        while not list(
            tmp_path.glob("tiny/checkpoints/agent_*[1-9]*.zip")
        ):  # not that of 0 decisions
            assert process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; the agent so far is" in said
    assert "Traceback" not in said
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    load_policy(tmp_path / "tiny" / "agent.zip", GAME)
    assert read_about(tmp_path / "tiny" / "agent.zip")["decisions"] >= 1500
    assert not list(tmp_path.rglob("*.unfinished"))


# ---------------------------------------------------------------- long runs


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="reads the peak of memory as Unix has it")
def test_memory_stays_flat_over_many_updates() -> None:
    import resource

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    model = tiny_model(num_games=128)
    peaks = []
    for _ in range(400):
        collect(model)
        model.train()
        peaks.append(peak())
    assert peaks[-1] < 1.05 * peaks[199]


@pytest.mark.slow
def test_two_million_decisions_make_an_agent_that_beats_three_random_players(
    tmp_path: Path,
) -> None:
    file = Path(configs.__path__[0]) / "monster_my_neighbor.yaml"
    config = read_config(file, ["run.decisions=2_000_000", "evaluation.against=[]"])
    agent = load_policy(train(config, tmp_path / "run"), GAME)
    result = evaluate(GAME, agent, get_baseline(GAME, "random"), matches=4000)
    assert result.gain.mean > 0.21
