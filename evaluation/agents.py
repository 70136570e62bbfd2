"""Players by name or by file."""

import hashlib
from pathlib import Path

from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation import reference
from masked_monsters.evaluation.baselines import baselines, get_baseline
from masked_monsters.evaluation.beliefs.slipping import Slipping
from masked_monsters.evaluation.search.policy import METHODS, SearchPolicy

REFERENCE = "reference:"
EXPECTED = {
    "monster_my_neighbor": ("mastermind", "mastermind"),
    "under_my_bed": ("trickster", "honest"),
}
"""By game, whom players that search take the others for, but for slips; and who plays on in their
simulations."""


def names_agent_file(spec: str) -> bool:
    """Is it the path of a file, or ``reference:`` and the name of a game whose agent is shipped?"""
    return agent_file(spec).is_file()


def load_agent(spec: str, game: Game, *, deterministic: bool = False) -> Policy:
    """The baseline of that name, the trained agent in that file, or the one that is shipped.

    Args:
        spec: a baseline's name, an agent file's path, ``reference:`` and the game's name, or
            ``"pimc"`` or ``"ismcts"``, which may have a budget: ``"ismcts:2000"`` simulations or
            ``"ismcts:0.1s"`` a decision.
        game: what is played.
        deterministic: a trained agent always does its likeliest action, instead of drawing one.

    Raises:
        ValueError: if there is neither, saying what is allowed.
        ImportError: if it is a file and what reads it is not installed.
    """
    names = baselines(game)
    if spec in names:
        return get_baseline(game, spec)
    if spec.partition(":")[0] in METHODS:
        return _search_agent(spec, game)
    if not names_agent_file(spec):
        raise ValueError(
            f"agent={spec!r}: must be a baseline of {game.name} ({', '.join(names)}), "
            f"{' or '.join(METHODS)}, {REFERENCE}{game.name}, or the path of an agent file"
        )
    try:
        from masked_monsters.training.checkpoint import load_policy

        policy = load_policy(agent_file(spec), game, deterministic=deterministic)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"agent={spec!r}: {error.name} is needed to read an agent file: "
            "pip install 'masked-monsters[train]'"
        ) from error
    if spec.startswith(REFERENCE):
        policy.name = "reference"
    return policy


def _search_agent(spec: str, game: Game) -> Policy:
    method, colon, budget = spec.partition(":")
    simulations = seconds = None
    try:
        if budget.endswith("s"):
            seconds = float(budget.removesuffix("s"))
        elif colon:
            simulations = int(budget)
    except ValueError as error:
        raise ValueError(
            f"agent={spec!r}: the budget of a decision must be a number of simulations "
            f"({method}:2000) or of seconds ({method}:0.1s)"
        ) from error
    expected, rollout = EXPECTED.get(game.name, (None, "random"))
    return SearchPolicy(
        game,
        method,
        simulations=simulations,
        seconds=seconds,
        profile=Slipping(get_baseline(game, expected)) if expected else None,
        rollout=rollout,
        name=spec,
    )


def agent_file(spec: str) -> Path:
    """Where the agent is; there need be none."""
    if spec.startswith(REFERENCE):
        return Path(reference.__path__[0]) / f"{spec.removeprefix(REFERENCE)}.zip"
    return Path(spec)


def agent_digest(spec: str) -> str:
    """The SHA-256 of the agent's file, in hexadecimal."""
    return hashlib.sha256(agent_file(spec).read_bytes()).hexdigest()
