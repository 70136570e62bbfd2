"""Any game as a PettingZoo AEC environment."""

import hashlib
import json
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
import pettingzoo
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.game import Game

OBSERVATIONS = ("compact", "history")
RENDER_MODES = ("ansi", "human")
ILLEGAL_REWARD = -1.0
"""What ``Checked`` environments pay a seat for an illegal action, which ends the match."""

BOOKKEEPING = (
    "agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations",
)  # fmt: skip


class IllegalActionError(ValueError):
    """An action that the mask forbids; nothing has changed."""


class AEC(AECEnv[str, dict[str, np.ndarray], int | None]):
    """A match of ``game``; the subclass of a versioned module names the game.

    An illegal action raises ``IllegalActionError`` and changes nothing; ``Checked`` turns it into a
    lost match instead.
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
        self._compact = np.zeros(1, game.compact)
        self._masks = np.zeros((game.num_players, game.num_actions), np.int8)
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
        seat = self._inform()
        if seat >= 0:
            self.agent_selection = self.possible_agents[seat]
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self._deads_step_first()

    def _inform(self) -> int:
        """Everybody's mask and info; returns who decides, or -1: the state is no secret any more."""
        seat = self.game.kernels.list_masks(self._states, 0, self._masks)
        masks = self._masks.copy()
        self.infos = {agent: {"action_mask": masks[self._seat_of[agent]]} for agent in self.agents}
        if seat < 0:
            god_view = self.god_view()
            for info in self.infos.values():
                info["god_view"] = god_view
        return seat

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What ``agent`` may know now, deciding or not; fresh arrays at each call.

        ``observation``: int8, the ``compact`` vector, or the ``history`` rows; with ``history`` also
        ``token_mask`` (int8, 1 for each row in use). ``action_mask``: int8, 1 for each legal action,
        all 0 when the agent does not decide.
        """
        seat = self._seat_of[agent]
        action_mask = self._masks[seat].copy()
        if self.observation_kind == "compact":
            self.game.kernels.observe(self._states, 0, seat, self._views, self._compact, 0)
            return {"observation": self._compact.view(np.int8).copy(), "action_mask": action_mask}
        tokens, used = self._recall(seat)
        token_mask = np.zeros(len(tokens), np.int8)
        token_mask[:used] = 1
        return {"observation": tokens, "token_mask": token_mask, "action_mask": action_mask}

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
        legal_action = self._check_legal(agent, action)
        self.game.kernels.step(self._states, 0, legal_action, True)
        self._cumulative_rewards[agent] = 0.0
        paid = self._states["reward"][0].tolist()  # by seat, and more seats than are taken
        self.rewards = dict(zip(self.agents, paid, strict=False))
        self._accumulate_rewards()
        self._select()
        if self.render_mode == "human":
            self.render()

    def _check_legal(self, agent: str, action: Any) -> int:
        """``action`` as an int, if the rules allow it."""
        mask = self._masks[self._seat_of[agent]]
        try:
            index = operator.index(action)
        except TypeError:
            index = -1
        if 0 <= index < len(mask) and mask[index]:
            return index
        allowed = np.flatnonzero(mask).tolist()
        raise IllegalActionError(f"action={action!r}: illegal for {agent}; allowed: {allowed}")

    def forfeit(self) -> None:
        """The selected agent pays for an illegal action, and the match ends for all."""
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[self.agent_selection] = ILLEGAL_REWARD
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self._deads_step_first()

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
        return show_table(self.game, self._states[0], self.render_mode)

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


def show_table(game: Game, state: Any, render_mode: str | None) -> str | None:
    """What everybody at the table sees, in ASCII: returned (``ansi``) or printed (``human``)."""
    if render_mode is None:
        logger.warn(f"render() without a render_mode: pass one of {RENDER_MODES}")
        return None
    text = game.words.table(state)
    if render_mode == "ansi":
        return text
    print(text)
    return None


def compact_space(game: Game) -> Box:
    """The space of ``compact`` vectors; every entry's bounds are true ones."""
    return Box(np.zeros_like(game.compact_highs), game.compact_highs, dtype=np.int8)


def history_space(game: Game) -> Box:
    """The space of ``history`` rows; every entry's bounds are true ones."""
    highs = np.tile(np.array(game.token_highs, np.int8), (game.max_tokens, 1))
    return Box(np.zeros_like(highs), highs, dtype=np.int8)


def observation_space(game: Game, kind: str) -> Dict:
    """The space of an agent's observations; every entry's bounds are true ones."""
    action_mask = Box(0, 1, (game.num_actions,), np.int8)
    if kind == "compact":
        return Dict({"observation": compact_space(game), "action_mask": action_mask})
    return Dict(
        {
            "observation": history_space(game),
            "token_mask": Box(0, 1, (game.max_tokens,), np.int8),
            "action_mask": action_mask,
        }
    )


class Checked(OrderEnforcingWrapper[str, dict[str, np.ndarray], int | None]):
    """PettingZoo's usual checks: an illegal action loses the match, a misplaced call is an error.

    One wrapper that does what PettingZoo's ``OrderEnforcingWrapper``, ``AssertOutOfBoundsWrapper``
    and ``TerminateIllegalWrapper`` do together. Those hand every attribute on through
    ``__getattr__``, which would take most of a step's time; so what each turn needs is handed on by
    name.
    """

    env: AEC

    @property
    def agents(self) -> list[str]:  # type: ignore[override]  # read as an attribute
        return self.env.agents if self._has_reset else super().__getattr__("agents")

    @property
    def agent_selection(self) -> str:  # type: ignore[override]  # likewise
        name = "agent_selection"
        return self.env.agent_selection if self._has_reset else super().__getattr__(name)

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]:
        return self.env.last(observe) if self._has_reset else super().last(observe)

    def step(self, action: int | None) -> None:
        try:
            super().step(action)
        except IllegalActionError as error:
            if not self.action_space(self.agent_selection).contains(action):
                raise AssertionError("action is not in action space") from error
            EnvLogger.warn_on_illegal_move()
            self.env.forfeit()

    def __str__(self) -> str:
        return str(self.env)


def register_games(games: Mapping[str, int]) -> None:
    """Make ``games`` (names and versions) known to ``pettingzoo.make``, where PettingZoo has it."""
    register = getattr(pettingzoo, "register", None)
    if register is not None:
        for name, version in games.items():
            env_id = f"{name}_v{version}"
            register("aec", f"masked_monsters/{env_id}", f"masked_monsters.envs.{env_id}:env")
