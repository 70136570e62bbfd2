"""Under My Bed at a table: what is private, and the catalogue of monsters and questions."""

from typing import Any

from masked_monsters.envs.game import Game
from masked_monsters.envs.under_my_bed.monsters import CHARACTERS, read_catalogue
from masked_monsters.envs.under_my_bed.phrases import question
from masked_monsters.envs.under_my_bed.state import KID, OUTCOMES, PHASES

PRIVATE = ("role", "voted")


def about(game: Game) -> dict[str, Any]:
    """What the numbers in a View stand for.

    ``attributes`` (``[[name, [values]]]``), ``monsters`` (``[{"name", "looks", "character"}]``, of the
    catalogue), ``questions`` (of the bank, as asked), ``kid`` (the role of the kid), ``phases`` and
    ``outcomes`` (names by number).
    """
    catalogue = read_catalogue(game.options["catalogue"], game.num_players)
    return {
        "attributes": [[name, list(values)] for name, values in catalogue.attributes],
        "monsters": [
            {
                "name": name,
                "looks": {
                    attribute: values[look]
                    for (attribute, values), look in zip(catalogue.attributes, looks, strict=True)
                },
                "character": CHARACTERS.get(name, ""),
            }
            for name, looks in zip(catalogue.names, catalogue.values, strict=True)
        ],
        "questions": [
            question(
                catalogue.attributes[attribute][0],
                None if value is None else catalogue.attributes[attribute][1][value],
            )
            for attribute, value in catalogue.questions
        ],
        "kid": KID,
        "phases": list(PHASES),
        "outcomes": list(OUTCOMES),
    }
