"""Small files of every kind that a page is made from, written by hand."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NASTY = '<script>alert(1)</script> | "it\'s" & `x` $y_1$ *z*'
"""A name that HTML, SVG, Markdown and matplotlib would each take for mark-up."""
HIDDEN = "_under\u202escore\x07"
"""A name that matplotlib leaves out of legends, and that turns text around."""
AGENTS = (
    "mastermind",
    NASTY,
    HIDDEN,
    "reference:under_my_bed",
    "runs/a-rather-long-name/agent.zip",
)
COMMAND = "masked-monsters tournament 'a b' --seed 3"
BASE = {
    "game": "under_my_bed",
    "options": {"num_players": 4},
    "seed": 3,
    "versions": {"masked-monsters": "0.1.0", "numpy": "2.4.6"},
    "command": COMMAND,
    "of a later version": [1, 2],
}


def interval(mean: float, half_width: float = 0.02) -> dict[str, float]:
    """As the files have it."""
    return {"mean": mean, "half_width": half_width}


def write(path: Path, content: Mapping[str, Any]) -> Path:
    """As JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def tournament(agents: tuple[str, ...] = AGENTS) -> dict[str, Any]:
    """Of agents, each a little worse than the one before."""
    size = len(agents)
    gains = [0.2 - 0.1 * place for place in range(size)]
    return {
        **BASE,
        "kind": "tournament",
        "agents": [{"name": name, "digest": f"{place:064x}"} for place, name in enumerate(agents)],
        "matches": 4000,
        "rounds": 4000,
        "deals": 1000,
        "scores": [
            {
                "agent": name,
                "gain": interval(gain),
                "win_share": interval(0.25 + gain / 4),
                "matches": 3200,
                "rounds": 3200,
            }
            for name, gain in zip(agents, gains, strict=True)
        ],
        "cross_table": {
            "mean": [
                [None if a == b else gains[a] - gains[b] for b in range(size)] for a in range(size)
            ],
            "half_width": [[None if a == b else 0.03 for b in range(size)] for a in range(size)],
        },
        "seats": [
            {"agent": name, "seat": seat, "gain": interval(gain + 0.01 * seat, 0.04)}
            for name, gain in zip(agents, gains, strict=True)
            for seat in range(4)
        ],
        "roles": [
            {"agent": name, "role": role, "win": interval(part + gain / 4), "matches": 1600}
            for name, gain in zip(agents, gains, strict=True)
            for role, part in (("kid", 0.4), ("monster", 0.6))
        ],
        "outcomes": [
            {"outcome": "kid_caught", "part": interval(0.7)},
            {"outcome": "time", "part": interval(0.3)},
        ],
        "ratings": {
            system: [
                {
                    "agent": name,
                    "rating": middle + spread * gain,
                    "low": middle + spread * (gain - 0.05),
                    "high": middle + spread * (gain + 0.06),
                }
                for name, gain in zip(agents, gains, strict=True)
            ]
            for system, middle, spread in (
                ("openskill", 25.0, 20.0),
                ("bradley_terry", 0.0, 3.0),
                ("alpha_rank", 0.3, 0.5),
            )
        },
        "calibration": [
            {"predicted": 0.05 + place / 10, "observed": interval(0.08 + place / 10.5), "pairs": 90}
            for place in range(10)
        ],
    }


def best_response(agent: str = NASTY, role: str | None = None) -> dict[str, Any]:
    """One that has found something."""
    return {
        **BASE,
        "kind": "best_response",
        "agent": agent,
        "role": role,
        "decisions": 1_000_000,
        "matches": 8000,
        "deals": 2000,
        "improvement": interval(0.428, 0.016),
        "lower_bound": 0.412,
    }


SIDES = {
    "kid": -0.1,
    "kid_best": 0.8,
    "monsters": 0.1,
    "monsters_best": 0.5,
    "monsters_bound": None,
}


def exact() -> dict[str, Any]:
    """Policies that come nearer to an equilibrium."""
    return {
        "kind": "exact",
        "command": "masked-monsters solve mmn-tiny umb-tiny",
        "seed": 0,
        "versions": BASE["versions"],
        "rows": [
            {
                "game": game,
                "histories": 12_345,
                "information_states": 678,
                "policy": policy,
                "value": [0.1, -0.05, -0.05],
                "seed": 0,
                "nash_conv": nash_conv,
                **(SIDES if game == "umb-tiny" else {}),
            }
            for game in ("mmn-tiny", "umb-tiny")
            for policy, nash_conv in (("uniform", 0.91), ("CFR+ 100", 0.031), ("CFR+ 1000", 0.0009))
        ],
    }


def evaluation(agent: str = NASTY, kind: str = "evaluation") -> dict[str, Any]:
    """With control variates, and by role."""
    return {
        **BASE,
        "kind": kind,
        "game_version": 0,
        "package_version": "0.1.0",
        "deterministic": False,
        "command": "masked-monsters evaluate x --json numbers.json",
        "evaluations": [
            {
                "agent": agent,
                "against": against,
                "score": interval(gain + 0.5),
                "gain": interval(gain),
                "win_share": interval(0.3),
                "deals": 1000,
                "matches": 4000,
                "rounds": 4000,
                "decisions": 99,
                "seconds": 1.0,
                "roles": [
                    {
                        "agent": agent,
                        "against": against,
                        "role": role,
                        "win": interval(0.5),
                        "outcomes": {"kid_caught": interval(0.7), "time": interval(0.3)},
                        "length": interval(9.0),
                        "matches": 1000,
                    }
                    for role in ("kid", "monster")
                ],
                "control_variates": {
                    "score": interval(gain + 0.5, 0.01),
                    "gain": interval(gain, 0.01),
                    "fewer_games": {"mean": 4.0, "low": 3.7, "high": 4.3},
                    "fewer_games_than_independent": None,
                },
            }
            for against, gain in (("random", 0.3), ("honest", 0.05), (HIDDEN, -0.02))
        ],
    }


def cross_table(names: tuple[str, ...] = ("random", NASTY)) -> dict[str, Any]:
    """All pairs, row by row."""
    rows = [
        {**evaluation(row)["evaluations"][0], "against": column, "gain": interval(0.1 * place)}
        for place, row in enumerate(names)
        for column in names
    ]
    return {**BASE, "kind": "cross_table", "evaluations": rows}


def role_cross_table(names: tuple[str, ...] = ("random", NASTY)) -> dict[str, Any]:
    """All pairs, row by row."""
    rows = [
        {
            **evaluation(row)["evaluations"][0]["roles"][0],
            "against": column,
            "win": interval(0.3 + 0.3 * place),
        }
        for place, row in enumerate(names)
        for column in names
    ]
    return {**BASE, "kind": "role_cross_table", "evaluations": rows}


def bluff(agent: str = NASTY) -> dict[str, Any]:
    """A kid that lies and a monster that hedges, measured in all ways."""
    measures = ("challenged", "believed", "truth", "shift", "leaked", "gain", "paid")
    measured = {name: interval(0.1 + 0.1 * place) for place, name in enumerate(measures)}
    kept = [
        {
            **{"share": share, "tuned": 0, "rate": interval(0.9 - 0.9 * share)},
            **{"score": interval(0.1 - share), "value": interval(share)},
        }
        for share in (0.0, 0.5, 1.0)
    ]
    tuned = {"share": 1.0, "tuned": 1000, "rate": None, "score": interval(0), "value": interval(0)}
    bins = [
        {
            **{"low": low, "high": low + 0.5, "mean_score": low + 0.25, "count": 9},
            "share": {"mean": low, "low": low - 0.1, "high": low + 0.1},
        }
        for low in (0.2, 0.5)
    ]
    return {
        **BASE,
        "kind": "bluff",
        "players": [
            {
                **{"agent": agent, "against": HIDDEN, "observers": "all answer as uniform does"},
                **{"deals": 100, "close_deals": 10},
                "ledger": [
                    {
                        **{"role": role, "phase": "answer", "kind": kind, "acts": 1234},
                        **{"share": interval(1, 0), "measures": {**measured, "other": None}},
                    }
                    for role, kind in (("kid", "false"), ("monster", "hedged"))
                ],
                "deception": [
                    {
                        **{"role": "kid", "truth": "who is the kid", "acts": 50},
                        **{"away": interval(0.8), "shift": interval(-0.3)},
                        **{"gain_away": interval(0.1), "gain_not_away": None},
                    }
                ],
                "over_time": [
                    {"role": "kid", "time": time, "truth": interval(0.2 + 0.1 * time)}
                    for time in (1, 2, 4)
                ],
                "covers": [{"role": "kid", "number": 2, "consistent": interval(0.9)}],
                "hedging": [{"role": "monster", "hedged": interval(0.7)}],
                "lying": [{"forbidden": "away", "kept": [*kept, tuned], "deals": 100}],
                "detection": {
                    "votes": {
                        **{"count": 18, "auroc": {"mean": 0.7, "low": 0.6, "high": 0.8}},
                        "calibration": bins,
                    },
                    "accusals": None,
                },
            }
        ],
    }


def write_all(folder: Path) -> Path:
    """One file of each kind, in a folder."""
    write(folder / "bluff.json", bluff())
    write(folder / "big" / "tournament.json", tournament())
    write(folder / "response" / "best_response.json", best_response())
    write(folder / "kid response" / "best_response.json", best_response("mastermind", "kid"))
    write(folder / "exact.json", exact())
    write(folder / "numbers.json", evaluation())
    write(folder / "crosstable.json", cross_table())
    write(folder / "by_role.json", role_cross_table())
    return folder


CONFIG = """
game: monster_my_neighbor
run: {name: hand-made, seed: 5, decisions: 4000}
ppo: {ent_coef: 0.02}
evaluation: {matches: 8}
"""


def write_run(folder: Path) -> Path:
    """A run that is under way: no agent yet, and its last row half written."""
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "versions.json").write_text(
        json.dumps({"python": "3.11", "masked-monsters": "0.1.0"})
    )
    (folder / "evaluation.csv").write_text(
        "decisions,against,mean,low,high\n0,random,-0.1,-0.2,0.0\n2000,random,0.2,0.1,0.3\n4000,ra"
    )
    (folder / "progress.csv").write_text(
        "time/total_timesteps,train/approx_kl,train/entropy_loss\n1000,,\n2000,0.01,-0.9\n3000,0.02,-0.8\n"
    )
    return folder
