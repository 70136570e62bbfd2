"""Under My Bed as a ``Game``."""

from typing import Any

import numpy as np

from masked_monsters.envs.engine.segments import slices
from masked_monsters.envs.game import Game, Roles, Rules
from masked_monsters.envs.registry import GAMES
from masked_monsters.envs.under_my_bed import dealing, encode, rules, state, view, words
from masked_monsters.envs.under_my_bed.bounds import bounds

DEFAULTS = {
    "num_players": 4,
    "max_questions": state.THREE_EACH,
    "window_order": "random",
    "first_asker": None,
    "catalogue": None,
    "hedging": True,
}

RULES = Rules(
    start=dealing.start,
    legal=rules.legal,
    apply=rules.apply,
    chance=dealing.chance,
    draw=dealing.draw,
    resolve=dealing.resolve,
    look=view.look,
    recall=view.recall,
    encode=encode.encode,
)

ROLES = Roles(
    names=("kid", "monster"),
    of=lambda states: (states["role"][:, : states["num_players"].max()] != state.KID).astype(
        np.int64
    ),
    entry=slices(encode.SEGMENTS)["role"].start + state.KID,
    outcomes=state.OUTCOMES,
    outcome=lambda states: states["outcome"],
    length_unit="questions",
    length=lambda states: states["num_asked"],
)


def make_game(**options: Any) -> Game:
    """The game with all of these options, see ``state.configure``."""
    record = np.zeros(1, state.STATE)
    catalogue = state.configure(record[0], **options)
    actions = words.action_names(catalogue)
    if len(set(actions)) < len(actions):
        raise ValueError(
            "catalogue: attributes and values must have names that differ in upper case, also when "
            "joined by '_'"
        )
    return Game(
        name="under_my_bed",
        title="Under My Bed",
        version=GAMES["under_my_bed"],
        state=state.STATE,
        view=view.VIEW,
        segments=encode.SEGMENTS,
        compact=encode.COMPACT,
        token_highs=view.TOKEN_HIGHS,
        max_tokens=view.max_tokens(int(record["num_players"][0]), int(record["max_questions"][0])),
        actions=actions,
        options=options,
        record=record,
        bounds=bounds(record[0]),
        rules=RULES,
        words=words.Words(catalogue),
        roles=ROLES,
        choices=state.CHOICES,
    )
