"""Every game as the registry makes it: its options, its pieces, and who may know of it."""

import ast
import copy
import json
import pickle
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.registry import GAMES, get_game
from tests.games import CASES, Case, Options, weights

ROOT = Path(__file__).parents[2]


def test_every_game_has_its_case() -> None:
    assert CASES.keys() == GAMES.keys()


def test_an_unknown_game_is_an_error_that_lists_those_there_are() -> None:
    with pytest.raises(ValueError, match=", ".join(map(repr, GAMES))):
        get_game("monster_my_neighbour")


# ---------------------------------------------------------------- options


def test_a_game_has_all_of_its_options_and_of_its_name_and_version(name: str, case: Case) -> None:
    game = get_game(name, **case.other)
    assert (game.name, game.version) == (name, GAMES[name])
    assert game.options == {**get_game(name).options, **case.other}
    assert game.options != get_game(name).options


def test_other_options_are_those_and_the_game_s_own(name: str, case: Case) -> None:
    game = get_game(name)
    before = game.record.tobytes()
    changed = game.with_options(num_players=5).with_options(**case.other)
    assert changed.num_players == 5
    assert changed.options == {**game.options, **case.other, "num_players": 5}
    assert changed.record == get_game(name, num_players=5, **case.other).record
    assert changed.with_options().options == changed.options
    assert (game.num_players, game.record.tobytes()) == (4, before)


def test_an_unknown_option_is_an_error_that_names_those_allowed(name: str) -> None:
    allowed = ", ".join(get_game(name).options)
    with pytest.raises(ValueError, match=f"{name}: unknown option colour; allowed: {allowed}"):
        get_game(name, colour="red")
    with pytest.raises(ValueError, match=f"unknown option colour, size; allowed: {allowed}"):
        get_game(name).with_options(size=1, colour="red")


def test_a_bad_value_is_an_error_that_names_the_option(name: str, case: Case) -> None:
    for bad in ({"num_players": 2}, {"num_players": "4"}, *case.bad_options):
        with pytest.raises(ValueError, match=re.escape(next(iter(bad)))):
            get_game(name, **bad)
        with pytest.raises(ValueError, match=re.escape(next(iter(bad)))):
            get_game(name).with_options(**bad)


def test_a_mapping_that_the_caller_changes_later_changes_no_game(name: str, case: Case) -> None:
    given = copy.deepcopy(case.other)
    game = get_game(name, **given)
    for option in given.values():
        if isinstance(option, dict):
            option.clear()
    assert game.options == {**get_game(name).options, **case.other}


def test_options_are_kept_as_plain_values_that_a_file_can_hold(name: str, case: Case) -> None:
    def unusual(value: Any) -> Any:
        if isinstance(value, dict):
            return MappingProxyType({key: unusual(entry) for key, entry in value.items()})
        if isinstance(value, list):
            return tuple(map(unusual, value))
        return np.int64(value) if type(value) is int else value

    game = get_game(name, **{option: unusual(value) for option, value in case.other.items()})
    assert json.loads(json.dumps(game.options)) == game.options
    assert game.options == get_game(name, **case.other).options
    assert game.record == get_game(name, **case.other).record


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
def test_a_game_is_copied_as_its_name_and_options(name: str, options: Options, copied: Any) -> None:
    game = get_game(name, **{**options, "num_players": 5})
    again = copied(game)
    assert (again.name, again.options) == (name, game.options)
    assert again.record == game.record
    assert again.actions == game.actions
    assert again.kernels is game.kernels
    assert len(pickle.dumps(game)) < 2000


# ---------------------------------------------------------------- pieces


def test_a_games_observation_is_its_segments(name: str) -> None:
    game = get_game(name)
    record = np.zeros(1, game.compact)
    flat = record.view(np.int8)
    for segment in game.segments:
        record[segment.name] = 1
        assert flat[game.slices[segment.name]].all()
        assert flat.sum() == np.prod(segment.shape)
        record[segment.name] = 0
    assert len(game.compact_highs) == game.compact_size == len(flat)


def test_the_docs_pages_of_the_segments_are_those_of_the_code() -> None:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        from make_pages import pages  # pyright: ignore[reportMissingImports]  # found by sys.path
    finally:
        sys.path.pop(0)
    assert len(pages()) >= len(GAMES)
    for path, text in pages().items():
        assert path.read_text(encoding="utf-8") == text, "run: python docs/make_pages.py"


def test_every_action_has_a_name_of_its_own_and_a_place_in_the_mask(
    name: str, options: Options
) -> None:
    game = get_game(name, **options)
    assert len(set(game.actions)) == len(game.actions) == game.num_actions
    assert Batch(game, 3).action_mask.shape == (3, game.num_actions)


@pytest.mark.parametrize("num_players", [3, 8])
def test_no_history_is_longer_than_its_table(name: str, num_players: int, options: Options) -> None:
    batch = Batch(name, 20, num_players=num_players, **options)
    game = batch.game
    chances = weights(game)
    tokens = np.zeros((game.max_tokens + 100, len(game.token_highs)), np.int8)
    rng = np.random.default_rng(0)
    longest = 0
    for _ in range(300):
        batch.step((batch.action_mask * chances * rng.random(game.num_actions)).argmax(axis=1))
        for states in (batch.states, batch.final_states[batch.done]):
            for lane in range(len(states)):
                used = game.kernels.recollect(states, lane, lane % num_players, tokens)
                longest = max(longest, used)
                assert (tokens[:used] <= game.token_highs).all()
    assert 20 < longest <= game.max_tokens


@pytest.mark.parametrize(
    ("sizes", "questions"), [((2,), 3), ((2, 3), 7), ((4,) * 8, 40), (None, 34)]
)
def test_under_another_bed_there_are_32_actions_and_one_for_each_question(
    sizes: tuple[int, ...] | None, questions: int
) -> None:
    catalogue = None
    if sizes:
        attributes = {f"a{i}": [f"v{k}" for k in range(size)] for i, size in enumerate(sizes)}
        looks = {attribute: values[0] for attribute, values in attributes.items()}
        catalogue = {"attributes": attributes, "monsters": {f"m{i}": looks for i in range(8)}}
    game = get_game("under_my_bed", catalogue=catalogue, num_players=8, max_questions=None)
    assert game.num_actions == 32 + questions
    batch = Batch(game, 50)
    rng = np.random.default_rng(0)
    done = np.zeros(game.num_actions, np.bool_)
    for _ in range(400):
        actions = (batch.action_mask * rng.random(batch.action_mask.shape)).argmax(axis=1)
        done[actions] = True
        batch.step(actions)
    assert done[7 : 7 + questions].all()


# ---------------------------------------------------------------- who knows of a game


def imports(path: Path) -> Iterator[str]:
    """The full names of all that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


TABLES = (
    "evaluation/audit/secrets.py",
    "evaluation/bluff/facts.py",
    "tests/evaluation/bluffers.py",
    "tests/evaluation/test_bluff.py",
    "tests/evaluation/test_bluff_candid.py",
)
"""Files with an entry for each game."""
OWN = {
    "under_my_bed": (
        "evaluation/beliefs/answering.py",
        "evaluation/bluff/detection.py",
        "tests/evaluation/beds.py",
        "tests/evaluation/test_answering.py",
        "tests/evaluation/test_detection.py",
    ),
}
"""Files of one game alone that are not called after it: of answers, votes and beds."""


def may_know(path: str, name: str) -> bool:
    """Is that source file, relative to the root, one of the game's own?"""
    if path in TABLES or path in OWN.get(name, ()):
        return True
    return path.startswith((f"envs/{name}/", f"tests/envs/{name}/")) or bool(
        re.fullmatch(
            rf"envs/{name}_v\d+\.py"
            rf"|tests/reference/{name}\.py"
            rf"|evaluation/table/(about|analysis)_{name}\.py"
            rf"|(tests/)?evaluation/(baselines/|beliefs/|bluff/|test_|test_beliefs_){name}\w*\.py",
            path,
        )
    )


def test_no_source_file_imports_a_game_but_its_own(name: str) -> None:
    package = f"masked_monsters.envs.{name}"
    found = [
        f"{file}: {imported}"
        for folder in ("envs", "training", "evaluation", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for imported in imports(path)
        if imported == package or imported.startswith(f"{package}.")
        if not may_know(file := path.relative_to(ROOT).as_posix(), name)
    ]
    assert found == []


def test_that_test_sees_every_form_of_import(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text(
        "import a.b\nfrom a.b import c\nfrom a import b\ndef f():\n    import a.b.d as e\n"
    )
    assert sorted(imports(path)) == ["a.b", "a.b", "a.b.c", "a.b.d"]
