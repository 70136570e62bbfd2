"""Matches, and what an analysis finds in them."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from masked_monsters.envs.engine.phases import CHANCE
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.replay import Replay, Step, play_back, record
from masked_monsters.evaluation.table.analysis import analyse
from tests.evaluation.players import Drawing
from tests.games import weights

NEIGHBOR, BED = "monster_my_neighbor", "under_my_bed"
WORLDS = 100


@cache
def recorded(name: str, players: int = 4, seed: int = 3, **options: Any) -> Replay:
    """Of players who play at random."""
    game = get_game(name, num_players=players, **options)
    return record(game, [Drawing(weights(game)) for _ in range(players)], seed)


def hunters() -> Iterator[Replay]:
    """Matches with many Hunters, and few cards that move the Monster."""
    deck = {"wanted": 1, "hunter": 9, "hide": 3, "villager": 2, "friend": 2}
    game = get_game(NEIGHBOR, num_players=3, deck=deck)
    for seed in range(10):
        yield record(game, [Drawing() for _ in range(3)], seed)


@cache
def beds() -> list[tuple[Replay, list[dict[str, Any]]]]:
    """Matches of Under My Bed, and their decisions."""
    return [
        (replay, analysed(replay)[1]) for replay in (recorded(BED, 4, seed) for seed in range(7))
    ]


def analysed(replay: Replay, **how: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The head, and the decisions."""
    head, *decisions = analyse(replay, **{"worlds": WORLDS, **how})
    return head, decisions


def acts(replay: Replay) -> Iterator[tuple[int, Step]]:
    """Each action's number, and the states around it, chance included, found another way."""
    steps = list(play_back(replay))
    for number, step in enumerate(steps):
        if "action" in step.event:
            later = (other.after for other in steps[number:] if other.after["phase"][0] != CHANCE)
            yield number, step._replace(after=next(later))


def kinds(decision: dict[str, Any]) -> list[str]:
    return [mark["kind"] for mark in decision["marks"]]
