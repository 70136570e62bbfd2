"""``python -m tests.load_table`` finds what it looks for, and the table's server is fast enough."""

import pytest

from tests.load_table import MOST_WAIT, Load, main


def test_times_are_told_and_too_long_ones_are_an_error() -> None:
    load = Load([0.001] * 97 + [2 * MOST_WAIT] * 3, matches=3, resident={"at the end": 2**20})
    load.check()
    text = "\n".join(load.lines())
    assert "100 acts, 3 matches; waits: p50 1.0 ms, p95 1.0 ms, p99 200.0 ms" in text
    assert "1.0 MiB at the end" in text
    assert "0 errors" in text
    load.waits += [2 * MOST_WAIT] * 9
    load.check()
    assert load.errors == ["p95=200.0 ms: must be less than 100"]


def test_that_nobody_has_acted_is_an_error() -> None:
    load = Load()
    load.check()
    assert "1 errors\nnobody has acted" in "\n".join(load.lines())


@pytest.mark.slow
def test_what_the_server_refuses_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--agent", "tracker", "--seconds", "1"]) == 1
    assert "player='tracker': must be one of" in capsys.readouterr().out


@pytest.mark.slow
def test_at_twenty_tables_people_wait_less_than_a_tenth_of_a_second(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = main(["--seconds", "60"])
    assert status == 0, capsys.readouterr().out
