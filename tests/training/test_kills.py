"""A run that is killed again and again, whatever it is doing."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from masked_monsters.envs.registry import get_game
from masked_monsters.training.checkpoint import load_policy, read_about
from masked_monsters.training.config import write_config
from masked_monsters.training.train import train
from tests.training.tiny import changed, league_config

COMMAND = [sys.executable, "-c", "from masked_monsters.evaluation.cli import main; exit(main())"]


def go(folder: Path, seconds: float) -> bool:
    """Begin or go on with the run, and kill it so long after its training began; has it ended?"""
    arguments = [folder.parent / "tiny.yaml", "--runs", folder.parent]
    if folder.exists():
        arguments = ["--resume", folder]
    logs = len(list(folder.glob("events.out.tfevents.*")))
    with subprocess.Popen([*COMMAND, "train", *arguments], stderr=subprocess.PIPE) as process:
        while len(list(folder.glob("events.out.tfevents.*"))) == logs and process.poll() is None:
            time.sleep(0.01)
        try:
            _, said = process.communicate(timeout=seconds)
            assert process.returncode == 0, said.decode()
            return True
        except subprocess.TimeoutExpired:
            process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
            return False


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills processes as Unix does")
def test_a_run_killed_at_ten_random_moments_ends_as_one_that_was_not(
    name: str, tmp_path: Path
) -> None:
    config = changed(
        league_config(name, decisions=100_000, num_games=32, checkpoint_every=2000),
        ppo={"batch_size": 256},
        evaluation={"every": 4000},
    )
    write_config(config, tmp_path / "tiny.yaml")
    game, folder = get_game(name), tmp_path / "tiny"
    rng = random.Random(1)
    kept, kills = 0, 0
    while not go(folder, rng.uniform(0.05, 1.5) * (1 + kills // 3) if kills < 10 else 600):
        kills += 1  # the later the more time it has, so that some fall between later checkpoints
        for agent in folder.rglob("agent*.zip"):
            load_policy(agent, game)
        if (folder / "trainer.pt").exists():
            decisions = torch.load(folder / "trainer.pt", weights_only=False)["decisions"]
            assert decisions >= kept
            newest = max((folder / "checkpoints").glob("*.zip"))
            assert read_about(newest)["decisions"] >= decisions
            kept = decisions
    assert kills >= 5
    assert kept > 0
    train(config, tmp_path / "whole")
    for file in ("agent.zip", "progress.csv", "evaluation.csv"):
        assert (folder / file).read_bytes() == (tmp_path / "whole" / file).read_bytes(), file
