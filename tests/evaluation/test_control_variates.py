"""Control variates: no bias whatever the value function, and less luck with a good one."""

import json
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.reduced import reduced_game
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.control_variates import Corrections, whole_tables
from masked_monsters.evaluation.exact.solve import value as exact_values
from masked_monsters.evaluation.exact.tree import build_tree, seated, strategy_of
from masked_monsters.evaluation.lanes import play
from masked_monsters.evaluation.match import evaluate
from masked_monsters.evaluation.value import ValueFunction, fit_value, load_value, save_value
from tests.evaluation.players import Drawing

TWO_ROUNDS = get_game("monster_my_neighbor", num_players=3, hand_size=3, num_rounds=2)
PAID_AT_THE_END = TWO_ROUNDS.with_options(reward="win")
GAMES = {
    "two rounds": TWO_ROUNDS,
    "paid at the end": PAID_AT_THE_END,
    "mmn-small": reduced_game("mmn-small"),
    "umb-small": reduced_game("umb-small"),
}


class Nonsense:
    """A value function that means nothing, far from 0, and pickles."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        n = game.num_players
        self.weights = np.random.default_rng(seed).normal(size=(n * game.compact_size, n)) / 10

    def __call__(self, tables: np.ndarray) -> np.ndarray:
        return 2 + np.sin(tables @ self.weights)


# ---------------------------------------------------------------- exactly


@pytest.mark.parametrize(("name", "deals"), [("mmn-tiny", 12), ("umb-tiny", 3), ("umb-small", 3)])
def test_the_expected_correction_of_each_decision_that_can_follow_a_deal_is_0(
    name: str, deals: int
) -> None:
    game = reduced_game(name)
    value = Nonsense(game)
    policy = Drawing(np.random.default_rng(1).random(game.num_actions) + 0.1)
    policy.probabilities = lambda decisions: _in_proportion(decisions, policy)
    decisions = chancy = 0
    for state in _decisions(game, seeds=range(deals)):
        agent = decisions % game.num_players
        probabilities = policy.probabilities(_decision(game, state))
        expected, uncertain = _expectation(game, value, state, agent, probabilities)
        mean = np.zeros(game.num_players)
        outcomes = 0
        for weight, worth in _outcomes(game, value, state, agent, probabilities[0]):
            mean += weight * worth
            outcomes += 1
        assert uncertain or outcomes == 1
        if uncertain:
            assert expected == pytest.approx(mean, abs=1e-9)
        decisions += 1
        chancy += outcomes > (probabilities > 0).sum()
    assert decisions > 200
    assert chancy > 0 or name == "umb-tiny"  # whose order is fixed


def _in_proportion(decisions: Decisions, policy: Drawing) -> np.ndarray:
    weights = decisions.action_mask * policy.weights
    return weights / weights.sum(axis=1, keepdims=True)


def _decision(game: Game, state: np.ndarray) -> Decisions:
    views, observations = np.zeros(1, game.view), np.zeros(1, game.compact)
    mask = np.zeros((1, game.num_actions), np.int8)
    game.kernels.observe(state, 0, int(state["to_move"][0]), views, observations, 0)
    game.kernels.list_legal(state, 0, mask[0])
    return Decisions(views, observations.view(np.int8).reshape(1, -1), mask)


def _decisions(game: Game, seeds: range) -> Iterator[np.ndarray]:
    """Every decision that can follow the deals of some seeds."""
    for seed in seeds:
        state = game.new_states(1)
        state["stream"] = seed
        game.kernels.start_match(state, 0, True)
        open_ = [state]
        while open_:
            state = open_.pop()
            yield state
            for action in np.flatnonzero(_decision(game, state).action_mask[0]):
                for after, _ in _settled(game, _after(game, state, int(action)), 1.0):
                    if after["phase"][0] != OVER:
                        open_.append(after)


def _after(game: Game, state: np.ndarray, action: int) -> np.ndarray:
    after = state.copy()
    game.kernels.step(after, 0, action, False)
    return after


def _settled(game: Game, state: np.ndarray, weight: float) -> Iterator[tuple[np.ndarray, float]]:
    """What chance can make of a state, one event after the other."""
    if state["phase"][0] != CHANCE:
        yield state, weight
        return
    codes, weights = np.zeros(10_000, np.int64), np.zeros(10_000)
    for outcome in range(game.kernels.list_chance(state, 0, codes, weights)):
        after = state.copy()
        game.kernels.resolve_chance(after, 0, codes[outcome])
        yield from _settled(game, after, weight * weights[outcome])


def _outcomes(
    game: Game, value: Nonsense, state: np.ndarray, agent: int, probabilities: np.ndarray
) -> Iterator[tuple[float, np.ndarray]]:
    """The probability of everything that a decision can lead to, and its worth to all seats."""
    turn = (agent + np.arange(game.num_players)) % game.num_players
    for action in np.flatnonzero(probabilities):
        after = _after(game, state, int(action))
        for end, weight in _settled(game, after, probabilities[action]):
            worth = end["reward"][0, turn].astype(float)
            if end["phase"][0] != OVER:
                seen = np.zeros(game.num_players, game.compact)
                views = np.zeros(game.num_players, game.view)
                for row, seat in enumerate(turn):
                    game.kernels.observe(end, 0, int(seat), views, seen, row)
                worth += value(seen.view(np.int8).reshape(1, -1))[0]
            yield weight, worth


def _expectation(
    game: Game, value: Nonsense, state: np.ndarray, agent: int, probabilities: np.ndarray
) -> tuple[np.ndarray, bool]:
    """What ``Corrections`` expects of a decision."""
    seating = (np.arange(game.num_players) != agent).astype(np.int64)[None]
    seeds = np.zeros(1, np.uint64)
    corrections = Corrections(game, value, seating, seeds, np.random.SeedSequence(0))
    work = corrections._work
    work.sums[:] = 0
    corrections._expect(
        corrections._loop.weigh_decisions, state, np.array([0]), probabilities=probabilities
    )
    return work.sums[0], bool(work.uncertain[0])


# ---------------------------------------------------------------- by many matches


def _errors(
    game: Game, kind: type[Corrections] = Corrections, deals: int = 1500, **sizes: int
) -> np.ndarray:
    """``(n,)``: by how many standard errors the seats' mean corrections with nonsense are not 0."""
    n = game.num_players
    policies = [Drawing(), get_baseline(game, "random")]
    for policy in policies:
        policy.reset(1)
    seeds = np.arange(deals, dtype=np.uint64)
    seating = 1 - np.eye(n, dtype=np.int64)[np.arange(deals) % n]
    corrections = kind(game, Nonsense(game), seating, seeds, np.random.SeedSequence(7), **sizes)
    play(game, policies, seating, seeds, corrections)
    found = corrections.by_seat
    return abs(found.mean(axis=0)) / (found.std(axis=0) / np.sqrt(deals))


@pytest.mark.parametrize("name", GAMES)
def test_the_mean_correction_is_0_whatever_the_value_function(name: str) -> None:
    assert _errors(GAMES[name]).max() < 4.5


@pytest.mark.parametrize("draws", [1, 3])
def test_it_is_0_too_where_chance_is_drawn_instead_of_enumerated(draws: int) -> None:
    assert _errors(TWO_ROUNDS, max_leaves=draws, draws=draws).max() < 4.5


class _ForgetsDeals(Corrections):
    def _expect(self, weigh: Callable[..., int], *args: Any, **of: Any) -> None:
        if "actions" not in of:
            super()._expect(weigh, *args, **of)


class _ForgetsWhatCame(Corrections):
    def _subtract(self, states: np.ndarray, lanes: np.ndarray) -> None:
        pass


class _ForgetsDecisions(Corrections):
    def _expect(self, weigh: Callable[..., int], *args: Any, **of: Any) -> None:
        before = self._work.sums.copy()
        super()._expect(weigh, *args, **of)
        if "probabilities" in of:
            self._work.sums[:] = before


class _ForgetsRewards(Corrections):
    def stepped(self, batch: Any, playing: np.ndarray) -> None:
        paid = batch.reward.copy()
        batch.reward[:] = 0
        super().stepped(batch, playing)
        batch.reward[:] = paid


@pytest.mark.parametrize(
    "broken", [_ForgetsDeals, _ForgetsWhatCame, _ForgetsDecisions, _ForgetsRewards]
)
def test_without_one_of_its_terms_it_is_not_0(broken: type[Corrections]) -> None:
    assert _errors(TWO_ROUNDS, broken).max() > 8


@cache
def _tracker_value() -> ValueFunction:
    game = reduced_game("mmn-small")
    tracker, random = get_baseline(game, "tracker"), get_baseline(game, "random")
    return fit_value(game, tracker, [random], matches=1000, seed=3)


def _experiments(count: int, deals: int) -> np.ndarray:
    """``(count, deals)``: the mean corrected scores of the tracker against ``random`` by deal."""
    game = reduced_game("mmn-small")
    n = game.num_players
    policies = get_baseline(game, "tracker"), get_baseline(game, "random")
    means = []
    for number in range(count):
        seeds = np.random.SeedSequence(11, spawn_key=(number,)).generate_state(deals, np.uint64)
        seating = np.tile(1 - np.eye(n, dtype=np.int64), (deals, 1))
        own = np.random.SeedSequence(12, spawn_key=(number,))
        seeds = np.repeat(seeds, n)
        corrections = Corrections(game, _tracker_value(), seating, seeds, own)
        score = play(game, policies, seating, seeds, corrections).score + corrections.by_seat
        means.append(score[seating == 0].reshape(deals, n).mean(axis=1))
    return np.array(means)


@cache
def _exact_score() -> float:
    tree = build_tree(reduced_game("mmn-small"))
    tracker, random = (
        strategy_of(tree, get_baseline(tree.game, name)) for name in ("tracker", "random")
    )
    n = tree.num_seats
    return float(
        np.mean(
            [
                exact_values(tree, seated(tree, [tracker if i == k else random for i in range(n)]))[
                    k
                ]
                for k in range(n)
            ]
        )
    )


@pytest.mark.slow
def test_intervals_hold_the_exact_value_as_often_as_they_say() -> None:
    from masked_monsters.evaluation.estimate import estimate

    held = 0
    for means in _experiments(500, 64):
        interval = estimate(means)
        held += interval.low <= _exact_score() <= interval.high
    print(f"{held} of 500 intervals hold the exact value {_exact_score():.4f}")
    assert 459 <= held <= 491  # 475 +- 3.3 standard deviations


# ---------------------------------------------------------------- what it is good for


def test_a_fitted_value_function_saves_matches() -> None:
    game = reduced_game("mmn-small")
    tracker, random = get_baseline(game, "tracker"), get_baseline(game, "random")
    result = evaluate(game, tracker, random, matches=900, seed=1, value=_tracker_value())
    better = result.control_variates
    assert better is not None
    assert better.gain.half_width < result.gain.half_width
    assert abs(better.gain.mean - result.gain.mean) < 2 * result.gain.half_width
    assert better.fewer_games is not None
    assert better.fewer_games.low < better.fewer_games.mean < better.fewer_games.high
    ratio = (result.gain.half_width / better.gain.half_width) ** 2
    assert better.fewer_games.mean == pytest.approx(ratio)


def test_where_nothing_is_left_to_luck_there_is_nothing_to_save() -> None:
    class Nothing(Nonsense):
        def __call__(self, tables: np.ndarray) -> np.ndarray:
            return np.zeros((len(tables), 3))

    first = Drawing()
    first.probabilities = lambda decisions: np.eye(decisions.action_mask.shape[1])[
        decisions.action_mask.argmax(axis=1)
    ]
    game = reduced_game("umb-tiny")
    result = evaluate(game, first, first, matches=30, value=Nothing(game))
    assert result.control_variates is not None
    assert result.control_variates.gain == result.gain


def test_the_numbers_do_not_depend_on_the_workers() -> None:
    game = TWO_ROUNDS.with_options(num_rounds=1)
    tracker, random = get_baseline(game, "tracker"), get_baseline(game, "random")
    one, two = (
        evaluate(game, tracker, random, matches=1000, value=Nonsense(game), workers=workers)
        for workers in (1, 2)
    )
    assert one == two


# ---------------------------------------------------------------- files, and the command


def test_a_value_function_is_read_as_it_was_written(tmp_path: Path) -> None:
    value = _tracker_value()
    save_value(value, tmp_path / "value.zip")
    again = load_value(tmp_path / "value.zip", value.game)
    states = value.game.new_states(1)
    value.game.kernels.start_match(states, 0, True)
    tables = whole_tables(value.game, states, np.array([0]), np.array([1]))
    assert (value(tables) == again(tables)).all()
    assert (again.players, again.seed, again.matches) == (
        value.players,
        value.seed,
        value.matches,
    )


def test_the_same_seed_fits_the_same_value_function() -> None:
    game = reduced_game("umb-tiny")
    honest, random = get_baseline(game, "honest"), get_baseline(game, "random")
    first, second = (
        fit_value(game, honest, [random], matches=100, seed=4).network.state_dict()
        for _ in range(2)
    )
    assert all((first[key] == second[key]).all() for key in first)


def test_a_file_for_other_options_or_another_game_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "value.zip"
    save_value(_tracker_value(), file)
    with pytest.raises(ValueError, match=r"value\.zip: options is .*, must be "):
        load_value(file, reduced_game("mmn-tiny"))
    with pytest.raises(ValueError, match="game is 'monster_my_neighbor', must be 'under_my_bed'"):
        load_value(file, get_game("under_my_bed"))


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "value.zip"
    file.write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"value\.zip: not a file of control variates"):
        load_value(file, TWO_ROUNDS)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("value.json", "{}")
    with pytest.raises(ValueError, match=r"value\.zip: format is None, must be 1"):
        load_value(file, TWO_ROUNDS)


def test_matches_of_different_lengths_are_refused() -> None:
    game = TWO_ROUNDS.with_options(tiebreak="rounds")
    random = get_baseline(game, "random")
    with pytest.raises(ValueError, match=r"control variates: matches have 2 to \d rounds"):
        evaluate(game, random, Drawing(), matches=100, value=Nonsense(game))
    with pytest.raises(ValueError, match=r"control variates: matches have 2 to \d rounds"):
        fit_value(game, random, [Drawing()], matches=100)


def test_the_command_fits_first_and_then_uses_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, numbers = tmp_path / "value.zip", tmp_path / "numbers.json"
    command = ["evaluate", "tracker", "--against", "random", "--game", "mmn-small"]
    command += [
        "--matches",
        "30",
        "--control-variates",
        str(file),
        "--fit-matches",
        "9",
        "--json",
        str(numbers),
    ]
    assert main(command) == 0
    assert "fewer than duplicate deals" in capsys.readouterr().out
    written = file.read_bytes()
    (row,) = json.loads(numbers.read_text())["evaluations"]
    assert row["control_variates"].keys() >= {"score", "gain", "fewer_games"}
    assert row["control_variates"]["fewer_games"].keys() == {"mean", "low", "high"}
    monkeypatch.setattr("masked_monsters.evaluation.value.fit_value", None)
    assert main(command) == 0
    assert file.read_bytes() == written
    assert json.loads(numbers.read_text())["evaluations"][0]["gain"] == row["gain"]
    assert main([*command[:5], "mmn-tiny", *command[6:]]) == 2
    assert "options is" in capsys.readouterr().err
