"""Leak audit: is anything told to a seat that hangs on what the seat cannot know?"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from masked_monsters.envs.adapters.aec import OBSERVATIONS
from masked_monsters.envs.batch import MAX_SEED
from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.audit.positions import random_positions
from masked_monsters.evaluation.audit.secrets import HIDDEN, Secret, add_public_past, secrets_of
from masked_monsters.evaluation.audit.told import Difference, Encoder, Told, Witness
from masked_monsters.evaluation.beliefs import NothingFitsError, history_of, resample
from masked_monsters.evaluation.match import Progress

OF_WORLDS = 8
"""So many are sampled for each that is compared: few of few that are sampled would be different."""


@dataclass(frozen=True)
class Leak:
    """An entry that is not the same in worlds that a seat cannot tell apart."""

    entry: str
    """Of what the package tells, or after a colon of what an encoder does."""
    pairs: int
    """Of worlds in which it was not the same."""
    phases: Mapping[str, int]
    """How many of those pairs in each phase."""
    seats: Mapping[int, int]
    """How many of those pairs for each seat."""
    example: tuple[str, str]
    """Its values in the first such pair."""
    secrets: tuple[str, ...]
    """Hidden facts that differed in every such pair; first those that seldom differed elsewhere."""


@dataclass(frozen=True)
class Audit:
    """What was compared, and what was found."""

    positions: Mapping[str, int]
    """How many in each phase."""
    pairs: int
    """Of the true world and another; each for one seat at one position."""
    differed: Mapping[str, int]
    """By hidden fact, the pairs in which it differed."""
    leaks: tuple[Leak, ...]
    """The most frequent first."""
    not_reproducible: tuple[str, ...]
    """Entries of encoders that are not the same when asked again; nothing can be said of them."""
    left_out: int
    """Seats at positions for which no other world was found."""

    @property
    def not_tried(self) -> tuple[str, ...]:
        """Hidden facts that never differed, so that nothing can be said of them."""
        return tuple(name for name, pairs in self.differed.items() if pairs == 0)

    @property
    def clean(self) -> bool:
        """Has all been compared, and nothing been found?"""
        return not (self.leaks or self.not_reproducible or self.not_tried)


def audit(
    game: Game,
    *,
    positions: int = 200,
    worlds: int = 4,
    seed: int = 0,
    encoders: Mapping[str, Encoder] | None = None,
    observation: str = "compact",
    progress: Progress | None = None,
) -> Audit:
    """Replace what seats cannot know, and compare all that they are told.

    At decisions of random matches every seat, deciding or not, is told of the true world and of others
    that it cannot tell from it by its history (``beliefs.resample``). Compared are both observations,
    masks, infos, rewards, flags, the information state, the view, its words, the public table, and whose
    turn it is where that is public; and what ``encoders`` return, with its shape, length and dtype.

    Args:
        game: what is audited; worlds are sampled from the registered game of its name and options.
        positions: how many.
        worlds: compared with the true one, for each seat at each position.
        seed: of all that is drawn; 0 … 2**64 - 1.
        encoders: by name, called with the raw environment, set to the position, and the agent's name.
        observation: of the environment that encoders are given.
        progress: called with the positions done and all of them.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
        RuntimeError: if an encoder fails, or a sampled world differs in what is public.
    """
    check_range("positions", positions, 1, 10**6)
    check_range("worlds", worlds, 1, 10**4)
    check_range("seed", seed, 0, MAX_SEED)
    check_choice("observation", observation, OBSERVATIONS)
    random = np.random.default_rng(seed)
    auditor = _Auditor(game, encoders or {}, observation)
    chosen = random_positions(game, positions, random)
    for done, states in enumerate(chosen):
        for seat in range(game.num_players):
            auditor.try_seat(states, seat, worlds, int(random.integers(2**63)))
        if progress is not None:
            progress(done + 1, positions)
    return auditor.found()


@dataclass
class _Finding:
    """Of one entry, over the pairs in which it was not the same."""

    example: tuple[str, str]
    secrets: set[str]
    phases: Counter[str] = field(default_factory=Counter)
    seats: Counter[int] = field(default_factory=Counter)


class _Auditor:
    def __init__(self, game: Game, encoders: Mapping[str, Encoder], observation: str) -> None:
        self.game = game
        # A changed `game` must not teach the sampler what it leaks.
        self.pristine = get_game(game.name, **game.options)
        self.witness = Witness(game)
        self.encoders = encoders
        self.observation = observation
        self.secrets: Sequence[Secret] = secrets_of(game)
        self.findings: dict[str, _Finding] = {}
        self.not_reproducible: set[str] = set()
        self.differed = Counter({secret.name: 0 for secret in self.secrets})
        self.positions: Counter[str] = Counter()
        self.pairs = 0
        self.left_out = 0

    def try_seat(self, states: np.ndarray, seat: int, count: int, seed: int) -> None:
        """Compare all that the seat is told with other worlds."""
        game = self.pristine
        god = game.words.god_view(states[0])
        if seat == 0:
            self.positions[god["phase"]] += 1
        history = history_of(game, states, 0, seat)
        try:
            sampled = resample(game, seat, history, count=OF_WORLDS * count, seed=seed).states
        except NothingFitsError:
            self.left_out += 1
            return
        worlds = sampled[np.linspace(0, len(sampled) - 1, count).astype(int)]
        add_public_past(game, states, worlds)
        told = self.witness.told(states, seat)
        for k in range(len(worlds)):
            world = worlds[k : k + 1]
            secrets = self._differing_secrets(god, game.words.god_view(world[0]))
            differences = self.witness.differences(told, self.witness.told(world, seat))
            for name, encoder in self.encoders.items():
                differences += self._differing_code(name, encoder, states, world, seat)
            self.pairs += 1
            self.differed.update(secrets)
            for difference in differences:
                self._note(difference, secrets, god["phase"], seat)

    def _differing_secrets(self, god: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
        for key in god.keys() - HIDDEN[self.game.name]:
            if god[key] != other[key]:
                raise RuntimeError(
                    f"{key}: is public, but {god[key]} and in a sampled world {other[key]}"
                )
        return [secret.name for secret in self.secrets if secret.of(god) != secret.of(other)]

    def _differing_code(
        self, name: str, encoder: Encoder, states: np.ndarray, world: np.ndarray, seat: int
    ) -> list[Difference]:
        """What an encoder makes of two worlds; not what it does not make of the same one again."""

        def code(where: np.ndarray) -> Told:
            try:
                return self.witness.encoded(encoder, self.observation, where, seat)
            except Exception as error:
                raise RuntimeError(f"encoder {name}: fails for player_{seat}") from error

        one, other = code(states), code(world)
        differences = self.witness.differences(one, other)
        unsteady: set[str] = set()
        if differences:
            # In an order in which neither noise nor a memory of earlier calls looks like a leak.
            for first, where in ((other, world), (one, states), (one, states), (other, world)):
                unsteady |= {found.entry for found in self.witness.differences(first, code(where))}
        self.not_reproducible |= {_of_encoder(name, entry) for entry in unsteady}
        return [
            found._replace(entry=_of_encoder(name, found.entry))
            for found in differences
            if found.entry not in unsteady
        ]

    def _note(self, difference: Difference, secrets: list[str], phase: str, seat: int) -> None:
        entry = difference.entry
        if entry not in self.findings:
            example = difference.one, difference.other
            self.findings[entry] = _Finding(example, set(secrets))
        finding = self.findings[entry]
        finding.secrets.intersection_update(secrets)
        finding.phases[phase] += 1
        finding.seats[seat] += 1

    def found(self) -> Audit:
        leaks = [
            self._leak(entry, finding)
            for entry, finding in self.findings.items()
            if entry not in self.not_reproducible
        ]
        return Audit(
            positions=dict(sorted(self.positions.items())),
            pairs=self.pairs,
            differed=dict(self.differed),
            leaks=tuple(sorted(leaks, key=lambda leak: -leak.pairs)),
            not_reproducible=tuple(sorted(self.not_reproducible)),
            left_out=self.left_out,
        )

    def _leak(self, entry: str, finding: _Finding) -> Leak:
        return Leak(
            entry=entry,
            pairs=finding.seats.total(),
            phases=dict(sorted(finding.phases.items())),
            seats=dict(sorted(finding.seats.items())),
            example=finding.example,
            secrets=tuple(sorted(finding.secrets, key=lambda name: self.differed[name])),
        )


def _of_encoder(name: str, entry: str) -> str:
    return f"{name}: {entry}" if entry else name
