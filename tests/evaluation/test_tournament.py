import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.tournament import command, play, store
from masked_monsters.evaluation.tournament.command import FILE, STORE, enter
from masked_monsters.evaluation.tournament.design import CHUNK, Chunk
from masked_monsters.evaluation.tournament.play import Hall, PlayedChunk, play_chunk
from masked_monsters.evaluation.tournament.results import gather
from masked_monsters.evaluation.tournament.store import Store

QUICK = ["--option", "num_rounds=1", "--players", "3", "--matches", "1"]
FOUR = ["random", "hothead", "tracker", "mastermind"]


def run(folder: Path, *arguments: str) -> dict[str, Any]:
    assert main(["tournament", *arguments, "--out", str(folder)]) == 0
    return tables(folder)


def tables(folder: Path) -> dict[str, Any]:
    """All that is found; the command is not a finding."""
    content = json.loads((folder / FILE).read_text())
    assert "masked-monsters tournament" in content.pop("command")
    return content


def hall(seed: int = 0) -> Hall:
    game = get_game("monster_my_neighbor", num_players=3, num_rounds=1)
    return hall_of(game, ["random", "tracker", "hothead"], seed)


def hall_of(game: Game, names: Sequence[str], seed: int = 0) -> Hall:
    return Hall(game, {each.identity: each.policy for each in enter(names, game, False)}, seed)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("players", [3, 4])
def test_every_agent_has_every_seat_and_role_of_a_deal_once(name: str, players: int) -> None:
    game = get_game(name, num_players=players)
    room = hall_of(game, ["random"] * players, 5)
    line_up = tuple(sorted(room.policies))
    found = play_chunk(room, Chunk(line_up, 0))
    results = gather(line_up, [Chunk(line_up, 0)], [found])
    everyone = np.arange(players)
    np.testing.assert_array_equal(
        np.sort(results.agent, axis=2), np.broadcast_to(everyone, results.agent.shape)
    )
    np.testing.assert_array_equal(
        np.sort(results.agent, axis=1), np.broadcast_to(everyone[:, None], results.agent.shape)
    )
    assert len(np.unique(results.agent[:, 0], axis=0)) > 1
    assert len(np.unique(found.deals)) == CHUNK
    if game.roles:
        assert results.role is not None
        for agent in range(players):
            kids = ((results.agent == agent) & (results.role == 0)).sum(axis=(1, 2))
            np.testing.assert_array_equal(kids, 1)


# ---------------------------------------------------------------- the same results


def test_a_chunk_comes_out_the_same_whatever_was_played_before() -> None:
    line_up = ("hothead", "random", "tracker")
    room = hall()
    first = play_chunk(room, Chunk(line_up, 0))
    other = play_chunk(room, Chunk(line_up, 1))
    again = play_chunk(hall(), Chunk(line_up, 0))
    np.testing.assert_array_equal(first.played.score, again.played.score)
    np.testing.assert_array_equal(first.seating, again.seating)
    assert not np.array_equal(first.deals, other.deals)
    assert not np.array_equal(first.deals, play_chunk(hall(1), Chunk(line_up, 0)).deals)


def test_two_workers_find_what_one_finds(tmp_path: Path) -> None:
    one = run(tmp_path / "one", *FOUR, *QUICK)
    assert run(tmp_path / "two", *FOUR, *QUICK, "--workers", "2") == one


def test_neither_order_nor_names_of_the_agents_change_anything(tmp_path: Path) -> None:
    one = run(tmp_path / "one", *FOUR, *QUICK)
    renamed = [f"{name[::-1]}={name}" for name in reversed(FOUR)]
    other = run(tmp_path / "two", *renamed, *QUICK)
    for table in (one["scores"], one["seats"], *one["ratings"].values()):
        assert table
    assert [{**row, "agent": row["agent"][::-1]} for row in reversed(other["scores"])] == one[
        "scores"
    ]
    for kind, rows in one["ratings"].items():
        assert [
            {**row, "agent": row["agent"][::-1]} for row in reversed(other["ratings"][kind])
        ] == rows
    for part, rows in one["cross_table"].items():
        assert [row[::-1] for row in other["cross_table"][part][::-1]] == rows
    assert other["calibration"] == one["calibration"]


def test_an_interrupted_tournament_goes_on_and_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run(tmp_path / "whole", *FOUR, *QUICK)
    played: list[Chunk] = []

    def twice_only(room: Hall, chunk: Chunk) -> PlayedChunk:
        if len(played) % 3 == 2:
            played.append(chunk)
            raise KeyboardInterrupt
        played.append(chunk)
        return play_chunk(room, chunk)

    monkeypatch.setattr(command, "play_chunk", twice_only)
    parts = tmp_path / "parts"
    assert main(["tournament", *FOUR, *QUICK, "--out", str(parts)]) == 130
    assert not (parts / FILE).exists()
    assert run(parts, *FOUR, *QUICK) == expected
    assert len(set(played)) == len(played) - 1 == 4
    assert run(parts, *FOUR, *QUICK) == expected
    assert len(played) == 5


def test_a_tournament_that_is_extended_is_one_that_was_so_from_the_start(tmp_path: Path) -> None:
    run(tmp_path / "grown", *FOUR[:3], *QUICK)
    run(tmp_path / "grown", *FOUR[:3], *QUICK[:-1], "200")
    before = rows(tmp_path / "grown")
    grown = run(tmp_path / "grown", *FOUR, *QUICK[:-1], "200")
    assert grown == run(tmp_path / "whole", *FOUR, *QUICK[:-1], "200")
    after = rows(tmp_path / "grown")
    assert before.items() < after.items()


def rows(folder: Path) -> dict[tuple[str, int], tuple[Any, ...]]:
    with sqlite3.connect(folder / STORE) as database:
        return {row[:2]: row[2:] for row in database.execute("SELECT * FROM matches")}


def test_a_store_keeps_tournaments_of_other_settings_apart(tmp_path: Path) -> None:
    one = run(tmp_path, *FOUR, *QUICK)
    other = run(tmp_path, *FOUR, *QUICK, "--seed", "1")
    four = run(tmp_path, *FOUR, "--option", "num_rounds=1", "--matches", "1")
    assert one["scores"] != other["scores"] != four["scores"]
    assert run(tmp_path, *FOUR, *QUICK) == one


def test_a_chunk_is_stored_once_and_read_as_it_was(tmp_path: Path) -> None:
    room = hall()
    game = get_game("under_my_bed", num_players=3)
    bed = Hall(
        game,
        {each.identity: each.policy for each in enter(["random", "honest", "mimic"], game, False)},
        0,
    )
    with Store(tmp_path / STORE) as store, Store(tmp_path / STORE) as beside:
        for each in (room, bed):
            chunk = Chunk(tuple(sorted(each.policies)), 0)
            found = play_chunk(each, chunk)
            store.add(each.setting, chunk, found)
            beside.add(each.setting, chunk, found)
            read = beside.read(each.setting, chunk)
            np.testing.assert_array_equal(read.deals, found.deals)
            np.testing.assert_array_equal(read.seating, found.seating)
            np.testing.assert_array_equal(read.played.score, found.played.score)
            np.testing.assert_array_equal(read.played.rounds, found.played.rounds)
            assert read.played.decisions == found.played.decisions
            if each is bed:
                assert read.played.roles is not None
                assert found.played.roles is not None
                for ours, theirs in zip(read.played.roles, found.played.roles, strict=True):
                    np.testing.assert_array_equal(ours, theirs)
        assert len(store.keys()) == 2
    assert len(rows(tmp_path)) == 2 * CHUNK * 3


def test_what_is_no_store_is_refused_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / STORE).write_text("my diary, " * 100)
    assert main(["tournament", *FOUR, *QUICK, "--out", str(tmp_path)]) == 2
    assert "is not a store of matches" in capsys.readouterr().err
    assert (tmp_path / STORE).read_text().startswith("my diary")


def test_a_store_that_cannot_be_had_is_named_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "SECONDS", 0.1)
    (tmp_path / "a" / STORE).mkdir(parents=True)
    assert main(["tournament", *FOUR, *QUICK, "--out", str(tmp_path / "a")]) == 2
    assert f"{STORE}: unable to open database file" in capsys.readouterr().err
    run(tmp_path / "b", *FOUR, *QUICK)
    with closing(sqlite3.connect(tmp_path / "b" / STORE, isolation_level=None)) as other:
        for lock, seed in (("EXCLUSIVE", "0"), ("IMMEDIATE", "1")):  # met on opening, on adding
            other.execute(f"BEGIN {lock}")
            arguments = [*FOUR, *QUICK, "--seed", seed, "--out", str(tmp_path / "b")]
            assert main(["tournament", *arguments]) == 2
            assert f"{STORE}: database is locked" in capsys.readouterr().err
            other.execute("ROLLBACK")


@pytest.mark.slow
def test_a_tournament_that_is_killed_twice_finds_what_an_undisturbed_one_does(
    tmp_path: Path,
) -> None:
    arguments = [*FOUR, "--matches", "20000", "--workers", "2"]
    code = (
        "import sys; from masked_monsters.evaluation.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    call = [sys.executable, "-c", code, "tournament", *arguments, "--out", str(tmp_path / "killed")]
    seen = 0
    for _ in range(2):
        process = subprocess.Popen(call)
        while (now := count(tmp_path / "killed")) <= seen + 2:
            assert process.poll() is None, "over before it could be killed"
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        seen = now
    assert not (tmp_path / "killed" / FILE).exists()
    expected = run(tmp_path / "whole", *arguments)
    assert run(tmp_path / "killed", *arguments) == expected


def count(folder: Path) -> int:
    if not (folder / STORE).exists():
        return 0
    try:
        with sqlite3.connect(folder / STORE) as database:
            return database.execute("SELECT count(*) FROM chunks").fetchone()[0]
    except sqlite3.OperationalError:  # no table yet
        return 0


# ---------------------------------------------------------------- the tables


def test_gains_of_a_table_add_up_to_nothing(tmp_path: Path) -> None:
    found = run(tmp_path, *FOUR, *QUICK)
    assert found["matches"] == len(rows(tmp_path)) == 4 * 3 * CHUNK
    weighted = sum(row["gain"]["mean"] * row["matches"] for row in found["scores"])
    assert weighted == pytest.approx(0, abs=1e-9)
    shares = sum(row["win_share"]["mean"] * row["matches"] for row in found["scores"])
    assert shares == pytest.approx(found["matches"])
    assert [len(row) for row in found["cross_table"]["mean"]] == [4] * 4


@pytest.mark.parametrize("players", range(3, 9))
def test_players_who_all_play_alike_are_rated_alike(tmp_path: Path, players: int) -> None:
    arguments = ["--option", "num_rounds=1", "--players", str(players), "--matches", "300"]
    found = run(tmp_path, *["random"] * 3, *arguments)
    assert [row["agent"] for row in found["scores"]] == ["random", "random (2)", "random (3)"]
    for row in found["scores"]:
        assert abs(row["gain"]["mean"]) < 2 * row["gain"]["half_width"]
        assert abs(row["win_share"]["mean"] - 1 / players) < 2 * row["win_share"]["half_width"]
    for row in found["ratings"]["bradley_terry"]:
        assert abs(row["rating"]) < row["high"] - row["low"]


def test_by_role_the_kid_and_the_monsters_share_every_match(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        "random",
        "honest",
        "trickster",
        "--game",
        "under_my_bed",
        "--players",
        "3",
        "--matches",
        "1",
    )
    kids = sum(row["win"]["mean"] for row in found["roles"] if row["role"] == "kid") / 3
    monsters = sum(row["win"]["mean"] for row in found["roles"] if row["role"] == "monster") / 3
    assert kids + monsters == pytest.approx(1)
    assert sum(row["part"]["mean"] for row in found["outcomes"]) == pytest.approx(1)
    ways = {row["outcome"]: row["part"]["mean"] for row in found["outcomes"]}
    won_by_kid = ways["wrong_accusal"] + ways["checked_right"] + ways["time"]
    assert kids == pytest.approx(won_by_kid)


# ---------------------------------------------------------------- the arguments


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["random"], "agents=random"),
        (["random", "nobody"], "nobody"),
        (["=random", "tracker"], "agent='=random': must have a name"),
        (["a\nb=random", "tracker"], "can be printed, not 'a\\nb'"),
        (["a\udc80=random", "tracker"], "can be printed, not 'a\\udc80'"),
        (["x=random", "x=tracker", "x (2)=hothead"], "'x (2)' is given twice"),
        (["random", "tracker", "--matches", "0"], "matches=0"),
        (["random", "tracker", "--seed", "-1"], "seed=-1"),
        (["random", "tracker", "--workers", "0"], "workers=0"),
    ],
)
def test_a_wrong_argument_is_named_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    assert main(["tournament", *arguments, "--out", str(tmp_path / "new")]) == 2
    assert named in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_names_are_shown_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "<b>[red]Ünï'\"; DROP TABLE matches;--"
    found = run(tmp_path, f"{name}=random", "tracker", *QUICK)
    assert found["agents"][0]["name"] == name
    assert "DROP TABLE" in capsys.readouterr().out
    assert len(rows(tmp_path)) == found["matches"]


def test_a_chunks_matches_depend_on_the_seed_and_its_own_place_only() -> None:
    assert play.key_of("a", Chunk(("x", "y"), 0)) != play.key_of("a", Chunk(("x", "y"), 1))
    assert play.key_of("a", Chunk(("x", "y"), 0)) != play.key_of("b", Chunk(("x", "y"), 0))
