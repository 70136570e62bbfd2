"""A run that was interrupted or killed goes on as if nothing had happened."""

import argparse
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from masked_monsters.training import imitation
from masked_monsters.training.chronicle import Chronicle
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.train import add_arguments, resume, run, train
from tests.training.tiny import changed, league_config, tiny_config

SAME = "progress.csv", "evaluation.csv", "agent.zip", "learning_curve.png"


def left(folder: Path) -> dict[str, bytes]:
    """What a run has to show."""
    return {name: (folder / name).read_bytes() for name in SAME}


def everything(folder: Path) -> dict[Path, bytes]:
    """All files of a run."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "tiny"
    train(league_config("monster_my_neighbor"), folder)
    return folder


@pytest.fixture
def finished(whole: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to spoil."""
    return Path(shutil.copytree(whole, tmp_path / "tiny"))


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """A list of numbers of decisions after which Ctrl-C is pressed, once each."""
    moments: list[int] = []
    on_rollout_end = Chronicle._on_rollout_end

    def press(chronicle: Chronicle) -> None:
        on_rollout_end(chronicle)
        if moments and chronicle.num_timesteps >= moments[0]:
            moments.pop(0)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Chronicle, "_on_rollout_end", press)
    yield moments
    assert moments == []


# ---------------------------------------------------------------- Ctrl-C


def test_a_run_that_was_interrupted_twice_ends_as_one_that_was_not(
    name: str, whole: Path, tmp_path: Path, interrupt: list[int]
) -> None:
    config = league_config(name)
    if name != "monster_my_neighbor":
        whole = tmp_path / "whole"
        train(config, whole)
    folder = tmp_path / "run"
    interrupt += [128, 384]  # between checkpoints
    with pytest.raises(KeyboardInterrupt):
        train(config, folder)
    assert torch.load(folder / "trainer.pt", weights_only=False)["decisions"] == 128
    with pytest.raises(KeyboardInterrupt):
        resume(folder)
    assert resume(folder) == folder / "agent.zip"
    assert left(folder) == left(whole)
    names = {path.name for path in (folder / "checkpoints").iterdir()}
    assert names >= {path.name for path in (whole / "checkpoints").iterdir()}


def test_ctrl_c_during_the_last_update_lets_the_run_end(
    whole: Path, tmp_path: Path, interrupt: list[int]
) -> None:
    interrupt += [768]
    train(league_config("monster_my_neighbor"), tmp_path / "run")
    assert left(tmp_path / "run") == left(whole)


def test_the_first_ctrl_c_lets_the_update_end_and_the_second_stops_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    updates, learn = [], SelfPlayPPO.train

    def press(model: SelfPlayPPO) -> None:
        updates.append("begun")
        signal.raise_signal(signal.SIGINT)
        learn(model)
        updates.append("ended")
        signal.raise_signal(signal.SIGINT)
        updates.append("too late")

    monkeypatch.setattr(SelfPlayPPO, "train", press)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train(tiny_config(), tmp_path / "run")
    assert updates == ["begun", "ended"]
    assert signal.getsignal(signal.SIGINT) is before
    said = capfd.readouterr().err
    assert "interrupted; the agent so far is" in said
    assert f"--resume {tmp_path / 'run'}" in said
    assert torch.load(tmp_path / "run" / "trainer.pt", weights_only=False)["decisions"] == 0


# The first checkpoint is of 0 decisions; after that before 512 there has been an evaluation.
@pytest.mark.parametrize("decisions", [128, 512, 640])
def test_a_run_that_was_stopped_at_once_goes_on_from_its_last_checkpoint(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decisions: int
) -> None:
    learn = SelfPlayPPO.train

    def stop(model: SelfPlayPPO) -> None:
        learn(model)
        if model.num_timesteps == decisions:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SelfPlayPPO, "train", stop)
        with pytest.raises(KeyboardInterrupt):
            train(league_config("monster_my_neighbor"), tmp_path / "run")
    (tmp_path / "run" / ".trainer.pt.unfinished").write_bytes(b"torn")
    resume(tmp_path / "run")
    assert left(tmp_path / "run") == left(whole)
    assert not list((tmp_path / "run").rglob("*.unfinished"))


def test_a_run_that_was_interrupted_before_the_first_decision_begins_again(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(imitation, "_learn", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train(league_config("monster_my_neighbor"), tmp_path / "run")
    assert not (tmp_path / "run" / "trainer.pt").exists()
    resume(tmp_path / "run")
    assert left(tmp_path / "run") == left(whole)


# ---------------------------------------------------------------- a kill

KILLED = """
import os, signal, sys
from pathlib import Path
from masked_monsters.training import self_play, train
from tests.training.tiny import league_config

learn, done = self_play.SelfPlayPPO.train, []

def die(model):
    learn(model)
    done.append(model)
    if len(done) == 5:
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

self_play.SelfPlayPPO.train = die
train.train(league_config("monster_my_neighbor"), Path(sys.argv[1]))
"""


def test_a_run_that_was_killed_goes_on_from_its_last_checkpoint(
    whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    killed = subprocess.run([sys.executable, "-c", KILLED, folder], check=False)
    assert killed.returncode != 0
    assert not (folder / "agent.zip").exists()
    assert len((folder / "progress.csv").read_text().splitlines()) == 1 + 4
    assert torch.load(folder / "trainer.pt", weights_only=False)["decisions"] == 512
    with (folder / "progress.csv").open("a") as file:
        file.write("1,2")  # a row that the kill cut off
    resume(folder)
    assert left(folder) == left(whole)


def test_a_run_that_was_killed_after_its_last_checkpoint_still_gets_its_agent(
    whole: Path, finished: Path
) -> None:
    shutil.copy(finished / "checkpoints" / "agent_000000000256.zip", finished / "agent.zip")
    (finished / "learning_curve.png").unlink()
    resume(finished)
    assert left(finished) == left(whole)


# ---------------------------------------------------------------- what cannot go on


def test_to_go_on_with_a_complete_run_changes_nothing(finished: Path) -> None:
    before = everything(finished)
    assert resume(finished) == finished / "agent.zip"
    assert everything(finished) == before


def complaint(folder: Path) -> str:
    """Why a run cannot go on: one line, and nothing has been touched."""
    before = everything(folder)
    with pytest.raises(ValueError, match=r"^[^\n]+$") as error:
        resume(folder)
    assert everything(folder) == before
    return str(error.value)


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear")
    assert "must be the folder of a run; it has no config.yaml" in complaint(tmp_path)


def test_other_versions_than_the_run_began_with_are_refused_by_name(finished: Path) -> None:
    path = finished / "versions.json"
    known = json.loads(path.read_text())
    path.write_text(json.dumps({**known, "torch": "1.2.3", "masked-monsters commit": "other"}))
    said = complaint(finished)
    assert f"torch was 1.2.3, is now {torch.__version__}" in said
    assert "run.start_from" in said
    for spoiled in ("", "[]", "{}"):
        path.write_text(spoiled)
        assert "versions.json: does not say what the run began with" in complaint(finished)


def test_an_opponents_file_that_has_changed_is_refused_by_name(whole: Path, tmp_path: Path) -> None:
    opponent = Path(shutil.copy(whole / "agent.zip", tmp_path / "opponent.zip"))
    opponents = {"names": ["random", str(opponent)], "past": 0.0}
    train(changed(tiny_config(decisions=1), opponents=opponents), tmp_path / "run")
    assert resume(tmp_path / "run")
    opponent.write_bytes((whole / "checkpoints" / "agent_000000000000.zip").read_bytes())
    said = complaint(tmp_path / "run")
    assert f"sha256 of {opponent} was " in said
    assert "random" not in said


def test_a_spoiled_trainer_is_refused(finished: Path) -> None:
    trainer = finished / "trainer.pt"
    bytes_ = trainer.read_bytes()
    middle = len(bytes_) // 2
    for spoiled in (
        b"",
        b"words",
        bytes_[:middle],
        bytes_[:-30],
        bytes_[:middle] + bytes([bytes_[middle] ^ 255]) + bytes_[middle + 1 :],
        bytes_[:200] + b"\0" * 100 + bytes_[300:],
    ):
        trainer.write_bytes(spoiled)
        assert "trainer.pt: spoiled, or not the state of a trainer" in complaint(finished)


def test_a_configuration_that_has_been_edited_is_refused_by_its_key(finished: Path) -> None:
    config = finished / "config.yaml"
    text = config.read_text()
    assert "keep: 2" in text
    config.write_text(text.replace("keep: 2", "keep: 9"))
    assert "opponents.keep was 2, is 9" in complaint(finished)


def test_agents_are_not_deleted_where_the_trainer_is_missing(finished: Path) -> None:
    (finished / "trainer.pt").unlink()
    assert "has no trainer.pt" in complaint(finished)
    (finished / "agent.zip").unlink()
    assert "has no trainer.pt" in complaint(finished)


@pytest.mark.parametrize("more", ["run.seed=1", "--overwrite"])
def test_nothing_else_can_be_asked_for_when_a_run_goes_on(finished: Path, more: str) -> None:
    before = everything(finished)
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    for arguments in (["--resume", str(finished), more], [more, "--resume", str(finished)]):
        with pytest.raises(ValueError, match="takes neither CONFIG nor KEY=VALUE nor --overwrite"):
            run(parser.parse_args(arguments))
    assert everything(finished) == before


def test_the_command_goes_on_and_prints_where_the_agent_is(
    finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert run(parser.parse_args(["--resume", str(finished)])) == 0
    assert Path(capsys.readouterr().out.strip()) == finished / "agent.zip"
