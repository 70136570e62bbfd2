"""A match of Under My Bed looked at afterwards: lies, wrong accusals, and exact beliefs."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from masked_monsters.envs.engine.phases import OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.under_my_bed.phrases import either
from masked_monsters.envs.under_my_bed.state import (
    ANSWER,
    FIRST_PLAYER_ACTION,
    FIRST_QUESTION,
    KID,
    WINDOW,
)
from masked_monsters.evaluation.beliefs import history_of
from masked_monsters.evaluation.beliefs.answering import Uniform, claims_of
from masked_monsters.evaluation.beliefs.slipping import SLIP, Slipping
from masked_monsters.evaluation.beliefs.under_my_bed import likelihoods, posterior
from masked_monsters.evaluation.replay import Step
from masked_monsters.evaluation.table.analysis import Analyst


def make_analyst(game: Game, seed: int, worlds: int) -> Analyst:
    """Nothing is sampled here."""
    return _BedAnalyst(game)


class _BedAnalyst(Analyst):
    method = (
        "Beliefs are exact: what follows from all claims and the observer's own card, if all answer as "
        f"the model uniform does, but for {SLIP:.0%} of anything legal."
    )

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._model = Slipping(Uniform())
        self._heard = (-1, False)
        self._beliefs: list[dict[str, Any] | None] = []

    def facts(self, states: np.ndarray) -> list[dict[str, Any]]:
        """Who is the kid, and which slot's monster is under the bed."""
        players = [f"player_{seat}" for seat in range(self.game.num_players)]
        return [
            {
                "name": "kid",
                "title": "who is the kid",
                "classes": players,
                "says": "{} is the kid",
            },
            {
                "name": "bed",
                "title": "what is under the bed",
                "classes": self.game.words.god_view(states[0])["lineup"],
                "says": "{} is under the bed",
            },
        ]

    def truth(self, states: np.ndarray) -> dict[str, int | None]:
        """Both stay what they are for the whole match."""
        return {"kid": int((states["role"][0] == KID).argmax()), "bed": int(states["under_bed"][0])}

    def beliefs(self, states: np.ndarray, decisions: int) -> list[dict[str, Any] | None]:
        """Only claims tell something, and what is shown at the end."""
        heard = int((states["claims"][0] > 0).sum()), bool(states["phase"][0] == OVER)
        if heard != self._heard:
            self._heard = heard
            self._beliefs = [self._belief(states, seat) for seat in range(self.game.num_players)]
        return self._beliefs

    def _belief(self, states: np.ndarray, observer: int) -> dict[str, Any]:
        history = history_of(self.game, states, 0, observer)
        found = posterior(likelihoods(self.game, observer, history, self._model, answers_only=True))
        is_kid = states["role"][0, observer] == KID
        return {
            "observer": observer,
            "facts": {"kid": None if is_kid else found.kid.tolist(), "bed": found.bed.tolist()},
            "effective_size": None,
        }

    def marks(self, act: Step) -> Iterator[dict[str, str]]:
        """Of a claim or an accusal."""
        state, action = act.before[0], act.event["action"]
        if state["phase"] == ANSWER and action < claims_of(state).stop:
            yield from self._marks_of_claim(act)
        elif state["phase"] == WINDOW and action < FIRST_QUESTION:
            yield from self._marks_of_accusal(state, action)

    def _marks_of_claim(self, act: Step) -> Iterator[dict[str, str]]:
        n, seat = self.game.num_players, act.event["seat"]
        if act.before["role"][0, seat] == KID:
            claim = self.game.words.god_view(act.after[0])["claims"][-1]
            yield {
                "kind": "false_claim",
                "text": f"player_{seat}, the kid, claims {claim['attribute']} "
                f"{either(claim['values'])}: it is no monster, so that is false.",
            }
        fitted, fits = (states["fits"][0, seat, :n].any() for states in (act.before, act.after))
        if fitted and not fits:
            yield {
                "kind": "contradiction",
                "text": f"No monster of the line-up fits all that player_{seat} has said any more.",
            }

    def _marks_of_accusal(self, state: Any, action: int) -> Iterator[dict[str, str]]:
        n, seat = self.game.num_players, int(state["to_move"])
        accused = (seat + action - FIRST_PLAYER_ACTION + 1) % n
        if state["role"][accused] != KID:
            kid = int((state["role"] == KID).argmax())
            yield {
                "kind": "wrong_accusal",
                "text": f"player_{seat} accuses player_{accused}, but player_{kid} is the kid.",
            }
