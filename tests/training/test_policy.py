import pickle
from typing import cast

import numpy as np
import pytest
import torch

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.policy import Decisions, Policy, sample
from masked_monsters.envs.registry import get_game
from masked_monsters.training.policy import NetworkPolicy
from tests.training.tiny import tiny_model

GAME = get_game("monster_my_neighbor")


class Stuck:
    """Draws the same number for ever."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self, shape: tuple[int, ...]) -> np.ndarray:
        return np.full(shape, self.number)


@pytest.fixture(scope="module")
def policy() -> NetworkPolicy:
    return NetworkPolicy(tiny_model().policy)


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    """Of many phases of the game."""
    batch = Batch(GAME, 300, 5)
    rng = np.random.default_rng(0)
    for step in range(40):
        actions = (rng.random(batch.action_mask.shape) * batch.action_mask).argmax(-1)
        batch.step(np.where(np.arange(300) > 7 * step, actions, batch.action_mask.argmax(-1)))
    return Decisions(batch.view, batch.observation, batch.action_mask)


# ---------------------------------------------------------------- sampling


@pytest.mark.parametrize("number", [0.0, 5e-324, 0.5, 1 - 2**-53])
def test_no_random_number_leads_to_an_action_of_probability_0(number: float) -> None:
    rng = np.random.default_rng(0)
    probabilities = rng.random((1000, 20)) * (rng.random((1000, 20)) < 0.2)
    probabilities[np.arange(1000), rng.integers(0, 20, 1000)] += 1e-30
    actions = sample(probabilities, cast(np.random.Generator, Stuck(number)))
    assert (probabilities[np.arange(1000), actions] > 0).all()


def test_actions_are_drawn_as_often_as_their_probabilities_say() -> None:
    probabilities = np.array([0.5, 0.0, 0.2, 0.3])
    actions = sample(np.tile(probabilities, (100_000, 1)), np.random.default_rng(0))
    shares = np.bincount(actions, minlength=4) / 100_000
    np.testing.assert_allclose(shares, probabilities, atol=0.006)


# ---------------------------------------------------------------- the policy


def test_an_untrained_network_makes_no_illegal_move_in_1000_matches(name: str) -> None:
    policy = NetworkPolicy(tiny_model(game=name).policy)
    batch = Batch(name, 500, 1)
    ended = 0
    while ended < 1000:
        batch.step(policy.act(Decisions(batch.view, batch.observation, batch.action_mask)))
        ended += batch.done.sum()  # an illegal action would have raised


def test_extreme_weights_make_no_illegal_move(decisions: Decisions) -> None:
    network = tiny_model(seed=3).policy
    with torch.no_grad():
        network.action_net.weight.mul_(5000)
    policy = NetworkPolicy(network)
    rows = np.arange(len(decisions.action_mask))
    for _ in range(50):
        assert decisions.action_mask[rows, policy.act(decisions)].all()


def test_probabilities_sum_to_1_and_are_0_where_illegal(
    policy: NetworkPolicy, decisions: Decisions
) -> None:
    probabilities = policy.probabilities(decisions)
    assert probabilities.dtype == np.float64
    np.testing.assert_allclose(probabilities.sum(-1), 1, rtol=1e-14)
    assert (probabilities[decisions.action_mask == 0] == 0).all()
    assert (probabilities[decisions.action_mask == 1] > 0).all()


def test_the_same_seed_gives_the_same_actions_and_another_one_others(
    policy: NetworkPolicy, decisions: Decisions
) -> None:
    draws = []
    for seed in (0, 0, 1):
        policy.reset(seed)
        draws.append([policy.act(decisions).tolist() for _ in range(3)])
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]
    assert draws[0][0] != draws[0][1]


def test_deterministic_play_is_the_likeliest_action_and_has_to_be_asked_for(
    policy: NetworkPolicy, decisions: Decisions
) -> None:
    best = policy.probabilities(decisions).argmax(-1)
    likeliest = NetworkPolicy(policy.network, deterministic=True)
    assert (likeliest.act(decisions) == best).all()
    assert (policy.act(decisions) != best).any()


def test_a_pickled_policy_plays_on_identically(policy: NetworkPolicy, decisions: Decisions) -> None:
    policy.act(decisions)
    copy: Policy = pickle.loads(pickle.dumps(policy))
    assert copy.name == policy.name
    assert copy.act(decisions).tolist() == policy.act(decisions).tolist()


def test_playing_needs_no_gradient_and_no_random_numbers_but_its_own(
    policy: NetworkPolicy, decisions: Decisions
) -> None:
    torch_before, numpy_before = torch.get_rng_state(), np.random.get_state()[1].tolist()  # type: ignore[index]  # NumPy's stub allows a dict
    policy.act(decisions)
    assert torch.equal(torch.get_rng_state(), torch_before)
    assert np.random.get_state()[1].tolist() == numpy_before  # type: ignore[index]  # NumPy's stub allows a dict
    assert all(p.grad is None for p in policy.network.parameters())
