"""``masked-monsters tournament``: who is better, by how much, and how sure that is."""

import argparse
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from masked_monsters.envs.batch import MAX_SEED
from masked_monsters.envs.errors import check_range
from masked_monsters.envs.game import Game
from masked_monsters.evaluation.agents import agent_digest, load_agent, names_agent_file
from masked_monsters.evaluation.arguments import add_deterministic, add_game, game_of
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.report import console, progress_bar, versions
from masked_monsters.evaluation.tournament import tables
from masked_monsters.evaluation.tournament.design import CHUNK, DESIGNS, Chunk, plan
from masked_monsters.evaluation.tournament.play import Entrant, Hall, key_of, play_chunk
from masked_monsters.evaluation.tournament.results import gather
from masked_monsters.evaluation.tournament.store import Store
from masked_monsters.evaluation.workers import work
from masked_monsters.training.files import write_json

STORE, FILE = "results.sqlite", "tournament.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command is told."""
    parser.add_argument(
        "agents",
        nargs="*",
        metavar="PLAYER",
        help="who: baselines, agent files, NAME=FILE to name one (default: every baseline)",
    )
    add_game(parser)
    parser.add_argument(
        "--matches", type=int, default=2000, help="of each agent, at least (default: %(default)s)"
    )
    parser.add_argument(
        "--design",
        choices=DESIGNS,
        default="all",
        help="play all line-ups, or a balanced sample of them (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, help="(default: 0)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")
    add_deterministic(parser)
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help=f"for {STORE} and {FILE}; matches that it holds are not played again",
    )


def run(args: argparse.Namespace) -> int:
    """Play what has not been played, print the tables, and write them."""
    game = game_of(args)
    check_range("matches", args.matches, 1, 2**31)
    check_range("seed", args.seed, 0, MAX_SEED)
    check_range("workers", args.workers, 1, 1024)
    entrants = enter(args.agents or baselines(game), game, args.deterministic)
    hall = Hall(game, {each.identity: each.policy for each in entrants}, args.seed)
    identities = sorted(hall.policies)
    chunks = plan(identities, game.num_players, args.matches, args.design)
    setting = hall.setting
    chunks.sort(key=lambda chunk: key_of(setting, chunk))
    args.out.mkdir(parents=True, exist_ok=True)
    with Store(args.out / STORE) as store:
        _play(hall, chunks, store, args.workers)
        results = gather(identities, chunks, (store.read(setting, each) for each in chunks))
    found = tables.tournament(game, entrants, results)
    content = {
        "kind": "tournament",
        "game": game.name,
        "options": dict(game.options),
        "seed": args.seed,
        "deterministic": args.deterministic,
        "design": args.design,
        "versions": versions(),
        "command": args.command_line,
        **found,
    }
    write_json(args.out / FILE, content)
    tables.print_tournament(console(), content)
    return 0


def enter(specs: Sequence[str], game: Game, deterministic: bool) -> list[Entrant]:
    """The agents, two at least, with names and identities that are all different.

    Raises:
        ValueError: naming an agent that there is not, or a name that is empty, not printable (as a line
            break) or given twice.
    """
    if len(specs) < 2:
        raise ValueError(f"agents={', '.join(specs)}: must be two or more")
    names: Counter[str] = Counter()
    identities: Counter[str] = Counter()
    entrants = []
    for spec in specs:
        given, equals, rest = spec.partition("=")
        named = bool(equals) and not names_agent_file(spec)
        if named and not given.strip():
            raise ValueError(f"agent={spec!r}: must have a name before the =")
        policy = load_agent(rest if named else spec, game, deterministic=deterministic)
        what = _identity(rest if named else spec, deterministic)
        name = given if named else policy.name
        if not name.isprintable():
            raise ValueError(f"agent={spec!r}: must have a name that can be printed, not {name!r}")
        names[name] += 1
        identities[what] += 1
        entrants.append(
            Entrant(_numbered(name, names[name]), _numbered(what, identities[what]), policy)
        )
    twice = [name for name, count in Counter(each.name for each in entrants).items() if count > 1]
    if twice:
        raise ValueError(f"agents: the name {twice[0]!r} is given twice")
    return entrants


def _numbered(text: str, which: int) -> str:
    return text if which == 1 else f"{text} ({which})"


def _identity(spec: str, deterministic: bool) -> str:
    """What decides what the agent does: a baseline's name, or its file and what reads it."""
    if not names_agent_file(spec):
        return spec
    how = "likeliest" if deterministic else "drawn"
    return f"sha256 {agent_digest(spec)}, {how}, torch {version('torch')}"


def _play(hall: Hall, chunks: Sequence[Chunk], store: Store, workers: int) -> None:
    """All that is not in the store; each chunk is kept as soon as it has been played."""
    known, setting = store.keys(), hall.setting
    left = [chunk for chunk in chunks if key_of(setting, chunk) not in known]
    matches = CHUNK * hall.game.num_players
    with progress_bar("matches") as progress:
        done = len(chunks) - len(left)
        for chunk, found in zip(left, work(play_chunk, hall, left, workers), strict=True):
            store.add(setting, chunk, found)
            done += 1
            progress(done * matches, len(chunks) * matches)
