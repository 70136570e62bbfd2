import os
import signal
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest
from filelock import FileLock
from optuna.trial import TrialState

from masked_monsters.evaluation.cli import main
from masked_monsters.training import sweep
from masked_monsters.training.checkpoint import read_about
from masked_monsters.training.config import Config
from masked_monsters.training.curve import read_points
from tests.training.tiny_sweep import GRID, RANGE, Runs, run, table, trials, write_sweep

# ---------------------------------------------------------------- what is tried


def test_a_grid_tries_every_combination_once_and_needs_no_budget(
    tmp_path: Path, runs: Runs
) -> None:
    run(tmp_path, **GRID, trials=None)
    assert runs.values("ent_coef") == [0.01, 0.01, 0.1, 0.1]
    assert runs.values("n_epochs") == [1, 2, 1, 2]
    run(tmp_path, **GRID, trials=None)
    assert len(runs) == 4


def test_a_grid_can_be_begun_and_extended(tmp_path: Path, runs: Runs) -> None:
    run(tmp_path, **GRID, trials=1)
    run(tmp_path, **GRID, trials=3)
    run(tmp_path, **GRID, trials=4)
    assert runs.values("ent_coef") == [0.01, 0.01, 0.1, 0.1]
    assert runs.values("n_epochs") == [1, 2, 1, 2]


def test_no_more_trials_are_run_than_the_budget_says_however_often_it_is_called(
    tmp_path: Path, runs: Runs
) -> None:
    for _ in range(2):
        run(tmp_path, seeds=[0, 1])
    assert [config.run.seed for config in runs] == [0, 1] * 3


def test_values_are_within_their_range_and_whole_where_its_bounds_are(
    tmp_path: Path, runs: Runs
) -> None:
    run(tmp_path, search={"ppo.ent_coef": RANGE, "ppo.n_epochs": {"low": 1, "high": 3}}, trials=20)
    assert all(1e-4 <= value <= 0.1 for value in runs.values("ent_coef"))
    assert sum(value < 0.00316 for value in runs.values("ent_coef")) > 4  # half, by logarithm
    assert set(runs.values("n_epochs")) == {1, 2, 3}


def test_a_list_may_hold_any_values(tmp_path: Path, runs: Runs) -> None:
    search = {"network.hidden": [[8], [16, 16]], "imitation.player": [None, "random"]}
    run(tmp_path, search=search, sampler="grid", trials=None)
    assert [(config.network.hidden, config.imitation.player) for config in runs] == [
        ((8,), None),
        ((8,), "random"),
        ((16, 16), None),
        ((16, 16), "random"),
    ]


@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_the_suggestions_depend_on_the_seed_of_the_sampler_and_not_on_interruptions(
    tmp_path: Path, runs: Runs, sampler: str
) -> None:
    run(tmp_path / "whole", sampler=sampler, trials=14)
    whole = runs.values("ent_coef")
    runs.clear()
    for budget in 1, 3, 12, 14:
        run(tmp_path / "parts", sampler=sampler, trials=budget)
    assert runs.values("ent_coef") == whole
    assert len(set(whole)) == 14
    runs.clear()
    run(tmp_path / "other", sampler=sampler, trials=14, sampler_seed=1)
    assert not set(runs.values("ent_coef")) & set(whole)


def test_tpe_comes_to_prefer_what_scores_well(tmp_path: Path, runs: Runs) -> None:
    search = {"ppo.ent_coef": {"low": 0.0, "high": 1.0}}
    run(tmp_path, sampler="tpe", search=search, trials=30)
    tried = runs.values("ent_coef")
    assert fmean(tried[-15:]) > 0.8 > fmean(tried[:10])


def test_what_the_configuration_is_changed_by_holds_for_all_trials(
    tmp_path: Path, runs: Runs
) -> None:
    run(tmp_path, overrides=["ppo.gamma=0.9", "run.num_games=16"])
    assert set(runs.values("gamma")) == {0.9}
    assert {config.run.num_games for config in runs} == {16}


# ---------------------------------------------------------------- how trials are scored


def test_a_trial_scores_its_last_mean_gain_over_seeds_and_opponents(
    tmp_path: Path, runs: Runs
) -> None:
    folder = run(tmp_path, seeds=[0, 1])
    for trial in trials(folder):
        assert trial.value == pytest.approx(trial.params["ppo.ent_coef"] + 0.5 + 0.25)


def test_a_trial_can_be_scored_by_one_opponent(tmp_path: Path, runs: Runs) -> None:
    folder = run(tmp_path, seeds=[4], against="cautious")
    for trial in trials(folder):
        assert trial.value == pytest.approx(trial.params["ppo.ent_coef"] + 4)


def test_the_table_holds_each_trial_with_its_gains_best_first(tmp_path: Path, runs: Runs) -> None:
    folder = run(tmp_path, **GRID, trials=None, seeds=[0, 1])
    rows = table(folder)
    assert [row["trial"] for row in rows] == ["2", "3", "0", "1"]
    best = rows[0]
    assert (best["ppo.ent_coef"], best["ppo.n_epochs"], best["error"]) == ("0.1", "1", "")
    assert float(best["score"]) == pytest.approx(0.85)
    assert float(best["score_seed_1"]) == pytest.approx(1.35)
    assert float(best["gain_random"]) == pytest.approx(1.1)
    # Two independent means, each ± 0.3: the mean of both is known to 0.3 / √2.
    assert float(best["high_random"]) - float(best["low_random"]) == pytest.approx(0.6 / 2**0.5)
    assert best["decisions"] == "3072"
    lines = (folder / "table.md").read_text(encoding="utf-8").splitlines()
    assert "4 of 4 trials are over" in " ".join(lines)
    assert (
        "| 2 | 0.1 | 1 | +0.850 | +0.350 | +1.350 | +1.100 ± 0.212 | +0.600 ± 0.212 | 3,072 |"
        in lines
    )


def test_the_terminal_is_told_of_each_trial_in_one_line(
    tmp_path: Path, runs: Runs, capfd: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, **GRID, trials=3)
    assert capfd.readouterr().err.splitlines() == [
        "trial 0 (1 of 3), ppo.ent_coef=0.01 ppo.n_epochs=1: +0.260 a round; the best so far",
        "trial 1 (2 of 3), ppo.ent_coef=0.01 ppo.n_epochs=2: +0.260 a round; the best so far is "
        "trial 0, ppo.ent_coef=0.01 ppo.n_epochs=1: +0.260 a round",
        "trial 2 (3 of 3), ppo.ent_coef=0.1 ppo.n_epochs=1: +0.350 a round; the best so far",
    ]


# ---------------------------------------------------------------- interruptions and failures


def test_a_failed_trial_counts_for_the_budget_and_is_told_of_but_has_no_score(
    tmp_path: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(config: Config, folder: Path) -> Path:
        if config.run.seed == 1 and config.ppo.ent_coef == 0.01:
            raise ValueError("weights\nare | nan")
        return runs(config, folder)

    monkeypatch.setattr(sweep, "train_on", train)
    values = {"search": {"ppo.ent_coef": [0.01, 0.1]}, "sampler": "grid", "seeds": [0, 1, 2]}
    run(tmp_path, **values, trials=None)
    folder = run(tmp_path, **values, trials=None)
    assert [(config.ppo.ent_coef, config.run.seed) for config in runs] == [
        (0.01, 0),
        (0.1, 0),
        (0.1, 1),
        (0.1, 2),
    ]
    good, failed = table(folder)
    assert (good["trial"], failed["trial"], failed["score"]) == ("1", "0", "")
    assert failed["error"] == "ValueError: weights are | nan"
    assert float(failed["score_seed_0"]) == pytest.approx(0.26)
    text = (folder / "table.md").read_text(encoding="utf-8")
    assert "1 failed" in text
    assert r"| failed: ValueError: weights are \| nan |" in text


def test_a_combination_that_makes_no_configuration_is_a_failed_trial(
    tmp_path: Path, runs: Runs
) -> None:
    search = {
        "game": ["monster_my_neighbor", "under_my_bed"],
        "imitation.player": [None, "mastermind"],
    }
    folder = run(
        tmp_path,
        search=search,
        sampler="grid",
        trials=None,
        overrides=["evaluation.against=[random]"],
    )
    assert len(runs) == 3
    assert "imitation.player='mastermind'" in table(folder)[-1]["error"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interrupted_trial_is_no_failure_and_goes_on_with_the_seed_at_hand(
    tmp_path: Path, runs: Runs, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def interrupted(config: Config, folder: Path) -> Path:
        agent = runs(config, folder)
        if len(runs) == 4:  # the second seed of the second trial
            raise error
        return agent

    monkeypatch.setattr(sweep, "train_on", interrupted)
    with pytest.raises(error):
        run(tmp_path, seeds=[0, 1])
    assert len(table(tmp_path / "small")) == 1
    folder = run(tmp_path, seeds=[0, 1])
    assert [config.run.seed for config in runs] == [0, 1, 0, 1, 1, 0, 1]
    assert runs[4].ppo == runs[3].ppo
    assert [trial.state for trial in trials(folder)] == [TrialState.COMPLETE] * 3


@pytest.mark.skipif(os.name != "posix", reason="kills a process without notice")
def test_a_killed_sweep_goes_on_where_it_was_and_finds_what_an_unbroken_one_does(
    tmp_path: Path,
) -> None:
    values = {"seeds": [0, 1], "trials": 2}
    script = f"""
import os, signal
from pathlib import Path
from masked_monsters.training import sweep
train, count = sweep.train_on, 0
def killed(config, folder):
    global count
    count += 1
    train(config, folder)
    if count == 4:
        os.kill(os.getpid(), signal.SIGKILL)
sweep.train_on = killed
sweep.run_sweep(*sweep.read_sweep(Path({str(write_sweep(tmp_path / "files", **values))!r})),
                Path({str(tmp_path / "small")!r}))
"""
    done = subprocess.run([sys.executable, "-c", script], check=False, timeout=300)
    assert done.returncode == -signal.SIGKILL
    kept = [
        tmp_path / "small" / run / "agent.zip" for run in ("trial_000/seed_0", "trial_001/seed_0")
    ]
    again = tmp_path / "small" / "trial_001" / "seed_1" / "agent.zip"
    before = [agent.stat().st_mtime_ns for agent in [*kept, again]]
    assert len(table(tmp_path / "small")) == 1

    folder = run(tmp_path, **values)
    after = [agent.stat().st_mtime_ns for agent in [*kept, again]]
    assert after[:2] == before[:2]
    assert after[2] > before[2]
    unbroken = run(tmp_path / "unbroken", **values)
    assert (folder / "table.csv").read_text() == (unbroken / "table.csv").read_text()
    last = read_points(folder / "trial_001" / "seed_1" / "evaluation.csv")[-2:]
    (row,) = [row for row in table(folder) if row["trial"] == "1"]
    assert float(row["score_seed_1"]) == pytest.approx(fmean(point.mean for point in last))
    assert read_about(again)["config"]["ppo"]["ent_coef"] == float(row["ppo.ent_coef"])


def test_two_processes_are_not_at_the_same_sweep(tmp_path: Path, runs: Runs) -> None:
    folder = run(tmp_path)
    with FileLock(folder / "sweep.lock"), pytest.raises(ValueError, match="another process"):
        run(tmp_path, trials=4)
    run(tmp_path, trials=4)
    assert len(runs) == 4


# ---------------------------------------------------------------- the command


def test_the_command_sweeps_and_prints_where_the_table_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_sweep(tmp_path / "files", trials=9)
    arguments = ["sweep", str(file), "trials=1", "name=mine", "--runs", str(tmp_path / "my runs")]
    assert main(arguments) == 0
    captured = capsys.readouterr()
    folder = tmp_path / "my runs" / "sweeps" / "mine"
    assert captured.out.strip() == str(folder / "table.md")
    assert "trial 0 (1 of 1), ppo.ent_coef=" in captured.err
    assert len(table(folder)) == 1
    about = read_about(folder / "trial_000" / "seed_0" / "agent.zip")
    assert about["config"]["run"]["name"] == "mine-trial_000-seed_0"
    assert about["config"]["ppo"]["ent_coef"] == float(table(folder)[0]["ppo.ent_coef"])


@pytest.mark.parametrize(("missing", "extra"), [("optuna", "sweep"), ("torch", "train")])
def test_a_missing_package_is_named_with_the_extra_that_brings_it(missing: str, extra: str) -> None:
    command = "sweep" if missing == "optuna" else "train"
    script = f"""
import sys
from masked_monsters.evaluation.cli import main

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
sys.exit(main([{command!r}, "x.yaml"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"masked-monsters: error: {missing} is not installed: "
        f"pip install 'masked-monsters[{extra}]'\n"
    )
