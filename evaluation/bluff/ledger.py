"""The ledger: every act that says something, whether it was true, who believed it, what it paid."""

from collections.abc import Sequence

import numpy as np

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Policy, act_for, decisions_of, sample
from masked_monsters.evaluation.bluff.lens import Acts, Lens

ACT = np.dtype(
    [
        ("deal", np.int32),  # the cluster of its matches
        ("lane", np.int32),
        ("time", np.int16),  # of the match, in the lens's unit
        ("seat", np.int8),
        ("role", np.int8),
        ("phase", np.int8),
        ("kind", np.int8),
        ("own", np.int16),  # the how many-th act of its seat in the match, from 1
        ("open", np.int8),  # 1: it could have been hedged; -1: not asked
        ("hedged", np.int8),  # 1: it was
        ("consistent", np.int8),  # 1: some card fits it and all said before; -1: not asked
        ("challenged", np.int8),  # 1: somebody acted on not believing it, before the seat's next
        ("believed", np.float32),  # observers' mean probability that it is true; NaN: not measured
        ("truth", np.float32),  # observers' mean probability of the truth afterwards
        ("shift", np.float32),  # what the act changed in it, in bits; below 0: away from the truth
        ("leaked", np.float32),  # bits about the seat's secret that the act told a spectator
        ("other", np.float32),  # probability that one without the secret would do it
        ("gain", np.float32),  # what the act pays more than what the policy does on average there
        ("paid", np.float32),  # what the seat was paid from then on, up to the next cut
    ]
)


class Watch:
    """Keeps the ledger of player 0 of matches as they are played (``lanes.Watcher``).

    Player 0's actions are drawn by its ``probabilities``.
    """

    def __init__(
        self, game: Game, lens: Lens, deal_of: np.ndarray, close: np.ndarray, seed: int
    ) -> None:
        """Of matches that are about to begin.

        Args:
            game: the game.
            lens: for as many lanes.
            deal_of: ``(lanes,)``: the cluster of each match.
            close: ``(lanes,)`` bool: in which of them all is measured.
            seed: of the actions.
        """
        lanes = len(deal_of)
        self._game = game
        self._lens = lens
        self._deal_of = deal_of
        self._close = close
        self._random = np.random.default_rng(seed)
        self._last = np.full((lanes, game.num_players), -1)
        self._count = np.zeros((lanes, game.num_players), np.int16)
        self._size = 0
        self._rows: list[np.ndarray] = []
        self._step_of: list[np.ndarray] = []
        self._paid: list[np.ndarray] = []
        self._cut: list[np.ndarray] = []
        self._challenged: list[int] = []
        self.states: list[np.ndarray] = []
        """Of the acts in close matches, with ``actions`` and ``numbers``, those of their rows."""
        self.actions: list[np.ndarray] = []
        self.numbers: list[np.ndarray] = []

    def decide(
        self, policies: Sequence[Policy], decider: np.ndarray, batch: Batch, actions: np.ndarray
    ) -> None:
        """``lanes.Watcher``."""
        act_for([(1, policies[1])], decider, batch, actions)
        lanes = np.flatnonzero(decider == 0)
        if len(lanes):
            self._act(policies[0], lanes, batch, actions)
        playing = np.flatnonzero(decider >= 0)
        accused = self._lens.hear(playing, batch.states[playing], actions[playing])
        for lane, seat in zip(playing[accused >= 0], accused[accused >= 0], strict=True):
            if self._last[lane, seat] >= 0:
                self._challenged.append(int(self._last[lane, seat]))

    def _act(self, policy: Policy, lanes: np.ndarray, batch: Batch, actions: np.ndarray) -> None:
        probabilities = policy.probabilities(decisions_of(policy, batch, lanes))
        actions[lanes] = sample(probabilities, self._random)
        states = batch.states[lanes]
        found = self._lens.measure(
            Acts(lanes, states, actions[lanes], probabilities, policy, self._close[lanes])
        )
        said = np.flatnonzero(found["kind"] >= 0)
        rows = np.zeros(len(said), ACT)
        seats, lanes = states["to_move"][said], lanes[said]
        for name in ("believed", "truth", "shift", "leaked", "other", "gain"):
            rows[name] = np.nan
        rows["consistent"] = rows["open"] = -1
        for name, column in found.items():
            rows[name] = column[said]
        self._count[lanes, seats] += 1
        rows["deal"], rows["lane"], rows["seat"] = self._deal_of[lanes], lanes, seats
        rows["phase"], rows["own"] = states["phase"][said], self._count[lanes, seats]
        numbers = self._size + np.arange(len(said))
        self._last[lanes, seats] = numbers
        self._size += len(said)
        self._rows.append(rows)
        self._step_of.append(np.full(len(said), len(self._paid)))
        close = self._close[lanes]
        self.states.append(states[said][close])
        self.actions.append(actions[lanes][close])
        self.numbers.append(numbers[close])

    def stepped(self, batch: Batch, playing: np.ndarray) -> None:
        """``lanes.Watcher``."""
        self._paid.append(np.where(playing[:, None], batch.reward, 0))
        cut = batch.cut | batch.done
        self._cut.append(cut)
        self._last[cut] = -1

    def rows(self) -> np.ndarray:
        """Of all acts that say something, records of ``ACT``, once the matches are over."""
        if not self._rows:
            return np.zeros(0, ACT)
        rows, step_of = np.concatenate(self._rows), np.concatenate(self._step_of)
        rows["challenged"][self._challenged] = 1
        to_come = np.zeros_like(self._paid[0])
        ends = np.searchsorted(step_of, np.arange(len(self._paid) + 1))
        for step in range(len(self._paid) - 1, -1, -1):
            to_come = self._paid[step] + np.where(self._cut[step][:, None], 0, to_come)
            some = rows[ends[step] : ends[step + 1]]
            some["paid"] = to_come[some["lane"], some["seat"]]
        return rows
