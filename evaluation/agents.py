"""Players by name or by file."""

from pathlib import Path

from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.evaluation.baselines import baselines, get_baseline


def load_agent(spec: str, game: Game, *, deterministic: bool = False) -> Policy:
    """The baseline of that name, or the trained agent in that file.

    Args:
        spec: a baseline's name or an agent file's path.
        game: what is played.
        deterministic: a trained agent always does its likeliest action, instead of drawing one.

    Raises:
        ValueError: if there is neither, saying what is allowed.
        ImportError: if it is a file and what reads it is not installed.
    """
    names = baselines(game)
    if spec in names:
        return get_baseline(game, spec)
    if not Path(spec).is_file():
        raise ValueError(
            f"agent={spec!r}: must be a baseline of {game.name} ({', '.join(names)}) "
            "or the path of an agent file"
        )
    try:
        from masked_monsters.training.checkpoint import load_policy

        return load_policy(Path(spec), game, deterministic=deterministic)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"agent={spec!r}: {error.name} is needed to read an agent file: "
            "pip install 'masked-monsters[train]'"
        ) from error
