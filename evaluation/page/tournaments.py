"""Tournaments and cross-tables as sections."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from masked_monsters.evaluation.page import figures
from masked_monsters.evaluation.page.collect import Collected
from masked_monsters.evaluation.page.content import (
    NONE,
    Block,
    Figure,
    Heading,
    Section,
    Table,
    between,
    number,
    plus_minus,
)
from masked_monsters.evaluation.page.figures import GAIN, Spread
from masked_monsters.evaluation.page.records import (
    CrossTableFile,
    EvaluationRow,
    Interval,
    Record,
    RoleCrossTableFile,
    RoleRow,
    Tournament,
)

RATINGS = {
    "openskill": "OpenSkill (Bayesian, of all places at the table)",
    "bradley_terry": "Bradley-Terry (one fit of all results)",
    "alpha_rank": "Alpha-Rank (mass of the stationary distribution)",
}


@dataclass(frozen=True)
class Cross:
    """A cross-table of any kind."""

    title: str
    meaning: str
    rows: list[str]
    columns: list[str]
    cells: Sequence[Sequence[Interval | None]]
    middle: float
    """Where neither side is better."""
    signed: bool

    @property
    def colours(self) -> str:
        """What those of the heat map mean."""
        if self.signed:
            return "Blue is better for the row's agent, red worse."
        return "Blue is more than half, red less."


def tournaments(collected: Collected) -> list[tuple[str, Tournament]]:
    """Of all sources these, with their names."""
    return [
        (source.name, source.record)
        for source in collected.sources
        if isinstance(source.record, Tournament)
    ]


# ---------------------------------------------------------------- cross-tables


def cross_tables(collected: Collected) -> Section:
    """Each table as a heat map and in numbers."""
    blocks: list[Block] = []
    crosses = [
        cross for source in collected.sources for cross in _crosses(source.name, source.record)
    ]
    for position, cross in enumerate(crosses):
        blocks.append(Heading(cross.title))
        means = [[cell and cell.mean for cell in row] for row in cross.cells]
        blocks.append(
            Figure(
                f"cross-table-{position + 1}",
                f"{cross.title}: {cross.meaning} {cross.colours}",
                f"Heat map of {len(cross.rows)} by {len(cross.columns)} agents; the next table has "
                "all of its numbers.",
                figures.heat_map(cross.rows, cross.columns, means, "column's agent", cross.middle),
            )
        )
        rows = [
            (name, *(NONE if cell is None else plus_minus(cell, cross.signed) for cell in cells))
            for name, cells in zip(cross.rows, cross.cells, strict=True)
        ]
        caption = f"{cross.title}: {cross.meaning} Mean ± half a 95 % interval."
        blocks.append(Table(caption, ("row \\ column", *cross.columns), tuple(rows)))
    return Section("cross-tables", "Cross-tables", tuple(blocks))


def _crosses(name: str, record: Record) -> Iterable[Cross]:
    if isinstance(record, Tournament):
        names = [agent.name for agent in record.agents]
        pairs = zip(record.cross_table.mean, record.cross_table.half_width, strict=True)
        cells = [
            [
                None if mean is None or half is None else Interval(mean=mean, half_width=half)
                for mean, half in zip(means, halves, strict=True)
            ]
            for means, halves in pairs
        ]
        meaning = "row's reward a round less the column's, at the tables where both sit."
        yield Cross(f"Tournament {name}", meaning, names, names, cells, 0.0, True)
    if isinstance(record, CrossTableFile):
        meaning = "row's gain a round against copies of the column's agent."
        cells = [row.gain for row in record.evaluations]
        yield _all_pairs(f"Cross-table {name}", meaning, record.evaluations, cells, 0.0)
    if isinstance(record, RoleCrossTableFile):
        role = record.evaluations[0].role
        meaning = (
            f"part of the matches that the row's agent wins as the {role}, copies of the column's "
            "agent being all others."
        )
        cells = [row.win for row in record.evaluations]
        yield _all_pairs(f"Cross-table {name}", meaning, record.evaluations, cells, 0.5)


def _all_pairs(
    title: str,
    meaning: str,
    rows: Sequence[EvaluationRow] | Sequence[RoleRow],
    cells: Sequence[Interval],
    middle: float,
) -> Cross:
    size = math.isqrt(len(cells))
    names = [row.against for row in rows[:size]]
    square = [list(cells[start : start + size]) for start in range(0, size * size, size)]
    return Cross(title, meaning, names, names, square, middle, middle == 0)


# ---------------------------------------------------------------- tournaments


def standings(collected: Collected) -> Section:
    """What each agent scored in all of its matches."""
    blocks: list[Block] = []
    for name, record in tournaments(collected):
        scores = sorted(record.scores, key=lambda score: -score.gain.mean)
        rows = [
            (
                score.agent,
                plus_minus(score.gain, signed=True),
                plus_minus(score.win_share),
                f"{score.matches:,}",
                f"{score.rounds:,}",
            )
            for score in scores
        ]
        caption = (
            f"Tournament {name}, {record.game}: {record.matches:,} matches of {record.rounds:,} rounds "
            f"on {record.deals:,} deals. Mean ± half a 95 % interval; gain is the reward a round less "
            "the table's mean."
        )
        header = ("agent", "gain a round", "win share", "matches", "rounds")
        blocks.append(Table(caption, header, tuple(rows)))
    return Section("standings", "Standings", tuple(blocks))


def ratings(collected: Collected) -> Section:
    """A picture for each system, and a table for each tournament."""
    blocks: list[Block] = []
    for name, record in tournaments(collected):
        for system, rated in record.ratings.items():
            if not rated:  # alpha-Rank, if two agents have never met
                continue
            title = RATINGS.get(system, system)
            best_first = sorted(rated, key=lambda each: -each.rating)
            caption = f"Tournament {name}: {title}, with 95 % bootstrap intervals."
            blocks.append(
                Figure(
                    "rating",
                    caption,
                    "A row for each agent, best first: "
                    + figures.in_words(
                        (each.agent, each.rating, each.low, each.high) for each in best_first
                    ),
                    figures.spreads(
                        [
                            Spread(each.agent, system, each.rating, each.low, each.high)
                            for each in best_first
                        ],
                        f"rating, {system.replace('_', '-')}",
                    ),
                )
            )
        if record.ratings:
            blocks.append(_rating_table(name, record))
    return Section("ratings", "Ratings", tuple(blocks))


def _rating_table(name: str, record: Tournament) -> Table:
    texts = {
        system: {each.agent: between(each.rating, each.low, each.high) for each in rated}
        for system, rated in record.ratings.items()
    }
    rows = [
        (agent.name, *(rated.get(agent.name, NONE) for rated in texts.values()))
        for agent in record.agents
    ]
    header = ("agent", *(system.replace("_", "-") for system in texts))
    return Table(f"Tournament {name}: ratings with 95 % bootstrap intervals.", header, tuple(rows))


def by_role_and_seat(collected: Collected) -> Section:
    """How matches ended, and who does well where."""
    blocks: list[Block] = []
    for name, record in tournaments(collected):
        if record.outcomes:
            rows = [
                (each.outcome.replace("_", " "), plus_minus(each.part)) for each in record.outcomes
            ]
            caption = (
                f"Tournament {name}: how matches ended, in parts of all, ± half a 95 % interval."
            )
            blocks.append(Table(caption, ("outcome", "part"), tuple(rows)))
        if record.roles:
            points = [
                Spread(each.agent, each.role, each.win.mean, each.win.low, each.win.high)
                for each in record.roles
            ]
            caption = f"Tournament {name}: part of its matches in each role that an agent wins."
            blocks += _grouped(points, "roles", caption, "part won, with its 95 % interval", None)
        if record.seats:
            points = [
                Spread(
                    each.agent, f"seat {each.seat}", each.gain.mean, each.gain.low, each.gain.high
                )
                for each in record.seats
            ]
            caption = f"Tournament {name}: gain on each seat."
            blocks += _grouped(points, "seats", caption, GAIN, 0.0)
    return Section("roles-and-seats", "Outcomes, roles and seats", tuple(blocks))


def _grouped(
    points: Sequence[Spread], name: str, caption: str, label: str, zero: float | None
) -> list[Block]:
    """A picture of rows by groups, and the same as a table, a column for each group."""
    groups = list(dict.fromkeys(point.group for point in points))
    cells = {(point.row, point.group): point for point in points}
    rows = []
    for row in dict.fromkeys(point.row for point in points):
        mine = [cells.get((row, group)) for group in groups]
        rows.append((row, *(NONE if each is None else _spread(each, zero) for each in mine)))
    alt = (
        f"A row for each agent, a colour for each of {', '.join(groups)}; the next table has all of "
        "its numbers."
    )
    return [
        Figure(name, caption, alt, figures.spreads(points, label, zero)),
        Table(f"{caption} Mean ± half a 95 % interval.", ("agent", *groups), tuple(rows)),
    ]


def _spread(point: Spread, zero: float | None) -> str:
    half = Interval(mean=point.mean, half_width=max(0.0, (point.high - point.low) / 2))
    return plus_minus(half, signed=zero is not None)


def calibration(collected: Collected) -> Section:
    """Do the ratings' predictions come true?"""
    blocks: list[Block] = []
    for name, record in tournaments(collected):
        if not record.calibration:
            continue
        caption = (
            f"Tournament {name}: how often one agent finished above another, against how often "
            "the Bradley-Terry fit to other matches predicted it. On the dashed diagonal the two agree."
        )
        alt = "Predicted against observed: " + "; ".join(
            f"{number(each.predicted)}: {plus_minus(each.observed)}" for each in record.calibration
        )
        blocks.append(Figure("calibration", caption, alt, figures.calibration(record.calibration)))
        rows = [
            (number(each.predicted), plus_minus(each.observed), f"{each.pairs:,}")
            for each in record.calibration
        ]
        header = ("predicted (mean of the bin, exact)", "observed", "pairs")
        blocks.append(
            Table(f"Tournament {name}: the same in numbers.", header, tuple(rows), words=0)
        )
    return Section("calibration", "Calibration of the ratings", tuple(blocks))
