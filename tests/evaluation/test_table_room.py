"""How many tables a server keeps: those that are over make room, all others do not."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.table import tables as module
from masked_monsters.evaluation.table.command import agent_of
from masked_monsters.evaluation.table.tables import Tables
from tests.evaluation.table_server import WISH, Person, Server, ask, play_to_the_end, serving


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(most=3) as running:
        yield running


def opened(server: Server, status: int = 200, **change: Any) -> dict[str, Any]:
    found, body = ask(server, "api/tables", {**WISH, **change})
    assert found == status, body
    return json.loads(body)


def leave(server: Server, person: Person, token: str) -> None:
    """The connection is gone, and the server has seen that it is."""
    person.socket.close()
    table, _ = server.tables.find(token)
    while not table.is_left_alone(0):
        time.sleep(0.01)


def test_any_number_of_matches_can_be_played_one_after_the_other(server: Server) -> None:
    first = opened(server)["seats"][0]  # nobody comes
    for seed in range(7):
        token = opened(server)["seats"][0]
        person = Person(server, token)
        play_to_the_end(person, seed)
        leave(server, person, token)
    server.tables.find(first)


def test_what_is_played_awaited_or_looked_at_does_not_go(server: Server) -> None:
    awaited = opened(server)["seats"][0]
    token = opened(server)["seats"][0]
    looked_at = Person(server, token)
    play_to_the_end(looked_at, 0)
    playing = Person(server, opened(server, players=["person"] * 3)["seats"][0])
    playing.hear_until("welcome")
    playing.socket.close()
    error = opened(server, 400)["error"]
    assert "3 already" in error
    assert "30 minutes" in error
    leave(server, looked_at, token)
    assert opened(server)["people"] == [0]
    server.tables.find(awaited)
    assert "closed" in Person(server, token).hear()["message"]


def test_of_those_that_are_over_the_one_left_longest_goes_first(server: Server) -> None:
    tokens = [opened(server)["seats"][0] for _ in range(3)]
    people = [Person(server, token) for token in tokens]
    for person in people:
        play_to_the_end(person, 1)
    for place in (1, 0, 2):
        leave(server, people[place], tokens[place])
    for place in (1, 0, 2):
        server.tables.find(tokens[place])
        opened(server)
        assert Person(server, tokens[place]).hear()["type"] == "closed"


def test_only_so_many_agents_stay_loaded(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    loaded = []

    def load(spec: str, game: Any) -> Any:
        loaded.append((spec, game.num_players))
        return agent_of(spec, game)

    tables = Tables(load)
    for size in (3, 4, 3, 5, 3):
        tables.make(get_game(name, num_players=size), ["random"] * size)
    assert loaded == [("random", 3), ("random", 4), ("random", 5), ("random", 3)]
    tables.pool.shutdown()
