"""A replay as text: for everybody at the table, from one seat's eyes, or with all its secrets."""

from collections.abc import Iterator

import numpy as np

from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.evaluation.replay import Replay, Step, game_of, play_back


def retell(replay: Replay, *, seat: int | None = None, god: bool = False) -> Iterator[str]:
    """The match in lines of text, while it is checked against the rules.

    The table is shown when a round begins and when the match is over.

    Args:
        replay: the match.
        seat: what this seat sees, with its own cards at each of its decisions; None: only what
            everybody sees.
        god: everything there is, each event with its number in the file.

    Raises:
        ValueError: if there is no such seat.
        ReplayError: at the event that does not fit.
    """
    if seat is not None:
        check_range("seat", seat, 0, len(replay.players) - 1)
    yield from _headline(replay)
    game = game_of(replay)
    round_begins = True
    for number, step in enumerate(play_back(replay)):
        decision = step.before["phase"][0] != CHANCE
        if decision and round_begins:
            yield from ("", *_table(game, step.before, seat, god))
            round_begins = False
        elif seat is not None and decision and step.before["to_move"][0] == seat:
            yield from _seat(game, step.before, seat)
        if god:
            yield f"{number:6}  {sentence(game, step)}"
        elif seen := _seen(game, step, seat):
            yield f"  {seen}"
        round_begins |= bool(step.after["round"][0] > step.before["round"][0])
        if step.after["phase"][0] == OVER:
            yield from ("", *_table(game, step.after, seat, god))


def _headline(replay: Replay) -> Iterator[str]:
    options = ", ".join(f"{key}={value}" for key, value in replay.options.items())
    yield f"{replay.game}, version {replay.game_version}: {options}; seed {replay.seed}"
    for seat, player in enumerate(replay.players):
        yield f"  player_{seat}: {player}"


def _table(game: Game, states: np.ndarray, seat: int | None, god: bool) -> Iterator[str]:
    """What everybody sees, and what the reader sees beyond it."""
    yield from game.words.table(states[0]).splitlines()
    if god:
        for key, value in game.words.god_view(states[0]).items():
            yield f"  {key}: {value}"
    elif seat is not None:
        yield from _seat(game, states, seat)


def _seat(game: Game, states: np.ndarray, seat: int) -> Iterator[str]:
    view, observation = np.zeros(1, game.view), np.zeros(1, game.compact)
    game.kernels.observe(states, 0, seat, view, observation, 0)
    yield from (f"  {line}" for line in game.words.seat(view[0]).splitlines())


def sentence(game: Game, step: Step) -> str:
    """An event, with all that is hidden in it."""
    if "chance" in step.event:
        return game.words.outcome(step.before[0], step.event["chance"])
    return game.words.action(step.before[0], step.event["action"])


def _seen(game: Game, step: Step, seat: int | None) -> str | None:
    """The event as a seat sees it (None: everybody); nothing if it does not."""
    if "chance" in step.event:
        return game.words.outcome_seen(step.before[0], step.event["chance"], seat)
    return game.words.action_seen(step.before[0], step.event["action"], seat)
