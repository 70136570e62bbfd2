"""Rows of eight int8 entries (a seat's or a slot's each), handled as one machine word.

The compiler cannot know that a record read from and one written to do not overlap, and so would go
entry by entry; and numba's ``view(np.uint64)`` checks shapes at each use, which takes several times
as long as the rest. The first entry is the word's lowest byte, as on all machines that numba knows.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from masked_monsters.envs.engine.compile import compiled
from masked_monsters.envs.engine.phases import MAX_PLAYERS
from masked_monsters.envs.engine.seats import wrap

ONES = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)
FOUR_BITS = np.uint64(15)
NOTHING = np.uint64(0)
EVERYTHING = ~NOTHING


def _plain_copy(source: Any, target: Any) -> None:
    """Copy a contiguous int8 array into another one of its size.

    ``target[:] = source`` in one piece: the compiler, which cannot know that they do not overlap,
    would copy byte by byte.
    """
    target[:] = source


@intrinsic
def _copy(context: Any, source: Any, target: Any) -> Any:
    """The same, compiled."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        arrays = [
            context.make_array(kind)(context, builder, array)
            for kind, array in zip(signature.args, arguments, strict=True)
        ]
        cgutils.raw_memcpy(builder, arrays[1].data, arrays[0].data, arrays[1].nitems, 1)

    return types.void(source, target), generate


def _plain_load_row(entries: Any) -> Any:
    """The 8 entries of a row as one number."""
    return entries.view(np.uint64)[0]


@intrinsic
def _load_row(context: Any, entries: Any) -> Any:
    """The same, compiled."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        word = context.get_value_type(types.uint64)
        return builder.load(builder.bitcast(data, word.as_pointer()), align=1)

    return types.uint64(entries), generate


def _plain_store_row(word: Any, entries: Any) -> None:
    """Write a number of ``load_row`` into a field."""
    entries.reshape(8).view(np.uint64)[0] = word


@intrinsic
def _store_row(context: Any, word: Any, entries: Any) -> Any:
    """The same, compiled."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        data = context.make_array(signature.args[1])(context, builder, arguments[1]).data
        builder.store(arguments[0], builder.bitcast(data, arguments[0].type.as_pointer()), align=1)

    return types.void(types.uint64, entries), generate


def _plain_store_each_bit(bits: Any, entries: Any) -> None:
    """Write the 32 lowest bits as entries of 0 or 1, the lowest first."""
    flat = entries.reshape(32)
    for i in range(32):
        flat[i] = (bits >> np.uint64(i)) & np.uint64(1)


@intrinsic
def _store_each_bit(context: Any, bits: Any, entries: Any) -> Any:
    """``store_each_bit``, compiled: as vectors, for which processors have instructions."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        data = context.make_array(signature.args[1])(context, builder, arguments[1]).data
        word = builder.trunc(arguments[0], ir.IntType(32))
        vector = builder.bitcast(word, ir.VectorType(ir.IntType(1), 32))
        vector = builder.zext(vector, ir.VectorType(ir.IntType(8), 32))
        builder.store(vector, builder.bitcast(data, vector.type.as_pointer()), align=1)

    return types.void(types.uint64, entries), generate


PLAIN = config.DISABLE_JIT  # pyright: ignore[reportAttributeAccessIssue]  # set at run time by numba
copy: Any = _plain_copy if PLAIN else _copy
load_row: Any = _plain_load_row if PLAIN else _load_row
store_row: Any = _plain_store_row if PLAIN else _store_row
store_each_bit: Any = _plain_store_each_bit if PLAIN else _store_each_bit


@compiled
def rotate(entries: Any, to: int, n: int, turned: Any) -> None:
    """Write what each seat has by seat from ``to`` to the left, 0 beyond the ``n`` that are taken."""
    taken = EVERYTHING >> np.uint64(8 * (MAX_PLAYERS - n))
    row = load_row(entries) & taken
    left = row >> np.uint64(8 * to)
    right = row << np.uint64(8 * (n - 1 - to)) << np.uint64(8)  # not by 64 at once: undefined
    store_row((left | right) & taken, turned)


@compiled
def rotate_rows(rows: Any, to: int, n: int, turned: Any) -> None:
    """As ``rotate``, where each of 8 seats has 8 entries."""
    for k in range(MAX_PLAYERS):
        word = load_row(rows[wrap(to + k, n)]) if k < n else NOTHING
        store_row(word, turned[k])


@compiled
def entry(row: Any, index: int) -> int:
    """An entry of 0 … 127."""
    return int(np.int64((row >> np.uint64(8 * index)) & np.uint64(255)))


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
    return int(np.int64(row & np.uint64(255)))


@compiled
def store_bits(row: Any, out: Any) -> None:
    """Write the four lowest bits of each entry, the others being 0, into ``out`` (8 x 4)."""
    row = (row | row >> np.uint64(4)) & np.uint64(0x00FF00FF00FF00FF)
    row = (row | row >> np.uint64(8)) & np.uint64(0x0000FFFF0000FFFF)
    store_each_bit(row | row >> np.uint64(16), out)
