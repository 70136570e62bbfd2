"""Judgements of who is the kid."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from masked_monsters.envs.batch import Batch
from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.game import Game
from masked_monsters.envs.policy import Decisions, Policy
from masked_monsters.envs.registry import get_game
from masked_monsters.envs.under_my_bed.state import KID
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.bluff.detection import (
    Detection,
    Judged,
    Judgements,
    detect,
    detected,
)
from masked_monsters.evaluation.bluff.watching import watch
from masked_monsters.evaluation.lanes import play
from masked_monsters.evaluation.replay import game_of, load, play_back
from tests.evaluation.players import Drawing, First
from tests.games import weights

GAME = get_game("under_my_bed")
GOLDEN = Path(__file__).parents[1] / "golden"
MONSTER = 1


class Timid(Drawing):
    """Any legal action, each its own chance; checks and agreement are rare, so that much is judged."""

    name = "timid"

    def __init__(self) -> None:
        super().__init__(weights(GAME) * np.linspace(1, 2, GAME.num_actions))

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        liking = decisions.action_mask * self.weights
        return liking / liking.sum(axis=1, keepdims=True)


def _rows(judgements: Judgements) -> list[tuple[Any, ...]]:
    return list(zip(*(values.tolist() for values in judgements), strict=True))


# ---------------------------------------------------------------- what is kept


def test_a_golden_game_has_the_judgements_that_its_text_tells_of() -> None:
    """See under_my_bed_wrong_accusal.txt, events 9 to 18: player_2 is the kid."""
    replay = load(GOLDEN / "under_my_bed_wrong_accusal.json")
    game = game_of(replay)
    detection = Detection(game, np.zeros(1, np.int64), np.random.default_rng(0))
    for step in play_back(replay):
        if step.before["phase"][0] != CHANCE:
            mask = np.zeros((1, game.num_actions))
            game.kernels.list_legal(step.before, 0, mask[0])
            detection.see(step.before, np.array([9]), mask / mask.sum())
    votes, accusals = detection.records
    assert _rows(votes) == [
        (9, 0, MONSTER, 2, 0.5, True),  # 11: player_0 on player_1's accusal of player_2
        (9, 1, MONSTER, 0, 0.5, False),  # 18: player_1 on player_2's accusal of player_0
    ]
    assert sorted(_rows(accusals)) == [  # not in 12: the kid, once more, after the failed accusal
        (9, 1, MONSTER, 0, 1 / 3, False),  # 9: it may accuse either, or pass
        (9, 1, MONSTER, 2, 1 / 3, True),
        (9, 2, 0, 0, 1 / 6, False),  # 16: the kid may also check any of three slots
        (9, 2, 0, 1, 1 / 6, False),
    ]


class _Twice:
    """Detection, and beside it the same judgements out of the states as words."""

    def __init__(self, game: Game, games: np.ndarray, random: np.random.Generator) -> None:
        self.detection = Detection(game, games, random)
        self.games = games
        self.votes: list[tuple[Any, ...]] = []
        self.accusals: list[tuple[Any, ...]] = []

    @property
    def records(self) -> tuple[Judged, list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        return self.detection.records, self.votes, self.accusals

    def decide(
        self, policies: Sequence[Policy], decider: np.ndarray, batch: Batch, actions: np.ndarray
    ) -> None:
        game = batch.game
        for lane in np.flatnonzero(decider == 0):
            god = game.words.god_view(batch.states[lane])
            me, kid = god["to_move"], god["roles"].index("kid")
            legal = {game.actions[action] for action in np.flatnonzero(batch.action_mask[lane])}
            of = int(self.games[lane]), me, int(me != kid)
            chances = dict(
                zip(game.actions, self._chances(policies[0], batch, int(lane)), strict=True)
            )
            if god["phase"] == "vote":
                accused = god["accusation"]["accused"]
                self.votes.append((*of, accused, chances["AGREE"], accused == kid))
            elif god["phase"] == "window":
                for k in range(1, game.num_players):
                    if (
                        name := next(n for n in game.actions if n.startswith(f"PLAYER_{k}_"))
                    ) in legal:
                        seat = (me + k) % game.num_players
                        self.accusals.append((*of, seat, chances[name], seat == kid))
        self.detection.decide(policies, decider, batch, actions)

    def _chances(self, policy: Policy, batch: Batch, lane: int) -> list[float]:
        row = slice(lane, lane + 1)
        decisions = Decisions(batch.view[row], batch.observation[row], batch.action_mask[row])
        return policy.probabilities(decisions)[0].tolist()

    def stepped(self, batch: Batch, playing: np.ndarray) -> None:
        self.detection.stepped(batch, playing)


@pytest.mark.parametrize("players", [3, 5])
def test_what_is_kept_is_what_the_states_say_in_words(players: int) -> None:
    game = GAME.with_options(num_players=players)
    ((judged, votes, accusals),) = watch(game, Timid(), Timid(), _Twice, games=40, seed=1)
    assert len(votes) > 20
    assert len(accusals) > 100
    for found, expected in ((judged.votes, votes), (judged.accusals, accusals)):
        assert sorted(_rows(found)) == sorted(expected)
        assert {row[1] for row in _rows(found)} == set(range(players))


def test_only_policy_0_is_judged_and_every_policy_is_asked_once_for_what_it_then_does() -> None:
    class Sure(First):
        """Certain of its action, which is the first one."""

        asked = 0

        def act(self, decisions: Decisions) -> np.ndarray:
            raise AssertionError

        def probabilities(self, decisions: Decisions) -> np.ndarray:
            Sure.asked += len(decisions.action_mask)
            return np.eye(GAME.num_actions)[super().act(decisions)]

    seeds, seating = np.arange(30, dtype=np.uint64), np.ones((30, 4), np.int64)
    detection = Detection(GAME, np.arange(30), np.random.default_rng(0))
    played = play(GAME, [Sure(), Sure()], seating, seeds, detection)
    as_first = play(GAME, [First(), First()], seating, seeds)
    assert (played.score == as_first.score).all()
    assert Sure.asked == played.decisions == as_first.decisions
    assert [len(judgements.game) for judgements in detection.records] == [0, 0]


# ---------------------------------------------------------------- how good they are


class Knowing(Drawing):
    """Told who is the kid: agrees and accuses rightly more often than wrongly."""

    name = "knowing"

    def told(self, kid: np.ndarray, accused: np.ndarray) -> None:
        """The kid's seat, and the accused's, in each of its next decisions."""
        self.kid, self.accused = kid, accused

    def probabilities(self, decisions: Decisions) -> np.ndarray:
        liking = decisions.action_mask * weights(GAME)
        rows = np.arange(len(liking))
        right = self.kid == self.accused
        liking[:, GAME.actions.index("AGREE")] *= np.where(right, 30, 3)
        k = (self.kid - decisions.view["seat"]) % GAME.num_players
        liking[rows[k > 0], k[k > 0] - 1] *= 1.5
        return liking / liking.sum(axis=1, keepdims=True)


class _Telling(Detection):
    """The back door."""

    def decide(
        self, policies: Sequence[Policy], decider: np.ndarray, batch: Batch, actions: np.ndarray
    ) -> None:
        states = batch.states[decider == 0]
        judge = policies[0]
        assert isinstance(judge, Knowing)
        accused = states["accused"][np.arange(len(states)), states["num_asked"] - 1]
        judge.told((states["role"] == KID).argmax(axis=1), accused)
        super().decide(policies, decider, batch, actions)


def test_a_judge_that_knows_has_an_area_of_1() -> None:
    parts = watch(GAME, Knowing(), Timid(), _Telling, games=120)
    for judgements in parts[0]:
        found = detected(judgements.of_role(MONSTER))
        assert found is not None
        assert found.auroc is not None
        assert (found.auroc.mean, found.auroc.low, found.auroc.high) == (1, 1, 1)
        assert 20 < found.games < found.count


def test_a_judge_that_is_blind_has_an_area_of_one_half() -> None:
    for judgements in detect(GAME, Drawing(), Timid(), games=120):
        found = detected(judgements.of_role(MONSTER))
        assert found is not None
        assert found.auroc is not None
        assert (found.auroc.mean, found.auroc.low, found.auroc.high) == (0.5, 0.5, 0.5)
        assert [row.count for row in found.calibration] == [found.count]


def test_of_a_monsters_accusals_one_in_so_many_others_concerns_the_kid() -> None:
    found = detected(detect(GAME, Timid(), Timid(), games=30).accusals.of_role(MONSTER))
    assert found is not None
    assert found.base_rate.mean == pytest.approx(1 / 3, abs=1e-12)


def test_too_few_games_have_no_quality() -> None:
    judged = detect(GAME, Drawing(), Drawing(), games=1, seed=3)
    assert detected(judged.votes) is None
    assert detected(judged.accusals) is None


def test_judgements_do_not_depend_on_the_workers_and_do_on_the_seed() -> None:
    players = get_baseline(GAME, "random"), get_baseline(GAME, "trickster")
    first, second, other = (
        detect(GAME, *players, games=300, seed=seed, workers=workers)
        for seed, workers in ((1, 1), (1, 2), (2, 1))
    )
    assert _rows(first.accusals) == _rows(second.accusals)
    assert _rows(first.votes) == _rows(second.votes)
    assert _rows(first.accusals) != _rows(other.accusals)
    assert max(first.accusals.game) > 256


def test_another_game_is_refused() -> None:
    other = get_game("monster_my_neighbor")
    with pytest.raises(ValueError, match="game='monster_my_neighbor': must be 'under_my_bed'"):
        detect(other, Drawing(), Drawing(), games=2)
    with pytest.raises(ValueError, match="games=0"):
        detect(GAME, Drawing(), Drawing(), games=0)
