"""Learning from watching a scripted player."""

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.registry import get_game
from masked_monsters.training.checkpoint import load_policy
from masked_monsters.training.config import make_config
from masked_monsters.training.imitation import imitate
from masked_monsters.training.policy import infer
from masked_monsters.training.train import train
from masked_monsters.training.vec_env import BatchVecEnv
from tests.evaluation.players import First
from tests.training.tiny import tiny_config, tiny_model


def teacher() -> First:
    player = First()
    player.reset(0)
    return player


def test_it_learns_to_do_what_the_teacher_does_and_what_that_earns() -> None:
    model = tiny_model()
    told: list[int] = []
    imitate(model, teacher(), 20_000, 64, told.append)
    assert isinstance(model.env, BatchVecEnv)
    batch = model.env.batch
    log_probs, _ = infer(model.policy, batch.observation, batch.action_mask)
    actions = teacher().act(Decisions(batch.view, batch.observation, batch.action_mask))
    assert np.exp(log_probs[np.arange(len(actions)), actions]).mean() > 0.8
    returns, values = model.rollout_buffer.returns, model.rollout_buffer.values
    assert abs(np.mean(returns - values)) < 0.2 < np.mean(returns)
    assert told[0] == 32
    assert told[-1] >= 20_000
    assert model.num_timesteps == 0


def test_watching_is_repeatable_and_leaves_others_random_numbers_alone() -> None:
    weights = []
    for seed in (1, 2):
        np.random.seed(seed)
        torch.manual_seed(seed)
        model = tiny_model()
        imitate(model, teacher(), 2000, 64)
        weights.append(model.policy.action_net.weight.detach().clone())
    assert (weights[0] == weights[1]).all()


def test_a_run_can_begin_with_a_scripted_player(tmp_path: Path) -> None:
    config = tiny_config()
    imitation = config.imitation.model_copy(update={"player": "tracker", "decisions": 2000})
    taught = train(config.model_copy(update={"imitation": imitation}), tmp_path / "taught")
    assert taught.exists()
    assert "player: tracker" in (tmp_path / "taught" / "config.yaml").read_text()


def test_ctrl_c_while_watching_leaves_an_agent_that_can_be_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules[imitate.__module__], "_learn", interrupted)
    config = tiny_config()
    imitation = config.imitation.model_copy(update={"player": "tracker"})
    with pytest.raises(KeyboardInterrupt):
        train(config.model_copy(update={"imitation": imitation}), tmp_path / "run")
    load_policy(tmp_path / "run" / "agent.zip", get_game("monster_my_neighbor"))


def test_a_mistyped_player_to_watch_is_refused_by_name_and_deletes_nothing() -> None:
    values = {**tiny_config().model_dump(), "imitation": {"player": "nobody"}}
    with pytest.raises(ValueError, match=r"imitation\.player='nobody': must be one of 'random'"):
        make_config(values)
