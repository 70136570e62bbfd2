"""Players that search: they play well, by what their seat recalls and nothing else."""

import pickle
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.reduced import reduced_game
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation import beliefs
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.baselines.scripted import ScriptedPolicy
from masked_monsters.evaluation.beliefs import Worlds, history_of
from masked_monsters.evaluation.match import evaluate
from masked_monsters.evaluation.search import policy as search
from masked_monsters.evaluation.search.policy import METHODS, SearchPolicy, Tree
from tests.games import weights
from tests.kuhn import BET, CHECK, kuhn_poker

JACK, QUEEN, KING = range(3)
FIRST = np.zeros(1, np.int64)


def kuhn_worlds(
    game: Game, seat: int, history: np.ndarray, *, profile=None, count: int = 1000, seed: int = 0
) -> Worlds:
    """``beliefs.resample`` of Kuhn poker: both other cards alike, as if all had played at random."""
    if profile is not None:
        raise beliefs.NothingFitsError("nothing fits the history")
    used = history[history[:, 0] != 0, 0]
    states = game.new_states(count)
    game.kernels.start_match(states, 0, True)
    states[:] = states[0]
    others = [card for card in range(3) if card != used[0] - 1]
    states["card"][:, seat] = used[0] - 1
    states["card"][:, 1 - seat] = np.random.default_rng(seed).choice(others, count)
    for state in states:
        state["done"][: len(used) - 1] = used[1:] - 4
    states["num_done"] = len(used) - 1
    states["to_move"] = seat
    return Worlds(states, np.full(count, 1 / count))


@pytest.fixture
def kuhn(monkeypatch: pytest.MonkeyPatch) -> Game:
    """Kuhn poker with beliefs."""
    monkeypatch.setattr(beliefs, "resample", kuhn_worlds)
    return kuhn_poker()


def kuhn_decision(game: Game, card: int, *done: int) -> Decisions:
    """Of the seat that has the card, after what has been done."""
    history = np.zeros((1, game.max_tokens, 1), np.int8)
    history[0, : 1 + len(done), 0] = [1 + card, *(4 + action for action in done)]
    view = np.zeros(1, game.view)
    view["seat"] = len(done) % 2
    mask = np.ones((1, 2), np.int8)
    return Decisions(view, np.zeros((1, game.compact_size), np.int8), mask, history)


def decisions_of(game: Game, states: np.ndarray) -> Decisions:
    """Of the seats to move."""
    views, observations = np.zeros(len(states), game.view), np.zeros(len(states), game.compact)
    masks = np.zeros((len(states), game.num_actions), np.int8)
    for lane, seat in enumerate(states["to_move"]):
        game.kernels.observe(states, lane, int(seat), views, observations, lane)
        game.kernels.list_legal(states, lane, masks[lane])
    history = game.history(states, np.arange(len(states)))
    return Decisions(views, observations.view(np.int8).reshape(len(states), -1), masks, history)


@cache
def positions(name: str, steps: int = 40, lanes: int = 2) -> np.ndarray:
    """States at decisions with a choice, of matches played at random."""
    game = get_game(name)
    batch = Batch(game, lanes, 5)
    random, found = np.random.default_rng(6), []
    for _ in range(steps):
        found.append(batch.states[batch.action_mask.sum(axis=1) > 1].copy())
        drawn = random.random(batch.action_mask.shape) * batch.action_mask * weights(game)
        batch.step(drawn.argmax(axis=1))
    return np.concatenate(found)


def searcher(game: Game, method: str = "ismcts", seed: int = 7, **options) -> SearchPolicy:
    """A player with few worlds, reset."""
    policy = SearchPolicy(game, method, **{"simulations": 60, "worlds": 8, **options})
    policy.reset(seed)
    return policy


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> str:
    """Each method in turn."""
    return request.param


# ---------------------------------------------------------------- how well they play


@pytest.mark.parametrize(
    ("card", "done", "best"),
    [
        (KING, (BET,), BET),
        (KING, (CHECK, BET), BET),
        (JACK, (BET,), CHECK),
        (JACK, (CHECK, BET), CHECK),
        (KING, (CHECK,), BET),
    ],
)
def test_dominated_actions_of_kuhn_poker_are_not_chosen(
    kuhn: Game, method: str, card: int, done: tuple[int, ...], best: int
) -> None:
    policy = searcher(kuhn, method, simulations=300, worlds=50)
    for _ in range(10):
        assert policy.act(kuhn_decision(kuhn, card, *done)) == [best]


def test_the_tree_finds_the_best_response_that_random_play_does_not(kuhn: Game) -> None:
    """A bet with a jack pays against one who calls at random, not against one who knows better."""
    decision = kuhn_decision(kuhn, JACK)
    assert searcher(kuhn, "ismcts", simulations=5000).act(decision) == [CHECK]


@pytest.mark.parametrize("name", ["mmn-tiny", "mmn-small"])
def test_they_beat_random_play(name: str, method: str) -> None:
    game = reduced_game(name)
    result = evaluate(game, searcher(game, method), get_baseline(game, "random"), matches=600)
    assert result.gain.low > 0.05


@compiled
def weigh_checks(view: Any, mask: Any, weights: Any) -> None:
    """Checks, and folds."""
    weights[:] = 0
    weights[CHECK] = 1


@compiled
def weigh_bets(view: Any, mask: Any, weights: Any) -> None:
    """Bets, and calls."""
    weights[:] = 0
    weights[BET] = 1


def test_rollouts_are_played_by_the_player_named(
    kuhn: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To bet with a jack pays against one who folds, and not against one who calls."""
    players = {"folder": weigh_checks, "caller": weigh_bets}
    monkeypatch.setattr(search, "baselines", lambda game: tuple(players))
    monkeypatch.setattr(
        search, "get_baseline", lambda game, name: ScriptedPolicy(game, name, players[name])
    )
    for name, best in (("folder", BET), ("caller", CHECK)):
        assert searcher(kuhn, "pimc", rollout=name).act(kuhn_decision(kuhn, JACK)) == [best]


# ---------------------------------------------------------------- what they know


@pytest.mark.parametrize("options", [{}, {"seconds": 1e-6, "simulations": None}])
def test_what_the_seat_cannot_know_changes_nothing(name: str, method: str, options: dict) -> None:
    game = get_game(name)
    told = 0
    for state in positions(name):
        seat = int(state["to_move"])
        truth = np.array([state])
        twins = beliefs.resample(game, seat, history_of(game, truth, 0, seat), count=200).states[:4]
        asked = [decisions_of(game, states) for states in (truth, *twins[:, None])]
        told += any(twin != state for twin in twins)
        policies = [searcher(game, method, **options) for _ in asked]
        rows = [policy.probabilities(one) for policy, one in zip(policies, asked, strict=True)]
        assert all((row == rows[0]).all() for row in rows)
    assert told > 20


def test_seat_history_and_legal_actions_are_all_they_read(name: str, method: str) -> None:
    game = get_game(name)
    decisions = decisions_of(game, positions(name))
    bare = decisions._replace(
        view=np.zeros_like(decisions.view), observation=np.zeros_like(decisions.observation)
    )
    bare.view["seat"] = decisions.view["seat"]
    expected = searcher(game, method).probabilities(decisions)
    assert (searcher(game, method).probabilities(bare) == expected).all()


def test_the_luck_to_come_of_a_world_is_not_used(
    name: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = get_game(name)
    decisions = decisions_of(game, positions(name))
    expected = searcher(game, method).probabilities(decisions)
    original = beliefs.resample

    def with_other_luck(*args, **options) -> Worlds:
        worlds = original(*args, **options)
        worlds.states["random"] += np.uint64(1)
        worlds.states["stream"] += np.uint64(1)
        return worlds

    monkeypatch.setattr(beliefs, "resample", with_other_luck)
    assert (searcher(game, method).probabilities(decisions) == expected).all()


def test_worlds_count_by_their_weight(kuhn: Game, monkeypatch, method: str) -> None:
    """A queen calls a bet if it is sure to be a jack's, and folds to a king's."""

    def surely(card: int):
        def resample(*args, **options) -> Worlds:
            worlds = kuhn_worlds(*args, **options)
            likely = worlds.states["card"][:, 0] == card
            return Worlds(worlds.states, likely / likely.sum())

        return resample

    decision = kuhn_decision(kuhn, QUEEN, BET)
    policy = searcher(kuhn, method)
    for card, best in ((JACK, BET), (KING, CHECK)):
        monkeypatch.setattr(beliefs, "resample", surely(card))
        assert policy.act(decision) == [best]


def test_without_beliefs_they_are_refused_when_made(method: str) -> None:
    with pytest.raises(ValueError, match="kuhn_poker: has no beliefs"):
        SearchPolicy(kuhn_poker(), method)


def test_where_nothing_fits_the_profile_others_are_taken_to_play_at_random(
    kuhn: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = searcher(kuhn).act(kuhn_decision(kuhn, QUEEN))
    policy = searcher(kuhn)
    policy.profile = get_baseline(kuhn, "random")
    assert (policy.act(kuhn_decision(kuhn, QUEEN)) == expected).all()


# ---------------------------------------------------------------- how they play


def test_the_same_seed_gives_the_same_play(name: str, method: str) -> None:
    game = get_game(name)
    decisions = decisions_of(game, positions(name))
    plays = [searcher(game, method, seed).act(decisions) for seed in (0, 0, 1)]
    assert (plays[0] == plays[1]).all()
    assert (plays[0] != plays[2]).any()


def test_act_chooses_as_the_probabilities_say(kuhn: Game, method: str) -> None:
    decision = kuhn_decision(kuhn, QUEEN, BET)
    acting, telling = (searcher(kuhn, method, simulations=10) for _ in range(2))
    acted = np.concatenate([acting.act(decision) for _ in range(50)])
    told = np.concatenate([telling.probabilities(decision) for _ in range(50)])
    assert (told.argmax(axis=1) == acted).all()
    assert (told.sum(axis=1) == 1).all()
    assert 0 < acted.mean() < 1


def test_whole_matches_are_played_legally(name: str, method: str) -> None:
    game = get_game(name)
    batch = Batch(game, 4, 8)
    policy = searcher(game, method, simulations=20)
    ended = 0
    while ended < 4:  # an illegal action would be refused
        history = batch.history(np.arange(4))
        batch.step(policy.act(Decisions(batch.view, batch.observation, batch.action_mask, history)))
        ended += batch.done.sum()


def test_a_budget_in_seconds_ends_and_is_used(kuhn: Game, method: str) -> None:
    for seconds in (1e-9, 0.05):
        policy = searcher(kuhn, method, simulations=None, seconds=seconds)
        assert policy.act(kuhn_decision(kuhn, KING, BET)) == [BET]
    short, long = (searcher(kuhn, simulations=None, seconds=s) for s in (1e-9, 0.3))
    history = kuhn_decision(kuhn, KING).history
    assert history is not None
    visits = [int(policy.grow(0, history[0]).chosen[0].sum()) for policy in (short, long)]
    assert visits[0] == 32
    assert visits[1] > 320


def test_only_one_legal_action_needs_no_search(
    kuhn: Game, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = searcher(kuhn, method)
    monkeypatch.setattr(beliefs, "resample", None)
    decision = kuhn_decision(kuhn, KING)
    decision.action_mask[0, CHECK] = 0
    assert policy.act(decision) == [BET]


def test_they_pickle_with_their_random_numbers(name: str, method: str) -> None:
    game = get_game(name)
    policy, decisions = searcher(game, method), decisions_of(game, positions(name)[:10])
    policy.act(decisions)
    copied = pickle.loads(pickle.dumps(policy))
    assert copied.name == policy.name
    assert (copied.act(decisions) == policy.act(decisions)).all()


def test_evaluation_does_not_depend_on_the_workers() -> None:
    game = reduced_game("mmn-tiny")
    agents = searcher(game, simulations=5, worlds=2), get_baseline(game, "random")
    results = [evaluate(game, *agents, matches=3 * 300, workers=workers) for workers in (1, 2)]
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "minimax"}, "method='minimax': must be one of 'pimc', 'ismcts'"),
        ({"simulations": 0}, "simulations=0: must be an integer from 1"),
        ({"seconds": 0.0}, "seconds=0.0: must be a number above 0"),
        ({"seconds": float("nan")}, "seconds=nan: must be"),
        ({"seconds": 1.0, "simulations": 1}, "seconds=1.0: must not be given beside simulations"),
        ({"worlds": 0}, "worlds=0: must be"),
        ({"rollout": "nobody"}, "rollout='nobody': must be one of 'random'"),
        ({"exploration": -1.0}, "exploration=-1.0: must be"),
    ],
)
def test_a_bad_argument_is_refused_by_name(kuhn: Game, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SearchPolicy(kuhn, **options)


@pytest.mark.parametrize(
    ("spec", "simulations", "seconds"),
    [("ismcts", 1000, None), ("pimc:50", 50, None), ("ismcts:0.1s", 1000, 0.1)],
)
def test_they_are_loaded_by_name_and_budget(
    kuhn: Game, spec: str, simulations: int, seconds: float | None
) -> None:
    policy = load_agent(spec, kuhn)
    assert isinstance(policy, SearchPolicy)
    assert (policy.name, policy.method) == (spec, spec.partition(":")[0])
    assert (policy.simulations, policy.seconds) == (simulations, seconds)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ismcts:", r"'ismcts:'.*simulations \(ismcts:2000\) or of seconds \(ismcts:0.1s\)"),
        ("pimc:many", r"'pimc:many'.*\(pimc:2000\)"),
        ("pimc:s", r"'pimc:s'.*\(pimc:2000\)"),
        ("ismcts:0", "simulations=0: must be"),
        ("ismcts:-1s", "seconds=-1.0: must be"),
    ],
)
def test_a_bad_budget_is_refused(kuhn: Game, spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_agent(spec, kuhn)


# ---------------------------------------------------------------- the tree


def trees(name: str, **options) -> Iterator[tuple[Decisions, Tree]]:
    game = get_game(name)
    for state in positions(name)[:20]:
        decision = decisions_of(game, np.array([state]))
        assert decision.history is not None
        policy = searcher(game, simulations=400, **options)
        yield decision, policy.grow(int(state["to_move"]), decision.history[0])


def test_the_statistics_of_a_tree_add_up(name: str) -> None:
    for decision, tree in trees(name):
        size, mask = int(tree.size[0]), decision.action_mask[0].astype(int)
        chosen, available = tree.chosen[:size], tree.available[:size]
        visits = chosen.sum(axis=1)
        assert visits[0] == 400
        assert (available[0] == 400 * mask).all()
        assert (chosen <= available).all()
        assert (available <= visits[:, None]).all()
        assert (tree.total[:size] >= 0).all()
        assert (tree.total[:size] <= 1.5 * chosen).all()
        assert not tree.chosen[size:].any()


def test_what_is_legal_in_one_world_alone_is_available_there_alone() -> None:
    def parts(worlds: int) -> np.ndarray:
        found = []
        for _, tree in trees("monster_my_neighbor", worlds=worlds):
            visits = tree.chosen.sum(axis=1)
            visited = visits > 0
            found.append((tree.available[visited] / visits[visited, None]).ravel())
        return np.concatenate(found)

    some = parts(8)
    assert ((some > 0) & (some < 1)).mean() > 0.05


def test_selection_is_ucb1_over_availability(kuhn: Game) -> None:
    policy, random = searcher(kuhn), np.random.default_rng(9)
    tree, work = policy._empty_tree(), policy._work
    work.mask[:] = 1
    seen = set()
    for _ in range(200):
        tree.chosen[0] = random.integers(1, 20, 2)
        tree.available[0] = tree.chosen[0] + random.integers(0, 200, 2)
        tree.total[0] = tree.chosen[0] * random.random(2)
        times = tree.chosen[0].astype(float)
        width = np.sqrt(np.log(tree.available[0] + 1) / times)
        best = int((tree.total[0] / times + 0.7 * width).argmax())
        assert policy._loop.select(0, 0.7, tree, work) == best
        seen.add(best)
    assert seen == {0, 1}
