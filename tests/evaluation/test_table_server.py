"""The table's server, over real connections: who is told what, and what cannot be done."""

import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from masked_monsters.envs.registry import GAMES
from masked_monsters.evaluation.replay import play_back, read
from masked_monsters.evaluation.table.seen import seen_by, view_of
from masked_monsters.evaluation.table.table import MAX_PACE
from tests.evaluation.table_server import (
    MALFORMED,
    WISH,
    Person,
    Server,
    ask,
    play_to_the_end,
    serving,
)

PRIVATE = {
    "monster_my_neighbor": {"hand", "known", "unseen", "pending", "monster"},
    "under_my_bed": {"role", "voted"},
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("size", [3, 8])
def test_people_and_agents_play_a_match_whose_replay_fits_the_rules(
    server: Server, name: str, size: int
) -> None:
    table = server.open(name, ["person", "random", *["person"] * (size - 2)], seed=size)
    people = [Person(server, table.eyes[seat].token) for seat in (0, *range(2, size))]
    threads = [
        threading.Thread(target=play_to_the_end, args=(person, seed))
        for seed, person in enumerate(people)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(200)
    ends = [person.latest["end"] for person in people]
    assert all(end == ends[0] for end in ends)
    replay = read(ends[0]["replay"].encode(), "the page")
    assert replay.players == table.names
    *_, last = play_back(replay)
    assert replay.score == ends[0]["score"]
    views = [view_of(table.game, last.after, seat) for seat in range(size)]
    assert json.loads(json.dumps(ends[0]["views"])) == views
    assert not any("error" in person.latest for person in people)


@pytest.mark.parametrize("name", GAMES)
def test_a_connection_gets_its_own_view_and_watchers_what_is_public(
    server: Server, name: str
) -> None:
    """Every frame equals what the match, played back, shows to that eye and to no other."""
    table = server.open(name, ["person", "random", "person", "random"], seed=3)
    eyes = [table.eyes[0], table.eyes[2], table.watchers]
    first, third, watcher = (Person(server, eye.token) for eye in eyes)
    thread = threading.Thread(target=play_to_the_end, args=(third, 5))
    thread.start()
    play_to_the_end(first, 4)
    thread.join(200)
    watcher.hear_until("end")

    replay = read(first.latest["end"]["replay"].encode(), "the page")
    steps = list(play_back(replay))
    states = [steps[0].before, *(step.after for step in steps)]
    for eye, person in zip(eyes, (first, third, watcher), strict=True):
        possible = [json.dumps(seen_by(table.game, state, eye.number)) for state in states]
        shown = [frame for frame in person.frames if "view" in frame]
        assert len(shown) > 10
        for frame in shown:
            assert json.dumps({key: frame[key] for key in ("view", "table", "own")}) in possible
            if eye is table.watchers:
                assert not PRIVATE[name] & frame["view"].keys()
                assert (frame["own"], frame["legal"]) == ("", [])
        before_the_end = json.dumps(
            person.frames[: [f["type"] for f in person.frames].index("end")]
        )
        assert '"god"' not in before_the_end
        assert not any(other.token in json.dumps(person.frames) for other in table.eyes)


def test_a_lost_connection_comes_back_to_its_seat(server: Server) -> None:
    table = server.open("monster_my_neighbor", ["person", "random", "random"], seed=1)
    person = Person(server, table.eyes[0].token)
    asked = person.hear_until_asked()
    assert asked
    told = [line for frame in person.frames for line in frame.get("news", [])]
    person.socket.close()
    again = Person(server, table.eyes[0].token)
    welcome = again.hear_until("welcome")
    assert (welcome["news"], welcome["legal"], welcome["turn"]) == (
        told,
        asked["legal"],
        asked["turn"],
    )
    play_to_the_end_from(again, welcome)


def play_to_the_end_from(person: Person, asked: dict[str, Any]) -> None:
    person.say(act=asked["legal"][0][0], turn=asked["turn"])
    play_to_the_end(person, 0)
    assert "end" in person.latest


def test_whoever_comes_late_sees_what_those_do_who_are_there(server: Server) -> None:
    table = server.open("monster_my_neighbor", ["person", "random", "random"], seed=1)
    person = Person(server, table.eyes[0].token)
    assert person.hear_until_asked()
    welcome = Person(server, table.watchers.token).hear_until("welcome")
    seen = seen_by(table.game, table.match.states, table.watchers.number)
    assert {key: welcome.get(key) for key in seen} == json.loads(json.dumps(seen))
    assert welcome["table"] == person.latest["update"]["table"]


def test_a_seat_opened_elsewhere_leaves_the_first_connection(server: Server) -> None:
    table = server.open("monster_my_neighbor", ["person", "random", "random"], seed=1)
    first = Person(server, table.eyes[0].token)
    first.hear_until("welcome")
    Person(server, table.eyes[0].token).hear_until("welcome")
    assert "elsewhere" in first.hear_until("closed")["message"]
    with pytest.raises(ConnectionClosed):
        first.hear()


def test_ten_thousand_malformed_messages_get_an_error_each_and_change_nothing(
    server: Server,
) -> None:
    table = server.open(
        "monster_my_neighbor", ["person", "random", "random"], seed=1, adviser="random"
    )
    person = Person(server, table.eyes[0].token)
    asked = person.hear_until_asked()
    assert asked
    before = table.match.states.tobytes(), table.pace, len(table.match.events)
    for _ in range(10_000 // len(MALFORMED) + 1):
        for message in MALFORMED:
            person.socket.send(message)
        for message in MALFORMED:
            assert json.loads(person.socket.recv(timeout=120))["type"] == "error", message
    assert (table.match.states.tobytes(), table.pace, len(table.match.events)) == before
    play_to_the_end_from(person, asked)


def test_whoever_watches_or_is_not_asked_cannot_act(server: Server) -> None:
    table = server.open("under_my_bed", ["person", "person", "random"], seed=1, adviser="random")
    people = [Person(server, eye.token) for eye in (*table.eyes[:2], table.watchers)]
    asked: dict[str, Any] | None = None
    while asked is None:  # whichever of the two it is
        for person in people[:2]:
            person.hear_until("here")
            asked = person.latest["update"] if person.latest["update"]["legal"] else asked
        time.sleep(0.01)
    others = [person for person in people if person.latest.get("update") is not asked]
    for person in others:
        person.say(act=asked["legal"][0][0], turn=asked["turn"])
        assert person.hear_until("error")["message"] == "It is not your turn."
        person.say(hint=asked["turn"])
        assert person.hear_until("error")["message"] == "It is not your turn."
    people[2].say(pace=1)
    assert "Only players" in people[2].hear_until("error")["message"]


def test_everybody_at_a_table_hears_of_a_pace_that_a_player_sets(server: Server) -> None:
    table = server.open("monster_my_neighbor", ["person", "person", "random"], seed=1)
    people = [Person(server, eye.token) for eye in (*table.eyes[:2], table.watchers)]
    for person in people:
        person.hear_until("welcome")
    people[1].say(pace=7)
    for person in people:
        assert person.hear_until("pace")["pace"] == 7
    late = Person(server, table.watchers.token)
    assert late.hear_until("welcome")["pace"] == table.pace == 7


def test_the_adviser_tells_its_chances_of_legal_acts(server: Server) -> None:
    table = server.open(
        "monster_my_neighbor", ["person", "random", "random"], seed=1, adviser="tracker"
    )
    person = Person(server, table.eyes[0].token)
    asked = person.hear_until_asked()
    assert asked
    person.say(hint=asked["turn"])
    hint = person.hear_until("hint")
    assert hint["by"] == "tracker"
    assert {action for _, action in hint["chances"]} == {action for action, _ in asked["legal"]}
    assert sum(chance for chance, _ in hint["chances"]) == pytest.approx(1)


def test_a_table_left_alone_is_closed_and_its_links_lead_nowhere() -> None:
    with serving(idle=0.2) as server:
        table = server.open("monster_my_neighbor", ["person", "random", "random"])
        person = Person(server, table.eyes[0].token)
        person.hear_until("welcome")
        time.sleep(0.3)
        server.tables.close_idle()
        assert server.tables.find(table.eyes[0].token)[0] is table
        person.socket.close()
        time.sleep(0.5)
        server.tables.close_idle()
        late = Person(server, table.eyes[0].token)
        assert "closed" in late.hear()["message"]


@pytest.mark.parametrize("token", ["", "x", None, 7, ["a"], {"a": 1}])
def test_no_other_token_opens_a_seat(server: Server, token: Any) -> None:
    assert Person(server, token).hear()["type"] == "closed"


def test_tokens_cannot_be_guessed(server: Server) -> None:
    table = server.open("monster_my_neighbor", ["random"] * 3)
    tokens = {eye.token for eye in table.eyes}
    assert len(tokens) == 4
    assert all(len(token) >= 32 for token in tokens)


# ---------------------------------------------------------------- the page's requests


def test_the_page_opens_a_table_of_what_it_offers(server: Server) -> None:
    status, body = ask(server, "api/tables", WISH)
    assert status == 200
    opened = json.loads(body)
    assert opened["people"] == [0]
    person = Person(server, opened["seats"][0])
    play_to_the_end(person, 0)
    assert "end" in person.latest


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"game": "chess"}, "chess"),
        ({"players": ["person"] * 2}, "num_players=2"),
        ({"players": "person"}, "players"),
        ({"players": ["person", "random", "../../agent.zip"]}, "agent.zip"),
        ({"players": ["person", "random", 7]}, "player=7"),
        ({"pace": -1}, "pace=-1"),
        ({"pace": MAX_PACE + 1}, "pace="),
        ({"adviser": "nobody"}, "adviser='nobody'"),
        ({"seed": 1}, "must have game"),
    ],
)
def test_a_wish_that_cannot_be_is_refused_by_name(
    server: Server, change: dict[str, Any], named: str
) -> None:
    status, body = ask(server, "api/tables", {**WISH, **change})
    assert status == 400
    assert named in json.loads(body)["error"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b"[" * 5000, b"x" * 20_000])
def test_a_request_that_is_no_wish_is_refused(server: Server, body: bytes) -> None:
    assert ask(server, "api/tables", body)[0] == 400


def test_pages_of_other_sites_and_other_names_of_this_machine_are_refused(server: Server) -> None:
    assert ask(server, "")[0] == 200
    assert ask(server, "", Host="evil.example:80")[0] == 403
    assert ask(server, "api/tables", WISH, Origin="http://evil.example")[0] == 403
    evil = Origin("http://evil.example")
    with pytest.raises(InvalidStatus), connect(f"ws://{server.host}/api/sit", origin=evil):
        pass


def test_the_page_may_load_nothing_from_elsewhere(server: Server) -> None:
    with urllib.request.urlopen(server.address, timeout=120) as answer:
        assert "default-src 'self'" in answer.headers["content-security-policy"]
    for path in ("main.js", "lobby.js", "choose.js", "table.js", "style.css", "vendor/preact.js"):
        assert ask(server, path)[0] == 200
    for path in ("../serve.py", "%2e%2e/serve.py", "..%2fserve.py"):
        assert ask(server, path)[0] in (400, 404)


def test_there_are_not_more_tables_than_allowed() -> None:
    with serving(most=2) as server:
        for _ in range(2):
            assert ask(server, "api/tables", WISH)[0] == 200
        status, body = ask(server, "api/tables", WISH)
        assert status == 400
        assert "2 already" in json.loads(body)["error"]
