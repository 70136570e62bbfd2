"""Many games at once: each lane is a single game."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs import monster_my_neighbor_v0
from masked_monsters.envs.batch import Batch
from masked_monsters.envs.registry import get_game


def choose(batch: Batch, rng: np.random.Generator) -> np.ndarray:
    return (batch.action_mask * rng.random(batch.action_mask.shape)).argmax(axis=1)


@pytest.mark.parametrize("num_players", range(3, 9))
def test_a_lane_is_a_single_game_with_its_seed_through_several_matches(num_players: int) -> None:
    batch = Batch("monster_my_neighbor", 5, seed=0, num_players=num_players, num_rounds=2)
    envs = [monster_my_neighbor_v0.raw_env(num_players=num_players, num_rounds=2) for _ in range(5)]
    for env, seed in zip(envs, batch.seeds, strict=True):
        env.reset(seed=int(seed))
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(300):
        actions = choose(batch, rng)
        for lane, env in enumerate(envs):
            agent = env.agent_selection
            told = env.observe(agent)
            assert env.possible_agents[batch.seat[lane]] == agent
            assert batch.observation[lane].tolist() == told["observation"].tolist()
            assert batch.action_mask[lane].tolist() == told["action_mask"].tolist()
            env.step(int(actions[lane]))
        batch.step(actions)
        for lane, env in enumerate(envs):
            assert batch.reward[lane].tolist() == [
                np.float32(env.rewards[agent]) for agent in env.possible_agents
            ]
            assert batch.done[lane] == all(env.terminations.values())
            if batch.done[lane]:
                ended += 1
                assert batch.cut[lane]
                god = env.game.words.god_view(batch.final_states[lane])
                assert god == env.god_view()
                env.reset()
    assert ended > 5


@pytest.mark.parametrize("num_games", [1, 3, 64])
def test_a_lane_does_not_depend_on_how_many_there_are(num_games: int) -> None:
    few = Batch("monster_my_neighbor", num_games, seed=7)
    many = Batch("monster_my_neighbor", 100, seed=7)
    for _ in range(200):
        few.step(few.action_mask.argmax(axis=1))
        many.step(many.action_mask.argmax(axis=1))
        assert (few.observation == many.observation[:num_games]).all()
    assert (few.states == many.states[:num_games]).all()


def test_lanes_differ_and_seed_0_is_a_seed() -> None:
    batch, again = (
        Batch("monster_my_neighbor", 50, seed=0),
        Batch("monster_my_neighbor", 50, seed=0),
    )
    assert len({row.tobytes() for row in batch.states["hands"]}) == 50
    assert (batch.states == again.states).all()
    assert (batch.states != Batch("monster_my_neighbor", 50, seed=1).states).all()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
def test_a_copied_batch_goes_on_identically(copied: Any) -> None:
    batch = Batch("monster_my_neighbor", 8, seed=3)
    twin = copied(batch)
    for _ in range(30):
        batch.step(batch.action_mask.argmax(axis=1))
        twin.step(twin.action_mask.argmax(axis=1))
        assert (batch.observation == twin.observation).all()


def test_rewards_cuts_and_ends_come_together() -> None:
    rng = np.random.default_rng(0)
    for reward, per_match in (("vp", 2), ("win", 1)):
        batch = Batch("monster_my_neighbor", 64, seed=1, num_rounds=2, reward=reward)
        cuts, ends = 0, 0
        for _ in range(400):
            batch.step(choose(batch, rng))
            assert (batch.reward[~batch.cut] == 0).all()
            assert (batch.cut | ~batch.done).all()
            cuts += int(batch.cut.sum())
            ends += int(batch.done.sum())
        assert 0 <= cuts - per_match * ends <= 64


@pytest.mark.parametrize("bad", [-1, 20, 19])
def test_an_illegal_action_is_refused_by_lane_and_steps_nothing(bad: int) -> None:
    batch = Batch("monster_my_neighbor", 4, seed=0)
    before = batch.states.copy()
    actions = batch.action_mask.argmax(axis=1)
    actions[2] = bad
    with pytest.raises(ValueError, match=rf"actions\[2\]={bad}: illegal"):
        batch.step(actions)
    assert (batch.states == before).all()


@pytest.mark.parametrize("actions", [np.zeros(3, int), np.zeros(4), np.zeros((4, 1), int)])
def test_actions_of_a_wrong_shape_or_type_are_refused(actions: Any) -> None:
    with pytest.raises(ValueError, match="must be 4 integers"):
        Batch("monster_my_neighbor", 4).step(actions)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"num_games": 0}, "num_games=0"),
        ({"num_games": 4, "seed": -1}, "seed=-1"),
        ({"num_games": 4, "players": 3}, "players"),
        ({"num_games": 4, "num_players": 99}, "num_players=99"),
    ],
)
def test_a_bad_argument_is_an_error_that_names_it(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Batch("monster_my_neighbor", **options)


def test_an_unknown_game_is_an_error_that_lists_those_there_are() -> None:
    with pytest.raises(ValueError, match="'monster_my_neighbor'"):
        get_game("monster_my_neighbour")


def test_a_match_in_progress_takes_less_than_2_kib() -> None:
    assert get_game("monster_my_neighbor").state.itemsize < 2048
