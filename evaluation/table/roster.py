"""Who can sit at a table, by name: people, agents that are always there, and a server's own."""

import os
from collections.abc import Collection, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.agents import REFERENCE, load_agent, names_agent_file
from masked_monsters.evaluation.baselines import baselines
from masked_monsters.evaluation.search.policy import METHODS

PERSON = "person"
"""Whoever is no agent."""
SHIPPED = "reference"
"""The agent that is shipped for whatever game is played."""


def agent_of(name: str, game: Game) -> Policy:
    """``load_agent``, which also knows ``SHIPPED``."""
    return load_agent(f"{REFERENCE}{game.name}" if name == SHIPPED else name, game)


def strongest(game: Game) -> str:
    """The shipped agent, if there is one and PyTorch to run it, else the strongest scripted player."""
    is_usual = game.actions == get_game(game.name).actions
    if is_usual and find_spec("torch") and names_agent_file(f"{REFERENCE}{game.name}"):
        return SHIPPED
    return baselines(game)[-1]


class Roster:
    """The agents that can be chosen on the page, by the names that it knows them by: never a path."""

    def __init__(self, specs: Iterable[str] = (), game: Game | None = None) -> None:
        """Load each agent, to see which games it is for.

        Args:
            specs: of the server's own agents, as ``agent_of`` takes them.
            game: a game that they may be for, besides all games with their usual options.

        Raises:
            ValueError: the loader's, of an agent that is for none of the games.
            ImportError: if what reads an agent is not installed.
        """
        games = [get_game(name) for name in GAMES]
        always = {PERSON, SHIPPED, *METHODS, *(name for each in games for name in baselines(each))}
        self._names = short_names([spec for spec in specs if spec not in always], always)
        self._specs = {name: spec for spec, name in self._names.items()}
        self._games = {
            name: _games_of(spec, [game, *games] if game else games)
            for name, spec in self._specs.items()
        }

    def name(self, spec: str) -> str:
        """What the page calls the agent of a spec."""
        return self._names.get(spec, spec)

    def names(self, game: Game) -> list[str]:
        """Who is there for a game, the shipped or the strongest scripted player first."""
        own = [name for name, games in self._games.items() if game.name in games]
        return list(dict.fromkeys([strongest(game), *baselines(game), *METHODS, *own]))

    def load(self, name: str, game: Game) -> Policy:
        """The agent of a name; ``ValueError`` says why it cannot play the game."""
        if name not in self._specs:
            return agent_of(name, game)
        spec = self._specs[name]
        try:
            policy = agent_of(spec, game)
        except ValueError as error:
            raise ValueError(str(error).replace(spec, name)) from None
        policy.name = name
        return policy


def short_names(specs: Sequence[str], taken: Collection[str]) -> dict[str, str]:
    """Each spec's name: of a file's path so much of the end as no other file's path ends with.

    Args:
        specs: of agents.
        taken: names that stand for others.
    """
    files = {spec: Path(os.path.abspath(spec)) for spec in specs if Path(spec).is_file()}
    ends = {spec: _ends(path) for spec, path in files.items()}
    names = {spec: spec for spec in specs}
    for spec, path in files.items():
        others = {end for each in files if files[each] != path for end in ends[each]}
        names[spec] = next(end for end in ends[spec] if end not in others and end not in taken)
    return names


def _ends(path: Path) -> list[str]:
    """Of a path, the shortest first."""
    parts = path.parts
    return [Path(*parts[-length:]).as_posix() for length in range(1, len(parts) + 1)]


def _games_of(spec: str, games: Sequence[Game]) -> set[str]:
    """The names of the games that an agent can play."""
    found, first_error = set(), None
    for game in games:
        try:
            agent_of(spec, game)
            found.add(game.name)
        except ValueError as error:
            first_error = first_error or error
    if first_error and not found:
        raise first_error
    return found
