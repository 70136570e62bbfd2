"""Networks trained under the mask that keeps them from bluffs."""

import numpy as np
import pytest

from masked_monsters.envs.policy import Decisions
from masked_monsters.evaluation.bluff.candid import forbidden_at
from masked_monsters.evaluation.bluff.lens import forbidden_acts
from masked_monsters.training.train import new_model
from masked_monsters.training.vec_env import BatchVecEnv
from tests.training.tiny import changed, tiny_config


@pytest.mark.parametrize(
    ("game", "candid"),
    [("under_my_bed", "false"), ("under_my_bed", "away"), ("monster_my_neighbor", "away")],
)
def test_a_candid_learner_does_and_learns_nothing_that_is_forbidden(game: str, candid: str) -> None:
    model = new_model(
        changed(tiny_config(game), run={"candid": candid, "num_games": 64}, opponents={"past": 0.0})
    )
    assert isinstance(model.env, BatchVecEnv)
    batch = model.env.batch
    forbid = forbidden_acts(batch.game, candid, None, None)
    kept = 0
    for _ in range(30):
        decisions = Decisions(batch.view.copy(), batch.observation.copy(), batch.action_mask.copy())
        forbidden = forbidden_at(forbid, decisions)
        step = model.play_step(model.env)
        assert (
            step.action_mask[step.own] == decisions.action_mask[step.own] * ~forbidden[step.own]
        ).all()
        assert not forbidden[np.arange(64), step.action][step.own].any()
        kept += int(forbidden[step.own].sum())
    assert kept > 10


def test_a_learner_is_kept_from_nothing_unless_told() -> None:
    assert new_model(tiny_config("under_my_bed")).forbid is None


def test_an_unknown_way_to_be_candid_is_named_before_anything_is_trained() -> None:
    with pytest.raises(ValueError, match="forbidden='lies': must be one of 'false', 'away'"):
        new_model(changed(tiny_config("under_my_bed"), run={"candid": "lies"}))
