"""Hand-built positions in the middle of a match, and short words to play on from them.

``table("kid", "Mopwick", "Gloamtwig")`` is a table of three who hold those cards, with Slurrow under
the bed and seat 0 about to ask. Every position is reached by really playing: chance brings what the
test says, and after each of the claims in ``said`` everybody passes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.registry import get_game
from masked_monsters.envs.under_my_bed.monsters import ATTRIBUTES, MONSTERS
from masked_monsters.envs.under_my_bed.state import (
    DEAL_CARD,
    DRAW_BED,
    DRAW_LINEUP,
    KID,
    MAX_QUESTIONS,
)
from masked_monsters.envs.under_my_bed.view import TOKEN_KINDS, max_tokens
from tests.envs.driver import Driver

GAME = get_game("under_my_bed")

NAMES = tuple(MONSTERS)
LOOKS = {
    name: dict(zip(ATTRIBUTES, looks.split(), strict=True)) for name, looks in MONSTERS.items()
}
BANK = (
    *ATTRIBUTES,
    *(f"{name} {value}" for name, values in ATTRIBUTES.items() for value in values),
)
"""The questions in order: ``"colour"`` is open, ``"colour red"`` closed."""

FOUR = ("kid", "Mopwick", "Gloamtwig", "Pipquill")
"""A table of four; with Slurrow the slots are Mopwick, Gloamtwig, Slurrow, Pipquill."""

Said = tuple[int, str, str]
"""Who answered, the question, the answer: ``(1, "colour", "red blue")``, ``(2, "eyes one", "no")``."""


def to_left(k: int) -> str:
    """The action that names the k-th seat to my left."""
    return f"PLAYER_{k}_TO_MY_LEFT"


def match(num_players: int, *, stream: int = 1, **options: Any) -> np.ndarray:
    """A match that has just begun: chance is about to draw the line-up."""
    states = GAME.with_options(num_players=num_players, **options).new_states(1)
    states["stream"] = stream
    GAME.kernels.start_match(states, 0, False)
    return states


def table(
    *cards: str,
    bed: str = "Slurrow",
    asker: int = 0,
    said: Sequence[Said] = (),
    **options: Any,
) -> np.ndarray:
    """A one-record array: the seats hold these cards, and somebody is about to choose whom to ask.

    Args:
        cards: by seat, a monster's name or ``"kid"``.
        bed: who lies under the bed; with the monsters in ``cards``, the line-up.
        asker: who asks first.
        said: the questions answered so far, each asked by who answered before (first by ``asker``),
            each followed by a window in which all pass.
        options: the game's, save ``num_players``; the catalogue must be the default one.
    """
    states = match(len(cards), **options)
    present = sorted(NAMES.index(name) for name in {bed, *cards} - {"kid"})
    assert len(present) == len(cards), "one kid, and so many different monsters"
    GAME.kernels.resolve_chance(states, 0, sum(1 << monster for monster in present))
    happen(states, bed, *cards)
    if states["phase"][0] == CHANCE:
        happen(states, f"player_{asker}")
    for answerer, question, values in said:
        ask(states, answerer, question)
        answer(states, values)
        everyone_passes(states)
    return states


def numbers(claim: str, attribute: str) -> str:
    """The action that claims these values: ``CLAIM_13``."""
    return "CLAIM_" + "".join(
        str(number)
        for number, value in enumerate(ATTRIBUTES[attribute], start=1)
        if value in claim.split()
    )


# ---------------------------------------------------------------- to play on


def _named(states: np.ndarray, code: int) -> str:
    event = states["chance"][0]
    if event == DRAW_LINEUP:
        return " ".join(name for bit, name in enumerate(NAMES) if (code >> bit) & 1)
    if event == DRAW_BED or (event == DEAL_CARD and code != KID):
        return NAMES[states["lineup"][0, code]]
    return "kid" if event == DEAL_CARD else f"player_{code}"


def code_of(states: np.ndarray, name: str) -> int:
    """The pending chance event's outcome of that name."""
    if states["chance"][0] == DRAW_LINEUP:
        return sum(1 << NAMES.index(monster) for monster in name.split())
    if name == "kid":
        return KID
    if name.startswith("player_"):
        return int(name.removeprefix("player_"))
    return states["lineup"][0].tolist().index(NAMES.index(name))


DRIVER = Driver(
    GAME,
    token_kinds=TOKEN_KINDS,
    named=_named,
    code=code_of,
    most_tokens=max_tokens(8, MAX_QUESTIONS),
)
legal, do, outcomes, settle = DRIVER.legal, DRIVER.do, DRIVER.outcomes, DRIVER.settle
happen, god, look, compact = DRIVER.happen, DRIVER.god, DRIVER.look, DRIVER.compact
history = DRIVER.history


def towards(states: np.ndarray, seat: int) -> str:
    """The action of the seat to move that names another seat."""
    return to_left((seat - int(states["to_move"][0])) % int(states["num_players"][0]))


def ask(states: np.ndarray, whom: int, question: str) -> None:
    """The asker turns to a seat and asks ``"colour"`` (open) or ``"colour red"`` (closed)."""
    do(states, towards(states, whom), f"ASK_{question.upper().replace(' ', '_')}")


def answer(states: np.ndarray, values: str) -> None:
    """Who is asked claims these values, or says yes or no to a closed question."""
    attribute, *value = BANK[god(states)["question"]].split()
    if values in ("yes", "no"):
        assert value, "yes and no answer closed questions"
        values = " ".join(v for v in ATTRIBUTES[attribute] if (v in value) == (values == "yes"))
    do(states, numbers(values, attribute))


def poll(states: np.ndarray, seat: int) -> None:
    """That seat is polled: by chance, or because it is its turn."""
    if states["phase"][0] == CHANCE:
        happen(states, f"player_{seat}")
    assert states["to_move"][0] == seat, f"seat {states['to_move'][0]} decides"


def passes(states: np.ndarray, *seats: int) -> None:
    """These are polled one after the other and pass."""
    for seat in seats:
        poll(states, seat)
        do(states, "PASS")


def everyone_passes(states: np.ndarray) -> None:
    """To the window's end; in a random order, clockwise from the answerer's left all the same."""
    n, answerer = int(states["num_players"][0]), int(states["answerer"][0])
    passes(states, *((answerer + k) % n for k in range(1, n + 1)))


def accuse(states: np.ndarray, by: int, whom: int) -> None:
    """A seat is polled and accuses another one."""
    poll(states, by)
    do(states, towards(states, whom))


def vote(states: np.ndarray, *votes: str) -> None:
    """The voters in turn: ``"AGREE"`` or ``"DISAGREE"``."""
    do(states, *votes)
