"""``masked-monsters speed --training``: what is measured and said of it, never how fast it was."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

from masked_monsters.envs.adapters.aec import IllegalActionError
from masked_monsters.envs.monster_my_neighbor_v0 import raw_env
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.speed import training, tutorial
from masked_monsters.evaluation.speed.compare import ratios
from masked_monsters.evaluation.speed.report import page
from masked_monsters.evaluation.speed.tutorial import SB3ActionMaskWrapper, new_tutorial_model

SHORT = "--training", "--game", "monster_my_neighbor", "--repeats", "2", "--seconds", "0.001"


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small networks and rollouts; threads that a busy machine has."""
    read = training.read_config
    small = ["network.hidden=[8]", "run.num_games=8", "ppo.rollout_steps=8"]
    monkeypatch.setattr(training, "read_config", lambda file, more: read(file, [*more, *small]))
    monkeypatch.setattr(training, "THREADS", (1,))
    monkeypatch.setattr(
        tutorial, "MaskablePPO", partial(MaskablePPO, n_steps=64, n_epochs=1, batch_size=32)
    )


def test_training_is_measured_beside_the_tutorial_and_the_ratio_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, threads = tmp_path / "training_speed.json", torch.get_num_threads()
    assert main(["speed", *SHORT, "--out", str(file)]) == 0
    assert torch.get_num_threads() == threads
    content = json.loads(file.read_text("utf-8"))
    _, ours, theirs = content["rows"]
    assert [row["kind"] for row in content["rows"]] == ["calibration", "training", "tutorial"]
    assert (ours["lanes"], theirs["lanes"]) == (8, 1)
    for row in (ours, theirs):
        assert (row["subject"], row["players"]) == ("monster_my_neighbor", 4)
        assert row["unit"] == "decisions/s"
        for sample in row["samples"]:  # one rollout each, of 8 * 8 and of 64
            assert sample["value"] * sample["wall"] == pytest.approx(64)
    name = f"{ours['name']}: to {theirs['name']}"
    median, least, greatest = ratios(content["rows"])[name]
    pairs = zip(ours["samples"], theirs["samples"], strict=True)
    each = sorted(one["value"] / other["value"] for one, other in pairs)
    assert (median, least, greatest) == pytest.approx((sum(each) / 2, *each))
    for text in (capsys.readouterr().out, page(file)):
        assert name in text
        assert f"{median:.4g}" in text
        assert f"{least:.4g} to {greatest:.4g}" in text
    assert {"torch", "sb3-contrib"} <= content["conditions"]["versions"].keys()


def test_without_peers_ours_alone_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speed", *SHORT, "--no-peers"]) == 0
    text = capsys.readouterr().out
    assert "Training, play and update" in text
    assert "tutorial" not in text
    assert "How many times" not in text


def test_other_runs_leave_training_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speed", "--only", "rows", "--repeats", "1", "--seconds", "0.001"]) == 0
    assert "Training" not in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main(["speed", *SHORT, "--only", "rows"])
    assert "--training" in capsys.readouterr().err


def test_the_ratio_is_by_the_clock_and_between_rows_of_one_game() -> None:
    def row(kind: str, game: str, value: float, cpu: float) -> dict[str, Any]:
        sample = {"value": value, "wall": 1.0, "cpu": cpu}
        facts = {"players": 4, "lanes": 1, "threads": 1, "observation_bytes": 9}
        return {
            "name": f"{kind} {game}",
            "kind": kind,
            "subject": game,
            "samples": [sample],
        } | facts

    rows = [
        row("training", "a", 100, 2.0),
        row("tutorial", "a", 5, 1.0),
        row("tutorial", "b", 1, 1.0),
    ]
    assert ratios(rows) == {"training a: to tutorial a": (20, 20, 20)}


def test_the_tutorial_plays_legal_moves_to_the_end_of_matches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = raw_env(num_players=4, num_rounds=1)
    acted: list[int] = []
    step = env.step

    def noted(action: int) -> None:
        assert env.observe(env.agent_selection)["action_mask"][action] == 1
        acted.append(action)
        step(action)

    monkeypatch.setattr(env, "step", noted)
    model = new_tutorial_model(env, [8])
    model.set_logger(Logger(None, []))
    model.learn(256)
    assert len(acted) == model.num_timesteps == 256
    assert model.ep_info_buffer
    assert len(set(acted)) > 5


def test_the_tutorial_s_agent_sees_and_gets_what_the_next_seat_does() -> None:
    env = raw_env(num_rounds=1)
    wrapped: Any = SB3ActionMaskWrapper(raw_env(num_rounds=1))
    env.reset(seed=3)
    seen, _ = wrapped.reset(seed=3)
    assert wrapped.observation_space.contains(seen)
    ended = False
    while not ended:
        observation = env.observe(env.agent_selection)
        assert seen.tolist() == observation["observation"].tolist()
        assert wrapped.action_mask().tolist() == observation["action_mask"].tolist()
        action = int(np.flatnonzero(observation["action_mask"])[-1])
        env.step(action)
        seen, reward, ended, *_ = wrapped.step(action)
        _, expected, over, *_ = env.last()
        assert (reward, ended) == (expected, over)
    wrapped.reset()
    with pytest.raises(IllegalActionError):
        wrapped.step(int(wrapped.action_mask().argmin()))
