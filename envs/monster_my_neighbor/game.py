"""Monster My Neighbor as a ``Game``."""

from typing import Any

import numpy as np

from masked_monsters.envs.game import Game, Rules
from masked_monsters.envs.monster_my_neighbor import encode, rounds, rules, state, view, words
from masked_monsters.envs.monster_my_neighbor.bounds import bounds
from masked_monsters.envs.registry import GAMES

DEFAULTS = {
    "num_players": 4,
    "num_rounds": 5,
    "hand_size": 4,
    "deck": None,
    "reward": "vp",
    "tiebreak": "share",
}

RULES = Rules(
    start=rounds.start,
    legal=rules.legal,
    apply=rules.apply,
    chance=rules.chance,
    draw=rules.draw,
    resolve=rules.resolve,
    look=view.look,
    recall=view.recall,
    encode=encode.encode,
)


def make_game(**options: Any) -> Game:
    """The game with all of these options, see ``state.configure``."""
    record = np.zeros(1, state.STATE)
    state.configure(record[0], **options)
    return Game(
        name="monster_my_neighbor",
        title="Monster My Neighbor",
        version=GAMES["monster_my_neighbor"],
        state=state.STATE,
        view=view.VIEW,
        segments=encode.SEGMENTS,
        compact=encode.COMPACT,
        token_highs=view.TOKEN_HIGHS,
        max_tokens=view.MAX_TOKENS,
        actions=state.ACTIONS,
        options=options,
        record=record,
        bounds=bounds(record[0]),
        rules=RULES,
        words=words,
        choices=state.CHOICES,
    )
