"""What the files that a page is made from have in common."""

from typing import Any

from pydantic import BaseModel, ConfigDict, NonNegativeFloat


class Part(BaseModel):
    """Immutable; what a later version adds is left out."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class Interval(Part):
    """A mean and the half width of its 95 % confidence interval."""

    mean: float
    half_width: NonNegativeFloat

    @property
    def low(self) -> float:
        """The interval's lower end."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The interval's upper end."""
        return self.mean + self.half_width

    @property
    def ends(self) -> tuple[float, float, float]:
        """Mean, lower and upper end."""
        return self.mean, self.low, self.high


class Record(Part):
    """What all files have; ``versions`` are shown as they are."""

    seed: int | None = None
    versions: dict[str, Any] = {}
    command: str
    """That makes the file again, as a shell line."""


class GameRecord(Record):
    """What is of one game; its ``options`` are shown as they are."""

    game: str
    options: dict[str, Any] = {}


class Factor(Part):
    """How many times, with its 95 % interval."""

    mean: float
    low: float
    high: float
