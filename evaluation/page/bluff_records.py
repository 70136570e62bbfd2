"""The file that ``bluff --json`` writes, typed."""

from typing import Literal

from pydantic import Field, NonNegativeInt

from masked_monsters.evaluation.page.parts import Factor, GameRecord, Interval, Part


class LedgerEntry(Part):
    """Acts of one role and kind, see ``evaluation.bluff.profile.Entry``."""

    role: str
    kind: str
    acts: NonNegativeInt
    share: Interval | None
    measures: dict[str, Interval | None]


class Deception(Part):
    """How often a role's acts moved observers away from the truth, and what that gained."""

    role: str
    truth: str
    acts: NonNegativeInt
    away: Interval
    shift: Interval | None
    gain_away: Interval | None
    gain_not_away: Interval | None


class Moment(Part):
    """What observers thought of the truth after acts of some time."""

    role: str
    time: int
    truth: Interval


class Cover(Part):
    """Of a seat's acts of some number in a match, how many fit all that it has said."""

    role: str
    number: int
    consistent: Interval


class Hedging(Part):
    """How much was hedged of what could be."""

    role: str
    hedged: Interval


class Kept(Part):
    """A player kept from a part of its bluffs."""

    share: float
    tuned: NonNegativeInt = 0
    rate: Interval | None
    score: Interval
    value: Interval


class Lying(Part):
    """What bluffs of a kind are worth."""

    forbidden: str
    kept: list[Kept]


class JudgedBin(Part):
    """Judgements of about one probability: how many concerned the kid."""

    mean_score: float
    share: Factor
    count: NonNegativeInt


class Detected(Part):
    """How good a player's judgements of who is the kid were."""

    count: NonNegativeInt
    auroc: Factor | None
    calibration: list[JudgedBin]


class BluffProfile(Part):
    """A player among copies of another."""

    agent: str
    against: str
    observers: str
    deals: NonNegativeInt
    close_deals: NonNegativeInt
    ledger: list[LedgerEntry]
    deception: list[Deception]
    over_time: list[Moment]
    covers: list[Cover] = []
    hedging: list[Hedging] = []
    lying: list[Lying]
    detection: dict[str, Detected | None] | None = None


class Bluff(GameRecord):
    """What ``bluff --json`` writes."""

    kind: Literal["bluff"]
    players: list[BluffProfile] = Field(min_length=1)
