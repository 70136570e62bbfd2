"""Evaluation by role, where the game deals roles."""

import numpy as np
import pytest

from masked_monsters.envs.policy import Decisions
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.lanes import dealt_roles, play
from masked_monsters.evaluation.match import evaluate, evaluate_roles
from tests.evaluation.players import Drawing, First, Last

GAME = get_game("under_my_bed", max_questions=2)
KID, MONSTER = 0, 1


def drawing() -> Drawing:
    player = Drawing()
    player.reset(0)
    return player


def test_the_roles_dealt_are_those_that_are_played() -> None:
    seeds = np.arange(200, dtype=np.uint64)
    dealt = dealt_roles(GAME, seeds)
    played = play(GAME, [drawing()], np.zeros((200, 4), np.int64), seeds)
    assert played.roles is not None
    assert (played.roles.role == dealt).all()
    assert ((dealt == KID).sum(axis=1) == 1).all()


def test_who_wins_is_the_kid_or_all_the_monsters() -> None:
    seeds = np.arange(300, dtype=np.uint64)
    played = play(GAME, [drawing()], np.zeros((300, 4), np.int64), seeds)
    assert played.roles is not None
    kid_won = played.won[played.roles.role == KID]
    monsters_won = played.won[played.roles.role == MONSTER].reshape(-1, 3)
    assert (monsters_won == ~kid_won[:, None]).all()
    assert GAME.roles is not None
    ends = np.array(GAME.roles.outcomes)[played.roles.outcome]
    kids_ends = np.isin(ends, ("wrong_accusal", "checked_right", "time"))
    assert (kids_ends == kid_won).all()
    assert played.roles.length.max() == 2


@pytest.mark.parametrize("players", [3, 5])
def test_the_agent_is_the_kid_once_a_deal_and_a_monster_otherwise(players: int) -> None:
    game = GAME.with_options(num_players=players)
    kid, monster = evaluate(game, Drawing(), First(), matches=60 * players).roles
    assert (kid.role, kid.matches) == ("kid", 60)
    assert (monster.role, monster.matches) == ("monster", 60 * (players - 1))
    for result in (kid, monster):
        assert sum(share.mean for share in result.outcomes.values()) == pytest.approx(1)


def test_among_copies_of_one_player_both_roles_tell_of_the_same_matches() -> None:
    kid, monster = evaluate(GAME, First(), First(), matches=400).roles
    assert kid.win.mean == pytest.approx(1 - monster.win.mean)
    for name, share in kid.outcomes.items():
        assert share.mean == pytest.approx(monster.outcomes[name].mean)


def test_a_pair_by_role_plays_the_kid_against_all_others() -> None:
    """The same deals as ``evaluate``, where the agent is the kid: these players draw no numbers."""
    (pair,) = evaluate_roles(GAME, [First(), Last()], [(0, 1)], matches=50, seed=3)
    as_kid = evaluate(GAME, First(), Last(), matches=200, seed=3).roles[KID]
    assert pair == as_kid


def test_roles_give_the_same_numbers_with_any_number_of_workers() -> None:
    pairs = [(0, 1), (1, 0)]
    results = [
        evaluate_roles(GAME, [Drawing(), First()], pairs, matches=300, seed=1, workers=workers)
        for workers in (1, 2)
    ]
    assert results[0] == results[1]


def test_a_game_without_roles_is_refused() -> None:
    game = get_game("monster_my_neighbor")
    with pytest.raises(ValueError, match="monster_my_neighbor: deals no roles"):
        evaluate_roles(game, [First()], [(0, 0)], matches=10)
    assert evaluate(game, First(), First(), matches=8).roles == ()


def test_the_interval_of_a_fair_share_covers_it() -> None:
    """A kid that checks at once is right once in four matches."""

    class Checks(First):
        def act(self, decisions: Decisions) -> np.ndarray:
            checks = decisions.action_mask.copy()
            checks[:, :-8] = 0
            return np.where(checks.any(axis=1), checks.argmax(axis=1), super().act(decisions))

    covered = 0
    for seed in range(20):
        (result,) = evaluate_roles(GAME, [Checks(), Last()], [(0, 1)], matches=200, seed=seed)
        found = result.outcomes["checked_right"]
        covered += found.low <= 0.25 <= found.high
    assert covered >= 16


def test_the_command_prints_both_tables(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--game", "under_my_bed", "--option", "max_questions=2", "--matches", "40"]
    assert main(["evaluate", "random", "--against", "blurter", *arguments]) == 0
    told = capsys.readouterr().out
    for word in ("By role", "kid", "monster", "kid caught", "checked right", "time"):
        assert word in told
    assert main(["crosstable", "random", "honest", "--by-role", *arguments]) == 0
    assert "Matches won by the kid: each row's player is the kid" in capsys.readouterr().out


def test_every_player_beats_a_random_one_in_both_roles() -> None:
    names = ("random", "blurter", "honest", "mimic", "trickster")
    players = [get_baseline(get_game("under_my_bed"), name) for name in names]
    game = get_game("under_my_bed")
    (base, *cells) = evaluate_roles(
        game,
        players,
        [
            (0, 0),
            *((number, 0) for number in range(1, 5)),
            *((0, number) for number in range(1, 5)),
        ],
        matches=300,
    )
    for cell in cells[:4]:
        assert cell.win.low > base.win.high
    for cell in cells[4:]:
        assert cell.win.mean < base.win.mean + 0.03
