import json
import os
import random
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.registry import get_game
from masked_monsters.training.checkpoint import (
    load_policy,
    read_about,
    save_agent,
    start_from,
    versions,
)
from masked_monsters.training.policy import NetworkPolicy
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.train import new_model
from tests.training.tiny import tiny_config, tiny_model

GAME = get_game("monster_my_neighbor")
CONFIG = tiny_config()


@pytest.fixture(scope="module")
def model() -> SelfPlayPPO:
    return tiny_model(seed=5)


@pytest.fixture
def agent(model: SelfPlayPPO, tmp_path: Path) -> Path:
    path = tmp_path / "agent é.zip"
    save_agent(model, path, GAME, CONFIG)
    return path


def some_decisions() -> Decisions:
    batch = Batch(GAME, 200, 1)
    return Decisions(batch.view, batch.observation, batch.action_mask)


def test_a_loaded_agent_has_the_probabilities_of_the_saved_one(
    model: SelfPlayPPO, agent: Path
) -> None:
    saved = NetworkPolicy(model.policy).probabilities(some_decisions())
    loaded = load_policy(agent, GAME)
    assert loaded.name == "agent é"
    assert (loaded.probabilities(some_decisions()) == saved).all()
    assert not loaded.deterministic
    assert load_policy(agent, GAME, deterministic=True).deterministic


def test_the_same_agent_makes_the_same_bytes(model: SelfPlayPPO, agent: Path) -> None:
    before = agent.read_bytes()
    os.utime(agent, (0, 0))
    save_agent(model, agent, GAME, CONFIG)
    assert agent.read_bytes() == before


def test_another_run_can_start_from_an_agent_in_other_games(
    model: SelfPlayPPO, agent: Path
) -> None:
    other = new_model(tiny_config(num_games=20, table_sizes=[3, 8]))
    assert not torch.equal(other.policy.action_net.weight, model.policy.action_net.weight)
    start_from(agent, other, GAME, tiny_config())
    for name, weight in model.policy.state_dict().items():
        assert torch.equal(other.policy.state_dict()[name], weight)
    other.set_logger(model.logger)
    other.learn(20 * other.n_steps, log_interval=None)  # type: ignore[arg-type]  # None: no logs
    assert not torch.equal(other.policy.action_net.weight, model.policy.action_net.weight)


def test_another_network_to_start_from_is_refused_by_what_does_not_fit(
    model: SelfPlayPPO, agent: Path
) -> None:
    hidden = tiny_config().network.model_copy(update={"hidden": (8,)})
    config = tiny_config().model_copy(update={"network": hidden})
    with pytest.raises(ValueError, match=r"agent é.*network\.hidden is \[16, 16\], not \[8\]"):
        start_from(agent, model, GAME, config)


def test_an_agent_says_what_it_is(agent: Path) -> None:
    about = read_about(agent)
    assert about["game"] == "monster_my_neighbor"
    assert about["game_version"] == GAME.version
    assert about["options"] == GAME.options
    assert about["observation"] == "compact"
    assert about["decisions"] == 0
    assert about["seed"] == 5
    assert about["config"] == CONFIG.model_dump(mode="json")
    assert about["versions"] == versions()
    assert str(Path.home()) not in json.dumps(about)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (replace(GAME, name="chess"), "game is 'monster_my_neighbor', must be 'chess'"),
        (replace(GAME, version=99), "game_version is 0, must be 99"),
        (
            replace(GAME, segments=(GAME.segments[0]._replace(high=9), *GAME.segments[1:])),
            "observation_hash is ",
        ),
        (replace(GAME, actions=("bark", *GAME.actions[1:])), "actions is "),
    ],
)
def test_what_does_not_match_is_refused_by_its_name(agent: Path, other: Game, said: str) -> None:
    with pytest.raises(ValueError, match="agent é") as error:
        load_policy(agent, other)
    assert said in str(error.value)


def test_a_file_that_is_no_agent_is_refused(agent: Path, tmp_path: Path) -> None:
    (tmp_path / "words.zip").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    (tmp_path / "half.zip").write_bytes(agent.read_bytes()[:5000])
    for name in ("words", "empty", "half"):
        with pytest.raises(ValueError, match=rf"{name}\.zip: not an agent file"):
            load_policy(tmp_path / f"{name}.zip", GAME)


def test_spoiled_weights_are_refused(agent: Path, tmp_path: Path) -> None:
    whole = agent.read_bytes()
    for place in (len(whole) // 2, 3 * len(whole) // 4):
        spoiled = whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :]
        (tmp_path / "spoiled.zip").write_bytes(spoiled)
        with pytest.raises(
            ValueError, match=r"spoiled\.zip: the weights of this agent are spoiled"
        ):
            load_policy(tmp_path / "spoiled.zip", GAME)


class Cry:
    """Pickled, runs code when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("code has been run",)


def test_weights_that_would_run_code_are_refused(agent: Path, tmp_path: Path) -> None:
    evil = tmp_path / "evil.zip"
    with zipfile.ZipFile(agent) as whole, zipfile.ZipFile(evil, "w") as archive:
        archive.writestr("masked_monsters.json", whole.read("masked_monsters.json"))
        with archive.open("policy.pth", "w") as weights:
            torch.save({"action_net.bias": Cry()}, weights)
    with pytest.raises(ValueError, match=r"evil\.zip: the weights of this agent are spoiled"):
        load_policy(evil, GAME)


def test_saving_and_loading_disturb_no_random_numbers(model: SelfPlayPPO, agent: Path) -> None:
    before = random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()
    save_agent(model, agent, GAME, CONFIG)
    load_policy(agent, GAME)
    assert before == (random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist())


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.training import test_checkpoint as t

def die(_):
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

os.fsync = die
t.save_agent(t.tiny_model(seed=6), Path(sys.argv[1]), t.GAME, t.CONFIG)
"""


def test_a_kill_in_mid_save_leaves_the_old_agent(agent: Path) -> None:
    before = agent.read_bytes()
    killed = subprocess.run([sys.executable, "-c", KILLED, agent], check=False)
    assert killed.returncode != 0
    assert len(list(agent.parent.iterdir())) == 2  # the old one and what was being written
    assert agent.read_bytes() == before
    load_policy(agent, GAME)
    save_agent(tiny_model(), agent, GAME, CONFIG)
    assert list(agent.parent.iterdir()) == [agent]


def test_a_save_that_fails_leaves_the_old_agent_and_nothing_else(
    model: SelfPlayPPO, agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = agent.read_bytes()

    def full(_: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="full"):
        save_agent(model, agent, GAME, CONFIG)
    assert agent.read_bytes() == before
    assert list(agent.parent.iterdir()) == [agent]


def test_an_agent_file_holds_no_date(agent: Path) -> None:
    with zipfile.ZipFile(agent) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_an_agent_file_can_be_moved(agent: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    moved = shutil.move(agent, tmp_path / "elsewhere" / "other.zip")
    assert load_policy(Path(moved), GAME).name == "other"
