"""What a seat sees in ``look`` and ``encode``, against ``god_view`` by independent code; the bounds."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.adapters.aec import observation_space
from masked_monsters.envs.registry import get_game
from tests.envs.under_my_bed.tables import (
    ATTRIBUTES,
    BANK,
    FOUR,
    GAME,
    NAMES,
    accuse,
    answer,
    ask,
    compact,
    do,
    god,
    happen,
    history,
    legal,
    look,
    match,
    passes,
    poll,
    settle,
    table,
    to_left,
    vote,
)

PHASES = ["ask_player", "ask_question", "answer", "window", "vote"]


# ---------------------------------------------------------------- by the god view alone


def one_hot(which: int | None, size: int) -> list[int]:
    return [int(index == which) for index in range(size)]


def expected(truth: dict[str, Any], seat: int, hedging: bool) -> dict[str, Any]:
    """The segments of a seat, from the god view of a decision."""
    n = truth["num_players"]
    seats = [(seat + k) % n for k in range(n)]

    def by_seat(values: dict[int, int]) -> list[int]:
        return [int(values.get(other, 0)) for other in seats] + [0] * (8 - n)

    def seat_of(other: int | None) -> list[int]:
        return by_seat({} if other is None else {other: 1})

    def looks(values: dict[str, str]) -> list[list[int]]:
        return [one_hot(names.index(values[name]), 4) for name, names in ATTRIBUTES.items()]

    asked, claims = truth["questions_asked"], truth["claims"]
    own = truth["roles"][seat]  # a monster's own slot comes first
    monsters = sorted(
        truth["values"], key=lambda monster: own == "kid" or monster != truth["values"][own]
    )
    allowed = {other: {name: [*values] for name, values in ATTRIBUTES.items()} for other in seats}
    for claim in claims:
        left = allowed[claim["seat"]]
        left[claim["attribute"]] = [v for v in left[claim["attribute"]] if v in claim["values"]]
    fits = [
        [
            int(all(monster[name] in allowed[other][name] for name in ATTRIBUTES))
            for monster in monsters
        ]
        for other in seats
    ]
    pending = truth["accusation"]
    settled = truth["accusations"]
    last = pending or (settled[-1] if settled else None)
    attribute, value = [*BANK[asked[-1]].split(), None][:2] if asked else (None, None)
    names = ATTRIBUTES[attribute] if attribute else ()
    answered = len(claims) == len(asked) > 0
    passed = list(truth["window"]["polled"]) if truth["window"] else []
    if truth["window"]:  # who is polled, or has accused, has not passed
        passed = passed[: -1 if truth["window"]["accusals_open"] or pending else -2]
    agreements = [s for a in settled for s, agrees in a["votes"].items() if agrees and s != a["by"]]
    voted = pending["votes"].get(seat) if pending else None
    at_issue = [names.index(monster[attribute]) if attribute else None for monster in monsters]
    claimed = claims[-1]["values"] if answered else []
    empty = [0] * 8
    fitting = [sum(fits[0]), *(sum(row[own != "kid" :]) for row in fits[1:])]
    takers = [sum(row[place] for row in fits[1:]) for place in range(n)]
    mine = [look for fit, look in zip(fits[0], at_issue, strict=True) if fit]
    return {
        "players": one_hot(n - 3, 6),
        "role": one_hot(8 if truth["roles"][seat] == "kid" else truth["roles"][seat], 9),
        "phase": one_hot(PHASES.index(truth["phase"]), 5),
        "mine": [int(truth["to_move"] == seat)],
        "looks": [looks(monster) for monster in monsters] + [[[0] * 4] * 8] * (8 - n),
        "allowed": [
            [[int(v < len(names) and names[v] in allowed[other][name]) for v in range(4)]
             for name, names in ATTRIBUTES.items()] for other in seats
        ] + [[[0] * 4] * 8] * (8 - n),
        "fits": [row + [0] * (8 - n) for row in fits] + [empty] * (8 - n),
        "fitting": [one_hot(min(3, count), 4) for count in fitting] + [[0] * 4] * (8 - n),
        "takers": [one_hot(min(2, count), 3) for count in takers] + [[0] * 3] * (8 - n),
        "asked": [int(number in asked) for number in range(40)],
        "divides": divides(truth, seat, allowed),
        "bearers": [min(3, mine.count(v)) for v in range(4)],
        "left": one_hot(min(5, truth["max_questions"] - len(asked)), 6),
        "asker": seat_of(truth["asker"]),
        "answerer": seat_of(truth["answerer"]),
        "attribute": one_hot([*ATTRIBUTES].index(attribute) if attribute else None, 8),
        "value": one_hot(names.index(value) if value else None, 4),
        "at_issue": [one_hot(look, 4) for look in at_issue] + [[0] * 4] * (8 - n),
        "claim": [int(v < len(names) and names[v] in claimed) for v in range(4)],
        "passed": by_seat(dict.fromkeys(passed, 1)),
        "accuser": seat_of(last and last["by"]),
        "accused": seat_of(last and last["accused"]),
        "agreed": by_seat(last["votes"] if last and not pending else {}),
        "voting": [int(pending is not None)],
        "voted": one_hot(None if voted is None else int(voted), 2),
        "answers": by_seat({s: sum(c["seat"] == s for c in claims) for s in seats}),
        "accusals_by": by_seat({s: sum(a["by"] == s for a in settled) for s in seats}),
        "accusals_of": by_seat({s: sum(a["accused"] == s for a in settled) for s in seats}),
        "agreements": by_seat({s: agreements.count(s) for s in seats}),
        "hedging": [int(hedging)],
    }  # fmt: skip


def divides(
    truth: dict[str, Any], seat: int, allowed: dict[int, dict[str, list[str]]]
) -> list[int]:
    """By question, how many of the slots that fit whom the seat asks would not answer like the most."""
    if truth["phase"] != "ask_question" or truth["to_move"] != seat:
        return [0] * 40
    theirs = allowed[truth["answerer"]]
    fitting = [
        monster
        for monster in truth["values"]
        if all(monster[name] in theirs[name] for name in ATTRIBUTES)
    ]
    found = []
    for number, question in enumerate(BANK):
        attribute, value = [*question.split(), None][:2]
        answers = Counter(
            monster[attribute] if value is None else monster[attribute] == value
            for monster in fitting
        )
        largest = max(answers.values(), default=0)
        found.append(0 if number in truth["questions_asked"] else min(3, len(fitting) - largest))
    return found + [0] * (40 - len(BANK))


def check_segments(states: np.ndarray, hedging: bool) -> None:
    truth = god(states)
    for seat in range(truth["num_players"]):
        seen, wanted = compact(states, seat), expected(truth, seat, hedging)
        for name, values in wanted.items():
            assert seen[name].tolist() == values, f"{name} of seat {seat} in {truth['phase']}"
        assert {*seen.dtype.names} == {*wanted, "closed"}
        closed = truth["window"] is not None and not truth["window"]["accusals_open"]
        assert seen["closed"].tolist() == [closed]
        check_view(truth, seat, look(states, seat))


def check_view(truth: dict[str, Any], seat: int, view: Any) -> None:
    """What the view holds beside that which ``compact`` is made of."""
    n = truth["num_players"]
    claims, asked = truth["claims"], truth["questions_asked"]
    count = len(asked)
    assert (view["seat"], view["num_players"], view["num_asked"]) == (seat, n, count)
    assert (view["num_attributes"], view["num_questions"]) == (8, 34)
    assert view["lineup"].tolist() == [NAMES.index(m) for m in truth["lineup"]] + [-1] * (8 - n)
    assert view["questions"].tolist() == asked + [-1] * (40 - count)
    askers = [c["asker"] for c in claims]
    answerers = [c["seat"] for c in claims]
    if count > len(claims):
        askers.append(truth["asker"])
        answerers.append(truth["answerer"])
    for field, them in (("askers", askers), ("answerers", answerers)):
        assert view[field].tolist() == [(s - seat) % n for s in them] + [-1] * (40 - count), field
    masks = [sum(1 << ATTRIBUTES[c["attribute"]].index(v) for v in c["values"]) for c in claims]
    assert view["claims"].tolist() == masks + [0] * (40 - len(claims))
    mine, hidden = truth["to_move"] == seat, truth["phase"] in ("window", "vote")
    assert view["to_move"] == (0 if mine else -1 if hidden else (truth["to_move"] - seat) % n)
    happened = [*truth["accusations"], *([truth["accusation"]] if truth["accusation"] else [])]
    rows = [i for i in range(40) if view["accused"][i] >= 0]
    assert [(view["accusers"][i], view["accused"][i]) for i in rows] == [
        ((a["by"] - seat) % n, (a["accused"] - seat) % n) for a in happened
    ]
    for i, accusation in zip(rows, truth["accusations"], strict=False):
        agreed = [(s - seat) % n for s, agrees in accusation["votes"].items() if agrees]
        assert view["agreed"][i] == sum(1 << k for k in agreed)
    if truth["accusation"]:
        assert view["agreed"][rows[-1]] == 0
    assert view["max_questions"] == truth["max_questions"]
    assert view["outcome"] == -1


def careful(states: np.ndarray, rng: np.random.Generator) -> str:
    """A random action that seldom ends the match, for long ones with many failed accusals."""
    allowed = sorted(legal(states))
    calm = [name for name in allowed if not name.startswith("CHECK")]
    if "PASS" in calm and rng.random() < 0.8:
        return "PASS"
    if "DISAGREE" in calm and rng.random() < 0.5:
        return "DISAGREE"
    return str(rng.choice(calm))


@pytest.mark.parametrize("n", range(3, 9))
def test_every_segment_says_at_every_decision_what_the_god_view_says(n: int) -> None:
    rng = np.random.default_rng(n)
    phases = set()
    for stream in range(3):
        hedging = stream > 0
        states = match(n, stream=stream, hedging=hedging, max_questions=5)
        settle(states)
        while god(states)["phase"] != "over":
            phases.add(god(states)["phase"])
            check_segments(states, hedging)
            do(states, careful(states, rng))
            settle(states)
    assert phases == {*PHASES}


def test_the_segments_of_a_vote_and_of_what_follows_it() -> None:
    states = table(*FOUR, said=[(1, "eyes", "three many"), (2, "colour red", "no")])
    ask(states, 3, "size")
    answer(states, "small medium")
    passes(states, 1)
    accuse(states, 3, 0)
    check_segments(states, True)
    vote(states, "AGREE")  # seat 1; then seat 2
    check_segments(states, True)
    seen = [compact(states, seat)["voted"].tolist() for seat in range(4)]
    assert seen == [[0, 0], [0, 1], [0, 0], [0, 1]]
    vote(states, "DISAGREE")
    check_segments(states, True)
    assert compact(states, 0)["agreed"].tolist() == [0, 1, 0, 1, 0, 0, 0, 0]
    assert compact(states, 2)["agreed"].tolist() == [0, 1, 0, 1, 0, 0, 0, 0]
    assert compact(states, 1)["agreed"].tolist() == [1, 0, 1, 0, 0, 0, 0, 0]
    assert compact(states, 0)["agreements"].tolist() == [0, 1, 0, 0, 0, 0, 0, 0]
    do(states, "PASS")
    check_segments(states, True)


# ---------------------------------------------------------------- none yet


def test_none_yet_is_not_encoded_like_a_value() -> None:
    seen = compact(table(*FOUR), 0)
    for field in ("answerer", "attribute", "value", "at_issue", "claim", "accuser", "accused",
                  "agreed", "voted", "answers", "accusals_by", "accusals_of", "agreements"):  # fmt: skip
        assert not seen[field].any(), field
    view = look(table(*FOUR), 0)
    for field in ("questions", "askers", "answerers", "accusers", "accused"):
        assert (view[field] == -1).all(), field
    assert (view["answerer"], view["voted"], view["outcome"]) == (-1, -1, -1)


def test_nothing_is_lit_before_chance_has_drawn_it() -> None:
    states = match(4)
    seen = compact(states, 2)
    for field in ("role", "phase", "mine", "looks", "fits", "fitting", "takers", "asker"):
        assert not seen[field].any(), field
    assert look(states, 2)["role"] == -1
    happen(states, "Mopwick Gloamtwig Slurrow Pipquill", "Slurrow", "Mopwick", "kid")
    assert compact(states, 0)["role"].tolist() == one_hot(0, 9)
    assert compact(states, 1)["role"].tolist() == one_hot(8, 9)
    assert not compact(states, 2)["role"].any()
    assert compact(states, 2)["looks"][3, 0].tolist() == [1, 0, 0, 0]


def test_a_disagreement_is_not_encoded_like_no_vote_nor_an_open_question_like_the_first_value() -> (
    None
):
    states = table(*FOUR)
    ask(states, 1, "eyes")
    assert not compact(states, 1)["value"].any()
    answer(states, "three")
    accuse(states, 1, 2)
    vote(states, "DISAGREE")
    assert compact(states, 3)["voted"].tolist() == [1, 0]
    assert compact(states, 0)["voted"].tolist() == [0, 0]


def test_empty_seats_slots_and_values_are_all_zeros() -> None:
    states = table(
        "kid", "Mopwick", "Gloamtwig", said=[(1, "scene", "night"), (2, "size", "medium")]
    )
    seen = compact(states, 1)
    for field in ("looks", "allowed", "fits", "fitting", "takers", "at_issue", "answers"):
        assert not seen[field][3:].any(), field
    assert not seen["fits"][:, 3:].any()
    assert not seen["allowed"][:, 7, 2:].any()  # the scene has two values
    assert not seen["allowed"][:, 3:7, 3].any()


# ---------------------------------------------------------------- seats


def rotated(by: int, moves: int) -> np.ndarray:
    """The same match with all seats moved on by ``by``, after so many moves."""
    n = 4
    cards = [FOUR[(seat - by) % n] for seat in range(n)]
    at = [(seat + by) % n for seat in range(n)]
    states = table(
        *cards, asker=at[0], said=[(at[1], "eyes", "three many"), (at[2], "head bare", "no")]
    )
    steps = [
        lambda: do(states, to_left(1)),
        lambda: do(states, "ASK_MOUTH"),
        lambda: answer(states, "beak none"),
        lambda: passes(states, at[1]),
        lambda: poll(states, at[3]),
        lambda: do(states, to_left(3)),
        lambda: vote(states, "AGREE"),
        lambda: vote(states, "DISAGREE"),
        lambda: do(states, "PASS"),
        lambda: do(states, to_left(1)),
        lambda: do(states, "ASK_SCENE"),
        lambda: do(states, "CHECK_SLOT_1"),
    ]
    for step in steps[:moves]:
        step()
    return states


@pytest.mark.parametrize("moves", range(13))
def test_rotating_the_seats_rotates_the_view_the_compact_vector_and_the_history(moves: int) -> None:
    here = rotated(0, moves)
    for by in (1, 2, 3):
        there = rotated(by, moves)
        for seat in range(4):
            moved = (seat + by) % 4
            assert compact(here, seat) == compact(there, moved)
            assert history(here, seat) == history(there, moved)
            view = look(there, moved)
            assert view["seat"] == moved
            view["seat"] = seat
            assert view == look(here, seat)
    assert compact(here, 0) != compact(here, 1)


# ---------------------------------------------------------------- bounds


def assert_within(spaces: dict[str, Any], game: Any, states: np.ndarray, seat: int) -> int:
    flat = np.frombuffer(compact(states, seat).tobytes(), np.int8)
    assert flat.shape == (GAME.compact_size,) == (sum(np.prod(s.shape) for s in GAME.segments),)
    assert spaces["compact"].contains(flat)
    tokens = np.zeros((game.max_tokens, 4), np.int8)
    used = game.kernels.recollect(states, 0, seat, tokens)
    assert used <= game.max_tokens
    assert spaces["history"].contains(tokens)
    assert tokens[:used, 0].all()
    assert not tokens[used:].any()
    return used


@pytest.mark.parametrize("n", range(3, 9))
def test_observations_are_within_their_space_in_every_match(n: int) -> None:
    rng = np.random.default_rng(n)
    for limit in (None, 1, "3n"):
        game = get_game("under_my_bed", num_players=n, max_questions=limit)
        spaces = {
            kind: observation_space(game, kind)["observation"] for kind in ("compact", "history")
        }
        states = game.new_states(1)
        states["stream"] = n
        game.kernels.start_match(states, 0, True)
        while god(states)["phase"] != "over":
            for seat in range(n):
                assert_within(spaces, game, states, seat)
            do(states, careful(states, rng))
            settle(states)
        for seat in range(n):
            assert_within(spaces, game, states, seat)


@pytest.mark.parametrize(("n", "longest"), [(3, 246), (8, 591)])
def test_the_longest_history_fits(n: int, longest: int) -> None:
    """All pass but the last, whose accusal fails; then the kid stays silent, or checks at the end."""
    options: dict[str, Any] = {"max_questions": None, "window_order": "clockwise"}
    game = get_game("under_my_bed", num_players=n, **options)
    spaces = {kind: observation_space(game, kind)["observation"] for kind in ("compact", "history")}
    states = table("kid", *NAMES[: n - 1], bed=NAMES[n - 1], **options)
    number = 0
    while god(states)["phase"] != "over":
        truth, allowed = god(states), legal(states)
        if truth["phase"] == "window" and truth["window"]["accusals_open"]:
            action = "PASS" if len(truth["window"]["polled"]) < n else to_left(1)
        elif truth["phase"] == "window":
            action = "PASS" if len(truth["questions_asked"]) < 34 else f"CHECK_SLOT_{n - 1}"
        elif truth["phase"] == "vote":
            action = "DISAGREE"
        else:
            action = min(name for name in allowed if not name.startswith("CHECK"))
        do(states, action)
        number = max(number, *(assert_within(spaces, game, states, seat) for seat in range(n)))
    assert god(states)["outcome"] == "checked_right"
    assert number == longest == game.max_tokens - 1  # less one: a check, so no silence, at the end
