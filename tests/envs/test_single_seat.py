"""Every game as a Gymnasium environment for one learner: what its users rely on."""

import copy
import pickle
import re
import subprocess
import sys
import warnings
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env as check_env_of_sb3
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

from masked_monsters.envs.adapters.aec import ILLEGAL_REWARD, observation_space
from masked_monsters.envs.adapters.gymnasium_ids import gymnasium_id
from masked_monsters.envs.adapters.single_seat import SingleSeat
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.baselines import baselines, get_baseline
from tests.envs.learner import Last, choose, strongest
from tests.games import BAD_OPTIONS, Case, Options, global_generators_unused


def play(env: Any, seed: int = 0, steps: int | None = None) -> list[Any]:
    """Random legal play to the end of the match, or for so many decisions; what was told."""
    rng = np.random.default_rng(seed)
    told: list[Any] = []
    ended = False
    while not ended and steps != 0:
        action = int(choose(env.unwrapped.game, env.unwrapped.action_masks(), rng))
        observation, reward, ended, truncated, _ = env.step(action)
        assert not truncated
        told.append(({key: row.tolist() for key, row in observation.items()}, reward, ended))
        steps = None if steps is None else steps - 1
    return told


class TestOthersChecks:
    @pytest.mark.parametrize("observation", ["compact", "history"])
    @pytest.mark.parametrize("num_players", [3, 8])
    def test_gymnasium_s_own(
        self, name: str, num_players: int, observation: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        id_ = gymnasium_id(name, GAMES[name])
        env = gymnasium.make(id_, num_players=num_players, observation=observation)
        check_env(env.unwrapped)

    @pytest.mark.parametrize("num_players", [3, 8])
    def test_stable_baselines3_s_own(self, name: str, num_players: int, options: Options) -> None:
        check_env_of_sb3(SingleSeat(name, num_players=num_players, **options))

    @pytest.mark.filterwarnings("ignore:Your observation observation has an unconventional shape")
    def test_stable_baselines3_s_own_with_history(self, name: str) -> None:
        check_env_of_sb3(SingleSeat(name, observation="history"))


class TestNames:
    def test_make_finds_every_game(self, name: str) -> None:
        env = gymnasium.make(
            gymnasium_id(name, GAMES[name]), opponents=strongest(name), num_players=5, seat=2
        )
        observation, _ = env.reset(seed=0)
        assert observation in env.observation_space
        unwrapped: Any = env.unwrapped
        assert unwrapped.game.name == name
        assert unwrapped.game.num_players == 5

    def test_the_module_may_be_named_with_it(self) -> None:
        program = (
            "import gymnasium\n"
            "env = gymnasium.make('masked_monsters.envs:masked_monsters/UnderMyBed-v0')\n"
            "print(env.unwrapped.game.title)\n"
        )
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True
        )
        assert done.stdout == "Under My Bed\n", done.stderr


class TestSeeds:
    def test_the_same_seed_gives_the_same_matches_and_seed_0_is_one(self, name: str) -> None:
        runs = []
        for seed in (0, 0, 1):
            env = SingleSeat(name, opponents=baselines(get_game(name))[1])
            env.reset(seed=seed)
            run = [play(env)]
            for _ in range(3):
                env.reset()
                run.append(play(env))
            assert all(one != other for one, other in pairwise(run))
            runs.append(run)
        assert runs[0] == runs[1]
        assert runs[0] != runs[2]

    def test_without_a_seed_two_environments_differ(self, name: str, case: Case) -> None:
        envs = [SingleSeat(name) for _ in range(3)]
        for env in envs:
            env.reset()
        god_view = get_game(name).words.god_view
        assert len({str(case.deal(god_view(env._tables.states[0]))) for env in envs}) == 3

    def test_the_seat_is_drawn_anew_for_each_match_and_each_is_as_likely(self, name: str) -> None:
        env = SingleSeat(name, num_players=3)
        env.reset(seed=0)
        seats = [env._tables.tables["seat"][0]]
        for _ in range(299):
            env.reset()
            seats.append(env._tables.tables["seat"][0])
        assert np.bincount(seats, minlength=3).min() > 70

    def test_a_reset_in_mid_match_leaves_no_trace(self, name: str, options: Options) -> None:
        env, fresh = SingleSeat(name, **options), SingleSeat(name, **options)
        env.reset(seed=6)
        play(env, steps=2)
        env.reset(seed=7)
        fresh.reset(seed=7)
        assert play(env) == play(fresh)

    def test_the_global_generators_are_neither_used_nor_disturbed(self, name: str) -> None:
        with global_generators_unused():
            env = SingleSeat(name)
            env.reset(seed=3)
            play(env)

    def test_a_policy_is_reset_with_a_seeded_reset_only_and_another_for_each_seed(
        self, name: str
    ) -> None:
        policy = Last()
        env = SingleSeat(name, opponents=policy)
        for seed in (5, None, 5, 6):
            env.reset(seed=seed)
        first, again, other = policy.seeds
        assert first == again != other

    @pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7"])
    def test_a_bad_seed_is_refused_by_name(self, name: str, seed: Any) -> None:
        with pytest.raises(ValueError, match=re.escape(f"seed={seed!r}")):
            SingleSeat(name).reset(seed=seed)


class TestMasks:
    def test_masks_mirror_each_other_and_who_decides_has_a_legal_move(
        self, name: str, options: Options
    ) -> None:
        env = SingleSeat(name, opponents=strongest(name), **options)
        rng = np.random.default_rng(0)
        assert not env.action_masks().any()
        for match in range(5):
            observation, info = env.reset(seed=match)
            ended = False
            while not ended:
                mask = observation["action_mask"]
                assert mask.any()
                assert mask.dtype == info["action_mask"].dtype == np.int8
                assert env.action_masks().dtype == np.bool_
                assert mask.tolist() == info["action_mask"].tolist()
                assert mask.tolist() == env.action_masks().astype(int).tolist()
                observation, _, ended, _, info = env.step(int(choose(env.game, mask, rng)))
            assert not observation["action_mask"].any()
            assert not info["action_mask"].any()
            assert not env.action_masks().any()

    def test_an_illegal_action_loses_the_match(self, name: str) -> None:
        env = SingleSeat(name, opponents=strongest(name))
        for steps in (0, 1):
            env.reset(seed=12)
            assert not any(ended for *_, ended in play(env, steps=steps))
            before = env._tables.states.tobytes()
            action = int(env.action_masks().argmin())
            observation, reward, ended, truncated, info = env.step(action)
            assert (reward, ended, truncated) == (ILLEGAL_REWARD, True, False)
            assert info["illegal_action"] is True
            assert not observation["action_mask"].any()
            assert env._tables.states.tobytes() == before
            with pytest.raises(RuntimeError, match="reset"):
                env.step(action)
            env.reset()
            play(env)

    @pytest.mark.parametrize("action", [-1, 999, None, 1.0, "1"])
    def test_what_is_no_action_is_an_error_and_changes_nothing(
        self, name: str, action: Any
    ) -> None:
        env = SingleSeat(name)
        env.reset(seed=1)
        before = env._tables.states.tobytes()
        with pytest.raises(ValueError, match=re.escape(f"action={action!r}")):
            env.step(action)
        assert env._tables.states.tobytes() == before

    @pytest.mark.parametrize("kind", [DummyVecEnv, SubprocVecEnv])
    def test_masks_survive_wrappers_and_vector_environments(self, name: str, kind: Any) -> None:
        envs = kind([lambda: Monitor(TimeLimit(SingleSeat(name), 1000)) for _ in range(2)])
        try:
            assert is_masking_supported(envs)
            envs.seed(3)
            observations = envs.reset()
            for _ in range(20):
                masks = get_action_masks(envs)
                assert masks.dtype == np.bool_
                assert masks.tolist() == observations["action_mask"].astype(bool).tolist()
                observations, _, dones, infos = envs.step(masks.argmax(axis=1))
                for done, info in zip(dones, infos, strict=True):
                    assert not done or info["god_view"]
        finally:
            envs.close()

    def test_an_opponent_that_does_something_illegal_is_named(self, name: str) -> None:
        class Wrong(Last):
            name = "wrong"

            def act(self, decisions: Any) -> np.ndarray:
                return decisions.action_mask.argmin(axis=1)

        env = SingleSeat(name, seat=0, opponents=Wrong())
        with pytest.raises(
            ValueError, match=r"opponents: wrong does \d+, which is illegal; allowed"
        ):
            play_matches(env, 10)


def play_matches(env: SingleSeat, count: int) -> None:
    for seed in range(count):
        env.reset(seed=seed)
        play(env)


class TestLifeCycle:
    @pytest.mark.parametrize("num_players", [3, 8])
    def test_rewards_add_up_to_the_score(self, name: str, case: Case, num_players: int) -> None:
        for options, score in case.scores:
            env = SingleSeat(name, num_players=num_players, **options)
            rng = np.random.default_rng(0)
            for _ in range(10):
                _, info = env.reset()
                paid, ended = 0.0, False
                while not ended:
                    action = int(choose(env.game, info["action_mask"], rng))
                    _, reward, ended, _, info = env.step(action)
                    paid += reward
                assert paid == pytest.approx(score(info["god_view"])[info["seat"]])

    def test_a_hundred_resets_some_in_mid_match(self, name: str) -> None:
        env = SingleSeat(name, num_players=6)
        for index in range(100):
            observation, info = env.reset(seed=index if index % 2 else None)
            assert observation in env.observation_space
            assert list(info) == ["action_mask"]
            play(env, steps=index % 4 if index % 3 else None)

    def test_misplaced_calls_are_clear_errors(self, name: str) -> None:
        env = SingleSeat(name, render_mode="ansi")
        for call in (env.render, lambda: env.step(0)):
            with pytest.raises(RuntimeError, match="call reset"):
                call()
        env.reset(seed=0)
        play(env)
        with pytest.raises(RuntimeError, match="call reset"):
            env.step(0)
        assert isinstance(env.render(), str)

    def test_live_infos_hold_no_secret_and_the_last_one_shows_all(self, name: str) -> None:
        env = SingleSeat(name, seat=1)
        _, info = env.reset(seed=2)
        rng = np.random.default_rng(0)
        ended = False
        while not ended:
            assert list(info) == ["action_mask"]
            _, _, ended, _, info = env.step(int(choose(env.game, info["action_mask"], rng)))
        assert info["god_view"] == env.game.words.god_view(env._tables.states[0])
        assert info["god_view"]["phase"] == "over"
        assert (info["seat"], info["illegal_action"]) == (1, False)

    @pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
    def test_a_copy_made_in_mid_match_goes_on_identically(
        self, name: str, options: Options, copied: Any
    ) -> None:
        first, second = baselines(get_game(name))[1:3]
        env = SingleSeat(name, num_players=4, opponents=[first, second, Last()], **options)
        env.reset(seed=8)
        play(env, steps=2)
        twin = copied(env)
        for _ in range(2):
            assert play(env) == play(twin)
            env.reset()
            twin.reset()

    def test_gymnasium_s_wrappers_see_whole_episodes(self, name: str) -> None:
        env = RecordEpisodeStatistics(gymnasium.make(gymnasium_id(name, GAMES[name])))
        _, info = env.reset(seed=0)
        rng = np.random.default_rng(0)
        paid, steps, ended = 0.0, 0, False
        while not ended:
            action = int(choose(get_game(name), info["action_mask"], rng))
            _, reward, ended, _, info = env.step(action)
            paid, steps = paid + float(reward), steps + 1
        assert info["episode"]["r"] == pytest.approx(paid)
        assert info["episode"]["l"] == steps


class TestObservations:
    @pytest.mark.parametrize("kind", ["compact", "history"])
    @pytest.mark.parametrize("num_players", [3, 8])
    def test_observations_lie_in_the_space_all_match_long(
        self, name: str, num_players: int, kind: str, options: Options
    ) -> None:
        env = SingleSeat(name, num_players=num_players, observation=kind, **options)
        assert env.observation_space == observation_space(env.game, kind)
        rng = np.random.default_rng(0)
        for match in range(3):
            observation, info = env.reset(seed=match)
            ended = False
            while not ended:
                assert env.observation_space.contains(observation)
                assert all(entries.dtype == np.int8 for entries in observation.values())
                action = int(choose(env.game, info["action_mask"], rng))
                observation, _, ended, _, info = env.step(action)
            assert env.observation_space.contains(observation)

    @pytest.mark.parametrize("kind", ["compact", "history"])
    def test_what_is_kept_does_not_change_and_writing_into_it_changes_nothing(
        self, name: str, kind: str
    ) -> None:
        env, untouched = (SingleSeat(name, observation=kind) for _ in range(2))
        rng = np.random.default_rng(0)
        kept = []
        for each in (env, untouched):
            each.reset(seed=5)
        ended = False
        while not ended:
            action = int(choose(env.game, untouched.action_masks(), rng))
            observed, *_, info = env.step(action)
            observation, _, ended, _, expected = untouched.step(action)
            kept.append((observation, copy.deepcopy(observation)))
            assert info["action_mask"].tolist() == expected["action_mask"].tolist()
            for entries in (*observed.values(), info["action_mask"], env.action_masks()):
                entries[:] = 1
        for now, then in kept:
            assert all((now[key] == then[key]).all() for key in now)


class TestOptions:
    def test_a_bad_option_is_an_error_that_names_it(self, name: str, case: Case) -> None:
        bad: tuple[Any, ...] = (*BAD_OPTIONS, *case.bad_options, {"num_player": 4})
        for options in bad:
            with pytest.raises(ValueError, match=next(iter(options))):
                SingleSeat(name, **options)

    @pytest.mark.parametrize(
        ("options", "named"),
        [
            ({"opponents": "nobody"}, "opponents='nobody': must be one of 'random'"),
            ({"opponents": ["random"]}, "opponents: 1 are given; must be one for all seats, or 3"),
            ({"opponents": 7}, "opponents=7: must be a policy or one of 'random'"),
            ({"seat": 4}, "seat=4: must be an integer from 0 to 3"),
            ({"seat": -1}, "seat=-1: must be an integer from 0 to 3"),
        ],
    )
    def test_a_bad_table_is_an_error_that_names_it(
        self, name: str, options: Options, named: str
    ) -> None:
        with pytest.raises(ValueError, match=re.escape(named)):
            SingleSeat(name, **options)

    def test_a_scripted_player_of_another_game_is_refused(self, name: str) -> None:
        for other in GAMES:
            if other != name:
                player = get_baseline(get_game(other), "random")
                with pytest.raises(ValueError, match=f"must play {name}"):
                    SingleSeat(name, opponents=player)

    def test_a_reset_takes_no_options(self, name: str) -> None:
        with pytest.raises(ValueError, match="options="):
            SingleSeat(name).reset(options={"seat": 1})


class TestRendering:
    def test_human_prints_what_ansi_returns(
        self, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        human, ansi = (SingleSeat(name, render_mode=mode) for mode in ("human", "ansi"))
        for env in (human, ansi):
            env.reset(seed=0)
        for _ in range(2):
            assert capsys.readouterr().out == f"{ansi.render()}\n"
            action = int(ansi.action_masks().argmax())
            human.step(action)
            ansi.step(action)

    def test_without_a_mode_it_says_which_there_are(self, name: str) -> None:
        env = SingleSeat(name)
        env.reset(seed=0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert env.render() is None
        assert "ansi" in str(caught[0].message)


def test_a_step_after_an_opponent_s_exception_is_refused(name: str) -> None:
    class Fails(Last):
        def act(self, decisions: Any) -> Any:
            raise OSError("no network")

    env = SingleSeat(name, opponents=Fails(), seat=0)

    def play_on() -> None:
        while True:
            _, info = env.reset()
            env.step(int(info["action_mask"].argmax()))

    with pytest.raises(OSError, match="no network"):
        play_on()
    with pytest.raises(RuntimeError, match="interrupted while opponents played"):
        env.step(0)
