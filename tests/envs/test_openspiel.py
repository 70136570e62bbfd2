"""States of the games in OpenSpiel, and what seats see of them."""

import copy
import pickle
import subprocess
import sys
from importlib import import_module
from typing import Any

import numpy as np
import pyspiel
import pytest

from masked_monsters.envs.adapters import openspiel
from masked_monsters.envs.adapters.openspiel import OpenSpielGame, openspiel_game
from tests.envs.spiel import (
    ONE_ROUND,
    choices,
    make_observation,
    on_small_games,
    on_varied_games,
    play,
)


def test_without_open_spiel_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, openspiel.__name__)
    with pytest.raises(
        ImportError,
        match=r"open_spiel is not installed: pip install 'masked-monsters\[openspiel\]'",
    ):
        import_module(openspiel.__name__)


# ---------------------------------------------------------------- states


@on_varied_games
def test_a_clone_goes_its_own_way(varied: OpenSpielGame) -> None:
    *_, end = play(varied, seed=0)
    history = end.history()
    state = varied.new_initial_state()
    for choice in history[: len(history) // 2]:
        state.apply_action(choice)
    before = str(state), state.history()
    clone, deep, pickled = state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))
    for choice in history[len(history) // 2 :]:
        state.apply_action(choice)
    assert str(state) == str(end)
    for other in (clone, deep, pickled):
        assert (str(other), other.history()) == before
        for choice in history[len(history) // 2 :]:
            other.apply_action(choice)
        assert (str(other), other.returns()) == (str(end), end.returns())
        assert all(
            other.information_state_string(seat) == end.information_state_string(seat)
            for seat in range(varied.num_players())
        )


def test_games_and_states_can_be_unpickled_by_who_has_imported_nothing() -> None:
    state = openspiel_game(ONE_ROUND).new_initial_state()
    state.apply_action(3)
    program = (
        "import pickle, sys; game, state = pickle.load(sys.stdin.buffer); "
        "print(game, state.history())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps((state.get_game(), state)),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == f"{state.get_game()} [3]"
    assert done.stderr == b""


@on_small_games
def test_an_action_that_is_not_legal_is_an_error_and_changes_nothing(small: OpenSpielGame) -> None:
    for state in play(small, seed=0):
        if state.is_terminal():
            continue
        illegal = max(choices(state)) + 1
        before = str(state), state.history()
        with pytest.raises(ValueError, match=f"(action|outcome)={illegal}: must be"):
            state.apply_action(illegal)
        assert (str(state), state.history()) == before


@on_varied_games
def test_choices_have_different_words(varied: OpenSpielGame) -> None:
    for state in play(varied, seed=2):
        if not state.is_terminal():
            seat = state.current_player()
            texts = {state.action_to_string(seat, choice) for choice in choices(state)[:500]}
            assert len(texts) == len(choices(state)[:500])


# ---------------------------------------------------------------- what seats see


@on_varied_games
def test_tensors_hold_the_history_and_the_compact_observation(varied: OpenSpielGame) -> None:
    game, n = varied.game, varied.num_players()
    now = make_observation(varied)
    recalled = make_observation(varied, pyspiel.IIGObservationType(perfect_recall=True))
    assert len(recalled.tensor) == varied.information_state_tensor_size()
    assert len(now.tensor) == varied.observation_tensor_size()
    for state in play(varied, seed=3):
        seat = state.current_player()
        if seat < 0:
            continue
        states = state.position.states
        history = game.history(states, np.zeros(1, np.int64))[0]
        recalled.set_from(state, seat)
        number = int(states["round"][0]) - 1
        assert recalled.dict["player"].tolist() == np.eye(n)[seat].tolist()
        assert np.array_equal(recalled.dict["history"][number], history)
        assert not recalled.dict["history"][number + 1 :].any()
        assert recalled.tensor.tolist() == state.information_state_tensor(seat)
        views, compact = np.zeros(1, game.view), np.zeros(1, game.compact)
        game.kernels.observe(states, 0, seat, views, compact, 0)
        now.set_from(state, seat)
        assert np.array_equal(now.dict["compact"], compact.view(np.int8))
        assert now.tensor.tolist() == state.observation_tensor(seat)


def test_the_round_before_is_in_the_tensor_with_its_last_action() -> None:
    game = openspiel_game(ONE_ROUND.with_options(num_rounds=2))
    recalled = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    before: Any = None
    state: Any = None
    for state in play(game, seed=4):
        if state.position.states["round"][0] == 2:
            break
        before = state.clone()
    action = state.history()[-1]
    for seat in range(3):
        recalled.set_from(state, seat)
        tokens = before.position.recall(seat)
        assert np.array_equal(recalled.dict["history"][0, : len(tokens)], tokens)
        who = (before.current_player() - seat) % 3
        assert recalled.dict["ends"].tolist() == [[who + 1, action + 1]]
        text = before.action_to_string(before.current_player(), action)
        assert f"> {text} / score" in state.information_state_string(seat)


@on_small_games
def test_public_and_private_alone_are_strings(small: OpenSpielGame) -> None:
    kinds, words = pyspiel.PrivateInfoType, small.game.words
    public, private, both = (
        make_observation(
            small,
            pyspiel.IIGObservationType(public_info=p, perfect_recall=False, private_info=kind),
        )
        for p, kind in (
            (True, kinds.NONE),
            (False, kinds.SINGLE_PLAYER),
            (True, kinds.SINGLE_PLAYER),
        )
    )
    assert public.tensor is None
    for state in play(small, seed=5):
        assert public.string_from(state, 0) == words.table(state.position.states[0])
        assert public.string_from(state, 0) == public.string_from(state, 1)
        parts = public.string_from(state, 1), private.string_from(state, 1)
        assert both.string_from(state, 1) == "\n".join(parts) == state.observation_string(1)


@on_small_games
def test_what_no_observer_can_see_is_an_error(small: OpenSpielGame) -> None:
    with pytest.raises(ValueError, match="iig_obs_type"):
        make_observation(
            small, pyspiel.IIGObservationType(True, True, pyspiel.PrivateInfoType.ALL_PLAYERS)
        )
    with pytest.raises(ValueError, match="params="):
        make_observation(small, params={"size": 1})
