"""Questions and answers as a person would say them."""

from collections.abc import Mapping, Sequence

OPEN: Mapping[str, str] = {
    "eyes": "How many eyes have you?",
    "colour": "What colour are you?",
    "skin": "What covers your skin?",
    "limbs": "What limbs have you?",
    "head": "What is on top of your head?",
    "mouth": "What is your mouth like?",
    "size": "How big are you?",
    "scene": "Is it day or night in your picture?",
}
CLOSED: Mapping[tuple[str, str], str] = {
    ("eyes", "one"): "Have you one single eye?",
    ("eyes", "two"): "Have you two eyes?",
    ("eyes", "three"): "Have you three eyes?",
    ("eyes", "many"): "Have you more than three eyes?",
    ("colour", "red"): "Are you red?",
    ("colour", "green"): "Are you green?",
    ("colour", "blue"): "Are you blue?",
    ("colour", "purple"): "Are you purple?",
    ("skin", "fur"): "Are you furry?",
    ("skin", "scales"): "Are you scaly?",
    ("skin", "slime"): "Are you slimy?",
    ("skin", "feathers"): "Are you feathered?",
    ("limbs", "claws"): "Have you claws?",
    ("limbs", "tentacles"): "Have you tentacles?",
    ("limbs", "wings"): "Have you wings?",
    ("head", "horns"): "Have you horns?",
    ("head", "antennae"): "Have you antennae?",
    ("head", "bare"): "Is your head bare?",
    ("mouth", "fangs"): "Have you fangs?",
    ("mouth", "beak"): "Have you a beak?",
    ("mouth", "none"): "Have you no mouth at all?",
    ("size", "small"): "Are you small?",
    ("size", "medium"): "Are you of medium size?",
    ("size", "huge"): "Are you huge?",
    ("scene", "day"): "Is it day in your picture?",
    ("scene", "night"): "Is it night in your picture?",
}


def question(attribute: str, value: str | None) -> str:
    """An open question (no value) or a closed one; attributes of other catalogues sound plainer."""
    if value is None:
        return OPEN.get(attribute, f"What is your {attribute}?")
    return CLOSED.get((attribute, value), f"Is your {attribute} {value}?")


def answer(values: Sequence[str], asked: str | None) -> str:
    """The values claimed, in answer to an open question, or to a closed one about a value."""
    if asked is not None:
        return "Yes." if list(values) == [asked] else "No."
    named = either(values)
    return f"{named[0].upper()}{named[1:]}."


def either(values: Sequence[str]) -> str:
    """``"one, two or three"``."""
    *others, last = values
    return f"{', '.join(others)} or {last}" if others else last
