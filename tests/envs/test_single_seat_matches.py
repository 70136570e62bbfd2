"""One learner's matches are those of the PettingZoo environment, every move and byte of them.

So neither the lot that seats the learner nor the opponents draw from the game's random numbers.
"""

import numpy as np
import pytest

from masked_monsters.envs.adapters.single_seat import SingleSeat
from masked_monsters.envs.policy import Policy
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from tests.envs.learner import Last, ThroughAEC, choose, strongest
from tests.games import Case, Options


@pytest.mark.parametrize("seat", [0, 2, None])
@pytest.mark.parametrize("num_players", [3, 8])
def test_scripted_opponents_play_the_same_matches(
    name: str, num_players: int, seat: int | None, case: Case, options: Options
) -> None:
    options = {**(options or case.short), "num_players": num_players}
    player = get_baseline(get_game(name), strongest(name))
    reference = ThroughAEC(name, seat, [player] * (num_players - 1), **options)
    env = SingleSeat(name, opponents=strongest(name), seat=seat, **options)
    assert_same_matches(env, reference)


@pytest.mark.parametrize("observation", ["compact", "history"])
@pytest.mark.parametrize("num_players", [3, 8])
def test_each_opponent_has_its_seat_counted_from_the_learner_s_left(
    name: str, num_players: int, observation: str, case: Case
) -> None:
    options = {**case.short, "num_players": num_players, "observation": observation}
    policies: list[Policy] = [get_baseline(get_game(name), "random"), Last()]
    seated = [policies[k == 0 or k > 3] for k in range(num_players - 1)]
    given = ["random" if policy is policies[0] else policy for policy in seated]
    env = SingleSeat(name, opponents=given, seat=1, **options)
    assert_same_matches(env, ThroughAEC(name, 1, seated, **options))


def assert_same_matches(env: SingleSeat, reference: ThroughAEC, matches: int = 3) -> None:
    rng = np.random.default_rng(0)
    for match in range(matches):
        seed = 11 if match == 0 else None
        observation, info = env.reset(seed=seed)
        expected = reference.reset(seed=seed)
        ended = False
        while not ended:
            assert env._tables.states.tobytes() == reference.aec._states.tobytes()
            assert observation.keys() == expected.keys()
            for key, entries in expected.items():
                assert observation[key].tolist() == entries.tolist(), key
            action = int(choose(env.game, info["action_mask"], rng))
            observation, reward, ended, _, info = env.step(action)
            expected, paid, expected_end = reference.step(action)
            assert (reward, ended) == (paid, expected_end)
        assert observation["observation"].tolist() == expected["observation"].tolist()
        assert info["god_view"] == reference.aec.god_view()
        assert info["seat"] == reference.seat
