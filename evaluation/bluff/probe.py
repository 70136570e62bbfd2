"""Linear probes: how much of the hidden facts a network's last layer holds (Alain and Bengio 2017).

A multinomial logistic regression reads a fact off the activations from which the network chooses its
action. That it can shows that the information is there, linearly, not that the network uses it; hence
the same regression on the observation, and the classes' frequencies, for comparison (Hewitt and Liang
2019; Belinkov 2022). All is fitted to some games and measured on others.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy, act_for, decisions_of
from masked_monsters.evaluation.bluff.clustered import Interval, clustered_auroc, clustered_mean
from masked_monsters.evaluation.bluff.facts import facts_of
from masked_monsters.evaluation.bluff.watching import watch
from masked_monsters.evaluation.estimate import Estimate
from masked_monsters.evaluation.match import Progress
from masked_monsters.evaluation.workers import work

STRENGTHS = (10.0, 1.0, 0.1, 0.01, 0.001, 0.0001)
"""Of the L2 penalty, beside the mean loss in nats; what is best on held-out games is taken."""
HELD_OUT = 5
"""One in so many of the training games chooses the strength."""
MAX_ITERATIONS = 200
MIN_GAMES = 20


@dataclass(frozen=True)
class Reading:
    """How well a fact can be told from something, on the test games; intervals clustered by game."""

    accuracy: Estimate
    """The part of the decisions at which the likeliest class is the true one."""
    log_loss: Estimate
    """In bits."""
    gain: Estimate
    """So many bits less than the prior's log loss, on the same decisions."""
    auroc: Interval | None
    """Of each class against the rest, the mean; None if all decisions are of one class."""
    strength: float | None
    """Of the L2 penalty that was chosen; None for the prior."""


@dataclass(frozen=True)
class FactResult:
    """What can be told of one fact."""

    fact: str
    classes: int
    training_games: int
    """In which it counts."""
    training_decisions: int
    games: int
    """The same of the test games."""
    decisions: int
    hidden: Reading
    """From the network's activations."""
    observation: Reading
    """From the raw ``compact`` observation."""
    prior: Reading
    """From how frequent the classes are in the training games, each counted once more."""


@dataclass(frozen=True)
class ProbeResult:
    """What can be told of all facts of a game."""

    agent: str
    against: str
    facts: tuple[FactResult, ...]


def probe(
    game: Game,
    policy: Policy,
    others: Policy,
    *,
    games: int,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> ProbeResult:
    """Probe a network agent for the hidden facts of the game, at its own decisions.

    Args:
        game: one with facts, see ``facts.FACTS``.
        policy: the network; on seat ``i % n`` of game ``i``.
        others: who plays all other seats.
        games: 20 or more, each of a deal of its own: the first half to train on, the others to test.
        seed: 0 … 2**64 - 1.
        workers: processes; the result does not depend on it.
        progress: called as games are played.

    Raises:
        ValueError: naming the argument, its value and what is allowed; if the policy is no network, the
            game has no facts, or the games are too few for one of them.
    """
    facts = facts_of(game)
    check_range("games", games, MIN_GAMES, 2**31)
    _network_of(policy)
    parts = watch(
        game,
        policy,
        others,
        _Recorder,
        games=games,
        seed=seed,
        workers=workers,
        progress=progress,
    )
    steps = [step for part in parts for step in part]
    seen = _Seen(*map(np.concatenate, zip(*steps, strict=True)))
    jobs = []
    for number, (name, fact) in enumerate(facts.items()):
        rows = np.flatnonzero(seen.classes[:, number] >= 0)
        numbers, classes = seen.games[rows], seen.classes[rows, number]
        training = numbers < games // 2
        for part, where in (("train", training), ("test", ~training)):
            if (found := len(np.unique(numbers[where]))) < HELD_OUT:
                raise ValueError(f"games={games}: too few, {name!r} counts in {found} to {part} on")
        for features in (seen.hidden, seen.observation):
            jobs.append(
                Task(features[rows], classes, numbers, training, fact.classes(game.num_players))
            )
    readings = list(work(read, seed, jobs, workers))
    return ProbeResult(
        policy.name,
        others.name,
        tuple(
            _fact_result(name, task, hidden, observation, read_prior(task))
            for name, task, hidden, observation in zip(
                facts, jobs[::2], readings[::2], readings[1::2], strict=True
            )
        ),
    )


def _fact_result(name: str, task: "Task", *readings: Reading) -> FactResult:
    counts = []
    for part in (task.training, ~task.training):
        counts += [len(np.unique(task.games[part])), int(part.sum())]
    return FactResult(name, task.num_classes, *counts, *readings)


# ---------------------------------------------------------------- what is seen


def hidden(policy: Policy, decisions: Decisions) -> np.ndarray:
    """``(k, d)`` float32: the activations from which a network chooses its actions.

    With layers for each role, those of the other role are 0.

    Raises:
        ValueError: if the policy is no network.
    """
    import torch

    network = _network_of(policy)
    observation = decisions.history if network.reads_history else decisions.observation
    network.set_training_mode(False)
    with torch.inference_mode():
        seen = torch.as_tensor(observation, device=network.device)
        return network.features_extractor(seen).float().cpu().numpy()


def _network_of(policy: Policy) -> Any:
    network = getattr(policy, "network", None)
    if network is None:
        raise ValueError(f"agent={policy.name!r}: has no network to probe; must be a trained agent")
    return network


class _Seen(NamedTuple):
    """Of some decisions of the agent."""

    games: np.ndarray
    hidden: np.ndarray
    observation: np.ndarray
    classes: np.ndarray
    """``(k, facts)``: what is true."""


class _Recorder:
    """Watches the agent decide."""

    def __init__(self, game: Game, games: np.ndarray, random: np.random.Generator) -> None:
        self._facts = facts_of(game).values()
        self._games = games
        self.records: list[_Seen] = []

    def decide(
        self, policies: Sequence[Policy], decider: np.ndarray, batch: Batch, actions: np.ndarray
    ) -> None:
        lanes = np.flatnonzero(decider == 0)
        if len(lanes):
            decisions = decisions_of(policies[0], batch, lanes)
            states, seats = batch.states[lanes], batch.seat[lanes].astype(np.int64)
            self.records.append(
                _Seen(
                    self._games[lanes],
                    hidden(policies[0], decisions),
                    decisions.observation,
                    np.stack([fact.of(states, seats) for fact in self._facts], axis=1),
                )
            )
        act_for(enumerate(policies), decider, batch, actions)

    def stepped(self, batch: Batch, playing: np.ndarray) -> None:
        """Nothing that an action brings is of interest."""


# ---------------------------------------------------------------- what can be told from it


class Task(NamedTuple):
    """A class to be told from features, at ``k`` decisions."""

    features: np.ndarray
    """``(k, d)``."""
    classes: np.ndarray
    """``(k,)`` int64."""
    games: np.ndarray
    """``(k,)`` int64; both parts of every split consist of whole games."""
    training: np.ndarray
    """``(k,)`` bool; the others are only tested on."""
    num_classes: int

    def part(self, rows: np.ndarray, training: np.ndarray) -> "Task":
        """Some of the decisions, with another split."""
        return Task(
            self.features[rows], self.classes[rows], self.games[rows], training, self.num_classes
        )


def read(seed: int, task: Task) -> Reading:
    """Fit a probe to the training games, its strength chosen within them; measure it on the others."""
    numbers = np.unique(task.games[task.training])
    chooses = numbers[-max(1, len(numbers) // HELD_OUT) :]
    within = task.part(task.training, ~np.isin(task.games[task.training], chooses))
    truth = within.classes[~within.training]
    losses = [_bits(logs, truth).mean() for logs in _fit(within, STRENGTHS)]
    best = int(np.argmin(losses))
    *_, logs = _fit(task, STRENGTHS[: best + 1])
    return _measure(task, logs, STRENGTHS[best], seed)


def read_prior(task: Task) -> Reading:
    """What the classes' frequencies in the training games tell."""
    return _measure(task, _prior(task), None, 0)


def _prior(task: Task) -> np.ndarray:
    """Like ``_fit``; each class counts once more (Laplace), so that none has probability 0."""
    counts = np.bincount(task.classes[task.training], minlength=task.num_classes) + 1
    return np.tile(np.log(counts / counts.sum()), (int((~task.training).sum()), 1))


def _bits(logs: np.ndarray, truth: np.ndarray) -> np.ndarray:
    return -logs[np.arange(len(truth)), truth] / math.log(2)


def _measure(task: Task, logs: np.ndarray, strength: float | None, seed: int) -> Reading:
    """``logs``: ``(k, classes)`` log-probabilities for the test decisions."""
    test = ~task.training
    truth, games = task.classes[test], task.games[test]
    loss = _bits(logs, truth)
    truths = truth[:, None] == np.arange(task.num_classes)
    return Reading(
        accuracy=clustered_mean(logs.argmax(axis=1) == truth, games),
        log_loss=clustered_mean(loss, games),
        gain=clustered_mean(_bits(_prior(task), truth) - loss, games),
        auroc=clustered_auroc(logs, truths, games, seed=seed),
        strength=strength,
    )


def _fit(task: Task, strengths: Sequence[float]) -> list[np.ndarray]:
    """``(k, classes)`` log-probabilities for the test decisions, for each strength, strong ones first.

    Each fit begins where the one before has ended. All that is fitted, the features' mean and spread
    too, is fitted to the training games.
    """
    import torch

    mean = task.features[task.training].mean(axis=0, dtype=np.float64)
    spread = task.features[task.training].std(axis=0, dtype=np.float64)
    spread[spread < 1e-6] = np.inf  # what never changes there tells nothing

    def standard(rows: np.ndarray) -> torch.Tensor:
        return torch.as_tensor((task.features[rows] - mean) / spread)

    seen, test = standard(task.training), standard(~task.training)
    truth = torch.as_tensor(task.classes[task.training])
    weights = torch.zeros(
        (seen.shape[1], task.num_classes), dtype=torch.float64, requires_grad=True
    )
    bias = torch.zeros(task.num_classes, dtype=torch.float64, requires_grad=True)

    def loss_with(strength: float) -> Callable[[], torch.Tensor]:
        def loss() -> torch.Tensor:
            weights.grad = bias.grad = None
            logits = seen @ weights + bias
            total = torch.nn.functional.cross_entropy(logits, truth)
            total = total + strength / 2 * weights.square().sum()
            total.backward()
            return total

        return loss

    logs = []
    for strength in strengths:
        solver = torch.optim.LBFGS(
            [weights, bias], max_iter=MAX_ITERATIONS, line_search_fn="strong_wolfe"
        )
        solver.step(loss_with(strength))
        with torch.no_grad():
            logs.append((test @ weights + bias).log_softmax(dim=1).numpy())
    return logs
