"""Critics apart, and trunks by role: who sees what, and what plays."""

from pathlib import Path

import numpy as np
import pytest
import torch

from masked_monsters.envs.policy import Decisions
from masked_monsters.training.checkpoint import load_policy, save_agent
from masked_monsters.training.config import Config
from masked_monsters.training.network import MLP, Trunk
from masked_monsters.training.policy import NetworkPolicy, infer
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.train import new_model
from masked_monsters.training.vec_env import BatchVecEnv
from tests.training.tiny import changed, collect, tiny_config, tiny_model


def config_of(name: str, critic: str) -> Config:
    """With trunks by role, where there are roles."""
    network = {"critic": critic, "per_role": name == "under_my_bed"}
    return changed(tiny_config(name, table_sizes=[3, 5]), network=network)


def a_model(name: str, critic: str) -> tuple[SelfPlayPPO, BatchVecEnv]:
    """Whose games have been played for a while."""
    model = new_model(config_of(name, critic))
    assert isinstance(model.env, BatchVecEnv)
    for _ in range(20):
        model.play_step(model.env)
    return model, model.env


@pytest.mark.parametrize("critic", ["shared", "own", "central"])
def test_the_agent_file_has_no_critic_apart_and_plays_as_the_policy_in_training(
    name: str, critic: str, tmp_path: Path
) -> None:
    model, env = a_model(name, critic)
    path = tmp_path / "agent.zip"
    save_agent(model, path, env.game, config_of(name, critic))
    loaded = load_policy(path, env.game)
    assert not any("critic" in weight for weight in loaded.network.state_dict())
    assert (model.policy.critic is None) == (critic == "shared")
    batch = env.batch
    decisions = Decisions(batch.view, batch.observation, batch.action_mask)
    expected = NetworkPolicy(model.policy, seed=3)
    loaded.reset(3)
    assert (loaded.probabilities(decisions) == expected.probabilities(decisions)).all()
    assert (loaded.act(decisions) == expected.act(decisions)).all()


def test_what_others_see_moves_a_central_critic_and_never_the_policy(name: str) -> None:
    model, env = a_model(name, "central")
    observation, whole = env.observe()
    assert whole is not None
    mask, size = env.batch.action_mask, env.game.compact_size
    log_probs, values = infer(model.policy, observation, mask, whole)
    others = whole.copy()
    others[:, size : 3 * size] = np.roll(others[:, size : 3 * size], 1, axis=0)
    same_log_probs, other_values = infer(model.policy, observation, mask, others)
    assert (same_log_probs == log_probs).all()
    assert (other_values != values).mean() > 0.9
    alone, _ = infer(model.policy, observation, mask)
    assert (alone == log_probs).all()


@pytest.mark.parametrize("critic", ["own", "central"])
def test_a_critic_apart_is_what_learns_values_and_moves_no_weight_of_the_policy(
    name: str, critic: str
) -> None:
    model, env = a_model(name, critic)
    observation, seen = env.observe()
    assert seen is not None
    assert seen.shape == (32, env.game.compact_size * (1 if critic == "own" else 5))
    _, values = model.policy.forward_masked(
        torch.as_tensor(observation),
        torch.as_tensor(env.action_masks()),
        torch.as_tensor(seen),
    )
    values.sum().backward()
    for weight, parameter in model.policy.named_parameters():
        assert (parameter.grad is not None) == weight.startswith("critic."), weight


@pytest.mark.parametrize("critic", ["own", "central"])
def test_training_teaches_a_critic_apart_instead_of_the_head(critic: str) -> None:
    model = new_model(config_of("monster_my_neighbor", critic))
    model.set_logger(tiny_model().logger)
    before = {name: weight.clone() for name, weight in model.policy.state_dict().items()}
    collect(model)
    model.train()
    for name, weight in model.policy.state_dict().items():
        assert torch.equal(weight, before[name]) == name.startswith("value_net."), name


# ---------------------------------------------------------------- trunks by role


def test_weights_of_the_monsters_trunk_do_nothing_to_the_kid_and_the_other_way_round() -> None:
    model, env = a_model("under_my_bed", "own")
    batch, roles = env.batch, env.game.roles
    assert roles
    decisions = Decisions(batch.view, batch.observation, batch.action_mask)
    is_kid = roles.of(batch.states)[np.arange(batch.num_games), batch.seat] == 0
    assert 0 < is_kid.sum() < len(is_kid)
    assert (batch.observation[:, roles.entry] == is_kid).all()
    for tower in (1, 0):
        before = NetworkPolicy(model.policy).probabilities(decisions)
        trunk = model.policy.features_extractor
        assert isinstance(trunk, Trunk)
        layers = trunk.by_role[tower]
        assert isinstance(layers, MLP)
        with torch.no_grad():
            for parameter in layers.parameters():
                parameter.add_(torch.linspace(-1, 1, parameter.numel()).view_as(parameter))
        after = NetworkPolicy(model.policy).probabilities(decisions)
        theirs = is_kid if tower == 0 else ~is_kid
        choice = batch.action_mask.sum(axis=1) > 1
        assert (after == before)[~theirs].all()
        assert (after != before)[theirs & choice].any(axis=1).all()
