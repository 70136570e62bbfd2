"""Tables of several sizes in one ``Batch``, and what a learner may ask it beside the observation."""

from collections.abc import Iterator

import numpy as np
import pytest

from masked_monsters.envs.batch import Batch
from tests.envs.learner import choose
from tests.games import Case

SIZES = (3, 5, 8)


@pytest.fixture
def batch(name: str, case: Case) -> Batch:
    """Tables of 3, 5 and 8 players in turn; short matches."""
    return Batch(name, 12, seed=3, table_sizes=SIZES, **case.short)


def played(batch: Batch, steps: int) -> Iterator[np.ndarray]:
    """Before each step its actions, at random."""
    rng = np.random.default_rng(0)
    for _ in range(steps):
        actions = choose(batch.game, batch.action_mask, rng)
        yield actions
        batch.step(actions)


def test_a_lane_is_that_of_a_batch_of_its_own_table_size(
    name: str, case: Case, batch: Batch
) -> None:
    alone = [
        Batch(name, 4, batch.seeds[first::3], **{**case.short, "num_players": size})
        for first, size in enumerate(SIZES)
    ]
    ended = np.zeros(3, np.int64)
    for actions in played(batch, 150):
        for first, lanes in enumerate(alone):
            mine = slice(first, None, 3)
            for array in ("states", "seat", "view", "observation", "action_mask", "cut", "done"):
                theirs = getattr(lanes, array)
                assert (getattr(batch, array)[mine] == theirs).all(), array
            assert (batch.reward[mine, : lanes.num_players] == lanes.reward).all()
            over = lanes.done
            assert (batch.final_states[mine][over] == lanes.final_states[over]).all()
            ended[first] += over.sum()
            lanes.step(actions[mine])
    assert (ended > 0).all()


def test_where_nobody_sits_nobody_decides_or_is_paid(batch: Batch) -> None:
    assert batch.num_players == 8
    assert batch.seats.sum(axis=1).tolist() == [3, 5, 8] * 4
    assert (batch.seats == np.sort(batch.seats)[:, ::-1]).all()
    paid = 0.0
    for _ in played(batch, 200):
        assert batch.seats[np.arange(12), batch.seat].all()
        assert (batch.reward[~batch.seats] == 0).all()
        paid += np.abs(batch.reward).sum()
    assert paid > 0


def test_fewer_lanes_than_sizes_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"table_sizes=\[3, 5, 8\]: must be at most num_games=2"):
        Batch(name, 2, table_sizes=SIZES)


def test_a_table_size_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="num_players=9: must be an integer from 3 to 8"):
        Batch(name, 2, table_sizes=(3, 9))


def test_the_whole_table_is_what_each_seat_observes_from_the_deciding_one(batch: Batch) -> None:
    game = batch.game
    view, observation = np.zeros(1, game.view), np.zeros(1, game.compact)
    seen_by_others_alone = 0
    for _ in played(batch, 60):
        whole = batch.whole_table()
        assert whole.shape == (12, 8 * game.compact_size)
        blocks = whole.reshape(12, 8, game.compact_size)
        assert (blocks[:, 0] == batch.observation).all()
        for lane, size in enumerate(batch.seats.sum(axis=1)):
            for k in range(size):
                seat = (int(batch.seat[lane]) + k) % size
                game.kernels.observe(batch.states, lane, seat, view, observation, 0)
                assert (blocks[lane, k] == observation.view(np.int8)).all()
            assert not blocks[lane, size:].any()
            seen_by_others_alone += (blocks[lane, 1:size] != blocks[lane, 0]).any()
    assert seen_by_others_alone > 0


def test_a_history_is_what_the_rules_say_that_the_deciding_seat_recalls(batch: Batch) -> None:
    game = batch.game
    lanes = np.array([7, 2, 0, 5, 11])
    longest = 0
    for _ in played(batch, 60):
        history = batch.history(lanes)
        assert history.shape == (5, batch.max_tokens, len(game.token_highs))
        for row, lane in enumerate(lanes):
            size = int(batch.seats[lane].sum())
            tokens = np.zeros_like(history[0, : game.with_options(num_players=size).max_tokens])
            used = game.kernels.recollect(batch.states, lane, int(batch.seat[lane]), tokens)
            assert (history[row, :used] == tokens[:used]).all()
            assert not history[row, used:].any()
            longest = max(longest, used)
    assert longest > 10


def test_to_ask_for_the_table_or_the_history_changes_nothing(batch: Batch) -> None:
    for _ in played(batch, 30):
        before = batch.states.copy(), batch.observation.copy(), batch.view.copy()
        batch.whole_table()
        batch.history(np.arange(12))
        assert (batch.states == before[0]).all()
        assert (batch.observation == before[1]).all()
        assert (batch.view == before[2]).all()
