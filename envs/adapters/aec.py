"""Any game as a PettingZoo AEC environment."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pettingzoo
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from masked_monsters.envs.engine.phases import OVER
from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.game import Game

OBSERVATIONS = ("compact", "history")
RENDER_MODES = ("ansi", "human")
ILLEGAL_REWARD = -1.0
"""What ``wrapped`` environments pay a seat for an illegal action, which ends the match."""

BOOKKEEPING = (
    "agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations",
)  # fmt: skip


class AEC(AECEnv[str, dict[str, np.ndarray], int | None]):
    """A match of ``game``; the subclass of a versioned module names the game.

    An illegal action raises ``ValueError`` and changes nothing; ``wrapped`` turns it into a lost
    match instead.
    """

    def __init__(
        self,
        game: Game,
        *,
        observation: str = "compact",
        render_mode: str | None = None,
    ) -> None:
        """Prepare the environment; ``ValueError`` names an unknown encoding or mode."""
        super().__init__()
        check_choice("observation", observation, OBSERVATIONS)
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.game = game
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": list(RENDER_MODES),
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.observation_kind = observation
        self.render_mode = render_mode
        self._states = game.new_states(1)
        self._seeded = False
        self._views = np.zeros(1, game.view)
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self.agents = []
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            agent: observation_space(game, observation) for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(game.num_actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Space[dict[str, np.ndarray]]:
        """The ``Dict`` space of ``observe(agent)``: the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[int | None]:
        """The ``Discrete`` space of actions: the same object at each call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match: that of ``seed``, or without one the next of the last seed's sequence."""
        if seed is not None:
            self._states["stream"] = check_range("seed", seed, 0, 2**64 - 1)
        elif not self._seeded:
            self._states["stream"] = np.random.SeedSequence().generate_state(1, np.uint64)
        self._seeded = True
        self.game.kernels.start_match(self._states, 0, True)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._select()

    def _select(self) -> None:
        """Who decides, or that all has ended."""
        if self._is_over():
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[self._states["to_move"][0]]
        self._inform()

    def _inform(self) -> None:
        """Everybody's info; at the end the state is no secret any more."""
        self.infos = {agent: {"action_mask": self._mask(agent)} for agent in self.agents}
        if self._is_over():
            for agent in self.agents:
                self.infos[agent]["god_view"] = self.god_view()

    def _is_over(self) -> bool:
        return bool(self._states["phase"][0] == OVER)

    def _mask(self, agent: str) -> np.ndarray:
        mask = np.zeros(self.game.num_actions, np.int8)
        if self._seat_of[agent] == self._states["to_move"][0]:
            self.game.kernels.list_legal(self._states, 0, mask)
        return mask

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What ``agent`` may know now, deciding or not; fresh arrays at each call.

        ``observation``: int8, the ``compact`` vector, or the ``history`` rows; with ``history`` also
        ``token_mask`` (int8, 1 for each row in use). ``action_mask``: int8, 1 for each legal action,
        all 0 when the agent does not decide.
        """
        seat = self._seat_of[agent]
        if self.observation_kind == "compact":
            observation = np.zeros(1, self.game.compact)
            self.game.kernels.observe(self._states, 0, seat, self._views, observation, 0)
            return {"observation": observation.view(np.int8), "action_mask": self._mask(agent)}
        tokens, used = self._recall(seat)
        return {
            "observation": tokens,
            "token_mask": (np.arange(len(tokens)) < used).astype(np.int8),
            "action_mask": self._mask(agent),
        }

    def _recall(self, seat: int) -> tuple[np.ndarray, int]:
        tokens = np.zeros((self.game.max_tokens, len(self.game.token_highs)), np.int8)
        return tokens, self.game.kernels.recollect(self._states, 0, seat, tokens)

    def step(self, action: int | None) -> None:
        """The selected agent acts; a finished one takes a ``None`` step."""
        self._check_begun()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        legal = np.flatnonzero(self._mask(agent)).tolist()
        if action is None or action not in legal:
            raise ValueError(f"action={action!r}: illegal for {agent}; allowed: {legal}")
        self.game.kernels.step(self._states, 0, int(action), True)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = {
            other: float(self._states["reward"][0, self._seat_of[other]]) for other in self.agents
        }
        self._accumulate_rewards()
        self._select()
        if self._is_over():
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def _check_begun(self) -> None:
        if not self.agents:
            raise RuntimeError("no match is being played: call reset() first")

    def information_state_string(self, agent: str) -> str:
        """All that ``agent`` recalls of the round and the match's public facts, as one line."""
        tokens, used = self._recall(self._seat_of[agent])
        return self.game.words.information_state(tokens[:used])

    def god_view(self) -> dict[str, Any]:
        """The whole hidden state as plain Python values: for tests, replays and teaching."""
        return self.game.words.god_view(self._states[0])

    def render(self) -> str | None:
        """What everybody at the table sees, in ASCII: returned (``ansi``) or printed (``human``)."""
        if not self._seeded:
            raise RuntimeError("no match has begun: call reset() first")
        if self.render_mode is None:
            logger.warn(f"render() without a render_mode: pass one of {RENDER_MODES}")
            return None
        text = self.game.words.table(self._states[0])
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing is held open."""

    def save(self) -> bytes:
        """The match in progress; ``restore`` makes it go on identically, also in another process."""
        self._check_begun()
        header = [self._saved_as(), {name: getattr(self, name) for name in BOOKKEEPING}]
        data = json.dumps(header).encode() + b"\n" + self._states.tobytes()
        return hashlib.sha256(data).digest() + data

    def restore(self, data: bytes) -> None:
        """Go on with a saved match; ``ValueError`` if it is not of this game, version and options."""
        digest, saved = data[:32], data[32:]
        if hashlib.sha256(saved).digest() != digest:
            raise ValueError(f"data: these {len(data)} bytes are not as save() has made them")
        line, _, record = saved.partition(b"\n")
        saved_as, header = json.loads(line)
        if json.dumps(saved_as) != json.dumps(self._saved_as()):  # in their order, too
            raise ValueError(f"data: saved by {saved_as}, this environment is {self._saved_as()}")
        self._states = np.frombuffer(record, self.game.state).copy()
        self._seeded = True
        for name, value in header.items():
            setattr(self, name, value)
        self._inform()

    def _saved_as(self) -> list[Any]:
        return [self.metadata["name"], self.game.state.itemsize, dict(self.game.options)]


def observation_space(game: Game, kind: str) -> Dict:
    """The space of an agent's observations; every entry's bounds are true ones."""
    action_mask = Box(0, 1, (game.num_actions,), np.int8)
    if kind == "compact":
        highs = game.compact_highs
        return Dict(
            {
                "observation": Box(np.zeros_like(highs), highs, dtype=np.int8),
                "action_mask": action_mask,
            }
        )
    highs = np.tile(np.array(game.token_highs, np.int8), (game.max_tokens, 1))
    return Dict(
        {
            "observation": Box(np.zeros_like(highs), highs, dtype=np.int8),
            "token_mask": Box(0, 1, (game.max_tokens,), np.int8),
            "action_mask": action_mask,
        }
    )


class _LoseAtIllegalAction(TerminateIllegalWrapper[str, dict[str, np.ndarray], int | None]):
    """Judges an action by the rules as they are, not by the mask that was last handed out."""

    def step(self, action: int | None) -> None:
        self._prev_obs = None
        super().step(action)


def wrapped(raw_env: AEC) -> OrderEnforcingWrapper[str, dict[str, np.ndarray], int | None]:
    """PettingZoo's usual checks: an illegal action loses the match, a misplaced call is an error."""
    env: Any = _LoseAtIllegalAction(raw_env, illegal_reward=ILLEGAL_REWARD)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(env))


def register_games(games: Mapping[str, int]) -> None:
    """Make ``games`` (names and versions) known to ``pettingzoo.make``, where PettingZoo has it."""
    register = getattr(pettingzoo, "register", None)
    if register is not None:
        for name, version in games.items():
            env_id = f"{name}_v{version}"
            register("aec", f"masked_monsters/{env_id}", f"masked_monsters.envs.{env_id}:env")
