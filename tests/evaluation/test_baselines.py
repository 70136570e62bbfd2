"""What holds of every scripted player of every game."""

import dataclasses
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.baselines import baselines, get_baseline
from masked_monsters.evaluation.baselines.scripted import ScriptedPolicy

PLAYERS = [(name, player) for name in GAMES for player in baselines(get_game(name))]
every_player = pytest.mark.parametrize(("name", "player"), PLAYERS, indirect=["name"])


def shown(decisions: Decisions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All but the history, which no scripted player reads."""
    return decisions[:3]


def decisions_of(batch: Batch, rows: np.ndarray) -> Decisions:
    return Decisions(batch.view[rows], batch.observation[rows], batch.action_mask[rows])


def positions(game: Game, steps: int = 60, lanes: int = 40) -> Iterator[Decisions]:
    """Decisions of tables at which all players sit."""
    batch = Batch(game, lanes)
    players = [get_baseline(game, player) for player in baselines(game)]
    who = np.arange(lanes) % len(players)
    for step in range(steps):
        yield Decisions(batch.view.copy(), batch.observation.copy(), batch.action_mask.copy())
        actions = np.zeros(lanes, np.int64)
        for number, player in enumerate(players):
            rows = np.flatnonzero((who + step) % len(players) == number)
            actions[rows] = player.act(decisions_of(batch, rows))
        batch.step(actions)


@cache
def gathered(name: str) -> Decisions:
    """Many decisions at a table of four."""
    parts = zip(*map(shown, positions(get_game(name))), strict=True)
    return Decisions(*map(np.concatenate, parts))


@pytest.fixture
def some(name: str) -> Decisions:
    return gathered(name)


@pytest.fixture
def game(name: str) -> Game:
    return get_game(name)


# ---------------------------------------------------------------- the list of players


def test_the_first_of_at_least_five_players_is_random(game: Game) -> None:
    names = baselines(game)
    assert names[0] == "random"
    assert len(set(names)) == len(names) >= 5


def test_an_unknown_player_is_refused_with_the_names_there_are(game: Game) -> None:
    with pytest.raises(ValueError, match=f"baseline='nobody'.*'random', {baselines(game)[1]!r}"):
        get_baseline(game, "nobody")


def test_a_game_without_scripts_has_the_random_player(game: Game) -> None:
    assert baselines(dataclasses.replace(game, name="another_game")) == ("random",)


# ---------------------------------------------------------------- every player


@pytest.mark.parametrize("num_players", range(3, 9))
def test_players_choose_among_the_legal_actions(
    name: str, options: dict[str, Any], num_players: int
) -> None:
    game = get_game(name, **options, num_players=num_players)
    policies = {player: get_baseline(game, player) for player in baselines(game)}
    for decisions in positions(game, lanes=20):
        for player, policy in policies.items():
            probabilities = policy.probabilities(decisions)
            assert probabilities.dtype == np.float64
            assert (probabilities >= 0).all(), player
            assert (probabilities[decisions.action_mask == 0] == 0).all(), player
            np.testing.assert_allclose(probabilities.sum(axis=1), 1, err_msg=player)


def test_random_takes_every_legal_action_alike(game: Game, some: Decisions) -> None:
    expected = some.action_mask / some.action_mask.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(get_baseline(game, "random").probabilities(some), expected)


@every_player
def test_the_same_seed_gives_the_same_actions_and_another_seed_others(
    game: Game, player: str, some: Decisions
) -> None:
    policy = get_baseline(game, player)
    by_default = policy.act(some)
    after = policy.act(some)
    policy.reset(0)
    assert (policy.act(some) == by_default).all()
    assert (policy.act(some) == after).all()
    policy.reset(2**64 - 1)
    assert (policy.act(some) != by_default).any()


@compiled
def take_first(view: Any, mask: Any, weights: Any) -> None:
    weights[:] = 0
    weights[mask.argmax()] = 1


@compiled
def take_last(view: Any, mask: Any, weights: Any) -> None:
    weights[:] = 0
    weights[len(mask) - 1 - mask[::-1].argmax()] = 1


def test_players_of_one_name_keep_to_their_own_rules(game: Game, some: Decisions) -> None:
    first, last = (ScriptedPolicy(game, "mine", weigh) for weigh in (take_first, take_last))
    masks = some.action_mask
    assert (first.act(some) == masks.argmax(axis=1)).all()
    assert (last.act(some) == masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)).all()


def test_a_bad_seed_is_refused(game: Game) -> None:
    with pytest.raises(ValueError, match="seed=-1: must be an integer from 0 to"):
        get_baseline(game, "random").reset(-1)


@every_player
def test_actions_come_as_often_as_their_probabilities_say(
    game: Game, player: str, some: Decisions
) -> None:
    policy = get_baseline(game, player)
    times = 10_000
    for row in range(200, 1000, 100):
        one = Decisions(*(part[row : row + 1] for part in shown(some)))
        many = Decisions(*(part.repeat(times, axis=0) for part in shown(one)))
        frequencies = np.bincount(policy.act(many), minlength=game.num_actions) / times
        np.testing.assert_allclose(frequencies, policy.probabilities(one)[0], atol=0.02)


@every_player
def test_players_look_at_nothing_but_the_view_and_not_at_who_they_are(
    game: Game, player: str, some: Decisions
) -> None:
    policy = get_baseline(game, player)
    elsewhere = some.view.copy()
    elsewhere["seat"] = (elsewhere["seat"] + 1) % 4
    other = Decisions(elsewhere, np.zeros_like(some.observation), some.action_mask)
    assert (policy.probabilities(other) == policy.probabilities(some)).all()


@every_player
def test_players_leave_the_decisions_as_they_are(game: Game, player: str, some: Decisions) -> None:
    before = Decisions(*(part.copy() for part in shown(some)))
    for part in shown(before):
        part.flags.writeable = False
    get_baseline(game, player).act(before)
    assert all((a == b).all() for a, b in zip(shown(before), shown(some), strict=True))


@every_player
def test_a_pickled_player_goes_on_alike(game: Game, player: str, some: Decisions) -> None:
    policy = get_baseline(game, player)
    policy.act(some)
    copy = pickle.loads(pickle.dumps(policy))
    assert (copy.name, copy.game.options) == (player, game.options)
    assert (copy.act(some) == policy.act(some)).all()


def test_nobody_to_decide_for_is_no_trouble(game: Game, some: Decisions) -> None:
    nobody = Decisions(*(part[:0] for part in shown(some)))
    assert get_baseline(game, "random").act(nobody).shape == (0,)
    assert get_baseline(game, "random").probabilities(nobody).shape == (0, game.num_actions)


PLAIN = """
import sys
import numpy as np
from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.baselines import baselines, get_baseline

given = np.load(sys.argv[1])
decisions = Decisions(given["view"], given["observation"], given["action_mask"])
game = get_game(sys.argv[3])
players = [get_baseline(game, name) for name in baselines(game)]
np.savez(
    sys.argv[2],
    actions=[player.act(decisions) for player in players],
    probabilities=[player.probabilities(decisions) for player in players],
)
"""


def test_compiled_and_plain_python_play_alike(game: Game, some: Decisions, tmp_path: Path) -> None:
    fewer = Decisions(*(part[::20] for part in shown(some)))
    np.savez(tmp_path / "given.npz", **fewer._asdict())
    subprocess.run(
        [sys.executable, "-c", PLAIN, tmp_path / "given.npz", tmp_path / "plain.npz", game.name],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=True,
    )
    plain = np.load(tmp_path / "plain.npz")
    for number, name in enumerate(baselines(game)):
        policy = get_baseline(game, name)
        assert (plain["actions"][number] == policy.act(fewer)).all(), name
        np.testing.assert_allclose(
            plain["probabilities"][number], policy.probabilities(fewer), rtol=1e-12, err_msg=name
        )
