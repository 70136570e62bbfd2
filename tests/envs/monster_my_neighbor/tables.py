"""Hand-built positions in the middle of a round, and short words to play on from them.

``table("hunter hide", "monster fog", "villager deal")`` is a table of three who hold those cards,
with seat 0 to move. What the test does not say is filled in so that the position could have come
about: everyone has taken the turns that the cards missing from the hand stand for, harmless cards
lie before them, and the rest of the published deck is the general deck.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Any

import numpy as np

from masked_monsters.envs.engine.chance import BITS
from masked_monsters.envs.monster_my_neighbor.memory import HAND
from masked_monsters.envs.monster_my_neighbor.state import (
    CARDS,
    DEAL_HAND,
    DEFAULT_DECK,
    DRAW_MONSTER,
    DRAW_STARTING_DECK,
    MONSTERS,
    PLAY,
)
from masked_monsters.envs.monster_my_neighbor.view import TOKEN_KINDS
from masked_monsters.envs.registry import get_game
from tests.envs.driver import Driver

GAME = get_game("monster_my_neighbor")

NOBODY = -1
HARMLESS = ("hide", "rumor", "gossip", "deal", "fog")  # what fills the table: no rule counts these


def to_left(k: int) -> str:
    """The action that names the k-th seat to my left."""
    return f"PLAYER_{k}_TO_MY_LEFT"


def match(num_players: int, *, stream: int = 1, **options: Any) -> np.ndarray:
    """A match that has just begun: chance is about to draw the first round's monster."""
    states = GAME.with_options(num_players=num_players, **options).new_states(1)
    states["stream"] = stream
    GAME.kernels.start_match(states, 0, False)
    return states


def table(
    *hands: str,
    to_move: int = 0,
    monster: str = "vampire",
    played: Mapping[int, str] | None = None,
    deck: str | None = None,
    buried: str = "",
    vp: tuple[int, ...] = (),
    round: int = 1,
    monsters_seen: str = "",
    **options: Any,
) -> np.ndarray:
    """A one-record array: the seats hold these cards, and ``to_move`` is about to play one.

    Args:
        hands: a seat's cards, names between spaces.
        to_move: whose turn it is.
        monster: this round's.
        played: by seat, the face-up cards that matter to the test; who played a Friend is one.
        deck: the general deck's cards still in random order; by default, the published deck's rest.
        buried: the cards under it, the oldest first.
        vp: victory points by seat; by default 0 each.
        round: from 1.
        monsters_seen: of the rounds before; by default, others than ``monster`` in their order.
        options: the game's, save ``num_players`` and ``deck``.
    """
    held = [hand.split() for hand in hands]
    n, hand_size = len(held), options.get("hand_size", 4)
    turns = [hand_size - len(hand) for hand in held]
    _check_turns(turns, to_move)
    face_up = [(played or {}).get(seat, "").split() for seat in range(n)]
    used = Counter(card for cards in (*held, *face_up, buried.split()) for card in cards)
    fillers = _fillers(used)
    for seat in range(n):
        while len(face_up[seat]) < turns[seat]:
            face_up[seat].append(next(fillers))
            used[face_up[seat][-1]] += 1
        assert len(face_up[seat]) == turns[seat], f"seat {seat} has taken {turns[seat]} turns"
    assert used.pop("monster", 0) == 1, "one Monster is about"
    if deck is None:
        composition = Counter({card: max(DEFAULT_DECK[card], used[card]) for card in DEFAULT_DECK})
        left = composition - used
    else:
        left = Counter(deck.split())
        composition = used + left
    states = GAME.with_options(num_players=n, deck=dict(composition), **options).new_states(1)

    others = [name for name in MONSTERS if name != monster]
    seen = monsters_seen.split() or (others if round <= 5 else [*MONSTERS, *others])[: round - 1]
    state = states[0]
    state["stream"] = state["random"] = 1
    state["round"] = round
    state["vp"][: len(vp)] = vp
    state["monsters_seen"] = NOBODY
    state["monsters_seen"][: len(seen)] = [MONSTERS.index(name) for name in seen]
    state["monster_deck"] = 1
    for name in (*seen[(round - 1) // 5 * 5 :], monster):
        state["monster_deck"][MONSTERS.index(name)] = 0
    for field in ("last_end", "last_monster_player", "last_by", "resolving", "by", "target"):
        state[field] = NOBODY
    state["passing"] = NOBODY
    state["monster"] = MONSTERS.index(monster)
    state["phase"] = PLAY
    state["to_move"] = state["turn"] = to_move
    state["deck"] = _counts(list(left.elements()))
    state["face_down"] = NOBODY
    _lay(state["buried"], buried.split())
    state["buried_size"] = len(buried.split())
    state["table"] = NOBODY
    for seat in range(n):
        state["turns"][seat] = turns[seat]
        state["hands"][seat] = _counts(held[seat])
        state["hand_sizes"][seat] = len(held[seat])
        _lay(state["table"][seat], face_up[seat])
        state["table_size"][seat] = turns[seat]
        state["friend"][seat] = "friend" in face_up[seat]
        state["knows_monster"][seat] = "monster" in held[seat]
        state["hunters_played"] += face_up[seat].count("hunter")
        state["villagers_played"] += face_up[seat].count("villager")
        if held[seat]:  # as if dealt just now, out of a Fog
            types = sorted(CARDS.index(card) for card in held[seat])
            cards = sum((card + 1) << (4 * i) for i, card in enumerate(types))
            state["events"][state["num_events"]] = (HAND, seat, cards & 255, cards >> 8)
            state["num_events"] += 1
    return states


def _check_turns(turns: list[int], to_move: int) -> None:
    """Clockwise from the round's starter all have taken the same turns, up to whose turn it is."""
    order = [turns[(to_move + k) % len(turns)] for k in range(len(turns))]
    assert order == sorted(order), f"seats from {to_move} on have taken {order} turns"
    assert order[-1] - order[0] <= 1, f"seats from {to_move} on have taken {order} turns"


def _fillers(used: Counter[str]) -> Iterator[str]:
    """Wanted, which is played first in any round, then harmless cards."""
    if not used["wanted"]:
        yield "wanted"
    yield from cycle(HARMLESS)


def _counts(cards: list[str]) -> list[int]:
    return [cards.count(card) for card in CARDS]


def _lay(where: np.ndarray, cards: list[str]) -> None:
    where[:] = NOBODY
    where[: len(cards)] = [CARDS.index(card) for card in cards]


# ---------------------------------------------------------------- to play on, and to look


def _is_one_thing(states: np.ndarray) -> bool:
    """Is the pending event's outcome one monster or card, not a set of cards?"""
    return states["chance"][0] not in (DRAW_STARTING_DECK, DEAL_HAND)


def _named(states: np.ndarray, code: int) -> str:
    if states["chance"][0] == DRAW_MONSTER:
        return MONSTERS[code]
    if _is_one_thing(states):
        return CARDS[code]
    counts = [(code >> (BITS * card)) % (1 << BITS) for card in range(len(CARDS))]
    return " ".join(card for card, count in zip(CARDS, counts, strict=True) for _ in range(count))


def _code(states: np.ndarray, name: str) -> int:
    if states["chance"][0] == DRAW_MONSTER:
        return MONSTERS.index(name)
    if _is_one_thing(states):
        return CARDS.index(name)
    return sum(1 << (BITS * CARDS.index(card)) for card in name.split())


DRIVER = Driver(
    GAME, token_kinds=TOKEN_KINDS, named=_named, code=_code, most_tokens=GAME.max_tokens
)
legal, do, outcomes, settle = DRIVER.legal, DRIVER.do, DRIVER.outcomes, DRIVER.settle
god, look, compact, history = DRIVER.god, DRIVER.look, DRIVER.compact, DRIVER.history


def happen(states: np.ndarray, *what: str) -> None:
    """The pending chance events bring these: a card, a monster, or a hand's cards in any order."""
    DRIVER.happen(
        states, *(" ".join(sorted(name.split(), key=(*CARDS, *MONSTERS).index)) for name in what)
    )


def holds(states: np.ndarray, seat: int) -> str:
    """A seat's cards in alphabetical order."""
    return " ".join(god(states)["hands"][seat])


def known(states: np.ndarray, seat: int, holder: int) -> str:
    """The cards that a seat can place in another one's hand, in the order of the types."""
    counts = look(states, seat)["known"][(holder - seat) % states["num_players"][0]]
    return " ".join(card for card, count in zip(CARDS, counts, strict=True) for _ in range(count))
