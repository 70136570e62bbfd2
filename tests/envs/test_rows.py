"""Rows of eight entries in one machine word do what loops over the entries would."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from masked_monsters.envs.engine.chance import BITS, count_in, pack, total, unpack
from masked_monsters.envs.engine.rows import (
    as_bits,
    count_ones,
    entry,
    have_bit,
    rotate,
    rotate_rows,
    smaller,
    store_bits,
)
from masked_monsters.envs.engine.seats import relative, wrap

TABLES = st.integers(3, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1)))
"""How many seats, and one of them."""


def rows(low: int, high: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(low, high), min_size=8, max_size=8)


def word(entries: list[int]) -> np.uint64:
    return np.array(entries, np.int8).view(np.uint64)[0]


def entries(row: Any) -> list[int]:
    return np.array([row], np.uint64).view(np.int8).tolist()


@given(TABLES)
def test_seats_are_counted_around_the_table(table: tuple[int, int]) -> None:
    n, to = table
    assert [wrap(place, n) for place in range(2 * n)] == [*range(n), *range(n)]
    assert [relative(seat, to, n) for seat in range(n)] == [(seat - to) % n for seat in range(n)]
    assert relative(-1, to, n) == -1


@given(TABLES, rows(-1, 127))
def test_a_row_is_turned_to_a_seat(table: tuple[int, int], row: list[int]) -> None:
    n, to = table
    turned = np.full(8, 99, np.int8)
    rotate(np.array(row, np.int8), to, n, turned)
    assert turned.tolist() == [row[(to + k) % n] for k in range(n)] + [0] * (8 - n)


@given(TABLES, st.lists(rows(-1, 127), min_size=8, max_size=8))
def test_rows_are_turned_to_a_seat(table: tuple[int, int], given_rows: list[list[int]]) -> None:
    n, to = table
    turned = np.full((8, 8), 99, np.int8)
    rotate_rows(np.array(given_rows, np.int8), to, n, turned)
    assert turned.tolist() == [given_rows[(to + k) % n] for k in range(n)] + [[0] * 8] * (8 - n)


@given(rows(-1, 3))
def test_values_become_bits_and_bits_entries(row: list[int]) -> None:
    bits = as_bits(word(row))
    assert entries(bits) == [1 << value if value >= 0 else 0 for value in row]
    for value in range(4):
        assert entries(have_bit(bits, value)) == [int(other == value) for other in row]
    out = np.full((10, 4), 99, np.int8)
    store_bits(bits, out[1:9])
    assert out[1:9].tolist() == [[int(value == v) for v in range(4)] for value in row]
    assert (out[[0, 9]] == 99).all(), "nothing beside it is written"


@given(rows(0, 1), rows(0, 127), rows(0, 127))
def test_rows_are_counted_and_compared(ones: list[int], row: list[int], other: list[int]) -> None:
    assert count_ones(word(ones)) == sum(ones)
    assert [entry(word(row), i) for i in range(8)] == row
    assert entries(smaller(word(row), word(other))) == [
        min(pair) for pair in zip(row, other, strict=True)
    ]


@given(st.lists(st.integers(0, 31), min_size=12, max_size=12))
def test_codes_of_cards_are_packed_and_unpacked(counts: list[int]) -> None:
    code = pack(np.array(counts, np.int8))
    assert code == sum(count << (BITS * card) for card, count in enumerate(counts))
    unpacked = np.full(12, 99, np.int8)
    unpack(code, unpacked)
    assert unpacked.tolist() == counts
    assert [count_in(code, card) for card in range(12)] == counts
    assert total(unpacked) == sum(counts)
