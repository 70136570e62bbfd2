"""``masked-monsters play``: a match with people at it, in the browser or in the terminal."""

import argparse
import secrets
from pathlib import Path

from masked_monsters.envs.game import Game
from masked_monsters.evaluation import report
from masked_monsters.evaluation.arguments import add_game, add_server, check_file, game_of
from masked_monsters.evaluation.table.roster import PERSON, SHIPPED, agent_of, strongest
from masked_monsters.evaluation.table.table import check_pace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The sub-command's."""
    parser.add_argument(
        "seats",
        nargs="*",
        metavar="PLAYER",
        help=f"one a seat, from seat 0: {PERSON}, {SHIPPED}, or as for evaluate; "
        f"default: a {PERSON} among copies of {SHIPPED}",
    )
    add_game(parser)
    parser.add_argument("--seed", type=int, help="of the match (default: a new one each time)")
    parser.add_argument("--adviser", metavar="PLAYER", help="whom people may ask what it would do")
    parser.add_argument(
        "--agent",
        action="append",
        default=[],
        metavar="PLAYER",
        help="one that can be chosen on the page too, such as an agent file; can be repeated",
    )
    parser.add_argument("--terminal", action="store_true", help="play here, not in the browser")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="with --terminal: save the replay there"
    )
    add_server(parser)
    parser.add_argument(
        "--pace",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="before an act of an agent is shown (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Play."""
    game = game_of(args, **({"num_players": len(args.seats)} if args.seats else {}))
    players = args.seats or [PERSON, *[strongest(game)] * (game.num_players - 1)]
    if len(players) != game.num_players:
        raise ValueError(f"players: must be {game.num_players}, one a seat, are {len(players)}")
    check_pace(args.pace)
    if args.terminal:
        if args.agent:
            raise ValueError(
                f"agent={args.agent[0]}: is for the page; --terminal plays with who is named"
            )
        return _play_here(args, game, players)
    if args.out:
        raise ValueError(f"out={args.out}: is for --terminal; the page saves replays itself")
    from masked_monsters.evaluation.table import serve

    return serve.play(args, game, players)


def _play_here(args: argparse.Namespace, game: Game, players: list[str]) -> int:
    from masked_monsters.evaluation.table.terminal import play

    check_file("out", args.out)
    seed = secrets.randbits(53) if args.seed is None else args.seed
    seats = [None if name == PERSON else agent_of(name, game) for name in players]
    adviser = agent_of(args.adviser, game) if args.adviser else None
    play(game, seats, seed, adviser=adviser, out=args.out, console=report.console())
    return 0
