"""All that the package, and a user's encoders, tell a seat; and where two such accounts differ."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from masked_monsters.envs.adapters.aec import AEC, OBSERVATIONS
from masked_monsters.envs.game import Game

Encoder = Callable[[AEC, str], Any]
"""What a user makes of a position for an agent: an array, a value, or a mapping of names to such."""

Told = dict[str, np.ndarray | str]
"""By what it is part of."""

TOKEN_COLUMNS = ("kind", "who", "whom", "what")


class Difference(NamedTuple):
    """An entry that is told otherwise, and both values as text."""

    entry: str
    one: str
    other: str


class Witness:
    """Takes any seat at any position, and writes down all that it is told."""

    def __init__(self, game: Game) -> None:
        """``game`` need not be one that the registry has made."""
        self.game = game
        self.environments = {
            kind: AEC(game, observation=kind, render_mode="ansi") for kind in OBSERVATIONS
        }
        for env in self.environments.values():
            env.reset(seed=0)

    def _at(self, kind: str, states: np.ndarray) -> AEC:
        """The environment in mid-match, as if the state's last action had just been done in it."""
        env = self.environments[kind]
        env._states[:] = states
        env.agents = env.possible_agents[:]
        env.rewards = dict(zip(env.agents, states["reward"][0].tolist(), strict=False))
        env._cumulative_rewards = env.rewards.copy()
        env._select()
        return env

    def told(self, states: np.ndarray, seat: int) -> Told:
        """All that the package tells a seat while a match is played.

        Args:
            states: ``(1,)``, one record of a decision.
            seat: who looks, whether it decides or not.
        """
        view = np.zeros(1, self.game.view)
        self.game.kernels.observe(states, 0, seat, view, np.zeros(1, self.game.compact), 0)
        told: Told = {f"view {name}": view[name][0] for name in self.game.view.names or ()}
        told["words"] = self.game.words.seat(view[0])
        for kind in OBSERVATIONS:
            env = self._at(kind, states)
            agent = env.possible_agents[seat]
            for name, entry in env.observe(agent).items():
                told[kind if name == "observation" else f"{kind} {_spaced(name)}"] = entry
            told |= {f"{kind} info {_spaced(k)}": v for k, v in _parts(env.infos[agent])}
            told[f"{kind} render"] = env.render() or ""
            told[f"{kind} information state"] = env.information_state_string(agent)
            told[f"{kind} reward"] = np.array(env.rewards[agent])
            told[f"{kind} termination"] = np.array(env.terminations[agent])
            told[f"{kind} truncation"] = np.array(env.truncations[agent])
            told[f"{kind} masks of who does not decide"] = np.array(
                sum(
                    int(info["action_mask"].sum())
                    for other, info in env.infos.items()
                    if other != env.agent_selection
                )
            )
            if view["to_move"][0] >= 0:  # else the seat may not know whose turn it is
                told[f"{kind} turn"] = env.agent_selection
        return told

    def encoded(self, encoder: Encoder, kind: str, states: np.ndarray, seat: int) -> Told:
        """What ``encoder`` makes of a position for a seat, in copies.

        Args:
            encoder: a user's.
            kind: of the observations of the environment that it is given.
            states: ``(1,)``, one record of a decision.
            seat: for whom.
        """
        env = self._at(kind, states)
        return dict(_parts(encoder(env, env.possible_agents[seat])))

    def differences(self, one: Told, other: Told) -> list[Difference]:
        """Every entry that is not the same, also in its shape and dtype."""
        found: list[Difference] = []
        for part in one | other:
            a, b = one.get(part), other.get(part)
            if a is None or b is None:
                found.append(
                    Difference(part, *("absent" if x is None else "there" for x in (a, b)))
                )
            elif isinstance(a, str) or isinstance(b, str):
                found += _differing_texts(part, str(a), str(b))
            else:
                found += self._differing_arrays(part, np.asarray(a), np.asarray(b))
        return found

    def _differing_arrays(self, part: str, a: np.ndarray, b: np.ndarray) -> Iterator[Difference]:
        if a.dtype != b.dtype:
            yield Difference(_joined(part, "dtype"), str(a.dtype), str(b.dtype))
        if a.shape != b.shape:
            if a.ndim == b.ndim == 1:
                yield Difference(_joined(part, "length"), str(len(a)), str(len(b)))
            else:
                yield Difference(_joined(part, "shape"), str(a.shape), str(b.shape))
            return
        differs = np.atleast_1d((a != b) & ((a == a) | (b == b)))  # not a number twice is the same
        for index in np.argwhere(differs):
            where = tuple(index.tolist()) if a.ndim else ()
            yield Difference(self._label(part, where), str(a[where]), str(b[where]))

    def _label(self, part: str, where: tuple[int, ...]) -> str:
        """An entry's name."""
        if part == "compact":
            for segment in self.game.segments:
                lies = self.game.slices[segment.name]
                if lies.start <= where[0] < lies.stop:
                    within = np.unravel_index(where[0] - lies.start, segment.shape)
                    return f"compact {segment.name}{_index(within)}"
        if part == "history" and where[1] < len(TOKEN_COLUMNS):
            return f"history row {where[0]} {TOKEN_COLUMNS[where[1]]}"
        return f"{part}{_index(where)}"


def _index(where: tuple[Any, ...]) -> str:
    return f"[{', '.join(str(int(k)) for k in where)}]" if where else ""


def _joined(part: str, what: str) -> str:
    return f"{part} {what}" if part else what


def _spaced(name: str) -> str:
    return name.replace("action_mask", "mask").replace("_", " ")


def _parts(value: Any, name: str = "") -> Iterator[tuple[str, np.ndarray | str]]:
    """Arrays and texts by their names, whatever mappings they lie in."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            yield from _parts(entry, _joined(name, str(key)))
    elif isinstance(value, str):
        yield name, value
    else:
        yield name, np.array(value)


def _differing_texts(part: str, one: str, other: str) -> list[Difference]:
    """The first line that differs, or word, if there is but one line."""
    if one == other:
        return []
    lined = "\n" in one or "\n" in other
    a, b = (text.split("\n" if lined else " ") for text in (one, other))
    same = sum(1 for _ in _same_beginning(a, b))
    return [Difference(part, *(" ".join(x[same : same + 1]).strip() for x in (a, b)))]


def _same_beginning(a: list[str], b: list[str]) -> Iterator[str]:
    for x, y in zip(a, b, strict=False):
        if x != y:
            return
        yield x
