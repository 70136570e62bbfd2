"""Options as OpenSpiel's parameters."""

import pyspiel
import pytest

from masked_monsters.envs.adapters.openspiel import SHORT_NAMES, OpenSpielGame, openspiel_game
from masked_monsters.envs.registry import GAMES, get_game
from tests.envs.spiel import load_game, on_varied_games


def test_every_game_has_a_short_name() -> None:
    assert set(SHORT_NAMES.values()) == GAMES.keys()
    assert SHORT_NAMES.keys() <= set(pyspiel.registered_names())


@pytest.mark.parametrize("short_name", SHORT_NAMES)
def test_without_parameters_a_game_has_its_default_options(short_name: str) -> None:
    game = load_game(short_name)
    assert game.game.options == get_game(SHORT_NAMES[short_name]).options
    assert str(game) == f"{short_name}()"


def test_a_game_string_spells_the_options() -> None:
    game = load_game(
        "masked_monsters_mmn(players=3,hand_size=2,num_rounds=1,reward=win,"
        'deck={"wanted":1;"hunter":3;"hide":1;"villager":1})'
    ).game
    assert (game.num_players, game.options["reward"]) == (3, "win")
    assert game.options["deck"] == {"wanted": 1, "hunter": 3, "hide": 1, "villager": 1}
    game = load_game(
        "masked_monsters_umb(players=5,max_questions='2',first_asker='4',hedging=False)"
    ).game
    chosen = {"num_players": 5, "max_questions": 2, "first_asker": 4, "hedging": False}
    assert game.options == {**get_game("under_my_bed").options, **chosen}
    game = load_game("masked_monsters_umb(max_questions=None,first_asker=None)").game
    assert game.options["max_questions"] is None
    assert game.options["first_asker"] is None


def test_parameters_may_also_be_plain_json() -> None:
    deck = '{"wanted": 1, "hunter": 8, "hide": 8}'
    game = load_game("masked_monsters_mmn", {"players": 3, "deck": deck})
    assert game.game.options["deck"] == {"wanted": 1, "hunter": 8, "hide": 8}
    assert load_game(str(game)).game.options == game.game.options


@on_varied_games
def test_a_game_is_the_same_again_by_its_string(varied: OpenSpielGame) -> None:
    again = load_game(str(varied))
    assert again.game.options == varied.game.options
    assert str(again) == str(varied)


def test_names_may_hold_what_a_game_string_has_for_itself() -> None:
    odd = "a,b;c(d)=e'f|g\"h\\i :"
    catalogue = {
        "attributes": {odd: ["yes", "None"]},
        "monsters": {f"'{number})": {odd: "yes"} for number in range(3)},
    }
    game = get_game("under_my_bed", num_players=3, catalogue=catalogue)
    assert load_game(str(openspiel_game(game))).game.options == game.options


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("mmn(players=9)", "num_players=9: must be an integer from 3 to 8"),
        ("mmn(hand_size=5)", "hand_size=5: must be an integer from 2 to 4"),
        ("mmn(reward=gold)", "reward='gold': must be one of 'vp', 'win'"),
        ("mmn(deck=all)", "deck='all': must be a mapping of card names to counts, or None"),
        ('mmn(deck={"wanted":2})', "deck: needs exactly 1 'wanted', has 2"),
        ("umb(max_questions=4n)", "max_questions='4n': must be an integer .* or '3n', or None"),
        ("umb(first_asker='4')", "first_asker=4: must be an integer from 0 to 3, or None"),
        ("umb(window_order=chaotic)", "window_order='chaotic': must be one of"),
        ('umb(catalogue={"monsters":1})', "catalogue=.*must be None or a mapping"),
    ],
)
def test_a_bad_parameter_is_the_game_s_own_error(text: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        load_game(f"masked_monsters_{text}")


def test_an_unknown_parameter_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(pyspiel.SpielError, match=r"'colour'.*deck, hand_size.*players, reward"):
        load_game("masked_monsters_mmn(colour=red)")
