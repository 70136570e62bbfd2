"""The table, the monsters, the deal and the question bank (B1 to B4, B6)."""

from collections import Counter
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs import under_my_bed_v0
from masked_monsters.envs.registry import get_game
from tests.envs.under_my_bed.tables import (
    ATTRIBUTES,
    BANK,
    FOUR,
    GAME,
    LOOKS,
    NAMES,
    ask,
    do,
    everyone_passes,
    god,
    happen,
    legal,
    match,
    outcomes,
    settle,
    table,
    to_left,
)

PUBLISHED = """
    Mopwick | three | purple | fur | tentacles | bare | beak | huge | night
    Gloamtwig | many | blue | feathers | wings | antennae | fangs | medium | night
    Slurrow | one | purple | slime | wings | antennae | none | huge | night
    Pipquill | one | red | feathers | tentacles | horns | beak | small | night
    Grumbelow | one | blue | fur | claws | horns | none | huge | day
    Skittermaw | three | blue | scales | claws | bare | beak | medium | day
    Oozelby | three | purple | slime | tentacles | horns | none | medium | day
    Feathergast | many | red | feathers | claws | antennae | none | small | day
    Dribblehorn | many | red | slime | claws | horns | fangs | huge | night
    Humdrumple | one | green | feathers | tentacles | bare | fangs | huge | day
    Flapsodden | two | red | slime | wings | antennae | beak | medium | day
    Scalawink | many | green | scales | wings | horns | beak | huge | day
    Bluntwhistle | two | blue | slime | tentacles | bare | none | small | night
    Fuzzlewing | three | green | fur | wings | antennae | fangs | small | day
    Thistlegulp | two | green | feathers | claws | antennae | beak | huge | night
    Nibbershade | two | purple | scales | wings | horns | fangs | small | night
"""
ROWS = [[cell.strip() for cell in line.split("|")] for line in PUBLISHED.strip().splitlines()]


# ---------------------------------------------------------------- the table


@pytest.mark.parametrize("n", [2, 9, 0, -3, 4.0, "4", True, None])
def test_b1_there_are_3_to_8_players(n: Any) -> None:
    with pytest.raises(ValueError, match=r"num_players=.*3 to 8") as error:
        get_game("under_my_bed", num_players=n)
    assert f"num_players={n!r}" in str(error.value)


@pytest.mark.parametrize("n", range(3, 9))
def test_b1_every_seat_from_0_on_has_its_place_clockwise(n: int) -> None:
    states = table("kid", *NAMES[: n - 1], bed=NAMES[n - 1], asker=n - 1)
    assert god(states)["num_players"] == len(god(states)["roles"]) == n
    for k in range(1, n):
        asked = states.copy()
        do(asked, to_left(k), "ASK_EYES")
        assert god(asked)["to_move"] == k - 1


# ---------------------------------------------------------------- the monsters


def test_b2_the_monsters_of_the_game_are_those_of_the_published_table() -> None:
    assert list(ATTRIBUTES.items()) == [
        ("eyes", ("one", "two", "three", "many")),
        ("colour", ("red", "green", "blue", "purple")),
        ("skin", ("fur", "scales", "slime", "feathers")),
        ("limbs", ("claws", "tentacles", "wings")),
        ("head", ("horns", "antennae", "bare")),
        ("mouth", ("fangs", "beak", "none")),
        ("size", ("small", "medium", "huge")),
        ("scene", ("day", "night")),
    ]
    assert [[name, *looks.values()] for name, looks in LOOKS.items()] == ROWS
    assert len(ROWS) == 16


def test_b2_the_rules_know_the_monsters_looks_and_the_values_order() -> None:
    state = match(4)[0]
    for monster, (_, *values) in enumerate(ROWS):
        numbers = [names.index(v) for names, v in zip(ATTRIBUTES.values(), values, strict=True)]
        assert state["catalogue"][monster].tolist() == numbers
    assert state["num_values"].tolist() == [4, 4, 4, 3, 3, 3, 3, 2]
    assert god(match(3))["attributes"] == [(name, [*vs]) for name, vs in ATTRIBUTES.items()]


def test_b2_every_value_is_borne_by_3_to_8_monsters() -> None:
    borne = Counter(item for looks in LOOKS.values() for item in looks.items())
    assert borne.keys() == {
        (name, value) for name, values in ATTRIBUTES.items() for value in values
    }
    assert 3 <= min(borne.values()) <= max(borne.values()) <= 8


def test_b2_any_two_monsters_differ_in_at_least_5_attributes() -> None:
    for one, other in combinations(LOOKS.values(), 2):
        assert sum(one[name] != other[name] for name in ATTRIBUTES) >= 5


def custom(monsters: int = 3, **attributes: Any) -> dict[str, Any]:
    """So many monsters that all look alike, by each attribute's first value."""
    looks = {name: values[0] for name, values in attributes.items()}
    return {"attributes": attributes, "monsters": {f"m{i}": looks for i in range(monsters)}}


def test_b2_custom_monsters_may_be_alike_and_few_or_many() -> None:
    many = {f"a{i}": ["v", "w", "x", "y"] for i in range(8)}
    for catalogue in (custom(size=["big", "tiny"]), custom(32, **many)):
        states = get_game("under_my_bed", num_players=3, catalogue=catalogue).new_states(1)
        GAME.kernels.start_match(states, 0, True)
        assert (states["role"][0, :3] >= 0).all()
        assert states["num_monsters"][0] == len(catalogue["monsters"])


def broken(**parts: Any) -> dict[str, Any]:
    return {**custom(size=["big", "tiny"]), **parts}


BAD_CATALOGUES = [
    (3, "catalogue=3: must be None or a mapping"),
    ([], r"catalogue=\[\]: must be None or a mapping"),
    ({}, r"catalogue=\{\}: must be None or a mapping with 'attributes' and 'monsters'"),
    (broken(more=1), "catalogue=.*must be None or a mapping with"),
    ({"attributes": {"size": ["big", "tiny"]}}, "catalogue=.*mapping with"),
    (broken(attributes={}), r"catalogue\['attributes'\].*1 to 8 names, has 0"),
    (broken(attributes=7), r"catalogue\['attributes'\]=7: must be a mapping"),
    (
        custom(3, **{f"a{i}": ["v", "w"] for i in range(9)}),
        r"\['attributes'\].*1 to 8 names, has 9",
    ),
    (custom(size=["big"]), r"catalogue\['attributes'\]\['size'\].*2 to 4 names, has 1"),
    (custom(size=[*"abcde"]), r"catalogue\['attributes'\]\['size'\].*2 to 4 names, has 5"),
    (custom(size=["big", "big"]), r"\['size'\].*must differ, are big, big"),
    (broken(attributes={"size": "ab"}), r"catalogue\['attributes'\]\['size'\]='ab'"),
    (broken(attributes={"size": [1, 2]}), r"\['size'\]: 1 must be a text"),
    (broken(attributes={"": ["big", "tiny"]}), r"\['attributes'\]: '' must be a text"),
    (broken(attributes={"größe": ["big", "tiny"]}), "'größe' must be a text of printable ASCII"),
    (custom(monsters=2, size=["big", "tiny"]), r"catalogue\['monsters'\].*3 to 32 names, has 2"),
    (custom(monsters=33, size=["big", "tiny"]), r"catalogue\['monsters'\].*3 to 32 names, has 33"),
    (broken(monsters={"a": {}, "b": {}, "c": {}}), r"\['monsters'\]\['a'\].*each of size"),
    (broken(monsters={key: {"size": "big", "eyes": "two"} for key in "abc"}), "each of size"),
    (broken(monsters={key: {"size": "vast"} for key in "abc"}), "size='vast' must be one of big"),
    (broken(monsters=dict.fromkeys("abc", 5)), r"\['monsters'\]\['a'\]=5"),
]


@pytest.mark.parametrize(("catalogue", "words"), BAD_CATALOGUES)
def test_b2_a_catalogue_that_cannot_be_played_is_refused_by_name(
    catalogue: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        get_game("under_my_bed", num_players=3, catalogue=catalogue)


@pytest.mark.parametrize("part", ["attributes", "monsters"])
def test_b2_a_mere_list_of_attributes_or_monsters_is_refused_by_name(part: str) -> None:
    catalogue = broken(**{part: ["one", "two", "three"]})
    with pytest.raises(ValueError, match=rf"catalogue\['{part}'\]"):
        get_game("under_my_bed", num_players=3, catalogue=catalogue)


def test_b2_there_must_be_a_monster_for_every_player() -> None:
    catalogue = custom(monsters=4, size=["big", "tiny"])
    get_game("under_my_bed", num_players=4, catalogue=catalogue)
    with pytest.raises(ValueError, match=r"catalogue\['monsters'\].*5 to 32 names, has 4"):
        get_game("under_my_bed", num_players=5, catalogue=catalogue)


# ---------------------------------------------------------------- the deal


@pytest.mark.parametrize("n", range(3, 9))
def test_b3_every_line_up_is_alike_in_catalogue_order(n: int) -> None:
    possible = outcomes(match(n))
    assert len(possible) == comb(16, n)
    assert set(possible) == {" ".join(names) for names in combinations(NAMES, n)}
    assert all(chance == pytest.approx(1 / comb(16, n)) for chance in possible.values())


def test_b3_the_slots_are_in_catalogue_order_whoever_holds_what() -> None:
    states = table("Nibbershade", "kid", "Mopwick", bed="Pipquill")
    assert god(states)["lineup"] == ["Mopwick", "Pipquill", "Nibbershade"]
    assert god(states)["values"] == [LOOKS[name] for name in god(states)["lineup"]]
    assert god(states)["under_bed"] == 1
    assert god(states)["roles"] == [2, "kid", 0]


def test_b3_one_goes_under_the_bed_and_the_others_and_the_kid_are_dealt_from_seat_0() -> None:
    states = match(3)
    happen(states, "Mopwick Slurrow Pipquill")
    assert outcomes(states) == dict.fromkeys(
        ["Mopwick", "Slurrow", "Pipquill"], pytest.approx(1 / 3)
    )
    happen(states, "Slurrow")
    assert outcomes(states) == dict.fromkeys(["Mopwick", "Pipquill", "kid"], pytest.approx(1 / 3))
    happen(states, "Pipquill")
    assert god(states)["roles"] == [2]
    assert outcomes(states) == {"Mopwick": 0.5, "kid": 0.5}
    happen(states, "kid")
    assert outcomes(states) == {"Mopwick": 1.0}
    happen(states, "Mopwick")
    assert god(states)["roles"] == [2, "kid", 0]


def test_b3_the_record_draws_every_line_up_bed_and_kid_about_equally_often() -> None:
    states = match(3)
    drawn: dict[str, Counter[Any]] = {"lineup": Counter(), "bed": Counter(), "kid": Counter()}
    for _ in range(2400):
        GAME.kernels.start_match(states, 0, True)
        truth = god(states)
        assert len({*truth["roles"], truth["under_bed"]}) == 4
        drawn["lineup"].update(truth["lineup"])
        drawn["bed"][truth["under_bed"]] += 1
        drawn["kid"][truth["roles"].index("kid")] += 1
    expected = {"lineup": (16, 450), "bed": (3, 800), "kid": (3, 800)}
    for name, (kinds, mean) in expected.items():
        assert len(drawn[name]) == kinds
        assert all(abs(count - mean) < 5 * mean**0.5 for count in drawn[name].values()), name


# ---------------------------------------------------------------- who begins


def test_b4_a_random_seat_asks_first() -> None:
    states = match(4)
    happen(states, "Mopwick Gloamtwig Slurrow Pipquill", "Slurrow", *FOUR)
    assert outcomes(states) == {f"player_{seat}": 0.25 for seat in range(4)}
    happen(states, "player_2")
    assert (god(states)["asker"], god(states)["to_move"]) == (2, 2)
    assert god(states)["phase"] == "ask_player"


@pytest.mark.parametrize("seat", range(4))
def test_b4_first_asker_fixes_who_asks_first(seat: int) -> None:
    states = match(4, first_asker=seat)
    settle(states)
    assert (god(states)["asker"], god(states)["to_move"]) == (seat, seat)
    assert god(table(*FOUR, first_asker=seat))["to_move"] == seat  # nothing is left to chance


@pytest.mark.parametrize("seat", [-1, 4, 1.0, "0", True])
def test_b4_the_first_asker_is_a_seat_of_the_table(seat: Any) -> None:
    with pytest.raises(ValueError, match=rf"first_asker={seat!r}: must be an integer from 0 to 3"):
        get_game("under_my_bed", num_players=4, first_asker=seat)


# ---------------------------------------------------------------- the question bank


def test_b6_the_bank_has_8_open_and_26_closed_questions_in_order() -> None:
    states = table(*FOUR)
    assert states["num_questions"][0] == len(BANK) == 34
    do(states, to_left(1))
    bank = ["ASK_" + question.upper().replace(" ", "_") for question in BANK]
    assert list(GAME.actions[7:41]) == bank
    assert bank[:9] == ["ASK_EYES", "ASK_COLOUR", "ASK_SKIN", "ASK_LIMBS", "ASK_HEAD", "ASK_MOUTH",
                        "ASK_SIZE", "ASK_SCENE", "ASK_EYES_ONE"]  # fmt: skip
    assert bank[-2:] == ["ASK_SCENE_DAY", "ASK_SCENE_NIGHT"]
    assert legal(states) == set(bank)


def test_b6_each_question_is_about_its_attribute_and_value() -> None:
    for number, question in enumerate(BANK):
        attribute, *value = question.split()
        states = table("kid", "Mopwick", "Gloamtwig", asker=1)
        ask(states, 0, question)
        assert god(states)["question"] == number
        claims = legal(states) - {f"CHECK_SLOT_{slot}" for slot in range(3)}
        do(states, sorted(claims)[0])
        claim = god(states)["claims"][0]
        assert claim["attribute"] == attribute
        if value:
            assert len(claims) == 2
            values = set(claim["values"])
            assert values in ({*value}, {*ATTRIBUTES[attribute]} - {*value})


def test_b6_a_two_valued_attribute_has_three_questions() -> None:
    states = table(*FOUR)
    for answerer, question in ((1, "scene"), (2, "scene day"), (3, "scene night")):
        ask(states, answerer, question)
        do(states, "CLAIM_2")  # night, for all three of them
        everyone_passes(states)
    do(states, to_left(1))
    assert not {action for action in legal(states) if action.startswith("ASK_SCENE")}


def test_b6_another_catalogue_has_a_bank_of_its_own() -> None:
    game = get_game(
        "under_my_bed", num_players=3, catalogue=custom(size=["big", "tiny"], hue=["a", "b", "c"])
    )
    assert game.record["num_questions"][0] == 2 + 5
    assert game.num_actions == 32 + 7
    assert game.actions[7:14] == (
        "ASK_SIZE", "ASK_HUE", "ASK_SIZE_BIG", "ASK_SIZE_TINY", "ASK_HUE_A", "ASK_HUE_B", "ASK_HUE_C",
    )  # fmt: skip


def test_the_66_actions_are_numbered_as_documented() -> None:
    assert GAME.num_actions == len(set(GAME.actions)) == 66
    assert GAME.actions[:7] == tuple(to_left(k) for k in range(1, 8))
    assert GAME.actions[41:55] == tuple(
        "CLAIM_" + "".join(str(bit + 1) for bit in range(4) if (mask >> bit) & 1)
        for mask in range(1, 15)
    )
    assert GAME.actions[55:58] == ("PASS", "AGREE", "DISAGREE")
    assert GAME.actions[58:] == tuple(f"CHECK_SLOT_{slot}" for slot in range(8))


def test_an_unknown_option_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="unknown option hedges; allowed: num_players"):
        get_game("under_my_bed", hedges=True)


def test_a_lineup_list_that_does_not_fit_is_counted_in_full() -> None:
    codes, weights = np.zeros(5, np.int64), np.zeros(5)
    assert GAME.kernels.list_chance(match(8), 0, codes, weights) == comb(16, 8)
    assert (codes > 0).all()
    assert weights.tolist() == [1 / comb(16, 8)] * 5


def test_b2_the_order_of_a_catalogue_matters_to_a_saved_match() -> None:
    attributes = {"eyes": ["one", "two"], "skin": ["fur", "slime"]}
    monsters = {name: {"eyes": "one", "skin": "fur"} for name in ("a", "b", "c")}
    match = under_my_bed_v0.raw_env(
        num_players=3, catalogue={"attributes": attributes, "monsters": monsters}
    )
    match.reset(seed=0)
    for other in (
        {"attributes": dict(reversed(attributes.items())), "monsters": monsters},
        {"attributes": attributes, "monsters": dict(reversed(monsters.items()))},
    ):
        with pytest.raises(ValueError, match="saved by"):
            under_my_bed_v0.raw_env(num_players=3, catalogue=other).restore(match.save())


def test_b2_names_that_would_give_two_actions_one_name_are_refused() -> None:
    monsters = {name: {"a": "b_c", "a_b": "c"} for name in "xyz"}
    catalogue = {"attributes": {"a": ["b_c", "d"], "a_b": ["c", "e"]}, "monsters": monsters}
    with pytest.raises(ValueError, match="names that differ"):
        get_game("under_my_bed", num_players=3, catalogue=catalogue)


def test_b4_a_bad_first_asker_is_told_that_none_is_allowed_too() -> None:
    with pytest.raises(ValueError, match="first_asker=-1: must be an integer from 0 to 3, or None"):
        get_game("under_my_bed", first_asker=-1)
