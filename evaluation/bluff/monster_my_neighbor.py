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
from masked_monsters.evaluation.beliefs import NothingFitsError, history_of, resample
from masked_monsters.evaluation.beliefs.slipping import SLIP, Slipping
from masked_monsters.evaluation.bluff.lens import Acts, Forbid
from masked_monsters.evaluation.decisions import decisions_at, encode_views, some_of

WORLDS = 2000
"""That an observer's belief is sampled from; less than one of them in probability is not told apart.
With far fewer, beliefs seem to move away from the truth that do not (docs/bluffing.md)."""
HOLDS, IS_FRIEND, NEITHER = range(3)
OWN, IGNORING, DEFAULT = "own", "ignoring", "mastermind"


def make_lens(game: Game, lanes: int, observers: str | None, seed: int) -> "PlayLens":
    """``observers``: a player's name or file, "own" for the player's own policy, or "ignoring"."""
    return PlayLens(game, observers or DEFAULT, seed)


class PlayLens:
    """See ``lens.Lens``."""

    roles = ("holder", "friend", "other")
    kinds = (*CARDS, "fold")
    phases = PHASES
    truth = ("who holds the Monster, to those who do not",) * 3

    def __init__(self, game: Game, observers: str, seed: int) -> None:
        self._game = game
        self._random = np.random.default_rng(seed)
        self._ignore = observers == IGNORING
        self._model = _model_of(game, observers)
        self.observers = "plays tell nothing"
        if not self._ignore:
            who = self._model.name if self._model else "the player itself"
            self.observers = f"all play like {who}, but for {SLIP:.0%} of anything legal"

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
            if not self._ignore:
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
        """Observers' mean probability that the player does not hold it, of the truth, and its change.

        Observers for whom no world is found are left out: at eight players what is seen can be too rare
        for any sample. None if that leaves nobody.
        """
        states, action = acts.states[i : i + 1], int(acts.actions[i])
        n, seat = self._game.num_players, int(states["to_move"][0])
        holder = int(states["hands"][0, :n, MONSTER].argmax())
        model = Slipping(self._model or acts.policy)
        believed, truths, shifts = [], [], []
        for observer in range(n):
            if observer in (seat, holder):
                continue
            try:
                worlds = resample(
                    self._game,
                    observer,
                    history_of(self._game, states, 0, observer),
                    profile=model,
                    count=WORLDS,
                    seed=int(self._random.integers(2**63)),
                )
            except NothingFitsError:
                continue
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

    Averaged over the unseen cards; what a seat recalls is as if that card had come to it instead. NaN
    where the Monster can be nowhere else, since the seat can place all other cards in the hands.
    """
    view = decisions.view
    hidden = view["hand_sizes"].sum(axis=1) - view["known"].sum(axis=(1, 2))
    unseen = view["unseen"].astype(np.float64)
    unseen[:, MONSTER] = 0
    unseen[hidden == 0] = 0
    found = np.full(decisions.action_mask.shape, np.nan)
    rows, others = np.nonzero(unseen)
    if len(rows):
        chances = policy.probabilities(_without_monster(game, decisions, rows, others))
        found[rows] = 0
        np.add.at(found, rows, unseen[rows, others][:, None] * chances)
        found /= np.maximum(unseen.sum(axis=1, keepdims=True), 1)
    return found


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


FORBID = ("away",)
"""Of a holder's plays those that observers expect rather of one without the Monster."""


def make_forbid(game: Game, name: str, observers: str | None, agent: Policy | None) -> Forbid:
    """See ``lens.forbidden_acts``."""
    model = _model_of(game, observers) or agent
    if model is None:
        raise ValueError(f"observers={observers}: must be a player's name or file here")

    def away(decisions: Decisions) -> np.ndarray:
        forbidden = np.zeros(decisions.action_mask.shape, np.bool_)
        views = decisions.view
        rows = np.flatnonzero((views["phase"] == PLAY) & (views["hand"][:, MONSTER] > 0))
        if len(rows) and observers != IGNORING:
            held, slipping = some_of(decisions, rows), Slipping(model)
            without = chances_without(game, slipping, held)
            forbidden[rows] = without > slipping.probabilities(held) + 1e-12
        return forbidden

    return away


def _model_of(game: Game, observers: str | None) -> Policy | None:
    """How observers take all to play; None: like the player itself, or they do not care."""
    return None if observers in (OWN, IGNORING) else load_agent(observers or DEFAULT, game)
