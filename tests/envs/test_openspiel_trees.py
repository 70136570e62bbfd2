"""Whole trees of the games in OpenSpiel: their numbers, what is recalled, bounds and payments."""

from typing import Any

import numpy as np
import pyspiel
import pytest

from masked_monsters.envs.adapters.openspiel import OpenSpielGame, openspiel_game
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game
from tests.envs.spiel import (
    ONE_ROUND,
    SMALL_TREES,
    choices,
    load_game,
    make_observation,
    on_small_games,
    on_varied_games,
    play,
)
from tests.envs.under_my_bed import test_twin as bed


@pytest.mark.parametrize(
    ("game", "counts"),
    [
        (ONE_ROUND, SMALL_TREES["masked_monsters_mmn"]),
        (bed.reduced(1).game, bed.TREES[()]),
    ],
)
def test_the_tree_has_the_twin_s_numbers_of_histories_and_information_states(
    game: Game, counts: tuple[int, int, int]
) -> None:
    terminal = decisions = 0
    information_states = set()
    total = 0.0
    waiting = [(openspiel_game(game).new_initial_state(), 1.0)]
    while waiting:
        state, reach = waiting.pop()
        if state.is_terminal():
            terminal += 1
            total += reach
        elif state.is_chance_node():
            outcomes = state.chance_outcomes()
            assert [outcome for outcome, _ in outcomes] == list(range(len(outcomes)))
            waiting += [(state.child(outcome), reach * p) for outcome, p in outcomes]
        else:
            decisions += 1
            information_states.add(state.information_state_string())
            actions = state.legal_actions()
            waiting += [(state.child(action), reach / len(actions)) for action in actions]
    assert (terminal, decisions, len(information_states)) == counts
    assert total == pytest.approx(1, abs=1e-12)


Numbers = dict[tuple[int, Any], int]


def check_recall(game: OpenSpielGame, first_outcome_only: tuple[str, ...] = ()) -> int:
    """Search the whole tree for what a seat could have forgotten, or cannot have seen.

    An information state, as a string and as a tensor, must belong to one sequence of the seat's
    information states and actions, and to one sequence of all that it has seen and been dealt; and
    the other way round. Chance events of which only the first outcome is followed are named by how
    their texts begin. Returns the number of terminal histories.
    """
    words, seats = game.game.words, range(game.num_players())
    numbers: Numbers = {}  # of sequences: the one before with what comes next

    def longer(sequence: int, entry: Any) -> int:
        return numbers.setdefault((sequence, entry), len(numbers) + 1)

    own_of: dict[str, int] = {}
    seen_of: dict[str, int] = {}
    string_of: dict[Any, str] = {}
    tensor_of: dict[str, bytes] = {}
    observer = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    terminal = 0
    waiting = [(game.new_initial_state(), (0,) * len(seats), (0,) * len(seats))]
    while waiting:
        state, own, seen = waiting.pop()
        if state.is_terminal():
            terminal += 1
            continue
        record = state.position.states[0]
        seat = state.current_player()
        options = choices(state)
        if state.is_chance_node():
            if state.action_to_string(seat, options[0]).startswith(first_outcome_only):
                options = options[:1]
            codes, string = state.position.outcomes[0], ""
        else:
            string = state.information_state_string()
            assert own_of.setdefault(string, own[seat]) == own[seat]
            assert seen_of.setdefault(string, seen[seat]) == seen[seat]
            assert string_of.setdefault((seat, seen[seat]), string) == string
            observer.set_from(state, seat)
            tensor = observer.tensor.tobytes()
            assert tensor_of.setdefault(string, tensor) == tensor
            codes = []
        for choice in options:
            if codes:
                told = [words.outcome_seen(record, codes[choice], each) for each in seats]
                own_after = own
            else:
                told = [words.action_seen(record, choice, each) for each in seats]
                own_after = (
                    *own[:seat], longer(own[seat], (string, choice)), *own[seat + 1 :]
                )  # fmt: skip
            seen_after = tuple(
                was if text is None else longer(was, text)
                for was, text in zip(seen, told, strict=True)
            )
            waiting.append((state.child(choice), own_after, seen_after))
    assert len(set(tensor_of.values())) == len(tensor_of)
    return terminal


@on_small_games
def test_every_seat_recalls_all_it_has_seen_and_no_more(small: OpenSpielGame) -> None:
    # Of one monster only: no text tells its name to the seat that comes to hold it.
    assert check_recall(small, ("the monster",)) > 100


def test_every_seat_recalls_the_rounds_before() -> None:
    # A Friend's Hunter ends a round; the payments do not say at whom it was aimed.
    deck = {"wanted": 1, "hunter": 1, "hide": 1, "friend": 2}
    fixed = ("the monster", "player_1 is dealt")
    for rounds, terminal in (1, 24), (2, 24**2):
        game = ONE_ROUND.with_options(num_rounds=rounds, deck=deck)
        assert check_recall(openspiel_game(game), fixed) == terminal


# ---------------------------------------------------------------- bounds and payments


@on_varied_games
def test_no_match_exceeds_the_bounds(varied: OpenSpielGame) -> None:
    for seed in range(5):
        decisions = chances = 0
        state: Any = None
        for state in play(varied, seed):
            if state.is_chance_node():
                chances += 1
                outcomes = len(state.chance_outcomes())
                assert outcomes <= varied.max_chance_outcomes()
            elif not state.is_terminal():
                decisions += 1
            assert all(
                varied.min_utility() <= paid <= varied.max_utility() for paid in state.returns()
            )
        assert decisions <= varied.max_game_length()
        assert chances <= varied.max_chance_nodes_in_history()
        assert decisions + chances <= varied.max_history_length()
        if varied.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM:
            assert sum(state.returns()) == pytest.approx(0, abs=1e-15)


@on_small_games
def test_the_bounds_of_the_reduced_games_are_reached_or_nearly(small: OpenSpielGame) -> None:
    decisions = chances = outcomes = 0
    scores = set()
    waiting = [small.new_initial_state()]
    while waiting:
        state = waiting.pop()
        waiting += [state.child(choice) for choice in choices(state)]
        if state.is_chance_node():
            outcomes = max(outcomes, len(state.chance_outcomes()))
        elif state.is_terminal():
            moves = [each.player for each in state.full_history()]
            chances = max(chances, moves.count(pyspiel.PlayerId.CHANCE))
            decisions = max(decisions, len(moves) - moves.count(pyspiel.PlayerId.CHANCE))
            scores |= set(state.returns())
    assert 0 < decisions <= small.max_game_length() <= 2 * decisions
    assert 0 < chances <= small.max_chance_nodes_in_history() <= 3 * chances
    assert 0 < outcomes <= small.max_chance_outcomes() <= 2 * outcomes
    assert (min(scores), max(scores)) == (small.min_utility(), small.max_utility())


def test_the_starting_deck_of_the_published_game_reaches_its_bound() -> None:
    game = load_game("masked_monsters_mmn")
    state = game.new_initial_state()
    state.apply_action(0)
    assert len(state.chance_outcomes()) == game.max_chance_outcomes() == 56324


def test_rewards_come_round_by_round_and_add_up_to_the_returns() -> None:
    game = openspiel_game(get_game("monster_my_neighbor", num_players=3, num_rounds=3))
    assert game.get_type().reward_model == pyspiel.GameType.RewardModel.REWARDS
    total, paid_at = np.zeros(3), set()
    state: Any = None
    for state in play(game, seed=1):
        if state.is_chance_node():
            continue
        total += state.rewards()
        if any(state.rewards()):
            paid_at.add(int(state.position.states["round"][0]))
        assert state.returns() == total.tolist()
    assert state.returns() == state.position.states["vp"][0, :3].tolist()
    assert len(paid_at) > 1


def test_wins_are_paid_to_the_last_bit() -> None:
    game = openspiel_game(get_game("monster_my_neighbor", num_players=3, reward="win"))
    kinds = pyspiel.GameType
    assert game.get_type().utility == kinds.Utility.ZERO_SUM
    assert game.get_type().reward_model == kinds.RewardModel.TERMINAL
    possible = {-1 / 3, 2 / 3, 1 / 6, 0.0}
    for seed in range(10):
        *_, state = play(game, seed)
        assert set(state.returns()) <= possible
        assert state.returns() == state.rewards()
