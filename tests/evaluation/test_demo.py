from pathlib import Path

import pytest

from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.match import CHUNK, evaluate
from masked_monsters.evaluation.replay import load, play_back

pytest.importorskip("torch")  # of the extra "train"
from masked_monsters.evaluation.demo import demo  # needs torch

SHORT = (
    "run.decisions=2000",
    "run.num_games=16",
    "run.threads=1",
    "ppo.rollout_steps=64",
    "evaluation.matches=8",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_the_demo_leaves_an_agent_a_curve_and_a_replay_and_says_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    runs = tmp_path / "my runs é"
    first = demo(name, runs=runs, overrides=SHORT, matches=8)
    said = capsys.readouterr().out
    assert first == runs / f"{name}-demo"
    for file in ("agent.zip", "learning_curve.png", "replay.json"):
        assert (first / file).stat().st_size > 0
        assert file in said
    for baseline in baselines(get_game(name)):
        assert f"  {baseline} " in said
    assert list(play_back(load(first / "replay.json")))

    agent = str(first / "agent.zip")
    assert f"masked-monsters evaluate '{agent}' --game {name}" in said
    assert main(["evaluate", agent, "--game", name, "--against", "random", "--matches", "8"]) == 0

    before = {file: file.stat().st_mtime_ns for file in first.rglob("*")}
    assert demo(name, runs=runs, overrides=SHORT, matches=8) == runs / f"{name}-demo-2"
    assert before == {file: file.stat().st_mtime_ns for file in first.rglob("*")}


@pytest.mark.slow
def test_a_trained_agent_plays_alike_with_any_number_of_workers(tmp_path: Path) -> None:
    folder = demo("monster_my_neighbor", runs=tmp_path, overrides=SHORT, matches=8)
    game = get_game("monster_my_neighbor")
    agent, random = load_agent(str(folder / "agent.zip"), game), load_agent("random", game)
    results = [
        evaluate(game, agent, random, matches=4 * (CHUNK + 10), workers=workers)
        for workers in (1, 2, 4)
    ]
    assert results[0] == results[1] == results[2]
