"""A match looked at afterwards: what players would do, what the others may believe, who was misled.

Each game whose players hide something has a module here, ``analysis_`` and its name, with a function
``make_analyst(game, seed, worlds)``. Of a game without one there are probabilities and values alone.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, reads_history
from masked_monsters.evaluation.agents import REFERENCE, agent_file, load_agent
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.decisions import decisions_at
from masked_monsters.evaluation.replay import Replay, Step, game_of, play_back
from masked_monsters.training.about import read_about

WORLDS = 2000
"""That a sampled belief is sampled from."""
MISLED = 0.1
"""By so much the others' mean belief in what is true must fall."""
ENOUGH = 30
"""Beliefs of a smaller effective size move as much by chance, and do not count in that mean."""


class Analyst:
    """What is said of a match of one game; this one, of a game without a module, says nothing.

    Attributes:
        method: how beliefs come about, as a sentence.
    """

    method = "No beliefs are known of this game."

    def __init__(self, game: Game) -> None:
        self.game = game

    def facts(self, states: np.ndarray) -> list[dict[str, Any]]:
        """What is hidden in the match of that state, see ``analyse``."""
        return []

    def truth(self, states: np.ndarray) -> dict[str, int | None]:
        """By fact the class that is true; None if there is none."""
        return {}

    def beliefs(self, states: np.ndarray, decisions: int) -> list[dict[str, Any] | None]:
        """Every seat's, see ``analyse``; after so many decisions."""
        return [None] * self.game.num_players

    def marks(self, act: Step) -> Iterator[dict[str, str]]:
        """What is worth a remark in an act, and in the chance events that follow it."""
        yield from ()


def analyse(
    replay: Replay, *, adviser: str | None = None, worlds: int = WORLDS
) -> Iterator[dict[str, Any]]:
    """A head, then each decision of a match in order, as plain values that JSON can hold.

    The head: ``players``; ``advisers``, whose probabilities are shown, by seat; ``values``, by seat what
    the adviser's values are of, None if it has none; ``facts``, ``[{"name", "title", "classes",
    "says"}]``, where ``says`` with a class put in for ``{}`` is a statement; ``method``, how beliefs
    come about.

    A decision:

    - ``decision``, from 0; ``event``, its number in the replay; ``seat``; ``action``.
    - ``probabilities``: ``[[action, sentence, p]]`` of all that is legal, the likeliest first.
    - ``value``: what the adviser expects the seat to be paid until the next cut, which in Monster My
      Neighbor is the round's end where VP are paid; None if that is not known.
    - ``truth``: ``{fact: class or None}``.
    - ``beliefs``: by seat ``{"observer", "facts", "effective_size"}``, or None if no worlds are found.
      ``facts`` is ``{name: [p by class]}``, None for what the observer itself is or holds;
      ``effective_size`` is None if nothing is sampled.
    - ``marks``: ``[{"kind", "text"}]``.

    Truth and beliefs are as after the decision and the chance events that follow it.

    Args:
        replay: the match.
        adviser: a player for ``load_agent``, on all seats; None: who sat there, if that is a scripted
            player, else the agent that is shipped, or the strongest scripted player without PyTorch.
        worlds: of each belief that is sampled.

    Raises:
        ReplayError: at the event that does not fit.
        ValueError: if there is no such adviser.
        ImportError: if what reads its file is not installed.
    """
    game = game_of(replay)
    advisers = _advisers(game, replay.players, adviser)
    analyst = _analyst(game, replay.seed, worlds)
    was: _Known | None = None
    facts: list[dict[str, Any]] = []
    for decision, (number, act) in enumerate(_acts(replay)):
        if was is None:
            facts = analyst.facts(act.before)
            yield {
                "players": list(replay.players),
                "advisers": [each.name for each in advisers],
                "values": [each.values for each in advisers],
                "facts": facts,
                "method": analyst.method,
            }
            was = _Known(analyst.truth(act.before), analyst.beliefs(act.before, 0))
        seat = act.event["seat"]
        now = _Known(analyst.truth(act.after), analyst.beliefs(act.after, decision + 1))
        yield {
            "decision": decision,
            "event": number,
            "seat": seat,
            "action": act.event["action"],
            **advisers[seat].advice(act.before),
            "truth": now.truth,
            "beliefs": now.beliefs,
            "marks": [*analyst.marks(act), *_misled(facts, act, was, now)],
        }
        was = now


def _acts(replay: Replay) -> Iterator[tuple[int, Step]]:
    """Every action with its number; what is after it is after the chance events that follow it."""
    begun: tuple[int, Step] | None = None
    for number, step in enumerate(play_back(replay)):
        if "action" in step.event:
            begun = number, step
        if begun is not None and step.after["phase"][0] != CHANCE:
            yield begun[0], begun[1]._replace(after=step.after)
            begun = None


def _analyst(game: Game, seed: int, worlds: int) -> Analyst:
    module = f"{__package__}.analysis_{game.name}"
    if find_spec(module) is None:
        return Analyst(game)
    return import_module(module).make_analyst(game, seed, worlds)


# ---------------------------------------------------------------- advice


class _Adviser:
    """A player that is asked what it would do."""

    def __init__(self, game: Game, spec: str) -> None:
        self._game = game
        self._policy = load_agent(spec, game)
        self._network = getattr(self._policy, "network", None)
        self.name = self._policy.name if spec.startswith(REFERENCE) else spec
        self.values: str | None = None
        if self._network is not None:
            about = read_about(agent_file(spec))
            if about["network"].get("critic", "shared") != "shared":
                self._network = None  # the critic is not in the file
            elif about["config"]["ppo"]["relative"]:
                self.values = "what the seat is still to be paid more than the table's mean"
            else:
                self.values = "what the seat is still to be paid"

    def advice(self, states: np.ndarray) -> dict[str, Any]:
        """``probabilities`` and ``value``, see ``analyse``."""
        decisions = decisions_at(self._game, states, reads_history(self._policy))
        chances = self._policy.probabilities(decisions)[0].tolist()
        legal = np.flatnonzero(decisions.action_mask[0]).tolist()
        return {
            "probabilities": [
                [action, self._game.words.action(states[0], action), chances[action]]
                for action in sorted(legal, key=lambda action: -chances[action])
            ],
            "value": self._value(decisions),
        }

    def _value(self, decisions: Decisions) -> float | None:
        if self._network is None:
            return None
        from masked_monsters.training.policy import infer

        seen = decisions.history if self._network.reads_history else decisions.observation
        assert seen is not None
        _, values = infer(self._network, seen, decisions.action_mask)
        return float(values[0])


def _advisers(game: Game, players: Sequence[str], adviser: str | None) -> list[_Adviser]:
    """By seat; each is loaded once. No name in a replay is taken for that of a file."""

    @cache
    def load(spec: str) -> _Adviser:
        return _Adviser(game, spec)

    @cache
    def best() -> _Adviser:
        try:
            return load(f"{REFERENCE}{game.name}")
        except (ImportError, ValueError):  # no PyTorch, or an agent for other options
            return load(baselines(game)[-1])

    if adviser is not None:
        return [load(adviser)] * len(players)
    return [load(player) if player in baselines(game) else best() for player in players]


# ---------------------------------------------------------------- who is misled


class _Known(NamedTuple):
    """Of one moment."""

    truth: dict[str, int | None]
    beliefs: list[dict[str, Any] | None]


def _misled(
    facts: list[dict[str, Any]], act: Step, was: _Known, now: _Known
) -> Iterator[dict[str, str]]:
    """By an act after which the others believe less, on average, in what is true as before."""
    seat = act.event["seat"]
    if act.before["round"][0] != act.after["round"][0]:
        return
    for fact in facts:
        name = fact["name"]
        truth = was.truth[name]
        if truth is None or now.truth[name] != truth:
            continue
        pairs = [
            (before["facts"][name][truth], after["facts"][name][truth])
            for observer, (before, after) in enumerate(zip(was.beliefs, now.beliefs, strict=True))
            if observer != seat and before and after
            if before["facts"][name] and after["facts"][name]
            if all((each["effective_size"] or ENOUGH) >= ENOUGH for each in (before, after))
        ]
        if not pairs:
            continue
        before, after = np.mean(pairs, axis=0)
        if before - after >= MISLED:
            statement = fact["says"].format(fact["classes"][truth])
            yield {
                "kind": "misled",
                "text": f"player_{seat} misleads the others: that {statement}, they believed with "
                f"{before:.0%} on average, now with {after:.0%}.",
            }
