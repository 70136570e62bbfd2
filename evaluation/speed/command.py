"""``masked-monsters speed``: how fast the environments are, beside their peers, in one run."""

import argparse
import json
import math
from contextlib import ExitStack
from pathlib import Path

from masked_monsters.envs.errors import check_range
from masked_monsters.envs.registry import GAMES
from masked_monsters.evaluation.arguments import check_file
from masked_monsters.evaluation.report import console, progress_bar
from masked_monsters.evaluation.speed import report
from masked_monsters.evaluation.speed.compare import compare, ratios
from masked_monsters.evaluation.speed.measure import conditions, measure
from masked_monsters.evaluation.speed.plan import KINDS, OTHERS, TRAINING, plan

PICTURES = (".png", ".svg")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command is told."""
    parser.add_argument(
        "--game", nargs="+", choices=list(GAMES), default=list(GAMES), help="(default: every game)"
    )
    parser.add_argument(
        "--repeats", type=int, default=5, help="of every measurement (default: %(default)s)"
    )
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="a measurement, about (default: %(default)s)"
    )
    parser.add_argument(
        "--peers",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="measure other packages too (default: yes, those that are installed)",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--only", nargs="+", choices=KINDS, metavar="KIND", help=f"of {', '.join(KINDS)}"
    )
    what.add_argument(
        "--training",
        action="store_true",
        help="measure training instead, end to end, beside PettingZoo's tutorial",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write all as JSON there too")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help=f"draw a picture ({' or '.join(PICTURES)})"
    )
    parser.add_argument(
        "--compare",
        type=Path,
        metavar="FILE",
        help="written by --out: print how ratios have changed since, whatever they are",
    )


def run(args: argparse.Namespace) -> int:
    """Measure, print, write; whatever is found, the exit status is 0."""
    check_range("repeats", args.repeats, 1, 1000)
    if not (math.isfinite(args.seconds) and args.seconds > 0):
        raise ValueError(f"seconds={args.seconds}: must be a number above 0")
    if args.plot and args.plot.suffix not in PICTURES:
        raise ValueError(f"plot={args.plot}: must end in {' or '.join(PICTURES)}")
    for option in ("out", "plot"):
        path = getattr(args, option)
        check_file(option, path)
        if path:
            path.open("ab").close()  # now, not after all has been measured
    stored = report.read(args.compare) if args.compare else None
    wanted = TRAINING if args.training else args.only or KINDS
    kinds = [kind for kind in wanted if args.peers or kind not in OTHERS]
    with ExitStack() as stack, progress_bar("measurements") as progress:
        measurements, skipped = plan(args.game, kinds, stack)
        rows = measure(measurements, args.repeats, args.seconds, progress)
    circumstances = conditions(args.repeats, args.seconds)
    out = console()
    report.print_rows(out, rows)
    report.print_training_ratios(out, rows)
    out.print(report.conditions_text(circumstances, skipped), soft_wrap=True)
    if stored is not None:
        comparisons = compare(rows, stored)
        absent = len(ratios(stored)) - len(comparisons)
        report.print_comparisons(out, comparisons, absent)
    if args.out:
        content = report.as_json(circumstances, skipped, rows)
        args.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if args.plot:
        report.plot(rows, args.plot)
    return 0
