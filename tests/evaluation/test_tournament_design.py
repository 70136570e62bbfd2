import itertools
from collections import Counter

import pytest

from masked_monsters.evaluation.tournament import design
from masked_monsters.evaluation.tournament.design import CHUNK, plan


@pytest.mark.parametrize(("agents", "seats"), [(2, 3), (3, 3), (5, 4), (9, 4), (9, 8)])
def test_all_line_ups_play_equally_often(agents: int, seats: int) -> None:
    names = [f"agent {number}" for number in range(agents)]
    chunks = plan(names, seats, 3 * CHUNK * seats, "all")
    played = Counter(chunk.line_up for chunk in chunks)
    choose = itertools.combinations_with_replacement if agents < seats else itertools.combinations
    alone = {(name,) * seats for name in names}  # would tell nothing
    assert played.keys() == set(choose(names, seats)) - alone
    assert len(set(played.values())) == 1
    assert len(set(chunks)) == len(chunks)


@pytest.mark.parametrize("which", design.DESIGNS)
@pytest.mark.parametrize(("agents", "seats"), [(2, 3), (2, 8), (5, 8), (9, 4)])
def test_every_agent_plays_as_many_matches_as_are_asked_for(
    agents: int, seats: int, which: str
) -> None:
    names = [f"agent {number}" for number in range(agents)]
    chunks = plan(names, seats, 20 * CHUNK * seats, which)
    tables = Counter(name for chunk in chunks for name in set(chunk.line_up))
    assert min(tables[name] for name in names) >= 20


@pytest.mark.parametrize(
    ("agents", "seats", "each"), [(9, 4, 12), (12, 4, 30), (8, 4, 100), (30, 3, 40)]
)
def test_a_sample_is_balanced_in_agents_and_pairs(agents: int, seats: int, each: int) -> None:
    names = [f"agent {number:02}" for number in range(agents)]
    chunks = plan(names, seats, each * CHUNK * seats, "sampled")
    assert len(chunks) == agents * each // seats
    played = Counter(name for chunk in chunks for name in chunk.line_up)
    assert set(played.values()) == {each}
    pairs = Counter(pair for chunk in chunks for pair in itertools.combinations(chunk.line_up, 2))
    assert len(pairs) == agents * (agents - 1) / 2
    assert max(pairs.values()) - min(pairs.values()) <= 2
    assert all(len(set(chunk.line_up)) == seats for chunk in chunks)
    assert len(set(chunks)) == len(chunks)


def test_more_line_ups_than_anybody_plays_are_refused_but_a_sample_of_them_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [f"agent {number}" for number in range(40)]
    monkeypatch.setattr(design, "_line_ups", None)  # to list them would fill the memory
    with pytest.raises(ValueError, match=r"design='all': 40 agents have 76,904,685 line-ups of 8"):
        plan(names, 8, 1, "all")
    assert len(plan(names, 8, 1, "sampled")) == 5


def test_more_matches_of_a_sample_are_the_same_and_further_ones() -> None:
    names = [f"agent {number}" for number in range(7)]
    assert (
        plan(names, 4, 5000, "sampled")
        == plan(names, 4, 20000, "sampled")[: len(plan(names, 4, 5000, "sampled"))]
    )
