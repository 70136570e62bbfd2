"""Checks of options: the error names the option, its value and what is allowed."""

import operator
from collections.abc import Sequence
from typing import Any


def check_range(option: str, value: Any, low: int, high: int) -> int:
    """``value`` as an int if it is an integer in ``low … high``; else ``ValueError``."""
    if not isinstance(value, bool):
        try:
            number = operator.index(value)
        except TypeError:
            pass
        else:
            if low <= number <= high:
                return number
    raise ValueError(f"{option}={value!r}: must be an integer from {low} to {high}")


def check_choice(option: str, value: Any, choices: Sequence[Any]) -> int:
    """The position of ``value`` in ``choices``; else ``ValueError``."""
    if value not in choices:
        raise ValueError(f"{option}={value!r}: must be one of {', '.join(map(repr, choices))}")
    return choices.index(value)
