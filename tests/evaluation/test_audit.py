from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.adapters.aec import AEC
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation import audit as audit_module
from masked_monsters.evaluation.audit import audit
from masked_monsters.evaluation.audit.positions import random_positions
from masked_monsters.evaluation.audit.secrets import HIDDEN, SECRETS, secrets_of
from masked_monsters.evaluation.audit.told import Encoder
from masked_monsters.evaluation.beliefs import NothingFitsError, Worlds, resample
from tests.evaluation.audits import MMN, UMB, entries, next_has_monster, next_is_kid, run
from tests.games import CASES

# ---------------------------------------------------------------- the games are clean


@pytest.mark.parametrize(
    ("name", "options", "positions"),
    [
        (MMN, {"num_players": 3}, 60),
        (MMN, {"num_players": 4, "num_rounds": 2, "tiebreak": "rounds"}, 60),
        (UMB, {"num_players": 3, "window_order": "clockwise", "hedging": False}, 60),
        (UMB, {"num_players": 4}, 60),
        (UMB, {"num_players": 8}, 25),
    ],
)
def test_both_games_tell_no_secret_and_every_secret_is_tried(
    name: str, options: dict[str, Any], positions: int
) -> None:
    result = audit(get_game(name, **options), positions=positions, worlds=2)
    assert result.leaks == ()
    assert result.not_tried == ()
    assert result.clean
    assert result.left_out < positions / 10


@pytest.mark.usefixtures("dealt_anew")
def test_monster_my_neighbor_tells_no_secret_to_eight_seats() -> None:
    result = run(num_players=8)
    assert result.leaks == ()
    assert set(result.not_tried) <= {"the face-down cards"}  # which are not dealt anew


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [3, 4, 8])
def test_both_games_with_options_far_from_the_defaults_tell_no_secret(
    name: str, num_players: int
) -> None:
    game = get_game(name, num_players=num_players, **CASES[name].other)
    result = audit(game, positions=60)
    assert result.leaks == ()
    assert result.left_out < 6 * num_players


def test_positions_are_of_every_phase_alike(name: str) -> None:
    game = get_game(name)
    positions = random_positions(game, 60, np.random.default_rng(0))
    phases = [int(states["phase"][0]) for states in positions]
    counts = [phases.count(phase) for phase in set(phases)]
    assert sum(counts) == 60
    assert max(counts) - min(counts) <= 1
    assert len(counts) == {MMN: 6, UMB: 5}[name]


def test_the_same_seed_finds_the_same_and_another_seed_other_worlds() -> None:
    assert run(UMB) == run(UMB)
    game = get_game(UMB)
    first, second = (audit(game, positions=10, worlds=1, seed=seed) for seed in (0, 1))
    assert first != second


def test_a_secret_is_a_hidden_part_of_the_god_view_and_has_a_rule(name: str) -> None:
    god = get_game(name).words.god_view(
        random_positions(get_game(name), 1, np.random.default_rng())[0][0]
    )
    assert god.keys() > HIDDEN[name]
    for secret in SECRETS[name]:
        secret.of(god)
        assert secret.rule[0] in "MB"
        assert secret.rule[1].isdigit()


def test_a_game_without_a_dog_or_without_cards_left_over_has_nothing_hidden_there() -> None:
    deck = {"wanted": 1, "hunter": 4, "hide": 4, "villager": 2}
    game = get_game(MMN, num_players=3, deck=deck)
    names = {secret.name for secret in secrets_of(game)}
    assert names == {"who holds the Monster", "the others' hands", "the round's monster"}
    assert "the votes cast so far" not in {
        secret.name for secret in secrets_of(get_game(UMB, num_players=3))
    }


# ---------------------------------------------------------------- leaking encoders are named


@pytest.mark.usefixtures("dealt_anew")
def test_an_entry_that_lights_up_when_the_next_seat_holds_the_monster_is_named() -> None:
    def encode(env: AEC, agent: str) -> Any:
        vector = env.observe(agent)["observation"]
        return {"vector": np.append(vector, np.int8(next_has_monster(env, agent)))}

    result = run(MMN, encode)
    (leak,) = result.leaks
    assert leak.entry == f"mine: vector[{get_game(MMN).compact_size}]"
    assert leak.secrets[0] == "who holds the Monster"
    assert set(leak.example) == {"0", "1"}
    assert set(leak.seats) == {0, 1, 2, 3}
    assert len(leak.phases) == 6
    assert leak.pairs == sum(leak.phases.values()) == sum(leak.seats.values()) > 20
    assert not result.clean


@pytest.mark.usefixtures("dealt_anew")
def test_a_mask_whose_length_hangs_on_the_next_seats_monster_is_named() -> None:
    def encode(env: AEC, agent: str) -> Any:
        mask = env.observe(agent)["action_mask"]
        return {"mask": np.append(mask, 0) if next_has_monster(env, agent) else mask}

    (leak,) = [leak for leak in run(MMN, encode).leaks if leak.entry == "mine: mask length"]
    assert leak.secrets[0] == "who holds the Monster"
    assert set(leak.example) == {"20", "21"}


@pytest.mark.usefixtures("dealt_anew")
@pytest.mark.parametrize(
    ("encode", "entry"),
    [
        (lambda env, agent: np.zeros(3, "i2" if next_is_kid(env, agent) else "i1"), "mine: dtype"),
        (lambda env, agent: np.zeros((1, 2) if next_is_kid(env, agent) else (2, 1)), "mine: shape"),
        (lambda env, agent: next_is_kid(env, agent), "mine"),
        (lambda env, agent: {"kid": 1} if next_is_kid(env, agent) else {}, "mine: kid"),
        (lambda env, agent: {"a": {"b": [0, 0, next_is_kid(env, agent)]}}, "mine: a b[2]"),
        (lambda env, agent: f"the next is{' not' * next_is_kid(env, agent)} it", "mine"),
        (lambda env, agent: [np.nan, np.nan if next_is_kid(env, agent) else 1.0], "mine: [1]"),
    ],
)  # fmt: skip
def test_who_is_the_kid_is_found_in_whatever_form_an_encoder_tells_it(
    encode: Encoder, entry: str
) -> None:
    (leak,) = run(UMB, encode).leaks
    assert leak.entry == entry
    assert leak.secrets[0] == "who is the kid"


@pytest.mark.usefixtures("dealt_anew")
def test_a_leak_in_one_phase_only_is_found_in_that_phase_only() -> None:
    def encode(env: AEC, agent: str) -> Any:
        god = env.god_view()
        return god["phase"] == "vote" and len(god["accusation"]["votes"])

    (leak,) = run(UMB, encode).leaks
    assert leak.phases.keys() == {"vote"}
    assert {"who is asked to vote", "the votes cast so far"} <= set(leak.secrets)


@pytest.mark.usefixtures("dealt_anew")
def test_the_random_numbers_to_come_are_a_secret() -> None:
    result = run(UMB, lambda env, agent: env._states["random"].copy())
    assert entries(result) == {"mine: [0]"}


@pytest.mark.usefixtures("dealt_anew")
def test_an_encoder_gets_the_environment_of_the_wanted_encoding() -> None:
    def encode(env: AEC, agent: str) -> Any:
        rows = env.observe(agent)["observation"].copy()
        rows[5, 1] += next_is_kid(env, agent)
        return rows

    game = get_game(UMB)
    result = audit(game, positions=20, encoders={"mine": encode}, observation="history")
    assert entries(result) == {"mine: [5, 1]"}


# ---------------------------------------------------------------- no false alarms


@pytest.mark.usefixtures("dealt_anew")
@pytest.mark.parametrize("noise", ["normal", "coin", "buffer"])
def test_noise_is_not_reproducible_and_no_leak(noise: str) -> None:
    generator = np.random.default_rng(0)

    def encode(env: AEC, agent: str) -> Any:
        vector = env.observe(agent)["observation"].astype(np.float32)
        vector[3] = generator.integers(2) if noise == "coin" else generator.normal()
        return vector

    result = run(UMB, encode)
    assert result.leaks == ()
    assert result.not_reproducible == ("mine: [3]",)
    assert not result.clean


@pytest.mark.usefixtures("dealt_anew")
@pytest.mark.parametrize("period", [2, 3, 5, 1000])
def test_an_encoder_that_counts_its_calls_is_not_reproducible_and_no_leak(period: int) -> None:
    calls = 0

    def encode(env: AEC, agent: str) -> Any:
        nonlocal calls
        calls += 1
        return calls % period

    result = run(UMB, encode)
    assert result.leaks == ()
    assert result.not_reproducible == ("mine",)


@pytest.mark.usefixtures("dealt_anew")
def test_an_encoder_that_keeps_its_buffer_or_remembers_what_it_saw_gives_no_alarm() -> None:
    buffer = np.zeros(get_game(UMB).compact_size, np.int8)
    last: dict[str, np.ndarray] = {}

    def encode(env: AEC, agent: str) -> Any:
        buffer[:] = env.observe(agent)["observation"]
        before = last.get(agent, np.zeros_like(buffer))
        last[agent] = buffer.copy()
        return {"now": buffer, "before": before}

    result = run(UMB, encode)
    assert result.leaks == ()
    assert all(entry.startswith("mine: before") for entry in result.not_reproducible)


def test_an_encoder_that_fails_is_named_with_its_reason() -> None:
    def encode(env: AEC, agent: str) -> Any:
        raise KeyError("no such thing")

    with pytest.raises(RuntimeError, match="encoder mine: fails for player_0") as caught:
        run(UMB, encode)
    assert isinstance(caught.value.__cause__, KeyError)


# ---------------------------------------------------------------- an audit that proves nothing


def test_worlds_that_never_differ_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def same(game: Game, seat: int, history: Any, *, count: int, seed: int) -> Worlds:
        return Worlds(np.repeat(kept[0], count), np.full(count, 1 / count), np.arange(count))

    def history(game: Game, states: np.ndarray, lane: int, seat: int) -> None:
        kept[:] = [states]

    kept: list[np.ndarray] = []
    monkeypatch.setattr(audit_module, "history_of", history)
    monkeypatch.setattr(audit_module, "resample", same)
    result = run(UMB)
    assert result.leaks == ()
    assert set(result.not_tried) == {secret.name for secret in SECRETS[UMB]}
    assert not result.clean


def test_worlds_that_differ_in_public_are_an_error_of_the_sampler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(*args: Any, **kwargs: Any) -> Worlds:
        worlds = resample(*args, **kwargs)
        worlds.states["vp"] += 1
        return worlds

    monkeypatch.setattr(audit_module, "resample", wrong)
    with pytest.raises(RuntimeError, match="vp: is public"):
        run(MMN)


def test_seats_for_which_no_world_is_found_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*args: Any, **kwargs: Any) -> Worlds:
        raise NothingFitsError("history: nothing fits it")

    monkeypatch.setattr(audit_module, "resample", none)
    result = audit(get_game(UMB), positions=5)
    assert (result.left_out, result.pairs, result.clean) == (20, 0, False)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"positions": 0}, "positions=0: must be an integer from 1"),
        ({"worlds": 0}, "worlds=0: must be an integer from 1"),
        ({"seed": -1}, "seed=-1: must be an integer from 0"),
        ({"observation": "pixels"}, "observation='pixels': must be one of 'compact', 'history'"),
    ],
)
def test_wrong_arguments_are_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        audit(get_game(UMB), **wrong)
