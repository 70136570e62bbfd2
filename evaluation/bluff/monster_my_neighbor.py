"""Bluffing in Monster My Neighbor: what is played with the Monster in hand, and what without.

Nobody says anything here; a play says something because the Monster's holder would rather make some
than others. Of each play by a holder the ledger has how likely one who holds another card instead
would make it in the same view. Observers believe what follows by Bayes' rule from all that they have
seen, if everybody plays as their model does but for a slip; beliefs are sampled
(``beliefs/monster_my_neighbor.py``).
"""

import numpy as np

from masked_monsters.envs.game import Game
from masked_monsters.envs.monster_my_neighbor.state import (
    CARDS,
    FIRST_PLAYER_ACTION,
    FOLD,
    HUNTER,
    MONSTER,
    PHASES,
    PLAY,
    TARGET,
    WANTED,
)
from masked_monsters.envs.monster_my_neighbor.view import HAS_DEALT, HAS_MOVED, NAME
from masked_monsters.envs.policy import Decisions, Policy, reads_history
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.beliefs import history_of, resample
from masked_monsters.evaluation.bluff.lens import (
    SLIP,
    Acts,
    Slipping,
    decisions_at,
    encode_views,
    some_of,
)

WORLDS = 200
"""That an observer's belief is sampled from; less than one of them in probability is not told apart."""
HOLDS, IS_FRIEND, NEITHER = range(3)
OWN, IGNORING = "own", "ignoring"


def make_lens(game: Game, lanes: int, observers: str | None, seed: int) -> "PlayLens":
    """``observers``: a player's name or file, "own" for the player's own policy, or "ignoring"."""
    return PlayLens(game, lanes, observers or "mastermind", seed)


class PlayLens:
    """See ``lens.Lens``."""

    roles = ("holder", "friend", "other")
    kinds = (*CARDS, "fold")
    phases = PHASES
    truth = ("who holds the Monster, to those who do not",) * 3

    def __init__(self, game: Game, lanes: int, observers: str, seed: int) -> None:
        self._game = game
        self._random = np.random.default_rng(seed)
        self._observers = observers
        self._model = None
        self.observers = "beliefs do not move"
        if observers == OWN:
            self.observers = "everybody plays like the player itself"
        elif observers != IGNORING:
            self._model = Slipping(load_agent(observers, game))
            self.observers = f"everybody plays like {self._model.name}"
        if observers != IGNORING:
            self.observers += f", but for {SLIP:.0%} of anything legal; {WORLDS} worlds"

    def measure(self, acts: Acts) -> dict[str, np.ndarray]:
        """Of the plays among them."""
        states, size = acts.states, len(acts.lanes)
        found = {
            name: np.full(size, np.nan)
            for name in ("believed", "truth", "shift", "leaked", "other")
        }
        seats, every = states["to_move"].astype(int), np.arange(size)
        holds = states["hands"][every, seats, MONSTER] > 0
        friend = states["friend"][every, seats] > 0
        found["role"] = np.select([holds, friend], [HOLDS, IS_FRIEND], NEITHER)
        plays = states["phase"] == PLAY
        found["kind"] = np.where(plays, np.minimum(acts.actions, len(CARDS)), -1)
        found["time"] = states["turns"].sum(axis=1) + 1
        goes_on = plays & acts.close & (acts.actions != MONSTER)
        held = np.flatnonzero(goes_on & holds)
        if len(held):
            with_it, without = self._with_and_without(acts, held)
            found["other"][held] = without
            found["leaked"][held] = np.log2(with_it / without)
        for i in np.flatnonzero(goes_on):
            if self._observers != IGNORING:
                belief = self._belief(acts, int(i))
                if belief is not None:
                    found["believed"][i], found["truth"][i], found["shift"][i] = belief
            else:
                found["shift"][i] = 0.0
        return found

    def _with_and_without(self, acts: Acts, held: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The probability of each act, and of one who holds another unseen card instead."""
        slipping = Slipping(acts.policy)
        states, actions = acts.states[held], acts.actions[held]
        decisions = decisions_at(self._game, states, slipping.reads_history)
        every = np.arange(len(held))
        without = chances_without(self._game, slipping, decisions)
        return slipping.probabilities(decisions)[every, actions], without[every, actions]

    def _belief(self, acts: Acts, i: int) -> tuple[float, float, float] | None:
        """Observers' mean probability that the player does not hold it, of the truth, and its change."""
        states, action = acts.states[i : i + 1], int(acts.actions[i])
        n, seat = self._game.num_players, int(states["to_move"][0])
        holder = int(states["hands"][0, :n, MONSTER].argmax())
        model = self._model or Slipping(acts.policy)
        believed, truths, shifts = [], [], []
        for observer in range(n):
            if observer in (seat, holder):
                continue
            worlds = resample(
                self._game,
                observer,
                history_of(self._game, states, 0, observer),
                profile=model,
                count=WORLDS,
                seed=int(self._random.integers(2**63)),
            )
            there = decisions_at(self._game, worlds.states, reads_history(model))
            likely = model.probabilities(there)[:, action]
            holders = worlds.states["hands"][:, :n, MONSTER].argmax(axis=1)
            before = worlds.weights
            after = before * likely
            after = after / after.sum() if after.sum() > 0 else before
            p, q = (max(each[holders == holder].sum(), 1 / WORLDS) for each in (before, after))
            believed.append(after[holders != seat].sum())
            truths.append(q)
            shifts.append(np.log2(q / p))
        if not shifts:
            return None
        return float(np.mean(believed)), float(np.mean(truths)), float(np.mean(shifts))

    def hear(self, lanes: np.ndarray, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """A Hunter challenges whomever it is aimed at."""
        hunts = (states["phase"] == TARGET) & (states["resolving"] == HUNTER)
        aimed = (states["to_move"] + actions - FIRST_PLAYER_ACTION + 1) % self._game.num_players
        return np.where(hunts, aimed, -1)


def chances_without(game: Game, policy: Policy, decisions: Decisions) -> np.ndarray:
    """``(k, num_actions)``: what a policy would do at plays if it held another card than the Monster.

    Averaged over the unseen cards; what a seat recalls is as if that card had come to it instead.
    """
    unseen = decisions.view["unseen"].astype(np.float64)
    unseen[:, MONSTER] = 0
    rows, others = np.nonzero(unseen)
    chances = policy.probabilities(_without_monster(game, decisions, rows, others))
    weights = unseen[rows, others]
    found = np.zeros(decisions.action_mask.shape)
    np.add.at(found, rows, weights[:, None] * chances)
    return found / unseen.sum(axis=1, keepdims=True)


def _without_monster(
    game: Game, decisions: Decisions, rows: np.ndarray, cards: np.ndarray
) -> Decisions:
    """Decisions of these rows, with these cards in hand instead of the Monster."""
    views, every = decisions.view[rows], np.arange(len(rows))
    for field, change in ((views["hand"], -1), (views["unseen"], 1)):
        field[every, MONSTER] += change
        field[every, cards] -= change
    views["known"][:, 0] = views["hand"]
    views["monster"] = -1
    history = None if decisions.history is None else decisions.history[rows]
    if history is not None:
        history[history[:, :, 0] == NAME] = 0
        moved = np.isin(history[:, :, 0], (HAS_DEALT, HAS_MOVED)) & (history[:, :, 3] == MONSTER)
        history[:, :, 3] = np.where(moved, cards[:, None], history[:, :, 3])
        order = np.argsort(history[:, :, 0] == 0, axis=1, kind="stable")  # rows of zeros last
        history = np.take_along_axis(history, order[:, :, None], axis=1)
    return Decisions(views, encode_views(game, views), _legal_plays(views, game), history)


def _legal_plays(views: np.ndarray, game: Game) -> np.ndarray:
    """M6, M8 and M10, of hands without the Monster."""
    masks = np.zeros((len(views), game.num_actions), np.int8)
    masks[:, : len(CARDS)] = views["hand"] > 0
    masks[:, HUNTER] &= views["turns"][:, 0] > 0
    masks[views["hand"][:, WANTED] > 0, WANTED + 1 :] = 0
    masks[:, FOLD] = ~masks.any(axis=1)
    return masks


def _reveals_less(game: Game, policy: Policy, decisions: Decisions) -> np.ndarray:
    """Of a holder's plays those that one without the Monster would rather make (``lens.Forbid``)."""
    forbidden = np.zeros(decisions.action_mask.shape, np.bool_)
    views = decisions.view
    rows = np.flatnonzero((views["phase"] == PLAY) & (views["hand"][:, MONSTER] > 0))
    if len(rows):
        slipping = Slipping(policy)
        held = some_of(decisions, rows)
        without = chances_without(game, slipping, held)
        forbidden[rows] = without > slipping.probabilities(held)
    return forbidden


FORBID = {"away": _reveals_less}
"""What a candid player is kept from, by name."""
