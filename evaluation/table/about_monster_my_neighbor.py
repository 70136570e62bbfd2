"""Monster My Neighbor at a table: what is private, and what each card does, in a sentence."""

from typing import Any

from masked_monsters.envs.game import Game
from masked_monsters.envs.monster_my_neighbor.state import CARDS, MONSTERS, PHASES

PRIVATE = ("hand", "known", "unseen", "pending", "monster")

HELP = {
    "wanted": "Who holds it begins, and plays it first. It does nothing else.",
    "hunter": "Choose anyone else: if they hold the Monster and nothing protects it, they must discard "
    "it and the round ends. Not on your first turn.",
    "hide": "While you hold it, Hunters cannot harm you; it is not shown. A Dog is not stopped by it.",
    "villager": "Nothing happens. Two face up let the Mermaid be played.",
    "dog": "Choose another player with a card: they discard one face down and take the Dog. A Monster "
    "is shown, and the round ends.",
    "rumor": "At once, everyone draws a random card from the right neighbor's hand.",
    "gossip": "At once, everyone gives a card of their choice to the left neighbor.",
    "steal": "Draw a random card of another player's hand, then give them one of yours.",
    "friend": "From now on you are on the Monster's side. Draw the deck's top card and put one of "
    "yours under it; if that is the Monster, you betray it.",
    "fog": "All hands are shuffled together and dealt out again.",
    "deal": "Choose another player: both secretly choose a card, and the two are swapped.",
    "monster": "Only as your last card, or by its own condition. Its player and every Friend gain 2 VP.",
}
MONSTER_HELP = {
    "vampire": "One VP more for its player when it is played.",
    "werewolf": "Hunters do nothing to a player whose only card it is.",
    "goomiho": "The round's first Hunter does nothing to its holder.",
    "mermaid": "May be played once two Villagers lie face up.",
    "mandrake": "May be played once two Hunters lie face up.",
}


def about(game: Game) -> dict[str, Any]:
    """``cards`` and ``monsters`` (names by number), ``help`` (by name), ``phases`` (names by number)."""
    return {
        "cards": list(CARDS),
        "monsters": list(MONSTERS),
        "help": {**HELP, **MONSTER_HELP},
        "phases": list(PHASES),
    }
