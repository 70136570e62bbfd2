"""Replays: one match as a list of events that anybody can play back and check.

Chance is explicit in it, so that playing it back needs no random numbers. What does not fit the
rules is refused, never played differently.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, get_origin, get_type_hints

import numpy as np

from masked_monsters.envs.batch import MAX_SEED
from masked_monsters.envs.engine.phases import CHANCE, OVER
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy, reads_history
from masked_monsters.envs.registry import GAMES, get_game

FORMAT = "masked-monsters replay"
FORMAT_VERSION = 1

Event = Mapping[str, int]
"""``{"chance": outcome}`` or ``{"action": action, "seat": who}``."""


class ReplayError(ValueError):
    """A replay that cannot be read, or that does not fit the rules."""


@dataclass(frozen=True)
class Replay:
    """One match. The fields are those of the file."""

    game: str
    game_version: int
    package_version: str
    options: dict[str, Any]
    """The game's, all of them."""
    seed: int
    """What the match was recorded from."""
    players: list[str]
    """Who played on each seat."""
    score: list[float]
    """Each seat's rewards, added up."""
    events: list[Event]
    """All that happened, in order."""


class Step(NamedTuple):
    """An event, and the states (arrays of one record) before and after it."""

    before: np.ndarray
    event: Event
    after: np.ndarray


# ---------------------------------------------------------------- recording


def record(
    game: Game,
    policies: Sequence[Policy],
    seed: int = 0,
) -> Replay:
    """Play a match, one policy a seat, and write down all that happens.

    It is the match of an environment reset with ``seed``. Each policy is reset with a seed of its
    own, made from this one.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """
    match = Match(game, seed)
    if len(policies) != game.num_players:
        raise ValueError(f"policies: must be {game.num_players}, one a seat, are {len(policies)}")
    reset_each(policies, seed)
    while match.phase != OVER:
        if match.phase == CHANCE:
            match.draw_chance()
        else:
            match.happen(match.ask(policies[match.to_move]))
    return match.replay([policy.name for policy in policies])


def reset_each(policies: Iterable[Policy | None], seed: int) -> None:
    """Reset every seat's policy with a seed of its own, made from the match's; None: there is none."""
    policies = list(policies)
    policy_seeds = np.random.SeedSequence(seed).generate_state(len(policies), np.uint64)
    for policy, policy_seed in zip(policies, policy_seeds, strict=True):
        if policy is not None:
            policy.reset(int(policy_seed))


class Match:
    """A match that is stepped event by event, chance included.

    It is the match of an environment reset with ``seed``; ``ValueError`` if that is no seed.

    Attributes:
        game: what is played.
        seed: of the match.
        states: ``(1,)`` record of ``game.state``, the position.
        score: ``(num_players,)`` float64, each seat's rewards so far.
        events: all that has happened, in order.
    """

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.seed = check_range("seed", seed, 0, MAX_SEED)
        self.states = game.new_states(1)
        self.states["stream"] = self.seed
        game.kernels.start_match(self.states, 0, False)
        self.score = np.zeros(game.num_players)
        self.events: list[Event] = []

    @property
    def phase(self) -> int:
        """``CHANCE``, ``OVER``, or one of the game's, in which a seat decides."""
        return int(self.states["phase"][0])

    @property
    def to_move(self) -> int:
        """The seat that decides; -1 if none does."""
        return int(self.states["to_move"][0])

    def decision(self, policy: Policy) -> Decisions:
        """What a policy on the seat to move decides on."""
        game = self.game
        view = np.zeros(1, game.view)
        observation = np.zeros(1, game.compact)
        game.kernels.observe(self.states, 0, self.to_move, view, observation, 0)
        return Decisions(
            view,
            observation.view(np.int8).reshape(1, -1),
            self._mask()[None],
            game.history(self.states, np.zeros(1, np.int64)) if reads_history(policy) else None,
        )

    def ask(self, policy: Policy) -> Event:
        """What a policy on the seat to move does; ``ValueError`` if that is illegal."""
        (action,) = policy.act(self.decision(policy))
        event = {"action": int(action), "seat": self.to_move}
        if fault := self.fault(event):
            raise ValueError(f"seat {self.to_move} ({policy.name}): {fault}")
        return event

    def fault(self, event: Event) -> str | None:
        """Why that cannot happen now, if it cannot."""
        if self.phase == OVER:
            return "the match is over"
        if self.phase == CHANCE:
            if "chance" not in event:
                return "chance decides here, not a seat"
            if event["chance"] not in self._outcomes():
                return f"chance={event['chance']} is impossible"
            return None
        if "action" not in event:
            return f"seat {self.to_move} decides here, not chance"
        if event["seat"] != self.to_move:
            return f"seat={event['seat']} does not decide here, seat {self.to_move} does"
        legal = self.legal()
        if event["action"] not in legal:
            return f"action={event['action']} is illegal; allowed: {legal}"
        return None

    def draw_chance(self) -> Event:
        """What is left to chance happens, by the match's own generator."""
        event = {"chance": int(self.game.kernels.draw_chance(self.states, 0))}
        self.happen(event)
        return event

    def happen(self, event: Event) -> None:
        """An event that has no ``fault``."""
        kernels = self.game.kernels
        if "chance" in event:
            kernels.resolve_chance(self.states, 0, event["chance"])
        else:
            kernels.step(self.states, 0, event["action"], False)
        if self.phase != CHANCE:  # so this is all that the last action has brought
            self.score += self.states["reward"][0, : self.game.num_players]
        self.events.append(event)

    def replay(self, players: list[str]) -> Replay:
        """The match so far, played by those of that name."""
        return Replay(
            game=self.game.name,
            game_version=self.game.version,
            package_version=version("masked-monsters"),
            options=dict(self.game.options),
            seed=self.seed,
            players=players,
            score=self.score.tolist(),
            events=list(self.events),
        )

    def legal(self) -> list[int]:
        """The actions that the seat to move may do."""
        return np.flatnonzero(self._mask()).tolist()

    def _mask(self) -> np.ndarray:
        mask = np.zeros(self.game.num_actions, np.int8)
        self.game.kernels.list_legal(self.states, 0, mask)
        return mask

    def _outcomes(self) -> np.ndarray:
        list_chance = self.game.kernels.list_chance
        codes, weights = np.zeros(0, np.int64), np.zeros(0)
        number = list_chance(self.states, 0, codes, weights)
        codes, weights = np.zeros(number, np.int64), np.zeros(number)
        list_chance(self.states, 0, codes, weights)
        return codes


# ---------------------------------------------------------------- playing back


def play_back(replay: Replay) -> Iterator[Step]:
    """Every event of a match, checked against the rules as it happens.

    Raises:
        ReplayError: saying what does not fit, and at which event (the first is 0).
    """
    match = Match(game_of(replay), replay.seed)
    for number, event in enumerate(replay.events):
        if fault := match.fault(event):
            raise ReplayError(f"event {number}: {fault}")
        before = match.states.copy()
        match.happen(event)
        yield Step(before, event, match.states.copy())
    if match.phase != OVER:
        raise ReplayError(f"event {len(replay.events)} is missing: the match is not over")
    if match.score.tolist() != replay.score:
        raise ReplayError(f"score={replay.score}: by the rules it is {match.score.tolist()}")


def game_of(replay: Replay) -> Game:
    """The game that was played, with its options; ``ReplayError`` if it is not played here."""
    if replay.game in GAMES and replay.game_version != GAMES[replay.game]:
        raise ReplayError(
            f"game_version={replay.game_version}: this is version {GAMES[replay.game]} of "
            f"{replay.game}; masked-monsters {replay.package_version} has recorded the match"
        )
    try:
        game = get_game(replay.game, **replay.options)
    except (ValueError, TypeError, AttributeError) as error:
        raise ReplayError(f"options: {error}") from error
    if missing := game.options.keys() - replay.options.keys():
        raise ReplayError(f"options: {', '.join(sorted(missing))} missing")
    if len(replay.players) != game.num_players:
        raise ReplayError(f"players: must be {game.num_players}, are {len(replay.players)}")
    return game


# ---------------------------------------------------------------- files


def save(replay: Replay, path: str | Path) -> None:
    """Write a JSON file, an event a line. A file of that name is replaced in one step."""
    path = Path(path).resolve()
    if path.exists() and not path.is_file():
        raise ValueError(f"{path}: is not a file that could be replaced")
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_text(as_text(replay), encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def as_text(replay: Replay) -> str:
    """The content of a file of ``save``."""
    head = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(replay)}
    events = ",\n".join(f"    {json.dumps(event)}" for event in head.pop("events"))
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    return "\n".join(["{", *lines, '  "events": [', events, "  ]", "}", ""])


def load(path: str | Path) -> Replay:
    """Read a file of ``save``; ``play_back`` checks the match in it.

    Raises:
        ReplayError: if it is no such file, saying why.
        OSError: if it cannot be read.
    """
    return read(Path(path).read_bytes(), path)


def read(text: bytes, path: str | Path) -> Replay:
    """The replay in a file's content; ``ReplayError`` as of ``load``, which names ``path``."""
    try:
        data = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"{path}: is not JSON: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ReplayError(f"{path}: is not a replay: it has no format={FORMAT!r}")
    if data.get("format_version") != FORMAT_VERSION:
        raise ReplayError(
            f"{path}: format_version={data.get('format_version')!r}: must be {FORMAT_VERSION}"
        )
    content = {key: data[key] for key in data.keys() - {"format", "format_version"}}
    if fault := _fault(content):
        raise ReplayError(f"{path}: {fault}")
    return Replay(**content)


def _fault(content: Mapping[str, Any]) -> str | None:
    """What of a file's shape is wrong, if anything is."""
    types = {key: get_origin(hint) or hint for key, hint in get_type_hints(Replay).items()}
    for key in sorted(types.keys() ^ content.keys()):
        return f"{key} is missing" if key in types else f"unknown key {key!r}"
    for key, expected in types.items():
        if type(content[key]) is not expected:
            return f"{key}: must be of type {expected.__name__}, is {content[key]!r}"
    if not 0 <= content["seed"] <= MAX_SEED:
        return f"seed={content['seed']}: must be an integer from 0 to {MAX_SEED}"
    for player in content["players"]:
        if type(player) is not str or not player.isprintable():
            return f"players: must be names, has {player!r}"
    for points in content["score"]:
        if type(points) not in (int, float):
            return f"score: must be numbers, has {points!r}"
    for number, event in enumerate(content["events"]):
        if not _is_event(event):
            return f"event {number}: must be a chance, or an action and a seat, is {event!r}"
    return None


def _is_event(event: Any) -> bool:
    return (
        isinstance(event, dict)
        and event.keys() in ({"chance"}, {"action", "seat"})
        and all(type(number) is int for number in event.values())
    )
