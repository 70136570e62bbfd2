"""Fixed players and past selves on some seats of the games that are learned from."""

import copy
import gc
import weakref
from typing import Any

import numpy as np
import pytest
import torch

from masked_monsters.envs.batch import Batch
from masked_monsters.training.config import OpponentsConfig
from masked_monsters.training.network import Network
from masked_monsters.training.opponents import STEP_SIZE, Opponent, Opponents
from masked_monsters.training.policy import NetworkPolicy
from masked_monsters.training.rollout import Step
from masked_monsters.training.train import new_model
from tests.evaluation.players import First, Last, Watching
from tests.training.tiny import changed, collect, tiny_config, tiny_model

GAME = "monster_my_neighbor"
LEARNER = Opponents.LEARNER


@pytest.fixture(scope="module")
def network() -> Network:
    return tiny_model().policy


def pool(batch: Batch, *players: Any, seed: int = 0, **config: Any) -> Opponents:
    return Opponents(OpponentsConfig(**config), players, batch, seed)


def opponent(pool: Opponents, number: int) -> Opponent:
    """One that has not been given up."""
    there = pool.opponents[number]
    assert there
    return there


def step(batch: Batch, pool: Opponents, rng: np.random.Generator) -> None:
    """The learner plays at random."""
    actions = (rng.random(batch.action_mask.shape) * batch.action_mask).argmax(axis=1)
    pool.act(batch, actions)
    batch.step(actions)
    pool.follow(batch)


# ---------------------------------------------------------------- a match


def test_a_seat_keeps_its_player_for_a_whole_match_also_when_that_one_is_given_up(
    network: Network,
) -> None:
    batch = Batch(GAME, 60, num_rounds=1)
    opponents = pool(batch, share=0.6, past=1, keep=2, freeze_every=5)
    rng = np.random.default_rng(0)
    given_up_in_play, seen = 0, []

    def players() -> np.ndarray:
        """Whose each seat is, by the identity of its policy."""
        by_number = [id(there.policy) if there else 0 for there in opponents.opponents]
        return np.array([*by_number, LEARNER])[opponents.seating]

    for now in range(80):
        opponents.freeze(network, now)
        seen += [
            there.policy for there in opponents.opponents if there
        ]  # so that no id comes twice
        before = players()
        step(batch, opponents, rng)
        assert (players() == before)[~batch.done].all()
        given_up_in_play += sum(
            there.retired and (opponents.seating == number).any()
            for number, there in enumerate(opponents.opponents)
            if there
        )
    assert given_up_in_play > 0


def test_only_what_the_current_policy_decided_is_learned_from() -> None:
    model = new_model(
        changed(tiny_config(), opponents={"names": ["random"], "past": 0.5, "freeze_every": 500})
    )
    model.set_logger(tiny_model().logger)
    assert model.opponents
    act, add, steps, deciders = model.opponents.act, model.rollout_buffer.add, [], []

    def watched(batch: Batch, actions: np.ndarray) -> np.ndarray:
        deciders.append(model.opponents.seating[np.arange(batch.num_games), batch.seat])  # type: ignore[union-attr]  # it is there
        return act(batch, actions)

    def kept(step: Step) -> None:
        steps.append(step)
        add(step)

    model.opponents.act = watched  # type: ignore[method-assign]  # to watch it
    model.rollout_buffer.add = kept  # type: ignore[method-assign]  # likewise
    collect(model)
    collect(model)
    decider = np.stack(deciders)
    assert {LEARNER, 0} < set(decider.ravel().tolist())  # and past selves
    assert (np.stack([step.own for step in steps]) == (decider == LEARNER)).all()
    (last,) = model.rollout_buffer.get(10**6)
    assert 0 < len(last.actions) < (decider[48:] == LEARNER).sum()
    assert (last.old_log_prob < 0).all()  # 0 is written where others decide


def test_each_player_is_asked_once_a_step_for_all_its_seats(network: Network) -> None:
    batch = Batch(GAME, 200)
    opponents = pool(batch, Watching(), share=0.7, past=0.5, freeze_every=1)
    for now in range(2):
        opponents.freeze(network, now)
    opponents.reseat(batch, np.arange(200))
    players = [Watching() for _ in range(3)]
    for number, player in enumerate(players):
        opponent(opponents, number).policy = player
    decider = opponents.seating[np.arange(200), batch.seat]
    opponents.act(batch, np.zeros(200, np.int64))
    asked = [[len(views) for views in player.views] for player in players]
    assert asked == [[(decider == number).sum()] for number in range(3)]
    assert min(asked) > [0]


# ---------------------------------------------------------------- past selves


def test_a_past_self_stays_as_it_was_while_the_agent_learns() -> None:
    model = new_model(changed(tiny_config(), opponents={"past": 1.0, "share": 0.3}))
    model.set_logger(tiny_model().logger)
    began = copy.deepcopy(model.policy.state_dict())
    for _ in range(2):
        collect(model)
        model.train()
    assert model.opponents
    (past,) = model.opponents.past
    assert isinstance(past.policy, NetworkPolicy)
    for name, weight in past.policy.network.state_dict().items():
        assert torch.equal(weight, began[name])
        assert "weight" not in name or not torch.equal(weight, model.policy.state_dict()[name])


@pytest.mark.parametrize("keep", [2, 5, 8])
def test_of_many_past_selves_a_few_are_kept_that_lie_evenly_over_the_run(
    network: Network, keep: int
) -> None:
    batch = Batch(GAME, 4, num_rounds=1)
    opponents = pool(batch, share=0.5, past=1, keep=keep, freeze_every=10)
    rng = np.random.default_rng(0)
    for now in range(0, 2000, 5):
        opponents.freeze(network, now)
        frozen_at = [past.frozen_at or 0 for past in opponents.past]
        assert len(frozen_at) <= keep
        apart = set(np.diff(frozen_at)) or {10}
        assert len(apart) == 1
        assert frozen_at[0] < min(apart)
        assert now - frozen_at[-1] < min(apart)  # the newest is there
        step(batch, opponents, rng)
    assert len(opponents.past) > keep // 2


def test_those_given_up_leave_their_number_and_their_memory_to_others(network: Network) -> None:
    batch = Batch(GAME, 6, num_rounds=1)
    opponents = pool(batch, First(), share=0.5, past=0.8, keep=3, freeze_every=1)
    rng = np.random.default_rng(0)
    ever: list[weakref.ref[Any]] = []
    for now in range(120):
        opponents.freeze(network, 4**now)  # whatever time must pass, it has
        ever += [weakref.ref(opponents.past[-1].policy)]
        for _ in range(3):
            step(batch, opponents, rng)
    gc.collect()
    alive = {id(policy) for reference in ever if (policy := reference())}
    present = [there for there in opponents.opponents if there]
    assert len({past.frozen_at for past in opponents.past}) > 1
    assert len(alive) == len(present) - 1  # the fixed player
    # A retired one stays for a match of some 20 steps, no longer.
    assert len(opponents.opponents) < 3 + 20


def test_past_selves_are_in_the_order_of_their_decisions_whatever_their_numbers(
    network: Network,
) -> None:
    batch = Batch(GAME, 2, num_rounds=1)
    opponents = pool(batch, share=0.3, past=1, keep=4, freeze_every=1)
    rng = np.random.default_rng(0)
    out_of_order = 0
    for now in range(60):
        opponents.freeze(network, now)
        by_number = [
            there.frozen_at or 0 for there in opponents.opponents if there and not there.retired
        ]
        past = [past.frozen_at or 0 for past in opponents.past]
        assert past == sorted(by_number)
        assert opponents.past[-1].policy.name == f"self@{past[-1]}"
        out_of_order += past != by_number
        for _ in range(10):
            step(batch, opponents, rng)
    assert out_of_order > 0


def test_without_a_part_for_past_selves_none_are_frozen(network: Network) -> None:
    opponents = pool(Batch(GAME, 2), First(), past=0)
    opponents.freeze(network, 10**6)
    assert opponents.past == []


# ---------------------------------------------------------------- who is drawn


def drawn(choice: str, past: float, win_rate: tuple[float, ...], network: Network) -> np.ndarray:
    """How often each of two fixed players and three past selves is on an opponent's seat."""
    batch = Batch(GAME, 8000)
    opponents = pool(batch, First(), Last(), choice=choice, past=past, share=0.5, freeze_every=1)
    for now in range(3):
        opponents.freeze(network, now)
    for number, part in enumerate(win_rate):
        opponent(opponents, number).win_rate = part
    opponents.reseat(batch, np.arange(8000))
    counts = np.bincount(opponents.seating[opponents.seating != LEARNER], minlength=5)
    return counts / counts.sum()


@pytest.mark.parametrize(
    ("choice", "fixed", "past"),
    [
        ("uniform", [1 / 2, 1 / 2], [1 / 3, 1 / 3, 1 / 3]),
        ("latest", [1 / 2, 1 / 2], [1 / 7, 2 / 7, 4 / 7]),
        # (1 - win_rate)² + 0.01
        ("pfsp", [0.01 / 1.02, 1.01 / 1.02], [0.26 / 0.92, 0.65 / 0.92, 0.01 / 0.92]),
    ],
)
def test_opponents_are_drawn_as_often_as_the_configuration_says(
    network: Network, choice: str, fixed: list[float], past: list[float]
) -> None:
    shares = drawn(choice, 0.3, (1.0, 0.0, 0.5, 0.2, 1.0), network)
    expected = [0.7 * part for part in fixed] + [0.3 * part for part in past]
    assert shares == pytest.approx(expected, abs=0.015)  # of 16,000, 4 standard errors


def test_until_there_are_past_selves_fixed_players_have_their_part() -> None:
    seating = pool(Batch(GAME, 2000), First(), past=0.9, share=0.5).seating
    assert (seating == 0).mean() == pytest.approx(0.5, abs=0.03)
    nobody = pool(Batch(GAME, 200), past=0.9, share=0.5).seating
    assert (nobody == LEARNER).all()


# ---------------------------------------------------------------- who beats whom


def finish_matches(batch: Batch, opponents: Opponents, points: dict[int, float]) -> None:
    """As if all matches ended in a step that pays each seat what its player's number says."""
    for number, paid in points.items():
        batch.reward[opponents.seating == number] = paid
    batch.done[:] = True
    opponents.follow(batch)


def test_the_record_is_a_moving_average_over_the_matches_that_both_played() -> None:
    batch = Batch(GAME, 50)
    opponents = pool(batch, First(), Last(), Last(), share=0.5)
    together = [
        int((opponents.seating == number).any(axis=1).sum()) for number in range(3)
    ]  # in every match there is a learner
    finish_matches(batch, opponents, {LEARNER: 2.0, 0: 1.0, 1: 2.0, 2: 3.0})
    kept = [(1 - STEP_SIZE) ** matches for matches in together]
    assert [opponent(opponents, number).win_rate for number in range(3)] == pytest.approx(
        [kept[0] * 0.5 + 1 - kept[0], 0.5, kept[2] * 0.5]
    )


def test_what_a_match_paid_before_its_last_step_counts_and_what_the_last_one_paid_does_not() -> (
    None
):
    batch = Batch(GAME, 40)
    opponents = pool(batch, First(), share=0.5)
    batch.reward[opponents.seating == LEARNER] = 5.0
    opponents.follow(batch)  # a step in mid-match
    batch.reward[:] = 0
    finish_matches(batch, opponents, {LEARNER: 0.0, 0: 4.0})
    once = opponent(opponents, 0).win_rate
    assert once > 0.5
    both = ((opponents.seating == LEARNER).any(1) & (opponents.seating == 0).any(1)).sum()
    batch.reward[:] = 0
    finish_matches(batch, opponents, {LEARNER: 0.0, 0: 0.1})  # lost, all of them
    assert opponent(opponents, 0).win_rate == pytest.approx(once * (1 - STEP_SIZE) ** both)


def test_an_opponent_that_always_beats_the_agent_is_drawn_most() -> None:
    batch = Batch(GAME, 400)
    opponents = pool(batch, First(), Last(), Last(), share=0.5, choice="pfsp")
    for _ in range(5):
        finish_matches(batch, opponents, {LEARNER: 2.0, 0: 1.0, 1: 3.0, 2: 1.0})
    counts = [(opponents.seating == number).sum() for number in range(3)]
    assert counts[1] > 20 * max(counts[0], counts[2])


# ---------------------------------------------------------------- smaller tables


@pytest.mark.parametrize("by_seat", [False, True])
def test_nobody_is_seated_where_no_chair_is_and_somebody_learns_at_every_table(
    name: str, by_seat: bool
) -> None:
    batch = Batch(name, 2000, table_sizes=(3, 8))
    seating = pool(batch, First(), Last(), share=0.9, by_seat=by_seat).seating
    assert (seating[~batch.seats] == LEARNER).all()
    assert ((seating == LEARNER) & batch.seats).any(axis=1).all()
    assert ((seating != LEARNER) & batch.seats)[::2].mean() > 0.1  # 3 of 8 at most


def test_empty_seats_have_no_part_in_the_record() -> None:
    batch = Batch(GAME, 200, table_sizes=(3, 8))
    small = ~batch.seats[:, 7]
    opponents = pool(batch, First(), share=0.5)
    batch.reward[:] = np.where((opponents.seating == LEARNER) & batch.seats, -1.0, -2.0)
    batch.reward[~batch.seats] = 0
    assert (batch.reward[small, :3] < 0).all()
    batch.done[:] = small
    opponents.follow(batch)
    assert opponent(opponents, 0).win_rate > 0.5  # as if 0, an empty seat would be the best
    batch.reward[:] = np.where((opponents.seating == LEARNER) & batch.seats, -2.0, -1.0)
    batch.reward[~batch.seats] = 0
    batch.done[:] = small
    opponents.follow(batch)
    assert opponent(opponents, 0).win_rate < 0.5
