"""What holds in every state that play can reach, whatever the table, the monsters and the options."""

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game

KID_WINS = ("wrong_accusal", "checked_right", "time")


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """All options, with monsters that may be alike and banks that may be small."""
    n = draw(st.integers(3, 8))
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=8))
    attributes = {f"a{i}": [f"v{k}" for k in range(size)] for i, size in enumerate(sizes)}
    looks = st.fixed_dictionaries({name: st.sampled_from(v) for name, v in attributes.items()})
    monsters = draw(st.lists(looks, min_size=n, max_size=n + 3))
    custom = {"attributes": attributes, "monsters": {f"m{i}": m for i, m in enumerate(monsters)}}
    return {
        "num_players": n,
        "catalogue": draw(st.sampled_from([None, custom, custom])),
        "max_questions": draw(st.sampled_from([None, "3n", 1, 3])),
        "window_order": draw(st.sampled_from(["random", "clockwise"])),
        "first_asker": draw(st.none() | st.integers(0, n - 1)),
        "hedging": draw(st.booleans()),
    }


def bank(truth: dict[str, Any]) -> list[tuple[str, str | None]]:
    """The questions in order, by the god view: an attribute, and a value if it is closed."""
    closed = ((name, value) for name, values in truth["attributes"] for value in values)
    return [*((name, None) for name, _ in truth["attributes"]), *closed]


def is_legal(truth: dict[str, Any], action: int, hedging: bool) -> bool:
    """One action of the seat to move, judged by the god view and the rules page alone."""
    n, seat, phase = truth["num_players"], truth["to_move"], truth["phase"]
    questions = bank(truth)
    card = truth["roles"][seat]
    if action < 7:
        other = (seat + action + 1) % n
        if action + 1 >= n:
            return False
        if phase == "window":
            return truth["window"]["accusals_open"]
        just_asked = truth["claims"][-1]["asker"] if truth["claims"] else None
        return phase == "ask_player" and other != just_asked
    if action < 7 + len(questions):
        return phase == "ask_question" and action - 7 not in truth["questions_asked"]
    action -= 7 + len(questions)
    if action < 14:
        return phase == "answer" and may_claim(truth, action + 1, hedging)
    if action < 17:
        return phase == ("window" if action == 14 else "vote")
    return action - 17 < n and card == "kid" and phase in ("ask_player", "answer", "window")


def may_claim(truth: dict[str, Any], mask: int, hedging: bool) -> bool:
    attribute, asked = bank(truth)[truth["question"]]
    values = dict(truth["attributes"])[attribute]
    if mask >> len(values):
        return False
    named = {value for k, value in enumerate(values) if (mask >> k) & 1}
    card = truth["roles"][truth["to_move"]]
    if card != "kid" and truth["values"][card][attribute] not in named:
        return False
    if asked is not None:
        return named == {asked} or named == {*values} - {asked}
    return len(named) <= (-(-len(values) // 2) if hedging else 1)


def check_state(truth: dict[str, Any], state: Any) -> None:
    n, claims, asked = truth["num_players"], truth["claims"], truth["questions_asked"]
    assert sorted([truth["under_bed"], *(r for r in truth["roles"] if r != "kid")]) == [*range(n)]
    assert truth["roles"].count("kid") == 1
    assert len({*asked}) == len(asked) <= truth["max_questions"] <= len(bank(truth))
    assert [claim["question"] for claim in claims] == asked[: len(claims)]
    assert len(asked) - len(claims) <= 1
    for claim in claims:
        assert claim["seat"] != claim["asker"]
        card = truth["roles"][claim["seat"]]
        assert card == "kid" or truth["values"][card][claim["attribute"]] in claim["values"]
    for before, after in pairwise(claims):
        assert after["asker"] == before["seat"]
        assert after["seat"] != before["asker"]
    for seat in range(n):
        for number, (name, values) in enumerate(truth["attributes"]):
            said = [c["values"] for c in claims if (c["seat"], c["attribute"]) == (seat, name)]
            left = [int(all(value in claim for claim in said)) for value in values]
            bits = [(int(state["allowed"][seat, number]) >> k) & 1 for k in range(len(values))]
            assert bits == left, "allowed is what all claims allow"
    assert len(truth["accusations"]) + (truth["accusation"] is not None) <= len(claims)
    for accusation in truth["accusations"]:
        assert {*accusation["votes"]} == {*range(n)} - {accusation["accused"]}
        assert accusation["votes"][accusation["by"]]
    if truth["window"]:
        polled = truth["window"]["polled"]
        first = polled if truth["window"]["accusals_open"] or truth["accusation"] else polled[:-1]
        assert len({*first}) == len(first)
        if len(first) < len(polled):
            assert truth["roles"][polled[-1]] == "kid"
    if truth["phase"] != "over":
        assert truth["rewards"] is truth["outcome"] is None
        assert not any(all(a["votes"].values()) for a in truth["accusations"])
        return
    assert truth["window"] is truth["accusation"] is truth["to_move"] is None
    won = 1 if truth["outcome"] in KID_WINS else -1
    assert truth["rewards"] == [won if role == "kid" else -won for role in truth["roles"]]


def check_observations(game: Game, states: np.ndarray) -> None:
    view, compact = np.zeros(1, game.view), np.zeros(1, game.compact)
    tokens = np.zeros((game.max_tokens, len(game.token_highs)), np.int8)
    for seat in range(game.num_players):
        game.kernels.observe(states, 0, seat, view, compact, 0)
        flat = compact.view(np.int8)
        assert ((flat >= 0) & (flat <= game.compact_highs)).all()
        assert game.kernels.recollect(states, 0, seat, tokens) <= game.max_tokens
        assert ((tokens >= 0) & (tokens <= game.token_highs)).all()


@given(tables(), st.integers(0, 2**64 - 1), st.randoms(use_true_random=False), st.booleans())
@settings(max_examples=60)
def test_a_match_keeps_its_invariants_and_always_ends(
    table: dict[str, Any], seed: int, chooser: Any, calm: bool
) -> None:
    game = get_game("under_my_bed", **table)
    states = game.new_states(1)
    states["stream"] = seed
    game.kernels.start_match(states, 0, True)
    mask = np.zeros(game.num_actions, np.int8)
    steps = 0
    most = int(states["max_questions"][0]) * (2 * game.num_players + 2)
    while (truth := game.words.god_view(states[0]))["phase"] != "over":
        check_state(truth, states[0])
        check_observations(game, states)
        game.kernels.list_legal(states, 0, mask)
        legal = np.flatnonzero(mask).tolist()
        hedging = table["hedging"]
        assert legal
        assert legal == [a for a in range(game.num_actions) if is_legal(truth, a, hedging)]
        bold = range(game.num_actions - 8, game.num_actions)  # to check, or to accuse
        if calm and chooser.random() < 0.98:
            bold = (*bold, *range(7)) if truth["phase"] == "window" else bold
            legal = [action for action in legal if action not in bold]
        game.kernels.step(states, 0, chooser.choice(legal), True)
        steps += 1
        assert steps <= most, "at most 2n + 2 decisions a question"
    check_state(truth, states[0])
    check_observations(game, states)
