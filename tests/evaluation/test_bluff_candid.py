"""Plays without the Monster, candid players, and the command of the bluff lab."""

import json
from pathlib import Path

import numpy as np
import pytest

from masked_monsters.envs.game import Game
from masked_monsters.envs.monster_my_neighbor import state as M
from masked_monsters.envs.policy import Decisions, Policy
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.bluff import monster_my_neighbor as plays
from masked_monsters.evaluation.bluff.candid import Candid
from masked_monsters.evaluation.bluff.lens import forbidden_acts, make_lens
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.decisions import decisions_at
from tests.evaluation.bluffers import GAMES, Table, random_states
from tests.kuhn import kuhn_poker

# ---------------------------------------------------------------- without the Monster


def held(count: int) -> tuple[Game, np.ndarray]:
    """States at which a holder of the Monster plays."""
    game = get_game("monster_my_neighbor")
    states = random_states(game, count)
    seats = states["to_move"].astype(int)
    holds = states["hands"][np.arange(len(states)), seats, M.MONSTER] > 0
    return game, states[holds & (states["phase"] == M.PLAY)]


def test_without_the_monster_a_view_is_what_another_hand_would_show() -> None:
    game, states = held(1500)
    decisions = decisions_at(game, states, True)
    for row, state in enumerate(states):
        seat = int(state["to_move"])
        for card in np.flatnonzero(decisions.view["unseen"][row]):
            if card == M.MONSTER or state["knows_monster"].sum() > 1:
                continue
            other = states[row : row + 1].copy()
            other["hands"][0, seat, M.MONSTER] -= 1
            other["hands"][0, seat, card] += 1
            other["knows_monster"][0, seat] = 0
            wanted = decisions_at(game, other, False)
            found = plays._without_monster(game, decisions, np.array([row]), np.array([card]))
            for field in game.view.names or ():
                assert (found.view[field] == wanted.view[field]).all(), field
            assert (found.observation == wanted.observation).all()
            assert (found.action_mask == wanted.action_mask).all()
            assert found.history is not None
            assert not (found.history[0, :, 0] == 3).any()  # its name
            assert not ((found.history[0, :, 0] == 4) & (found.history[0, :, 3] == M.MONSTER)).any()


def test_who_plays_the_same_whatever_it_holds_tells_nothing() -> None:
    game, states = held(1500)
    decisions = decisions_at(game, states, False)

    class Blind(Table):
        def weights(self, decisions: Decisions) -> np.ndarray:
            return np.ones(decisions.action_mask.shape)

    without = plays.chances_without(game, Blind(game), decisions)
    known = ~np.isnan(without[:, 0])
    assert known.mean() > 0.5
    assert np.allclose(without[known], 1 / game.num_actions)


# ---------------------------------------------------------------- candid players


@pytest.mark.parametrize(
    ("name", "forbidden"),
    [("monster_my_neighbor", "away"), ("under_my_bed", "false"), ("under_my_bed", "away")],
)
def test_a_candid_player_does_nothing_that_is_forbidden_nor_illegal(
    name: str, forbidden: str
) -> None:
    game = get_game(name)
    policy: Policy = load_agent("random", game)
    forbid = forbidden_acts(game, forbidden, None, policy)
    decisions = decisions_at(game, random_states(game, 600), True)
    masked = forbid(decisions) & (decisions.action_mask > 0)
    masked[~((decisions.action_mask > 0) & ~masked).any(axis=1)] = False
    assert masked.any()
    for share in (0.0, 0.3, 1.0):
        candid = Candid(policy, forbid, share)
        candid.reset(1)
        chances = candid.probabilities(decisions)
        assert np.allclose(chances.sum(axis=1), 1)
        assert (chances[decisions.action_mask == 0] == 0).all()
        actions = candid.act(decisions)
        assert (decisions.action_mask[np.arange(600), actions] == 1).all()
        before = policy.probabilities(decisions)
        assert np.allclose(chances[masked], (1 - share) * before[masked])
    assert not masked[np.arange(600), actions].any()


def test_a_player_kept_from_nothing_is_the_player_itself() -> None:
    game = get_game("under_my_bed")
    decisions = decisions_at(game, random_states(game, 300), True)
    alone, candid = load_agent("trickster", game), load_agent("trickster", game)
    kept = Candid(candid, forbidden_acts(game, "away", None, candid), 0.0)
    alone.reset(7)
    kept.reset(7)
    assert (alone.act(decisions._replace(history=None)) == kept.act(decisions)).all()


# ---------------------------------------------------------------- arguments, and the command


def test_a_game_without_a_lens_says_so() -> None:
    with pytest.raises(ValueError, match="kuhn_poker: has no lens"):
        make_lens(kuhn_poker(), 1, None, 0)


@pytest.mark.parametrize("name", GAMES)
def test_unknown_observers_and_ways_to_forbid_are_named(name: str) -> None:
    game = get_game(name)
    with pytest.raises(ValueError, match="nobody"):
        make_lens(game, 1, "nobody", 0)
    with pytest.raises(ValueError, match="forbidden='lies'"):
        forbidden_acts(game, "lies", None, load_agent("random", game))


@pytest.mark.parametrize(
    ("option", "value"),
    [("--matches", "1"), ("--close-matches", "-1"), ("--rollouts", "-1"), ("--workers", "0")],
)
def test_bad_options_of_the_command_are_named(
    option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bluff", "random", option, value]) == 2
    assert option.strip("-").replace("-", "_") in capsys.readouterr().err


@pytest.mark.parametrize("name", GAMES)
def test_the_command_prints_and_writes_a_profile_of_each_pair(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bluff.json"
    arguments = ["bluff", "random", "--game", name, "--against", "random", "--matches", "80"]
    settings = ["--close-matches", "4", "--rollouts", "1", "--json", str(file)]
    assert main([*arguments, *settings]) == 0
    out = capsys.readouterr().out
    assert "random among copies of random" in out
    assert "Kept from 100%" in out
    content = json.loads(file.read_text())
    assert content["kind"] == "bluff"
    assert content["command"].startswith("masked-monsters bluff random")
    (player,) = content["players"]
    assert {"ledger", "deception", "lying", "detection", "probes"} <= player.keys()
    assert "NaN" not in file.read_text()
