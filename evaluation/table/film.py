"""A match of a replay as pictures: what every eye sees after each decision, and is told of it."""

from collections.abc import Iterator
from typing import Any

from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.game import Game
from masked_monsters.evaluation.replay import Replay, Step, game_of, play_back
from masked_monsters.evaluation.retell import sentence
from masked_monsters.evaluation.table.seen import PUBLIC, about, act_told, seen_by, told


def film(replay: Replay) -> dict[str, Any]:
    """All of a match, as plain values that JSON can hold.

    ``about`` (see ``seen.about``), ``players``, ``score``, and ``frames``: the first before any
    decision, then one after each, with the chance events that follow it. A frame:

    - ``eyes``: by seat, and last whoever watches, ``view`` and ``own`` as of ``seen_by``, ``news``, the
      sentences told to that eye since the last frame, and ``act``, ``{"seat", "action"}``; None if the
      eye did not see that anybody decided, the action is None if it did not see which.
    - ``table``: what is public, in words.
    - ``god``: everything there is, see ``Words.god_view``; ``news`` and ``act``: all that happened.

    Raises:
        ReplayError: at the event that does not fit.
    """
    return {
        "about": about(game_of(replay)),
        "players": list(replay.players),
        "score": list(replay.score),
        "frames": list(_frames(game_of(replay), replay)),
    }


def _frames(game: Game, replay: Replay) -> Iterator[dict[str, Any]]:
    steps: list[Step] = []
    for step in play_back(replay):
        steps.append(step)
        if step.after["phase"][0] != CHANCE:
            yield _frame(game, steps)
            steps = []


def _frame(game: Game, steps: list[Step]) -> dict[str, Any]:
    states = steps[-1].after
    act = steps[0] if "action" in steps[0].event else None
    return {
        "eyes": [_eye(game, steps, act, eye) for eye in (*range(game.num_players), PUBLIC)],
        "table": game.words.table(states[0]),
        "god": game.words.god_view(states[0]),
        "news": [sentence(game, step) for step in steps],
        "act": act and act.event,
    }


def _eye(game: Game, steps: list[Step], act: Step | None, eye: int) -> dict[str, Any]:
    seen = seen_by(game, steps[-1].after, eye)
    news = [told(game, step.before, step.event, eye) for step in steps]
    return {
        "view": seen["view"],
        "own": seen["own"],
        "news": [each for each in news if each],
        "act": act and act_told(game, act.before, act.event, eye),
    }
