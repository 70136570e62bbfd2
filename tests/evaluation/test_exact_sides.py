"""The kid against the monsters, and the command that solves the reduced games."""

import json
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from masked_monsters.envs.reduced import reduced_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.exact import command, passes
from masked_monsters.evaluation.exact.rows import Solver
from masked_monsters.evaluation.exact.solve import CFR, value
from masked_monsters.evaluation.exact.tables import Row, line, page
from masked_monsters.evaluation.exact.team import KID, MONSTER, sides
from masked_monsters.evaluation.exact.tree import Tree, build_tree, seated, strategy_of, uniform

DOCS = Path(__file__).parents[2] / "docs"


@cache
def tree_of(name: str) -> Tree:
    return build_tree(reduced_game(name))


def pure(tree: Tree, strategy: np.ndarray, role: int, seed: int) -> np.ndarray:
    """The strategy, with a random pure one in a role."""
    chosen = strategy.copy()
    numbers = np.random.default_rng(seed).random(len(tree.states))
    passes.choose(tree.states, role, numbers, chosen)
    return chosen


def side_values(tree: Tree, strategy: np.ndarray) -> tuple[float, float]:
    """The kid's and each monster's: all are paid 1 or -1, so the seats' sum tells them."""
    n = tree.num_seats
    kid = -float(value(tree, strategy).sum()) / (n - 2)
    return kid, -kid


@pytest.mark.parametrize("name", ["umb-tiny", "umb-small", "umb-four"])
def test_the_sides_are_paid_what_the_seats_are(name: str) -> None:
    tree = tree_of(name)
    strategy = strategy_of(tree, get_baseline(tree.game, "trickster"))
    found = sides(tree, strategy, starts=1)
    np.testing.assert_allclose((found.kid, found.monsters), side_values(tree, strategy), atol=1e-12)


@pytest.mark.parametrize("player", ["random", "honest", "mimic"])
def test_no_pure_strategy_of_a_side_gets_more_than_its_best(player: str) -> None:
    tree = tree_of("umb-tiny")
    strategy = strategy_of(tree, get_baseline(tree.game, player))
    found = sides(tree, strategy, seconds=60)
    assert found.monsters_bound == found.monsters_best >= found.monsters
    assert found.kid_best >= found.kid
    for seed in range(100):
        assert side_values(tree, pure(tree, strategy, KID, seed))[0] <= found.kid_best + 1e-9
        assert (
            side_values(tree, pure(tree, strategy, MONSTER, seed))[1] <= found.monsters_best + 1e-9
        )


def test_the_kids_best_response_is_one_role_of_the_seats() -> None:
    """Against monsters that never accuse, it waits or checks when it is sure: no seat does better."""
    tree = tree_of("umb-tiny")
    cfr = CFR(tree, "dcfr")
    cfr.run(300)
    found = sides(tree, cfr.average, starts=1)
    assert 0 <= found.kid_best - found.kid < 0.01


def test_without_the_integer_program_there_is_no_upper_bound() -> None:
    tree = tree_of("umb-tiny")
    found = sides(tree, uniform(tree), starts=2)
    assert found.monsters_bound is None
    row = {"game": "umb-tiny", "policy": "uniform", "seed": 0, "nash_conv": 1.0, "value": [0.0] * 3}
    assert "best at least +" in line({**row, **found._asdict()})


def test_a_row_of_another_seed_says_so() -> None:
    row = {"game": "mmn-tiny", "policy": "uniform", "nash_conv": 1.0, "value": [0.0] * 3}
    assert "uniform, seed 3" in line({**row, "seed": 3})
    assert "seed" not in line({**row, "seed": 0})


def test_monsters_improve_until_none_can() -> None:
    """By one round of turns they get 0.583, by two 0.708."""
    tree = tree_of("umb-four")
    strategy = strategy_of(tree, get_baseline(tree.game, "mimic"))
    assert sides(tree, strategy, starts=1).monsters_best == pytest.approx(0.75)


def test_more_starts_never_find_less() -> None:
    tree = tree_of("umb-small")
    best = [sides(tree, uniform(tree), starts=starts).monsters_best for starts in (1, 5, 20)]
    assert best == sorted(best)


def test_seats_may_play_different_strategies() -> None:
    tree = tree_of("umb-tiny")
    strategies = [strategy_of(tree, get_baseline(tree.game, name)) for name in ("honest", "mimic")]
    mixed = seated(tree, [strategies[0], strategies[1], strategies[0]])
    for state in tree.states:
        actions = slice(state["first"], state["first"] + state["num_actions"])
        np.testing.assert_array_equal(mixed[actions], strategies[int(state["seat"] == 1)][actions])


# ---------------------------------------------------------------- the command


def solve(folder: Path, *arguments: str) -> list[dict[str, object]]:
    assert main(["solve", *arguments, "--out", str(folder)]) == 0
    return json.loads((folder / command.FILE).read_text())["rows"]


def test_the_command_finds_every_policy_once_and_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Solver, "cfr", interrupted)
        assert main(["solve", "umb-tiny", "--iterations", "20", "--out", str(tmp_path)]) == 130
    before = json.loads((tmp_path / command.FILE).read_text())["rows"]
    assert [row["policy"] for row in before] == [
        "uniform",
        "blurter",
        "honest",
        "mimic",
        "trickster",
    ]
    monkeypatch.setattr(Solver, "uniform", interrupted)
    monkeypatch.setattr(Solver, "player", interrupted)
    rows = solve(tmp_path, "umb-tiny", "--iterations", "20")
    assert rows[:-1] == before
    assert rows[-1]["policy"] == "DCFR, 20 iterations"
    solve(tmp_path, "umb-tiny", "--iterations", "3", "--policy", "mimic")
    commands = json.loads((tmp_path / command.FILE).read_text())["command"].split(" && ")
    assert ["--iterations 20" in each for each in commands] == [True, False]
    assert "scipy" in json.loads((tmp_path / command.FILE).read_text())["versions"]
    printed = capsys.readouterr().out
    assert "NashConv" in printed
    assert "called a bound" in printed


def test_an_agent_is_trained_in_the_reduced_game_and_measured_exactly(tmp_path: Path) -> None:
    rows = solve(
        tmp_path, "mmn-tiny", "--policy", "tracker", "--iterations", "5", "--train", "20000"
    )
    policies = [row["policy"] for row in rows]
    assert policies[-2:] == ["PPO, 20,000 decisions", "MMD, 20,000 decisions"]
    agent = tmp_path / "mmn-tiny-ppo-20000-0" / "agent.zip"
    again = solve(tmp_path / "other", "mmn-tiny", "--policy", str(agent), "--iterations", "5")
    assert "sha256" in str(again[1]["policy"])
    assert again[1]["nash_conv"] == rows[-2]["nash_conv"] != rows[-1]["nash_conv"]


def test_what_another_version_has_found_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / command.FILE
    old = {"versions": {"masked-monsters": "0.0.1"}, "command": "solve", "rows": []}
    file.write_text(json.dumps(old))
    assert main(["solve", "umb-tiny", "--out", str(tmp_path)]) == 2
    assert "version 0.0.1" in capsys.readouterr().err


@pytest.mark.parametrize("rows", [b"{", b"5", b"null", b"[{}]", b"[5]", b'["\xff"]'])
def test_a_spoiled_file_is_refused_by_name_and_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: bytes
) -> None:
    file = tmp_path / command.FILE
    content = b'{"versions": {"masked-monsters": "%s"}, "command": "solve", "rows": %s}'
    file.write_bytes(content % (version("masked-monsters").encode(), rows))
    before = file.read_bytes()
    assert main(["solve", "umb-tiny", "--out", str(tmp_path)]) == 2
    assert f"{file}: is not what masked-monsters solve has written" in capsys.readouterr().err
    assert file.read_bytes() == before


@pytest.mark.parametrize(("other", "seeds"), [("0", [0, 0, 0]), ("1", [0, 0, 0, 1, 1, 1])])
def test_two_that_solve_at_once_keep_what_both_find_and_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str, seeds: list[int]
) -> None:
    def meanwhile(solver: Solver) -> Row:
        monkeypatch.undo()
        solve(tmp_path, "mmn-tiny", "--policy", "tracker", "--iterations", "5", "--seed", other)
        return solver.uniform()

    monkeypatch.setattr(Solver, "uniform", meanwhile)
    rows = solve(tmp_path, "mmn-tiny", "--policy", "tracker", "--iterations", "5")
    assert sorted(int(str(row["seed"])) for row in rows) == seeds


@pytest.mark.parametrize("nobody", ["nobody", "uniform"])
def test_a_policy_that_some_game_lacks_is_named_before_anything_is_solved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], nobody: str
) -> None:
    folder = tmp_path / "new"
    assert main(["solve", "mmn-tiny", "--policy", nobody, "--out", str(folder)]) == 2
    assert f"agent={nobody!r}" in capsys.readouterr().err
    arguments = ["mmn-tiny", "umb-tiny", "--policy", "hothead", "--out", str(folder)]
    assert main(["solve", *arguments]) == 2
    assert "agent='hothead': must be a baseline of under_my_bed" in capsys.readouterr().err
    assert not folder.exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["umb-tinny"], "umb-tinny"),
        (["umb-tiny", "--iterations", "0"], "iterations=0"),
        (["umb-tiny", "--train", "-1"], "train=-1"),
        (["umb-tiny", "--seed", "-1"], "seed=-1"),
        (["umb-tiny", "--policy", "nobody"], "nobody"),
    ],
)
def test_a_wrong_argument_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    assert main(["solve", *arguments, "--out", str(tmp_path)]) == 2
    assert named in capsys.readouterr().err
    assert not (tmp_path / command.FILE).exists()


def test_the_published_figures_are_found_again() -> None:
    published = json.loads((DOCS / "reduced_games.json").read_text())["rows"]
    for name in ("mmn-tiny", "umb-tiny"):
        solver = Solver(name, 0)
        rows = {row["policy"]: row for row in published if row["game"] == name}
        player = "tracker" if name == "mmn-tiny" else "honest"
        for row in (solver.uniform(), solver.player(player, player), solver.cfr("dcfr", 1000)):
            expected = rows[row["policy"]]
            assert row["histories"] == expected["histories"]
            assert row["nash_conv"] == pytest.approx(expected["nash_conv"], abs=1e-9)
            np.testing.assert_allclose(row["value"], expected["value"], atol=1e-9)
    assert {row["game"] for row in published} > {"mmn-large", "umb-large"}
    assert "| DCFR, 1,000 iterations |" in page(published)
