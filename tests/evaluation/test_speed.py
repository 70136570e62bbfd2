"""``masked-monsters speed``: what is measured and said of it, never how fast it was."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.engine.random import GENERATOR
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.speed import ours, peers
from masked_monsters.evaluation.speed.compare import compare, ratios
from masked_monsters.evaluation.speed.draw import draw_all, draw_one
from masked_monsters.evaluation.speed.measure import Measurement, Sample, cache_of, measure
from masked_monsters.evaluation.speed.plan import KINDS
from masked_monsters.evaluation.speed.worker import Worker

SHORT = "--repeats", "1", "--seconds", "0.001"


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ours, "CHUNK", 1000)
    monkeypatch.setattr(peers, "CHUNK", 20)


def measured(tmp_path: Path, *arguments: str) -> list[dict[str, Any]]:
    """The rows that the command writes."""
    file = tmp_path / "speed.json"
    assert main(["speed", *SHORT, "--out", str(file), *arguments]) == 0
    return json.loads(file.read_text("utf-8"))["rows"]


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["speed", *SHORT, *arguments]) == 2
    return capsys.readouterr().err


def told(rows: Sequence[dict[str, Any]], *facts: str) -> set[tuple[Any, ...]]:
    return {tuple(row[fact] for fact in facts) for row in rows}


# ---------------------------------------------------------------- our own rows


def test_compiled_play_is_measured_by_players_lanes_and_threads_with_and_without_observations(
    name: str, tmp_path: Path
) -> None:
    rows = measured(tmp_path, "--game", name, "--only", "compiled")
    assert rows.pop(0)["kind"] == "calibration"
    assert rows.pop()["subject"] == f"{name}, the view alone"
    assert told(rows, "kind", "subject", "unit") == {("compiled", name, "decisions/s")}
    size = get_game(name).compact_size
    for lanes in (1, 64, 1024, 16384):
        assert (4, lanes, 1, size) in told(rows, "players", "lanes", "threads", "observation_bytes")
    for players in range(3, 9):
        for size in (0, get_game(name, num_players=players).compact_size):
            assert (players, size) in told(rows, "players", "observation_bytes")
    assert {1, 2} == {row["threads"] for row in rows}
    for row in rows:
        assert row["buffer_bytes"] > row["lanes"] * row["observation_bytes"]
        assert len(row["samples"]) == 1
        assert row["low"] == row["median"] == row["high"] == row["samples"][0]["value"] > 0


def test_the_compiled_loop_plays_as_a_batch_does_and_writes_what_the_deciding_seat_sees(
    name: str,
) -> None:
    game = get_game(name)
    loops = ours.loops(game)
    states, generators, views, observations, masks = ours.arrays(game, 8, True, seed=3)
    batch = Batch(game, 8, seed=states["stream"].copy())
    drawn, actions = generators.copy(), np.zeros(8, np.int64)
    loops.start_all(states)
    assert loops.play(states, generators, views, observations, masks, 500) == 8 * 500
    ends = 0
    for step in range(500):
        draw_all(batch.action_mask, drawn, actions)
        if step == 499:
            assert (masks == batch.action_mask).all()
            assert (observations.view(np.int8).reshape(8, -1) == batch.observation).all()
        batch.step(actions)
        ends += int(batch.done.sum())
    assert ends > 8
    assert (states["stream"] == batch.states["stream"]).all()
    assert (states == batch.states).all()


def test_without_observations_none_are_written_and_the_same_is_played(name: str) -> None:
    game = get_game(name)
    seen, blind = (ours.arrays(game, 4, observed, seed=1) for observed in (True, False))
    for arrays in (seen, blind):
        ours.loops(game).start_all(arrays[0])
        ours.loops(game).play(*arrays, 200)
    assert (seen[0] == blind[0]).all()
    assert blind[3].size == 0


def test_every_legal_action_is_drawn_alike_and_no_other() -> None:
    mask, generators = np.array([0, 1, 0, 1, 1, 0], np.int8), np.zeros(1, GENERATOR)
    drawn = np.bincount([draw_one(mask, generators) for _ in range(3000)], minlength=6)
    assert (drawn[mask == 0] == 0).all()
    assert (abs(drawn[mask == 1] - 1000) < 130).all()  # five standard deviations


def test_batch_and_environment_are_measured_with_their_observation(
    name: str, tmp_path: Path
) -> None:
    rows = measured(tmp_path, "--game", name, "--only", "batch", "aec")
    assert told(rows, "kind", "lanes") >= {("batch", 1024), ("aec", 1)}
    size = get_game(name).compact_size
    assert {row["observation_bytes"] for row in rows if row["subject"] == name} == {size}


def test_memory_is_that_of_a_match_and_of_a_hundred_thousand(name: str, tmp_path: Path) -> None:
    rows = measured(tmp_path, "--game", name, "--only", "memory")
    sizes = {row["subject"]: row["median"] for row in rows if row["unit"] == "bytes"}
    one = sizes.pop(f"{name}: a game in progress")
    assert one == get_game(name).state.itemsize
    assert all(size > 100_000 * one for size in sizes.values())


@pytest.mark.slow
def test_starts_are_measured_in_fresh_processes_the_cold_one_once(
    name: str, tmp_path: Path
) -> None:
    rows = measured(tmp_path, "--game", name, "--only", "start", "--repeats", "2")
    seconds = {row["subject"]: row for row in rows if row["unit"] == "seconds"}
    imported, first, cold = (seconds[key] for key in seconds)
    assert imported["median"] < first["median"] < cold["median"]
    assert [len(row["samples"]) for row in (imported, first, cold)] == [2, 2, 1]


def test_rows_of_bytes_are_written_into_a_cache_and_into_main_memory(tmp_path: Path) -> None:
    rows = measured(tmp_path, "--only", "rows")[1:]
    shared = [row for row in rows if row["threads"] == 2]
    assert told(shared, "unit", "observation_bytes") == {("steps/s", 0), ("rows/s", 256)}
    rows = [row for row in rows if row["threads"] == 1]
    assert told(rows, "kind", "unit") == {("rows", "rows/s")}
    assert len({row["buffer_bytes"] for row in rows}) == 2
    assert len({row["observation_bytes"] for row in rows}) == len(rows) / 2


# ---------------------------------------------------------------- the run


def test_every_repeat_runs_every_measurement_once_in_turn() -> None:
    order: list[str] = []

    def named(subject: str, once: bool = False) -> Measurement:
        def prepare() -> Any:
            order.append(f"prepare {subject}")
            return lambda seconds: order.append(subject) or Sample(len(order), 1.0, 0.5)

        return Measurement("rows", subject, prepare, unit="rows/s", once=once)

    rows = measure([named("a"), named("b", once=True)], 3, 1.0, lambda done, total: None)
    assert order == ["prepare a", "a", "prepare b", "a", "b", "a", "a"]
    assert (rows[0]["low"], rows[0]["median"], rows[0]["high"]) == (4, 6, 7)
    assert rows[0]["per_cpu_second"] == 12
    assert len(rows[1]["samples"]) == 1


def test_names_tell_all_measurements_apart(tmp_path: Path) -> None:
    rows = [*ours.of_machine(), *(row for name in GAMES for row in ours.of_game(name))]
    assert len({row.name for row in rows}) == len(rows)
    assert {row.kind for row in rows} == {*KINDS, "calibration"} - peers.PEERS.keys()


def test_the_table_says_what_was_measured_on_what(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    name, file = next(iter(GAMES)), tmp_path / "speed.json"
    arguments = "--game", name, "--only", "batch", "--no-peers", "--out", str(file)
    assert main(["speed", *SHORT, *arguments]) == 0
    text = capsys.readouterr().out
    content = json.loads(file.read_text("utf-8"))
    assert content["format"] == 1
    assert content["skipped"] == []
    conditions = content["conditions"]
    assert conditions["versions"].keys() >= {"masked-monsters", "numpy", "numba", "pettingzoo"}
    for words in (
        "Batch.step",
        name,
        f"{get_game(name).compact_size:,} B",
        "decisions/s",
        conditions["processor"],
        f"numba {conditions['versions']['numba']}",
        "Median of 1 repeats of 0.001 s each",
    ):
        assert words in text


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_a_picture_is_drawn(tmp_path: Path, suffix: str) -> None:
    picture = tmp_path / f"speed{suffix}"
    measured(tmp_path, "--only", "rows", "compiled", "--plot", str(picture), "--game", *GAMES)
    head = picture.read_bytes()[:200]
    assert b"PNG" in head or b"<?xml" in head


@pytest.mark.parametrize(
    ("size", "cache"), [(100, "L1"), (101, "L2"), (1001, "memory"), (None, None)]
)
def test_a_buffer_s_cache_is_the_smallest_that_holds_it(size: int | None, cache: str) -> None:
    assert cache_of(size, {"L1": 100, "L2": 1000}) == cache
    assert cache_of(size, {}) is None


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--repeats", "0"), "repeats=0"),
        (("--seconds", "0"), "seconds=0.0"),
        (("--seconds", "nan"), "seconds=nan"),
        (("--plot", "speed.gif"), "plot=speed.gif"),
        (("--plot", "no/folder/speed.png"), "plot=no/folder/speed.png"),
        (("--out", "no/folder/speed.json"), "out=no/folder/speed.json"),
        (("--compare", "no/folder/speed.json"), "no/folder/speed.json"),
        (("--compare", "pyproject.toml"), "compare=pyproject.toml"),
    ],
)
def test_a_bad_option_is_refused_by_name_before_anything_is_measured(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    named: str,
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    monkeypatch.setattr("masked_monsters.evaluation.speed.command.measure", None)
    assert named in error_of(capsys, *arguments)


def test_an_unknown_kind_or_game_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--only", "--game"):
        with pytest.raises(SystemExit, match="2"):
            main(["speed", option, "chess"])
        assert "chess" in capsys.readouterr().err


# ---------------------------------------------------------------- comparing with a stored run


def row(kind: str, values: Sequence[float], **facts: Any) -> dict[str, Any]:
    """A row as the JSON file has it, of so much a CPU second and twice the wall-clock time."""
    usual = {"subject": "game", "players": 4, "lanes": 1024, "threads": 1, "observation_bytes": 0}
    samples = [{"value": value / 2, "wall": 1.0, "cpu": 0.5} for value in values]
    described = {"kind": kind, **usual, **facts}
    return {"name": " ".join(map(str, described.values())), **described, "samples": samples}


PLAIN = row("calibration", [100, 100])


def test_each_ratio_is_that_of_its_repeats() -> None:
    seen = row("compiled", [200, 300], observation_bytes=50)
    blind = row("compiled", [800, 900])
    twice = row("compiled", [1600, 900], threads=2)
    eight = row("compiled", [400, 450], players=8)
    peer = row("rlcard", [20, 10], subject="uno", observation_bytes=9)
    other = row("rlcard", [1, 1], subject="uno")
    found = ratios([PLAIN, seen, blind, twice, eight, peer, other])
    for above, relation, values in (
        (seen, "to the plain loop", (2.5, 2, 3)),
        (seen, "to no observation", (7 / 24, 1 / 4, 1 / 3)),
        (twice, "to 1 thread", (1.5, 1, 2)),
        (eight, "to 4 players", (0.5, 0.5, 0.5)),
        (seen, f"to {peer['name']}", (20, 10, 30)),
    ):
        assert found.pop(f"{above['name']}: {relation}") == pytest.approx(values)
    assert {name.partition(": ")[2] for name in found} == {"to the plain loop"}


def test_rates_are_by_cpu_time_but_threads_are_compared_by_the_clock() -> None:
    one, two = row("compiled", [100]), row("compiled", [100], threads=2)
    two["samples"][0]["cpu"] = 1.0  # both threads were busy
    plain = row("calibration", [100])
    found = ratios([plain, one, two])
    assert found[f"{two['name']}: to 1 thread"][0] == 1
    assert found[f"{two['name']}: to the plain loop"][0] == 0.5


def test_environments_are_compared_with_pettingzoo_s() -> None:
    env = row("aec", [10, 10], observation_bytes=50)
    peer = row("pettingzoo", [5, 5], observation_bytes=9)
    assert ratios([env, peer]) == {f"{env['name']}: to {peer['name']}": (2, 2, 2)}


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        ([300, 320], ""),
        ([100, 250], ""),
        ([100, 199], "lower"),
        ([401, 500], "higher"),
        ([399, 500], ""),
    ],
)
def test_a_ratio_is_marked_if_its_spread_lies_outside_the_stored_one(
    now: list[float], verdict: str
) -> None:
    stored = [PLAIN, row("compiled", [200, 400])]
    [comparison] = compare([PLAIN, row("compiled", now)], stored)
    assert comparison.verdict == verdict


def test_only_ratios_that_both_runs_have_are_compared() -> None:
    stored = [PLAIN, row("compiled", [1, 1]), row("batch", [1, 1])]
    now = [PLAIN, row("compiled", [1, 1]), row("aec", [1, 1])]
    [comparison] = compare(now, stored)
    assert comparison.name == f"{stored[1]['name']}: to the plain loop"


def test_compare_prints_and_never_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, only = tmp_path / "stored.json", ("--only", "batch")
    assert main(["speed", *SHORT, *only, "--out", str(file)]) == 0
    content = json.loads(file.read_text("utf-8"))
    for stored in content["rows"]:
        if stored["kind"] == "batch":
            stored["samples"][0]["value"] *= 1e6
    file.write_text(json.dumps(content), "utf-8")
    capsys.readouterr()
    game = next(iter(GAMES))
    assert main(["speed", *SHORT, *only, "--game", game, "--compare", str(file)]) == 0
    text = capsys.readouterr().out
    batches, games = len(ours.BATCHES), len(GAMES)
    assert text.count("lower") == batches + 1  # once in the heading
    assert f"{batches} of {batches} ratios lie outside" in text
    assert f"{batches * (games - 1)} stored ones were not measured now" in text


# ---------------------------------------------------------------- peers


def test_absent_peers_are_skipped_by_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda module: None)
    assert main(["speed", *SHORT, "--only", *peers.PEERS]) == 0
    text = capsys.readouterr().out
    for kind, peer in peers.PEERS.items():
        assert f"{kind}: skipped, {', '.join(peer.modules)} not installed" in text
    assert "masked-monsters[peers]" in text


def test_no_peers_are_looked_for_unless_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speed", *SHORT, "--no-peers", "--only", *peers.PEERS]) == 0
    assert "skipped" not in capsys.readouterr().out


def test_openspiel_s_program_is_skipped_if_it_is_not_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda module: module)
    monkeypatch.setattr(peers, "PLAYOUT", tmp_path / "playout")
    assert "make openspiel" in str(peers.missing("openspiel-c++"))
    (tmp_path / "playout").touch()
    assert peers.missing("openspiel-c++") is None


@pytest.mark.filterwarnings("default")  # peers are as they are
@pytest.mark.parametrize(
    ("kind", "games"),
    [
        ("openspiel", peers.OPENSPIEL),
        ("openspiel-c++", peers.OPENSPIEL),
        pytest.param("pgx", peers.PGX, marks=pytest.mark.slow),
        ("rlcard", peers.RLCARD),
        ("pettingzoo", peers.PETTINGZOO),
    ],
)
def test_peers_are_measured_with_their_observation(
    kind: str, games: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "PGX_LANES", (4,))
    if why := peers.missing(kind):
        pytest.skip(why)
    rows = measured(tmp_path, "--only", kind)[1:]
    assert {row["subject"] for row in rows if row["observation_bytes"] > 0} == set(games)
    assert len({row["name"] for row in rows}) == len(rows)


@pytest.mark.slow
def test_the_sizes_of_pgx_s_observations_are_as_written_down() -> None:
    jax = pytest.importorskip("jax")  # of the extra "peers", as Pgx is
    pgx_play = pytest.importorskip("masked_monsters.evaluation.speed.pgx_play")
    for game, (players, size) in peers.PGX.items():
        env = pgx_play.make(game)
        shape = jax.eval_shape(env.init, jax.random.PRNGKey(0)).observation
        assert (env.num_players, shape.size * shape.dtype.itemsize) == (players, size)


ANSWERING = "import sys\nfor line in sys.stdin: print(len(line.split()), 2.0, 0.5, flush=True)"


def test_a_worker_s_rate_is_what_it_counted_by_the_clock() -> None:
    with Worker(sys.executable, "-c", ANSWERING) as worker:
        assert worker.ask("a b", 1.0) == Sample(1.5, 2.0, 0.5)


@pytest.mark.parametrize("program", ["input(); print('error no such game')", "input()"])
def test_a_worker_that_fails_is_an_error_with_its_words(program: str) -> None:
    with (
        Worker(sys.executable, "-c", program) as worker,
        pytest.raises(OSError, match=r"chess: (error no such game|no answer)"),
    ):
        worker.ask("chess", 1.0)
