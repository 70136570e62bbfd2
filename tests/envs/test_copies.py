"""Every game: a match copied, pickled, or saved and restored, in its middle."""

import copy
import pickle
import random
from typing import Any

import pytest

from masked_monsters.envs.registry import GAMES
from tests.envs.aec import choose, play, told
from tests.games import Case, Options, module_of


@pytest.fixture
def game(name: str) -> Any:
    """Each game's module, with ``env`` and ``raw_env``."""
    return module_of(name)


@pytest.mark.parametrize("num_players", [3, 8])
@pytest.mark.parametrize("steps", [0, 1, 8, 22])
def test_a_copied_pickled_or_restored_match_goes_on_identically(
    game: Any, num_players: int, steps: int, options: Options
) -> None:
    match = game.env(num_players=num_players, **options)
    match.reset(seed=8)
    play(match, steps=steps, seed=1)
    assert not any(match.terminations.values())
    other = game.env(num_players=num_players, **options)
    other.reset(seed=99)
    other.unwrapped.restore(match.unwrapped.save())
    copies = [copy.deepcopy(match), pickle.loads(pickle.dumps(match)), other]
    assert all(told(twin) == told(match) for twin in copies)
    expected = play_two(match)
    assert all(play_two(twin) == expected for twin in copies)


def test_a_match_that_is_over_is_restored_with_all_that_it_tells(game: Any) -> None:
    match, other = game.env(), game.env()
    other.reset(seed=99)
    for lost in (False, True):
        match.reset(seed=8)
        if lost:
            match.step(int(match.observe(match.agent_selection)["action_mask"].argmin()))
        while not any(match.terminations.values()):
            play(match, steps=1)
        while match.agents:
            other.unwrapped.restore(match.unwrapped.save())
            assert told(other) == told(match)
            match.step(None)


def play_two(match: Any) -> tuple[list[Any], list[Any]]:
    """What is told to the end of the match, and in the whole next one."""
    rest = play(match, seed=0)
    match.reset()
    return rest, play(match, seed=2)


def test_a_match_saved_by_another_kind_of_table_is_refused(game: Any) -> None:
    match, other = game.raw_env(num_players=4), game.raw_env(num_players=5)
    match.reset(seed=0)
    with pytest.raises(ValueError, match="'num_players': 5"):
        other.restore(match.save())


def test_a_match_saved_with_other_options_is_refused(game: Any, case: Case) -> None:
    match, other = game.raw_env(**case.other), game.raw_env()
    match.reset(seed=0)
    with pytest.raises(ValueError, match="saved by"):
        other.restore(match.save())


def test_a_match_saved_by_another_game_is_refused(game: Any) -> None:
    match = game.raw_env()
    match.reset(seed=0)
    for name in GAMES:
        if name != match.game.name:
            with pytest.raises(ValueError, match="saved by"):
                module_of(name).raw_env().restore(match.save())


def test_damaged_bytes_are_refused(game: Any) -> None:
    match = game.raw_env()
    match.reset(seed=0)
    data = match.save()
    for place in (0, 40, len(data) - 1):
        damaged = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(ValueError, match="not as save"):
            match.restore(damaged)
    assert match.save() == data
    with pytest.raises(RuntimeError, match="reset"):
        game.raw_env().save()


def test_a_restored_match_takes_the_actions_that_are_legal_in_it(game: Any) -> None:
    match = game.env()
    match.reset(seed=0)
    saved, action = match.unwrapped.save(), choose(match, random.Random(0))
    match.step(action)
    match.last()
    match.unwrapped.restore(saved)
    match.observe(match.agent_selection)["action_mask"][:] = 0
    match.step(action)
    assert not any(match.terminations.values())
