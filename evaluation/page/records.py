"""The JSON files that a page is made from, typed. Further fields are tolerated, other kinds refused."""

import hashlib
from pathlib import Path
from typing import Annotated, Literal, Self, get_args

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from masked_monsters.evaluation.page.bluff_records import Bluff
from masked_monsters.evaluation.page.parts import Factor, GameRecord, Interval, Part, Record

# ---------------------------------------------------------------- tournaments


class Agent(Part):
    """Who took part, and the hash of what it is."""

    name: str
    digest: str | None = None


class Score(Part):
    """How one agent did in all of its matches."""

    agent: str
    gain: Interval
    win_share: Interval
    matches: NonNegativeInt
    rounds: NonNegativeInt


class Matrix(Part):
    """By row's and column's agent; None where there is no such table."""

    mean: list[list[float | None]]
    half_width: list[list[NonNegativeFloat | None]]


class SeatGain(Part):
    """An agent's gain on one seat."""

    agent: str
    seat: NonNegativeInt
    gain: Interval


class RoleWin(Part):
    """The part of its matches in a role that an agent won."""

    agent: str
    role: str
    win: Interval
    matches: NonNegativeInt


class Outcome(Part):
    """The part of all matches that ended so."""

    outcome: str
    part: Interval


class Rating(Part):
    """A rating and its 95 % interval."""

    agent: str
    rating: float
    low: float
    high: float


class Bin(Part):
    """Of the pairs whose better place was predicted so, the part that came true."""

    predicted: float
    observed: Interval
    pairs: NonNegativeInt


class Tournament(GameRecord):
    """``tournament.json``."""

    kind: Literal["tournament"]
    agents: list[Agent] = Field(min_length=1)
    matches: NonNegativeInt
    rounds: NonNegativeInt
    deals: NonNegativeInt
    scores: list[Score]
    cross_table: Matrix
    seats: list[SeatGain] = []
    roles: list[RoleWin] = []
    outcomes: list[Outcome] = []
    ratings: dict[str, list[Rating]] = {}
    calibration: list[Bin] = []

    @model_validator(mode="after")
    def _square(self) -> Self:
        size = len(self.agents)
        for rows in (self.cross_table.mean, self.cross_table.half_width):
            if [len(row) for row in rows] != [size] * size:
                raise ValueError(f"must have {size} rows and columns, one an agent")
        return self


# ---------------------------------------------------------------- exploitability


class BestResponse(GameRecord):
    """``best_response.json``: how much a trained deviator gains, a lower bound."""

    kind: Literal["best_response"]
    agent: str
    role: str | None = None
    decisions: NonNegativeInt
    """The budget of the training."""
    matches: NonNegativeInt
    deals: NonNegativeInt
    improvement: Interval
    lower_bound: NonNegativeFloat


class ExactRow(Part):
    """A policy of a reduced game: its value and NashConv, by visiting the whole tree."""

    game: str
    histories: NonNegativeInt
    information_states: NonNegativeInt
    policy: str
    seed: int | None = None
    value: list[float]
    nash_conv: float
    kid: float | None = None
    """These where the game deals roles, see ``evaluation.exact.team.Sides``."""
    kid_best: float | None = None
    monsters: float | None = None
    monsters_best: float | None = None
    monsters_bound: float | None = None


class Exact(Record):
    """``exact.json``."""

    kind: Literal["exact"]
    rows: list[ExactRow]


# ---------------------------------------------------------------- evaluations


class ControlVariates(Part):
    """The same mean, with less luck in it."""

    gain: Interval
    fewer_games: Factor | None
    """Than duplicate deals alone take; None if no luck is left."""
    fewer_games_than_independent: Factor | None


class RoleRow(Part):
    """How an agent did in one role against copies of another."""

    agent: str
    against: str
    role: str
    win: Interval
    outcomes: dict[str, Interval] = {}
    matches: NonNegativeInt


class EvaluationRow(Part):
    """An agent against copies of another."""

    agent: str
    against: str
    score: Interval
    gain: Interval
    win_share: Interval
    deals: NonNegativeInt
    matches: NonNegativeInt
    rounds: NonNegativeInt
    roles: list[RoleRow] = []
    control_variates: ControlVariates | None = None


class EvaluationFile(GameRecord):
    """What ``evaluate --json`` writes."""

    kind: Literal["evaluation"]
    deterministic: bool = False
    evaluations: list[EvaluationRow] = Field(min_length=1)


class CrossTableFile(GameRecord):
    """What ``crosstable --json`` writes: all pairs, row by row."""

    kind: Literal["cross_table"]
    evaluations: list[EvaluationRow] = Field(min_length=1)


class RoleCrossTableFile(GameRecord):
    """What ``crosstable --by-role --json`` writes: all pairs, row by row."""

    kind: Literal["role_cross_table"]
    evaluations: list[RoleRow] = Field(min_length=1)


AnyRecord = (
    Tournament | BestResponse | Exact | EvaluationFile | CrossTableFile | RoleCrossTableFile | Bluff
)
_ADAPTER: TypeAdapter[AnyRecord] = TypeAdapter(Annotated[AnyRecord, Field(discriminator="kind")])
KINDS = tuple(get_args(each.model_fields["kind"].annotation)[0] for each in get_args(AnyRecord))


def read_record(path: Path) -> AnyRecord:
    """The record in a JSON file.

    Raises:
        ValueError: in one line, naming the file and what is wrong in it.
        OSError: if it cannot be read.
    """
    try:
        return _ADAPTER.validate_json(path.read_bytes())
    except ValidationError as error:
        raise ValueError(f"{path}: {_complaint(error)}") from None


def _complaint(error: ValidationError) -> str:
    """The first of pydantic's errors in our words."""
    first = error.errors(include_url=False)[0]
    if first["type"] == "json_invalid":
        return f"not JSON, or cut off: {first['msg'].removeprefix('Invalid JSON: ')}"
    if first["type"] == "union_tag_invalid":
        return f"kind={first.get('ctx', {}).get('tag')!r}: must be one of {', '.join(KINDS)}"
    if first["type"] in ("union_tag_not_found", "model_attributes_type", "dict_type"):
        return f"has no kind, which must be one of {', '.join(KINDS)}"
    key = ".".join(map(str, first["loc"][1:]))  # the first is the kind
    if first["type"] == "missing":
        return f"{key}: missing"
    given = "" if isinstance(first["input"], dict | list) else f"={first['input']!r}"
    return f"{key or 'cross_table'}{given}: {first['msg'].removeprefix('Value error, ')}"


def sha256(path: Path) -> str:
    """Of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
