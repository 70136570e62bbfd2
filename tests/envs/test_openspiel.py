"""The games as OpenSpiel's."""

import copy
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python import observation, rl_environment
from open_spiel.python.algorithms import cfr, exploitability, external_sampling_mccfr
from open_spiel.python.algorithms.generate_playthrough import playthrough

from masked_monsters.envs.adapters import openspiel
from masked_monsters.envs.adapters.openspiel import SHORT_NAMES, OpenSpielGame, openspiel_game
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import GAMES, get_game
from tests.envs.monster_my_neighbor import test_twin as neighbor
from tests.envs.under_my_bed import test_twin as bed
from tests.games import CASES

# Their annotations, or the lack of them, say less than they return.
load_game: Any = pyspiel.load_game
make_observation: Any = observation.make_observation
nash_conv: Any = exploitability.nash_conv

ONE_ROUND = neighbor.reduced(("hunter", "hunter", "villager")).game
TWO_ROUNDS = ONE_ROUND.with_options(num_rounds=2)
ONE_QUESTION = bed.reduced(1).game.with_options(
    catalogue={
        "attributes": {"eyes": ["one", "two"]},
        "monsters": {"a": {"eyes": "one"}, "b": {"eyes": "one"}, "c": {"eyes": "two"}},
    },
)
SMALL = {"masked_monsters_mmn": ONE_ROUND, "masked_monsters_umb": ONE_QUESTION}
SMALL_TREES = {  # terminal histories, decisions, information states
    "masked_monsters_mmn": neighbor.TREES["hunter", "hunter", "villager"],
    "masked_monsters_umb": (5022, 2322, 630),
}

VARIED: list[tuple[str, dict[str, Any]]] = [
    ("monster_my_neighbor", {"num_rounds": 2}),
    ("monster_my_neighbor", {"num_players": 3, "num_rounds": 2, "reward": "win"}),
    ("monster_my_neighbor", {"num_players": 8, "num_rounds": 1, "tiebreak": "rounds"}),
    (
        "monster_my_neighbor",
        {
            "num_players": 5,
            "num_rounds": 1,
            "deck": {"wanted": 1, "hunter": 1, "hide": 1, "gossip": 9, "rumor": 9, "fog": 9},
        },
    ),
    ("monster_my_neighbor", CASES["monster_my_neighbor"].other),
    ("under_my_bed", {}),
    ("under_my_bed", {"num_players": 8, "max_questions": None}),
    ("under_my_bed", {"num_players": 3, "window_order": "clockwise"}),
    ("under_my_bed", CASES["under_my_bed"].other),
]


@pytest.fixture(params=SMALL)
def small(request: pytest.FixtureRequest) -> OpenSpielGame:
    return openspiel_game(SMALL[request.param])


@pytest.fixture(params=VARIED, ids=[f"{name}{options}"[:60] for name, options in VARIED])
def varied(request: pytest.FixtureRequest) -> OpenSpielGame:
    name, options = request.param
    return openspiel_game(get_game(name, **options))


def choices(state: Any) -> list[int]:
    if state.is_chance_node():
        return [outcome for outcome, _ in state.chance_outcomes()]
    return state.legal_actions()


def play(game: OpenSpielGame, seed: int) -> Iterator[Any]:
    """Every state of a match played at random: the same object, later further on."""
    chooser = random.Random(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        state.apply_action(chooser.choice(choices(state)))
    yield state


# ---------------------------------------------------------------- parameters


def test_every_game_has_a_short_name() -> None:
    assert set(SHORT_NAMES.values()) == GAMES.keys()
    assert SHORT_NAMES.keys() <= set(pyspiel.registered_names())


@pytest.mark.parametrize("short_name", SHORT_NAMES)
def test_without_parameters_a_game_has_its_default_options(short_name: str) -> None:
    game = load_game(short_name)
    assert game.game.options == get_game(SHORT_NAMES[short_name]).options
    assert str(game) == f"{short_name}()"


def test_a_game_string_spells_the_options() -> None:
    game = load_game(
        "masked_monsters_mmn(players=3,hand_size=2,num_rounds=1,reward=win,"
        'deck={"wanted":1;"hunter":3;"hide":1;"villager":1})'
    ).game
    assert (game.num_players, game.options["reward"]) == (3, "win")
    assert game.options["deck"] == {"wanted": 1, "hunter": 3, "hide": 1, "villager": 1}
    game = load_game(
        "masked_monsters_umb(players=5,max_questions='2',first_asker='4',hedging=False)"
    ).game
    chosen = {"num_players": 5, "max_questions": 2, "first_asker": 4, "hedging": False}
    assert game.options == {**get_game("under_my_bed").options, **chosen}
    game = load_game("masked_monsters_umb(max_questions=None,first_asker=None)").game
    assert game.options["max_questions"] is None
    assert game.options["first_asker"] is None


def test_parameters_may_also_be_plain_json() -> None:
    deck = '{"wanted": 1, "hunter": 8, "hide": 8}'
    game = load_game("masked_monsters_mmn", {"players": 3, "deck": deck})
    assert game.game.options["deck"] == {"wanted": 1, "hunter": 8, "hide": 8}
    assert load_game(str(game)).game.options == game.game.options


def test_a_game_is_the_same_again_by_its_string(varied: OpenSpielGame) -> None:
    again = load_game(str(varied))
    assert again.game.options == varied.game.options
    assert str(again) == str(varied)


def test_names_may_hold_what_a_game_string_has_for_itself() -> None:
    odd = "a,b;c(d)=e'f|g\"h\\i :"
    catalogue = {
        "attributes": {odd: ["yes", "None"]},
        "monsters": {f"'{number})": {odd: "yes"} for number in range(3)},
    }
    game = get_game("under_my_bed", num_players=3, catalogue=catalogue)
    assert load_game(str(openspiel_game(game))).game.options == game.options


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("mmn(players=9)", "num_players=9: must be an integer from 3 to 8"),
        ("mmn(hand_size=5)", "hand_size=5: must be an integer from 2 to 4"),
        ("mmn(reward=gold)", "reward='gold': must be one of 'vp', 'win'"),
        ("mmn(deck=all)", "deck='all': must be a mapping of card names to counts, or None"),
        ('mmn(deck={"wanted":2})', "deck: needs exactly 1 'wanted', has 2"),
        ("umb(max_questions=4n)", "max_questions='4n': must be an integer .* or '3n', or None"),
        ("umb(first_asker='4')", "first_asker=4: must be an integer from 0 to 3, or None"),
        ("umb(window_order=chaotic)", "window_order='chaotic': must be one of"),
        ('umb(catalogue={"monsters":1})', "catalogue=.*must be None or a mapping"),
    ],
)
def test_a_bad_parameter_is_the_game_s_own_error(text: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        load_game(f"masked_monsters_{text}")


def test_an_unknown_parameter_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(pyspiel.SpielError, match=r"'colour'.*deck, hand_size.*players, reward"):
        load_game("masked_monsters_mmn(colour=red)")


def test_without_open_spiel_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, openspiel.__name__)
    with pytest.raises(
        ImportError,
        match=r"open_spiel is not installed: pip install 'masked-monsters\[openspiel\]'",
    ):
        import_module(openspiel.__name__)


# ---------------------------------------------------------------- the tree


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


# ---------------------------------------------------------------- states


def test_a_clone_goes_its_own_way(varied: OpenSpielGame) -> None:
    *_, end = play(varied, seed=0)
    history = end.history()
    state = varied.new_initial_state()
    for choice in history[: len(history) // 2]:
        state.apply_action(choice)
    before = str(state), state.history()
    clone, deep, pickled = state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))
    for choice in history[len(history) // 2 :]:
        state.apply_action(choice)
    assert str(state) == str(end)
    for other in (clone, deep, pickled):
        assert (str(other), other.history()) == before
        for choice in history[len(history) // 2 :]:
            other.apply_action(choice)
        assert (str(other), other.returns()) == (str(end), end.returns())
        assert all(
            other.information_state_string(seat) == end.information_state_string(seat)
            for seat in range(varied.num_players())
        )


def test_games_and_states_can_be_unpickled_by_who_has_imported_nothing() -> None:
    state = openspiel_game(ONE_ROUND).new_initial_state()
    state.apply_action(3)
    program = (
        "import pickle, sys; game, state = pickle.load(sys.stdin.buffer); "
        "print(game, state.history())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps((state.get_game(), state)),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == f"{state.get_game()} [3]"
    assert done.stderr == b""


def test_an_action_that_is_not_legal_is_an_error_and_changes_nothing(small: OpenSpielGame) -> None:
    for state in play(small, seed=0):
        if state.is_terminal():
            continue
        illegal = max(choices(state)) + 1
        before = str(state), state.history()
        with pytest.raises(ValueError, match=f"(action|outcome)={illegal}: must be"):
            state.apply_action(illegal)
        assert (str(state), state.history()) == before


def test_choices_have_different_words(varied: OpenSpielGame) -> None:
    for state in play(varied, seed=2):
        if not state.is_terminal():
            seat = state.current_player()
            texts = {state.action_to_string(seat, choice) for choice in choices(state)[:500]}
            assert len(texts) == len(choices(state)[:500])


# ---------------------------------------------------------------- what seats see


def test_tensors_hold_the_history_and_the_compact_observation(varied: OpenSpielGame) -> None:
    game, n = varied.game, varied.num_players()
    now = make_observation(varied)
    recalled = make_observation(varied, pyspiel.IIGObservationType(perfect_recall=True))
    assert len(recalled.tensor) == varied.information_state_tensor_size()
    assert len(now.tensor) == varied.observation_tensor_size()
    for state in play(varied, seed=3):
        seat = state.current_player()
        if seat < 0:
            continue
        states = state.position.states
        history = game.history(states, np.zeros(1, np.int64))[0]
        recalled.set_from(state, seat)
        number = int(states["round"][0]) - 1
        assert recalled.dict["player"].tolist() == np.eye(n)[seat].tolist()
        assert np.array_equal(recalled.dict["history"][number], history)
        assert not recalled.dict["history"][number + 1 :].any()
        assert recalled.tensor.tolist() == state.information_state_tensor(seat)
        views, compact = np.zeros(1, game.view), np.zeros(1, game.compact)
        game.kernels.observe(states, 0, seat, views, compact, 0)
        now.set_from(state, seat)
        assert np.array_equal(now.dict["compact"], compact.view(np.int8))
        assert now.tensor.tolist() == state.observation_tensor(seat)


def test_the_round_before_is_in_the_tensor_with_its_last_action() -> None:
    game = openspiel_game(TWO_ROUNDS)
    recalled = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    before: Any = None
    state: Any = None
    for state in play(game, seed=4):
        if state.position.states["round"][0] == 2:
            break
        before = state.clone()
    action = state.history()[-1]
    for seat in range(3):
        recalled.set_from(state, seat)
        tokens = before.position.recall(seat)
        assert np.array_equal(recalled.dict["history"][0, : len(tokens)], tokens)
        who = (before.current_player() - seat) % 3
        assert recalled.dict["ends"].tolist() == [[who + 1, action + 1]]
        text = before.action_to_string(before.current_player(), action)
        assert f"> {text} / score" in state.information_state_string(seat)


def test_public_and_private_alone_are_strings(small: OpenSpielGame) -> None:
    kinds, words = pyspiel.PrivateInfoType, small.game.words
    public, private, both = (
        make_observation(
            small,
            pyspiel.IIGObservationType(public_info=p, perfect_recall=False, private_info=kind),
        )
        for p, kind in (
            (True, kinds.NONE),
            (False, kinds.SINGLE_PLAYER),
            (True, kinds.SINGLE_PLAYER),
        )
    )
    assert public.tensor is None
    for state in play(small, seed=5):
        assert public.string_from(state, 0) == words.table(state.position.states[0])
        assert public.string_from(state, 0) == public.string_from(state, 1)
        parts = public.string_from(state, 1), private.string_from(state, 1)
        assert both.string_from(state, 1) == "\n".join(parts) == state.observation_string(1)


def test_what_no_observer_can_see_is_an_error(small: OpenSpielGame) -> None:
    with pytest.raises(ValueError, match="iig_obs_type"):
        make_observation(
            small, pyspiel.IIGObservationType(True, True, pyspiel.PrivateInfoType.ALL_PLAYERS)
        )
    with pytest.raises(ValueError, match="params="):
        make_observation(small, params={"size": 1})


# ---------------------------------------------------------------- OpenSpiel's own tests


def run_cases(base: type, game: OpenSpielGame) -> None:
    """Every test of a class of ``api_test``."""
    made = type(base.__name__, (base,), {"game": game, "game_name": str(game)})
    made.setUpClass()
    names = [name for name in dir(made) if name.startswith("test_")]
    assert len(names) > 4
    for name in names:
        getattr(made(name), name)()


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


def test_every_game_passes_openspiel_s_tests_of_some_states(varied: OpenSpielGame) -> None:
    run_cases(api_test.EnforceAPIOnPartialTreeBase, varied)


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
