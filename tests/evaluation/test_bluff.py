"""The bluff lab: what is said, believed, gained; and what bluffing is worth."""

from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game
from masked_monsters.envs.under_my_bed import state as B
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.bluff.ledger import ACT
from masked_monsters.evaluation.bluff.lens import Acts, make_lens
from masked_monsters.evaluation.bluff.lying import value_of_lying
from masked_monsters.evaluation.bluff.profile import (
    covers,
    deception,
    hedging,
    keep_ledger,
    over_time,
    summarize,
)
from masked_monsters.evaluation.bluff.rollouts import gains
from masked_monsters.evaluation.decisions import decisions_at
from tests.evaluation.bluffers import GAMES, PLAYERS, First, NeverLies, random_states

# ---------------------------------------------------------------- claims, hand-built


def asked(game: Game, question: int, roles: list[int], seat: int = 1) -> np.ndarray:
    """Seat 0 has just asked a seat the question, the first of the match."""
    states = game.new_states(1)
    game.kernels.start_match(states, 0, False)
    lineup = sum(1 << slot for slot in range(game.num_players))
    bed = next(slot for slot in range(game.num_players) if slot not in roles)
    for code in (lineup, bed, *roles, 0):
        game.kernels.resolve_chance(states, 0, code)
    game.kernels.step(states, 0, seat - 1, False)
    game.kernels.step(states, 0, B.FIRST_QUESTION + question, False)
    return states


def say(states: np.ndarray, claim: int, observers: str | None = None) -> dict[str, float]:
    """What is measured of the first claim of a match of three."""
    game = get_game("under_my_bed", num_players=3)
    lens = make_lens(game, 1, observers, 0)
    action = B.FIRST_QUESTION + 34 + B.CLAIM + claim
    probabilities = np.zeros((1, game.num_actions))
    policy = load_agent("random", game)
    acts = Acts(
        np.zeros(1, int), states, np.array([action]), probabilities, policy, np.ones(1, np.bool_)
    )
    return {name: float(column[0]) for name, column in lens.measure(acts).items()}


EYES = 0
ONE, TWO, THREE, MANY = 1, 2, 4, 8


def test_b8_a_monsters_claim_is_exact_or_hedged_and_the_kids_is_false() -> None:
    game = get_game("under_my_bed", num_players=3)
    # Slots 0 to 2 are Mopwick (three eyes), Gloamtwig (many), Slurrow (one).
    monster = asked(game, EYES, [B.KID, 0, 1])
    kid = asked(game, EYES, [0, B.KID, 1])
    exact, hedged, false = (
        say(monster, THREE),
        say(monster, THREE | ONE),
        say(kid, THREE),
    )
    kinds = ("exact", "hedged", "false")
    assert [kinds[int(each["kind"])] for each in (exact, hedged, false)] == list(kinds)
    assert [each["role"] for each in (exact, hedged, false)] == [1, 1, 0]
    assert exact["open"] == 1


def test_what_a_claim_tells_follows_from_bayes_rule_by_hand() -> None:
    game = get_game("under_my_bed", num_players=3)
    kid = asked(game, EYES, [0, B.KID, 1])  # seat 0 is Mopwick, seat 1 the kid, seat 2 Gloamtwig
    found = say(kid, ONE)
    # Of 10 claims of up to two of four values, 4 contain a given one. A monster draws one of those 4 in
    # 9 of 10 cases, and in the tenth too, since no other is legal; the kid any of 10.
    slurrow, a_kid = 1 / 4, 1 / 10
    # To seat 0, with the cards of seats 1 and 2 out of {kid, Gloamtwig, Slurrow}: the kid must be one.
    # (kid, G), (kid, S), (G, kid), (S, kid), alike before; "one" fits only the kid and Slurrow.
    before = 1 / 2
    after = 2 * a_kid / (2 * a_kid + slurrow)
    assert found["truth"] == pytest.approx(after)
    assert found["shift"] == pytest.approx(np.log2(after / before))
    # To seat 2 the same with Mopwick for Gloamtwig, whose three eyes do not fit either.
    assert found["believed"] == pytest.approx(slurrow / (2 * a_kid + slurrow))
    # To one without a card: seat 1 is the kid in 6 of 18 deals before.
    assert found["leaked"] == pytest.approx(
        np.log2(6 * a_kid / (6 * a_kid + 4 * slurrow) / (1 / 3))
    )


def test_observers_who_ignore_claims_shift_by_exactly_nothing() -> None:
    game = get_game("under_my_bed", num_players=3)
    kid = asked(game, EYES, [0, B.KID, 1])
    assert say(kid, ONE, "ignoring")["shift"] == 0
    assert say(kid, ONE, "ignoring")["leaked"] == 0


@pytest.mark.parametrize("name", GAMES)
def test_ignoring_observers_shift_by_exactly_nothing_in_whole_matches(name: str) -> None:
    game = get_game(name)
    player = load_agent(PLAYERS[name], game)
    ledger = keep_ledger(
        game, player, player, matches=40, close_matches=40, observers="ignoring", rollouts=0
    )
    shifts = ledger.rows["shift"][~np.isnan(ledger.rows["shift"])]
    assert len(shifts) > 20
    assert (shifts == 0).all()


# ---------------------------------------------------------------- the ledger


def test_who_never_lies_has_no_lies_in_the_ledger_and_nothing_to_lose() -> None:
    game = get_game("under_my_bed")
    ledger = keep_ledger(game, NeverLies(game), load_agent("honest", game), matches=80, rollouts=0)
    assert len(ledger.rows) > 20
    assert ledger.kinds.index("false") not in ledger.rows["kind"]
    value = value_of_lying(
        game, NeverLies(game), load_agent("honest", game), "false", matches=300, seed=1
    )
    assert [(kept.value.mean, kept.value.half_width) for kept in value.kept] == [(0, 0)] * 3


def test_one_who_lies_well_loses_if_kept_from_it() -> None:
    game = get_game("under_my_bed")
    trickster = load_agent("trickster", game)
    value = value_of_lying(game, trickster, trickster, "away", matches=800)
    none, half, every = value.kept
    assert none.value.mean == 0
    assert every.value.low > 0
    assert every.rate is not None
    assert every.rate.mean == 0
    assert none.rate is not None
    assert half.rate is not None
    assert none.rate.mean > half.rate.mean > 0


@pytest.mark.parametrize("name", GAMES)
def test_the_ledger_adds_up(name: str) -> None:
    game = get_game(name)
    policy = load_agent(PLAYERS[name], game)
    ledger = keep_ledger(game, policy, policy, matches=60, close_matches=8, rollouts=1, seed=3)
    rows = ledger.rows
    assert rows.dtype == ACT
    assert set(rows["deal"]) <= set(range(15))
    # Each lane has the player on one seat, so its acts are numbered from 1 on without a gap.
    for lane in np.unique(rows["lane"] + 10_000 * (rows["deal"] // 16)):
        own = rows["own"][rows["lane"] + 10_000 * (rows["deal"] // 16) == lane]
        assert own.tolist() == list(range(1, len(own) + 1))
    for entry in summarize(ledger):
        alike = rows["role"] == ledger.roles.index(entry.role)
        if entry.kind != "all":
            alike &= rows["kind"] == ledger.kinds.index(entry.kind)
        assert entry.acts == alike.sum()
    known = ~np.isnan(rows["gain"])
    assert set(rows["deal"][known]) <= {0, 1}
    assert np.nanmin(rows["truth"]) >= 0
    assert np.nanmax(rows["truth"]) <= 1
    for found in (deception(ledger), over_time(ledger)):
        assert found
    known = ~np.isnan(rows["truth"])
    if name == "monster_my_neighbor":
        assert rows["paid"].max() <= 3  # of a round, however many follow
        same = np.isclose(rows["truth"], 1 - rows["believed"], atol=1e-3)
        holds = rows["role"] == ledger.roles.index("holder")
        assert same[known & holds].all()
        assert not same[known & ~holds].all()
    if name == "under_my_bed":
        assert hedging(ledger)
        first = [row for row in covers(ledger) if row.number == 1]
        assert all(row.consistent.mean == 1 for row in first)


def test_claims_that_contradict_each_other_are_counted_as_such() -> None:
    game = get_game("under_my_bed", max_questions=None)
    blurter = load_agent("blurter", game)
    ledger = keep_ledger(game, blurter, load_agent("honest", game), matches=300, rollouts=0)
    kids = [row.consistent.mean for row in covers(ledger) if row.role == "kid"]
    monsters = [row.consistent.mean for row in covers(ledger) if row.role == "monster"]
    assert min(monsters) == 1  # B8
    assert kids[1] < kids[0]


def test_an_accusal_or_a_hunter_challenges_the_act_before() -> None:
    for name, least in (("under_my_bed", 0.005), ("monster_my_neighbor", 0.02)):
        game = get_game(name)
        player = load_agent(PLAYERS[name], game)
        rows = keep_ledger(game, player, player, matches=60, rollouts=0).rows
        assert set(rows["challenged"]) == {0, 1}
        assert least < rows["challenged"].mean() < 0.9


@pytest.mark.parametrize(
    "name", [pytest.param("monster_my_neighbor", marks=pytest.mark.slow), "under_my_bed"]
)
def test_workers_change_nothing(name: str) -> None:
    game = get_game(name)
    random = load_agent("random", game)
    settings: dict[str, Any] = {"matches": 80, "close_matches": 4, "rollouts": 2, "seed": 5}
    one = keep_ledger(game, random, random, **settings)
    two = keep_ledger(game, random, random, workers=2, **settings)
    for column in ACT.names or ():
        np.testing.assert_array_equal(one.rows[column], two.rows[column])


# ---------------------------------------------------------------- gains


@pytest.mark.parametrize("name", GAMES)
def test_what_the_policy_does_anyway_gains_exactly_nothing(name: str) -> None:
    game = get_game(name)
    states = random_states(game, 40)
    first = First(game)
    actions = decisions_at(game, states, False).action_mask.argmax(axis=1)
    seating = np.zeros((40, game.num_players), int)
    assert (gains(game, (first,), seating, states, actions, rollouts=3, seed=1) == 0).all()


def test_looking_at_the_right_slot_gains_and_at_a_wrong_one_loses() -> None:
    game = get_game("under_my_bed")
    states = random_states(game, 2000)
    seats = states["to_move"].astype(int)
    kid = states["role"][np.arange(2000), seats] == B.KID
    may_check = kid & np.isin(states["phase"], (B.ASK_PLAYER, B.ANSWER, B.WINDOW))
    states = states[may_check][:30]
    check = game.num_actions - B.MAX_PLAYERS
    random = load_agent("random", game)
    seating = np.zeros((len(states), 4), int)
    right = gains(game, (random,), seating, states, check + states["under_bed"], rollouts=8, seed=0)
    wrong = gains(
        game, (random,), seating, states, check + (states["under_bed"] + 1) % 4, rollouts=8, seed=0
    )
    assert right.mean() > 0.5
    assert wrong.mean() < -0.3
