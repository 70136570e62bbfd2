"""A match of Monster My Neighbor looked at afterwards: Hunters in vain, and sampled beliefs."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from masked_monsters.envs.engine.phases import OVER
from masked_monsters.envs.game import Game
from masked_monsters.envs.monster_my_neighbor.state import (
    FIRST_PLAYER_ACTION,
    GOOMIHO,
    HIDE,
    HUNTER,
    MONSTER,
    TARGET,
    WEREWOLF,
)
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.beliefs import NothingFitsError, history_of, resample
from masked_monsters.evaluation.beliefs.slipping import SLIP, Slipping
from masked_monsters.evaluation.replay import Step
from masked_monsters.evaluation.table.analysis import Analyst

OBSERVERS = "mastermind"
"""Like whom observers take all to play."""
TOO_FEW = 2
"""A belief of a smaller effective size is that of one world by chance; it is not shown."""


def make_analyst(game: Game, seed: int, worlds: int) -> Analyst:
    """``seed``: of the match, from which those of the samples are made."""
    return _NeighborAnalyst(game, seed, worlds)


class _NeighborAnalyst(Analyst):
    def __init__(self, game: Game, seed: int, worlds: int) -> None:
        super().__init__(game)
        self._seed = seed
        self._worlds = worlds
        self._model = Slipping(load_agent(OBSERVERS, game))
        self._lost: set[tuple[int, int]] = set()
        self.method = (
            f"Beliefs are sampled: {worlds:,} worlds for each, weighed by all that the observer has "
            f"seen, if all play like {OBSERVERS}, but for {SLIP:.0%} of anything legal; an observer "
            "for whom no more than one world is found has none until the round's end."
        )

    def facts(self, states: np.ndarray) -> list[dict[str, Any]]:
        """Who holds the Monster."""
        return [
            {
                "name": "monster",
                "title": "who holds the Monster",
                "classes": [f"player_{seat}" for seat in range(self.game.num_players)],
                "says": "{} holds the Monster",
            }
        ]

    def truth(self, states: np.ndarray) -> dict[str, int | None]:
        """Nobody holds it when the match is over."""
        return {"monster": None if states["phase"][0] == OVER else _holder(states[0])}

    def beliefs(self, states: np.ndarray, decisions: int) -> list[dict[str, Any] | None]:
        """None when the match is over; who holds the Monster knows.

        Who has seen what hardly any world fits is not sampled any more in that round: it would take
        ever more worlds, in vain.
        """
        seats, number = range(self.game.num_players), int(states["round"][0])
        found: list[dict[str, Any] | None] = [None for _ in seats]
        if states["phase"][0] == OVER:
            return found
        for seat in seats:
            if seat == _holder(states[0]):
                found[seat] = {"observer": seat, "facts": {"monster": None}, "effective_size": None}
            elif (number, seat) not in self._lost:
                found[seat] = self._belief(states, seat, decisions)
                if found[seat] is None:
                    self._lost.add((number, seat))
        return found

    def _belief(self, states: np.ndarray, observer: int, decisions: int) -> dict[str, Any] | None:
        seeds = np.random.SeedSequence(self._seed, spawn_key=(decisions, observer))
        try:
            worlds = resample(
                self.game,
                observer,
                history_of(self.game, states, 0, observer),
                profile=self._model,
                count=self._worlds,
                seed=int(seeds.generate_state(1, np.uint64)[0]),
            )
        except NothingFitsError:
            return None
        if worlds.effective_size < TOO_FEW:
            return None
        n = self.game.num_players
        holders = worlds.states["hands"][:, :n, MONSTER].argmax(axis=1)
        return {
            "observer": observer,
            "facts": {"monster": np.bincount(holders, worlds.weights, n).tolist()},
            "effective_size": worlds.effective_size,
        }

    def marks(self, act: Step) -> Iterator[dict[str, str]]:
        """Of a Hunter that catches nothing (M12)."""
        state = act.before[0]
        if state["phase"] != TARGET or state["resolving"] != HUNTER:
            return
        n, seat, holder = self.game.num_players, int(state["to_move"]), _holder(state)
        target = (seat + act.event["action"] - FIRST_PLAYER_ACTION + 1) % n
        protections = list(_protections(state, target))
        if target != holder:
            why = f"who does not hold the Monster: player_{holder} does"
        elif protections:
            why = f"who holds the Monster, but it is protected by {' and '.join(protections)}"
        else:
            return
        yield {"kind": "wasted_hunter", "text": f"player_{seat} hunts player_{target}, {why}."}


def _holder(state: Any) -> int:
    return int(state["hands"][:, MONSTER].argmax())


def _protections(state: Any, seat: int) -> Iterator[str]:
    """What of it ``cards.protected`` finds, in words."""
    if state["hands"][seat, HIDE] > 0:
        yield "a Hide (M13)"
    if state["monster"] == WEREWOLF and state["hand_sizes"][seat] == 1:
        yield "being the Werewolf and the only card (M22)"
    if state["monster"] == GOOMIHO and state["hunters_played"] == 1:
        yield "being the Goomiho, against the round's first Hunter (M23)"
