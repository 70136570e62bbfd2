import json
import random
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.registry import get_game
from masked_monsters.training.checkpoint import load_policy, read_about, save_agent, versions
from masked_monsters.training.policy import NetworkPolicy
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.vec_env import BatchVecEnv
from tests.training.tiny import tiny_config, tiny_model

GAME = get_game("monster_my_neighbor")
CONFIG = tiny_config().model_dump(mode="json")


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


def test_stable_baselines3_loads_it_too_without_the_games(model: SelfPlayPPO, agent: Path) -> None:
    loaded = SelfPlayPPO.load(agent, device="cpu")
    assert loaded.env is None
    decisions = some_decisions()
    masks = decisions.action_mask.astype(np.bool_)
    theirs, _ = loaded.predict(decisions.observation, action_masks=masks, deterministic=True)
    ours, _ = model.predict(decisions.observation, action_masks=masks, deterministic=True)
    assert (theirs == ours).all()
    assert masks[np.arange(200), theirs].all()


def test_a_loaded_agent_can_be_trained_on_in_other_games(agent: Path) -> None:
    env = BatchVecEnv(GAME.with_options(num_players=5), num_games=20, seed=1)
    loaded = SelfPlayPPO.load(agent, env, device="cpu")
    before = loaded.policy.action_net.weight.clone()
    loaded.learn(20 * loaded.n_steps)
    assert loaded.num_timesteps == 20 * loaded.n_steps
    assert (loaded.policy.action_net.weight != before).any()


def test_an_agent_says_what_it_is(agent: Path) -> None:
    about = read_about(agent)
    assert about["game"] == "monster_my_neighbor"
    assert about["game_version"] == GAME.version
    assert about["options"] == GAME.options
    assert about["observation"] == "compact"
    assert about["decisions"] == 0
    assert about["seed"] == 5
    assert about["config"] == CONFIG
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


def test_playing_an_agent_unpickles_nothing(agent: Path, tmp_path: Path) -> None:
    only = tmp_path / "only.zip"
    with zipfile.ZipFile(agent) as whole, zipfile.ZipFile(only, "w") as part:
        for name in ("masked_monsters.json", "policy.pth"):
            part.writestr(name, whole.read(name))
    load_policy(only, GAME).act(some_decisions())


def test_saving_and_loading_disturb_no_random_numbers(model: SelfPlayPPO, agent: Path) -> None:
    before = random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()
    save_agent(model, agent, GAME, CONFIG)
    load_policy(agent, GAME)
    SelfPlayPPO.load(agent, device="cpu")
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


def test_an_agent_file_can_be_moved(agent: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    moved = shutil.move(agent, tmp_path / "elsewhere" / "other.zip")
    assert load_policy(Path(moved), GAME).name == "other"
