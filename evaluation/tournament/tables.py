"""A tournament's tables: as plain values for its file, and on a terminal."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from masked_monsters.envs.game import Game
from masked_monsters.evaluation.estimate import Estimate, estimate
from masked_monsters.evaluation.report import plain_table, plus_minus
from masked_monsters.evaluation.tournament import ratings, results
from masked_monsters.evaluation.tournament.play import Entrant
from masked_monsters.evaluation.tournament.results import Results, mean_where

EDGES = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.01)
"""Of the calibration's bins."""
RATINGS = {
    "openskill": ratings.openskill,
    "bradley_terry": ratings.bradley_terry,
    "alpha_rank": ratings.alpha_rank,
}


def tournament(game: Game, entrants: Sequence[Entrant], played: Results) -> dict[str, Any]:
    """All tables, agents in the order of ``entrants``; in ``played`` they are in that of identities."""
    count = len(entrants)
    order = np.argsort(np.argsort([each.identity for each in entrants]))
    names = [each.name for each in entrants]
    gains = results.gains(played)
    mean_gains = results.by_agent(played, gains, count)
    shares = results.by_agent(played, played.win_share, count)
    cross = results.cross_table(played, count)
    rated = {name: rate(played, count) for name, rate in RATINGS.items()}
    return {
        "agents": [{"name": each.name, "digest": each.identity} for each in entrants],
        "matches": int(played.rounds.size),
        "rounds": int(played.rounds.sum()),
        "deals": len(played.agent),
        "decisions": played.decisions,
        "scores": [
            {
                "agent": name,
                "gain": _interval(mean_gains[number]),
                "win_share": _interval(shares[number]),
                **_amounts(played, number),
            }
            for name, number in zip(names, order, strict=True)
        ],
        "cross_table": {
            part: [[getattr(cross[row][column], part, None) for column in order] for row in order]
            for part in ("mean", "half_width")
        },
        "seats": [
            {"agent": name, "seat": seat, "gain": _interval(_at_seat(played, gains, number, seat))}
            for name, number in zip(names, order, strict=True)
            for seat in range(game.num_players)
        ],
        "roles": _roles(game, names, order, played),
        "outcomes": _outcomes(game, played),
        "ratings": {
            kind: [
                {"agent": name, **found[number]._asdict()}
                for name, number in zip(names, order, strict=True)
                if found
            ]
            for kind, found in rated.items()
        },
        "calibration": [
            {"predicted": each.predicted, "observed": _interval(each.observed), "pairs": each.pairs}
            for each in ratings.calibration(played, count, EDGES)
        ],
    }


def _interval(found: Estimate | None) -> dict[str, float] | None:
    return found and {"mean": found.mean, "half_width": found.half_width}


def _amounts(played: Results, number: int) -> dict[str, int]:
    """The matches and rounds in which an agent sat at the table."""
    there = (played.agent == number).any(axis=2)
    return {"matches": int(there.sum()), "rounds": int(played.rounds[there].sum())}


def _at_seat(played: Results, gains: np.ndarray, number: int, seat: int) -> Estimate | None:
    return mean_where(gains[:, :, seat], played.agent[:, :, seat] == number)


def _roles(
    game: Game, names: Sequence[str], order: np.ndarray, played: Results
) -> list[dict[str, Any]]:
    if game.roles is None:
        return []
    return [
        {"agent": name, "role": role, "win": _interval(win), "matches": matches}
        for name, number in zip(names, order, strict=True)
        for role, win, matches in results.wins_by_role(played, game.roles, number)
    ]


def _outcomes(game: Game, played: Results) -> list[dict[str, Any]]:
    if game.roles is None or played.outcome is None:
        return []
    return [
        {"outcome": name, "part": _interval(estimate((played.outcome == number).mean(axis=1)))}
        for number, name in enumerate(game.roles.outcomes)
    ]


# ---------------------------------------------------------------- on a terminal


def print_tournament(out: Console, content: dict[str, Any]) -> None:
    """Scores, ratings and the cross-table, the best first."""
    sign = plus_minus(out)
    scores = sorted(content["scores"], key=lambda row: -row["gain"]["mean"])
    rated = {kind: {row["agent"]: row for row in rows} for kind, rows in content["ratings"].items()}
    table = plain_table("agent", "gain a round", "win share", *rated, "matches")
    for row in scores:
        table.add_row(
            Text(row["agent"]),
            _text(row["gain"], sign, "+.3f"),
            _text(row["win_share"], sign, ".3f"),
            *(_rating(found.get(row["agent"])) for found in rated.values()),
            f"{row['matches']:,}",
        )
    out.print(table)
    out.print("Reward a round, the row's player less the column's, at the tables where both sat:")
    numbers = {row["name"]: number for number, row in enumerate(content["agents"])}
    order = [numbers[row["agent"]] for row in scores]
    cross = plain_table("", *(row["agent"] for row in scores))
    for row in order:
        cells = [
            {part: content["cross_table"][part][row][column] for part in ("mean", "half_width")}
            for column in order
        ]
        cross.add_row(
            Text(content["agents"][row]["name"]), *(_text(cell, sign, "+.3f") for cell in cells)
        )
    out.print(cross)
    if content["roles"]:
        roles = plain_table("agent", "as", "won", "matches")
        for row in content["roles"]:
            won = _text(row["win"], sign, ".3f")
            roles.add_row(Text(row["agent"]), row["role"], won, f"{row['matches']:,}")
        out.print(roles)
    out.print(
        f"{content['matches']:,} matches, {content['rounds']:,} rounds, {content['deals']:,} deals.\n"
        f"Mean {sign} 95 % confidence interval over deals; ratings with 95 % bootstrap intervals.\n"
        f"{content['game']}: {_listed({**content['options'], 'seed': content['seed']}, '=')}\n"
        f"{_listed(content['versions'], ' ')}"
    )


def _listed(values: dict[str, Any], sign: str) -> str:
    return ", ".join(f"{key}{sign}{value}" for key, value in values.items())


def _text(interval: dict[str, Any] | None, sign: str, form: str) -> str:
    if interval is None or interval["mean"] is None:
        return "-"
    mean = round(interval["mean"], 3) + 0.0  # never "-0.000"
    return f"{mean:{form}} {sign} {interval['half_width']:.3f}"


def _rating(row: dict[str, Any] | None) -> str:
    return "-" if row is None else f"{row['rating']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
