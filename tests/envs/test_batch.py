"""Many matches of every game at once: each lane is a single environment."""

import copy
import multiprocessing
import pickle
import time
import warnings
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.registry import get_game
from tests.envs.learner import choose
from tests.games import Case, Options, module_of

ARRAYS = (
    "view", "observation", "action_mask", "seat", "reward", "cut", "done", "final_states",
)  # fmt: skip
"""What a step writes anew."""


@pytest.mark.parametrize("num_players", range(3, 9))
def test_a_lane_is_a_single_environment_with_its_seed_through_several_matches(
    name: str, num_players: int, case: Case, options: Options
) -> None:
    options = {**(options or case.short), "num_players": num_players}
    batch = Batch(name, 5, seed=0, **options)
    envs = [module_of(name).raw_env(**options) for _ in range(5)]
    for env, seed in zip(envs, batch.seeds, strict=True):
        env.reset(seed=int(seed))
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(300):
        actions = choose(batch.game, batch.action_mask, rng)
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
def test_a_lane_does_not_depend_on_how_many_there_are(name: str, num_games: int) -> None:
    few = Batch(name, num_games, seed=7)
    many = Batch(name, 100, seed=7)
    for _ in range(200):
        few.step(few.action_mask.argmax(axis=1))
        many.step(many.action_mask.argmax(axis=1))
        assert (few.observation == many.observation[:num_games]).all()
    assert (few.states == many.states[:num_games]).all()


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_lanes_do_not_depend_on_the_threads_that_share_them(name: str, threads: int) -> None:
    alone, shared = Batch(name, 7, seed=7), Batch(name, 7, seed=7, threads=threads)
    rng = np.random.default_rng(0)
    for _ in range(100):
        actions = choose(alone.game, alone.action_mask, rng)
        alone.step(actions)
        shared.step(actions)
        for array in ("states", *ARRAYS[:-1]):  # final_states hold where a match has ended
            assert (getattr(shared, array) == getattr(alone, array)).all(), array
        assert (shared.final_states == alone.final_states)[alone.done].all()


def test_an_interrupted_step_leaves_no_thread_that_goes_on_writing(name: str) -> None:
    batch, written = Batch(name, 4, threads=2), np.arange(4)

    def kernel(share: np.ndarray) -> None:
        if share[0] == 2:
            raise KeyboardInterrupt
        time.sleep(0.2)
        share[:] = 9

    with pytest.raises(KeyboardInterrupt):
        batch._run(kernel, written)
    assert written.tolist() == [9, 9, 2, 3]


def test_a_batch_with_threads_goes_on_after_a_fork(name: str) -> None:
    batch = Batch(name, 8, threads=2)
    batch.step(batch.action_mask.argmax(axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: forking with threads
        process = multiprocessing.get_context("fork").Process(
            target=batch.step, args=(batch.action_mask.argmax(axis=1),)
        )
        process.start()
    process.join(30)
    assert process.exitcode == 0


def test_arrays_are_written_into_or_new_at_each_step_as_asked(name: str) -> None:
    stable, fresh = Batch(name, 20), Batch(name, 20, fresh_arrays=True)
    held = {array: getattr(stable, array) for array in ARRAYS}
    shown = {array: getattr(fresh, array) for array in ARRAYS}
    kept = {array: shown[array].copy() for array in ARRAYS}
    for _ in range(30):
        actions = stable.action_mask.argmax(axis=1)
        stable.step(actions)
        fresh.step(actions)
    for array in ARRAYS:
        assert getattr(stable, array) is held[array], array
        assert (shown[array] == kept[array]).all(), array
        if array != "final_states":  # those of lanes whose match has not ended are not kept
            assert (getattr(fresh, array) == getattr(stable, array)).all(), array


def test_lanes_differ_and_seed_0_is_a_seed(name: str, case: Case) -> None:
    batch, again = Batch(name, 50, seed=0), Batch(name, 50, seed=0)
    god_view = batch.game.words.god_view
    assert len({str(case.deal(god_view(state))) for state in batch.states}) == 50
    assert (batch.states == again.states).all()
    assert (batch.states != Batch(name, 50, seed=1).states).all()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
def test_a_copied_batch_goes_on_identically(name: str, options: Options, copied: Any) -> None:
    batch = Batch(name, 8, seed=3, **options)
    rng = np.random.default_rng(0)
    for _ in range(10):
        batch.step(choose(batch.game, batch.action_mask, rng))
    twin = copied(batch)
    for _ in range(100):
        actions = choose(batch.game, batch.action_mask, rng)
        batch.step(actions)
        twin.step(actions)
        assert (batch.observation == twin.observation).all()
    assert (batch.states == twin.states).all()


def test_rewards_cuts_and_ends_come_together(name: str, case: Case) -> None:
    rng = np.random.default_rng(0)
    for options, per_match in case.cuts:
        batch = Batch(name, 64, seed=1, **options)
        cuts, ends = 0, 0
        for _ in range(400):
            batch.step(choose(batch.game, batch.action_mask, rng))
            assert (batch.reward[~batch.cut] == 0).all()
            assert (batch.cut | ~batch.done).all()
            cuts += int(batch.cut.sum())
            ends += int(batch.done.sum())
        assert ends > 64
        assert 0 <= cuts - per_match * ends <= 64


def test_an_illegal_action_is_refused_by_lane_and_steps_nothing(
    name: str, options: Options
) -> None:
    batch = Batch(name, 4, seed=0, **options)
    before = batch.states.copy()
    actions = batch.action_mask.argmax(axis=1)
    for bad in (-1, batch.game.num_actions, batch.action_mask[2].argmin()):
        actions[2] = bad
        with pytest.raises(ValueError, match=rf"actions\[2\]={bad}: illegal"):
            batch.step(actions)
        assert (batch.states == before).all()


@pytest.mark.parametrize("actions", [np.zeros(3, int), np.zeros(4), np.zeros((4, 1), int)])
def test_actions_of_a_wrong_shape_or_type_are_refused(name: str, actions: Any) -> None:
    with pytest.raises(ValueError, match="must be 4 integers"):
        Batch(name, 4).step(actions)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"num_games": 4, "threads": 0}, "threads=0: must be an integer from 1 to 4"),
        ({"num_games": 4, "threads": 5}, "threads=5: must be an integer from 1 to 4"),
        ({"num_games": 0}, "num_games=0"),
        ({"num_games": 4, "seed": -1}, "seed=-1"),
        ({"num_games": 4, "players": 3}, "players"),
        ({"num_games": 4, "num_players": 99}, "num_players=99"),
    ],
)
def test_a_bad_argument_is_an_error_that_names_it(
    name: str, arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        Batch(name, **arguments)


def test_a_game_with_options_may_be_given_and_some_be_changed(name: str, case: Case) -> None:
    game = get_game(name, **case.other)
    batch = Batch(game, 2, num_players=5)
    assert batch.game.options == {**game.options, "num_players": 5}
    assert (batch.states == Batch(name, 2, num_players=5, **case.other).states).all()


def test_a_match_in_progress_takes_less_than_2_kib(name: str) -> None:
    assert get_game(name).state.itemsize < 2048
