"""``masked-monsters exploit``: a trained best response to an agent, and what it gains.

All other seats are played by frozen copies of the agent. What the response gets more than the agent
itself is a lower bound on what the best of all strategies would (Timbers et al. 2022).
"""

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.agents import agent_file, load_agent
from masked_monsters.evaluation.arguments import add_game, game_of
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.estimate import Estimate, estimate
from masked_monsters.evaluation.lanes import Played
from masked_monsters.evaluation.match import Progress, play_pairs
from masked_monsters.evaluation.report import console, plus_minus, progress_bar, versions
from masked_monsters.training.checkpoint import check_agent
from masked_monsters.training.config import Config, config_file, read_config
from masked_monsters.training.files import write_json
from masked_monsters.training.train import CONFIG, check_same_run, train_on

FILE = "best_response.json"
DECIDED = {
    "game": "--game",
    "options": "--players and --option",
    "opponents": "AGENT and --role",
    "run.name": "--out",
    "run.seed": "--seed",
    "run.decisions": "--decisions",
}
"""Keys of the configuration, and the arguments that decide them."""
WATCHED = 0.5
"""Of a scripted agent's decisions, part of the budget and in addition to it, before training."""
GENTLE = 0.001
"""The learning rate with which a trained agent's response begins; more would spoil what it begins as."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command is told."""
    parser.add_argument("agent", help="a baseline's name, an agent file, or reference:GAME")
    parser.add_argument(
        "overrides",
        nargs="*",
        metavar="KEY=VALUE",
        help="of the game's configuration, as for train",
    )
    add_game(parser)
    parser.add_argument(
        "--role",
        help="whose all seats respond together (default: one seat does, whatever its role)",
    )
    parser.add_argument(
        "--decisions",
        type=int,
        default=5_000_000,
        help="to train on, of all seats together (default: %(default)s)",
    )
    parser.add_argument(
        "--matches",
        type=int,
        default=8000,
        help="to measure the response in, at least (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, help="(default: 0)")
    parser.add_argument(
        "--workers", type=int, default=1, help="processes that measure (default: 1)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help=f"of the training run, and for {FILE}; what was begun in it goes on",
    )


def run(args: argparse.Namespace) -> int:
    """Train, measure and write what has not been; print what was found."""
    game = game_of(args)
    deals = deals_of(game, check_range("matches", args.matches, 2, 2**31), args.role)
    check_range("workers", args.workers, 1, 1024)
    config = response_config(
        args.agent, game, args.role, args.decisions, args.seed, args.out.name, args.overrides
    )
    if args.out.exists() and not (args.out / CONFIG).exists():
        raise ValueError(f"out={args.out}: exists, and is not the folder of a run")
    out = console()
    if (args.out / FILE).exists():
        check_same_run(config, args.out)
        text = _found(args.out / FILE, deals, plus_minus(out))
    else:
        response = load_agent(str(train_on(config, args.out)), game, deterministic=True)
        with progress_bar("matches") as progress:
            measured = measure(
                game,
                response,
                load_agent(args.agent, game),
                role=args.role,
                deals=deals,
                seed=args.seed,
                workers=args.workers,
                progress=progress,
            )
        content = _content(args, game, config, measured)
        write_json(args.out / FILE, content)
        text = in_words(content, plus_minus(out))
    out.print(text, soft_wrap=True)
    return 0


# ---------------------------------------------------------------- training


def response_config(
    agent: str,
    game: Game,
    role: str | None = None,
    decisions: int = 5_000_000,
    seed: int = 0,
    name: str = "best_response",
    overrides: Sequence[str] = (),
) -> Config:
    """How a best response is trained, from the game's own configuration.

    A network begins as the agent that it responds to; against a scripted agent it first watches that
    one. Either way it begins near to no gain.

    Args:
        agent: a baseline's name, an agent file's path, or ``reference:`` and the game's name.
        game: what is played.
        role: all seats that have it are the learner's; None: one seat is, whatever its role.
        decisions: to train on, of all seats together.
        seed: 0 … 2**32 - 1, of the training.
        name: of the run.
        overrides: ``key=value`` of other keys.

    Raises:
        ValueError: in one line, naming the argument or key, its value and what is allowed.
    """
    for override in overrides:
        for key, argument in DECIDED.items():
            if f"{override.partition('=')[0]}.".startswith(f"{key}."):
                raise ValueError(f"{override}: is decided by {argument}")
    opponents: dict[str, Any] = {"names": [agent], "share": 1, "by_seat": True}
    if role is not None:
        names = game.roles.names if game.roles else ()
        check_choice("role", role, names)
        share = {name: float(name != role) for name in names}
        opponents = {"names": [agent], "share": share}
    begin: dict[str, Any] = {"imitation.player": None}
    if agent in baselines(game):
        watched = max(1, int(WATCHED * decisions))
        begin = {"imitation.player": agent, "imitation.decisions": watched}
    elif (file := agent_file(agent)).is_file():
        begin |= {
            "run.start_from": str(file),
            "network": check_agent(file, game)["network"],
            "ppo.learning_rate": GENTLE,
        }
    values = {
        "options": dict(game.options),
        "opponents": opponents,
        "run.name": name,
        "run.seed": seed,
        "run.decisions": decisions,
        "magnet.coef": 0.0,
        "ppo.relative": False,  # what the game pays is measured
        "evaluation.against": [],
        **begin,
    }
    ours = [f"{key}={json.dumps(value)}" for key, value in values.items()]
    return read_config(config_file(game.name), [*ours, *overrides])


# ---------------------------------------------------------------- measuring


@dataclass(frozen=True)
class Measured:
    """A response beside the agent that it responds to, in what the game pays a round."""

    response: Estimate
    """What the response gets among copies of the agent."""
    agent: Estimate
    """What the agent itself gets there, on the same deals; the mean over all seats in question."""
    improvement: Estimate
    """The difference, deal by deal."""
    deals: int
    matches: int
    """Of the response; the agent played as many."""
    rounds: int
    """Of a match, the most."""


def deals_of(game: Game, matches: int, role: str | None) -> int:
    """By seat a deal is played once on each; by role, once. Two are needed for an interval."""
    return matches if role is not None else max(2, math.ceil(matches / game.num_players))


def measure(
    game: Game,
    response: Policy,
    agent: Policy,
    *,
    role: str | None = None,
    deals: int,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> Measured:
    """What ``response`` gets among copies of ``agent``, beside what ``agent`` gets on the same deals.

    The deals are others than those of a training or an evaluation with the same seed.

    Args:
        game: the game, with its options.
        response: on one seat, on each in turn; or on all seats of the role.
        agent: on all other seats.
        role: one that the game deals, or None.
        deals: how many, two or more.
        seed: 0 … 2**64 - 1.
        workers: processes; the result does not depend on it.
        progress: called as matches are played.

    Raises:
        ValueError: naming the argument, its value and what is allowed.
    """
    check_range("deals", deals, 2, 2**31)
    number = None
    pair = 0, 1
    if role is not None:
        names = game.roles.names if game.roles else ()
        number = check_choice("role", role, names)
        pair = (0, 1) if number == 0 else (1, 0)  # the first policy has the first role
    by_pair = play_pairs(
        game,
        (response, agent),
        [pair, (1, 1)],
        deals=deals,
        by_role=role is not None,
        seed=fresh_seed(seed),
        workers=workers,
        progress=progress,
    )
    if number is None:  # all seats are the agent's where it sits among its copies: all tell of it
        counted = [_own_seat(by_pair[0]), np.ones_like(by_pair[1].score, bool)]
    else:
        counted = [played.roles.role == number for played in by_pair if played.roles]
    theirs, own = (
        _by_deal(played, seats, deals) for played, seats in zip(by_pair, counted, strict=True)
    )
    return Measured(
        response=estimate(theirs),
        agent=estimate(own),
        improvement=estimate(theirs - own),
        deals=deals,
        matches=len(by_pair[0].rounds),
        rounds=int(by_pair[0].rounds.max()),
    )


def fresh_seed(seed: int) -> int:
    """Of deals that are used for nothing but to measure a best response."""
    sequence = np.random.SeedSequence([seed, int.from_bytes(b"best response")])
    return int(sequence.generate_state(1, np.uint64)[0])


def _own_seat(played: Played) -> np.ndarray:
    """``(matches, players)`` bool: where the first policy sits, once on each seat of a deal."""
    matches, players = played.score.shape
    return np.arange(players) == np.arange(matches)[:, None] % players


def _by_deal(played: Played, counted: np.ndarray, deals: int) -> np.ndarray:
    """``(deals,)``: the mean reward a round of the seats that count, in the matches of a deal."""
    score = np.where(counted, played.score / played.rounds[:, None], 0)
    total, count = (values.reshape(deals, -1).sum(axis=1) for values in (score, counted))
    return total / count


# ---------------------------------------------------------------- what was found


def lower_bound(improvement: Estimate) -> float:
    """What a best response gains, at least, in 97.5 % of cases: the interval's lower end.

    At least 0, since the best of all strategies cannot do worse than the agent's own.
    """
    return max(0.0, improvement.low)


def _content(
    args: argparse.Namespace, game: Game, config: Config, measured: Measured
) -> dict[str, Any]:
    """Of the file."""

    def interval(of: Estimate) -> dict[str, float]:
        return {"mean": of.mean, "half_width": of.half_width}

    return {
        "kind": "best_response",
        "game": game.name,
        "options": dict(game.options),
        "seed": args.seed,
        "versions": versions(),
        "command": args.command_line,
        "agent": args.agent,
        "role": args.role,
        "decisions": args.decisions,
        "watched": config.imitation.decisions if config.imitation.player else 0,
        "matches": measured.matches,
        "deals": measured.deals,
        "rounds": measured.rounds,
        "response_score": interval(measured.response),
        "agent_score": interval(measured.agent),
        "improvement": interval(measured.improvement),
        "lower_bound": lower_bound(measured.improvement),
    }


def _found(file: Path, deals: int, plus_minus: str) -> str:
    """What an earlier call has written, in words; ``ValueError`` if it is spoiled, or of other deals."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        measured, text = content["deals"], in_words(content, plus_minus)
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{file}: is not what masked-monsters exploit has written") from None
    if measured != deals:
        raise ValueError(f"{file.parent}: was measured on {measured} deals, not {deals}")
    return text


def in_words(content: dict[str, Any], plus_minus: str = "±") -> str:
    """The content of ``best_response.json`` in a few lines; a bound is rounded down."""

    def interval(key: str) -> str:
        mean = round(content[key]["mean"], 3) + 0.0  # never "-0.000"
        return f"{mean:+.3f} {plus_minus} {content[key]['half_width']:.3f}"

    def bound(value: float) -> str:
        return f"{math.floor(round(value * 1000, 6)) / 1000:.3f}"

    unit = "a round" if content["rounds"] > 1 else "a match"
    role, least = content["role"], content["lower_bound"]
    seats = "one seat" if role is None else f"all seats of the role {role}"
    watched = f" and {content['watched']:,} watched" if content["watched"] else ""
    lines = [
        f"The trained best response to {content['agent']}, on {seats}, gains {interval('improvement')} "
        f"{unit}, after {content['decisions']:,} decisions{watched}.",
        f"There it gets {interval('response_score')}, the agent itself {interval('agent_score')} "
        f"({content['matches']:,} matches each, on {content['deals']:,} deals).",
        f"Lower bound of what a best response can gain: {bound(least)} {unit} "
        + ("(97.5 % confidence)" if least else "(which holds always: nothing was found)")
        + "; a better learner may gain more.",
    ]
    if role is None:
        players = content["options"]["num_players"]
        lines.append(
            f"Lower bound of NashConv, the sum over the {players} seats: {bound(players * least)}."
        )
    return "\n".join(lines)
