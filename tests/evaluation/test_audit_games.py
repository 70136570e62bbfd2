"""Games that leak are named by what leaks."""

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation import audit as audit_module
from masked_monsters.evaluation.audit import audit
from masked_monsters.evaluation.audit.positions import random_positions
from tests.evaluation.audits import (
    MMN,
    UMB,
    entries,
    run_changed,
)

# ---------------------------------------------------------------- leaking games are named


class Chatty:
    """Words of a game, some of which say too much."""

    def __init__(self, words: Any, **changed: Callable[..., str]) -> None:
        self._words = words
        vars(self).update(changed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._words, name)


@pytest.mark.usefixtures("dealt_anew")
def test_a_table_that_shows_who_is_the_kid_is_named() -> None:
    game = get_game(UMB)

    def table(state: Any) -> str:
        return f"{game.words.table(state)}\n  under the bed: {state['under_bed']}"

    result = audit(dataclasses.replace(game, words=Chatty(game.words, table=table)), positions=20)
    assert entries(result) == {"compact render", "history render"}
    for leak in result.leaks:
        assert leak.example[0].startswith("under the bed: ")
        assert "what lies under the bed" in leak.secrets


@pytest.mark.usefixtures("dealt_anew")
def test_an_information_state_that_tells_a_secret_is_named() -> None:
    game = get_game(MMN)
    told: list[int] = []

    def recollect(states: Any, lane: int, seat: int, tokens: Any) -> int:
        told[:] = [int(states[lane]["monster"])]
        return game.kernels.recollect(states, lane, seat, tokens)

    def information_state(tokens: np.ndarray) -> str:
        return f"{game.words.information_state(tokens)} monster.{told[0]}"

    words = Chatty(game.words, information_state=information_state)
    changed = dataclasses.replace(game, words=words)
    changed.__dict__["kernels"] = SimpleNamespace(**{**vars(game.kernels), "recollect": recollect})
    result = audit(changed, positions=20)
    assert entries(result) == {"compact information state", "history information state"}
    assert result.leaks[0].secrets[0] == "the round's monster"
    assert result.leaks[0].example[0].startswith("monster.")


@pytest.mark.usefixtures("dealt_anew")
def test_a_leak_in_the_compact_observation_only_is_named_by_its_segment() -> None:
    game = get_game(MMN)
    place = game.slices["face_up"].start + 14  # of the seat to the left, its third card

    def observe(states: Any, lane: int, seat: int, views: Any, out: Any, row: int) -> None:
        game.kernels.observe(states, lane, seat, views, out, row)
        hand = states["hands"][lane, (seat + 1) % game.num_players]
        out.view(np.int8).reshape(len(out), -1)[row, place] = hand[2]

    (leak,) = run_changed(game, observe=observe).leaks
    assert leak.entry == "compact face_up[1, 2]"
    assert "the others' hands" in leak.secrets


def test_a_leak_in_the_history_only_is_named_by_its_row_and_does_not_mislead_the_sampler() -> None:
    game = get_game(MMN)

    def recollect(states: Any, lane: int, seat: int, tokens: Any) -> int:
        used = game.kernels.recollect(states, lane, seat, tokens)
        tokens[0, 2] = states["hands"][lane, (seat + 1) % game.num_players, -1]
        return used

    result = run_changed(game, recollect=recollect)
    assert entries(result) == {
        "history row 0 whom", "compact information state", "history information state",
    }  # fmt: skip
    assert {leak.secrets[0] for leak in result.leaks} == {"who holds the Monster"}


@pytest.mark.usefixtures("dealt_anew")
def test_masks_of_seats_that_do_not_decide_are_named_where_they_tell_a_secret() -> None:
    game = get_game(MMN)

    def list_masks(states: Any, lane: int, masks: Any) -> int:
        decides = game.kernels.list_masks(states, lane, masks)
        masks[:, -1] += np.arange(len(masks)) == np.flatnonzero(states["hands"][lane, :, -1])
        return decides

    result = run_changed(game, list_masks=list_masks)
    assert entries(result) == {
        f"{kind} masks of who does not decide" for kind in ("compact", "history")
    }
    assert result.leaks[0].secrets[0] == "who holds the Monster"


def test_a_reward_for_a_hidden_event_before_it_is_public_is_named() -> None:
    game = get_game(MMN)

    def step(states: Any, lane: int, action: int, settled: bool) -> None:
        held = states["hands"][lane, :, -1].copy()
        game.kernels.step(states, lane, action, settled)
        if states["turns"][lane].any():  # in mid-round
            states["reward"][lane] += states["hands"][lane, :, -1] != held

    result = run_changed(game, step=step)
    assert entries(result) == {"compact reward", "history reward"}
    assert "the others' hands" in result.leaks[0].secrets


def test_what_the_last_round_paid_is_public_when_the_next_begins() -> None:
    paid = 0
    game = get_game(MMN, num_players=3)
    for states in random_positions(game, 400, np.random.default_rng(0)):
        if states["reward"][0].any():
            auditor = audit_module._Auditor(game, {}, "compact")
            auditor.try_seat(states, 0, 2, 0)
            assert auditor.found().leaks == ()
            paid += 1
    assert paid > 2


@pytest.mark.usefixtures("dealt_anew")
def test_a_turn_that_is_public_is_compared_and_one_that_is_not_is_not() -> None:
    game = get_game(UMB)
    eyes = audit_module.Witness(game)
    turns = {"window": set(), "vote": set(), "answer": set()}
    for states in random_positions(game, 60, np.random.default_rng(0)):
        phase = game.words.god_view(states[0])["phase"]
        for seat in range(game.num_players):
            told = eyes.told(states, seat)
            turns.setdefault(phase, set()).add(
                ("compact turn" in told, int(states["to_move"][0]) == seat)
            )
    assert turns["window"] == turns["vote"] == {(True, True), (False, False)}
    assert turns["answer"] == {(True, True), (True, False)}
