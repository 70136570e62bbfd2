"""Reduced games: the full rules with few cards or questions, small enough to be solved exactly."""

from collections.abc import Mapping
from typing import Any

from masked_monsters.envs.errors import check_choice
from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import get_game


def _monster_my_neighbor(**options: Any) -> tuple[str, Mapping[str, Any]]:
    """One round of three players with two cards each, unless the options say otherwise."""
    return "monster_my_neighbor", {"num_players": 3, "hand_size": 2, "num_rounds": 1, **options}


def _deck(**cards: int) -> Mapping[str, int]:
    return {"wanted": 1, "hunter": 1, "hide": 1, **cards}


def _under_my_bed(*monsters: str, **options: Any) -> tuple[str, Mapping[str, Any]]:
    """Monsters of two attributes, polled clockwise after seat 0 has asked, unless options say more."""
    return "under_my_bed", {
        "num_players": len(monsters),
        "window_order": "clockwise",
        "first_asker": 0,
        "catalogue": {
            "attributes": {"eyes": ["one", "two"], "skin": ["fur", "slime"]},
            "monsters": {
                looks: dict(zip(("eyes", "skin"), looks.split(), strict=True)) for looks in monsters
            },
        },
        **options,
    }


THREE = ("one fur", "one slime", "two fur")
REDUCED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "mmn-tiny": _monster_my_neighbor(deck=_deck(villager=1, rumor=1, steal=1)),
    "mmn-small": _monster_my_neighbor(
        deck=_deck(hunter=3, hide=2, villager=2, gossip=2, steal=2, deal=2)
    ),
    "mmn-medium": _monster_my_neighbor(deck=None),
    "mmn-four": _monster_my_neighbor(
        num_players=4, deck=_deck(hunter=2, villager=2, rumor=1, gossip=1, deal=1)
    ),
    "mmn-large": _monster_my_neighbor(
        hand_size=3, deck=_deck(hunter=3, villager=2, rumor=1, steal=1)
    ),
    "umb-tiny": _under_my_bed(*THREE, max_questions=1),
    "umb-small": _under_my_bed(*THREE, max_questions=1, window_order="random", first_asker=None),
    "umb-medium": _under_my_bed(*THREE, max_questions=2),
    "umb-four": _under_my_bed(*THREE, "two slime", max_questions=1),
    "umb-large": _under_my_bed(*THREE, max_questions=2, window_order="random", first_asker=None),
}
"""By name, the game and its options. A changed one would be another game under the same name: make a
new name instead."""


def reduced_game(name: str) -> Game:
    """The reduced game of that name; ``ValueError`` lists the names there are."""
    check_choice("reduced game", name, tuple(REDUCED))
    game, options = REDUCED[name]
    return get_game(game, **options)
