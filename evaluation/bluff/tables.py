"""Bluff profiles as tables on a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from masked_monsters.evaluation.report import plain_table, plus_minus

LEDGER = {
    "challenged": "challenged",
    "believed": "believed",
    "truth": "truth",
    "shift": "shift, bits",
    "leaked": "told, bits",
    "other": "others would",
    "gain": "gain",
    "paid": "paid",
}
"""The measures of ``profile.MEASURES`` and how columns are called."""
SIGNED = {"shift", "leaked", "gain", "paid"}
"""Those that may be below 0."""
Player = Mapping[str, Any]


def text(out: Console, player: Player) -> Group:
    """All of one player against one opponent."""
    return Group(
        Text(f"\n{player['agent']} among copies of {player['against']}"),
        Text(f"Observers: {player['observers']}."),
        ledger(out, player),
        *(Text(line) for line in sentences(out, player)),
    )


def ledger(out: Console, player: Player) -> Table:
    """A row for each role and kind of act; measures that were taken of none have no column."""
    entries = player["ledger"]
    named = [
        (key, name)
        for key, name in LEDGER.items()
        if any(entry["measures"][key] for entry in entries)
    ]
    table = plain_table("as", "act", "acts", "share", *(name for _, name in named))
    for entry in entries:
        table.add_row(
            Text(entry["role"]),
            Text(entry["kind"]),
            f"{entry['acts']:,}",
            interval(out, entry["share"]),
            *(interval(out, entry["measures"][key], key in SIGNED) for key, _ in named),
        )
    return table


def sentences(out: Console, player: Player) -> Iterator[str]:
    """What the other measures come to, one by one."""

    def say(estimate: Mapping[str, float] | None, signed: bool = False) -> str:
        return interval(out, estimate, signed)

    for row in player["deception"]:
        yield (
            f"As {row['role']}, {say(row['away'])} of {row['acts']:,} acts move observers away from the "
            f"truth ({row['truth']}); on average by {say(row['shift'], True)} bits. Those acts gain "
            f"{say(row['gain_away'], True)}, the others {say(row['gain_not_away'], True)}."
        )
    for row in player["hedging"]:
        yield f"As {row['role']}, hedges {say(row['hedged'])} of what can be hedged."
    for row in player["covers"]:
        if row["role"] == player["ledger"][0]["role"]:
            yield (
                f"As {row['role']}, {say(row['consistent'])} of its claims number {row['number']} fit "
                "all that it has said."
            )
    for value in player["lying"]:
        for kept in value["kept"][1:]:
            tuned = (
                f"Trained for {kept['tuned']:,} decisions under that: k" if kept["tuned"] else "K"
            )
            yield (
                f"{tuned}ept from {kept['share']:.0%} of its {value['forbidden']!r} acts (done "
                f"{say(value['kept'][0]['rate'])} of the time, now {say(kept['rate'])}), it loses "
                f"{say(kept['value'], True)} a round."
            )
    for name, found in (player["detection"] or {}).items():
        if found and found["auroc"]:
            area = found["auroc"]
            yield (
                f"Its {name} tell the kid with an area under the curve of {area['mean']:.3f} "
                f"({area['low']:.3f} to {area['high']:.3f}), {found['count']:,} of them."
            )
    for fact in (player["probes"] or {"facts": ()})["facts"]:
        yield (
            f"A linear probe tells {fact['fact']!r} from its last layer in "
            f"{say(fact['hidden']['accuracy'])} of its decisions, from the observation in "
            f"{say(fact['observation']['accuracy'])}; the most frequent class is right in "
            f"{say(fact['prior']['accuracy'])}."
        )


def interval(out: Console, estimate: Mapping[str, float] | None, signed: bool = False) -> str:
    """Mean and half of the interval."""
    if estimate is None:
        return "-"
    mean = round(estimate["mean"], 3) + 0.0  # never "-0.000"
    return f"{mean:{'+' if signed else ''}.3f} {plus_minus(out)} {estimate['half_width']:.3f}"


def conditions(out: Console, content: Mapping[str, Any]) -> Text:
    """What the numbers are, and what they depend on."""
    first = content["players"][0]
    options = ", ".join(f"{key}={value}" for key, value in content["options"].items())
    return Text(
        f"\nMean {plus_minus(out)} 95 % confidence interval, clustered by deal: {first['deals']:,} "
        "deals, each played with the player once on each seat; gains, and in Monster My Neighbor "
        f"beliefs, in the first {first['close_deals']:,}.\n"
        f"{content['game']} v{content['game_version']}: {options}, seed={content['seed']}\n"
        + ", ".join(f"{name} {number}" for name, number in content["versions"].items())
    )
