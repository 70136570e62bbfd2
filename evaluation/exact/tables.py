"""What ``masked-monsters solve`` has found, as text."""

from collections.abc import Iterator, Sequence
from typing import Any

from masked_monsters.envs.reduced import REDUCED

Row = dict[str, Any]
"""What is known of one policy in one game, as ``rows.Solver`` finds it."""
ROUNDING = 1e-12
"""Of sums of payments of about 1."""


def policy(row: Row) -> str:
    """Its name, and a seed that is not the usual one."""
    return f"{row['policy']}, seed {row['seed']}" if row["seed"] else row["policy"]


def value(row: Row) -> str:
    """What each seat is paid."""
    return " ".join(map(_signed, row["value"]))


def _signed(number: float) -> str:
    return f"{round(number, 4) + 0.0:+.4f}"  # never -0.0000


def nash_conv(total: float) -> str:
    """In as many digits as say something; what is not 0 only by rounding is 0."""
    return "0" if total < ROUNDING else f"{total:.2e}" if total < 1e-3 else f"{total:.4f}"


def kid(row: Row) -> str:
    """What the kid gets, and the most that it could."""
    return f"{_signed(row['kid'])}, best {_signed(row['kid_best'])}"


def monsters(row: Row) -> str:
    """What a monster gets, and the most that they could together."""
    best, bound = row["monsters_best"], row["monsters_bound"]
    if bound is None:
        most = f"best at least {_signed(best)}"
    elif bound == best:
        most = f"best {_signed(best)}"
    else:
        most = f"best {_signed(best)} to {_signed(bound)}"
    return f"{_signed(row['monsters'])}, {most}"


def line(row: Row) -> str:
    """For a terminal."""
    total = nash_conv(row["nash_conv"])
    text = f"{row['game']:10}  {policy(row):24}  NashConv {total:>8}  pays {value(row)}"
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
    games = [name for name in REDUCED if any(row["game"] == name for row in rows)]
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
        cells = [policy(row), nash_conv(row["nash_conv"]), value(row)]
        if sides:
            cells += [kid(row), monsters(row)]
        yield f"| {' | '.join(cells)} |"
