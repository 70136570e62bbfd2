"""Scripted players on some seats of the games that are learned from."""

from collections.abc import Sequence

import numpy as np
import pytest

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.policy import Policy
from masked_monsters.envs.registry import get_game
from masked_monsters.training.config import Config, OpponentsConfig, make_config
from masked_monsters.training.opponents import Opponents
from masked_monsters.training.train import new_model
from tests.evaluation.players import First, Last
from tests.training.tiny import collect, tiny_config, tiny_model

GAME = get_game("under_my_bed", max_questions=2)
assert GAME.roles
ROLES = GAME.roles
LEARNER = Opponents.LEARNER


def seated(
    players: Sequence[Policy],
    share: float | dict[str, float],
    batch: Batch,
    seed: int = 0,
    by_seat: bool = False,
) -> Opponents:
    """Fixed players on some of the seats."""
    return Opponents(OpponentsConfig(share=share, by_seat=by_seat), players, batch, seed)


def test_where_no_roles_are_dealt_each_seat_has_a_coin_of_its_own() -> None:
    batch = Batch("monster_my_neighbor", 10_000)
    seating = seated([First(), Last()], 0.3, batch, seed=1).seating
    for place in range(4):  # in 1 match of 123 nobody would learn, and one does
        counts = [(seating[:, place] == number).mean() for number in (LEARNER, 0, 1)]
        assert counts == pytest.approx([0.7, 0.15, 0.15], abs=0.02)
    assert abs(np.corrcoef(seating == LEARNER, rowvar=False)[0, 1]) < 0.06


def test_the_seats_of_a_role_have_one_coin_and_one_player() -> None:
    batch = Batch(GAME, 10_000)
    seating = seated([First(), Last()], 0.5, batch, seed=1).seating
    is_kid = ROLES.of(batch.states) == 0
    kid, monsters = seating[is_kid], seating[~is_kid].reshape(-1, 3)
    assert (monsters == monsters[:, :1]).all()
    shares = [
        ((kid == LEARNER) & (monsters[:, 0] == LEARNER)).mean(),
        ((kid == LEARNER) & (monsters[:, 0] != LEARNER)).mean(),
        ((kid != LEARNER) & (monsters[:, 0] == LEARNER)).mean(),
        ((kid != LEARNER) & (monsters[:, 0] != LEARNER)).mean(),
    ]
    # A quarter of the matches would be of opponents alone, and is shared out.
    assert shares == pytest.approx([0.25, 0.375, 0.375, 0], abs=0.02)


def test_a_side_keeps_its_player_until_its_match_ends_and_is_that_of_the_new_deal_then() -> None:
    batch = Batch(GAME, 200, 0)
    opponents = seated([First()], 0.5, batch, seed=0)
    rng = np.random.default_rng(0)
    changed = 0
    for _ in range(60):
        before = opponents.seating.copy()
        batch.step((rng.random(batch.action_mask.shape) * batch.action_mask).argmax(1))
        opponents.follow(batch)
        assert (opponents.seating == before)[~batch.done].all()
        changed += int((opponents.seating != before).any(1).sum())
        is_kid = ROLES.of(batch.states) == 0
        monsters = opponents.seating[~is_kid].reshape(-1, 3)
        assert (monsters == monsters[:, :1]).all()
    assert changed > 100


def test_opponents_act_where_they_decide_and_only_there() -> None:
    batch = Batch(GAME, 300, 0)
    opponents = seated([First(), Last()], 0.5, batch, seed=0)
    actions = np.full(300, -7)
    own = opponents.act(batch, actions)
    decider = opponents.seating[np.arange(300), batch.seat]
    assert (own == (decider == LEARNER)).all()
    assert (actions[own] == -7).all()
    first, last = batch.action_mask.argmax(1), batch.action_mask[:, ::-1].argmax(1)
    assert (actions[decider == 0] == first[decider == 0]).all()
    assert (actions[decider == 1] == batch.action_mask.shape[1] - 1 - last[decider == 1]).all()


def config_against(*names: str, share: float) -> Config:
    config = tiny_config()
    opponents = config.opponents.model_copy(update={"names": names, "share": share})
    return config.model_copy(update={"opponents": opponents})


def test_opponents_decisions_are_not_learned_from() -> None:
    everything, some = tiny_model(), new_model(config_against("random", share=0.5))
    some.set_logger(everything.logger)
    shares = []
    for model in (everything, some):
        collect(model)
        shares.append(len(model.rollout_buffer.values) / model.rollout_buffer.played)
    assert 0.4 < shares[1] / shares[0] < 0.65


def test_where_all_would_be_opponents_one_seat_learns() -> None:
    opponents = seated([First()], 1.0, Batch("monster_my_neighbor", 4000), seed=0)
    learns = opponents.seating == LEARNER
    assert (learns.sum(axis=1) == 1).all()
    assert learns.mean(axis=0) == pytest.approx([0.25] * 4, abs=0.03)


def test_a_mistyped_opponent_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"opponents\.names='nobody': must be one of 'random'"):
        make_config({**tiny_config().model_dump(), "opponents": {"names": ["nobody"]}})


def test_a_share_can_be_given_by_role() -> None:
    batch = Batch(GAME, 4000)
    share = {"kid": 0.2, "monster": 0.8}
    seating = seated([First()], share, batch, seed=1, by_seat=True).seating
    is_kid = ROLES.of(batch.states) == 0
    assert (seating[is_kid] == 0).mean() == pytest.approx(0.2 * (1 - 0.8**3 / 4), abs=0.03)
    monsters = seating[~is_kid].reshape(-1, 3)
    assert (monsters == 0).mean() == pytest.approx(0.8 - 0.2 * 0.8**3 / 4, abs=0.03)
    assert (monsters != monsters[:, :1]).any()


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (
            "under_my_bed",
            r"must be one number, or one for each role of under_my_bed \(kid, monster",
        ),
        ("monster_my_neighbor", r"monster_my_neighbor \(it deals none"),
    ],
)
def test_a_share_of_roles_that_are_not_dealt_is_refused(game: str, said: str) -> None:
    values = {**tiny_config(game).model_dump(), "opponents": {"share": {"kid": 0.5}}}
    with pytest.raises(ValueError, match=said):
        make_config(values)
