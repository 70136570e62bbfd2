"""How a best response is trained: who sits where, and what it begins with."""

from pathlib import Path

import numpy as np
import pytest

from masked_monsters.envs.game import Game

pytest.importorskip("torch")  # of the extra "train"
from masked_monsters.evaluation.best_response import response_config  # needs torch
from masked_monsters.training.config import Config
from masked_monsters.training.opponents import Opponents
from masked_monsters.training.train import new_model
from masked_monsters.training.vec_env import BatchVecEnv
from tests.evaluation.test_best_response import BED, GAME, TINY
from tests.training.tiny import tiny_agent, tiny_config


def seating(config: Config) -> tuple[np.ndarray, np.ndarray | None]:
    """Whether the learner is on each seat, ``(games, seats)``, and the roles there."""
    model = new_model(config)
    assert model.opponents
    assert isinstance(model.env, BatchVecEnv)
    batch = model.env.batch
    roles = batch.game.roles.of(batch.states) if batch.game.roles else None
    return model.opponents.seating == Opponents.LEARNER, roles


@pytest.mark.parametrize("game", [GAME, BED], ids=lambda game: game.name)
def test_one_seat_learns_and_the_agent_has_all_others(game: Game) -> None:
    config = response_config("random", game, overrides=TINY)
    learns, _ = seating(config)
    assert (learns.sum(axis=1) == 1).all()
    assert config.opponents.names == ("random",)


@pytest.mark.parametrize("role", ["kid", "monster"])
def test_all_seats_of_the_role_learn_and_no_others(role: str) -> None:
    learns, roles = seating(response_config("random", BED, role=role, overrides=TINY))
    assert roles is not None
    assert (learns == (roles[:, :4] == ("kid", "monster").index(role))).all()


def test_a_scripted_agent_is_watched_first() -> None:
    config = response_config("tracker", GAME, decisions=5000)
    assert (config.imitation.player, config.run.start_from) == ("tracker", None)


def test_against_a_network_the_response_begins_as_it(tmp_path: Path) -> None:
    agent = tiny_agent(tmp_path / "tiny")
    config = response_config(str(agent), GAME.with_options(num_players=3))
    assert (config.imitation.player, config.run.start_from) == (None, agent)
    assert config.network == tiny_config().network
    assert config.ppo.learning_rate < tiny_config().ppo.learning_rate
    assert config.options["num_players"] == 3


def test_the_reference_agent_goes_by_its_name() -> None:
    config = response_config(f"reference:{BED.name}", BED, role="kid")
    assert config.run.start_from
    assert config.run.start_from.name == "under_my_bed.zip"


@pytest.mark.parametrize(
    ("override", "argument"),
    [
        ("opponents.share=0.5", "AGENT and --role"),
        ("run.decisions=10", "--decisions"),
        ("options={}", "--players and --option"),
    ],
)
def test_what_an_argument_decides_is_not_decided_twice(override: str, argument: str) -> None:
    with pytest.raises(ValueError, match=f"{override}: is decided by {argument}"):
        response_config("random", GAME, overrides=[override])
