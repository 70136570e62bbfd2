"""The loss: PPO's, and the pull towards a magnet; and what follows a schedule."""

import copy
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch

from masked_monsters.envs.registry import get_game
from masked_monsters.training.checkpoint import save_agent, start_from
from masked_monsters.training.imitation import imitate
from masked_monsters.training.network import Network
from masked_monsters.training.rollout import Samples
from masked_monsters.training.self_play import SelfPlayPPO
from masked_monsters.training.train import new_model
from tests.evaluation.players import First
from tests.training.tiny import changed, collect, tiny_config, tiny_model

GAME = get_game("monster_my_neighbor")


def a_minibatch(model: SelfPlayPPO, rows: int = 100) -> Samples:
    """Of made-up decisions: some ratios are within the clipped range, some beyond."""
    rng = np.random.default_rng(1)
    highs = GAME.compact_highs.astype(np.int64)
    observations = torch.as_tensor(rng.integers(0, highs + 1, (rows, len(highs))).astype(np.int8))
    masks = rng.random((rows, GAME.num_actions)) < 0.5
    masks[:, :2] = True
    actions = torch.as_tensor((rng.random(masks.shape) * masks).argmax(axis=1))
    action_masks = torch.as_tensor(masks)
    with torch.no_grad():
        log_probs, values = model.policy.forward_masked(observations, action_masks)
    old = log_probs.gather(1, actions[:, None])[:, 0] + torch.as_tensor(
        rng.normal(0, 0.3, rows), dtype=torch.float32
    )
    advantages = torch.as_tensor(rng.normal(1, 3, rows), dtype=torch.float32)
    nothing = observations[:, :0]
    return Samples(
        observations, nothing, actions, action_masks, old, advantages, values + advantages
    )


def a_model(**sections: dict[str, float]) -> SelfPlayPPO:
    model = new_model(changed(tiny_config(), **sections))
    model.set_logger(tiny_model().logger)
    return model


def divergence(model: SelfPlayPPO, samples: Samples) -> torch.Tensor:
    """KL(policy ‖ magnet), as PyTorch has it."""
    assert model.magnet
    log_probs, _ = model.policy.forward_masked(samples.observations, samples.action_masks)
    magnet, _ = model.magnet.forward_masked(samples.observations, samples.action_masks)
    policy = torch.distributions.Categorical(logits=log_probs)
    return torch.distributions.kl_divergence(
        policy, torch.distributions.Categorical(logits=magnet.detach())
    ).mean()


def disturb(network: Network, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))


# ---------------------------------------------------------------- the loss


def test_without_a_magnet_the_loss_is_that_of_masked_ppo() -> None:
    model = a_model(ppo={"vf_coef": 0.7})
    assert model.magnet is None
    samples = a_minibatch(model)
    loss = model._loss(samples, 0.2, 0.05, defaultdict(list)).item()
    # The formula of sb3-contrib's MaskablePPO, in NumPy.
    features = model.policy.features_extractor(samples.observations)
    logits = model.policy.action_net(features).detach().double().numpy()
    values = model.policy.value_net(features).detach().double().numpy()[:, 0]
    weights = np.exp(logits) * samples.action_masks.numpy()
    probabilities = weights / weights.sum(axis=1, keepdims=True)
    rows = np.arange(len(probabilities))
    ratio = probabilities[rows, samples.actions] / np.exp(samples.old_log_prob.double().numpy())
    assert 0.2 < (np.abs(ratio - 1) > 0.2).mean() < 0.8
    advantages = samples.advantages.double().numpy()
    advantages = (advantages - advantages.mean()) / (advantages.std(ddof=1) + 1e-8)
    policy_loss = -np.minimum(advantages * ratio, advantages * np.clip(ratio, 0.8, 1.2)).mean()
    entropy = np.where(
        probabilities > 0, -probabilities * np.log(np.maximum(probabilities, 1e-300)), 0
    ).sum(axis=1)
    value_loss = ((samples.returns.double().numpy() - values) ** 2).mean()
    expected = policy_loss - 0.05 * entropy.mean() + 0.7 * value_loss
    assert loss == pytest.approx(expected, rel=1e-5)


def test_a_magnet_adds_its_divergence_to_the_loss() -> None:
    model = a_model(magnet={"coef": 0.4})
    samples = a_minibatch(model)
    assert model.magnet
    disturb(model.magnet, 0)
    with_magnet = model._loss(samples, 0.2, 0.05, defaultdict(list))
    apart = divergence(model, samples).item()
    model.magnet = None
    without = model._loss(samples, 0.2, 0.05, defaultdict(list))
    assert apart > 0.01
    assert (with_magnet - without).item() == pytest.approx(0.4 * apart, rel=1e-3)


def test_the_gradient_pulls_the_policy_towards_the_magnet_and_leaves_the_magnet() -> None:
    model = a_model(magnet={"coef": 1.0})
    samples = a_minibatch(model)
    assert model.magnet
    disturb(model.magnet, 0)
    stays = copy.deepcopy(model.magnet.state_dict())
    # Nothing else moves it: no advantage, no error of the critic.
    samples = samples._replace(
        advantages=torch.zeros(100), returns=samples.returns - samples.advantages
    )
    before = divergence(model, samples).item()
    optimizer = torch.optim.SGD(model.policy.parameters(), lr=0.1)
    for _ in range(20):
        optimizer.zero_grad()
        model._loss(samples, 0.2, 0.0, defaultdict(list)).backward()
        optimizer.step()
    assert divergence(model, samples).item() < 0.7 * before
    assert all(torch.equal(w, stays[name]) for name, w in model.magnet.state_dict().items())


def test_the_divergence_is_finite_where_the_policy_is_sure() -> None:
    model = a_model(magnet={"coef": 1.0})
    with torch.no_grad():
        model.policy.action_net.weight.mul_(1e4)
    samples = a_minibatch(model)
    loss = model._loss(samples, 0.2, 0.01, defaultdict(list))
    loss.backward()
    assert loss.isfinite()
    assert all(p.grad.isfinite().all() for p in model.policy.parameters() if p.grad is not None)


# ---------------------------------------------------------------- where the magnet is


def test_the_magnet_follows_the_network_by_its_rate_with_every_update() -> None:
    model = a_model(magnet={"coef": 0.1, "rate": 0.25})
    assert model.magnet
    for _ in range(2):
        magnet = [weight.clone() for weight in model.magnet.parameters()]
        collect(model)
        model.train()
        moved = zip(model.magnet.parameters(), magnet, model.policy.parameters(), strict=True)
        for now, then, weight in moved:
            torch.testing.assert_close(now, 0.75 * then + 0.25 * weight)


def test_the_magnet_begins_where_imitation_or_another_agent_has_brought_the_policy(
    tmp_path: Path,
) -> None:
    taught = a_model(magnet={"coef": 0.1})
    player = First()
    player.reset(0)
    imitate(taught, player, 1000, 64)
    path = tmp_path / "agent.zip"
    save_agent(taught, path, GAME, tiny_config())
    begun = a_model(magnet={"coef": 0.1})
    start_from(path, begun, GAME, tiny_config())
    for model in (taught, begun):
        assert model.magnet
        for held, weight in zip(model.magnet.parameters(), taught.policy.parameters(), strict=True):
            assert torch.equal(held, weight)


# ---------------------------------------------------------------- schedules


@pytest.mark.parametrize(
    ("left", "rate", "clip", "entropy"),
    [(1.0, 1e-2, 0.3, 0.04), (0.5, 6e-3, 0.2, 0.02), (0.0, 2e-3, 0.1, 0.0), (-0.1, 2e-3, 0.1, 0.0)],
)
def test_schedules_run_in_a_straight_line_and_no_further(
    left: float, rate: float, clip: float, entropy: float
) -> None:
    model = a_model(
        ppo={
            "learning_rate": 1e-2,
            "final_learning_rate": 2e-3,
            "clip_range": 0.3,
            "final_clip_range": 0.1,
            "ent_coef": 0.04,
            "final_ent_coef": 0.0,
        }
    )
    collect(model)
    model._current_progress_remaining = left
    model.train()
    logged = model.logger.name_to_value
    assert logged["train/learning_rate"] == pytest.approx(rate)
    assert model.policy.optimizer.param_groups[0]["lr"] == pytest.approx(rate)
    assert logged["train/clip_range"] == pytest.approx(clip)
    assert logged["train/ent_coef"] == pytest.approx(entropy, abs=1e-12)


def test_what_has_no_final_value_stays() -> None:
    model = a_model(ppo={"clip_range": 0.3, "ent_coef": 0.04})
    collect(model)
    model._current_progress_remaining = 0.0
    model.train()
    assert model.logger.name_to_value["train/clip_range"] == pytest.approx(0.3)
    assert model.logger.name_to_value["train/ent_coef"] == pytest.approx(0.04)


def test_weights_that_diverge_are_an_error_and_no_agent() -> None:
    model = a_model()
    collect(model)
    with torch.no_grad():
        model.policy.action_net.bias.fill_(torch.nan)
    with pytest.raises(FloatingPointError, match=r"diverge after 1,536 decisions; .*learning_rate"):
        model.train()
