"""``masked-monsters bluff``: what players do with what only they know, who believes it, what it pays."""

import argparse
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from masked_monsters.envs.batch import MAX_SEED
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.agents import agent_digest, agent_file, load_agent, names_agent_file
from masked_monsters.evaluation.arguments import add_deterministic, add_game, check_file, game_of
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.bluff import detection, tables
from masked_monsters.evaluation.bluff.lens import make_lens, ways_to_forbid
from masked_monsters.evaluation.bluff.lying import value_of_lying
from masked_monsters.evaluation.bluff.profile import (
    covers,
    deception,
    hedging,
    keep_ledger,
    over_time,
    summarize,
)
from masked_monsters.evaluation.report import console, plain_conditions, progress_bar
from masked_monsters.training.files import write_json

MONSTER_ROLE = 1
MIN_PROBE_GAMES = 200
CLOSE = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command is told."""
    parser.add_argument(
        "agents",
        nargs="+",
        metavar="PLAYER",
        help="whose bluffs: as for evaluate, also ismcts, pimc",
    )
    parser.add_argument(
        "--against",
        nargs="+",
        metavar="PLAYER",
        help="who plays the other seats (default: the strongest baseline)",
    )
    add_game(parser)
    parser.add_argument(
        "--matches", type=int, default=2000, help="of each pair, at least (default: %(default)s)"
    )
    parser.add_argument(
        "--close-matches",
        type=int,
        metavar="M",
        help=f"in which also what takes long is measured (default: {CLOSE}, or all if they are fewer)",
    )
    parser.add_argument(
        "--observers",
        metavar="MODEL",
        help="how observers take acts to be chosen: uniform, mimic, ignoring or a player in Under My "
        "Bed (default: uniform); a player, own or ignoring in Monster My Neighbor (default: mastermind)",
    )
    parser.add_argument(
        "--rollouts",
        type=int,
        default=16,
        help="plays to the end for what an act gains; 0: it is not measured (default: %(default)s)",
    )
    parser.add_argument(
        "--tune",
        type=int,
        default=0,
        metavar="DECISIONS",
        help="also train each network, kept from its bluffs, for so many decisions",
    )
    parser.add_argument(
        "--runs",
        type=Path,
        default=Path("runs"),
        metavar="FOLDER",
        help="for those trainings (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, help="(default: 0)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    add_deterministic(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all of it there too")


def run(args: argparse.Namespace) -> int:
    """Measure every player against every opponent; print tables, and write them."""
    game = game_of(args)
    check_range("matches", args.matches, 2, 2**31)
    if args.close_matches is None:
        args.close_matches = min(CLOSE, args.matches)
    check_range("close_matches", args.close_matches, 0, args.matches)
    check_range("rollouts", args.rollouts, 0, 10_000)
    check_range("tune", args.tune, 0, 2**31)
    if args.tune and args.observers:
        raise ValueError(
            f"tune={args.tune}: must be 0 with --observers; training has the default ones"
        )
    check_range("seed", args.seed, 0, MAX_SEED)
    check_range("workers", args.workers, 1, 1024)
    make_lens(game, 1, args.observers, 0)  # to refuse observers now
    check_file("json", args.json)
    specs = [*args.agents, *(args.against or [baselines(game)[-1]])]
    policies = {spec: load_agent(spec, game, deterministic=args.deterministic) for spec in specs}
    out = console()
    players = []
    for agent in args.agents:
        for against in specs[len(args.agents) :]:
            player = profile(args, game, policies, agent, against)
            out.print(tables.text(out, player))
            players.append(player)
    content = {
        "kind": "bluff",
        "command": args.command_line,
        **plain_conditions(game, args.seed),
        "deterministic": args.deterministic,
        "digests": {spec: agent_digest(spec) for spec in specs if names_agent_file(spec)},
        "players": players,
    }
    out.print(tables.conditions(out, content))
    if args.json:
        write_json(args.json, content)
    return 0


def profile(
    args: argparse.Namespace,
    game: Game,
    policies: Mapping[str, Policy],
    agent_spec: str,
    against_spec: str,
) -> dict[str, Any]:
    """All there is to say of one player against one opponent, as plain values."""
    agent, against = policies[agent_spec], policies[against_spec]
    common: dict[str, Any] = {"seed": args.seed, "workers": args.workers}
    with progress_bar(f"{agent.name} against {against.name}: the ledger") as progress:
        ledger = keep_ledger(
            game,
            agent,
            against,
            matches=args.matches,
            close_matches=args.close_matches,
            observers=args.observers,
            rollouts=args.rollouts,
            progress=progress,
            **common,
        )
    lying = []
    for forbidden in ways_to_forbid(game):
        tuned = _tuned(args, game, agent_spec, against_spec, forbidden)
        with progress_bar(f"{agent.name}: kept from {forbidden} acts") as progress:
            value = value_of_lying(
                game,
                agent,
                against,
                forbidden,
                matches=args.matches,
                observers=args.observers,
                tuned=tuned,
                progress=progress,
                **common,
            )
        lying.append(asdict(value))
    return {
        "agent": agent.name,
        "against": against.name,
        "observers": ledger.observers,
        "deals": ledger.deals,
        "close_deals": ledger.close_deals,
        "rollouts": args.rollouts,
        "ledger": [asdict(entry) for entry in summarize(ledger)],
        "deception": [asdict(row) for row in deception(ledger)],
        "over_time": [asdict(row) for row in over_time(ledger)],
        "covers": [asdict(row) for row in covers(ledger)],
        "hedging": [asdict(row) for row in hedging(ledger)],
        "lying": lying,
        "detection": _detection(args, game, agent, against),
        "probes": _probes(args, game, agent, against),
    }


def _tuned(
    args: argparse.Namespace, game: Game, agent: str, against: str, forbidden: str
) -> tuple[Policy, int] | None:
    """A network trained on from the agent, on one seat among copies of its opponent, under the mask."""
    if not args.tune or not names_agent_file(agent):
        return None
    from masked_monsters.evaluation.best_response import GENTLE, response_config
    from masked_monsters.training.checkpoint import check_agent
    from masked_monsters.training.train import train_on

    file = agent_file(agent)
    values = {
        "run.start_from": str(file),
        "run.candid": forbidden,
        "network": check_agent(file, game)["network"],
        "imitation.player": None,
        "ppo.learning_rate": GENTLE,
    }
    opponent = re.sub(r"[^\w.-]+", "-", against)
    name = f"candid-{file.stem}-{opponent}-{forbidden}-{args.tune}-{args.seed}"
    overrides = [f"{key}={json.dumps(value)}" for key, value in values.items()]
    config = response_config(
        against, game, None, args.tune, seed=args.seed, name=name, overrides=overrides
    )
    trained = train_on(config, args.runs / name)
    return load_agent(str(trained), game, deterministic=args.deterministic), args.tune


def _detection(
    args: argparse.Namespace, game: Game, agent: Policy, against: Policy
) -> dict[str, Any] | None:
    """How well the player, as a monster, knows the kid; None where nobody accuses."""
    if game.name != detection.GAME:
        return None
    with progress_bar(f"{agent.name}: accusals and votes") as progress:
        judged = detection.detect(
            game,
            agent,
            against,
            games=args.matches,
            seed=args.seed,
            workers=args.workers,
            progress=progress,
        )
    found = {
        name: detection.detected(judgements.of_role(MONSTER_ROLE), seed=args.seed)
        for name, judgements in judged._asdict().items()
    }
    return {name: asdict(each) if each else None for name, each in found.items()}


def _probes(
    args: argparse.Namespace, game: Game, agent: Policy, against: Policy
) -> dict[str, Any] | None:
    """What a linear probe reads off a network; None for other players, or of too few matches."""
    if not hasattr(agent, "network") or args.matches < MIN_PROBE_GAMES:
        return None
    from masked_monsters.evaluation.bluff.probe import probe

    with progress_bar(f"{agent.name}: games to probe it in") as progress:
        found = probe(
            game,
            agent,
            against,
            games=args.matches,
            seed=args.seed,
            workers=args.workers,
            progress=progress,
        )
    return asdict(found)
