"""Matches looked at afterwards: probabilities, beliefs, and truth."""

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.policy import Decisions, reads_history
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.beliefs import history_of, resample
from masked_monsters.evaluation.beliefs.answering import Uniform
from masked_monsters.evaluation.decisions import decisions_at
from masked_monsters.evaluation.replay import Replay, game_of, load, play_back, record
from masked_monsters.evaluation.table import analysis
from masked_monsters.evaluation.table.analysis import Analyst, analyse
from masked_monsters.training.policy import infer
from masked_monsters.training.train import train
from tests.evaluation.analysed import BED, NEIGHBOR, WORLDS, acts, analysed, recorded
from tests.evaluation.beds import Event, assert_same, bed_game, brute_force
from tests.evaluation.players import Drawing
from tests.games import weights
from tests.training.tiny import changed, tiny_config

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))


# ---------------------------------------------------------------- all that there is


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_decision_of_a_match_is_told_in_order_as_plain_values(path: Path) -> None:
    replay = load(path)
    head, decisions = analysed(replay)
    assert json.loads(json.dumps([head, *decisions])) == [head, *decisions]
    assert head["players"] == replay.players
    numbers = [number for number, event in enumerate(replay.events) if "action" in event]
    assert [each["event"] for each in decisions] == numbers
    assert [each["decision"] for each in decisions] == list(range(len(numbers)))
    for each in decisions:
        event = replay.events[each["event"]]
        assert (each["action"], each["seat"]) == (event["action"], event["seat"])
        assert len(each["beliefs"]) == len(replay.players)


@pytest.mark.parametrize("players", [3, 8])
def test_matches_of_few_and_many_players_run_through(name: str, players: int) -> None:
    options = {"num_rounds": 1} if name == NEIGHBOR else {}
    head, decisions = analysed(recorded(name, players, **options), worlds=20)
    for each in decisions:
        assert each["truth"].keys() == {fact["name"] for fact in head["facts"]}
        for belief in filter(None, each["beliefs"]):
            for fact in head["facts"]:
                p = belief["facts"][fact["name"]]
                assert p is None or len(p) == len(fact["classes"])
                assert p is None or sum(p) == pytest.approx(1)


def test_two_looks_at_a_match_see_the_same(name: str) -> None:
    replay = recorded(name, 3)
    assert analysed(replay) == analysed(replay)


def test_a_decision_is_told_before_the_match_goes_on(name: str) -> None:
    replay = recorded(name, 3)
    told = analyse(replace(replay, events=replay.events[:20]), worlds=WORLDS)
    head, first = next(told), next(told)
    assert [head, first] == list(islice(analyse(replay, worlds=WORLDS), 2))


def test_a_game_that_is_not_known_has_probabilities_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "find_spec", lambda _: None)
    head, decisions = analysed(recorded(BED, 3))
    assert (head["facts"], head["method"]) == ([], Analyst.method)
    for each in decisions:
        assert (each["truth"], each["beliefs"], each["marks"]) == ({}, [None] * 3, [])
        assert each["probabilities"]


# ---------------------------------------------------------------- probabilities


@pytest.mark.parametrize("adviser", ["random", "strongest", "reference"])
def test_probabilities_are_those_of_the_adviser_asked_itself(name: str, adviser: str) -> None:
    replay = recorded(name, 3)
    game = game_of(replay)
    strongest = {NEIGHBOR: "mastermind", BED: "trickster"}[name]
    spec = {"strongest": strongest, "reference": f"reference:{name}"}.get(adviser, adviser)
    policy = load_agent(spec, game)
    head, decisions = analysed(replay, adviser=spec)
    assert head["advisers"] == [policy.name] * 3
    for each, (_, act) in zip(decisions, acts(replay), strict=True):
        seen = decisions_at(game, act.before, reads_history(policy))
        expected, found = policy.probabilities(seen)[0], each["probabilities"]
        assert sorted(action for action, _, _ in found) == np.flatnonzero(seen.action_mask).tolist()
        assert all(p == expected[action] for action, _, p in found)
        assert all(text == game.words.action(act.before[0], action) for action, text, _ in found)
        chances = [p for *_, p in found]
        assert chances == sorted(chances, reverse=True)
        assert sum(chances) == pytest.approx(1)


def test_values_are_those_of_the_network(name: str) -> None:
    replay = recorded(name, 3)
    network: Any = load_agent(f"reference:{name}", game_of(replay))
    head, decisions = analysed(replay, adviser=f"reference:{name}")
    more = " more than the table's mean" if name == NEIGHBOR else ""  # ppo.relative
    assert head["values"] == [f"what the seat is still to be paid{more}"] * 3
    for each, (_, act) in zip(decisions, acts(replay), strict=True):
        seen: Decisions = decisions_at(game_of(replay), act.before, False)
        _, (value,) = infer(network.network, seen.observation, seen.action_mask)
        assert each["value"] == value


def test_scripted_players_and_critics_apart_have_no_values(tmp_path: Path) -> None:
    train(changed(tiny_config(BED), network={"critic": "own"}), tmp_path / "run")
    for adviser in ("honest", str(next(tmp_path.rglob("agent.zip")))):
        head, decisions = analysed(recorded(BED, 4), adviser=adviser)
        assert (head["advisers"], head["values"]) == ([adviser] * 4, [None] * 4)
        assert {each["value"] for each in decisions} == {None}


def test_who_sat_there_is_asked_and_for_a_person_the_agent_that_is_shipped(name: str) -> None:
    known = {NEIGHBOR: "tracker", BED: "honest"}[name]
    replay = replace(recorded(name, 3), players=["person", known, "reference"])
    head, decisions = analysed(replay)
    assert head["advisers"] == ["reference", known, "reference"]
    assert all((each["value"] is None) == (each["seat"] == 1) for each in decisions)


def test_no_name_in_a_replay_is_read_as_that_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "agent.zip"
    path.write_bytes(b"spoiled")
    head, _ = analysed(replace(recorded(BED, 3), players=[str(path), "ismcts", "random"]))
    assert head["advisers"] == ["reference", "reference", "random"]


def test_without_pytorch_the_strongest_scripted_player_is_asked(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(spec: str, *args: Any) -> Any:
        if spec.startswith("reference"):
            raise ImportError
        return load_agent(spec, *args)

    monkeypatch.setattr(analysis, "load_agent", without)
    head, _ = analysed(replace(recorded(name, 3), players=["person", "reference", "random"]))
    strongest = {NEIGHBOR: "mastermind", BED: "trickster"}[name]
    assert head["advisers"] == [strongest, strongest, "random"]


def test_an_adviser_that_does_not_exist_is_an_error_that_names_it() -> None:
    with pytest.raises(ValueError, match="agent='nobody'"):
        next(analyse(recorded(BED, 3), adviser="nobody"))


# ---------------------------------------------------------------- truth and beliefs


def test_the_truth_is_that_of_the_god_view(name: str) -> None:
    replay = recorded(name)
    game = game_of(replay)
    head, decisions = analysed(replay, worlds=5)
    for each, (_, act) in zip(decisions, acts(replay), strict=True):
        god = game.words.god_view(act.after[0])
        if name == BED:
            assert each["truth"] == {"kid": god["roles"].index("kid"), "bed": god["under_bed"]}
            assert head["facts"][1]["classes"] == god["lineup"]
        else:
            holders = [seat for seat, hand in enumerate(god["hands"]) if "monster" in hand]
            assert [each["truth"]["monster"]] == (holders or [None])
            assert bool(holders) == (god["phase"] != "over")


@pytest.mark.parametrize("seed", range(6))
def test_beliefs_under_the_bed_are_those_of_playing_every_deal_through(seed: int) -> None:
    game = bed_game(3)
    replay = record(game, [Drawing(weights(game)) for _ in range(3)], seed)
    events = []
    after: dict[int, list[Event]] = {}
    for number, step in enumerate(play_back(replay)):
        phase, code = int(step.before["phase"][0]), next(iter(step.event.values()))
        what = -int(step.before["chance"][0]) if phase == CHANCE else step.event["seat"]
        events.append(Event(phase, what, code))
        after[number] = events.copy()
    for each, (number, act) in zip(analysed(replay)[1], acts(replay), strict=True):
        last = next(n for n in range(number, len(events)) if _decides(after, n, replay))
        for seat, belief in enumerate(each["beliefs"]):
            expected = brute_force(
                game,
                after[last],
                seat,
                history_of(game, act.after, 0, seat),
                Uniform(),
                answers_only=True,
            )
            is_kid = each["truth"]["kid"] == seat
            facts = belief["facts"]
            assert (facts["kid"] is None) == is_kid
            kid = expected.kid if is_kid else np.array(facts["kid"])
            assert_same(expected._replace(kid=kid, bed=np.array(facts["bed"])), expected)


def _decides(after: dict[int, list[Event]], number: int, replay: Replay) -> bool:
    """Is nothing left to chance after that event?"""
    return number + 1 not in after or "action" in replay.events[number + 1]


def test_beliefs_of_the_neighbor_s_monster_are_about_those_of_more_worlds() -> None:
    replay = load(next(path for path in GOLDEN if path.stem == f"{NEIGHBOR}_hunted"))
    game = game_of(replay)
    model = analysis._analyst(game, 0, 1)
    _, decisions = analysed(replay, worlds=2000)
    for each, (_, act) in list(zip(decisions, acts(replay), strict=True))[:6]:
        for seat, belief in enumerate(each["beliefs"]):
            if seat == each["truth"]["monster"]:
                assert (belief["facts"], belief["effective_size"]) == ({"monster": None}, None)
                continue
            worlds = resample(
                game,
                seat,
                history_of(game, act.after, 0, seat),
                profile=vars(model)["_model"],
                count=4000,
                seed=99,
            )
            holds = worlds.states["hands"][:, :3, -1] > 0
            error = 4 * (1 / belief["effective_size"] + 1 / worlds.effective_size) ** 0.5 / 2
            np.testing.assert_allclose(
                belief["facts"]["monster"], worlds.weights @ holds, rtol=0, atol=error
            )


def test_nobody_believes_anything_of_the_monster_when_the_match_is_over() -> None:
    *_, last = analysed(recorded(NEIGHBOR, num_rounds=1))[1]
    assert (last["beliefs"], last["truth"]) == ([None] * 4, {"monster": None})


def test_what_a_seat_cannot_see_moves_no_belief_of_its_own() -> None:
    replay = recorded(BED)
    number, act = next(found for found in acts(replay) if found[1].after["claims"][0, 0])
    answerer = act.event["seat"]
    one, other, observer = (seat for seat in range(4) if seat != answerer)
    events = list(replay.events)
    events[2 + one], events[2 + other] = events[2 + other], events[2 + one]  # their cards
    pairs = zip(analyse(replay), analyse(replace(replay, events=events)), strict=False)
    next(pairs)  # the heads
    told = 0
    for truly, swapped in pairs:
        for seat in (answerer, observer):
            assert truly["beliefs"][seat] == swapped["beliefs"][seat]
        assert truly["beliefs"][one] != swapped["beliefs"][one]
        told += 1
        if truly["event"] == number:
            break
    assert told == 3
