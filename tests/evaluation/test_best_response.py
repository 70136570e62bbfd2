import json
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.game import Game
from masked_monsters.envs.reduced import reduced_game
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.estimate import Estimate
from masked_monsters.evaluation.exact.solve import nash_conv
from masked_monsters.evaluation.exact.tree import build_tree, strategy_of
from tests.evaluation.players import First, Last

pytest.importorskip("torch")  # of the extra "train"
from masked_monsters.evaluation import best_response  # needs torch
from masked_monsters.evaluation.best_response import (
    fresh_seed,
    in_words,
    lower_bound,
    measure,
    response_config,
)
from masked_monsters.evaluation.match import play_pairs
from masked_monsters.evaluation.page.records import BestResponse, read_record
from masked_monsters.training.chronicle import Chronicle
from masked_monsters.training.policy import NetworkPolicy
from masked_monsters.training.train import train
from tests.training.tiny import tiny_config

GAME = get_game("monster_my_neighbor")
BED = get_game("under_my_bed")
TINY = (
    "run.num_games=16",
    "run.threads=1",
    "run.checkpoint_every=500",
    "ppo.rollout_steps=16",
    "ppo.batch_size=64",
    "network.hidden=[16, 16]",
)


def exploit(folder: Path, agent: str = "hothead", *more: str, game: str = GAME.name) -> int:
    """The command, with the least of everything."""
    least = "--decisions", "1000", "--matches", "40", "--out", str(folder)
    return main(["exploit", *least, "--game", game, agent, *TINY, *more])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a best response that is finished."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    assert exploit(folder) == 0
    return folder


@pytest.fixture
def finished(folder: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to spoil."""
    return Path(shutil.copytree(folder, tmp_path / "whole"))


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a trained agent."""
    return train(tiny_config(), tmp_path_factory.mktemp("agents") / "tiny")


# ---------------------------------------------------------------- what is measured


@pytest.mark.parametrize("role", ["kid", "monster"])
def test_the_agent_itself_improves_by_nothing_exactly_where_all_seats_of_the_role_respond(
    role: str,
) -> None:
    honest = get_baseline(BED, "honest")
    measured = measure(BED, honest, honest, role=role, deals=20)
    assert measured.improvement == Estimate(0, 0)
    assert (measured.deals, measured.matches, measured.rounds) == (20, 20, 1)


def test_on_one_seat_it_improves_by_nothing_within_the_error() -> None:
    hothead = get_baseline(GAME, "hothead")
    measured = measure(GAME, hothead, hothead, deals=400)
    assert 0 < measured.improvement.half_width < 0.03
    assert abs(measured.improvement.mean) < 2 * measured.improvement.half_width
    assert (measured.deals, measured.matches, measured.rounds) == (400, 1600, 5)


def test_what_the_agent_gets_is_the_mean_of_its_table() -> None:
    random = get_baseline(GAME, "random")
    measured = measure(GAME, random, random, deals=10, seed=4)
    (played,) = play_pairs(GAME, (random, random), [(1, 1)], deals=10, seed=fresh_seed(4))
    assert measured.agent.mean == pytest.approx(played.score.mean() / 5)


def test_the_improvement_is_the_score_of_the_response_less_the_agents_deal_by_deal() -> None:
    measured = measure(
        GAME, get_baseline(GAME, "mastermind"), get_baseline(GAME, "random"), deals=300
    )
    assert measured.improvement.mean == pytest.approx(measured.response.mean - measured.agent.mean)
    assert measured.improvement.low > 0.1


def test_what_the_kid_gains_the_monsters_lose() -> None:
    honest, random = get_baseline(BED, "honest"), get_baseline(BED, "random")
    kid = measure(BED, random, honest, role="kid", deals=200)
    assert kid.improvement.high < -0.5  # an honest kid wins almost always
    monster = measure(BED, random, honest, role="monster", deals=200)
    assert kid.agent.mean == pytest.approx(-monster.agent.mean)
    assert monster.response.high < -0.3  # which also beats most random monsters
    assert monster.improvement.low > 0


@pytest.mark.slow
def test_the_improvement_does_not_depend_on_the_workers() -> None:
    players = get_baseline(GAME, "cautious"), get_baseline(GAME, "random")
    results = [measure(GAME, *players, deals=300, workers=workers) for workers in (1, 2)]
    assert results[0] == results[1]


def test_a_role_that_is_not_dealt_is_refused() -> None:
    with pytest.raises(ValueError, match="role='dog': must be one of 'kid', 'monster'"):
        measure(BED, First(), Last(), role="dog", deals=2)
    with pytest.raises(ValueError, match="role='kid': must be one of"):
        response_config("random", GAME, role="kid")


def test_a_bound_is_the_lower_end_of_the_interval_and_at_least_0() -> None:
    assert lower_bound(Estimate(0.5, 0.1)) == pytest.approx(0.4)
    assert lower_bound(Estimate(0.5, 0.6)) == 0
    assert lower_bound(Estimate(-0.5, 0.1)) == 0


def test_the_deals_of_the_measurement_are_those_of_no_training_and_no_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[np.ndarray] = []
    begin = Batch.__init__

    def watched(batch: Batch, *arguments: Any, **options: Any) -> None:
        begin(batch, *arguments, **options)
        seen.append(batch.seeds)

    monkeypatch.setattr(Batch, "__init__", watched)
    play = best_response.play_pairs

    def measured(*arguments: Any, **options: Any) -> object:
        trained = set(np.concatenate(seen).tolist())
        seen.clear()
        found = play(*arguments, **options)
        assert len(seen) == 2
        assert (seen[0] == seen[1]).all()  # the agent plays the same
        assert not trained & set(seen[0].tolist())
        return found

    monkeypatch.setattr(best_response, "play_pairs", measured)
    assert exploit(tmp_path / "run", "hothead", "evaluation.against=[random]") == 0


def test_other_seeds_have_other_deals() -> None:
    assert len({fresh_seed(seed) for seed in range(100)} | set(range(100))) == 200


def test_the_response_does_its_likeliest_action_and_the_agent_draws(
    agent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[NetworkPolicy, NetworkPolicy]] = []

    def note(
        _: Game, policies: tuple[NetworkPolicy, NetworkPolicy], *__: object, **___: object
    ) -> None:
        asked.append(policies)
        raise KeyboardInterrupt

    monkeypatch.setattr(best_response, "play_pairs", note)
    assert exploit(tmp_path / "run", str(agent)) == 130
    ((response, itself),) = asked
    assert (response.deterministic, itself.deterministic) == (True, False)
    assert (response.name, itself.name) == ("agent", agent.stem)


def test_who_is_no_agent_is_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong, complaint in {
        ("nobody",): "nobody",
        ("random", "--matches", "1"): "matches=1",
        ("random", "--workers", "0"): "workers=0",
        ("random", "--seed", "-1"): "run.seed=-1",
        ("random", "--role", "kid"): "role='kid'",
        ("random", "--decisions", "0"): "run.decisions=0",
    }.items():
        assert exploit(tmp_path / "run", *wrong) == 2
        assert complaint in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- the command


def test_the_file_is_whole_and_what_the_page_reads(folder: Path) -> None:
    content = json.loads((folder / "best_response.json").read_text())
    record = read_record(folder / "best_response.json")
    assert isinstance(record, BestResponse)
    assert (record.game, record.role) == (GAME.name, None)
    assert content["command"].startswith("masked-monsters exploit --decisions 1000 ")
    assert (content["decisions"], content["watched"]) == (1000, 500)
    assert (content["matches"], content["deals"], content["seed"]) == (40, 10, 0)
    improvement = content["improvement"]
    assert content["lower_bound"] == max(0, improvement["mean"] - improvement["half_width"])
    assert content["options"] == dict(GAME.options)
    assert (folder / "agent.zip").exists()


def test_again_it_only_says_what_was_found(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert exploit(folder) == 0
    said = capsys.readouterr().out
    assert said.startswith("The trained best response to hothead, on one seat, gains ")
    assert " a round, after 1,000 decisions and 500 watched." in said
    assert "Lower bound of what a best response can gain: 0.000 a round" in said
    assert "a better learner may gain more" in said
    assert "Lower bound of NashConv, the sum over the 4 seats: 0.000" in said
    assert before == {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_bounds_are_called_bounds_and_rounded_down() -> None:
    content = {
        "agent": "[bold]", "role": "kid", "decisions": 2, "watched": 0,
        "matches": 9, "deals": 9, "rounds": 1,
        "options": {"num_players": 4}, "lower_bound": 0.4129,
        "improvement": {"mean": 0.4281, "half_width": 0.0152},
        "response_score": {"mean": 0.5, "half_width": 0.01},
        "agent_score": {"mean": 0.0719, "half_width": 0.01},
    }  # fmt: skip
    text = in_words(content)
    assert "to [bold], on all seats of the role kid, gains +0.428 ± 0.015 a match" in text
    assert "can gain: 0.412 a match (97.5 % confidence); a better learner may gain more" in text
    assert "a match, after 2 decisions." in text
    assert "NashConv" not in text
    assert "NashConv, the sum over the 4 seats: 1.651." in in_words({**content, "role": None})


def test_an_interrupted_response_ends_as_one_that_was_not(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = tmp_path / "whole"
    on_rollout_end = Chronicle._on_rollout_end

    def press(chronicle: Chronicle) -> None:
        on_rollout_end(chronicle)
        if chronicle.num_timesteps == 512:
            signal.raise_signal(signal.SIGINT)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for owner, name, instead in (
        (Chronicle, "_on_rollout_end", press),
        (best_response, "measure", interrupted),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, instead)
            assert exploit(again) == 130
        assert not (again / "best_response.json").exists()
    assert exploit(again) == 0
    for name in ("agent.zip", "progress.csv"):
        assert (again / name).read_bytes() == (folder / name).read_bytes()
    contents = [json.loads((run / "best_response.json").read_text()) for run in (folder, again)]
    assert contents[0] == {**contents[1], "command": contents[0]["command"]}


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--decisions", "2000"], "run.decisions was 1000, is 2000"),
        (["--seed", "1"], "run.seed was 0, is 1"),
        (["--players", "3"], "options.num_players was 4, is 3"),
        (["--matches", "80"], "was measured on 10 deals, not 20"),
    ],
)
def test_another_response_in_the_same_folder_is_refused_by_name(
    finished: Path, capsys: pytest.CaptureFixture[str], more: list[str], complaint: str
) -> None:
    before = {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()}
    assert exploit(finished, "hothead", *more) == 2
    assert complaint in capsys.readouterr().err
    assert before == {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()}


def test_so_is_another_agent(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for measured in (True, False):
        if not measured:
            (finished / "best_response.json").unlink()
        assert exploit(finished, "random") == 2
        assert "opponents.names was ['hothead'], is ['random']" in capsys.readouterr().err


def test_so_is_an_agent_file_that_has_changed(
    agent: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = Path(shutil.copy(agent, tmp_path / "agent.zip"))
    assert exploit(tmp_path / "run", str(file)) == 0
    train(tiny_config(seed=1), tmp_path / "other")
    shutil.copy(tmp_path / "other" / "agent.zip", file)
    for measured in (True, False):
        if not measured:
            (tmp_path / "run" / "best_response.json").unlink()
        assert exploit(tmp_path / "run", str(file)) == 2
        assert f"sha256 of {file} was " in capsys.readouterr().err


@pytest.mark.parametrize("content", ['{"deals"', "[]", "{}", '{"deals": 10}', "\xff"])
def test_a_spoiled_file_is_refused_by_name_and_left_as_it_is(
    finished: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    file = finished / "best_response.json"
    file.write_text(content, encoding="latin-1")
    assert exploit(finished) == 2
    assert f"{file}: is not what masked-monsters exploit has written" in capsys.readouterr().err
    assert file.read_text(encoding="latin-1") == content


def test_keys_may_also_follow_the_options(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    least = "--decisions", "1000", "--matches", "40", "--out", str(folder)
    assert main(["exploit", "hothead", TINY[0], "--game", GAME.name, *least, *TINY[1:]]) == 0
    assert main(["exploit", "hothead", "--game", GAME.name, *least, *TINY]) == 0
    assert capsys.readouterr().out.count("best response to hothead") == 2


def test_a_folder_that_is_no_runs_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "letter").touch()
    assert exploit(tmp_path) == 2
    assert "exists, and is not the folder of a run" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["letter"]


# ---------------------------------------------------------------- what it finds


def test_an_untrained_response_gains_nothing_and_its_bound_is_0(folder: Path) -> None:
    content = json.loads((folder / "best_response.json").read_text())
    assert content["improvement"]["mean"] < 0
    assert content["lower_bound"] == 0


@pytest.mark.slow
def test_whoever_plays_at_random_is_exploited(tmp_path: Path) -> None:
    run = tmp_path / "run"
    arguments = ["exploit", "random", "run.threads=1", "--decisions", "300000", "--out", str(run)]
    assert main(arguments) == 0
    assert json.loads((run / "best_response.json").read_text())["lower_bound"] > 0.1


@pytest.mark.slow
def test_in_a_reduced_game_the_bound_is_below_what_is_exact_and_near_it(tmp_path: Path) -> None:
    tree = build_tree(reduced_game("umb-tiny"))
    exact = nash_conv(tree, strategy_of(tree, get_baseline(tree.game, "honest")))
    run = tmp_path / "run"
    keys = "run.threads=1", "imitation.player=null"  # honest itself is far from its best response
    options = "--game", "umb-tiny", "--decisions", "300000", "--out", str(run)
    assert main(["exploit", "honest", *keys, *options]) == 0
    content = json.loads((run / "best_response.json").read_text())
    assert 0.9 * exact.total < 3 * content["lower_bound"] <= exact.total
