"""Under My Bed as text (ASCII) and as plain Python values."""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.compile import plain
from masked_monsters.envs.engine.phases import CHANCE, MAX_PLAYERS, OVER
from masked_monsters.envs.under_my_bed import reading
from masked_monsters.envs.under_my_bed.monsters import CHARACTERS, Catalogue
from masked_monsters.envs.under_my_bed.phrases import answer, either, question
from masked_monsters.envs.under_my_bed.reading import after_questions, pending, voter
from masked_monsters.envs.under_my_bed.state import (
    AGREE,
    ANSWER,
    ASK_PLAYER,
    ASK_QUESTION,
    CHECK,
    CHECKED_RIGHT,
    CLAIM,
    DEAL_CARD,
    DRAW_ASKER,
    DRAW_BED,
    DRAW_LINEUP,
    FIRST_PLAYER_ACTION,
    FIRST_QUESTION,
    KID,
    KID_CAUGHT,
    MAX_CLAIM,
    OUTCOMES,
    PASS,
    PHASES,
    TIME,
    VOTE,
    WINDOW,
    WRONG_ACCUSAL,
)
from masked_monsters.envs.under_my_bed.view import TOKEN_KINDS

accusals_open, accuser = plain(reading.accusals_open), plain(reading.accuser)
in_window, is_voted_on = plain(reading.in_window), plain(reading.is_voted_on)


class Words:
    """The words for a game with this catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._looks = [
            {
                name: values[look]
                for (name, values), look in zip(catalogue.attributes, looks, strict=True)
            }
            for looks in catalogue.values
        ]

    # ------------------------------------------------------------ plain values

    def god_view(self, state: Any) -> dict[str, Any]:
        """The whole hidden state; what is not drawn yet is None, lists are as long as drawn.

        ``num_players``, ``phase``, ``to_move`` (a seat), ``lineup`` (monsters' names by slot),
        ``values`` (by slot, ``{attribute: value}``), ``under_bed`` (a slot), ``roles`` (by seat, a
        slot or ``"kid"``), ``attributes`` (``[(name, [values])]``), ``window_order``, ``asker``,
        ``answerer``, ``question`` (the last one's; from the next ``ask_player`` on those of the next),
        ``questions_asked``, ``max_questions``, ``claims`` (``[{"seat", "asker", "question",
        "attribute", "values"}]``), ``window`` (``{"polled", "accusals_open"}``), ``accusation``
        (``{"by", "accused", "votes"}``, being voted on), ``accusations`` (all that are settled),
        ``outcome``, ``rewards`` (by seat). None where there is nothing.
        """
        n, asked = int(state["num_players"]), int(state["num_asked"])
        slots = [monster for monster in state["lineup"].tolist() if monster >= 0]
        questions = state["questions"][:asked].tolist()
        voting = state["phase"] == VOTE
        put = asked > 0 and state["answerer"] >= 0 and state["phase"] != ASK_QUESTION
        accusals = [i for i, accused in enumerate(state["accused"].tolist()) if accused >= 0]
        over = state["phase"] == OVER
        return {
            "num_players": n,
            "phase": PHASES[state["phase"]],
            "to_move": _or_none(state["to_move"]),
            "lineup": [self._catalogue.names[monster] for monster in slots],
            "values": [self._looks[monster].copy() for monster in slots],
            "under_bed": _or_none(state["under_bed"]),
            "roles": [_role(card) for card in state["role"][: state["dealt"]].tolist()],
            "attributes": [(name, list(values)) for name, values in self._catalogue.attributes],
            "window_order": "clockwise" if state["clockwise"] else "random",
            "asker": _or_none(state["asker"]),
            "answerer": _or_none(state["answerer"]),
            "question": questions[-1] if put else None,
            "questions_asked": questions,
            "max_questions": int(state["max_questions"]),
            "claims": [self._claim(state, i) for i in range(asked) if state["claims"][i]],
            "window": _window(state),
            "accusation": _accusation(state, accusals[-1]) if voting else None,
            "accusations": [_accusation(state, i) for i in accusals[: -1 if voting else None]],
            "outcome": OUTCOMES[state["outcome"]] if over else None,
            "rewards": state["reward"][:n].tolist() if over else None,
        }

    def _claim(self, state: Any, number: int) -> dict[str, Any]:
        asked = int(state["questions"][number])
        attribute, _ = self._catalogue.questions[asked]
        return {
            "seat": int(state["answerers"][number]),
            "asker": int(state["askers"][number]),
            "question": asked,
            "attribute": self._catalogue.attributes[attribute][0],
            "values": self._values(attribute, int(state["claims"][number])),
        }

    def _values(self, attribute: int, claim: int) -> list[str]:
        names = self._catalogue.attributes[attribute][1]
        return [name for bit, name in enumerate(names) if (claim >> bit) & 1]

    # ------------------------------------------------------------ texts

    def table(self, state: Any) -> str:
        """The line-up and what everybody has said; no card of anybody, save at the end."""
        lines = [self._situation(state)]
        for slot, monster in enumerate(state["lineup"]):
            if monster >= 0:
                looks = ", ".join(self._looks[monster].values())
                lines.append(f"  slot {slot}: {self._catalogue.names[monster]} ({looks})")
        lines += [
            f"  player_{seat}: {self._said(state, seat)}" for seat in range(state["num_players"])
        ]
        for i in range(state["num_asked"]):
            if state["accused"][i] >= 0 and not is_voted_on(state, i):
                lines.append(f"  after question {i + 1}: {_votes(_accusation(state, i))}")
        return "\n".join(lines)

    def _situation(self, state: Any) -> str:
        if state["phase"] == OVER:
            return f"Over after {state['num_asked']} questions: {self._ending(state)}"
        begun = int(state["num_asked"]) + (state["phase"] in (ASK_PLAYER, ASK_QUESTION))
        where = f"Question {begun} of {state['max_questions']}"
        if state["phase"] == CHANCE:
            return f"{where if begun else 'The deal'}: waiting for chance"
        if state["phase"] == WINDOW:
            return f"{where}: everybody may speak"
        if state["phase"] == VOTE:
            accusation = _accusation(state, pending(state))
            return f"{where}: player_{accusation['by']} accuses player_{accusation['accused']}; all vote"
        return f"{where}: player_{state['to_move']} decides ({PHASES[state['phase']]})"

    def _ending(self, state: Any) -> str:
        outcome = state["outcome"]
        if outcome == TIME:
            return "time is up, the kid wins"
        if outcome in (KID_CAUGHT, WRONG_ACCUSAL):
            accused = int(state["accused"][pending(state)])
            card = self._card(state, int(state["role"][accused]))
            winner = "the monsters win" if outcome == KID_CAUGHT else "the kid wins"
            return f"player_{accused} shows {card}, {winner}"
        kid = [_role(role) for role in state["role"]].index("kid")
        named, found = (self._name(state, int(state[key])) for key in ("checked", "under_bed"))
        if outcome == CHECKED_RIGHT:
            return f"player_{kid}, the kid, has found {found} under the bed and wins"
        return f"player_{kid}, the kid, has looked for {named}, found {found}, and loses"

    def _said(self, state: Any, seat: int) -> str:
        """What a seat's claims come to."""
        parts = []
        for attribute, (name, values) in enumerate(self._catalogue.attributes):
            left = self._values(attribute, int(state["allowed"][seat, attribute]))
            if not left:
                parts.append(f"{name} cannot be")
            elif len(left) < len(values):
                parts.append(f"{name} {either(left)}")
        return "; ".join(parts) or "has said nothing yet"

    def seat(self, view: Any) -> str:
        """What one seat sees beyond the table: its card."""
        if view["role"] < 0:
            return f"player_{view['seat']} has no card yet"
        if view["role"] == KID:
            return f"player_{view['seat']} is the kid"
        name = self._name(view, int(view["role"]))
        character = f", who {CHARACTERS[name]}" if name in CHARACTERS else ""
        return f"player_{view['seat']} is {name}{character}"

    def _name(self, record: Any, slot: int) -> str:
        """Of a monster in the line-up of a state or a view."""
        return self._catalogue.names[record["lineup"][slot]]

    def _card(self, record: Any, role: int) -> str:
        return "the kid's card" if role == KID else self._name(record, role)

    def outcome(self, state: Any, code: int) -> str:
        """A chance event's outcome, as a phrase."""
        event = state["chance"]
        if event == DRAW_LINEUP:
            names = [name for bit, name in enumerate(self._catalogue.names) if (code >> bit) & 1]
            return f"the line-up is {', '.join(names)}"
        if event == DRAW_BED:
            return f"under the bed lies {self._name(state, code)}"
        if event == DEAL_CARD:
            return f"player_{state['dealt']} is dealt {self._card(state, code)}"
        return f"player_{code} {'begins' if event == DRAW_ASKER else 'is polled'}"

    def outcome_seen(self, state: Any, code: int, seat: int | None) -> str | None:
        """An outcome as a seat sees it (None: the table); None if it does not."""
        event = state["chance"]
        if event in (DRAW_LINEUP, DRAW_ASKER) or (event == DEAL_CARD and state["dealt"] == seat):
            return self.outcome(state, code)
        return None

    def action(self, state: Any, action_: int) -> str:
        """An action of the seat to move, as a sentence."""
        own, phase = int(state["to_move"]), state["phase"]
        who = f"player_{own}"
        rest = after_questions(state)
        if action_ >= rest + CHECK:
            name = self._name(state, action_ - rest - CHECK)
            return f"{who} is the kid, and looks under the bed for {name}"
        if phase == ASK_QUESTION:
            asked = self._question(action_ - FIRST_QUESTION)
            return f'{who} asks player_{state["answerer"]}: "{asked}"'
        if phase == ANSWER:
            return f'{who} answers: "{self._answer(state, action_ - rest - CLAIM)}"'
        if phase == VOTE:
            return f"{who} {'agrees' if action_ == rest + AGREE else 'disagrees'}"
        if action_ == rest + PASS:
            return f"{who} {'passes' if accusals_open(state) else 'stays silent'}"
        other = (own + action_ - FIRST_PLAYER_ACTION + 1) % int(state["num_players"])
        if phase == ASK_PLAYER:
            return f"{who} turns to player_{other}"
        return f'{who} accuses: "player_{other} is the kid!"'

    def _question(self, number: int) -> str:
        attribute, value = self._catalogue.questions[number]
        name, values = self._catalogue.attributes[attribute]
        return question(name, None if value is None else values[value])

    def _answer(self, state: Any, claim: int) -> str:
        attribute, value = self._catalogue.questions[state["questions"][pending(state)]]
        values = self._catalogue.attributes[attribute][1]
        return answer(self._values(attribute, claim), None if value is None else values[value])

    def action_seen(self, state: Any, action_: int, seat: int | None) -> str | None:
        """An action of the seat to move as a seat sees it (None: the table); None if it does not.

        All votes are told together, with the last one.
        """
        sentence = self.action(state, action_)
        rest = after_questions(state)
        own = int(state["to_move"])
        if state["phase"] == VOTE:
            if state["num_votes"] < state["num_players"] - 3:
                return sentence if seat == own else None
            accusation = _accusation(state, pending(state))
            accusation["votes"][own] = action_ == rest + AGREE
            return _votes(accusation)
        alone = state["phase"] == WINDOW and not accusals_open(state)
        if alone and action_ == rest + PASS and seat != own:
            return None
        return sentence

    def information_state(self, tokens: np.ndarray) -> str:
        """All that a seat recalls: one word a row, ``kind.who.whom.what`` in numbers after the kind."""
        return " ".join(
            f"{TOKEN_KINDS[kind]}.{who}.{whom}.{what}" for kind, who, whom, what in tokens
        )


def action_names(catalogue: Catalogue) -> tuple[str, ...]:
    """The name of each action (see ``state.py``)."""
    questions = [
        f"ASK_{name.upper()}" + ("" if value is None else f"_{values[value].upper()}")
        for (name, values), value in (
            (catalogue.attributes[attribute], value) for attribute, value in catalogue.questions
        )
    ]
    return (
        *(f"PLAYER_{k}_TO_MY_LEFT" for k in range(1, MAX_PLAYERS)),
        *questions,
        *(f"CLAIM_{_bits(claim)}" for claim in range(1, MAX_CLAIM + 1)),
        "PASS",
        "AGREE",
        "DISAGREE",
        *(f"CHECK_SLOT_{slot}" for slot in range(MAX_PLAYERS)),
    )


def _bits(claim: int) -> str:
    """The values' numbers in a claim: 5 is "13", the first and the third."""
    return "".join(str(bit + 1) for bit in range(claim.bit_length()) if (claim >> bit) & 1)


def _or_none(seat: int) -> int | None:
    return int(seat) if seat >= 0 else None


def _role(role: int) -> int | str:
    return "kid" if role == KID else int(role)


def _window(state: Any) -> dict[str, Any] | None:
    if not in_window(state):
        return None
    last = pending(state)
    polled = [int(seat) for seat in state["polls"][last, : state["num_polls"][last]]]
    if state["phase"] == WINDOW and not accusals_open(state):
        polled.append(int(state["to_move"]))
    return {"polled": polled, "accusals_open": bool(accusals_open(state))}


def _accusation(state: Any, number: int) -> dict[str, Any]:
    """With the votes cast so far; they are asked for in order."""
    by, accused = accuser(state, number), int(state["accused"][number])
    if is_voted_on(state, number):
        cast = [voter(state, k) for k in range(state["num_votes"])]
    else:
        cast = [seat for seat in range(state["num_players"]) if seat not in (accused, by)]
    agreed = int(state["agreed"][number])
    votes = {seat: bool((agreed >> seat) & 1) for seat in (by, *cast)}
    return {"by": by, "accused": accused, "votes": votes}


def _votes(accusation: dict[str, Any]) -> str:
    """A settled accusation, as a sentence."""
    no = [f"player_{seat}" for seat, agrees in sorted(accusation["votes"].items()) if not agrees]
    said = f"against it: {', '.join(no)}" if no else "all agree"
    return f"player_{accusation['by']} has accused player_{accusation['accused']}; {said}"
