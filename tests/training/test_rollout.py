from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.registry import get_game
from masked_monsters.training.rollout import SelfPlayBuffer, Step, advantages
from masked_monsters.training.train import new_model
from masked_monsters.training.vec_env import BatchVecEnv
from tests.training.tiny import changed, collect, tiny_config, tiny_model

GAME = get_game("monster_my_neighbor")


# ---------------------------------------------------------------- advantages


def one_lane(rows: list[tuple[int, float, tuple[float, float], bool]]) -> tuple[np.ndarray, ...]:
    """Rows of who decided, the value expected, what both seats were paid, and whether it was cut."""
    seat, value, reward, cut = zip(*rows, strict=True)
    return (
        np.array(seat)[:, None],
        np.array(value, np.float32)[:, None],
        np.array(reward, np.float32)[:, None],
        np.array(cut)[:, None],
    )


def test_advantages_equal_those_worked_out_by_hand() -> None:
    advantage, known = advantages(
        *one_lane(
            [
                (0, 1.0, (0, 0), False),
                (1, 2.0, (4, 0), False),
                (0, 3.0, (0, 0), False),
                (0, 5.0, (0, 1), False),
                (1, 1.0, (2, 7), True),
                (0, 9.0, (0, 0), False),
                (1, 9.0, (0, 0), False),
            ]
        ),
        gamma=0.5,
        gae_lambda=0.5,
    )
    # Seat 0: step 3 earns 2, then the cut: 2 - 5 = -3. Step 2 earns nothing, then step 3, worth 5:
    # 0 + 0.5 * 5 - 3 = -0.5, and a quarter of -3. Step 0 earns 4 while seat 1 decides, then step 2:
    # 4 + 0.5 * 3 - 1 = 4.5, and a quarter of -1.25.
    assert advantage[[0, 2, 3], 0].tolist() == [4.5 - 0.3125, -0.5 - 0.75, -3.0]
    # Seat 1: step 4 earns 7, then the cut: 7 - 1 = 6. Step 1 earns 1 while seat 0 decides, then
    # step 4, worth 1: 1 + 0.5 * 1 - 2 = -0.5, and a quarter of 6.
    assert advantage[[1, 4], 0].tolist() == [-0.5 + 1.5, 6.0]
    # What comes of the last two is not known.
    assert known[:, 0].tolist() == [True] * 5 + [False] * 2


def test_an_open_chain_lends_its_last_value_to_the_decision_before() -> None:
    advantage, known = advantages(
        *one_lane([(0, 1.0, (3, 0), False), (1, 0.0, (0, 0), False), (0, 8.0, (5, 0), False)]),
        gamma=0.5,
        gae_lambda=0.9,
    )
    assert known[:, 0].tolist() == [True, False, False]
    assert advantage[0, 0] == 3 + 0.5 * 8 - 1


def outlook(
    seat: np.ndarray, value: np.ndarray, reward: np.ndarray, cut: np.ndarray, step: int
) -> tuple[float, bool]:
    """The advantage at a step of one lane, forward as the definition has it; and if it is known."""
    who, earned = seat[step], 0.0
    for then in range(step, len(seat)):
        earned += reward[then, who]
        if cut[then]:
            return earned - value[step], True
        if then + 1 < len(seat) and seat[then + 1] == who:
            later, _ = outlook(seat, value, reward, cut, then + 1)
            return earned + 0.9 * value[then + 1] - value[step] + 0.9 * 0.7 * later, True
    return 0.0, False


def test_advantages_equal_those_of_a_plain_forward_recursion_on_random_rollouts() -> None:
    rng = np.random.default_rng(0)
    seat = rng.integers(0, 3, (40, 25))
    value = rng.normal(size=(40, 25)).astype(np.float32)
    reward = (rng.normal(size=(40, 25, 3)) * (rng.random((40, 25, 1)) < 0.3)).astype(np.float32)
    cut = rng.random((40, 25)) < 0.08
    advantage, known = advantages(seat, value, reward, cut, gamma=0.9, gae_lambda=0.7)
    for lane in range(25):
        arrays = seat[:, lane], value[:, lane], reward[:, lane], cut[:, lane]
        expected = [outlook(*arrays, step) for step in range(40)]
        assert known[:, lane].tolist() == [is_known for _, is_known in expected]
        np.testing.assert_allclose(advantage[:, lane], [a for a, _ in expected], atol=1e-5)
    assert 0.5 < known.mean() < 1


def test_without_a_critic_every_decision_of_a_round_is_worth_the_points_its_seat_gets_in_it() -> (
    None
):
    batch = Batch(GAME, 20, 3)
    rng = np.random.default_rng(1)
    seats, rewards, cuts = [], [], []
    for _ in range(120):
        seats.append(batch.seat.copy())
        batch.step((rng.random(batch.action_mask.shape) * batch.action_mask).argmax(-1))
        rewards.append(batch.reward.copy())
        cuts.append(batch.cut.copy())
    seat, reward, cut = np.stack(seats), np.stack(rewards), np.stack(cuts)
    nothing = np.zeros(seat.shape, np.float32)
    advantage, known = advantages(seat, nothing, reward, cut, gamma=1, gae_lambda=1)
    assert reward.sum() > 0
    for lane in range(20):
        begin = 0
        for end in np.flatnonzero(cut[:, lane]):
            points = reward[end, lane]
            assert advantage[begin : end + 1, lane].tolist() == [
                points[who] for who in seat[begin : end + 1, lane]
            ]
            assert known[begin : end + 1, lane].all()
            begin = end + 1


# ---------------------------------------------------------------- what is learned from


@pytest.fixture(scope="module")
def rollout() -> tuple[SelfPlayBuffer, list[Step]]:
    """A filled buffer, and its steps as they were added."""
    model = tiny_model()
    steps: list[Step] = []
    add = model.rollout_buffer.add
    model.rollout_buffer.add = lambda step: (steps.append(step), add(step))[1]  # type: ignore[method-assign]  # to watch it
    collect(model)
    return model.rollout_buffer, steps


def learned_rows(buffer: SelfPlayBuffer) -> Any:
    """All samples of one pass, as arrays under the names in ``Samples``."""
    passed = [samples._asdict() for samples in buffer.get(100)]
    parts = {name: [samples[name] for samples in passed] for name in passed[0]}
    return SimpleNamespace(
        **{name: torch.cat(part).numpy() for name, part in parts.items() if part[0] is not None}
    )


def test_decisions_with_one_legal_action_are_played_but_not_learned_from(
    rollout: tuple[SelfPlayBuffer, list[Step]],
) -> None:
    buffer, steps = rollout
    masks = np.stack([step.action_mask for step in steps])
    assert (masks.sum(-1) == 1).mean() > 0.1
    learned_masks = learned_rows(buffer).action_masks
    assert learned_masks.sum(-1).min() == 2
    assert buffer.played == masks.shape[0] * masks.shape[1]
    assert 0.5 * buffer.played < len(learned_masks) < (masks.sum(-1) > 1).sum()


def test_no_row_of_a_seat_that_does_not_decide_is_learned_from(
    rollout: tuple[SelfPlayBuffer, list[Step]],
) -> None:
    rows = learned_rows(rollout[0])
    decides = rows.observations[:, GAME.slices["to_move"]]
    assert (decides[:, 0] == 1).all()
    assert (decides[:, 1:] == 0).all()
    assert rows.action_masks[np.arange(len(rows.actions)), rows.actions].all()


def test_every_decision_to_learn_from_comes_once_in_a_pass_in_an_order_that_changes(
    rollout: tuple[SelfPlayBuffer, list[Step]],
) -> None:
    buffer, _ = rollout
    first, second = learned_rows(buffer).returns, learned_rows(buffer).returns
    assert sorted(first) == sorted(second) == sorted(buffer.returns)
    assert first.tolist() != second.tolist()


def test_minibatches_have_one_size_so_that_none_is_too_small_to_normalize(
    rollout: tuple[SelfPlayBuffer, list[Step]],
) -> None:
    buffer, _ = rollout
    sizes = [len(samples.actions) for samples in buffer.get(len(buffer.values) - 1)]
    assert len(sizes) == 2
    assert abs(sizes[0] - sizes[1]) <= 1


def test_a_rollout_too_short_to_learn_from_is_an_error_that_says_so() -> None:
    with pytest.raises(ValueError, match="more steps or more games are needed"):
        collect(tiny_model(num_games=1, rollout_steps=2))


def test_relative_pay_is_what_a_seat_gets_more_than_the_mean_of_those_at_its_table() -> None:
    config = tiny_config(table_sizes=[3, 8])
    plain = new_model(config)
    relative = new_model(changed(config, ppo={"relative": True}))
    assert isinstance(plain.env, BatchVecEnv)
    assert isinstance(relative.env, BatchVecEnv)
    seats = plain.env.batch.seats
    paid = 0.0
    for _ in range(100):
        pay, more = plain.play_step(plain.env).reward, relative.play_step(relative.env).reward
        assert more.dtype == np.float32
        for lane, taken in enumerate(seats):
            expected = pay[lane, taken] - pay[lane, taken].mean()
            np.testing.assert_allclose(more[lane, taken], expected, atol=1e-6)
            assert not more[lane, ~taken].any()
        paid += np.abs(more[::2]).sum()
    assert paid > 0


def test_values_and_returns_are_those_of_the_decisions_learned_from(
    rollout: tuple[SelfPlayBuffer, list[Step]],
) -> None:
    buffer, _ = rollout
    rows = learned_rows(buffer)
    values = np.sort(rows.returns - rows.advantages)
    np.testing.assert_allclose(values, np.sort(buffer.values), atol=1e-5)
    assert sorted(rows.returns) == sorted(buffer.returns)
