"""Linear probes of hidden facts."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
import torch

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy, act_for
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.bluff.facts import facts_of
from masked_monsters.evaluation.bluff.probe import (
    Reading,
    Task,
    _fit,
    hidden,
    probe,
    read,
    read_prior,
)
from masked_monsters.evaluation.bluff.watching import watch
from masked_monsters.training.network import ILLEGAL
from masked_monsters.training.policy import NetworkPolicy
from masked_monsters.training.train import new_model
from tests.evaluation.players import Drawing
from tests.kuhn import kuhn_poker
from tests.training.tiny import changed, tiny_config

CLASSES = 3


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def _agent(name: str, **network: Any) -> NetworkPolicy:
    """Untrained, with few weights."""
    config = changed(tiny_config(name), network={"hidden": [16, 16], **network})
    return NetworkPolicy(new_model(config).policy)


# ---------------------------------------------------------------- what is fitted


def _task(games: int = 200, each: int = 5, width: int = 12, seed: int = 0) -> Task:
    """Features without meaning; the class is the same all through a game."""
    random = np.random.default_rng(seed)
    numbers = np.repeat(np.arange(games), each)
    return Task(
        features=random.normal(size=(games * each, width)),
        classes=random.integers(CLASSES, size=games)[numbers],
        games=numbers,
        training=numbers < games // 2,
        num_classes=CLASSES,
    )


def _tells_nothing(reading: Reading) -> bool:
    assert reading.auroc is not None
    return reading.gain.low <= 0 and reading.auroc.low <= 0.5 <= reading.auroc.high


def _planted(task: Task) -> Task:
    """The class moves the features along some directions, among others of no meaning."""
    directions = np.random.default_rng(1).normal(size=(CLASSES, task.features.shape[1]))
    return task._replace(features=task.features * 7 + 5 * directions[task.classes] + 100)


def test_a_planted_linear_fact_is_found() -> None:
    reading = read(0, _planted(_task()))
    prior = read_prior(_task())
    assert reading.auroc is not None
    assert reading.auroc.low > 0.85
    assert reading.accuracy.low > prior.accuracy.high + 0.2
    assert reading.gain.low > 0.5
    assert reading.log_loss.mean == pytest.approx(prior.log_loss.mean - reading.gain.mean)


def test_nothing_is_found_if_the_classes_are_shuffled_by_game() -> None:
    task = _planted(_task())
    order = np.random.default_rng(7).permutation(task.games.max() + 1)
    shuffled = task._replace(classes=task.classes[::5][order][task.games])
    assert _tells_nothing(read(0, shuffled))


def test_features_that_tell_games_apart_tell_nothing_of_other_games() -> None:
    """Were decisions split, not games, a probe could know each test game by heart."""
    task = _task(games=120)
    marks = np.random.default_rng(3).normal(size=(120, 200))
    known = task._replace(features=marks[task.games])
    reading = read(0, known)
    assert _tells_nothing(reading)
    assert reading.gain.mean > -0.1  # nor was the strength chosen as if it did
    by_decision = known._replace(training=np.arange(len(known.games)) % 2 == 0)
    *_, logs = _fit(by_decision, (1.0, 0.01))
    truth = by_decision.classes[~by_decision.training]
    assert (logs.argmax(axis=1) == truth).mean() > 0.95


def test_nothing_of_the_test_games_is_used_to_fit() -> None:
    task = _planted(_task())
    *_, before = _fit(task, (0.1,))
    some = np.flatnonzero(task.games >= 150)
    task.features[some] *= 1000
    task.classes[some] = (task.classes[some] + 1) % CLASSES
    *_, after = _fit(task, (0.1,))
    kept = task.games[~task.training] < 150
    assert (before[kept] == after[kept]).all()
    assert read(0, task).strength == read(0, _planted(_task())).strength


def test_neither_a_feature_that_never_changes_nor_its_unit_matters() -> None:
    task = _planted(_task())
    plain = read(0, task)
    features = np.hstack([task.features * 1e-3 - 4, np.zeros((len(task.games), 2))])
    features[~task.training, -1] = 9  # never seen in training
    other = read(0, task._replace(features=features))
    assert other.log_loss.mean == pytest.approx(plain.log_loss.mean, abs=1e-4)


def test_the_prior_is_the_training_games_frequencies_and_tells_nothing() -> None:
    training = np.repeat([True, False], 12)
    classes = np.array([0] * 6 + [1] * 6 + [0] * 6 + [2] * 6)
    prior = read_prior(Task(np.zeros((24, 1)), classes, np.arange(24) // 2, training, 3))
    bits = [-np.log2(7 / 15)] * 6 + [-np.log2(1 / 15)] * 6  # 6, 6 and 0, each once more
    assert prior.log_loss.mean == pytest.approx(np.mean(bits))
    assert (prior.gain.mean, prior.gain.half_width) == (0, 0)
    assert prior.accuracy.mean == 0.5
    assert prior.auroc is not None
    assert prior.auroc.mean == 0.5


# ---------------------------------------------------------------- the facts


class _Twice:
    """The facts at every decision, and the same out of the states as words."""

    def __init__(self, game: Game, games: np.ndarray, random: np.random.Generator) -> None:
        self.records: list[tuple[dict[str, int], dict[str, int]]] = []

    def decide(
        self, policies: Sequence[Policy], decider: np.ndarray, batch: Batch, actions: np.ndarray
    ) -> None:
        lanes = np.flatnonzero(decider >= 0)
        states, seats = batch.states[lanes], batch.seat[lanes].astype(np.int64)
        found = {name: fact.of(states, seats) for name, fact in facts_of(batch.game).items()}
        for row, state in enumerate(states):
            god = batch.game.words.god_view(state)
            one = {name: int(classes[row]) for name, classes in found.items()}
            self.records.append((one, self._in_words(batch.game, god)))
        act_for(enumerate(policies), decider, batch, actions)

    def _in_words(self, game: Game, god: dict[str, Any]) -> dict[str, int]:
        me, n = god["to_move"], game.num_players
        if game.name == "monster_my_neighbor":
            holders = [seat for seat in range(n) if "monster" in god["hands"][seat]]
            return {"monster": (holders[0] - me) % n - 1 if holders else -1}
        kid = god["roles"].index("kid")
        return {
            "kid": (kid - me) % n - 1,
            "bed, seen by monsters": -1 if me == kid else god["under_bed"],
            "bed, seen by the kid": god["under_bed"] if me == kid else -1,
        }

    def stepped(self, batch: Batch, playing: np.ndarray) -> None:
        pass


@pytest.mark.parametrize("players", [3, 5])
def test_the_facts_are_what_the_states_say_in_words(name: str, players: int) -> None:
    game = get_game(name, num_players=players)
    (records,) = watch(game, Drawing(), Drawing(), _Twice, games=20)
    assert len(records) > 50
    for found, expected in records:
        assert found == expected
    for fact, about in facts_of(game).items():
        assert {found[fact] for found, _ in records} - {-1} == set(range(about.classes(players)))


# ---------------------------------------------------------------- networks


@pytest.mark.parametrize("network", [{}, {"kind": "gru"}, {"kind": "attention"}])
def test_the_policy_is_a_linear_function_of_the_hidden_layer(
    name: str, network: dict[str, Any]
) -> None:
    agent = _agent(name, **network)
    batch = Batch(name, 30)
    for _ in range(5):
        batch.step(batch.action_mask.argmax(axis=1))
    decisions = Decisions(
        batch.view, batch.observation, batch.action_mask, batch.history(np.arange(30))
    )
    layer = hidden(agent, decisions)
    assert layer.shape == (30, 16)
    assert layer.dtype == np.float32
    with torch.inference_mode():
        logits = agent.network.action_net(torch.as_tensor(layer))
        logits = logits.where(torch.as_tensor(batch.action_mask).bool(), ILLEGAL)
    assert logits.softmax(dim=1).numpy() == pytest.approx(agent.probabilities(decisions), abs=1e-5)


def test_layers_by_role_lie_side_by_side() -> None:
    batch = Batch("under_my_bed", 40)
    layer = hidden(
        _agent("under_my_bed", per_role=True),
        Decisions(batch.view, batch.observation, batch.action_mask),
    )
    kid = batch.view["role"] == 8
    assert layer.shape == (40, 32)
    assert (layer[kid, 16:] == 0).all()
    assert (layer[~kid, :16] == 0).all()
    assert layer[kid, :16].any()


def test_an_untrained_network_is_probed_the_same_way_each_time(name: str) -> None:
    game = get_game(name)
    agent, others = _agent(name), get_baseline(game, "random")
    result = probe(game, agent, others, games=60, seed=3)
    assert result == probe(game, agent, others, games=60, seed=3)
    assert result != probe(game, agent, others, games=60, seed=5)
    assert (result.agent, result.against) == ("network", "random")
    assert [fact.fact for fact in result.facts] == list(facts_of(game))
    for fact in result.facts:
        assert 5 <= fact.games <= 30
        assert fact.training_games <= 30
        assert fact.games <= fact.decisions
        for reading in (fact.hidden, fact.observation, fact.prior):
            assert 0 <= reading.accuracy.mean <= 1
            assert np.isfinite(reading.log_loss.mean)


def test_where_the_monster_is_can_be_told_from_what_is_known_of_it_and_from_an_untrained_layer() -> (
    None
):
    game = get_game("monster_my_neighbor")
    agent = _agent("monster_my_neighbor")
    (monster,) = probe(game, agent, get_baseline(game, "random"), games=150).facts
    assert monster.observation.gain.low > 0.02
    assert monster.observation.auroc is not None
    assert monster.observation.auroc.low > 0.55


def test_a_network_that_reads_histories_is_probed_too() -> None:
    agent = _agent("monster_my_neighbor", kind="gru")
    game = get_game("monster_my_neighbor", num_rounds=1)
    (monster,) = probe(game, agent, agent, games=40).facts
    assert monster.games > 10
    assert np.isfinite(monster.hidden.log_loss.mean)


def test_who_cannot_be_probed_is_refused() -> None:
    game = get_game("under_my_bed")
    agent = _agent("under_my_bed")
    scripted = get_baseline(game, "honest")
    with pytest.raises(ValueError, match="agent='honest': has no network to probe"):
        probe(game, scripted, scripted, games=20)
    with pytest.raises(ValueError, match="games=19"):
        probe(game, agent, agent, games=19)
    with pytest.raises(ValueError, match="games=20: too few, 'bed, seen by the kid' counts in"):
        probe(game, agent, agent, games=20)
    with pytest.raises(
        ValueError, match=r"kuhn.*: no hidden facts are known; allowed: under_my_bed"
    ):
        probe(kuhn_poker(), agent, agent, games=20)
