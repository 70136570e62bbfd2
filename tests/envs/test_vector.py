"""Every game as a Gymnasium vector environment: each lane is a ``SingleSeat``."""

import copy
import pickle
import re
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from masked_monsters.envs.adapters.aec import ILLEGAL_REWARD
from masked_monsters.envs.adapters.gymnasium_ids import gymnasium_id
from masked_monsters.envs.adapters.single_seat import SingleSeat
from masked_monsters.envs.adapters.vector import Vector
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.baselines import baselines
from tests.envs.learner import Last, choose
from tests.games import BAD_OPTIONS, Case, Options, global_generators_unused

Told = tuple[Any, ...]


def same(one: Any, other: Any) -> bool:
    """Nested dictionaries and tuples of arrays, records and values are equal, dtypes included."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        if one.dtype == object:
            return all(map(same, one, other))
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    return one == other


def play(envs: Vector, steps: int, seed: int = 0) -> list[Told]:
    """Random legal play; what each step said."""
    rng = np.random.default_rng(seed)
    return [envs.step(choose(envs.game, envs.action_masks(), rng)) for _ in range(steps)]


class TestLanes:
    @pytest.mark.parametrize("observation", ["compact", "history"])
    @pytest.mark.parametrize("num_players", [3, 8])
    def test_a_lane_is_a_single_environment_with_its_seed_through_several_matches(
        self, name: str, num_players: int, observation: str, options: Options, case: Case
    ) -> None:
        players = baselines(get_game(name))
        opponents = [players[(k * 2) % 3] for k in range(num_players - 2)] + [Last()]
        settings: Any = {
            **(options or case.short),
            "num_players": num_players,
            "opponents": opponents,
            "observation": observation,
        }
        envs = Vector(name, 4, **settings)
        singles = [SingleSeat(name, **settings) for _ in range(4)]
        told, infos = envs.reset(seed=30)
        now = [single.reset(seed=30 + lane) for lane, single in enumerate(singles)]
        rng = np.random.default_rng(0)
        ended = 0
        for step in range(60):
            for lane, (observed, info) in enumerate(now):
                assert same({key: rows[lane] for key, rows in told.items()}, observed)
                assert same(infos["action_mask"][lane], info["action_mask"])
            actions = choose(envs.game, told["action_mask"], rng)
            if step % 20 == 10:
                actions[2] = told["action_mask"][2].argmin()  # most likely illegal
            told, rewards, terminations, truncations, infos = envs.step(actions)
            assert not truncations.any()
            for lane, single in enumerate(singles):
                observed, reward, end, _, info = single.step(int(actions[lane]))
                assert (rewards[lane], terminations[lane]) == (reward, end)
                if end:
                    ended += 1
                    check_final(envs, infos, lane, observed, info)
                    observed, info = single.reset()
                now[lane] = observed, info
        assert ended > 4

    @pytest.mark.parametrize("num_envs", [1, 3, 64])
    def test_a_lane_does_not_depend_on_how_many_there_are(self, name: str, num_envs: int) -> None:
        opponents = baselines(get_game(name))[:3]
        few = Vector(name, num_envs, num_players=4, opponents=opponents)
        many = Vector(name, 100, num_players=4, opponents=opponents)
        told_few, told_many = few.reset(seed=7)[0], many.reset(seed=7)[0]
        for _ in range(50):
            for key, rows in told_few.items():
                assert rows.tolist() == told_many[key][:num_envs].tolist()
            told_few = few.step(told_few["action_mask"].argmax(axis=1))[0]
            told_many = many.step(told_many["action_mask"].argmax(axis=1))[0]

    def test_it_does_as_gymnasium_s_own_vector_environment_of_single_ones(self, name: str) -> None:
        ours = Vector(name, 3, opponents="random")
        theirs = SyncVectorEnv(
            [lambda: SingleSeat(name, opponents="random")] * 3,
            autoreset_mode=AutoresetMode.SAME_STEP,
        )
        assert ours.observation_space == theirs.observation_space
        assert ours.action_space == theirs.action_space
        assert ours.single_observation_space == theirs.single_observation_space
        assert ours.single_action_space == theirs.single_action_space
        assert same(ours.reset(seed=5), theirs.reset(seed=5))
        rng = np.random.default_rng(0)
        for _ in range(60):
            actions = choose(ours.game, ours.action_masks(), rng)
            *told, infos = ours.step(actions)
            *expected, their_infos = theirs.step(actions)
            assert same(tuple(told), tuple(expected))
            for mine in (infos, their_infos):
                for key in ("state", "_state", "god_view", "_god_view", "seat"):
                    mine.get("final_info", {}).pop(key, None)  # the same facts, kept otherwise
            assert same(infos, their_infos)


def check_final(envs: Vector, infos: Any, lane: int, observed: Any, info: Any) -> None:
    """What is said of a lane's last match is what the single environment said at its end."""
    assert infos["_final_obs"][lane]
    assert infos["_final_info"][lane]
    assert same(infos["final_obs"][lane], observed)
    final = infos["final_info"]
    assert same(final["action_mask"][lane], info["action_mask"])
    assert (final["seat"][lane], final["illegal_action"][lane]) == (
        info["seat"],
        info["illegal_action"],
    )
    assert envs.game.words.god_view(final["state"][lane]) == info["god_view"]


class TestNames:
    def test_make_vec_finds_every_game_and_warns_of_nothing(self, name: str) -> None:
        id_ = gymnasium_id(name, GAMES[name])
        for mode in (None, "vector_entry_point"):
            envs = gymnasium.make_vec(
                id_, num_envs=5, vectorization_mode=mode, num_players=6, opponents="random"
            )
            assert isinstance(envs, Vector)
            assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
            observations, _ = envs.reset(seed=0)
            assert observations in envs.observation_space
            assert envs.game.num_players == 6


class TestSeeds:
    def test_a_seed_gives_the_same_matches_seed_0_is_one_and_lanes_differ(
        self, name: str, case: Case
    ) -> None:
        runs = []
        for seed in (0, 0, 1):
            envs = Vector(name, 20)
            runs.append((envs.reset(seed=seed), play(envs, 10), envs.reset(), play(envs, 10)))
        assert same(tuple(map(tuple, runs[0])), tuple(map(tuple, runs[1])))
        assert not same(runs[0][0], runs[2][0])
        assert not same(runs[0][0], runs[0][2])
        god_view = get_game(name).words.god_view
        envs.reset(seed=0)
        assert len({str(case.deal(god_view(state))) for state in envs._tables.states}) == 20

    def test_each_lane_may_be_given_its_seed(self, name: str) -> None:
        envs = Vector(name, 3)
        expected = envs.reset(seed=8)
        for seeds in ([8, 9, 10], np.array([8, 9, 10])):
            assert same(envs.reset(seed=seeds), expected)

    def test_the_global_generators_are_neither_used_nor_disturbed(self, name: str) -> None:
        with global_generators_unused():
            envs = Vector(name, 3)
            envs.reset(seed=3)
            play(envs, 10)

    @pytest.mark.parametrize(
        ("seed", "named"),
        [
            (-1, "seed=-1"),
            (2**64 - 2, f"seed={2**64 - 2}"),
            ("7", "seed='7'"),
            ([1, 2], "seed: 2 are given; must be one or 3"),
            ([1, 2, -3], "seed=-3"),
        ],
    )
    def test_a_bad_seed_is_refused_by_name(self, name: str, seed: Any, named: str) -> None:
        with pytest.raises(ValueError, match=re.escape(named)):
            Vector(name, 3).reset(seed=seed)


class TestMasks:
    def test_every_lane_has_a_legal_move_also_after_an_autoreset(
        self, name: str, options: Options
    ) -> None:
        envs = Vector(name, 16, opponents=baselines(get_game(name))[-1], **options)
        envs.reset(seed=0)
        told = play(envs, 40)
        for observations, _, _, _, infos in told:
            assert observations["action_mask"].any(axis=1).all()
            assert same(observations["action_mask"], infos["action_mask"])
            assert infos["_action_mask"].all()
        assert envs.action_masks().dtype == np.bool_
        assert envs.action_masks().tolist() == (told[-1][0]["action_mask"] == 1).tolist()

    def test_an_illegal_action_loses_the_match_of_its_lane_alone(self, name: str) -> None:
        envs, others = Vector(name, 4), Vector(name, 4)
        envs.reset(seed=1)
        others.reset(seed=1)
        actions = others.action_masks().argmax(axis=1)
        expected = others.step(actions.copy())
        actions[2] = envs.action_masks()[2].argmin()
        told = envs.step(actions)
        assert (told[1][2], told[2][2]) == (ILLEGAL_REWARD, True)
        assert told[4]["final_info"]["illegal_action"].tolist() == [False, False, True, False]
        assert not told[4]["final_obs"][2]["action_mask"].any()
        for lane in (0, 1, 3):
            assert told[1][lane] == expected[1][lane]
            assert same(told[0]["observation"][lane], expected[0]["observation"][lane])
        assert envs.action_masks().any(axis=1).all()

    @pytest.mark.parametrize(
        ("actions", "named"),
        [
            (np.zeros(3, int), "actions: must be 4 integers"),
            (np.zeros(4), "actions: must be 4 integers"),
            (np.zeros((4, 1), int), "actions: must be 4 integers"),
            (np.array([0, 0, -1, 0]), "actions[2]=np.int64(-1): must be an integer from 0 to"),
            (np.array([0, 999, 0, 0]), "actions[1]=np.int64(999): must be an integer from 0 to"),
        ],
    )
    def test_what_are_no_actions_is_an_error_and_changes_nothing(
        self, name: str, actions: Any, named: str
    ) -> None:
        envs = Vector(name, 4)
        envs.reset(seed=0)
        before = envs._tables.states.tobytes()
        with pytest.raises(ValueError, match=re.escape(named)):
            envs.step(actions)
        assert envs._tables.states.tobytes() == before


class TestLifeCycle:
    @pytest.mark.parametrize("num_players", [3, 8])
    def test_rewards_add_up_to_the_score(self, name: str, case: Case, num_players: int) -> None:
        for options, score in case.scores:
            envs = Vector(name, 16, num_players=num_players, **options)
            envs.reset(seed=0)
            paid, ends = np.zeros(16), 0
            for _, rewards, ended, _, infos in play(envs, 150):
                paid += rewards
                for lane in np.flatnonzero(ended):
                    final = infos["final_info"]
                    god = envs.game.words.god_view(final["state"][lane])
                    assert paid[lane] == pytest.approx(score(god)[final["seat"][lane]])
                    paid[lane] = 0
                    ends += 1
            assert ends > 16

    def test_infos_tell_of_an_end_only_where_there_is_one(self, name: str, case: Case) -> None:
        envs = Vector(name, 8, **case.short)
        envs.reset(seed=0)
        ends = []
        for *_, ended, _, infos in play(envs, 60):
            ends.append(ended.any())
            expected = {"action_mask", "_action_mask"}
            if ended.any():
                expected |= {"final_obs", "_final_obs", "final_info", "_final_info"}
                assert [each is not None for each in infos["final_obs"]] == ended.tolist()
                assert infos["_final_info"].tolist() == ended.tolist()
                assert infos["final_info"]["_state"].tolist() == ended.tolist()
            assert infos.keys() == expected
        assert 0 < sum(ends) < 60

    def test_a_reset_in_mid_match_leaves_no_trace(self, name: str) -> None:
        envs, fresh = Vector(name, 5), Vector(name, 5)
        envs.reset(seed=6)
        play(envs, 3)
        assert same(envs.reset(seed=7), fresh.reset(seed=7))
        assert same(tuple(play(envs, 20)), tuple(play(fresh, 20)))

    @pytest.mark.parametrize(
        "copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))]
    )
    @pytest.mark.parametrize("copies", [True, False])
    def test_a_copy_made_in_mid_match_goes_on_identically(
        self, name: str, options: Options, copied: Any, copies: bool
    ) -> None:
        players = [*baselines(get_game(name))[1:3], Last()]
        envs = Vector(name, 6, num_players=4, opponents=players, copy=copies, **options)
        envs.reset(seed=8)
        play(envs, 5)
        twin = copied(envs)
        for step in range(30):
            assert same(play(envs, 1, step)[0], play(twin, 1, step)[0])

    def test_misplaced_calls_are_clear_errors(self, name: str) -> None:
        envs = Vector(name, 2, render_mode="ansi")
        for call in (envs.render, lambda: envs.step(np.zeros(2, int))):
            with pytest.raises(RuntimeError, match="call reset"):
                call()
        envs.reset(seed=0)
        texts = envs.render()
        assert texts is not None
        assert [text.isascii() for text in texts] == [True, True]


class TestArrays:
    @pytest.mark.parametrize("observation", ["compact", "history"])
    def test_what_is_handed_out_does_not_change_and_writing_into_it_changes_nothing(
        self, name: str, observation: str, case: Case
    ) -> None:
        envs, untouched = (Vector(name, 4, observation=observation, **case.short) for _ in "12")
        kept: list[Any] = [envs.reset(seed=0)]
        untouched.reset(seed=0)
        first = copy.deepcopy(kept[0])
        for step in range(30):
            told = play(untouched, 1, step)[0]
            kept.append((told, copy.deepcopy(told)))
            spoilt: Any = play(envs, 1, step)[0]
            assert same(spoilt, told)
            for entries in (*spoilt[0].values(), *spoilt[1:4], spoilt[4]["action_mask"]):
                entries[:] = 1
            if "final_info" in spoilt[4]:
                for entries in spoilt[4]["final_info"].values():
                    entries[:] = 0
        assert same(kept[0], first)
        assert all(same(now, then) for now, then in kept[1:])

    def test_without_copies_the_observations_are_the_same_arrays_at_each_step(
        self, name: str
    ) -> None:
        envs, copying = Vector(name, 4, copy=False), Vector(name, 4)
        observations, infos = envs.reset(seed=0)
        copying.reset(seed=0)
        assert infos["action_mask"] is observations["action_mask"]
        for step in range(30):
            told = play(envs, 1, step)[0]
            assert same(told, play(copying, 1, step)[0])
            assert all(told[0][key] is rows for key, rows in observations.items())
            observations["action_mask"][:] = 1  # the rules judge, not the mask

    @pytest.mark.parametrize("observation", ["compact", "history"])
    @pytest.mark.parametrize("num_players", [3, 8])
    def test_all_lies_in_the_spaces(self, name: str, num_players: int, observation: str) -> None:
        envs = Vector(name, 4, num_players=num_players, observation=observation)
        assert envs.reset(seed=0)[0] in envs.observation_space
        for observations, rewards, ended, truncated, infos in play(envs, 60):
            assert observations in envs.observation_space
            assert (rewards.dtype, rewards.shape) == (np.float64, (4,))
            assert (ended.dtype, truncated.dtype) == (np.bool_, np.bool_)
            for final in infos.get("final_obs", ()):
                assert final is None or final in envs.single_observation_space


class TestOptions:
    def test_a_bad_option_is_an_error_that_names_it(self, name: str, case: Case) -> None:
        bad: tuple[Any, ...] = (*BAD_OPTIONS, *case.bad_options)
        bad += {"num_player": 4}, {"num_envs": 0}, {"copy": "no"}, {"seat": 4}, {"opponents": "me"}
        for options in bad:
            with pytest.raises(ValueError, match=next(iter(options))):
                Vector(name, **options)

    def test_a_reset_takes_no_options(self, name: str) -> None:
        with pytest.raises(ValueError, match="options="):
            Vector(name).reset(options={"reset_mask": np.ones(1, bool)})


def test_gymnasium_s_own_vector_environments_hand_on_the_final_infos(name: str) -> None:
    envs = gymnasium.make_vec(gymnasium_id(name, GAMES[name]), 3, vectorization_mode="sync")
    observations, _ = envs.reset(seed=0)
    ended = 0
    for _ in range(400):
        observations, _, terminations, _, infos = envs.step(
            observations["action_mask"].argmax(axis=1)
        )
        for lane in np.flatnonzero(terminations):
            assert infos["god_view"][lane]["phase"] == "over"
            ended += 1
    assert ended > 10
