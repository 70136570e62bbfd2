"""``StableBaselinesVecEnv``: Stable-Baselines3's algorithms on the lanes of ``Vector``."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from masked_monsters.envs.adapters.sb3 import StableBaselinesVecEnv
from masked_monsters.envs.adapters.vector import Vector
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.agents import load_agent
from tests.games import Case
from tests.training.tiny import tiny_agent


def drawn(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (masks * rng.random(masks.shape)).argmax(axis=1)


@pytest.mark.parametrize("observation", ["compact", "history"])
def test_it_plays_and_pays_as_the_vector_environment_does_on_the_same_seeds(
    name: str, case: Case, observation: str
) -> None:
    settings: Any = {**case.short, "opponents": "random", "observation": observation}
    envs, vector = StableBaselinesVecEnv(name, 16, **settings), Vector(name, 16, **settings)
    envs.seed(5)
    seen: Any = envs.reset()
    expected, _ = vector.reset(seed=5)
    assert envs.observation_space == vector.single_observation_space
    rng = np.random.default_rng(0)
    score, length, ended = np.zeros(16), np.zeros(16), 0
    for step in range(60):
        masks = get_action_masks(envs)
        assert masks.dtype == np.bool_
        assert masks.tolist() == vector.action_masks().tolist()
        for key, rows in expected.items():
            assert seen[key].tolist() == rows.tolist()
        actions = drawn(masks, rng)
        if step % 20 == 10:
            actions[2] = masks[2].argmin()  # most likely illegal
        seen, rewards, dones, infos = envs.step(actions)
        expected, paid, terminations, _, told = vector.step(actions)
        assert rewards.tolist() == paid.tolist()
        assert dones.tolist() == terminations.tolist()
        score += paid
        length += 1
        for lane, info in enumerate(infos):
            if not dones[lane]:
                assert info == {}
                continue
            assert (info["episode"]["r"], info["episode"]["l"]) == (score[lane], length[lane])
            assert info["episode"]["t"] > 0
            assert info["TimeLimit.truncated"] is False
            for key, row in told["final_obs"][lane].items():
                assert info["terminal_observation"][key].tolist() == row.tolist()
            for key in ("seat", "illegal_action", "state"):
                assert info[key] == told["final_info"][key][lane]
        ended += dones.sum()
        score[dones] = length[dones] = 0
    assert ended > 16
    envs.close()


def test_what_has_been_handed_out_does_not_change(name: str) -> None:
    envs = StableBaselinesVecEnv(name, 4)
    first: Any = envs.reset()
    kept = {key: rows.copy() for key, rows in first.items()}
    for _ in range(5):
        envs.step(envs.action_masks().argmax(axis=1))
    assert all(first[key].tolist() == rows.tolist() for key, rows in kept.items())


def test_a_seed_holds_for_one_reset_alone_and_a_reset_forgets_the_matches(name: str) -> None:
    envs, vector = StableBaselinesVecEnv(name, 3), Vector(name, 3)
    envs.seed(9)
    for seed in (9, None):
        seen, expected = envs.reset(), vector.reset(seed=seed)[0]
        assert seen["observation"].tolist() == expected["observation"].tolist()
        for each in (envs, vector):
            each.step(each.action_masks().argmax(axis=1))
    envs.reset()
    ends: list[Any] = []
    steps = 0
    while not ends:
        *_, dones, infos = envs.step(envs.action_masks().argmax(axis=1))
        steps += 1
        ends = [infos[lane]["episode"] for lane in np.flatnonzero(dones)]
    assert {end["l"] for end in ends} == {steps}


def test_vec_monitor_counts_the_same(name: str, case: Case) -> None:
    envs = StableBaselinesVecEnv(name, 8, **case.short)
    monitored = VecMonitor(StableBaselinesVecEnv(name, 8, **case.short))
    for each in (envs, monitored):
        each.seed(1)
        each.reset()
    ends = 0
    for _ in range(40):
        actions = envs.action_masks().argmax(axis=1)
        own, theirs = envs.step(actions)[3], monitored.step(actions)[3]
        for mine, other in zip(own, theirs, strict=True):
            assert mine.keys() == other.keys()
            if mine:
                ends += 1
                assert mine["episode"]["l"] == other["episode"]["l"]
                assert mine["episode"]["r"] == pytest.approx(other["episode"]["r"])
    assert ends > 0


def test_maskable_ppo_learns_on_it_reproducibly_and_plays_only_legal_actions(name: str) -> None:
    weights = []
    for _ in range(2):
        envs = StableBaselinesVecEnv(name, 64)
        acted = envs.step_async

        def checked(actions: np.ndarray, envs: Any = envs, acted: Any = acted) -> None:
            assert envs.action_masks()[np.arange(64), actions].all()
            acted(actions)

        envs.step_async = checked
        assert is_masking_supported(envs)
        model = MaskablePPO(
            "MultiInputPolicy", envs, n_steps=32, batch_size=1024, n_epochs=1, seed=3, device="cpu"
        )
        model.learn(32 * 64)
        assert model.ep_info_buffer
        assert all(episode["l"] <= 32 for episode in model.ep_info_buffer)
        weights.append([each.tolist() for each in model.policy.parameters()])
    assert weights[0] == weights[1]


def test_a_learner_in_a_chosen_seat_sits_among_a_trained_agent_from_a_file(tmp_path: Path) -> None:
    game = get_game("monster_my_neighbor", num_players=4)
    agent = load_agent(str(tiny_agent(tmp_path / "run")), game)
    envs = StableBaselinesVecEnv(game, 64, seat=2, opponents=[agent, "tracker", agent])
    envs.seed(0)
    envs.reset()
    rng = np.random.default_rng(0)
    ends = []
    while len(ends) < 64:
        *_, infos = envs.step(drawn(envs.action_masks(), rng))
        ends += [info for info in infos if info]
    assert {info["seat"] for info in ends} == {2}
    assert not any(info["illegal_action"] for info in ends)


def test_what_there_is_not_for_each_lane_is_an_error() -> None:
    envs = StableBaselinesVecEnv("monster_my_neighbor", 3)
    assert envs.get_attr("render_mode", indices=[0, 2]) == [None, None]
    assert envs.env_is_wrapped(VecMonitor, indices=1) == [False]  # type: ignore[arg-type]  # a wrapper of VecEnvs
    with pytest.raises(AttributeError, match="speed"):
        envs.get_attr("speed")
    with pytest.raises(AttributeError, match="speed"):
        envs.set_attr("speed", 1)
    with pytest.raises(AttributeError, match="render"):
        envs.env_method("render")
    with pytest.raises(ValueError, match="a reset has none"):
        envs.set_options({"num_players": 3})
    with pytest.raises(ValueError, match="opponents='chess'"):
        StableBaselinesVecEnv("monster_my_neighbor", 3, opponents="chess")
