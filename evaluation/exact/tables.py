"""What ``masked-monsters solve`` has found, as text."""

from collections.abc import Iterator, Sequence
from typing import Any

from masked_monsters.envs.reduced import REDUCED

Row = dict[str, Any]


def value(row: Row) -> str:
    """What each seat is paid."""
    return " ".join(f"{each:+.4f}" for each in row["value"])


def nash_conv(row: Row) -> str:
    """In as many digits as say something."""
    return f"{row['nash_conv']:.2e}" if row["nash_conv"] < 1e-3 else f"{row['nash_conv']:.4f}"


def kid(row: Row) -> str:
    """What the kid gets, and the most that it could."""
    return f"{row['kid']:+.4f}, best {row['kid_best']:+.4f}"


def monsters(row: Row) -> str:
    """What a monster gets, and the most that they could together."""
    best, bound = row["monsters_best"], row["monsters_bound"]
    if bound is None:
        most = f"best at least {best:+.4f}"
    elif bound == best:
        most = f"best {best:+.4f}"
    else:
        most = f"best {best:+.4f} to {bound:+.4f}"
    return f"{row['monsters']:+.4f}, {most}"


def line(row: Row) -> str:
    """For a terminal."""
    text = f"{row['game']:10}  {row['policy']:24}  NashConv {nash_conv(row):>8}  pays {value(row)}"
    if "kid" in row:
        text += f"  kid {kid(row)}  monsters {monsters(row)}"
    return text


def page(rows: Sequence[Row]) -> str:
    """The docs page of figures, in Markdown."""
    return "\n".join(_page(rows))


def _page(rows: Sequence[Row]) -> Iterator[str]:
    yield "<!-- written by docs/make_pages.py -->"
    yield "# The reduced games in figures"
    yield ""
    yield "Exact, but for what is called a bound. [What it is, and how it was found](reduced_games.md)."
    yield ""
    yield "| game | histories | terminal | information states |"
    yield "| --- | --- | --- | --- |"
    games = list(dict.fromkeys(row["game"] for row in rows))
    for name in games:
        row = next(row for row in rows if row["game"] == name)
        yield (
            f"| {name} | {row['histories']:,} | {row['terminal_histories']:,} | "
            f"{row['information_states']:,} |"
        )
    for name in games:
        yield from _table(name, [row for row in rows if row["game"] == name])


def _table(name: str, rows: Sequence[Row]) -> Iterator[str]:
    sides = "kid" in rows[0]
    yield from ("", f"## {name}", "")
    yield f"`{REDUCED[name][0]}`, " + ", ".join(
        f"`{key}={option}`" for key, option in REDUCED[name][1].items()
    )
    yield ""
    yield "| policy | NashConv | pays the seats |" + (" kid | each monster |" if sides else "")
    yield "| --- | --- | --- |" + (" --- | --- |" if sides else "")
    for row in rows:
        cells = [row["policy"], nash_conv(row), value(row)]
        if sides:
            cells += [kid(row), monsters(row)]
        yield f"| {' | '.join(cells)} |"
