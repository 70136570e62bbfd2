"""Under My Bed: exactly what a seat may believe of who is the kid, who holds what, and of the bed.

A seat decides by its own card and by what everybody knows. So the probability of all that a seat
recalls, given who has which card, is in proportion to the product over the seats of how likely each
was to do what it did with its own card. A table of ``n`` seats by ``n + 1`` cards is enough: the slots
of the line-up, then the kid. Such weighted assignments are counted, and drawn, exactly by dynamic
programming over the subsets of slots (``baselines/under_my_bed_odds.py``).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.engine.random import GENERATOR
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy, reads_history
from masked_monsters.envs.under_my_bed.reading import after_questions
from masked_monsters.envs.under_my_bed.state import (
    AGREE,
    ANSWER,
    KID,
    VOTE,
    WINDOW,
)
from masked_monsters.evaluation.baselines.under_my_bed_odds import (
    IN_BED,
    IS_KID,
    count_assignments,
    draw_assignments,
)
from masked_monsters.evaluation.beliefs import NothingFitsError, Profile, Worlds, copied, seated
from masked_monsters.evaluation.beliefs.answering import claims_of, ignores_claims
from masked_monsters.evaluation.beliefs.under_my_bed_replay import (
    Decision,
    Replay,
    known_cards,
    read,
    records,
    slot_left,
)
from masked_monsters.evaluation.decisions import decisions_at

SMALLEST = np.finfo(np.float64).tiny
"""In place of a sum of 0: nothing divided by it is nothing."""


class Posterior(NamedTuple):
    """What a seat may believe; probabilities, float64."""

    kid: np.ndarray
    """``(n,)``: that the seat is the kid."""
    bed: np.ndarray
    """``(n,)``: that the slot of the line-up lies under the bed."""
    holds: np.ndarray
    """``(n, n)``: ``[seat, slot]``, that the seat is the monster of that slot."""


def likelihoods(
    game: Game, seat: int, history: np.ndarray, profile: Profile, *, answers_only: bool = False
) -> np.ndarray:
    """How likely each seat is to have done what it did, given each card it may have.

    What is known for certain always counts: the own card, what was shown, and that a monster's claim
    contains its value (B8). An answer of an answering model that ``ignores_claims`` does not count, nor
    does what B8 says of it.

    Args:
        game: the game, with its options.
        seat: who looks.
        history: ``(rows, 4)`` int8, what it recalls, see ``history_of``.
        profile: how all others are taken to play.
        answers_only: the profile is an answering model: only claims count, each by its probability if
            a claim is made.

    Returns:
        ``(n, n + 1)`` float64: ``[seat, card]``, in proportion: the largest of each row is 1, unless the
        profile would never have done this with any card, then all are 0. 0 for cards that the seat
        cannot have. The row of the seat that looks is 1 for its own card.

    Raises:
        ValueError: if the deal is not over, the profile is of another number of seats, or nothing fits.
    """
    replays = _replays(game, seat, history)
    return _table(_log_likelihoods(replays, game, seated(profile, game), answers_only))


def posterior(table: np.ndarray) -> Posterior:
    """What follows from ``likelihoods``, or from any other such table of weights.

    Raises:
        ValueError: if nothing fits.
    """
    n = len(table)
    odds = count_assignments(n, *_weights(table))
    if not odds.any():
        raise NothingFitsError(f"table={table.tolist()}: no way to deal the cards fits")
    return Posterior(odds[IS_KID, :n], odds[IN_BED, :n], odds[:n, :n])


def sample(table: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """Independent draws of who has which card, as probable as ``posterior`` says.

    Returns:
        ``(count, n)`` int8: by seat a slot, or ``n`` for the kid; the slot left lies under the bed.

    Raises:
        ValueError: if nothing fits.
    """
    posterior(table)
    cards = np.zeros((count, len(table)), np.int8)
    draw_assignments(len(table), *_weights(table), _generators(1, random), cards)
    return cards


def resample(
    game: Game,
    seat: int,
    history: np.ndarray,
    policies: Sequence[Policy | None],
    count: int,
    random: np.random.Generator,
) -> Worlds:
    """Worlds as ``beliefs.resample`` describes them: exact, independent draws, all of the same weight.

    What else the seat cannot know is drawn too. Who is being polled, if it is not the seat: uniformly of
    those who have not been (B10), or the kid (B13). How many have voted in a vote that goes on, if the
    seat is not the one to vote: uniformly of what fits; and what they have voted: by the profile.

    Raises:
        ValueError: if the deal is not over, the profile is of another number of seats, or nothing fits.
    """
    replays = _replays(game, seat, history)
    logs = _log_likelihoods(replays, game, policies)
    cards = sample(_table(logs), count, random)
    # If there are two replays, then all know who is the kid.
    of_kid = logs[:, cards[0].argmax(), -1]
    shares = np.exp(of_kid - np.logaddexp.reduce(of_kid))
    which = random.choice(len(replays), count, p=shares)
    states = records(game, [replay.state.tobytes() for replay in replays], which)
    n = game.num_players
    states["role"][:, :n] = np.where(cards == n, KID, cards)
    states["under_bed"] = slot_left(cards)
    states["stream"] = _generators(count, random)["random"]
    states["random"] = _generators(count, random)["random"]
    _draw_the_present(states, replays[0], game, cards, policies, random)
    return Worlds(states, np.full(count, 1 / count))


# ---------------------------------------------------------------- the present


def _draw_the_present(
    states: np.ndarray,
    replay: Replay,
    game: Game,
    cards: np.ndarray,
    policies: Sequence[Policy | None],
    random: np.random.Generator,
) -> None:
    """What the seat is not told of the position as it stands."""
    n, now = game.num_players, replay.state[0]
    is_kid = cards == n
    if now["phase"] == OVER:  # B16: the kid is paid the opposite of all others
        kid_pay = now["reward"][now["role"] == KID]
        states["reward"][:, :n] = np.where(is_kid, kid_pay, -kid_pay)
    elif now["phase"] == VOTE:
        _draw_votes(states, replay, game, cards, policies, random)
    elif now["phase"] == WINDOW and replay.kid_is_polled():
        states["to_move"] = is_kid.argmax(axis=1)
    elif now["phase"] == CHANCE and replay.now.what == WINDOW:
        polled = now["polls"][replay.last, : now["num_polls"][replay.last]]
        others = np.setdiff1d(np.arange(n), [*polled, replay.seat])
        for lane, other in enumerate(random.choice(others, len(states))):
            game.kernels.resolve_chance(states, lane, other)


def _draw_votes(
    states: np.ndarray,
    replay: Replay,
    game: Game,
    cards: np.ndarray,
    policies: Sequence[Policy | None],
    random: np.random.Generator,
) -> None:
    """How many have voted, and what (B11)."""
    n, last, seat = game.num_players, replay.last, replay.seat
    accuser = replay.state["polls"][0, last, replay.state["num_polls"][0, last] - 1]
    accused = int(replay.state["accused"][0, last])
    in_turn = [(accused + k) % n for k in range(1, n) if (accused + k) % n != accuser]
    voters = np.array(in_turn)
    fewest, most = 0, n - 3
    if seat in in_turn:
        mine = in_turn.index(seat)
        if replay.own_vote >= 0:
            fewest = mine + 1
        elif replay.now.flag:  # I am not told who votes: not yet I
            most = mine - 1
        else:
            fewest = most = mine
    cast = random.integers(fewest, most, len(states), endpoint=True)
    agree = after_questions(game.record[0]) + AGREE
    now = replay.state.tobytes()
    votes = [Decision(now, VOTE, voter, agree) for voter in in_turn]
    drawn = (cards[:, :, None] == np.arange(n + 1)).any(axis=0)
    chances = _chances(votes, drawn, game, policies)
    for turn, voter in enumerate(in_turn):
        agrees = random.random(len(states)) < chances[turn, cards[:, voter]]
        if voter == seat:
            agrees = replay.own_vote == 1
        states["agreed"][:, last] |= (((turn < cast) & agrees) << voter).astype(np.uint8)
    states["num_votes"] = cast
    states["to_move"] = voters[cast]


# ---------------------------------------------------------------- what was done


def _replays(game: Game, seat: int, history: np.ndarray) -> list[Replay]:
    """What may have happened: one way, or two if the kid ``may_have_passed``."""
    tokens = read(seat, history, game.num_players)
    known = known_cards(tokens, game.num_players)
    cards = sample(known, 1, np.random.default_rng(0))[0].tolist()
    replays = [Replay(game, seat, tokens, known, cards)]
    if replays[0].may_have_passed:
        replays.append(Replay(game, seat, tokens, known, cards, passed_first=True))
    return replays


def _log_likelihoods(
    replays: Sequence[Replay],
    game: Game,
    policies: Sequence[Policy | None],
    answers_only: bool = False,
) -> np.ndarray:
    """``(replays, n, n + 1)``: of each way that it may have happened."""
    n = game.num_players
    claims = claims_of(game.record[0])

    def is_claim(decision: Decision) -> bool:
        return decision.phase == ANSWER and decision.action < claims.stop

    trusted = [not ignores_claims(policy) for policy in policies]
    by_rules = replays[0].known.copy()
    by_rules[trusted, :n] *= replays[0].state["fits"][0, :n, :n][trusted]
    odds = posterior(by_rules)
    possible = np.column_stack([odds.holds, odds.kid]) > 0
    logs = np.where(possible, np.zeros((len(replays), 1, 1)), -np.inf)
    for log, replay in zip(logs, replays, strict=True):
        told = [
            decision
            for decision in replay.decisions
            if (trusted[decision.seat] if is_claim(decision) else not answers_only)
        ]
        chances = _chances(told, possible, game, policies, answers_only)
        with np.errstate(divide="ignore"):
            np.add.at(log, [decision.seat for decision in told], np.log(chances))
    return logs


def _chances(
    decisions: Sequence[Decision],
    possible: np.ndarray,
    game: Game,
    policies: Sequence[Policy | None],
    answers_only: bool = False,
) -> np.ndarray:
    """The probability of what was done, had the seat each card that is ``possible`` for it.

    Returns:
        ``(len(decisions), n + 1)``; 1 for cards that are not possible, or with which the seat would not
        have been asked.
    """
    n = game.num_players
    chances = np.ones((len(decisions), n + 1))
    if not decisions:
        return chances
    seats = np.array([decision.seat for decision in decisions])
    asked = possible[seats]
    asked[[decision.of_kid for decision in decisions], :n] = False
    which, card = np.nonzero(asked)
    states = records(game, [decision.state for decision in decisions], which)
    states["to_move"] = seats[which]
    states["role"][np.arange(len(states)), seats[which]] = np.where(card == n, KID, card)
    probabilities = _probabilities(game, states, policies)
    if answers_only:
        claims = probabilities[:, claims_of(game.record[0])]
        probabilities = probabilities / np.maximum(claims.sum(axis=1, keepdims=True), SMALLEST)
    action = np.array([decision.action for decision in decisions])[which]
    chances[which, card] = probabilities[np.arange(len(states)), action]
    return chances


def _probabilities(game: Game, states: np.ndarray, policies: Sequence[Policy | None]) -> np.ndarray:
    """``(len(states), num_actions)``: of what the seat to move does, each asked by its own policy."""
    probabilities = np.zeros((len(states), game.num_actions))
    for policy in {id(policy): policy for policy in policies}.values():
        seats = [seat for seat, other in enumerate(policies) if other is policy]
        rows = np.flatnonzero(np.isin(states["to_move"], seats))
        some = copied(states, rows)
        if policy is None:
            masks = decisions_at(game, some, False).action_mask
            probabilities[rows] = masks / masks.sum(axis=1, keepdims=True)
        elif len(rows):
            decisions = decisions_at(game, some, reads_history(policy))
            probabilities[rows] = policy.probabilities(decisions)
    return probabilities


# ---------------------------------------------------------------- small things


def _table(logs: np.ndarray) -> np.ndarray:
    """Of logarithms, by the way it happened: in proportion, so that long matches do not vanish."""
    together = np.logaddexp.reduce(logs)
    top = together.max(axis=1, keepdims=True)
    return np.exp(together - np.where(np.isfinite(top), top, 0))


def _weights(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By slot, and of the kid, as ``count_assignments`` takes them."""
    return np.array(table[:, :-1], np.float64, order="C"), np.array(table[:, -1], np.float64)


def _generators(count: int, random: np.random.Generator) -> np.ndarray:
    """``(count,)`` records of ``GENERATOR``."""
    return random.integers(2**64, size=count, dtype=np.uint64).view(GENERATOR)
