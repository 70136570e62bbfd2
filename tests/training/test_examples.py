"""The programs of ``docs/examples``."""

import re
import runpy
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.match import evaluate

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    return tmp_path / "ppo.pt"


def learn(decisions: int, weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run ``ppo.py`` as the command line does."""
    arguments = ["--decisions", str(decisions), "--seed", "1", "--out", str(weights)]
    monkeypatch.setattr(sys, "argv", ["ppo.py", *arguments])
    runpy.run_path(str(EXAMPLES / "ppo.py"), run_name="__main__")


def test_ppo_in_one_file_learns_alike_from_the_same_seed_and_can_be_measured(
    weights: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for _ in range(2):
        learn(1, weights, monkeypatch)
        told.append((capsys.readouterr().out, torch.load(weights, weights_only=True)))
    (text, learned), (again, learned_again) = told
    assert text == again
    assert re.fullmatch(r"16,384 decisions: \d\.\d{3} a match\n", text)
    assert all(torch.equal(learned[key], learned_again[key]) for key in learned)

    monkeypatch.syspath_prepend(EXAMPLES)
    measure, game = import_module("measure"), get_game("monster_my_neighbor")
    agent = measure.Agent(game.compact_highs, game.num_actions)
    agent.load_state_dict(learned)
    player, others = measure.Learned(agent), get_baseline(game, "tracker")
    results = [evaluate(game, player, others, matches=40) for _ in range(2)]
    assert results[0] == results[1]
    assert results[0].agent == "ppo"
    assert np.isfinite(results[0].gain.mean)


@pytest.mark.slow
def test_ppo_in_one_file_comes_to_score_far_more_than_a_random_player(
    weights: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    learn(500_000, weights, monkeypatch)
    *_, last = re.findall(r"decisions: (\d\.\d{3}) a match", capsys.readouterr().out)
    game = get_game("monster_my_neighbor")
    players = [get_baseline(game, name) for name in ("random", "tracker")]
    score = evaluate(game, *players, matches=2000).score.mean * game.options["num_rounds"]
    assert float(last) > score + 0.5
