"""The catalogue of monsters (B2): what one can look like, and who looks like that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

MAX_MONSTERS = 32
MAX_ATTRIBUTES = 8
MIN_VALUES, MAX_VALUES = 2, 4

ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "eyes": ("one", "two", "three", "many"),
    "colour": ("red", "green", "blue", "purple"),
    "skin": ("fur", "scales", "slime", "feathers"),
    "limbs": ("claws", "tentacles", "wings"),
    "head": ("horns", "antennae", "bare"),
    "mouth": ("fangs", "beak", "none"),
    "size": ("small", "medium", "huge"),
    "scene": ("day", "night"),
}

MONSTERS: Mapping[str, str] = {
    "Mopwick": "three purple fur tentacles bare beak huge night",
    "Gloamtwig": "many blue feathers wings antennae fangs medium night",
    "Slurrow": "one purple slime wings antennae none huge night",
    "Pipquill": "one red feathers tentacles horns beak small night",
    "Grumbelow": "one blue fur claws horns none huge day",
    "Skittermaw": "three blue scales claws bare beak medium day",
    "Oozelby": "three purple slime tentacles horns none medium day",
    "Feathergast": "many red feathers claws antennae none small day",
    "Dribblehorn": "many red slime claws horns fangs huge night",
    "Humdrumple": "one green feathers tentacles bare fangs huge day",
    "Flapsodden": "two red slime wings antennae beak medium day",
    "Scalawink": "many green scales wings horns beak huge day",
    "Bluntwhistle": "two blue slime tentacles bare none small night",
    "Fuzzlewing": "three green fur wings antennae fangs small day",
    "Thistlegulp": "two green feathers claws antennae beak huge night",
    "Nibbershade": "two purple scales wings horns fangs small night",
}
"""By name, a value of each attribute, in their order."""

CHARACTERS: Mapping[str, str] = {
    "Mopwick": "sweeps up the crumbs, and whoever dropped them",
    "Gloamtwig": "perches on the curtain rail and counts sleepers",
    "Slurrow": "drips from the ceiling, one drop a minute",
    "Pipquill": "scribbles its name inside your shoes",
    "Grumbelow": "complains about the mattress from underneath",
    "Skittermaw": "has read every comic that fell behind the bed",
    "Oozelby": "would like a hug, and never quite lets go",
    "Feathergast": "blushes when it is noticed, and so it hides",
    "Dribblehorn": "snores with all its eyes open",
    "Humdrumple": "hums the song that you cannot get rid of",
    "Flapsodden": "fell into the bath once, and has not dried since",
    "Scalawink": "winks with a different eye each time",
    "Bluntwhistle": "whistles through a mouth that nobody has found",
    "Fuzzlewing": "collects odd socks to line its nest",
    "Thistlegulp": "swallows the alarm clock, ticking and all",
    "Nibbershade": "nibbles the corners off shadows",
}


@dataclass(frozen=True)
class Catalogue:
    """Monsters and their looks, checked."""

    attributes: tuple[tuple[str, tuple[str, ...]], ...]
    """Each attribute's name and the names of its values."""
    names: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]
    """By monster, the number of its value of each attribute."""

    @cached_property
    def questions(self) -> tuple[tuple[int, int | None], ...]:
        """B6: an attribute, and the value asked about; first the open questions, of no value."""
        attributes = range(len(self.attributes))
        closed = (
            (attribute, value)
            for attribute in attributes
            for value in range(len(self.attributes[attribute][1]))
        )
        return (*((attribute, None) for attribute in attributes), *closed)


def read_catalogue(option: Mapping[str, Any] | None, num_players: int) -> Catalogue:
    """The catalogue that the option ``catalogue`` stands for (B2).

    Args:
        option: ``{"attributes": {name: [value, ...], ...}, "monsters": {name: {attribute: value,
            ...}, ...}}``, all names being texts; None for the 16 monsters of the game.
        num_players: so many monsters, at least, are needed.

    Raises:
        ValueError: naming what is wrong, and what is allowed.
    """
    if option is None:
        option = {
            "attributes": ATTRIBUTES,
            "monsters": {
                name: dict(zip(ATTRIBUTES, looks.split(), strict=True))
                for name, looks in MONSTERS.items()
            },
        }
    if not isinstance(option, Mapping) or option.keys() != {"attributes", "monsters"}:
        raise ValueError(
            f"catalogue={option!r}: must be None or a mapping with 'attributes' and 'monsters'"
        )
    attributes, monsters = option["attributes"], option["monsters"]
    for key, value in option.items():
        if not isinstance(value, Mapping):
            raise ValueError(f"catalogue[{key!r}]={value!r}: must be a mapping of names")
    _check_names("catalogue['attributes']", attributes, 1, MAX_ATTRIBUTES)
    for attribute, values in attributes.items():
        _check_names(f"catalogue['attributes'][{attribute!r}]", values, MIN_VALUES, MAX_VALUES)
    _check_names("catalogue['monsters']", monsters, num_players, MAX_MONSTERS)
    for name, looks in monsters.items():
        _check_looks(f"catalogue['monsters'][{name!r}]", looks, attributes)
    return Catalogue(
        attributes=tuple((name, tuple(values)) for name, values in attributes.items()),
        names=tuple(monsters),
        values=tuple(
            tuple(list(attributes[name]).index(looks[name]) for name in attributes)
            for looks in monsters.values()
        ),
    )


def _check_names(option: str, names: Any, least: int, most: int) -> None:
    """A mapping's keys, or a sequence, of so many different texts that any terminal can print."""
    if isinstance(names, str) or not isinstance(names, Mapping | Sequence):
        raise ValueError(f"{option}={names!r}: must hold {least} to {most} names")
    if not least <= len(names) <= most:
        raise ValueError(f"{option}: must hold {least} to {most} names, has {len(names)}")
    for name in names:
        if not (isinstance(name, str) and name.strip() and name.isascii() and name.isprintable()):
            raise ValueError(f"{option}: {name!r} must be a text of printable ASCII")
    if len(set(names)) < len(names):
        raise ValueError(f"{option}: names must differ, are {', '.join(names)}")


def _check_looks(option: str, looks: Any, attributes: Mapping[str, Sequence[str]]) -> None:
    """One known value for each attribute."""
    if not isinstance(looks, Mapping) or looks.keys() != attributes.keys():
        raise ValueError(
            f"{option}={looks!r}: must give a value for each of {', '.join(attributes)}"
        )
    for attribute, value in looks.items():
        if value not in list(attributes[attribute]):
            raise ValueError(
                f"{option}: {attribute}={value!r} must be one of {', '.join(attributes[attribute])}"
            )
