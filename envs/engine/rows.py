"""Rows of eight int8 entries (a seat's or a slot's each), handled as one machine word.

The compiler cannot know that a record read from and one written to do not overlap, and so would go
entry by entry. The first entry is the word's lowest byte, as on all machines that numba knows.
"""

import math
from typing import Any

import numpy as np
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import MAX_PLAYERS
from masked_monsters.envs.engine.seats import wrap

ONES = np.uint64(0x0101010101010101)
SEVEN_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
HIGH_BITS = ~SEVEN_BITS
FOUR_BITS = np.uint64(15)
DIAGONAL = np.uint64(0x8040201008040201)
NOTHING = np.uint64(0)
EVERYTHING = ~NOTHING


def copy(source: Any, target: Any) -> None:
    """Copy a contiguous int8 array into a field of a record.

    ``target[:] = source`` in one piece: the compiler, which cannot know that they do not overlap,
    would copy byte by byte.
    """
    target[:] = source


@intrinsic
def _copy(context: Any, source: Any, target: Any) -> Any:
    """``copy``, compiled."""
    size = math.prod(target.shape)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        data = [
            context.make_array(kind)(context, builder, array).data
            for kind, array in zip(signature.args, arguments, strict=True)
        ]
        count = context.get_constant(types.intp, size)
        cgutils.raw_memcpy(builder, data[1], data[0], count, 1)

    return types.void(source, target), generate


def load_row(entries: Any) -> Any:
    """The 8 bytes of a field as one number, the first the lowest (as all of numba's machines do)."""
    return entries.view(np.uint64)[0]


@intrinsic
def _load_row(context: Any, entries: Any) -> Any:
    """``load_row``, compiled."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        word = context.get_value_type(types.uint64)
        return builder.load(builder.bitcast(data, word.as_pointer()), align=1)

    return types.uint64(entries), generate


def store_row(word: Any, entries: Any) -> None:
    """Write a number of ``load_row`` into a field."""
    entries.reshape(8).view(np.uint64)[0] = word


@intrinsic
def _store_row(context: Any, word: Any, entries: Any) -> Any:
    """``store_row``, compiled."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        data = context.make_array(signature.args[1])(context, builder, arguments[1]).data
        builder.store(arguments[0], builder.bitcast(data, arguments[0].type.as_pointer()), align=1)

    return types.void(types.uint64, entries), generate


if not config.DISABLE_JIT:
    copy, load_row, store_row = _copy, _load_row, _store_row


@compiled
def turn(entries: Any, to: int, n: int, turned: Any) -> None:
    """Write what each of 8 seats has by seat from ``to`` to the left, 0 beyond; int8.

    As one word, the first seat in its lowest byte.
    """
    word = load_row(entries)
    left = word >> np.uint64(8 * to)
    right = word << np.uint64(8 * (n - 1 - to)) << np.uint64(8)
    store_row((left | right) & (EVERYTHING >> np.uint64(8 * (MAX_PLAYERS - n))), turned)


@compiled
def turn_rows(rows: Any, to: int, n: int, turned: Any) -> None:
    """As ``turn``, where each of 8 seats has 8 entries."""
    for k in range(MAX_PLAYERS):
        word = load_row(rows[wrap(to + k, n)]) if k < n else NOTHING
        store_row(word, turned[k])


@compiled
def entry(row: Any, index: int) -> int:
    """An entry of 0 … 127; 255 stands for -1."""
    return np.int64((row >> np.uint64(8 * index)) & np.uint64(255))


@compiled
def as_bits(row: Any) -> Any:
    """Each entry of 0 … 3 as that bit: 1, 2, 4 or 8; -1 as 0."""
    ones = ONES + (row & ONES)
    upper = ((row >> np.uint64(1)) & ONES) * FOUR_BITS
    there = (~(row >> np.uint64(2)) & ONES) * FOUR_BITS
    return ((ones & ~upper) | (ones << np.uint64(2) & upper)) & there


@compiled
def have_bit(row: Any, bit: int) -> Any:
    """1 for each entry that has the bit, else 0."""
    return (row >> np.uint64(bit)) & ONES


@compiled
def smaller(row: Any, other: Any) -> Any:
    """Entry by entry the smaller one, all being 0 … 127."""
    other_is = ((row | HIGH_BITS) - other) & HIGH_BITS  # the high bit where row >= other
    mask = other_is - (other_is >> np.uint64(7))
    return (other & mask) | (row & ~mask)


@compiled
def count_ones(row: Any) -> int:
    """How many entries are 1, the others being 0."""
    row += row >> np.uint64(32)
    row += row >> np.uint64(16)
    row += row >> np.uint64(8)
    return np.int64(row & np.uint64(255))


@compiled
def store_bits(row: Any, out: Any) -> None:
    """Write the lowest four bits of each entry, the others being 0, into ``out`` (8 x 4)."""
    pairs = row | (row >> np.uint64(4))
    for first in range(0, MAX_PLAYERS, 2):
        pair = (pairs >> np.uint64(8 * first)) & np.uint64(255)
        bits = (pair * ONES) & DIAGONAL  # the i-th bit, in the i-th entry
        store_row(((bits + SEVEN_BITS) >> np.uint64(7)) & ONES, out[first : first + 2])
