"""OpenSpiel's own tests, solvers and agents on the games."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import cfr, exploitability, external_sampling_mccfr
from open_spiel.python.algorithms.generate_playthrough import playthrough

from masked_monsters.envs.adapters.openspiel import OpenSpielGame, openspiel_game
from masked_monsters.envs.registry import get_game
from tests.envs.spiel import (
    ONE_QUESTION,
    ONE_ROUND,
    SMALL,
    SMALL_TREES,
    choices,
    on_small_games,
    on_varied_games,
)

nash_conv: Any = exploitability.nash_conv


def run_cases(base: type, game: OpenSpielGame) -> None:
    """Every test of a class of ``api_test``."""
    made = type(base.__name__, (base,), {"game": game, "game_name": str(game)})
    made.setUpClass()
    names = [name for name in dir(made) if name.startswith("test_")]
    assert len(names) > 4
    for name in names:
        getattr(made(name), name)()


@on_small_games
def test_the_reduced_games_pass_openspiel_s_tests_of_whole_trees(
    small: OpenSpielGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal, decisions, information_states = SMALL_TREES[small.short_name]
    chances = 0
    waiting = [small.new_initial_state()]
    while waiting:
        state = waiting.pop()
        if state.is_chance_node():
            chances += 1
            waiting += [state.child(choice) for choice in choices(state)]
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, str(small), (chances, decisions, terminal))
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, str(small), information_states)
    run_cases(api_test.EnforceAPIOnFullTreeBase, small)


@on_varied_games
def test_every_game_passes_openspiel_s_tests_of_some_states(varied: OpenSpielGame) -> None:
    run_cases(api_test.EnforceAPIOnPartialTreeBase, varied)


@on_varied_games
def test_every_game_passes_openspiel_s_random_simulations(varied: OpenSpielGame) -> None:
    pyspiel.random_sim_test(varied, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("short_name", SMALL)
def test_a_playthrough_is_the_same_for_the_same_seed(short_name: str) -> None:
    text = str(openspiel_game(SMALL[short_name]))
    first = playthrough(text, action_sequence=None, seed=1)
    assert first == playthrough(text, action_sequence=None, seed=1)
    assert "IsTerminal() = True" in first


# ---------------------------------------------------------------- solvers and agents


def test_cfr_comes_nearer_to_an_equilibrium() -> None:
    game = openspiel_game(ONE_QUESTION)
    solver = cfr.CFRPlusSolver(game)
    before = nash_conv(game, solver.average_policy(), return_only_nash_conv=False)
    for _ in range(2):
        solver.evaluate_and_update_policy()
    after = nash_conv(game, solver.average_policy(), return_only_nash_conv=False)
    assert min(after.player_improvements) > -1e-12
    assert after.nash_conv < 0.8 * before.nash_conv


def test_the_solvers_in_python_and_in_c_agree() -> None:
    game = openspiel_game(ONE_ROUND)
    ours, theirs = cfr.CFRSolver(game), pyspiel.CFRSolver(game)
    for _ in range(2):
        ours.evaluate_and_update_policy()
        theirs.evaluate_and_update_policy()
    table, policy = ours.average_policy(), theirs.average_policy()
    assert len(table.state_lookup) == SMALL_TREES[game.short_name][2]
    for state in table.states:
        expected = table.action_probabilities(state)
        assert policy.action_probabilities(state) == pytest.approx(expected, abs=1e-9)


@on_small_games
def test_monte_carlo_cfr_runs(small: OpenSpielGame) -> None:
    solver = external_sampling_mccfr.ExternalSamplingSolver(
        small, external_sampling_mccfr.AverageType.SIMPLE
    )
    for _ in range(10):
        solver.iteration()
    state = small.new_initial_state()
    while state.is_chance_node():
        state.apply_action(0)
    policy = solver.average_policy().action_probabilities(state)
    assert sum(policy.values()) == pytest.approx(1)


def test_an_rl_environment_pays_what_the_match_does() -> None:
    game = openspiel_game(get_game("monster_my_neighbor", num_players=3, num_rounds=2))
    chooser = random.Random(0)
    env: Any = rl_environment.Environment(
        game, chance_event_sampler=rl_environment.ChanceEventSampler(seed=0)
    )
    step = env.reset()
    total = np.zeros(3)
    while not step.last():
        seat = step.observations["current_player"]
        step = env.step([chooser.choice(step.observations["legal_actions"][seat])])
        total += step.rewards
    assert total.tolist() == env.get_state.returns()


PAGE = Path(__file__).parents[2] / "docs" / "openspiel.md"
BLOCKS = [
    block.split("```")[0] for block in PAGE.read_text(encoding="utf-8").split("```python\n")[1:]
]


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_every_program_of_the_page_runs(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(BLOCKS[number], f"{PAGE.name}, block {number}", "exec"), {})
    printed = capsys.readouterr().out
    assert printed
    if "nash_conv" in BLOCKS[number] or "agents" in BLOCKS[number]:  # the page says what it prints
        assert all(f"`{line}`" in PAGE.read_text(encoding="utf-8") for line in printed.splitlines())
