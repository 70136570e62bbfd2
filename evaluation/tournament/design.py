"""Who plays whom: line-ups, and how many deals each of them plays.

A *line-up* is as many agents as the table has seats. It plays a deal once in each rotation round the
table, so that every agent has every seat, and every card and role of that deal, exactly once.
"""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from masked_monsters.envs.errors import check_choice

CHUNK = 32
"""Deals that a line-up plays side by side. Another number would be other random numbers."""
DESIGNS = ("all", "sampled")
MOST_LINE_UPS = 10_000
"""That are all played."""


class Chunk(NamedTuple):
    """Some deals of a line-up; what is played depends on nothing else."""

    line_up: tuple[str, ...]
    """The agents' identities, sorted."""
    number: int
    """Which of the line-up's chunks."""


def plan(identities: Sequence[str], seats: int, matches: int, design: str) -> list[Chunk]:
    """The chunks to play, so that every agent plays ``matches`` matches at least.

    Args:
        identities: the agents', all different.
        seats: of the table.
        matches: of each agent, at least.
        design: ``"all"`` line-ups equally often, or as few chunks as will do (``"sampled"``), in which
            agents, and pairs of them, play as equally often as can be.

    Raises:
        ValueError: if the design is unknown, or there are too many line-ups to play all.
    """
    check_choice("design", design, DESIGNS)
    if design == "sampled":
        return _sample(sorted(identities), seats, math.ceil(matches / (CHUNK * seats)))
    if (count := math.comb(len(identities), seats)) > MOST_LINE_UPS:
        raise ValueError(
            f"design='all': {len(identities)} agents have {count:,} line-ups of {seats}, must be "
            f"at most {MOST_LINE_UPS:,}; 'sampled' plays some of them"
        )
    line_ups = _line_ups(identities, seats)
    of_each = sum(identities[0] in line_up for line_up in line_ups) * CHUNK * seats
    chunks = math.ceil(matches / of_each)
    return [Chunk(line_up, number) for number in range(chunks) for line_up in line_ups]


def _line_ups(identities: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """All sets of agents; where they are too few for a table, some sit there several times."""
    if len(identities) >= seats:
        return list(itertools.combinations(sorted(identities), seats))
    line_ups = itertools.combinations_with_replacement(sorted(identities), seats)
    return [line_up for line_up in line_ups if len(set(line_up)) > 1]  # one alone tells nothing


def _sample(identities: Sequence[str], seats: int, least: int) -> list[Chunk]:
    """One line-up after another of those who have played least, and least with each other.

    Lots decide between equals: in an order of their own the first would meet too often.
    """
    generator = np.random.default_rng(0)
    played: Counter[str] = Counter()
    tables: Counter[str] = Counter()  # fewer, if an agent has several seats at one
    together: Counter[tuple[str, str]] = Counter()
    line_ups: Counter[tuple[str, ...]] = Counter()
    chunks = []
    while min(tables[agent] for agent in identities) < least:
        line_up: list[str] = []
        lots = dict(zip(identities, generator.random(len(identities)), strict=True))
        while len(line_up) < seats:
            left = [agent for agent in identities if agent not in line_up] or identities
            line_up.append(
                min(
                    left,
                    key=lambda agent: (
                        played[agent] + line_up.count(agent),
                        sum(together[_pair(agent, other)] for other in line_up),
                        lots[agent],
                    ),
                )
            )
        key = tuple(sorted(line_up))
        chunks.append(Chunk(key, line_ups[key]))
        line_ups[key] += 1
        played.update(line_up)
        tables.update(set(line_up))
        together.update(itertools.starmap(_pair, itertools.combinations(line_up, 2)))
    return chunks


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
