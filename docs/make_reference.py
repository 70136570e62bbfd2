"""Ship an agent: ``python docs/make_reference.py RUN`` copies it into the package, and writes its card.

RUN is the folder of a finished run. The agent is measured against every scripted player at tables of 3
to 8, on duplicate deals, and where roles are dealt, as each side of a match.
"""

import argparse
import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation import reference
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.estimate import Estimate
from masked_monsters.evaluation.match import evaluate_pairs, evaluate_roles
from masked_monsters.training.about import read_about
from masked_monsters.training.chronicle import TRAINER
from masked_monsters.training.config import config_file, read_config

SIZES = range(3, 9)
WORKERS = 2


def interval(estimate: Estimate, sign: str = "") -> str:
    """The mean and half the 95 % interval."""
    return f"{estimate.mean:{sign}.3f} ± {estimate.half_width:.3f}"


def rows(header: list[str], cells: list[list[str]]) -> Iterator[str]:
    """A table in Markdown."""
    yield f"| {' | '.join(header)} |"
    yield f"|{' --- |' * len(header)}"
    for row in cells:
        yield f"| {' | '.join(row)} |"


def gains(game: Game, file: Path, matches: int) -> list[str]:
    """Against copies of each baseline, at one table size."""
    players = [load_agent(spec, game) for spec in (str(file), *baselines(game))]
    pairs = [(0, number) for number in range(1, len(players))]
    found = evaluate_pairs(game, players, pairs, matches=matches, workers=WORKERS)
    return [str(game.num_players), *(interval(each.gain, "+") for each in found)]


def sides(game: Game, file: Path, matches: int) -> list[str]:
    """The kid's share of the matches, the agent and the strongest baseline on either side."""
    strongest = baselines(game)[-1]
    players: list[Policy] = [load_agent(spec, game) for spec in (str(file), strongest)]
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1)]
    found = evaluate_roles(game, players, pairs, matches=matches, workers=WORKERS)
    return [str(game.num_players), *(interval(each.win) for each in found)]


def card(about: dict[str, Any], seconds: float, file: Path, matches: int) -> Iterator[str]:
    """The model card's lines."""
    usual = get_game(about["game"])
    games = [usual.with_options(num_players=size) for size in SIZES]
    config, opponents = about["config"], about["config"]["opponents"]
    options = {**about["options"], "num_players": usual.num_players}
    if options != usual.options:
        raise ValueError(f"options={options}: must be the usual ones, {usual.options}")
    names = baselines(usual)
    hidden = " x ".join(map(str, about["network"]["hidden"]))
    yield f"# reference:{usual.name}"
    yield ""
    yield f"An agent for {usual.title}, for tables of 3 to 8, with the usual options."
    yield ""
    yield from rows(
        ["", ""],
        [
            ["decisions played", f"{about['decisions']:,} of all seats"],
            ["watched before", watched(config)],
            ["tables of", ", ".join(map(str, about["table_sizes"]))],
            ["seats of others", f"{opponents['share']}, of those {opponents['past']} past selves"],
            ["the rest of them", ", ".join(opponents["names"])],
            ["network", f"{hidden} on the compact observation"],
            [
                "time",
                f"{seconds / 60:.0f} minutes of play and learning, what was watched before not counted",
            ],
            ["command", f"`masked-monsters train {config['run']['name']}`"],
            ["seed", str(about["seed"])],
            ["versions", ", ".join(f"{k} {v}" for k, v in about["versions"].items())],
            ["rules, observation", f"version {about['game_version']}, {about['observation_hash']}"],
            ["SHA-256", f"`{hashlib.sha256(file.read_bytes()).hexdigest()}`"],
        ],
    )
    yield ""
    yield "## Strength"
    yield ""
    yield (
        "Its gain a round over the mean of its table, on one seat against copies of each scripted "
        f"player; at least {matches:,} matches each on duplicate deals, ± half a 95 % interval; seed 0:"
    )
    yield ""
    yield from rows(["players", *names], [gains(game, file, matches) for game in games])
    yield ""
    if usual.roles:
        first, strongest = usual.roles.names[0], names[-1]
        yield (
            f"The {first}'s share of the matches, {first} against all others; {matches:,} matches each "
            "on the same deals:"
        )
        yield ""
        yield from rows(
            [
                "players",
                "it against itself",
                f"it against {strongest}",
                f"{strongest} against it",
                f"{strongest} against {strongest}",
            ],
            [sides(game, file, matches) for game in games],
        )
        yield ""
    yield (
        "It has been trained on these options, and knows no others. It draws its actions; always "
        "doing the likeliest (`deterministic`) gives bluffs away. The numbers are of play against "
        "scripted players and copies of itself, not against people."
    )


def watched(config: dict[str, Any]) -> str:
    """What the agent was shown first."""
    lessons = config["imitation"]
    return f"{lessons['decisions']:,} of {lessons['player']}" if lessons["player"] else "nothing"


def main() -> None:
    """Copy the agent and write its card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("--matches", type=int, default=8000, help="a figure (default: 8000)")
    args = parser.parse_args()
    run = args.run
    agent = run / "agent.zip"
    seconds = torch.load(run / TRAINER, map_location="cpu", weights_only=False)["seconds"]
    about = read_about(agent)
    if read_config(config_file(about["config"]["run"]["name"])) != read_config(run / "config.yaml"):
        raise ValueError(f"{run}: its configuration is not the package's of that name")
    text = "\n".join(card(about, seconds, agent, args.matches)) + "\n"
    file = Path(reference.__path__[0]) / f"{about['game']}.zip"
    shutil.copyfile(agent, file)
    file.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
