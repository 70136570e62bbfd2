"""What a seat has seen of a round of Monster My Neighbor, read from its history; seats are absolute."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from masked_monsters.envs.engine.phases import OVER
from masked_monsters.envs.monster_my_neighbor import view
from masked_monsters.envs.monster_my_neighbor.state import (
    DEAL,
    DOG,
    FOG,
    FOLD,
    FRIEND,
    GOSSIP,
    HUNTER,
    MAX_EXTRA_ROUNDS,
    MAX_ROUNDS,
    MAX_VP,
    NUM_CARDS,
    NUM_MONSTERS,
    PHASES,
    RUMOR,
    STEAL,
    WANTED,
)


@dataclass
class Turn:
    """A card played, or a fold, and what came of it as far as the seat knows."""

    by: int
    action: int
    """A card, or FOLD."""
    target: int | None = None
    moved: dict[tuple[int, int], int] = field(default_factory=dict)
    """The card that went from one hand to another; the seat is one of the two."""
    dealt: list[int] = field(default_factory=list)
    """The seat's own cards out of the Fog."""
    drawn: int | None = None
    """From the general deck by the seat itself, as ``laid`` is what it put away face down."""
    laid: int | None = None
    chosen: int | None = None
    """What the seat has secretly chosen to give, while others still choose."""


@dataclass
class Script:
    """All that a seat recalls, of the match in short and of the round in full."""

    seat: int
    num_players: int
    vp: list[int] = field(default_factory=list)
    """By seat."""
    gone: list[int] = field(default_factory=list)
    """The monsters of the rounds before."""
    monster: int | None = None
    dealt: list[int] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    phase: int = 0
    """Now; and who decides."""
    to_move: int = 0


HIGHS = {
    view.SCORE: MAX_VP,
    view.GONE: NUM_MONSTERS - 1,
    view.NAME: NUM_MONSTERS - 1,
    view.NOW: len(PHASES) - 1,
}
"""The most that ``what`` of a row may be, by kind; of all other kinds it is a card."""


def read_script(history: np.ndarray, seat: int, num_players: int) -> Script:
    """The script of a history.

    Raises:
        ValueError: if a row is of nothing there is, or the match is over, when nothing is hidden.
    """
    script = Script(seat, num_players, vp=[0] * num_players)
    for kind, *rest in history.tolist():
        who, whom = ((seat + k) % num_players for k in rest[:2])
        what = rest[2]
        if what > (most := HIGHS.get(kind, NUM_CARDS - 1)):
            raise ValueError(f"history: row {[kind, *rest]}: {what} must be at most {most}")
        turn = script.turns[-1] if script.turns else None
        if kind == view.SCORE:
            script.vp[who] = what
        elif kind == view.GONE:
            script.gone.append(what)
        elif kind == view.NAME:
            script.monster = what
        elif kind == view.HAS_PLAYED:
            script.turns.append(Turn(who, what))
        elif kind == view.HAS_FOLDED:
            script.turns.append(Turn(who, FOLD))
        elif kind == view.NOW:
            script.phase, script.to_move = what, who
        elif turn is None:  # dealt the first hand
            script.dealt.append(what)
        elif kind == view.HAS_DEALT:
            turn.dealt.append(what)
        elif kind == view.HAS_AIMED:
            turn.target = whom
        elif kind == view.HAS_MOVED:
            turn.moved[who, whom] = what
        elif kind == view.HAS_DREW:
            turn.drawn = what
        elif kind in (view.HAS_DISCARDED, view.HAS_BURIED):
            turn.laid = what
        elif kind == view.CHOSEN:
            turn.chosen = what
    if script.phase == OVER:
        raise ValueError("history: the match is over, and nothing is hidden any more")
    if len(script.gone) >= MAX_ROUNDS + MAX_EXTRA_ROUNDS:
        raise ValueError(f"history: {len(script.gone)} rounds before this one are too many")
    return script


@dataclass(frozen=True)
class Needs:
    """How many cards of each type must be in the hands at some moment for what will be seen of them.

    Arrays of ``(num_players + 1, NUM_CARDS)``: by seat, and last in the hands of all others than the
    seat that looks. ``sure`` cards must be there already, the rest of ``all`` may still come unseen.
    """

    all: np.ndarray
    sure: np.ndarray


def needs_of(script: Script, hand_size: int) -> list[Needs]:
    """Before each turn, and last at the present moment; of the seat that looks none are said."""
    me, others = script.seat, script.num_players
    every = np.zeros((others + 1, NUM_CARDS), np.int64)
    sure = every.copy()
    found = [Needs(every.copy(), sure.copy())]
    for turn, hand in zip(reversed(script.turns), reversed(_own_hands(script)), strict=True):
        if turn.dealt:  # M20: what all others held is what I got, what they got, less what I held
            pool = cards(turn.dealt) - hand
            for needs in (every, sure):
                needs[:others] = 0
                needs[others] = np.maximum(needs[others] + pool, 0)
        known = [(taker, card) for (_, taker), card in turn.moved.items()]
        if turn.action == DOG and turn.target is not None:
            known.append((turn.target, DOG))
        for taker, card in known:
            if taker != me:
                for needs in (every, sure):
                    needs[[taker, others], card] = np.maximum(needs[[taker, others], card] - 1, 0)
        for taker in _may_have_gained(turn, script):
            sure[taker] = 0
        if turn.action == FRIEND and turn.by != me:
            sure[others] = 0
        seen = [(giver, card, giver != turn.by) for (giver, _), card in turn.moved.items()]
        if turn.action != STEAL:  # whose player may return what it has drawn
            seen = [(giver, card, True) for giver, card, _ in seen]
        seen.append((turn.by, HUNTER if turn.action == FOLD else turn.action, True))
        for giver, card, surely in seen:
            if giver != me:
                every[[giver, others], card] += 1
                sure[[giver, others], card] += surely
        if turn.action == FOLD:  # M10: Hunters, and perhaps the Monster
            every[turn.by, HUNTER] = max(every[turn.by, HUNTER], hand_size - 1)
        every[me] = sure[me] = 0
        found.append(Needs(every.copy(), sure.copy()))
    starter = script.turns[0].by if script.turns else script.to_move
    if starter != me:  # M6
        for needs in (found[-1].all, found[-1].sure):
            needs[[starter, others], WANTED] = 1
    return found[::-1]


def _own_hands(script: Script) -> list[np.ndarray]:
    """What the seat that looks held when each turn's card had been played, by type."""
    hand = cards(script.dealt)
    found = []
    for turn in script.turns:
        if turn.by == script.seat:
            hand = hand - cards([HUNTER if turn.action == FOLD else turn.action])
        found.append(hand)
        if turn.dealt:
            hand = cards(turn.dealt)
        for (giver, taker), card in turn.moved.items():
            hand = hand + ((taker == script.seat) - (giver == script.seat)) * cards([card])
        if turn.drawn is not None:
            hand = hand + cards([turn.drawn])
        if turn.laid is not None:
            hand = hand - cards([turn.laid])
        if turn.action == DOG and turn.target == script.seat and turn.laid is not None:
            hand = hand + cards([DOG])
    return found


def cards(types: list[int]) -> np.ndarray:
    """``(NUM_CARDS,)``: how many of each type."""
    return np.bincount(np.array(types, np.int64), minlength=NUM_CARDS)


def _may_have_gained(turn: Turn, script: Script) -> Iterator[int]:
    """Who may have got cards that the seat did not see."""
    if turn.action in (RUMOR, GOSSIP, FOG):
        yield from range(script.num_players)
    elif turn.action in (STEAL, DEAL) and turn.target is not None:
        yield turn.by
        yield turn.target
    elif turn.action == FRIEND:
        yield turn.by
