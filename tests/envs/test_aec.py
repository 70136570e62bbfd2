"""Every game as a PettingZoo environment: what its users rely on."""

import inspect
import os
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
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from masked_monsters.envs.adapters.aec import ILLEGAL_REWARD, IllegalActionError
from masked_monsters.envs.registry import GAMES, get_game
from tests.envs.aec import choose, plain, play, told
from tests.games import BAD_OPTIONS, CASES, Case, Options, global_generators_unused, module_of

ALL_TABLES = range(3, 9)

# PettingZoo's api_test warns of every environment whose observations are dictionaries.
dict_observations = [
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
]


@pytest.fixture
def game(name: str) -> Any:
    """Each game's module, with ``env`` and ``raw_env``."""
    return module_of(name)


class TestPettingZoosOwnTests:
    pytestmark = dict_observations

    @pytest.mark.parametrize("observation", ["compact", "history"])
    @pytest.mark.parametrize("num_players", ALL_TABLES)
    def test_api(self, game: Any, num_players: int, observation: str) -> None:
        api_test(game.env(num_players=num_players, observation=observation), num_cycles=500)

    def test_api_with_other_options(self, game: Any, options: Options) -> None:
        api_test(game.env(**options), num_cycles=500)

    @pytest.mark.parametrize("observation", ["compact", "history"])
    @pytest.mark.parametrize("num_players", ALL_TABLES)
    def test_seed(self, game: Any, num_players: int, observation: str) -> None:
        make = partial(game.env, num_players=num_players, observation=observation)
        seed_test(make, num_cycles=500)

    @pytest.mark.parametrize("num_players", ALL_TABLES)
    def test_render(self, game: Any, num_players: int, capsys: pytest.CaptureFixture[str]) -> None:
        make: Any = partial(game.env, num_players=num_players)
        render_test(make)


def test_make_finds_every_game() -> None:
    for name, version in GAMES.items():
        made = pettingzoo.make("aec", f"masked_monsters/{name}_v{version}", num_players=3)
        made.reset(seed=0)
        assert made.possible_agents == ["player_0", "player_1", "player_2"]
        assert made.unwrapped.metadata["name"] == f"{name}_v{version}"


def test_the_environment_s_options_are_the_game_s_with_the_same_defaults(
    game: Any, name: str
) -> None:
    parameters = inspect.signature(game.raw_env).parameters
    options = {key: parameter.default for key, parameter in parameters.items()}
    assert options == {**get_game(name).options, "observation": "compact", "render_mode": None}
    assert game.raw_env(**CASES[name].other).game.options == {
        **get_game(name).options,
        **CASES[name].other,
    }


class TestSeeds:
    def test_seed_0_is_a_seed(self, game: Any) -> None:
        first, second = game.env(), game.env()
        first.reset(seed=0)
        second.reset(seed=0)
        assert play(first) == play(second)

    def test_bare_resets_after_a_seed_vary_and_can_be_repeated(self, game: Any) -> None:
        runs = []
        for _ in range(2):
            match = game.env()
            match.reset(seed=5)
            matches = [tuple(play(match))]
            for _ in range(3):
                match.reset()
                matches.append(tuple(play(match)))
            runs.append(matches)
        assert runs[0] == runs[1]
        assert len(set(runs[0])) == 4

    def test_without_any_seed_two_environments_differ(self, game: Any, case: Case) -> None:
        deals = set()
        for _ in range(3):
            match = game.env()
            match.reset()
            deals.add(str(case.deal(match.unwrapped.god_view())))
        assert len(deals) == 3

    def test_the_global_generators_are_neither_used_nor_disturbed(self, game: Any) -> None:
        with global_generators_unused():
            match = game.env()
            match.reset(seed=3)
            play(match)

    def test_the_next_deal_is_the_same_however_the_last_one_was_played(
        self, game: Any, case: Case
    ) -> None:
        deals = set()
        for chooser in range(5):
            match = game.raw_env()
            match.reset(seed=9)
            rng = random.Random(chooser)
            while match.agents and match.god_view().get("round", 1) == 1:
                play(match, steps=1, seed=rng.randrange(1000))
            if not match.agents:
                match.reset()
            deals.add(str(case.deal(match.god_view())))
        assert len(deals) == 1

    @pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7"])
    def test_a_bad_seed_is_refused_by_name(self, game: Any, seed: Any) -> None:
        with pytest.raises(ValueError, match=re.escape(f"seed={seed!r}")):
            game.env().reset(seed=seed)


class TestMasks:
    @pytest.mark.parametrize("num_players", [3, 8])
    def test_only_the_deciding_seat_has_a_mask_and_it_mirrors_the_info(
        self, game: Any, num_players: int
    ) -> None:
        match = game.env(num_players=num_players)
        match.reset(seed=1)
        chooser = random.Random(0)
        while not any(match.terminations.values()):
            for agent in match.agents:
                mask = match.observe(agent)["action_mask"]
                assert mask.dtype == np.int8
                assert set(mask.tolist()) <= {0, 1}
                assert mask.any() == (agent == match.agent_selection)
                assert mask.tolist() == match.infos[agent]["action_mask"].tolist()
            match.step(choose(match, chooser))

    def test_an_illegal_action_loses_the_match_for_its_player(self, game: Any) -> None:
        match = game.env()
        match.reset(seed=2)
        loser = match.agent_selection
        match.step(int(np.flatnonzero(match.observe(loser)["action_mask"] == 0)[0]))
        paid = {}
        for agent in match.agent_iter():
            _, paid[agent], termination, _, _ = match.last()
            assert termination
            match.step(None)
        assert paid == {agent: ILLEGAL_REWARD if agent == loser else 0 for agent in paid}

    def test_an_illegal_action_changes_nothing_in_the_raw_environment(
        self, game: Any, options: Options
    ) -> None:
        match = game.raw_env(**options)
        match.reset(seed=2)
        before = match.save(), told(match)
        mask = match.observe(match.agent_selection)["action_mask"]
        legal, illegal, size = int(mask.argmax()), int(mask.argmin()), len(mask)
        for action in (illegal, legal - size, size, None, str(legal), float(legal), [legal]):
            with pytest.raises(IllegalActionError, match=re.escape(f"action={action!r}")):
                match.step(action)
            assert (match.save(), told(match)) == before

    def test_an_action_outside_the_space_is_an_error_and_changes_nothing(self, game: Any) -> None:
        match = game.env()
        match.reset(seed=2)
        before = match.unwrapped.save()
        mask = match.observe(match.agent_selection)["action_mask"]
        legal, size = int(mask.argmax()), len(mask)
        for action in (legal - size, size, None, str(legal), float(legal)):
            with pytest.raises(AssertionError, match="not in action space"):
                match.step(action)
            assert match.unwrapped.save() == before

    @pytest.mark.parametrize("integer", [int, np.int8, np.int32, np.int64, np.array])
    def test_any_kind_of_integer_is_an_action(self, game: Any, integer: Any) -> None:
        match = game.env()
        match.reset(seed=2)
        action = match.observe(match.agent_selection)["action_mask"].argmax()
        match.step(integer(action))
        assert not any(match.terminations.values())

    def test_writing_into_masks_makes_no_action_legal_or_illegal(self, game: Any) -> None:
        for legal, written in ((0, 1), (1, 0)):
            match = game.env()
            match.reset(seed=2)
            observation, _, _, _, info = match.last()
            action = int(np.flatnonzero(observation["action_mask"] == legal)[0])
            observation["action_mask"][:] = written
            info["action_mask"][:] = written
            match.step(action)
            assert any(match.terminations.values()) == (not legal)


class TestWrapper:
    @pytest.mark.parametrize("mistake", [0.0, 0.02])
    def test_it_tells_what_pettingzoos_own_wrappers_tell(
        self, game: Any, mistake: float, options: Options
    ) -> None:
        theirs: Any = TerminateIllegalWrapper(
            game.raw_env(**options), illegal_reward=ILLEGAL_REWARD
        )
        theirs = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(theirs))
        ours = game.env(**options)
        assert str(ours) == str(theirs)
        chooser = random.Random(0)
        for seed in range(10):
            ours.reset(seed=seed)
            theirs.reset(seed=seed)
            for _ in zip(ours.agent_iter(), theirs.agent_iter(), strict=True):
                assert told(ours) == told(theirs)
                if ours.terminations[ours.agent_selection]:
                    action = None
                elif chooser.random() < mistake:
                    action = chooser.randrange(ours.unwrapped.game.num_actions)
                else:
                    action = choose(ours, chooser)
                ours.step(action)
                theirs.step(action)

    def test_a_loop_that_does_not_step_is_an_error(self, game: Any) -> None:
        match = game.env()
        match.reset(seed=0)
        with pytest.raises(AssertionError, match="need to call step"):
            list(match.agent_iter(2))

    def test_nothing_is_to_be_had_before_the_first_reset(self, game: Any) -> None:
        match = game.env()
        for name in ("agents", "agent_selection", "num_agents", "rewards", "terminations", "infos"):
            with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
                getattr(match, name)
        with pytest.raises(AttributeError, match="before reset"):
            match.last()
        with pytest.raises(AssertionError, match="before agent_iter"):
            match.agent_iter()


class TestLifeCycle:
    @pytest.mark.parametrize("num_players", ALL_TABLES)
    def test_what_last_pays_adds_up_to_the_score(
        self, game: Any, case: Case, num_players: int
    ) -> None:
        for options, score in case.scores:
            match = game.env(num_players=num_players, **options)
            for seed in range(5):
                match.reset(seed=seed)
                paid = dict.fromkeys(match.agents, 0.0)
                for agent, reward_paid, _, _ in play(match, seed=seed):
                    paid[agent] += reward_paid
                assert list(paid.values()) == pytest.approx(score(match.unwrapped.god_view()))

    def test_all_end_at_once_and_take_one_none_step_each(self, game: Any, options: Options) -> None:
        match = game.env(**options)
        match.reset(seed=4)
        told = play(match)
        ends = [agent for agent, _, termination, _ in told if termination]
        assert ends == [agent for agent, _, _, _ in told[-len(ends) :]]
        assert sorted(ends) == match.possible_agents
        assert match.unwrapped.god_view()["phase"] == "over"
        assert match.agents == []

    def test_a_hundred_resets_some_in_mid_game_restore_the_agents(self, game: Any) -> None:
        match = game.env(num_players=6)
        for index in range(100):
            match.reset(seed=index)
            assert match.agents == match.possible_agents
            assert not any(match.terminations.values())
            assert set(match.rewards.values()) == {0.0}
            play(match, steps=index % 40 if index % 3 else None)

    def test_a_reset_in_mid_game_leaves_no_trace(self, game: Any, options: Options) -> None:
        match, fresh = game.env(**options), game.env(**options)
        match.reset(seed=6)
        play(match, steps=25)
        match.reset(seed=7)
        fresh.reset(seed=7)
        assert play(match) == play(fresh)

    def test_misplaced_calls_are_clear_errors(self, game: Any) -> None:
        match = game.env(render_mode="ansi")
        for call in (match.render, lambda: match.step(0), lambda: match.observe("player_0")):
            with pytest.raises(Exception, match="reset"):
                call()
        raw = game.raw_env(render_mode="ansi")
        for call in (raw.render, lambda: raw.step(0)):
            with pytest.raises(RuntimeError, match="reset"):
                call()

    def test_live_infos_hold_the_mask_alone_and_the_final_ones_show_all(
        self, game: Any, case: Case
    ) -> None:
        match = game.env(**case.short)
        match.reset(seed=0)
        chooser = random.Random(0)
        while not any(match.terminations.values()):
            assert all(set(info) == {"action_mask"} for info in match.infos.values())
            match.step(choose(match, chooser))
        god = match.unwrapped.god_view()
        assert all(info["god_view"] == god for info in match.infos.values())


class TestObservations:
    @pytest.mark.parametrize("kind", ["compact", "history"])
    @pytest.mark.parametrize("num_players", [3, 8])
    def test_every_seats_observation_lies_in_its_space_all_match_long(
        self, game: Any, num_players: int, kind: str, options: Options
    ) -> None:
        match = game.env(num_players=num_players, observation=kind, **options)
        for seed in range(2):
            match.reset(seed=seed)
            chooser = random.Random(seed)
            while match.agents and not match.terminations[match.agent_selection]:
                for agent in match.agents:
                    space = match.observation_space(agent)
                    observation = match.observe(agent)
                    assert isinstance(space, Dict)
                    assert space.contains(observation)
                    for name, entry in observation.items():
                        assert entry.dtype == space[name].dtype == np.int8
                        assert entry.shape == space[name].shape
                match.step(choose(match, chooser))

    def test_the_bounds_are_those_of_the_segments(self, game: Any, options: Options) -> None:
        match = game.raw_env(**options)
        space = match.observation_space("player_0")
        assert isinstance(space, Dict)
        box = space["observation"]
        assert isinstance(box, Box)
        assert (box.low == 0).all()
        assert (box.high == match.game.compact_highs).all()
        assert match.observation_space("player_0") is match.observation_space("player_0")

    @pytest.mark.parametrize("kind", ["compact", "history"])
    def test_what_was_told_and_kept_does_not_change_and_writing_into_it_changes_nothing(
        self, game: Any, kind: str
    ) -> None:
        match = game.env(observation=kind)
        match.reset(seed=0)
        kept = [match.last(), [match.observe(agent) for agent in match.agents], match.infos]
        copied = plain(kept)
        play(match, steps=30)
        assert plain(kept) == copied
        match.reset(seed=0)
        before = match.unwrapped.save()
        for entry in match.observe("player_1").values():
            entry[:] = 1
        match.infos["player_1"]["action_mask"][:] = 1
        assert match.unwrapped.save() == before
        assert not match.observe("player_1")["observation"].all()

    def test_a_bad_option_is_an_error_that_names_it(self, game: Any, case: Case) -> None:
        for options in (*BAD_OPTIONS, *case.bad_options):
            with pytest.raises(ValueError, match=next(iter(options))):
                game.env(**options)

    def test_a_mistyped_option_is_an_error_that_names_it(self, game: Any) -> None:
        with pytest.raises(TypeError, match="num_player"):
            game.env(num_player=4)


class TestRendering:
    def test_human_prints_and_ansi_returns_the_same_ascii(
        self, game: Any, options: Options, capsys: pytest.CaptureFixture[str]
    ) -> None:
        human = game.env(**options, render_mode="human")
        ansi = game.env(**options, render_mode="ansi")
        human.reset(seed=0)
        ansi.reset(seed=0)
        chooser = random.Random(0)
        for _ in range(20):
            action = choose(ansi, chooser)
            human.step(action)
            ansi.step(action)
            text = ansi.render()
            assert capsys.readouterr().out == f"{text}\n"
            assert text.isascii()

    def test_a_match_that_is_over_is_still_shown(self, game: Any) -> None:
        match = game.env(render_mode="ansi")
        match.reset(seed=0)
        play(match)
        assert match.agents == []
        assert isinstance(match.render(), str)

    def test_printing_works_where_only_ascii_can_be_printed(self) -> None:
        name, version = next(iter(GAMES.items()))  # any game shows the same
        program = (
            f"from masked_monsters.envs import {name}_v{version} as game\n"
            "env = game.env(render_mode='human')\n"
            "env.reset(seed=0)\n"
            "env.step(env.observe(env.agent_selection)['action_mask'].argmax())\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program],
            # What is compiled lies in a folder that the rest of the environment names.
            env={**os.environ, "PYTHONIOENCODING": "ascii", "TERM": "dumb"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "player_3" in done.stdout
