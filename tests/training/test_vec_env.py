import numpy as np
import pytest
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.registry import get_game
from masked_monsters.training.vec_env import BatchVecEnv


@pytest.fixture
def env(name: str) -> BatchVecEnv:
    return BatchVecEnv(get_game(name, num_players=5), num_games=30, seed=4)


def test_observations_lie_in_the_space_and_masks_are_bool(env: BatchVecEnv) -> None:
    rng = np.random.default_rng(0)
    observations = env.reset()
    for _ in range(200):
        assert all(env.observation_space.contains(row) for row in observations)
        masks = get_action_masks(env)
        assert masks.dtype == np.bool_
        assert masks.shape == (30, env.game.num_actions)
        assert masks.tolist() == (env.batch.action_mask == 1).tolist()
        observations, rewards, dones, infos = env.step((rng.random(masks.shape) * masks).argmax(-1))
        assert rewards.shape == dones.shape == (len(infos),) == (30,)


def test_sb3_contrib_finds_the_masks(env: BatchVecEnv) -> None:
    assert is_masking_supported(env)
    assert env.env_method("action_masks", indices=[3])[0].tolist() == env.action_masks()[3].tolist()


def test_the_reward_is_the_deciding_seat_s_own_and_comes_from_the_batch(env: BatchVecEnv) -> None:
    env.reset()
    batch = Batch(env.game, 30, 4)
    rng = np.random.default_rng(1)
    paid = 0.0
    for _ in range(150):
        seat = batch.seat.copy()
        actions = (rng.random(batch.action_mask.shape) * batch.action_mask).argmax(-1)
        batch.step(actions)
        observations, rewards, dones, _ = env.step(actions)
        np.testing.assert_array_equal(observations, batch.observation)
        assert rewards.tolist() == batch.reward[np.arange(30), seat].tolist()
        assert dones.tolist() == batch.done.tolist()
        paid += np.abs(rewards).sum()
    assert paid > 0


def test_a_reset_begins_the_same_games_and_a_seed_others(env: BatchVecEnv) -> None:
    first = env.reset()
    env.step(env.action_masks().argmax(-1))
    assert env.reset().tolist() == first.tolist()
    env.seed(5)
    assert env.reset().tolist() != first.tolist()


def test_observations_that_are_kept_do_not_change(env: BatchVecEnv) -> None:
    first = env.reset()
    copy = first.copy()
    env.step(env.action_masks().argmax(-1))
    assert first.tolist() == copy.tolist()


def test_what_lanes_do_not_have_is_an_error(env: BatchVecEnv) -> None:
    with pytest.raises(AttributeError, match="speed"):
        env.get_attr("speed")
    with pytest.raises(AttributeError, match="speed"):
        env.set_attr("speed", 1)


def test_a_critic_is_shown_what_its_kind_sees(name: str) -> None:
    game = get_game(name, num_players=5)
    shared, own, central = (
        BatchVecEnv(game, 30, 4, critic=critic) for critic in ("shared", "own", "central")
    )
    assert shared.observe()[1].shape == (30, 0)
    assert own.observe()[1].tolist() == own.batch.observation.tolist()
    assert central.observe()[1].tolist() == central.batch.whole_table().tolist()
