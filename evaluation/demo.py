"""The demo: an agent in a few minutes, from nothing to a measured player."""

import itertools
import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation import report
from masked_monsters.evaluation.agents import load_agent
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.match import evaluate_pairs
from masked_monsters.evaluation.replay import record, save
from masked_monsters.training.config import config_file, read_config
from masked_monsters.training.train import train

MATCHES = 8000
"""Against each baseline: a narrow interval in some seconds."""


def demo(
    name: str,
    *,
    runs: Path = Path("runs"),
    overrides: Sequence[str] = (),
    matches: int = MATCHES,
) -> Path:
    """Train an agent, measure it against every baseline, record a match, and say what to do next.

    Args:
        name: of the game; its own configuration is used.
        runs: the folder of all runs; the demo's is a new one in it.
        overrides: of the configuration, as for training.
        matches: to play against each baseline.

    Returns:
        The run's folder.
    """
    file = config_file(name)
    shorter = read_config(file).demo
    config = read_config(file, [f"run.name={name}-demo", *shorter, *overrides])
    game = get_game(name, **config.options)
    folder = _new_folder(runs, config.run.name)
    out = report.console()
    out.print(
        f"Training an agent for {game.title} by self-play, on {config.run.decisions:,} decisions"
    )
    agent_file = train(config, folder)
    agent = load_agent(str(agent_file), game)
    _measure(game, agent, matches)
    _record(game, agent, folder / "replay.json")
    out.print(_next_steps(game, folder, agent_file), soft_wrap=True)
    return folder


def _next_steps(game: Game, folder: Path, agent_file: Path) -> str:
    replay, agent, logs = (
        shlex.quote(str(path)) for path in (folder / "replay.json", agent_file, folder)
    )
    usual = get_game(game.name).options
    options = "".join(
        f" --option {shlex.quote(f'{key}={json.dumps(value)}')}"
        for key, value in game.options.items()
        if value != usual[key]
    )
    called = Path(sys.argv[0])  # it need not be on the path
    tools = f"{called.parent}/" if called.name == "masked-monsters" else ""
    command, tensorboard = (
        shlex.quote(tools + tool) for tool in ("masked-monsters", "tensorboard")
    )
    return f"""
In {folder}:
  {agent_file.name}           the agent
  learning_curve.png  how its play improved
  replay.json         a match of it against baselines
Next:
  {command} evaluate {agent} --game {game.name} --against {baselines(game)[-1]}{options}
  {command} replay {replay} --god
  {tensorboard} --logdir {logs}"""


def _new_folder(runs: Path, name: str) -> Path:
    """``name`` in ``runs``; if there has been one, ``name-2`` or the next that is free."""
    folders = itertools.chain([runs / name], (runs / f"{name}-{k}" for k in itertools.count(2)))
    return next(folder for folder in folders if not os.path.lexists(folder))


def _measure(game: Game, agent: Policy, matches: int) -> None:
    opponents = [load_agent(name, game) for name in baselines(game)]
    with report.progress_bar("matches") as progress:
        evaluations = evaluate_pairs(
            game,
            [agent, *opponents],
            [(0, number) for number in range(1, 1 + len(opponents))],
            matches=matches,
            progress=progress,
        )
    out = report.console()
    out.print("\nThe agent against copies of each baseline:")
    report.print_evaluations(out, evaluations)
    out.print(report.conditions(out, game, 0, False, evaluations[0]), soft_wrap=True)


def _record(game: Game, agent: Policy, path: Path) -> None:
    """The agent on seat 0, the baselines on the others, the strongest first."""
    names = itertools.cycle(reversed(baselines(game)))
    others = [load_agent(next(names), game) for _ in range(game.num_players - 1)]
    save(record(game, [agent, *others]), path)
