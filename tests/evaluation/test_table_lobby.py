"""The lobby: what a new table can be of, as the page is told and as it may wish."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.arguments import option_value
from tests.evaluation.table_server import WISH, Person, Server, ask, play_to_the_end, serving
from tests.games import CATALOGUE

PLAIN = {
    "monster_my_neighbor": {
        **WISH,
        "game": "monster_my_neighbor",
        "players": ["person", "random", "random"],
    },
    "under_my_bed": WISH,
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def opened(server: Server, wish: Any) -> dict[str, Any]:
    status, body = ask(server, "api/tables", wish)
    assert status == 200, body
    return json.loads(body)


def refused(server: Server, wish: Any) -> str:
    status, body = ask(server, "api/tables", wish)
    assert status == 400
    return json.loads(body)["error"]


def choices(server: Server) -> dict[str, Any]:
    return {game["name"]: game for game in json.loads(ask(server, "api/choices")[1])}


# ---------------------------------------------------------------- options


def test_each_game_offers_its_table_sizes_and_all_its_other_options(
    server: Server, name: str
) -> None:
    game, found = get_game(name), choices(server)[name]
    assert found["sizes"] == [3, 4, 5, 6, 7, 8]
    told = {option["name"]: option for option in found["options"]}
    assert told.keys() == game.options.keys() - {"num_players"}
    for option, what in told.items():
        assert option_value(what["default"]) == game.options[option]


def test_what_is_said_to_be_allowed_is_and_what_is_next_to_it_is_not(
    server: Server, name: str
) -> None:
    limited = [option for option in choices(server)[name]["options"] if option["allowed"]]
    assert limited
    for option in limited:
        values = [option_value(value) for value in option["allowed"]]
        assert option["default"] in option["allowed"]
        for value in values:
            assert get_game(name, **{option["name"]: value}).options[option["name"]] == value
        beyond = [min(values) - 1, max(values) + 1] if type(values[0]) is int else [None, "other"]
        for value in beyond:
            with pytest.raises(ValueError, match=f"{option['name']}="):
                get_game(name, **{option["name"]: value})


@pytest.mark.parametrize(
    ("game", "options", "meant"),
    [
        (
            "monster_my_neighbor",
            {"num_rounds": "1", "hand_size": "2"},
            {"num_rounds": 1, "hand_size": 2},
        ),
        ("monster_my_neighbor", {"num_rounds": 1}, {"num_rounds": 1}),
        ("monster_my_neighbor", {"reward": "win"}, {"reward": "win"}),
        (
            "monster_my_neighbor",
            {"deck": '{"wanted": 1, "hunter": 9, "hide": 9}'},
            {"deck": {"wanted": 1, "hunter": 9, "hide": 9}},
        ),
        (
            "under_my_bed",
            {"hedging": "False", "first_asker": "1"},
            {"hedging": False, "first_asker": 1},
        ),
        ("under_my_bed", {"max_questions": "None"}, {"max_questions": None}),
        ("under_my_bed", {"catalogue": json.dumps(CATALOGUE)}, {"catalogue": CATALOGUE}),
    ],
)
def test_options_are_read_as_on_the_command_line_and_played_with(
    server: Server, game: str, options: dict[str, Any], meant: dict[str, Any]
) -> None:
    found = opened(server, {**PLAIN[game], "options": options})
    person = Person(server, found["seats"][0])
    about = person.hear_until("welcome")["about"]
    assert about["options"] == {**get_game(game, num_players=3).options, **meant}
    play_to_the_end(person, 1)
    assert "end" in person.latest


@pytest.mark.parametrize(
    ("game", "options", "named"),
    [
        (
            "monster_my_neighbor",
            {"num_rounds": "6"},
            "num_rounds=6: must be an integer from 1 to 5",
        ),
        ("monster_my_neighbor", {"num_rounds": "many"}, "num_rounds='many'"),
        ("monster_my_neighbor", {"num_rounds": ""}, "num_rounds=''"),
        ("monster_my_neighbor", {"deck": '{"wanted": 2}'}, "deck: needs exactly 1"),
        ("monster_my_neighbor", {"deck": '{"fog": 1, "fog": 2}'}, "deck: 'fog' is given twice"),
        ("monster_my_neighbor", {"deck": "9" * 5000}, "deck: "),
        ("monster_my_neighbor", {"deck": "[" * 5000}, "deck="),
        ("monster_my_neighbor", {"deck": {"wanted": []}}, "deck['wanted']=[]"),
        (
            "monster_my_neighbor",
            {"hedging": "True"},
            "unknown option hedging; allowed: num_players",
        ),
        ("monster_my_neighbor", {"num_players": "4"}, "num_players"),
        ("monster_my_neighbor", {"name": "x"}, "unknown option name"),
        ("under_my_bed", {"first_asker": "3"}, "first_asker=3"),
        ("under_my_bed", {"hedging": "maybe"}, "hedging='maybe'"),
        ("under_my_bed", {"catalogue": "[]"}, "catalogue=[]"),
        (
            "under_my_bed",
            {"catalogue": {"attributes": {"a": [[1], {}]}, "monsters": {}}},
            "catalogue",
        ),
        ("under_my_bed", {"catalogue": {"attributes": {}, "monsters": {"a": 1}}}, "catalogue"),
        ("under_my_bed", [], "options=[]"),
        ("under_my_bed", "hedging", "options='hedging'"),
        ("under_my_bed", None, "options=None"),
    ],
)
def test_an_option_that_cannot_be_is_refused_with_the_games_own_words(
    server: Server, game: str, options: Any, named: str
) -> None:
    assert named in refused(server, {**PLAIN[game], "options": options})


def test_whom_odd_options_leave_out_is_named_with_those_who_can_play(server: Server) -> None:
    wish = {**WISH, "options": {"catalogue": CATALOGUE}}
    for change in ({"players": ["person", "random", "reference"]}, {"adviser": "reference"}):
        error = refused(server, {**wish, **change})
        assert "='reference': must be one of" in error
        assert "'trickster'" in error
    assert opened(server, {**wish, "adviser": "trickster"})["people"] == [0]
