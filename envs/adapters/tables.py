"""``Tables``: matches side by side, at each a learner in one seat and opponents in the others."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from masked_monsters.envs.adapters.aec import ILLEGAL_REWARD, OBSERVATIONS
from masked_monsters.envs.engine import phases
from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.kernels import Kernels, bind
from masked_monsters.envs.engine.tables import LEARNER, NOBODY, TABLE
from masked_monsters.envs.errors import check_choice, check_range
from masked_monsters.envs.game import Game, Rules
from masked_monsters.envs.policy import Decisions, Policy, reads_history
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import baselines, get_baseline
from masked_monsters.evaluation.baselines.scripted import ScriptedPolicy, weigh_evenly

ENGINE = Path(phases.__file__).parent
RANDOM_SEAT = -1

Opponents = str | Policy | Sequence[str | Policy]
"""Who has the other seats: one for all of them, or each, counted from the learner's left."""
Observation = dict[str, np.ndarray]


class Tables:
    """What ``SingleSeat`` and ``Vector`` share; both hand out what is documented there.

    A match is known by its ``stream`` in the record of the game: from it come the deals, and, apart
    from them, the learner's seat and the opponents' random numbers. So a lane plays the same matches
    whatever the number of lanes. A match that ends before the learner has decided anything is left
    out, and the next one begins.

    Attributes:
        states: ``(num_tables,)`` records of ``game.state``.
        tables: ``(num_tables,)`` records of ``TABLE``.
    """

    def __init__(
        self,
        game: Game | str,
        num_tables: int,
        opponents: Opponents,
        seat: int | None,
        observation: str,
        **options: Any,
    ) -> None:
        """Lay the tables; ``ValueError`` names an option that is wrong."""
        self.game = (get_game(game) if isinstance(game, str) else game).with_options(**options)
        check_choice("observation", observation, OBSERVATIONS)
        self.observation = observation
        self._seat = (
            RANDOM_SEAT if seat is None else check_range("seat", seat, 0, self.game.num_players - 1)
        )
        self.opponents, self._players = _seat_opponents(self.game, opponents)
        self.states = self.game.new_states(num_tables)
        self.states["stream"] = np.random.SeedSequence().generate_state(num_tables, np.uint64)
        self.tables = np.zeros(num_tables, TABLE)
        self.tables["decider"] = NOBODY
        self.lanes = np.arange(num_tables)
        self._views = np.zeros(1, self.game.view)
        self._mask = np.zeros(self.game.num_actions, np.int8)
        self._weights = np.zeros(self.game.num_actions)

    @property
    def ended(self) -> np.ndarray:
        """``(num_tables,)`` bool: no match is being played."""
        return self.tables["decider"] == NOBODY

    def seed(self, seeds: np.ndarray) -> None:
        """The next matches are those of ``seeds``, ``(num_tables,)`` uint64."""
        self.states["stream"] = seeds
        for number, policy in enumerate(self.opponents):
            sequence = np.random.SeedSequence(seeds.tolist(), spawn_key=(number,))
            policy.reset(int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1)))

    def begin(self, lanes: np.ndarray) -> None:
        """Begin the next match of lanes, ``(k,)`` integers, up to the learner's first decision."""
        while len(lanes):
            self._loop.begin(self.states, self.tables, self._players, lanes, self._seat)
            self._play_on()
            lanes = lanes[self.ended[lanes]]

    def act(self, actions: np.ndarray) -> None:
        """Every learner acts, ``(num_tables,)`` int64; on to its next decision or the match's end.

        Raises:
            RuntimeError: if an exception (Ctrl-C, a policy's own) left opponents in the middle.
        """
        if self._loop.opponent_decides(self.tables):
            raise RuntimeError(
                "the step before was interrupted while opponents played: call reset()"
            )
        self._loop.advance_learners(
            self.states, self.tables, self._players, actions, ILLEGAL_REWARD, self._mask
        )
        self._play_on()

    def take_pay(self) -> np.ndarray:
        """``(num_tables,)`` float64: what the learners were paid since this was last asked."""
        paid = self.tables["paid"].copy()
        self.tables["paid"] = 0
        return paid

    def _play_on(self) -> None:
        """The opponents play until every table waits for its learner, or has ended."""
        while self._loop.opponent_decides(self.tables):
            for number, policy in enumerate(self.opponents):
                # A subclass of it may act otherwise.
                if type(policy) is ScriptedPolicy:
                    _opponent_loop(
                        self.game.name, self.game.rules, self._loop, policy.name, policy.weigh
                    ).play_on(
                        self.states,
                        self.tables,
                        self._players,
                        number,
                        self._views,
                        self._mask,
                        self._weights,
                    )
                else:
                    self._ask(number, policy)

    def _ask(self, number: int, policy: Policy) -> None:
        """A policy that is not scripted decides once, wherever it has to."""
        lanes = np.flatnonzero(self.tables["decider"] == number)
        if len(lanes) == 0:
            return
        decisions = Decisions(
            np.zeros(len(lanes), self.game.view),
            np.zeros((len(lanes), self.game.compact_size), np.int8),
            np.zeros((len(lanes), self.game.num_actions), np.int8),
            self.game.history(self.states, lanes) if reads_history(policy) else None,
        )
        compact = decisions.observation.view(self.game.compact).reshape(-1)
        masks = decisions.action_mask
        self._loop.show_opponent(self.states, lanes, decisions.view, compact, masks)
        legal = masks.copy()  # the policy may write into what it is given
        actions = np.asarray(policy.act(decisions), np.int64)
        row = self.game.kernels.first_illegal(actions, legal)
        if row >= 0:
            raise ValueError(
                f"opponents: {policy.name} does {actions[row]}, which is illegal; "
                f"allowed: {np.flatnonzero(legal[row]).tolist()}"
            )
        self._loop.advance_opponent(self.states, self.tables, self._players, lanes, actions)

    def new_observations(self, rows: int) -> Observation:
        """Room for the observations of so many learners."""
        game = self.game
        mask = np.zeros((rows, game.num_actions), np.int8)
        if self.observation == "compact":
            return {
                "observation": np.zeros((rows, game.compact_size), np.int8),
                "action_mask": mask,
            }
        return {
            "observation": np.zeros((rows, game.max_tokens, len(game.token_highs)), np.int8),
            "token_mask": np.zeros((rows, game.max_tokens), np.int8),
            "action_mask": mask,
        }

    def observe(self, lanes: np.ndarray, out: Observation) -> Observation:
        """Write what the learners of lanes, ``(k,)`` integers, may know into ``out``, a row each."""
        shown, masks = out["observation"], out["action_mask"]
        if self.observation == "compact":
            compact = shown.view(self.game.compact).reshape(-1)
            self._loop.show_compact(self.states, self.tables, lanes, self._views, compact, masks)
        else:
            self._loop.show_history(
                self.states, self.tables, lanes, shown, out["token_mask"], masks
            )
        return out

    def action_masks(self) -> np.ndarray:
        """``(num_tables, game.num_actions)`` bool: what the learners may do now."""
        masks = np.zeros((len(self.states), self.game.num_actions), np.int8)
        self._loop.show_masks(self.states, self.tables, masks)
        return masks.view(np.bool_)

    @property
    def _loop(self) -> Kernels:
        return _table_loop(self.game.name, self.game.rules, self.game.kernels)


@cache
def _table_loop(name: str, rules: Rules, loop: Kernels) -> Kernels:
    """The loops over tables, loaded once a game, whatever its options."""
    functions = {**vars(rules), "act": loop.act, "settle": loop.settle}
    return bind(ENGINE / "table_loop.py", name, functions)


@compiled
def look_away(state: Any, seat: int, view: Any) -> None:
    """In place of a game's ``look``, for a player that reads nothing in its view."""


@cache
def _opponent_loop(
    name: str, rules: Rules, table_loop: Kernels, player: str, weigh: Callable[..., None]
) -> Kernels:
    """The loop in which a scripted player plays, loaded once a game and player."""
    functions = {
        "look": look_away if weigh is weigh_evenly else rules.look,
        "legal": rules.legal,
        "advance": table_loop.advance,
        "weigh": weigh,
    }
    return bind(ENGINE / "opponent_loop.py", f"{name}_{player}", functions)


def check_options(options: Mapping[str, Any] | None) -> None:
    """Refuse options of ``reset``; there are none."""
    if options:
        raise ValueError(f"options={options!r}: a reset has none; give them to the environment")


def _seat_opponents(game: Game, opponents: Opponents) -> tuple[list[Policy], np.ndarray]:
    """Each opponent once, and who has which seat, counted from the learner's to its left."""
    others = game.num_players - 1
    given = list(opponents) if isinstance(opponents, list | tuple) else [opponents] * others
    if len(given) != others:
        raise ValueError(
            f"opponents: {len(given)} are given; must be one for all seats, or {others}"
        )
    # A name stands for one and the same player, wherever it sits.
    keys = [each if isinstance(each, str) else id(each) for each in given]
    policies = {key: _policy_of(game, each) for key, each in zip(keys, given, strict=True)}
    numbers = [list(policies).index(key) for key in keys]
    return list(policies.values()), np.array([LEARNER, *numbers], np.int8)


def _policy_of(game: Game, opponent: Any) -> Policy:
    names = baselines(game)
    if isinstance(opponent, str):
        check_choice("opponents", opponent, names)
        return get_baseline(game, opponent)
    if not (hasattr(opponent, "act") and hasattr(opponent, "reset")):
        raise ValueError(
            f"opponents={opponent!r}: must be a policy or one of {', '.join(map(repr, names))}"
        )
    if isinstance(opponent, ScriptedPolicy) and opponent.game.name != game.name:
        raise ValueError(
            f"opponents: {opponent.name!r} plays {opponent.game.name}; must play {game.name}"
        )
    return opponent
