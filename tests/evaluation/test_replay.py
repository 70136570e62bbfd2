import json
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.replay import (
    Replay,
    ReplayError,
    load,
    play_back,
    record,
    save,
)
from masked_monsters.evaluation.retell import retell
from tests.evaluation.players import Drawing, First
from tests.games import Options, weights

GAME = get_game("monster_my_neighbor")


def recorded(players: int = 4, seed: int = 7, name: str = GAME.name, **options: Any) -> Replay:
    game = get_game(name, num_players=players, **options)
    return record(game, [Drawing(weights(game)) for _ in range(players)], seed)


@pytest.fixture(scope="module")
def short() -> Replay:
    return recorded(3, num_rounds=1)


# ---------------------------------------------------------------- what is recorded


@pytest.mark.parametrize("players", range(3, 9))
def test_a_replay_survives_its_file_and_plays_back(
    tmp_path: Path, name: str, players: int, options: Options
) -> None:
    replay = recorded(players, name=name, **options)
    save(replay, tmp_path / "game.json")
    assert load(tmp_path / "game.json") == replay
    steps = list(play_back(load(tmp_path / "game.json")))
    assert len(steps) == len(replay.events)
    assert steps[-1].after["phase"][0] == OVER


def test_the_score_is_the_vp() -> None:
    replay = recorded(num_rounds=2)
    *_, last = play_back(replay)
    assert last.after["vp"][0, :4].tolist() == replay.score


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_a_match_recorded_chance_by_chance_is_the_one_that_the_generator_settles(
    name: str, seed: int
) -> None:
    game = get_game(name)
    settled = game.new_states(1)
    settled["stream"] = seed
    game.kernels.start_match(settled, 0, True)
    fields = [field for field in game.state.names or () if field != "random"]  # not played back
    steps = list(play_back(recorded(name=name, seed=seed)))
    for step in steps:
        if "action" in step.event:
            assert step.before[fields] == settled[fields]
            game.kernels.step(settled, 0, step.event["action"], True)
    assert settled["phase"][0] == OVER
    assert steps[-1].after[fields] == settled[fields]


def test_the_same_seed_records_the_same_match_and_another_one_another(name: str) -> None:
    assert recorded(seed=0, name=name) == recorded(seed=0, name=name)
    assert recorded(seed=0, name=name).events != recorded(seed=1, name=name).events


def test_a_step_keeps_its_states(name: str) -> None:
    steps = list(play_back(recorded(name=name)))
    for earlier, later in pairwise(steps):
        assert earlier.after == later.before
        assert earlier.before != earlier.after


def test_recording_asks_for_one_player_a_seat() -> None:
    with pytest.raises(ValueError, match="policies: must be 4, one a seat, are 3"):
        record(GAME, [First()] * 3)


def test_recording_refuses_an_illegal_action() -> None:
    class Cheating(First):
        name = "cheating"

        def act(self, decisions: Any) -> np.ndarray:
            return decisions.action_mask.argmin(axis=1)

    with pytest.raises(ValueError, match=r"seat \d \(cheating\): action=\d+ is illegal"):
        record(GAME, [Cheating()] * 4)


def test_saving_replaces_the_file_and_leaves_no_other(tmp_path: Path, short: Replay) -> None:
    (tmp_path / "game.json").write_text("old")
    save(short, tmp_path / "game.json")
    assert load(tmp_path / "game.json") == short
    assert [file.name for file in tmp_path.iterdir()] == ["game.json"]


def test_a_failed_save_keeps_the_old_file(tmp_path: Path, short: Replay) -> None:
    (tmp_path / "game.json").write_text("old")
    with pytest.raises(TypeError):
        save(replace(short, options={"deck": object()}), tmp_path / "game.json")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


# ---------------------------------------------------------------- what is refused


def first(replay: Replay, kind: str) -> int:
    return next(number for number, event in enumerate(replay.events) if kind in event)


def with_event(replay: Replay, number: int, *events: dict[str, int]) -> Replay:
    return replace(replay, events=[*replay.events[:number], *events, *replay.events[number + 1 :]])


def refusal(replay: Replay) -> str:
    with pytest.raises(ReplayError) as error:
        list(play_back(replay))
    return str(error.value)


def test_an_illegal_action_is_refused(short: Replay) -> None:
    number = first(short, "action")
    bad = with_event(short, number, {**short.events[number], "action": 19})
    assert refusal(bad).startswith(f"event {number}: action=19 is illegal; allowed: [0]")


@pytest.mark.parametrize("action", [-1, 20, 2**80])
def test_an_action_that_does_not_exist_is_refused(short: Replay, action: int) -> None:
    number = first(short, "action")
    bad = with_event(short, number, {**short.events[number], "action": action})
    assert f"event {number}: action={action} is illegal" in refusal(bad)


def test_an_action_of_another_seat_is_refused(short: Replay) -> None:
    number = first(short, "action")
    seat = short.events[number]["seat"]
    bad = with_event(short, number, {**short.events[number], "seat": (seat + 1) % 3})
    assert f"event {number}: seat={(seat + 1) % 3} does not decide here" in refusal(bad)


@pytest.mark.parametrize("code", [5, -1, 2**80])
def test_an_impossible_outcome_is_refused(short: Replay, code: int) -> None:
    assert (
        refusal(with_event(short, 0, {"chance": code})) == f"event 0: chance={code} is impossible"
    )


def test_an_impossible_hand_is_refused(short: Replay) -> None:
    assert "event 2: chance=1 is impossible" in refusal(with_event(short, 2, {"chance": 1}))


def test_an_action_where_chance_decides_is_refused(short: Replay) -> None:
    assert "event 0: chance decides" in refusal(with_event(short, 0, {"action": 0, "seat": 0}))


def test_chance_where_a_seat_decides_is_refused(short: Replay) -> None:
    number = first(short, "action")
    assert f"event {number}: seat" in refusal(with_event(short, number, {"chance": 0}))


def test_an_event_after_the_end_is_refused(short: Replay) -> None:
    bad = replace(short, events=[*short.events, short.events[-1]])
    assert refusal(bad) == f"event {len(short.events)}: the match is over"


def test_a_missing_event_is_refused(short: Replay) -> None:
    bad = replace(short, events=short.events[:-1])
    assert refusal(bad) == f"event {len(short.events) - 1} is missing: the match is not over"


def test_another_score_is_refused(short: Replay) -> None:
    assert "score=[9.0, 9.0, 9.0]: by the rules it is" in refusal(
        replace(short, score=[9.0, 9.0, 9.0])
    )


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("game", "chess", "game='chess': must be one of 'monster_my_neighbor'"),
        ("game_version", 99, "game_version=99: this is version 0 of monster_my_neighbor"),
        ("options", {"num_players": 9}, "options: num_players=9: must be an integer from 3 to 8"),
        ("options", {"colour": 1}, "unknown option colour"),
        ("options", {"deck": []}, "options: "),
        (
            "options",
            {},
            "options: deck, hand_size, num_players, num_rounds, reward, tiebreak missing",
        ),
        ("players", ["a"], "players: must be 3, are 1"),
    ],
)
def test_what_belongs_to_another_game_is_refused(
    short: Replay, field: str, value: Any, words: str
) -> None:
    assert words in refusal(replace(short, **{field: value}))


EDITS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "format": (lambda data: data.pop("format"), "is not a replay"),
    "newer": (lambda data: data.update(format_version=2), "format_version=2: must be 1"),
    "missing": (lambda data: data.pop("seed"), "seed is missing"),
    "unknown": (lambda data: data.update(colour=1), "unknown key 'colour'"),
    "bool": (lambda data: data.update(game_version=True), "game_version: must be of type int"),
    "seed": (lambda data: data.update(seed=-1), "seed=-1: must be an integer from 0"),
    "players": (lambda data: data.update(players=[1]), "players: must be names, has 1"),
    "score": (lambda data: data.update(score=["1"]), "score: must be numbers, has '1'"),
    "events": (lambda data: data.update(events={}), "events: must be of type list"),
    "text": (lambda data: data["events"].insert(3, "x"), "event 3: must be a chance, or"),
    "number": (lambda data: data["events"].insert(3, {"chance": 1.5}), "event 3: must be"),
    "key": (lambda data: data["events"].insert(3, {"action": 1}), "event 3: must be"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_file_of_another_shape_is_refused(tmp_path: Path, short: Replay, edit: str) -> None:
    path = tmp_path / "game.json"
    save(short, path)
    data = json.loads(path.read_text())
    change, words = EDITS[edit]
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(ReplayError, match=str(path)) as error:
        load(path)
    assert words in str(error.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b"null"])
def test_a_file_that_is_no_replay_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "game.json").write_bytes(content)
    with pytest.raises(ReplayError, match="not"):
        load(tmp_path / "game.json")


# ---------------------------------------------------------------- what is told


SECRET = re.compile(
    r"is dealt:|the monster of|starting deck|steals:|from the right:|gives back (?!a card)|"
    r"general deck:|chooses to|puts (?!a card)|holds:|knows"
)
REVEALED = re.compile(r"player_\d (chooses to discard|puts) monster")


def test_everybody_is_told_no_secret() -> None:
    for seed in range(8):
        for line in retell(recorded(3, seed)):
            assert REVEALED.search(line) or not SECRET.search(line)


def test_a_seat_is_told_its_own_secrets_and_what_it_takes_part_in() -> None:
    told = set()
    for seed in range(8):
        for line in retell(recorded(3, seed), seat=2):
            if not REVEALED.search(line) and (secret := SECRET.search(line)):
                told.add(secret[0])
                with_others = secret[0] in ("steals:", "from the right:", "gives back ", "knows")
                assert with_others or line.strip().startswith("player_2 ")
    assert told >= {"is dealt:", "steals:", "from the right:", "chooses to", "holds:", "knows"}
    assert not told & {"the monster of", "starting deck"}


def test_god_is_told_every_event(name: str) -> None:
    replay = recorded(name=name)
    lines = list(retell(replay, god=True))
    numbers = [int(line[:6]) for line in lines if line[:6].strip().isdigit()]
    assert numbers == list(range(len(replay.events)))


def test_a_table_is_shown_at_each_rounds_start_and_at_the_end() -> None:
    lines = list(retell(recorded()))
    assert [line.split(":")[0] for line in lines if line.startswith("Round")] == [
        "Round 1",
        "Round 2",
        "Round 3",
        "Round 4",
        "Round 5",
        "Round 5",
    ]


def test_a_retold_match_is_ascii(name: str, options: Options) -> None:
    replay = recorded(name=name, **options)
    for lines in (retell(replay), retell(replay, seat=0), retell(replay, god=True)):
        assert all(line.isascii() for line in lines)


def test_there_is_no_seat_beyond_the_last(short: Replay) -> None:
    with pytest.raises(ValueError, match="seat=3: must be an integer from 0 to 2"):
        list(retell(short, seat=3))


def test_chance_comes_before_the_first_decision(short: Replay) -> None:
    steps = list(play_back(short))
    assert steps[0].before["phase"][0] == CHANCE
    assert first(short, "action") == 2 + 3  # the monster, the starting deck, a hand each
