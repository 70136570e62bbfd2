"""The ledger of a game whose bluffing rates are published: Kuhn poker (1950)."""

import numpy as np
import pytest

from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, sample
from masked_monsters.evaluation.bluff.lens import Acts
from masked_monsters.evaluation.bluff.profile import Entry, keep_ledger, summarize
from masked_monsters.evaluation.estimate import Estimate
from masked_monsters.evaluation.exact.solve import CFR
from masked_monsters.evaluation.exact.tree import _Walk, build_tree
from tests.kuhn import BET, kuhn_poker

CARDS = ("jack", "queen", "king")


class KuhnLens:
    """Whoever may open says something by it."""

    roles: tuple[str, ...] = tuple(
        f"{seat}, {card}" for seat in ("first", "second") for card in CARDS
    )
    kinds: tuple[str, ...] = ("check", "bet")
    truth: tuple[str, ...] = ("",) * 6
    phases: tuple[str, ...] = ("", "", "betting")
    observers = "nobody is asked"

    def measure(self, acts: Acts) -> dict[str, np.ndarray]:
        states, seats = acts.states, acts.states["to_move"].astype(int)
        cards = states["card"][np.arange(len(seats)), seats]
        bet_before = (states["num_done"] > 0) & (states["done"][:, 0] == BET)
        opens = ~bet_before & (states["num_done"] < 2)
        return {
            "role": 3 * seats + cards,
            "kind": np.where(opens, acts.actions, -1),
            "time": states["num_done"],
        }

    def hear(self, lanes: np.ndarray, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        return np.full(len(lanes), -1)


class Tabular:
    """Plays a strategy of a tree."""

    name = "cfr"

    def __init__(self, rows: dict[bytes, np.ndarray]) -> None:
        self.rows = rows

    def reset(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def act(self, decisions: Decisions) -> np.ndarray:
        return sample(self.probabilities(decisions), self.random)

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        return np.stack([self.rows[row.tobytes()] for row in decisions.observation])


def equilibrium(game: Game) -> Tabular:
    tree = build_tree(game)
    cfr = CFR(tree, "cfr+")
    cfr.run(1000)
    rows = {}
    for first, decisions in _Walk(game, tree.histories).information_states(False):
        for number, row in enumerate(decisions.observation):
            sequences = tree.states[first + number]["first"] + np.arange(2)
            rows[row.tobytes()] = cfr.average[sequences]
    return Tabular(rows)


def make_lens(game: Game, lanes: int, observers: str | None, seed: int) -> KuhnLens:
    return KuhnLens()


@pytest.fixture(scope="module")
def entries() -> dict[tuple[str, str], Entry]:
    game = kuhn_poker()
    policy = equilibrium(game)
    ledger = keep_ledger(
        game, policy, policy, matches=20_000, rollouts=0, seed=0, make_lens=make_lens
    )
    return {(entry.role, entry.kind): entry for entry in summarize(ledger)}


def share_of(entry: Entry) -> Estimate:
    assert entry.share is not None
    return entry.share


def test_the_ledger_has_the_bluffing_rate_of_the_strategy_within_its_interval(
    entries: dict[tuple[str, str], Entry],
) -> None:
    policy = equilibrium(kuhn_poker())
    observation = np.zeros((1, kuhn_poker().compact_size), np.int8)
    observation[0, 0] = 1  # a jack, before anything has been done
    exact = policy.rows[observation.tobytes()][BET]
    found = share_of(entries["first, jack", "bet"])
    assert 0 < exact <= 1 / 3 + 1e-3
    assert found.low <= exact <= found.high
    assert found.half_width < 0.02


def test_the_second_player_bluffs_with_a_third_of_its_jacks(
    entries: dict[tuple[str, str], Entry],
) -> None:
    found = share_of(entries["second, jack", "bet"])
    assert found.low <= 1 / 3 <= found.high
    assert found.half_width < 0.02


def test_nobody_opens_with_a_queen_before_the_other_has_checked(
    entries: dict[tuple[str, str], Entry],
) -> None:
    assert entries.get(("first, queen", "bet")) is None or (
        share_of(entries["first, queen", "bet"]).mean < 0.01
    )
    assert share_of(entries["second, king", "bet"]).mean > 0.99


def test_a_bluff_pays_what_was_won_or_lost_with_it(entries: dict[tuple[str, str], Entry]) -> None:
    # The second player's jack, bet after a check, wins 1 from a queen that folds and loses 2 to one
    # who calls; in equilibrium that is as good as to check and lose 1.
    paid = entries["second, jack", "bet"].measures["paid"]
    assert paid is not None
    assert paid.low <= -1 <= paid.high
    check = entries["second, jack", "check"].measures["paid"]
    assert check is not None
    assert check.mean == -1
