"""Matches of Under My Bed event by event, and beliefs about them by brute force."""

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np

from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy, reads_history
from masked_monsters.envs.registry import get_game
from masked_monsters.envs.under_my_bed.state import (
    ANSWER,
    CHECK,
    CLAIM,
    DEAL_CARD,
    DRAW_BED,
    FIRST_QUESTION,
    KID,
    VOTE,
    WINDOW,
)
from masked_monsters.envs.under_my_bed.view import CARD
from masked_monsters.evaluation.beliefs import Profile, history_of
from masked_monsters.evaluation.beliefs.under_my_bed import Posterior, likelihoods, posterior
from tests.evaluation.players import Drawing


class Event(NamedTuple):
    """A chance event or a decision."""

    phase: int
    seat: int
    code: int


def decision(game: Game, states: np.ndarray, policy: Policy) -> Decisions:
    """What the seat to move is given."""
    views, observations = np.zeros(1, game.view), np.zeros((1, game.compact_size), np.int8)
    mask = np.zeros((1, game.num_actions), np.int8)
    seat = int(states["to_move"][0])
    game.kernels.observe(states, 0, seat, views, observations.view(game.compact)[:, 0], 0)
    game.kernels.list_legal(states, 0, mask[0])
    history = game.history(states, np.zeros(1, np.int64)) if reads_history(policy) else None
    return Decisions(views, observations, mask, history)


def played(
    game: Game, seed: int, policy: Policy, *, chance: bool = False
) -> Iterator[tuple[list[Event], np.ndarray]]:
    """A match's events, and its state, at each decision (if ``chance``, chance event) and the end."""
    policy.reset(seed)
    states = game.new_states(1)
    states["stream"] = seed
    game.kernels.start_match(states, 0, False)
    events: list[Event] = []
    while True:
        phase = int(states["phase"][0])
        if phase != CHANCE or (chance and states["num_asked"][0] > 0):
            yield events.copy(), states.copy()
        if phase == OVER:
            return
        if phase == CHANCE:
            code = game.kernels.draw_chance(states, 0)
            events.append(Event(phase, -int(states["chance"][0]), code))
            game.kernels.resolve_chance(states, 0, code)
        else:
            (action,) = policy.act(decision(game, states, policy))
            events.append(Event(phase, int(states["to_move"][0]), int(action)))
            game.kernels.step(states, 0, int(action), False)


def eager(game: Game, seed: int) -> Drawing:
    """Plays at random, sometimes with many accusals and few checks, so that all can be seen."""
    words = FIRST_QUESTION + int(game.record["num_questions"][0])
    weights = np.ones(game.num_actions)
    weights[:FIRST_QUESTION] = (0.3, 3)[seed % 2]
    weights[words + CHECK :] = (0.02, 0.2)[seed // 2 % 2]
    return Drawing(weights)


def assignments(n: int) -> Iterator[tuple[list[int], int]]:
    """Every way to deal: by seat a slot, or ``n`` for the kid, and the slot under the bed."""
    for cards in permutations(range(n + 1), n):
        if n in cards:
            yield list(cards), sum(range(n + 1)) - sum(cards)


def brute_force(
    game: Game,
    events: list[Event],
    seat: int,
    history: np.ndarray,
    policy: Policy,
    *,
    answers_only: bool = False,
) -> Posterior:
    """What a seat may believe, every deal being played through as it was, by the real game."""
    n = game.num_players
    own = min(n, history[history[:, 0] == CARD, 3].item())
    weights = {
        (*cards, bed): _weight(game, events, seat, history, policy, cards, bed, answers_only)
        for cards, bed in assignments(n)
        if cards[seat] == own
    }
    return gather(weights, n)


def gather(weights: dict[tuple[int, ...], float], n: int) -> Posterior:
    """From the weight of each deal, by ``(*cards, bed)``."""
    kid, bed, holds = np.zeros(n), np.zeros(n), np.zeros((n, n))
    for (*cards, under_bed), weight in weights.items():
        bed[under_bed] += weight
        for seat, card in enumerate(cards):
            if card == n:
                kid[seat] += weight
            else:
                holds[seat, card] += weight
    total = bed.sum()
    assert total > 0
    return Posterior(kid / total, bed / total, holds / total)


def _weight(
    game: Game,
    events: list[Event],
    seat: int,
    history: np.ndarray,
    policy: Policy,
    cards: list[int],
    bed: int,
    answers_only: bool,
) -> float:
    words = FIRST_QUESTION + int(game.record["num_questions"][0])
    claims = slice(words + CLAIM + 1, words + CLAIM + 15)
    pending = {}
    states = game.new_states(1)
    game.kernels.start_match(states, 0, False)
    codes = iter([KID if card == game.num_players else card for card in cards])
    weight = 1.0
    for event in events:
        if event.phase == CHANCE:
            code = {-DRAW_BED: bed, -DEAL_CARD: None}.get(event.seat, event.code)
            game.kernels.resolve_chance(states, 0, next(codes) if code is None else code)
            continue
        mover = int(states["to_move"][0])
        is_lone = event.phase == WINDOW and states["accused"][0, states["num_asked"][0] - 1] >= 0
        assert is_lone or mover == event.seat
        seen = decision(game, states, policy)
        is_claim = event.phase == ANSWER and claims.start <= event.code < claims.stop
        deaf = getattr(policy, "ignores_claims", False) and is_claim
        if not deaf and not seen.action_mask[0, event.code]:
            return 0
        if mover != seat and not deaf and (is_claim or not answers_only):
            row = policy.probabilities(seen)[0]
            chance = row[event.code] / (row[claims].sum() if answers_only else 1)
            if event.phase == VOTE:
                pending[mover] = chance
            else:
                weight *= chance
        game.kernels.step(states, 0, event.code, False)
        if states["phase"][0] != VOTE:  # all votes are told
            weight *= float(np.prod(list(pending.values())))
            pending.clear()
        if weight == 0:
            return 0
    found = history_of(game, states, 0, seat)
    return weight if found.tobytes() == history.tobytes() else 0


@cache
def bed_game(n: int, questions: int = 3, order: str = "random") -> Game:
    return get_game("under_my_bed", num_players=n, max_questions=questions, window_order=order)


def words_of(game: Game) -> int:
    return FIRST_QUESTION + int(game.record["num_questions"][0])


def believed(
    game: Game, seat: int, history: np.ndarray, profile: Profile, *, answers_only: bool = False
) -> Posterior:
    return posterior(likelihoods(game, seat, history, profile, answers_only=answers_only))


def assert_same(found: Posterior, expected: Posterior, within: float = 1e-12) -> None:
    for name in Posterior._fields:
        np.testing.assert_allclose(
            getattr(found, name), getattr(expected, name), rtol=0, atol=within, err_msg=name
        )


def is_lone_poll(states: np.ndarray) -> bool:
    last = states["num_asked"][0] - 1
    return states["phase"][0] == WINDOW and states["accused"][0, last] >= 0


class ByCard:
    """Does each action the more or the less often, by its card and seat. Refuses what cannot be."""

    name = "by card"

    def reset(self, seed: int) -> None:
        pass

    def act(self, decisions: Decisions) -> np.ndarray:
        raise NotImplementedError

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        for view in decisions.view:
            if view["role"] != KID:
                assert view["fits"][0, view["role"]], "its claims have been true (B8)"
                closed = view["phase"] == WINDOW and view["accused"][view["num_asked"] - 1] >= 0
                assert not closed, "only the kid is polled after an accusal (B13)"
        roles, seats = decisions.view["role"], decisions.view["seat"]
        return by_card(roles[:, None], seats[:, None], decisions.action_mask)


def by_card(role: np.ndarray | int, seat: np.ndarray | int, mask: np.ndarray) -> np.ndarray:
    weights = mask * (1.0 + (np.arange(mask.shape[-1]) * 7 + role * 3 + seat * 2) % 5)
    return weights / weights.sum(axis=-1, keepdims=True)
