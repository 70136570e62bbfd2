"""Replays on the page: what is sent of one, and what is refused."""

import json
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.replay import Replay, as_text, play_back, record
from masked_monsters.evaluation.retell import retell
from masked_monsters.evaluation.table import replays
from masked_monsters.evaluation.table.analysis import analyse
from masked_monsters.evaluation.table.film import film
from masked_monsters.evaluation.table.replays import MAX_REPLAY
from masked_monsters.evaluation.table.seen import PUBLIC, seen_by
from tests.evaluation.table_server import Server, ask, serving

both_games = pytest.mark.parametrize("name", GAMES)


@cache
def match(name: str, num_players: int = 4) -> Replay:
    game = get_game(name, num_players=num_players)
    player = baselines(game)[-1]
    return record(game, [load_agent(player, game) for _ in range(num_players)], seed=3)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(shown=as_text(match("under_my_bed")).encode()) as running:
        yield running


# ---------------------------------------------------------------- the film


@both_games
@pytest.mark.parametrize("num_players", [3, 8])
def test_every_frame_shows_each_eye_what_it_sees(name: str, num_players: int) -> None:
    replay, game = match(name, num_players), get_game(name, num_players=num_players)
    frames = film(replay)["frames"]
    positions = [step.after for step in play_back(replay) if step.after["phase"][0] != CHANCE]
    assert len(frames) == len(positions)
    for frame, states in zip(frames, positions, strict=True):
        assert frame["god"] == game.words.god_view(states[0])
        for shown, eye in zip(frame["eyes"], (*range(num_players), PUBLIC), strict=True):
            seen = seen_by(game, states, eye)
            assert (shown["view"], shown["own"], frame["table"]) == (
                seen["view"],
                seen["own"],
                seen["table"],
            )


@both_games
@pytest.mark.parametrize("seat", [None, 0, 2])
def test_each_eye_is_told_what_retelling_tells_it(name: str, seat: int | None) -> None:
    replay = match(name)
    index = len(replay.players) if seat is None else seat
    news = [each for frame in film(replay)["frames"] for each in frame["eyes"][index]["news"]]
    lines = [line.strip() for line in retell(replay, seat=seat)]
    assert [line for line in lines if line in set(news)] == news


@both_games
def test_acts_are_shown_to_those_who_see_them(name: str) -> None:
    replay = match(name)
    actions = [event for event in replay.events if "action" in event]
    first, *frames = film(replay)["frames"]
    assert first["act"] is None
    assert [frame["act"] for frame in frames] == actions
    for frame in frames:
        for seat, eye in enumerate(frame["eyes"]):
            assert eye["act"] is None or eye["act"]["seat"] == frame["act"]["seat"]
            assert eye["act"] is None or eye["act"]["action"] in (None, frame["act"]["action"])
            if seat == frame["act"]["seat"]:
                assert eye["act"] == frame["act"]
    watched = [frame["eyes"][-1]["act"] for frame in frames]
    assert any(act is None or act["action"] is None for act in watched)  # a card given, a vote


# ---------------------------------------------------------------- the page's requests


@both_games
def test_the_page_is_sent_the_film_and_the_analysis(server: Server, name: str) -> None:
    replay = match(name)
    status, body = ask(server, "api/film", as_text(replay).encode())
    assert (status, json.loads(body)) == (200, json.loads(json.dumps(film(replay))))
    if name == "under_my_bed":  # the other game's takes some ten seconds
        status, body = ask(server, "api/analysis", as_text(replay).encode())
        assert status == 200
        found = [json.loads(line) for line in body.splitlines()]
        assert found == json.loads(json.dumps(list(analyse(replay))))


def test_the_replay_that_the_server_was_started_with_is_sent(server: Server) -> None:
    assert ask(server, "api/replay") == (200, as_text(match("under_my_bed")).encode())


def test_a_server_without_a_replay_says_so() -> None:
    with serving() as other:
        status, body = ask(other, "api/replay")
    assert status == 404
    assert "without a replay" in json.loads(body)["error"]


def changed(**content: Any) -> bytes:
    return as_text(replace(match("under_my_bed"), **content)).encode()


@pytest.mark.parametrize("path", ["api/film", "api/analysis"])
@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 5000, "not JSON"),
        (b"[]", "not a replay"),
        (b" " * (MAX_REPLAY + 1), f"at most {MAX_REPLAY}"),
        (changed(players=["a"]), "players: must be 4"),
        (changed(options={"num_players": 4, "cards": 3}), "options"),
        (changed(game="chess"), "chess"),
        (changed(game_version=7), "game_version=7"),
        (changed(game_version=7, package_version="\ud800"), "game_version=7"),
        (changed(options={"\ud800": 1}), "options"),
    ],
)
def test_what_is_no_replay_is_refused_by_name(
    server: Server, path: str, body: bytes, named: str
) -> None:
    status, answer = ask(server, path, body)
    assert status == 400
    assert named in json.loads(answer)["error"]


def test_what_does_not_fit_the_rules_is_refused_where_it_does_not(server: Server) -> None:
    events = match("under_my_bed").events
    for wrong, named in [
        (events[:-1], f"event {len(events) - 1} is missing"),
        ([*events, {"chance": 0}], f"event {len(events)}: the match is over"),
        ([{"action": 0, "seat": 0}, *events], "event 0: chance decides here"),
    ]:
        status, body = ask(server, "api/film", changed(events=wrong))
        assert status == 400
        assert named in json.loads(body)["error"]
        status, body = ask(server, "api/analysis", changed(events=wrong))
        assert named in json.loads(body.splitlines()[-1])["error"]


def test_a_page_that_is_closed_while_it_is_sent_an_analysis_ends_it(server: Server) -> None:
    text = as_text(match("monster_my_neighbor")).encode()
    host, port = server.host.split(":")
    head = (
        f"POST /api/analysis HTTP/1.1\r\nHost: {server.host}\r\nContent-Length: {len(text)}\r\n\r\n"
    )
    for _ in range(3):
        with socket.create_connection((host, int(port))) as page:
            page.sendall(head.encode() + text)
            assert page.recv(100).startswith(b"HTTP/1.1 200")
    assert ask(server, "api/choices")[0] == 200


def test_of_all_analyses_one_thinks_at_a_time(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinking: list[int] = []
    at_once: list[int] = []

    def analyse_slowly(*_: Any, **__: Any) -> Iterator[dict[str, Any]]:
        for decision in range(5):
            thinking.append(decision)
            at_once.append(len(thinking))
            time.sleep(0.02)
            thinking.pop()
            yield {"decision": decision}

    monkeypatch.setattr(replays, "analyse", analyse_slowly)
    text = as_text(match("under_my_bed")).encode()
    with ThreadPoolExecutor(4) as pages:
        answers = list(pages.map(lambda _: ask(server, "api/analysis", text), range(4)))
    assert [len(body.splitlines()) for _, body in answers] == [5] * 4
    assert at_once == [1] * 20
