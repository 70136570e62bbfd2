"""Random numbers, chance draws, compilation."""

import os
import subprocess
import sys
from collections import Counter
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from masked_monsters.envs.engine.chance import (
    card_outcomes,
    cards_outcomes,
    count_in,
    draw_card,
    draw_cards,
    pack,
)
from masked_monsters.envs.engine.random import below, next_word, start_generator

# Not in the order of the games' records: numba warns of a record that begins like another one.
RECORD = np.dtype([("stream", np.uint64), ("random", np.uint64), ("tested", np.int8)])


def generator(seed: int) -> np.void:
    records = np.zeros(1, RECORD)
    records["random"] = seed
    return records[0]


def test_the_generator_is_splitmix64() -> None:
    """First outputs of the reference implementation for the seed 1234567 (Vigna 2015)."""
    state = generator(1234567)
    assert [int(next_word(state)) for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_a_rounds_generator_starts_where_it_should() -> None:
    """Worked out here in plain integers, since compiled 64-bit sums can go wrong unnoticed."""
    mask = 2**64 - 1

    def mix(word: int) -> int:
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & mask
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & mask
        return word ^ (word >> 31)

    for stream in (0, 1, 2**63, 2**64 - 1):
        records = np.zeros(1, RECORD)
        records["stream"] = stream
        word = mix(stream)
        for index in range(1, 11):
            word = mix((word + 0x9E3779B97F4A7C15) & mask)
            start_generator(records[0], index)
            assert int(records["random"][0]) == word


@given(st.integers(0, 2**64 - 1), st.integers(1, 400))
def test_bounded_numbers_stay_below_their_bound(seed: int, bound: int) -> None:
    state = generator(seed)
    assert all(0 <= below(state, bound) < bound for _ in range(20))


def test_bounded_numbers_are_uniform() -> None:
    state = generator(0)
    counts = Counter(below(state, 7) for _ in range(70_000))
    chi_square = sum((counts[k] - 10_000) ** 2 / 10_000 for k in range(7))
    assert chi_square < 22.5  # 99.9 % point of 6 degrees of freedom


decks = st.lists(st.integers(0, 5), min_size=2, max_size=12).filter(lambda counts: sum(counts) > 2)


@given(decks, st.data())
@settings(max_examples=50)
def test_sets_of_cards_have_hypergeometric_probabilities(
    counts: list[int], data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, min(4, sum(counts))))
    cards = np.array(counts, np.int8)
    codes, weights = np.zeros(2000, np.int64), np.zeros(2000)
    found = cards_outcomes(cards, size, codes, weights)
    assert found <= 2000
    assert len(set(codes[:found].tolist())) == found
    assert weights[:found].sum() == pytest.approx(1)
    for code, weight in zip(codes[:found].tolist(), weights[:found].tolist(), strict=True):
        taken = [count_in(code, card) for card in range(len(counts))]
        assert sum(taken) == size
        ways = np.prod([comb(have, take) for have, take in zip(counts, taken, strict=True)])
        assert weight == pytest.approx(ways / comb(sum(counts), size))


def test_draws_follow_the_probabilities_that_are_listed() -> None:
    cards = np.array([2, 3, 0, 1], np.int8)
    codes, weights = np.zeros(50, np.int64), np.zeros(50)
    state = generator(5)
    for list_outcomes, drawn in (
        (lambda: card_outcomes(cards, codes, weights), lambda: draw_card(state, cards)),
        (lambda: cards_outcomes(cards, 3, codes, weights), lambda: draw_cards(state, cards, 3)),
    ):
        found = list_outcomes()
        counts = Counter(drawn() for _ in range(20_000))
        assert set(counts) == set(codes[:found].tolist())
        for code, weight in zip(codes[:found].tolist(), weights[:found].tolist(), strict=True):
            assert counts[code] / 20_000 == pytest.approx(weight, abs=0.015)


@given(st.lists(st.integers(0, 31), min_size=12, max_size=12))
def test_a_code_holds_every_count(counts: list[int]) -> None:
    code = pack(np.array(counts, np.int8))
    assert [count_in(code, card) for card in range(12)] == counts


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        check=True,
    )


STEP = """
from masked_monsters.envs.engine.random import below
import numpy as np
state = np.zeros(1, [("stream", np.uint64), ("random", np.uint64)])[0]
print(below(state, 1000))
"""


def test_a_first_compile_says_so_and_the_next_start_compiles_nothing(tmp_path: Path) -> None:
    first = run(STEP, XDG_CACHE_HOME=str(tmp_path))
    second = run(STEP, XDG_CACHE_HOME=str(tmp_path))
    assert "compiling" in first.stderr
    assert second.stderr == ""
    assert first.stdout == second.stdout


TWO_BINDINGS = """
import sys
from pathlib import Path
from masked_monsters.envs.engine.kernels import bind
from masked_monsters.envs.engine.compile import compiled
sys.path.insert(0, "{folder}")
from functions import first, second
one = bind(Path("{folder}") / "loops.py", "one", {{"value": first}})
two = bind(Path("{folder}") / "loops.py", "two", {{"value": second}})
print(one.twice(1), two.twice(1))
"""


def test_one_file_of_loops_bound_twice_is_never_mixed_up_in_the_cache(tmp_path: Path) -> None:
    (tmp_path / "functions.py").write_text(
        "from masked_monsters.envs.engine.compile import compiled\n"
        "@compiled\ndef first(x):\n    return x\n"
        "@compiled\ndef second(x):\n    return 10 * x\n"
    )
    (tmp_path / "loops.py").write_text(
        "from masked_monsters.envs.engine.compile import compiled\n"
        "@compiled\ndef twice(x):\n    return 2 * value(x)\n"
    )
    program = TWO_BINDINGS.format(folder=tmp_path)
    for _ in range(2):
        assert run(program, XDG_CACHE_HOME=str(tmp_path / "cache")).stdout == "2 20\n"
    source = (tmp_path / "functions.py").read_text().replace("10 * x", "30 * x")
    (tmp_path / "functions.py").write_text(source)
    assert run(program, XDG_CACHE_HOME=str(tmp_path / "cache")).stdout == "2 60\n"


def test_it_starts_without_a_home_folder() -> None:
    assert run(STEP, HOME="/nonexistent", TMPDIR="/tmp").stdout.strip().isdigit()


def test_the_users_own_numba_cache_is_left_alone() -> None:
    program = (
        "import numba\n"
        "from masked_monsters.envs.engine import random\n"
        "print(numba.config.CACHE_DIR)\n"
    )
    assert run(program).stdout.strip() == ""
