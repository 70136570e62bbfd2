"""Bluffing in Under My Bed: claims, and what they make the others believe.

An *exact* claim names the speaker's own value alone, a *hedged* one others too, a *false* one does not
contain it. The kid has no values: all that it claims is false (B8). Observers believe what follows by
Bayes' rule from all claims and their own card, if answers are given as an *answering model* says;
beliefs are exact (``beliefs/under_my_bed.py``).
"""

from functools import partial
from math import comb
from typing import Any

import numpy as np

from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy
from masked_monsters.envs.under_my_bed.reading import count_bits
from masked_monsters.envs.under_my_bed.state import (
    ANSWER,
    FIRST_QUESTION,
    KID,
    MAX_CLAIM,
    PHASES,
    WINDOW,
)
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.beliefs.answering import ANSWERING, claims_of, ignores_claims
from masked_monsters.evaluation.beliefs.slipping import SLIP, Slipping
from masked_monsters.evaluation.beliefs.under_my_bed import Posterior, posterior
from masked_monsters.evaluation.bluff.lens import Acts, Forbid
from masked_monsters.evaluation.decisions import decisions_at

KINDS = ("exact", "hedged", "false")
EXACT, HEDGED, FALSE = range(3)
IS_KID, IS_MONSTER = range(2)


def make_lens(game: Game, lanes: int, observers: str | None, seed: int) -> "AnswerLens":
    """``observers``: an answering model (``ANSWERING``), or a player's name or file, as one."""
    name = observers or next(iter(ANSWERING))
    model = ANSWERING[name]() if name in ANSWERING else load_agent(name, game)
    return AnswerLens(game, lanes, model)


class AnswerLens:
    """See ``lens.Lens``."""

    roles = ("kid", "monster")
    kinds = KINDS
    phases = PHASES
    truth = ("who is the kid, to the monsters", "what is under the bed, to the kid")

    def __init__(self, game: Game, lanes: int, model: Policy) -> None:
        n = game.num_players
        self._game = game
        self._model = Slipping(model)
        self._heard = np.ones((lanes, n, n + 1))
        self._ignores = ignores_claims(model)
        self.observers = "beliefs do not move"
        if not self._ignores:
            self.observers = (
                f"all answer as {model.name} does, but for {SLIP:.0%} of anything legal"
            )
        self._claims = claims_of(game.record[0])

    def measure(self, acts: Acts) -> dict[str, np.ndarray]:
        """Of the claims among them."""
        size = len(acts.lanes)
        found = {name: np.full(size, np.nan) for name in ("believed", "truth", "shift", "leaked")}
        found |= {
            name: np.full(size, -1)
            for name in ("kind", "role", "time", "consistent", "open", "hedged")
        }
        for i in np.flatnonzero(self._is_claim(acts.states, acts.actions)):
            state = acts.states[i]
            claim = int(acts.actions[i]) - self._claims.start + 1
            for name, value in self._measure_claim(int(acts.lanes[i]), state, claim).items():
                found[name][i] = value
        return found

    def _measure_claim(self, lane: int, state: Any, claim: int) -> dict[str, float]:
        n = self._game.num_players
        seat, roles = int(state["to_move"]), state["role"][:n].astype(int)
        is_kid = roles[seat] == KID
        attribute = int(state["about"][state["questions"][state["num_asked"] - 1], 0])
        looks = state["looks"][:n, attribute].astype(int)
        fits = (claim >> looks) & 1
        before = self._heard[lane]
        after = before.copy()
        after[seat] *= self._likelihoods(np.array([state], self._game.state))[0, :, claim - 1]
        believed, shifts, truths = [], [], []
        for observer in range(n):
            if observer != seat:
                was = self._belief(before, observer, roles)
                now = self._belief(after, observer, roles)
                believed.append(now.holds[seat] @ fits)
                if is_kid or roles[observer] == KID:  # B3: the kid is sure who the kid is
                    fact = ("kid", seat) if is_kid else ("bed", int(state["under_bed"]))
                    p, q = (getattr(each, fact[0])[fact[1]] for each in (was, now))
                    shifts.append(np.log2(q / p))
                    truths.append(q)
        return {
            "role": IS_KID if is_kid else IS_MONSTER,
            "kind": FALSE if is_kid else EXACT if count_bits(claim) == 1 else HEDGED,
            "time": int(state["num_asked"]),
            "consistent": int((state["fits"][seat, :n] & fits).any()),
            "open": int(state["about"][state["questions"][state["num_asked"] - 1], 1] < 0),
            "hedged": int(count_bits(claim) > 1),
            "believed": float(np.mean(believed)),
            "shift": float(np.mean(shifts)),
            "truth": float(np.mean(truths)),
            "leaked": self._told(before, after, seat, n if is_kid else roles[seat]),
        }

    def _belief(self, heard: np.ndarray, observer: int, roles: np.ndarray) -> Posterior:
        """What a seat believes, who knows its own card."""
        n = self._game.num_players
        own = np.zeros(n + 1)
        own[n if roles[observer] == KID else roles[observer]] = 1
        heard = heard.copy()
        heard[observer] = own
        return posterior(heard)

    def _told(self, before: np.ndarray, after: np.ndarray, seat: int, card: int) -> float:
        """Bits about the speaker's own card, to one who has none."""
        p, q = (_chance_of(posterior(heard), seat, card) for heard in (before, after))
        return float(np.log2(q / p))

    def _likelihoods(self, states: np.ndarray) -> np.ndarray:
        """``(k, n + 1, claims)``: of each claim, by the card that the speaker may have."""
        n = self._game.num_players
        if self._ignores:
            return np.ones((len(states), n + 1, MAX_CLAIM))
        worlds = np.repeat(states, n + 1)
        cards = np.tile([*range(n), KID], len(states))
        worlds["role"][np.arange(len(worlds)), worlds["to_move"]] = cards
        decisions = decisions_at(self._game, worlds, self._model.reads_history)
        claims = self._model.probabilities(decisions)[:, self._claims]
        return (claims / claims.sum(axis=1, keepdims=True)).reshape(len(states), n + 1, -1)

    def _is_claim(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        return (states["phase"] == ANSWER) & (actions < self._claims.stop)

    def hear(self, lanes: np.ndarray, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Believe the claims; accusals are challenges."""
        said = np.flatnonzero(self._is_claim(states, actions))
        if len(said):
            claims = actions[said] - self._claims.start
            likely = self._likelihoods(states[said])[np.arange(len(said)), :, claims]
            self._heard[lanes[said], states["to_move"][said]] *= likely
        accuses = (states["phase"] == WINDOW) & (actions < FIRST_QUESTION)
        accused = (states["to_move"] + actions + 1) % self._game.num_players
        return np.where(accuses, accused, -1)


def _chance_of(belief: Posterior, seat: int, card: int) -> float:
    slots = belief.holds[seat]
    return float(belief.kid[seat] if card == len(slots) else slots[card])


# ---------------------------------------------------------------- what a candid player is kept from


FORBID = ("false", "away")
"""All claims of the kid; or those after which one without a card, who takes all to answer as the model
``uniform`` does, would think the speaker's own card less likely."""


def make_forbid(game: Game, name: str, observers: str | None, agent: Policy | None) -> Forbid:
    """See ``lens.forbidden_acts``."""
    return partial(_false_claims if name == "false" else _claims_away, game)


def _false_claims(game: Game, decisions: Decisions) -> np.ndarray:
    forbidden = np.zeros(decisions.action_mask.shape, np.bool_)
    views = decisions.view
    lies = (views["phase"] == ANSWER) & (views["role"] == KID)
    forbidden[lies, claims_of(game.record[0])] = True
    return forbidden


def _claims_away(game: Game, decisions: Decisions) -> np.ndarray:
    forbidden = np.zeros(decisions.action_mask.shape, np.bool_)
    views, claims = decisions.view, claims_of(game.record[0])
    for row in np.flatnonzero(views["phase"] == ANSWER):
        view = views[row]
        n, role = int(view["num_players"]), int(view["role"])
        card = n if role == KID else role
        heard = _heard_by(view)
        before = _chance_of(posterior(heard), 0, card)
        asked = int(view["questions"][view["num_asked"] - 1])
        for claim in range(1, MAX_CLAIM + 1):
            action = claims.start + claim - 1
            if decisions.action_mask[row, action]:
                after = heard.copy()
                after[0] *= _uniform_likelihood(view, asked, claim)
                forbidden[row, action] = _chance_of(posterior(after), 0, card) < before - 1e-12
    return forbidden


def _heard_by(view: Any) -> np.ndarray:
    """``(n, n + 1)``: how likely each seat's claims are, had it each card."""
    n = int(view["num_players"])
    heard = np.ones((n, n + 1))
    for i in range(view["num_asked"]):
        if view["claims"][i]:
            said = _uniform_likelihood(view, int(view["questions"][i]), int(view["claims"][i]))
            heard[view["answerers"][i]] *= said
    return heard


def _uniform_likelihood(view: Any, question: int, claim: int) -> np.ndarray:
    """``(n + 1,)``: of a claim by its speaker's card, all that it may claim being alike (B7, B8)."""
    n, (attribute, value) = int(view["num_players"]), view["about"][question].astype(int)
    size = int(view["num_values"][attribute])
    fits = (claim >> view["looks"][:n, attribute].astype(int)) & 1
    if value >= 0:  # yes or no
        return np.append(fits, 1 / 2)
    most = (size + 1) // 2 if view["hedging"] else 1
    true = sum(comb(size - 1, named - 1) for named in range(1, most + 1))
    return np.append(fits / true, 1 / sum(comb(size, named) for named in range(1, most + 1)))
