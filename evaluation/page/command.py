"""``masked-monsters report``: what was trained and measured, as one page."""

import argparse
import shlex
from pathlib import Path

from masked_monsters.evaluation.arguments import check_file
from masked_monsters.evaluation.page import bluffing, learning, measured, provenance, tournaments
from masked_monsters.evaluation.page.collect import Collected, collect
from masked_monsters.evaluation.page.content import Page, make_page
from masked_monsters.evaluation.page.render import write_html, write_markdown

OUT = Path("report.html")
TITLE = "Masked Monsters: what was trained and measured"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command is told."""
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="a training run's folder, a tournament's, a best response's, a JSON file of "
        "measurements, or a folder of such",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help=f"the page (default: {OUT}, unless --markdown)"
    )
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="as Markdown, with figures in FILE_figures"
    )
    parser.add_argument("--title", default=TITLE, metavar="T", help="(default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Read, then write; what was written is printed."""
    out: Path | None = args.out or (None if args.markdown else OUT)
    for option, path, suffixes in (
        ("out", out, (".html", ".htm")),
        ("markdown", args.markdown, (".md", ".markdown")),
    ):
        if path is None:
            continue
        if path.suffix not in suffixes:
            raise ValueError(f"{option}={path}: must end in {' or '.join(suffixes)}")
        check_file(option, path)
    page = page_of(collect(args.paths), args.title, _command(args))
    for write, path in ((write_html, out), (write_markdown, args.markdown)):
        if path is not None:
            write(page, path)
            print(path)
    return 0


def page_of(collected: Collected, title: str, command: str) -> Page:
    """All there is to say; sections without data are left out."""
    return make_page(
        title,
        [
            provenance.summary(collected),
            tournaments.standings(collected),
            tournaments.cross_tables(collected),
            tournaments.ratings(collected),
            tournaments.by_role_and_seat(collected),
            tournaments.calibration(collected),
            measured.exploitability(collected),
            measured.evaluations(collected),
            bluffing.bluffing(collected),
            learning.learning(collected),
            learning.configurations(collected),
            provenance.provenance(collected),
            provenance.commands(collected, command),
        ],
    )


def _command(args: argparse.Namespace) -> str:
    """What makes this page, spelt the same way whatever the order of its options."""
    words = ["masked-monsters", "report", *map(str, args.paths)]
    for option in ("out", "markdown"):
        if (path := getattr(args, option)) is not None:
            words += [f"--{option}", str(path)]
    if args.title != TITLE:
        words += ["--title", args.title]
    return shlex.join(words)
