import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical

from masked_monsters.envs.adapters.aec import compact_space
from masked_monsters.envs.registry import get_game
from masked_monsters.training.config import NetworkConfig
from masked_monsters.training.network import MLP, Network, Trunk, network_kwargs
from masked_monsters.training.vec_env import action_space

GAME = get_game("monster_my_neighbor")


@pytest.fixture
def network() -> Network:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return Network(
            compact_space(GAME),
            action_space(GAME),
            lambda _: 1e-3,
            **network_kwargs(NetworkConfig(hidden=(32, 16)), GAME, GAME.num_players),
        )


def a_batch(rows: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Observations, masks and legal actions."""
    rng = np.random.default_rng(1)
    observations = rng.integers(
        0, GAME.compact_highs.astype(np.int64) + 1, (rows, len(GAME.compact_highs))
    )
    masks = rng.random((rows, GAME.num_actions)) < 0.3
    masks[np.arange(rows), rng.integers(0, GAME.num_actions, rows)] = True
    actions = (rng.random(masks.shape) * masks).argmax(-1)
    return (
        torch.as_tensor(observations.astype(np.int8)),
        torch.as_tensor(masks),
        torch.as_tensor(actions),
    )


def set_logits(network: Network, logits: torch.Tensor) -> None:
    """Let the policy head give these, whatever it sees."""
    with torch.no_grad():
        network.action_net.weight.zero_()
        network.action_net.bias.copy_(logits)


def test_every_entry_reaches_the_first_layer_between_0_and_1(network: Network) -> None:
    seen = []
    assert isinstance(network.features_extractor, Trunk)
    (layers,) = network.features_extractor.by_role
    assert isinstance(layers, MLP)
    layers.layers.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0]))
    highest = torch.as_tensor(GAME.compact_highs)[None]
    anything = torch.ones(1, GAME.num_actions, dtype=torch.bool)
    network.forward_masked(highest, anything)
    network.forward_masked(torch.zeros_like(highest), anything)
    assert (seen[0] == 1).all()
    assert (seen[1] == 0).all()


def test_policy_and_critic_are_linear_heads_of_one_trunk(network: Network) -> None:
    shapes = [tuple(p.shape) for p in network.parameters() if p.dim() == 2]
    size = len(GAME.compact_highs)
    assert shapes == [(32, size), (16, 32), (GAME.num_actions, 16), (1, 16)]


def evaluate(
    network: Network, observations: torch.Tensor, actions: torch.Tensor, masks: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Values, log-probabilities of the actions, and entropies, as the loss has them."""
    log_probs, values = network.forward_masked(observations, masks)
    log_prob = log_probs.gather(-1, actions[:, None]).squeeze(-1)
    return values, log_prob, -(log_probs.exp() * log_probs).sum(-1)


def test_masked_probabilities_and_entropies_equal_those_of_sb3_contrib(network: Network) -> None:
    observations, masks, actions = a_batch(200)
    values, log_prob, entropy = evaluate(network, observations, actions, masks)
    features = network.features_extractor(observations)
    theirs = MaskableCategorical(logits=network.action_net(features), masks=masks.numpy())
    torch.testing.assert_close(log_prob, theirs.log_prob(actions))
    torch.testing.assert_close(entropy, theirs.entropy())
    torch.testing.assert_close(values, network.predict_values(observations).squeeze(-1))


@pytest.mark.parametrize("seed", range(5))
def test_logits_of_plus_and_minus_50_give_probabilities_and_gradients_that_are_finite(
    network: Network, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    choice = torch.randint(0, 2, (GAME.num_actions,), generator=generator)
    set_logits(network, 100.0 * choice - 50)
    observations, masks, actions = a_batch(500)
    log_probs, _ = network.forward_masked(observations, masks)
    probabilities = log_probs.exp()
    assert (probabilities[~masks] == 0).all()
    torch.testing.assert_close(probabilities.sum(-1), torch.ones(500))
    values, log_prob, entropy = evaluate(network, observations, actions, masks)
    assert log_prob.isfinite().all()
    assert (entropy >= 0).all()
    (log_prob.mean() - entropy.mean() + values.mean()).backward()
    assert all(p.grad.isfinite().all() for p in network.parameters() if p.grad is not None)


def test_sb3_s_own_predict_survives_logits_of_plus_and_minus_50(network: Network) -> None:
    set_logits(network, torch.where(torch.arange(GAME.num_actions) % 3 == 0, 50.0, -50.0))
    observations, masks, _ = a_batch(500)
    actions, _ = network.predict(observations.numpy(), action_masks=masks.numpy())
    assert masks.numpy()[np.arange(500), actions].all()


def test_the_one_legal_action_has_probability_1_and_no_entropy(network: Network) -> None:
    observations, _, actions = a_batch(100)
    masks = torch.nn.functional.one_hot(actions, GAME.num_actions).bool()
    set_logits(network, torch.linspace(-50, 50, GAME.num_actions))
    _, log_prob, entropy = evaluate(network, observations, actions, masks)
    assert (log_prob == 0).all()
    assert (entropy == 0).all()
