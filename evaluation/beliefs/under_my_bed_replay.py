"""A match of Under My Bed rebuilt from what one seat recalls of it, step by step by the game's rules.

What the seat cannot know is stood in for by something that fits: the others' cards by one assignment,
which nothing that the seat recalls depends on.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.game import Game
from masked_monsters.envs.under_my_bed.reading import after_questions
from masked_monsters.envs.under_my_bed.state import (
    AGREE,
    ASK_PLAYER,
    CHECK,
    CLAIM,
    DISAGREE,
    FIRST_PLAYER_ACTION,
    FIRST_QUESTION,
    KID,
    NOBODY,
    PASS,
    VOTE,
    WINDOW,
)
from masked_monsters.envs.under_my_bed.view import (
    ACCUSED,
    ASKED,
    BED,
    BEGINS,
    CARD,
    CHECKED,
    CHOSE,
    CLAIMED,
    ENDED,
    LINEUP,
    NOW,
    PASSED,
    SHOWED,
    SILENT,
    VOTED,
)
from masked_monsters.evaluation.beliefs import NothingFitsError, copied


class Decision(NamedTuple):
    """One that another seat has made."""

    state: bytes
    """The record just before it."""
    phase: int
    """Its phase."""
    seat: int
    """Who made it."""
    action: int
    of_kid: bool = False
    """It was made only if that seat is the kid (B13)."""


class Token(NamedTuple):
    """A row of what a seat recalls, see ``view.TOKEN_KINDS``; seats are absolute."""

    kind: int
    who: int
    whom: int
    what: int
    flag: int
    """``whom`` as it is, where it is no seat."""


def read(seat: int, history: np.ndarray, n: int) -> list[Token]:
    """The rows of what a seat recalls; those of 0 do not count.

    Raises:
        ValueError: if the deal is not over yet.
    """
    tokens = [
        Token(kind, (seat + who) % n, (seat + whom) % n, what, flag=whom)
        for kind, who, whom, what in history.tolist()
        if kind
    ]
    kinds = {token.kind for token in tokens}
    if not kinds >= {CARD, BEGINS, NOW}:
        raise ValueError(f"history={history.tolist()}: must be of a match that is dealt (B4)")
    return tokens


def known_cards(tokens: Sequence[Token], n: int) -> np.ndarray:
    """``(n, n + 1)`` float64: 1 for the cards that each seat may have by what was shown, else 0.

    A seat has seen its own card; at the end the accused's (B12), or who the kid was and what lies under
    the bed (B14), is shown to all.
    """
    known = np.ones((n, n + 1))
    for kind, who, _, what, _ in tokens:
        if kind in (CARD, SHOWED):
            known[who] = np.arange(n + 1) == min(what, n)
        elif kind == CHECKED:
            known[who] = np.arange(n + 1) == n
        elif kind == BED:
            known[:, what] = 0
    return known


def records(game: Game, states: Sequence[bytes], which: np.ndarray) -> np.ndarray:
    """Some of these states."""
    return copied(np.frombuffer(b"".join(states), game.state), which)


def slot_left(cards: Any) -> Any:
    """The slot that nobody has, which lies under the bed, of cards ``(…, n)`` by seat."""
    n = np.shape(cards)[-1]
    return n * (n + 1) // 2 - np.sum(cards, axis=-1, dtype=np.int64)


class Replay:
    """A match as far as one seat recalls it.

    Attributes:
        seat: who recalls it.
        known: which cards each seat may have by what was shown, see ``known_cards``.
        state: ``(1,)`` record: the present, but for what the seat does not know of it. Where somebody
            is polled, or votes, whom it is not told of, this is not decided yet; ``now`` says so.
        decisions: of the others, in order; votes that are not told yet are missing.
        now: the last of what it recalls: who decides, in which phase; ``flag`` is 1 if it is not told.
        own_vote: its own in the pending vote: -1 not cast, 0 disagree, 1 agree.
        may_have_passed: the kid has looked under the bed (B14) either when polled alone (B13), or after
            it had passed then and was to ask next: the seat cannot tell.
    """

    def __init__(
        self,
        game: Game,
        seat: int,
        tokens: Sequence[Token],
        known: np.ndarray,
        cards: Sequence[int],
        *,
        passed_first: bool = False,
    ) -> None:
        """Play it.

        Args:
            game: the game.
            seat: who recalls it.
            tokens: what it recalls, see ``read``.
            known: see ``known_cards``.
            cards: by seat a slot, or ``n`` for the kid: some that fit what is known.
            passed_first: where ``may_have_passed`` is true: it had passed.
        """
        self.kernels = game.kernels
        self.num_actions = game.num_actions
        self.seat = seat
        self.known = known
        self.passed_first = passed_first
        self.state = game.new_states(1)
        self.decisions: list[Decision] = []
        self.now = tokens[-1]
        self.own_vote = NOBODY
        self.may_have_passed = False
        self._deal(tokens, cards)
        told = len(tokens)
        if self.now.what == VOTE:  # of the last accusal's votes there is only my own, if any
            accusals = [i for i, token in enumerate(tokens) if token.kind == ACCUSED]
            if not accusals:
                raise ValueError("history: a vote without an accusal")
            told = 1 + accusals[-1]
        for token in tokens[:told]:
            self._happen(token)
        for token in tokens[told:-1]:
            self.own_vote = token.what

    def _deal(self, tokens: Sequence[Token], cards: Sequence[int]) -> None:
        n = len(cards)
        self.kernels.start_match(self.state, 0, False)
        self._chance(sum(1 << token.what for token in tokens if token.kind == LINEUP))
        self._chance(slot_left(cards))
        for card in cards:
            self._chance(KID if card == n else card)
        if self._phase() == CHANCE:
            self._chance(next(token.who for token in tokens if token.kind == BEGINS))

    def _happen(self, token: Token) -> None:
        """Whatever the row tells of, and what must have come before it."""
        kind, who, what = token.kind, token.who, token.what
        words = after_questions(self.state[0])
        player = FIRST_PLAYER_ACTION + (token.whom - who) % self._seats() - 1
        if kind in (CHOSE, ASKED, ENDED) or (kind == NOW and what == ASK_PLAYER):
            self._kid_has_passed(words + PASS)
        if kind in (PASSED, ACCUSED) or (kind == NOW and what == WINDOW and not token.flag):
            self._poll(who)
        if kind in (CHOSE, ASKED, ACCUSED):
            self._do(who, player)
        if kind == ASKED:
            self._do(who, FIRST_QUESTION + what)
        elif kind == CLAIMED:
            self._do(who, words + CLAIM + what)
        elif kind in (PASSED, SILENT):
            self._do(who, words + PASS)
        elif kind == VOTED:
            self._do(who, words + (AGREE if what else DISAGREE))
        elif kind == CHECKED:
            self._check(who, words + PASS, words + CHECK + what)

    def _check(self, kid: int, passes: int, checks: int) -> None:
        """B14; who was polled alone and is to ask next may have passed first."""
        if self.kid_is_polled():
            is_last = self.state["num_asked"][0] == self.state["max_questions"][0]
            asks_next = kid == self.state["answerer"][0] and not is_last
            self.may_have_passed = kid != self.seat and bool(asks_next)
            if self.may_have_passed and self.passed_first:
                self._kid_has_passed(passes)
        self._poll(kid)
        self._do(kid, checks)

    def _kid_has_passed(self, passes: int) -> None:
        """B13: if it was polled alone. Every seat may be the one that did."""
        if self.kid_is_polled():
            for kid in range(self._seats()):
                self._remember(kid, passes, of_kid=True)
            self.kernels.step(self.state, 0, passes, False)

    def kid_is_polled(self) -> bool:
        """B13: after a failed accusal."""
        return self._phase() == WINDOW and bool(self.state["accused"][0, self.last] >= 0)

    def _poll(self, seat: int) -> None:
        """B10: if it is for chance to say who is."""
        if self._phase() == CHANCE:
            self._chance(seat)

    def _do(self, seat: int, action: int) -> None:
        if not self._can(seat, action):
            raise NothingFitsError(f"history: action {action} of seat {seat} cannot have been done")
        self._remember(seat, action)
        self.kernels.step(self.state, 0, action, False)

    def _can(self, seat: int, action: int) -> bool:
        """With some card; the kid may do all that monsters may."""
        legal = np.zeros(self.num_actions, np.int8)
        if self._phase() != CHANCE:
            state = self.state.copy()
            state["to_move"], state["role"][0, seat] = seat, KID
            self.kernels.list_legal(state, 0, legal)
        return action < self.num_actions and bool(legal[action])

    def _remember(self, seat: int, action: int, *, of_kid: bool = False) -> None:
        if seat != self.seat:
            now = self.state.tobytes()
            self.decisions.append(Decision(now, self._phase(), seat, action, of_kid))

    def _chance(self, code: int) -> None:
        self.kernels.resolve_chance(self.state, 0, code)

    def _phase(self) -> int:
        return int(self.state["phase"][0])

    @property
    def last(self) -> int:
        """The number of the last question, from 0."""
        return int(self.state["num_asked"][0]) - 1

    def _seats(self) -> int:
        return int(self.state["num_players"][0])
