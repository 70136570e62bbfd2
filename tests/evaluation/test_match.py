import os
import pickle
import signal
import subprocess
import sys
import time
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.lanes import Played, play
from masked_monsters.evaluation.match import (
    CHUNK,
    evaluate,
    evaluate_pairs,
)
from tests.evaluation.players import Drawing, First, Last, Watching
from tests.games import Case

GAME = get_game("monster_my_neighbor")
SHORT = GAME.with_options(num_players=3, num_rounds=1)


# ---------------------------------------------------------------- deals and seats


def test_lanes_of_the_same_seed_play_the_same_deals_and_others_do_not(name: str) -> None:
    watching = Watching()
    seeds = np.repeat(np.arange(50, dtype=np.uint64), 4)
    play(get_game(name), [watching], np.zeros((200, 4), np.int64), seeds)
    first_views = watching.views[0].reshape(50, 4)
    assert (first_views == first_views[:, :1]).all()
    assert len(np.unique(first_views[:, 0])) > 25


def test_later_rounds_have_the_same_deals_however_the_earlier_ones_were_played() -> None:
    first_hands = [_starters_hands(player) for player in (First(), Last())]
    assert first_hands[0] == first_hands[1]
    assert first_hands[0].keys() == {1, 2, 3, 4, 5}


def _starters_hands(player: Drawing) -> dict[int, list[int]]:
    """By round, the hand of who begins."""
    watching = Watching(player)
    play(GAME, [watching], np.zeros((1, 4), np.int64), np.array([5], np.uint64))
    return {
        int(view["round"]): view["hand"].tolist()
        for (view,) in watching.views
        if view["turns"].sum() == 0
    }


def test_the_agent_plays_every_seat_of_every_deal() -> None:
    agent, everyone = Watching(), Watching()
    evaluate(GAME, agent, First(), matches=40)
    seeds = np.random.SeedSequence(0, spawn_key=(0,)).generate_state(12, np.uint64)[2:]
    play(GAME, [everyone], np.zeros((10, 4), np.int64), seeds)

    def decisions_by_seat(player: Watching) -> list[int]:
        seats = np.concatenate([view["seat"] for view in player.views])
        return np.bincount(seats, minlength=4).tolist()

    assert decisions_by_seat(agent) == decisions_by_seat(everyone)


def test_matches_are_rounded_up_to_whole_deals_and_at_least_two() -> None:
    assert evaluate(GAME, First(), First(), matches=41).matches == 44
    least = evaluate(GAME, First(), First(), matches=1)
    assert (least.deals, least.matches, least.rounds) == (2, 8, 40)


def test_other_opponents_get_the_same_deals() -> None:
    agents = Watching(), Watching()
    evaluate(SHORT, agents[0], First(), matches=400)
    evaluate(SHORT, agents[1], Last(), matches=400)
    first_hands = [agent.views[0]["hand"] for agent in agents]
    assert (first_hands[0] == first_hands[1]).all()


# ---------------------------------------------------------------- what is measured


@pytest.mark.parametrize("players", range(3, 9))
def test_a_player_against_its_copies_gains_nothing_and_shares_the_wins(
    name: str, players: int
) -> None:
    result = evaluate(get_game(name, num_players=players), First(), First(), matches=200)
    assert result.gain.mean == pytest.approx(0, abs=1e-12)
    assert result.gain.half_width == pytest.approx(0, abs=1e-12)
    assert result.win_share.mean == pytest.approx(1 / players)
    assert result.win_share.half_width == pytest.approx(0, abs=1e-12)


def test_equal_players_that_draw_gain_nothing_within_the_interval() -> None:
    results = [evaluate(SHORT, Drawing(), Drawing(), matches=1500, seed=seed) for seed in range(20)]
    held = sum(abs(result.gain.mean) <= result.gain.half_width for result in results)
    assert held >= 17
    assert all(0.25 < result.win_share.mean < 0.42 for result in results)


@pytest.mark.parametrize("players", range(3, 9))
def test_tied_winners_share_alike_whoever_they_are(players: int) -> None:
    for winners in range(1, players + 1):
        score = np.zeros((players, players))
        for match in range(players):
            score[match, [(match + k) % players for k in range(winners)]] = 2.5
        share = Played(score, np.ones(players, np.int64), 0, None).win_share
        assert (share == (score > 0) / winners).all()
        assert share.sum(axis=0) == pytest.approx(np.ones(players))


def test_the_win_share_is_that_of_the_rules() -> None:
    seeds = np.arange(300, dtype=np.uint64)
    drawing = Drawing()
    drawing.reset(0)
    by_vp = play(GAME, [drawing], np.zeros((300, 4), np.int64), seeds)
    drawing.reset(0)
    by_rules = play(GAME.with_options(reward="win"), [drawing], np.zeros((300, 4), np.int64), seeds)
    assert by_vp.win_share - 0.25 == pytest.approx(by_rules.score)
    assert (by_vp.rounds == 5).all()
    assert (by_rules.rounds == 5).all()


def test_the_gains_of_all_seats_add_up_to_nothing(name: str) -> None:
    seating = np.tile([0, 1, 0, 2], (100, 1))
    players = Drawing(), First(), Last()
    for player in players:
        player.reset(3)
    played = play(get_game(name), players, seating, np.arange(100, dtype=np.uint64))
    gains = played.score - played.score.mean(axis=1, keepdims=True)
    assert gains.sum(axis=1) == pytest.approx(np.zeros(100))
    assert played.win_share.sum(axis=1) == pytest.approx(np.ones(100))


def test_the_score_is_the_mean_vp_a_round() -> None:
    result = evaluate(GAME, Drawing(), Drawing(), matches=400)
    assert result.rounds == 5 * result.matches
    assert 0.5 < result.score.mean < 1.5


# ---------------------------------------------------------------- the same numbers again


def test_the_same_seed_gives_the_same_numbers_and_seed_0_is_a_seed(name: str) -> None:
    game = get_game(name)
    results = [evaluate(game, Drawing(), First(), matches=100, seed=seed) for seed in (0, 0, 1, 1)]
    assert results[0] == results[1]
    assert results[2] == results[3]
    assert results[0] != results[2]
    assert evaluate(game, Drawing(), First(), matches=100) == results[0]


def test_the_global_random_numbers_are_neither_used_nor_disturbed() -> None:
    results = []
    for seed in (1, 2):
        np.random.seed(seed)
        before = np.random.get_state()[1].tolist()  # type: ignore[index]  # NumPy's stub allows a dict
        results.append(evaluate(GAME, Drawing(), First(), matches=40))
        assert np.random.get_state()[1].tolist() == before  # type: ignore[index]  # NumPy's stub allows a dict
    assert results[0] == results[1]


def test_1_worker_2_workers_and_4_workers_give_the_same_numbers(name: str, case: Case) -> None:
    players = Drawing(), First(), Last()
    results = [
        evaluate_pairs(
            get_game(name, **{**case.short, "num_players": 3}),
            players,
            [(0, 1), (1, 2)],
            matches=3 * (CHUNK + 10),
            seed=7,
            workers=workers,
        )
        for workers in (1, 2, 4)
    ]
    assert results[0] == results[1] == results[2]


def test_pairs_are_evaluated_as_each_alone() -> None:
    players = Drawing(), First()
    pairs = list(product(range(2), range(2)))
    evaluations = evaluate_pairs(GAME, players, pairs, matches=60, seed=2)
    for (agent, against), found in zip(pairs, evaluations, strict=True):
        alone = evaluate(GAME, players[agent], players[against], matches=60, seed=2)
        assert found == alone


def test_progress_goes_up_to_all_matches() -> None:
    told: list[tuple[int, int]] = []
    evaluate(
        SHORT,
        First(),
        First(),
        matches=3 * (CHUNK + 1),
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[-1] == (3 * (CHUNK + 1), 3 * (CHUNK + 1))
    assert all(earlier < later for earlier, later in pairwise(told))


@pytest.mark.parametrize(
    ("argument", "value"),
    [("matches", 0), ("workers", 0), ("seed", -1), ("seed", 2**64), ("seed", True)],
)
def test_an_argument_out_of_range_is_refused_by_name(argument: str, value: int) -> None:
    arguments: dict[str, Any] = {"matches": 4, argument: value}
    with pytest.raises(ValueError, match=f"{argument}={value}"):
        evaluate(GAME, First(), First(), **arguments)


def test_an_evaluation_can_be_pickled() -> None:
    result = evaluate(GAME, First(), First(), matches=4)
    assert pickle.loads(pickle.dumps(result)) == result


# ---------------------------------------------------------------- processes

SCRIPT = """
import multiprocessing
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.match import evaluate
from tests.evaluation.players import Drawing, First

if __name__ == "__main__":
    multiprocessing.set_start_method({method!r})
    game = get_game("monster_my_neighbor", num_players=3)
    alone = evaluate(game, Drawing(), First(), matches={matches})
    print("warm", flush=True)
    helped = evaluate(
        game, Drawing(), First(), matches={matches}, workers=2
    )
    assert alone == helped
"""


def start_script(folder: Path, method: str, matches: int) -> subprocess.Popen[str]:
    script = folder / "script.py"
    script.write_text(SCRIPT.format(method=method, matches=matches))
    return subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_of_a_warmed_up_parent_play_under_every_start_method(
    tmp_path: Path, method: str
) -> None:
    with start_script(tmp_path, method, 3 * (CHUNK + 1)) as process:
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors


@pytest.mark.slow
def test_an_interrupt_leaves_no_process_behind(tmp_path: Path) -> None:
    with start_script(tmp_path, "spawn", 30_000) as process:
        assert process.stdout
        process.stdout.readline()
        time.sleep(5)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode != 0
    deadline = time.monotonic() + 10
    with pytest.raises(ProcessLookupError):  # noqa: PT012  # it is the loop that must end so
        while time.monotonic() < deadline:
            os.killpg(process.pid, 0)
            time.sleep(0.1)
