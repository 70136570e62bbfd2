"""Everything there is in a match of Monster My Neighbor: one record."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from masked_monsters.envs.engine.chance import MAX_COUNT
from masked_monsters.envs.engine.phases import COMMON_FIELDS, FIRST_DECISION, MAX_PLAYERS
from masked_monsters.envs.errors import check_choice, check_range

NOBODY = -1
"""No seat; also no card, no monster, no end yet."""

CARDS = (
    "wanted", "hunter", "hide", "villager", "dog", "rumor",
    "gossip", "steal", "friend", "fog", "deal", "monster",
)  # fmt: skip
(
    WANTED, HUNTER, HIDE, VILLAGER, DOG, RUMOR,
    GOSSIP, STEAL, FRIEND, FOG, DEAL, MONSTER,
) = range(12)  # fmt: skip
NUM_CARDS = len(CARDS)
NUM_GENERAL = NUM_CARDS - 1  # all but the monster (M2)
DEFAULT_DECK: Mapping[str, int] = dict(
    zip(CARDS, (1, 4, 5, 4, 1, 3, 3, 2, 4, 2, 4), strict=False)
)  # M2

MONSTERS = ("vampire", "werewolf", "goomiho", "mermaid", "mandrake")  # M3
VAMPIRE, WEREWOLF, GOOMIHO, MERMAID, MANDRAKE = range(5)
NUM_MONSTERS = len(MONSTERS)

FIRST_PLAYER_ACTION = NUM_CARDS  # 12 … 18: the 1st … 7th seat to my left
FOLD = 19
NUM_ACTIONS = 20
ACTIONS = (
    *(card.upper() for card in CARDS),
    *(f"PLAYER_{k}_TO_MY_LEFT" for k in range(1, MAX_PLAYERS)),
    "FOLD",
)

PHASES = (
    "chance", "over", "play", "target", "give", "return", "dog_discard", "friend_discard",
)  # fmt: skip
PLAY, TARGET, GIVE, RETURN, DOG_DISCARD, FRIEND_DISCARD = range(FIRST_DECISION, len(PHASES))

# What chance decides next, in the phase CHANCE.
DRAW_MONSTER, DRAW_STARTING_DECK, DEAL_HAND, RUMOR_DRAW, STEAL_DRAW, FRIEND_DRAW = range(6)

ENDS = ("played", "hunted", "dogged", "betrayed")  # how a round can end (M26 to M28)
PLAYED, HUNTED, DOGGED, BETRAYED = range(4)

MAX_HAND = 4
MAX_ROUNDS = 5
MAX_EXTRA_ROUNDS = 5  # M30
MAX_TURNS = MAX_PLAYERS * MAX_HAND
MAX_VP = 3 * (MAX_ROUNDS + MAX_EXTRA_ROUNDS)
# Every seat's first hand; 24 turns that can move a card of everyone (M11: not the last one each);
# 8 last cards with at most four events (a Steal: played, aimed, drawn, given back).
MAX_EVENTS = MAX_PLAYERS + 24 * (1 + MAX_PLAYERS) + 8 * 4

STATE = np.dtype(
    [
        *COMMON_FIELDS,
        # options
        ("hand_size", np.int8),  # M4: 2 … 4
        ("num_rounds", np.int8),  # M30: 1 … 5
        ("pays_wins", np.int8),  # 0: reward="vp", 1: reward="win"
        ("breaks_ties", np.int8),  # 0: tiebreak="share", 1: tiebreak="rounds" (M30)
        ("composition", np.int8, NUM_GENERAL),  # the general deck's cards by type (M2)
        # the match
        ("vp", np.int8, MAX_PLAYERS),  # 0 … 30
        ("monsters_seen", np.int8, MAX_ROUNDS + MAX_EXTRA_ROUNDS),  # of the rounds before; else -1
        ("monster_deck", np.int8, NUM_MONSTERS),  # 1: still in the monster deck
        ("winner", np.int8, MAX_PLAYERS),  # 1 for each winner, once over
        ("last_end", np.int8),  # how the round before ended; -1: none has
        ("last_monster_player", np.int8),  # M29
        ("last_by", np.int8),  # who played or caught the Monster
        ("gains", np.int8, MAX_PLAYERS),  # VP gained in that round, 0 … 3
        # the round
        ("monster", np.int8),  # 0 … 4; -1 until drawn
        ("turn", np.int8),  # whose turn it is; -1 in the set-up
        ("turns", np.int8, MAX_PLAYERS),  # turns taken, 0 … 4
        ("hands", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # cards by type
        ("hand_sizes", np.int8, MAX_PLAYERS),  # 0 … 4; while hands are dealt, what they will be
        ("table", np.int8, (MAX_PLAYERS, MAX_HAND)),  # face-up cards in the order played; else -1
        ("table_size", np.int8, MAX_PLAYERS),
        ("face_down", np.int8, (MAX_PLAYERS, MAX_HAND)),  # in the order laid; else -1
        ("face_down_size", np.int8, MAX_PLAYERS),
        ("deck", np.int8, NUM_CARDS),  # the general deck's cards still in random order
        ("buried", np.int8, MAX_TURNS),  # cards put under it (M21), the oldest first
        ("buried_size", np.int8),
        ("friend", np.int8, MAX_PLAYERS),  # 1: has played a Friend
        ("hunters_played", np.int8),
        ("villagers_played", np.int8),
        # what is being resolved
        ("resolving", np.int8),  # a card, else -1
        ("by", np.int8),  # who played it, else -1
        ("target", np.int8),  # whom it is aimed at, else -1
        ("passing", np.int8, MAX_PLAYERS),  # the card each is about to pass on; -1: none yet
        ("chance", np.int8),  # what chance decides next
        ("chance_seat", np.int8),  # for whom
        ("pool", np.int8, NUM_CARDS),  # cards about to be dealt (M5, M20)
        # memory: see memory.py
        ("knows_monster", np.int8, MAX_PLAYERS),  # 1: has held or seen it this round
        ("known", np.int64, (MAX_PLAYERS, MAX_PLAYERS)),  # [observer, holder]: a code of cards
        ("events", np.uint8, (MAX_EVENTS, 4)),  # what happened in the round, in order
        ("num_events", np.int16),
    ],
    align=True,
)


CHOICES: Mapping[str, Sequence[Any]] = {
    "num_players": range(3, MAX_PLAYERS + 1),
    "num_rounds": range(1, MAX_ROUNDS + 1),
    "hand_size": range(2, MAX_HAND + 1),
    "reward": ("vp", "win"),
    "tiebreak": ("share", "rounds"),
}
"""What an option can be, for those of which a few values are all."""


def configure(
    state: Any,
    *,
    num_players: int,
    num_rounds: int,
    hand_size: int,
    deck: Mapping[str, int] | None,
    reward: str,
    tiebreak: str,
) -> None:
    """Write a match's options into its record; ``ValueError`` names what is wrong.

    Args:
        state: a record of ``STATE``.
        num_players: 3 to 8 (M1).
        num_rounds: 1 to 5 (M30).
        hand_size: 2 to 4 (M4).
        deck: cards by name, or None for the published deck's composition (M2).
        reward: ``"vp"`` pays victory points at each round's end, ``"win"`` the match (M30).
        tiebreak: ``"share"`` or ``"rounds"`` (M30).
    """
    state["num_players"] = _number("num_players", num_players)
    state["num_rounds"] = _number("num_rounds", num_rounds)
    state["hand_size"] = _number("hand_size", hand_size)
    state["pays_wins"] = check_choice("reward", reward, CHOICES["reward"])
    state["breaks_ties"] = check_choice("tiebreak", tiebreak, CHOICES["tiebreak"])
    composition: Mapping[str, int] = DEFAULT_DECK if deck is None else deck
    _check_deck(composition, hand_size * num_players - 1)
    state["composition"] = [composition.get(card, 0) for card in CARDS[:NUM_GENERAL]]


def _number(option: str, value: Any) -> int:
    return check_range(option, value, CHOICES[option][0], CHOICES[option][-1])


def _check_deck(deck: Mapping[str, int], least: int) -> None:
    """M2, and at most 31 cards of a type."""
    if not isinstance(deck, Mapping):
        raise ValueError(f"deck={deck!r}: must be a mapping of card names to counts, or None")
    for card, count in deck.items():
        if card not in CARDS[:NUM_GENERAL]:
            raise ValueError(
                f"deck: unknown card {card!r}; allowed: {', '.join(CARDS[:NUM_GENERAL])}"
            )
        check_range(f"deck[{card!r}]", count, 0, MAX_COUNT)
    if deck.get("wanted", 0) != 1:
        raise ValueError(f"deck: needs exactly 1 'wanted', has {deck.get('wanted', 0)}")
    for card in ("hunter", "hide"):
        if not deck.get(card, 0):
            raise ValueError(f"deck: needs at least 1 {card!r}, has 0")
    if sum(deck.values()) < least:
        raise ValueError(
            f"deck: needs at least {least} cards (hand_size * num_players - 1), has {sum(deck.values())}"
        )
