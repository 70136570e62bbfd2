"""Matches looked at afterwards: marks."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.registry import GAMES
from masked_monsters.evaluation.replay import game_of
from masked_monsters.evaluation.table.analysis import ENOUGH
from tests.evaluation.analysed import NEIGHBOR, acts, analysed, beds, hunters, kinds, recorded


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
            if None in sizes or min(sizes) >= ENOUGH:
                before.append(one["facts"][fact][truth])
                after.append(other["facts"][fact][truth])
    return (float(np.mean(before)), float(np.mean(after))) if before else None
