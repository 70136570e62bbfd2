"""Any game as a PettingZoo environment: what its users rely on."""

import copy
import pickle
import random
import re
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.spaces import Box, Dict
from pettingzoo.test import api_test, render_test, seed_test

from masked_monsters.envs import monster_my_neighbor_v0
from masked_monsters.envs.adapters.aec import ILLEGAL_REWARD
from masked_monsters.envs.registry import GAMES

env, raw_env = monster_my_neighbor_v0.env, monster_my_neighbor_v0.raw_env
ALL_TABLES = range(3, 9)

# PettingZoo's api_test warns of every environment whose observations are dictionaries.
dict_observations = [
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
]


def sample(match: Any) -> int:
    mask = match.observe(match.agent_selection)["action_mask"]
    return int(match.action_space(match.agent_selection).sample(mask))


def play(match: Any, steps: int | None = None, seed: int = 0) -> list[Any]:
    """Random legal play for so many decisions, or to the end; returns what ``last`` said."""
    chooser = random.Random(seed)
    told = []
    while match.agents and steps != 0:
        observation, reward, termination, truncation, _ = match.last()
        told.append(
            (match.agent_selection, reward, termination, observation["observation"].tobytes())
        )
        legal = np.flatnonzero(observation["action_mask"]).tolist()
        match.step(None if termination or truncation else chooser.choice(legal))
        steps = None if steps is None else steps - 1
    return told


class TestPettingZoosOwnTests:
    pytestmark = dict_observations

    @pytest.mark.parametrize("observation", ["compact", "history"])
    @pytest.mark.parametrize("num_players", ALL_TABLES)
    def test_api(self, num_players: int, observation: str) -> None:
        api_test(env(num_players=num_players, observation=observation), num_cycles=500)

    @pytest.mark.parametrize("num_players", ALL_TABLES)
    def test_seed(self, num_players: int) -> None:
        seed_test(lambda: env(num_players=num_players), num_cycles=500)

    @pytest.mark.parametrize("num_players", ALL_TABLES)
    def test_render(self, num_players: int, capsys: pytest.CaptureFixture[str]) -> None:
        make: Any = partial(env, num_players=num_players)
        render_test(make)


def test_make_finds_every_game() -> None:
    for name, version in GAMES.items():
        made = pettingzoo.make("aec", f"masked_monsters/{name}_v{version}", num_players=3)
        made.reset(seed=0)
        assert made.possible_agents == ["player_0", "player_1", "player_2"]


class TestSeeds:
    def test_seed_0_is_a_seed(self) -> None:
        first, second = env(), env()
        first.reset(seed=0)
        second.reset(seed=0)
        assert play(first) == play(second)

    def test_bare_resets_after_a_seed_vary_and_can_be_repeated(self) -> None:
        runs = []
        for _ in range(2):
            match = env()
            match.reset(seed=5)
            matches = [tuple(play(match))]
            for _ in range(3):
                match.reset()
                matches.append(tuple(play(match)))
            runs.append(matches)
        assert runs[0] == runs[1]
        assert len(set(runs[0])) == 4

    def test_without_any_seed_two_environments_differ(self) -> None:
        deals = set()
        for _ in range(3):
            match = env()
            match.reset()
            deals.add(str(match.unwrapped.god_view()["hands"]))
        assert len(deals) == 3

    def test_the_global_generators_are_neither_used_nor_disturbed(self) -> None:
        random.seed(1)
        np.random.seed(1)
        expected = random.random(), np.random.random()
        random.seed(1)
        np.random.seed(1)
        match = env()
        match.reset(seed=3)
        play(match)
        assert (random.random(), np.random.random()) == expected

    def test_a_round_is_dealt_alike_however_the_one_before_was_played(self) -> None:
        deals = set()
        for chooser in range(5):
            match = raw_env()
            match.reset(seed=9)
            rng = random.Random(chooser)
            while match.god_view()["round"] == 1:
                mask = match.observe(match.agent_selection)["action_mask"]
                match.step(rng.choice(np.flatnonzero(mask).tolist()))
            deals.add(str(match.god_view()["hands"]))
        assert len(deals) == 1

    @pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7"])
    def test_a_bad_seed_is_refused_by_name(self, seed: Any) -> None:
        with pytest.raises(ValueError, match=re.escape(f"seed={seed!r}")):
            env().reset(seed=seed)


class TestMasks:
    @pytest.mark.parametrize("num_players", [3, 8])
    def test_only_the_deciding_seat_has_a_mask_and_it_mirrors_the_info(
        self, num_players: int
    ) -> None:
        match = env(num_players=num_players)
        match.reset(seed=1)
        while not any(match.terminations.values()):
            for agent in match.agents:
                mask = match.observe(agent)["action_mask"]
                assert mask.dtype == np.int8
                assert set(mask.tolist()) <= {0, 1}
                assert mask.any() == (agent == match.agent_selection)
                assert mask.tolist() == match.infos[agent]["action_mask"].tolist()
            match.step(sample(match))

    def test_an_illegal_action_loses_the_match_for_its_player(self) -> None:
        match = env()
        match.reset(seed=2)
        loser = match.agent_selection
        match.step(int(np.flatnonzero(match.observe(loser)["action_mask"] == 0)[0]))
        paid = {}
        for agent in match.agent_iter():
            _, paid[agent], termination, _, _ = match.last()
            assert termination
            match.step(None)
        assert paid == {agent: ILLEGAL_REWARD if agent == loser else 0 for agent in paid}

    @pytest.mark.parametrize("action", [-1, 20, None, 19])
    def test_an_illegal_action_changes_nothing_in_the_raw_environment(self, action: Any) -> None:
        match = raw_env()
        match.reset(seed=2)
        before = match.save()
        with pytest.raises(ValueError, match=re.escape(f"action={action!r}")):
            match.step(action)
        assert match.save() == before


class TestLifeCycle:
    @pytest.mark.parametrize("num_players", ALL_TABLES)
    @pytest.mark.parametrize("reward", ["vp", "win"])
    def test_what_last_pays_adds_up_to_the_score(self, num_players: int, reward: str) -> None:
        for seed in range(5):
            match = env(num_players=num_players, reward=reward)
            match.reset(seed=seed)
            paid = dict.fromkeys(match.agents, 0.0)
            for agent, reward_paid, _, _ in play(match, seed=seed):
                paid[agent] += reward_paid
            god = match.unwrapped.god_view()
            share = [
                (seat in god["winners"]) / len(god["winners"]) - 1 / num_players
                for seat in range(num_players)
            ]
            assert list(paid.values()) == pytest.approx(god["vp"] if reward == "vp" else share)

    def test_all_end_at_once_after_the_last_round_and_take_one_none_step_each(self) -> None:
        match = env(num_rounds=2)
        match.reset(seed=4)
        told = play(match)
        ends = [agent for agent, _, termination, _ in told if termination]
        assert sorted(ends) == match.possible_agents
        assert match.unwrapped.god_view()["phase"] == "over"
        assert match.agents == []

    def test_a_hundred_resets_some_in_mid_game_restore_the_agents(self) -> None:
        match = env(num_players=6)
        for index in range(100):
            match.reset(seed=index)
            assert match.agents == match.possible_agents
            assert not any(match.terminations.values())
            assert set(match.rewards.values()) == {0.0}
            play(match, steps=index % 40 if index % 3 else None)

    def test_misplaced_calls_are_clear_errors(self) -> None:
        match = env(render_mode="ansi")
        for call in (match.render, lambda: match.step(0), lambda: match.observe("player_0")):
            with pytest.raises(Exception, match="reset"):
                call()
        raw = raw_env(render_mode="ansi")
        for call in (raw.render, lambda: raw.step(0)):
            with pytest.raises(RuntimeError, match="reset"):
                call()

    def test_live_infos_hold_the_mask_alone_and_the_final_ones_show_all(self) -> None:
        match = env(num_rounds=1)
        match.reset(seed=0)
        while not any(match.terminations.values()):
            assert all(set(info) == {"action_mask"} for info in match.infos.values())
            match.step(sample(match))
        god = match.unwrapped.god_view()
        assert all(info["god_view"] == god for info in match.infos.values())


class TestObservations:
    @pytest.mark.parametrize("kind", ["compact", "history"])
    @pytest.mark.parametrize("num_players", [3, 8])
    def test_every_seats_observation_lies_in_its_space_all_match_long(
        self, num_players: int, kind: str
    ) -> None:
        match = env(num_players=num_players, observation=kind)
        for seed in range(3):
            match.reset(seed=seed)
            while match.agents and not match.terminations[match.agent_selection]:
                for agent in match.agents:
                    space = match.observation_space(agent)
                    observation = match.observe(agent)
                    assert isinstance(space, Dict)
                    assert space.contains(observation)
                    for name, entry in observation.items():
                        assert entry.dtype == space[name].dtype == np.int8
                        assert entry.shape == space[name].shape
                match.step(sample(match))

    def test_the_bounds_are_those_of_the_segments(self) -> None:
        match = raw_env()
        space = match.observation_space("player_0")
        assert isinstance(space, Dict)
        box = space["observation"]
        assert isinstance(box, Box)
        assert (box.low == 0).all()
        assert (box.high == match.game.compact_highs).all()
        assert match.observation_space("player_0") is match.observation_space("player_0")

    def test_an_observation_kept_does_not_change_and_writing_into_it_changes_nothing(self) -> None:
        match = env()
        match.reset(seed=0)
        kept = match.observe("player_2")
        copied = copy.deepcopy(kept)
        play(match, steps=30)
        assert all((kept[name] == copied[name]).all() for name in kept)
        before = match.unwrapped.save()
        for entry in match.observe("player_1").values():
            entry[:] = 1
        match.infos["player_1"]["action_mask"][:] = 1
        assert match.unwrapped.save() == before
        assert not match.observe("player_1")["observation"].all()

    @pytest.mark.parametrize(
        "options",
        [
            {"num_players": 2},
            {"num_players": 9},
            {"num_rounds": 0},
            {"hand_size": 5},
            {"reward": "gold"},
            {"tiebreak": "duel"},
            {"observation": "pixels"},
            {"render_mode": "rgb_array"},
            {"deck": {"wanted": 2}},
        ],
    )
    def test_a_bad_option_is_an_error_that_names_it(self, options: dict[str, Any]) -> None:
        with pytest.raises(ValueError, match=next(iter(options))):
            env(**options)

    def test_a_mistyped_option_is_an_error_that_names_it(self) -> None:
        with pytest.raises(TypeError, match="num_player"):
            env(num_player=4)


class TestCopies:
    @pytest.mark.parametrize("num_players", [3, 8])
    @pytest.mark.parametrize("steps", [0, 1, 17, 60])
    def test_a_copied_pickled_or_restored_match_goes_on_identically(
        self, num_players: int, steps: int
    ) -> None:
        match = env(num_players=num_players)
        match.reset(seed=8)
        play(match, steps=steps)
        other = env(num_players=num_players)
        other.reset(seed=99)
        other.unwrapped.restore(match.unwrapped.save())
        copies = [copy.deepcopy(match), pickle.loads(pickle.dumps(match)), other]
        expected = play(match, seed=1)
        assert expected
        assert all(play(twin, seed=1) == expected for twin in copies)

    def test_a_match_saved_by_another_kind_of_table_is_refused(self) -> None:
        match, other = raw_env(num_players=4), raw_env(num_players=5)
        match.reset(seed=0)
        with pytest.raises(ValueError, match="player_4"):
            other.restore(match.save())

    def test_damaged_bytes_are_refused(self) -> None:
        match = raw_env()
        match.reset(seed=0)
        data = match.save()
        for place in (0, 40, len(data) - 1):
            damaged = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
            with pytest.raises(ValueError, match="not as save"):
                match.restore(damaged)
        assert match.save() == data
        with pytest.raises(RuntimeError, match="reset"):
            raw_env().save()

    def test_a_restored_match_takes_the_actions_that_are_legal_in_it(self) -> None:
        match = env()
        match.reset(seed=0)
        saved, action = match.unwrapped.save(), sample(match)
        match.step(action)
        match.last()
        match.unwrapped.restore(saved)
        match.observe(match.agent_selection)["action_mask"][:] = 0
        match.step(action)
        assert not any(match.terminations.values())


class TestRendering:
    def test_human_prints_and_ansi_returns_the_same_ascii(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        human, ansi = env(render_mode="human"), env(render_mode="ansi")
        human.reset(seed=0)
        ansi.reset(seed=0)
        for _ in range(20):
            action = int(np.flatnonzero(ansi.observe(ansi.agent_selection)["action_mask"])[0])
            human.step(action)
            ansi.step(action)
            text = ansi.render()
            assert capsys.readouterr().out == f"{text}\n"
            assert text.isascii()

    def test_printing_works_where_only_ascii_can_be_printed(self) -> None:
        program = (
            "from masked_monsters.envs import monster_my_neighbor_v0 as game\n"
            "env = game.env(render_mode='human')\n"
            "env.reset(seed=0)\n"
            "env.step(0)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONIOENCODING": "ascii", "TERM": "dumb", "PATH": "", "HOME": "/nonexistent"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "player_3" in done.stdout
