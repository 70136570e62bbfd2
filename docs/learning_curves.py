"""Compare ways to train: self-play alone, a pool of opponents, and magnetic mirror descent.

``python docs/learning_curves.py`` trains each with three seeds on both games, then a best response to
the first agent of each, and draws and writes what the docs show. What has been done in an earlier call
is not done again; what was interrupted goes on.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.match import evaluate
from masked_monsters.training.config import Config, config_file, read_config
from masked_monsters.training.curve import read_points
from masked_monsters.training.train import train_on

DOCS = Path(__file__).parent
SEEDS = (0, 1, 2)
BUDGET = {
    "monster_my_neighbor": ["run.decisions=5_000_000"],
    "under_my_bed": ["run.decisions=2_000_000", "imitation.decisions=500_000"],
}
ALONE = ["opponents.names=[]", "opponents.past=0", "magnet.coef=0"]
WAYS = {
    "self-play": ALONE,
    "pool": ["opponents.choice=pfsp", "opponents.freeze_every=500_000", "magnet.coef=0"],
    "MMD": [*ALONE, "magnet.coef=0.05", "magnet.rate=0.05"],
}
POOL = {
    "monster_my_neighbor": [
        "opponents.names=[cautious, friendly, tracker, mastermind]",
        "opponents.share=0.5",
        "opponents.past=0.5",
    ],
    "under_my_bed": [
        "opponents.names=[blurter, honest, mimic, trickster]",
        "opponents.share={kid: 0.3, monster: 0.8}",
        "opponents.past=0.3",
    ],
}
MATCHES = 4000
ABOUT = f"""<!-- written by docs/learning_curves.py -->
# Ways to train, compared

`python docs/learning_curves.py` trains each way with three seeds at one budget, with the game's
configuration otherwise. For Monster My Neighbor: `{" ".join(BUDGET["monster_my_neighbor"])}`. For
Under My Bed, where all ways begin by watching trickster: `{" ".join(BUDGET["under_my_bed"])}`.

- **self-play**: the current policy has all seats.
- **pool**: `{" ".join(WAYS["pool"][:2])}`.
  For Monster My Neighbor `{" ".join(POOL["monster_my_neighbor"])}`.
  For Under My Bed `{" ".join(POOL["under_my_bed"])}`.
- **MMD**: self-play with `{" ".join(WAYS["MMD"][-2:])}`.

The curves are the gain over the table's mean of the agent on one seat against copies of each of the
three strongest scripted players: the mean over the seeds, and their range. The tables say it of the
finished agents ({MATCHES:,} matches on duplicate deals against each): the mean, and in brackets the
least and the greatest of the seeds. The last column is what a best response to the first seed's agent
gains against three copies of it, ± half a 95 % interval: trained with the same budget, begun with that
agent, and so a lower bound of how much it can be exploited.
"""


def config_of(game: str, way: str, seed: int, *changes: str) -> Config:
    """Of one run."""
    opponents = POOL[game] if way == "pool" else []
    name = f"{game}-{way}-{seed}".lower()
    measured = ["evaluation.every=500_000", "evaluation.matches=1000"]
    against = f"evaluation.against={json.dumps(list(baselines(get_game(game))[-3:]))}"
    every = ["run.checkpoint_every=1_000_000", f"run.seed={seed}", f"run.name={name}"]
    return read_config(
        config_file(game),
        [*BUDGET[game], *WAYS[way], *opponents, *measured, against, *every, *changes],
    )


def best_response_to(agent: Path, config: Config) -> Config:
    """The same budget, begun with the agent, spent against three copies of it."""
    values = config.model_dump(mode="json")
    values["opponents"] = {"names": [str(agent)], "share": 1.0, "by_seat": True}
    values["imitation"]["player"] = None
    values["magnet"]["coef"] = 0.0
    values["run"] |= {"name": f"{config.run.name}-best-response", "start_from": str(agent)}
    values["evaluation"]["against"] = []
    return Config.model_validate(values)


def train_in(runs: Path, config: Config) -> Path:
    """The agent of a run."""
    return train_on(config, runs / config.run.name)


def gain_of_best_response(game: str, way: str, runs: Path) -> dict[str, Any]:
    """Train it, and measure what it gains; a lower bound of what there is to be gained."""
    config = config_of(game, way, SEEDS[0])
    agent = runs / config.run.name / "agent.zip"
    response = train_in(runs, best_response_to(agent, config))
    players = [load_agent(str(path), get_game(game)) for path in (response, agent)]
    gain = evaluate(get_game(game), *players, matches=MATCHES, seed=1).gain
    return {"mean": gain.mean, "low": gain.low, "high": gain.high}


def measure(game: str, way: str, seed: int, runs: Path) -> list[dict[str, Any]]:
    """What the finished agent gains against each baseline."""
    agent = load_agent(
        str(runs / config_of(game, way, seed).run.name / "agent.zip"), get_game(game)
    )
    rows = []
    for name in baselines(get_game(game)):
        opponent = load_agent(name, get_game(game))
        gain = evaluate(get_game(game), agent, opponent, matches=MATCHES, seed=1).gain
        rows.append({"against": name, "mean": gain.mean, "low": gain.low, "high": gain.high})
    return rows


def curves(game: str, way: str, runs: Path) -> dict[str, np.ndarray]:
    """By opponent, ``(seeds, points, 2)``: decisions, and the gain."""
    points = [
        read_points(runs / config_of(game, way, seed).run.name / "evaluation.csv") for seed in SEEDS
    ]
    return {
        name: np.array(
            [[(p.decisions, p.mean) for p in run if p.against == name] for run in points]
        )
        for name in baselines(get_game(game))[-3:]
    }


def draw(game: str, runs: Path) -> None:
    """The mean over the seeds, and the range of them."""
    opponents = baselines(get_game(game))[-3:]
    figure = Figure(figsize=(11, 4), layout="constrained")
    panels = figure.subplots(1, len(opponents), sharex=True)
    for way in WAYS:
        for axes, (name, curve) in zip(panels, curves(game, way, runs).items(), strict=True):
            decisions, gain = curve[0, :, 0] / 1e6, curve[..., 1]
            axes.plot(decisions, gain.mean(axis=0), label=way)
            axes.fill_between(decisions, gain.min(axis=0), gain.max(axis=0), alpha=0.2)
            axes.set(title=f"against copies of {name}", xlabel="million decisions played")
            axes.axhline(0, color="grey", linewidth=1)
            axes.grid(alpha=0.3)
    panels[0].set_ylabel("gain a round" if game == "monster_my_neighbor" else "gain a match")
    panels[0].legend()
    figure.suptitle(get_game(game).title)
    FigureCanvasAgg(figure).print_png(DOCS / f"learning_curves_{game}.png")


def table(game: str, results: dict[str, dict[str, Any]]) -> Iterator[str]:
    """The lines of a table in Markdown."""
    opponents = [row["against"] for row in results["self-play"]["seeds"][0]]
    yield f"| | {' | '.join(opponents)} | best response to it |"
    yield f"| --- |{' --- |' * (len(opponents) + 1)}"
    for way, result in results.items():
        means = np.array([[row["mean"] for row in rows] for rows in result["seeds"]])
        cells = [
            f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"
            for mean, low, high in zip(
                means.mean(axis=0), means.min(axis=0), means.max(axis=0), strict=True
            )
        ]
        response = result["best_response"]
        half = (response["high"] - response["low"]) / 2
        yield f"| **{way}** | {' | '.join(cells)} | {response['mean']:+.3f} ± {half:.3f} |"


def page(results: dict[str, dict[str, dict[str, Any]]]) -> str:
    """The page of figures."""
    lines = [ABOUT]
    for game, by_way in results.items():
        picture = f"learning_curves_{game}.png"
        lines += [f"## {get_game(game).title}", "", f"![Learning curves]({picture})", ""]
        lines += [*table(game, by_way), ""]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Do all that has not been done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, default=Path("runs/curves"))
    parser.add_argument("--workers", type=int, default=2, help="trainings at a time (default: 2)")
    parser.add_argument("--games", nargs="+", choices=list(GAMES), default=list(GAMES))
    args = parser.parse_args(arguments)
    args.runs.mkdir(parents=True, exist_ok=True)
    cells = [(game, way) for game in args.games for way in WAYS]
    every = [(game, way, seed) for game, way in cells for seed in SEEDS]
    with ProcessPoolExecutor(args.workers, get_context("spawn")) as pool:
        trained = [pool.submit(train_in, args.runs, config_of(*run)) for run in every]
        for job in trained:
            job.result()
        measured = {run: pool.submit(measure, *run, args.runs) for run in every}
        responses = {cell: pool.submit(gain_of_best_response, *cell, args.runs) for cell in cells}
        results = {
            game: {
                way: {
                    "seeds": [measured[game, way, seed].result() for seed in SEEDS],
                    "best_response": responses[game, way].result(),
                }
                for way in WAYS
            }
            for game in args.games
        }
    for game in args.games:
        draw(game, args.runs)
    (DOCS / "learning_curves.json").write_text(json.dumps(results, indent=1) + "\n")
    (DOCS / "learning_curves.md").write_text(page(results), encoding="utf-8")


if __name__ == "__main__":
    main()
