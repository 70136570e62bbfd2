"""Matches looked at afterwards: probabilities, beliefs, truth and remarks."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.policy import Decisions, reads_history
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.beliefs import history_of, resample
from masked_monsters.evaluation.beliefs.answering import Uniform
from masked_monsters.evaluation.decisions import decisions_at
from masked_monsters.evaluation.replay import Replay, Step, game_of, load, play_back, record
from masked_monsters.evaluation.table import analysis
from masked_monsters.evaluation.table.analysis import Analyst, analyse
from masked_monsters.training.policy import infer
from masked_monsters.training.train import train
from tests.evaluation.beds import Event, assert_same, bed_game, brute_force
from tests.evaluation.players import Drawing
from tests.games import weights
from tests.training.tiny import changed, tiny_config

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))
NEIGHBOR, BED = "monster_my_neighbor", "under_my_bed"
WORLDS = 100


@cache
def recorded(name: str, players: int = 4, seed: int = 3, **options: Any) -> Replay:
    """Of players who play at random."""
    game = get_game(name, num_players=players, **options)
    return record(game, [Drawing(weights(game)) for _ in range(players)], seed)


def hunters() -> Iterator[Replay]:
    """Matches with many Hunters, and few cards that move the Monster."""
    deck = {"wanted": 1, "hunter": 9, "hide": 3, "villager": 2, "friend": 2}
    game = get_game(NEIGHBOR, num_players=3, deck=deck)
    for seed in range(10):
        yield record(game, [Drawing() for _ in range(3)], seed)


@cache
def beds() -> list[tuple[Replay, list[dict[str, Any]]]]:
    """Matches of Under My Bed, and their decisions."""
    return [
        (replay, analysed(replay)[1]) for replay in (recorded(BED, 4, seed) for seed in range(7))
    ]


def analysed(replay: Replay, **how: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The head, and the decisions."""
    head, *decisions = analyse(replay, **{"worlds": WORLDS, **how})
    return head, decisions


def acts(replay: Replay) -> Iterator[tuple[int, Step]]:
    """Each action's number, and the states around it, chance included, found another way."""
    steps = list(play_back(replay))
    for number, step in enumerate(steps):
        if "action" in step.event:
            later = (other.after for other in steps[number:] if other.after["phase"][0] != CHANCE)
            yield number, step._replace(after=next(later))


def kinds(decision: dict[str, Any]) -> list[str]:
    return [mark["kind"] for mark in decision["marks"]]


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


# ---------------------------------------------------------------- remarks


def test_every_claim_of_the_kid_is_marked_and_none_of_a_monster() -> None:
    lies = 0
    for replay, decisions in beds():
        for each, (_, act) in zip(decisions, acts(replay), strict=True):
            before, after = (
                game_of(replay).words.god_view(state[0]) for state in (act.before, act.after)
            )
            is_claim = len(after["claims"]) > len(before["claims"])
            is_lie = is_claim and after["roles"][each["seat"]] == "kid"
            assert ("false_claim" in kinds(each)) == is_lie
            lies += is_lie
            if is_lie:
                (text,) = (m["text"] for m in each["marks"] if m["kind"] == "false_claim")
                assert all(value in text for value in after["claims"][-1]["values"])
    assert lies > 5


def test_claims_that_no_monster_fits_any_more_are_marked_once() -> None:
    found = 0
    for replay, decisions in beds():
        game, contradicted = game_of(replay), set()
        for each, (_, act) in zip(decisions, acts(replay), strict=True):
            god, seat = game.words.god_view(act.after[0]), each["seat"]
            claims = [claim for claim in god["claims"] if claim["seat"] == seat]
            fitting = [
                looks
                for looks in god["values"]
                if all(looks[claim["attribute"]] in claim["values"] for claim in claims)
            ]
            marked = not fitting and seat not in contradicted
            assert ("contradiction" in kinds(each)) == marked
            contradicted |= {seat} if marked else set()
        found += len(contradicted)
    assert found


def test_accusals_of_monsters_are_marked() -> None:
    wrong = right = 0
    for replay, decisions in beds():
        for each, (_, act) in zip(decisions, acts(replay), strict=True):
            god = game_of(replay).words.god_view(act.after[0])
            is_accusal = '"player_' in game_of(replay).words.action(act.before[0], each["action"])
            accused = god["accusation"]["accused"] if is_accusal else None
            is_wrong = is_accusal and god["roles"][accused] != "kid"
            assert ("wrong_accusal" in kinds(each)) == is_wrong
            wrong, right = wrong + is_wrong, right + (is_accusal and not is_wrong)
    assert wrong
    assert right


def test_a_hunter_is_marked_wasted_unless_it_ends_the_round() -> None:
    reasons: set[str] = set()
    caught = 0
    for replay in hunters():
        for each, (_, act) in zip(analysed(replay, worlds=5)[1], acts(replay), strict=True):
            before, after = (
                game_of(replay).words.god_view(state[0]) for state in (act.before, act.after)
            )
            aimed = before["phase"] == "target" and before["resolving"]["card"] == "hunter"
            over = after["round"] > before["round"] or after["phase"] == "over"
            assert ("wasted_hunter" in kinds(each)) == (aimed and not over)
            caught += aimed and over
            if aimed and not over:
                target = (each["seat"] + each["action"] - 12 + 1) % 3
                hand = before["hands"][target]
                (text,) = (m["text"] for m in each["marks"] if m["kind"] == "wasted_hunter")
                expected = {
                    "does not hold": "monster" not in hand,
                    "M13": {"hide", "monster"} <= set(hand),
                    "M22": before["monster"] == "werewolf" and hand == ["monster"],
                    "M23": before["monster"] == "goomiho"
                    and "monster" in hand
                    and before["hunters_played"] == 1,
                }
                assert {why for why in expected if why in text} == {
                    why for why, holds in expected.items() if holds
                }
                reasons |= {why for why in expected if why in text}
    assert caught
    assert reasons == {"does not hold", "M13", "M22", "M23"}


@pytest.mark.parametrize("name", GAMES)
def test_who_misleads_is_marked_where_the_others_beliefs_in_the_truth_fall(name: str) -> None:
    found = 0
    for seed in range(3):
        replay = recorded(name, 4, seed, **({"num_rounds": 1} if name == NEIGHBOR else {}))
        head, decisions = analysed(replay, worlds=500)
        for was, now in pairwise(decisions):
            misled = [mark["text"] for mark in now["marks"] if mark["kind"] == "misled"]
            expected = []
            for fact in head["facts"]:
                fell = _fell(fact["name"], was, now)
                if fell and fell[0] - fell[1] >= 0.1:
                    expected.append([fact["classes"][now["truth"][fact["name"]]], *fell])
            assert len(misled) == len(expected)
            for text, (true, before, after) in zip(misled, expected, strict=True):
                assert text.startswith(f"player_{now['seat']} misleads")
                assert true in text
                assert f"{before:.0%}" in text
                assert f"{after:.0%}" in text
            found += len(misled)
    assert found


def _fell(fact: str, was: dict[str, Any], now: dict[str, Any]) -> tuple[float, float] | None:
    """The others' mean belief in what stays true, before and after."""
    truth = now["truth"][fact]
    if truth is None or was["truth"][fact] != truth:
        return None
    before, after = [], []
    for one, other in zip(was["beliefs"], now["beliefs"], strict=True):
        if one and other and one["facts"][fact] and other["observer"] != now["seat"]:
            sizes = [one["effective_size"], other["effective_size"]]
            if None in sizes or min(sizes) >= analysis.ENOUGH:
                before.append(one["facts"][fact][truth])
                after.append(other["facts"][fact][truth])
    return (float(np.mean(before)), float(np.mean(after))) if before else None
