"""A match at the terminal as a process of its own, in a pseudo-terminal or a pipe."""

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

LEFT = "The match is left before its end; nothing is saved."
SCRIPT = """
import sys
from rich.console import Console
from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.baselines import get_baseline
from masked_monsters.evaluation.table.terminal import play
game = get_game("monster_my_neighbor", num_players=3, num_rounds=1)
try:
    replay = play(game, [None, *[get_baseline(game, "random")] * 2], 6, console=Console())
except KeyboardInterrupt:
    sys.exit(130)
print("PLAYED", replay is not None)
"""
TAKE_TERMINAL = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
"""So that Ctrl-C reaches the process."""


class Terminal:
    """A process in a pseudo-terminal, and what it has shown."""

    def __init__(self, **environ: str) -> None:
        clean = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        self.fd, inside = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL + SCRIPT],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env={**clean, **environ},
            start_new_session=True,
        )
        os.close(inside)
        self.text = ""

    def until(self, end: str, again: str = "") -> bool:
        """Read on until that is shown; false if the process ends before.

        ``again`` is typed whenever nothing has come for a second.
        """
        seen = ""
        while end not in seen:
            if again and not select.select([self.fd], [], [], 1)[0]:
                self.type(again)
                continue
            try:
                read = os.read(self.fd, 65536).decode()
            except OSError:
                return False
            if not read:
                return False
            seen += read
            self.text += read
        return True

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def end(self) -> int:
        while self.until("\0"):
            pass
        return self.process.wait()


@pytest.fixture
def terminal() -> Iterator[Any]:
    opened: list[Terminal] = []

    def open_terminal(**environ: str) -> Terminal:
        opened.append(Terminal(**environ))
        return opened[-1]

    yield open_terminal
    for each in opened:
        each.process.kill()
        each.process.wait()
        os.close(each.fd)


def test_a_match_is_played_in_a_real_terminal_in_colours(terminal: Any) -> None:
    shell = terminal(TERM="xterm-256color")
    while shell.until("choice: "):
        shell.type("1\n")
    assert shell.end() == 0
    assert "PLAYED True" in shell.text
    assert "\x1b[1m" in shell.text
    assert shell.text.isascii()


@pytest.mark.parametrize(
    "environ",
    [
        {"TERM": "xterm", "NO_COLOR": "1"},
        {"TERM": "dumb", "LANG": "C", "PYTHONIOENCODING": "ascii"},
    ],
)
def test_a_plain_terminal_gets_no_escape_codes_and_q_leaves(
    terminal: Any, environ: dict[str, str]
) -> None:
    shell = terminal(**environ)
    assert shell.until("choice: ")
    shell.type("t\nq\ny\n")
    assert shell.end() == 0
    assert LEFT in shell.text
    assert "PLAYED False" in shell.text
    assert "\x1b" not in shell.text


def test_ctrl_c_leaves_without_a_traceback(terminal: Any) -> None:
    shell = terminal(TERM="xterm")
    assert shell.until("choice: ")
    shell.type("\x03")
    # Python can miss a signal that comes just as it begins to read: people press the key again.
    assert shell.until(LEFT, again="\x03")
    assert shell.end() == 130
    assert "Traceback" not in shell.text


def test_ctrl_d_leaves_without_a_traceback(terminal: Any) -> None:
    shell = terminal(TERM="xterm")
    assert shell.until("choice: ")
    shell.type("\x04")
    assert shell.end() == 0
    assert LEFT in shell.text
    assert "Traceback" not in shell.text


def test_answers_can_be_piped_and_bytes_that_are_no_text_are_no_answer() -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=b"\xff\xfe\n" + b"x" * 10_000 + b"\n" + b"1\n" * 5_000,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        check=False,
    )
    assert run.returncode == 0
    text = run.stdout.decode("ascii")
    assert "That is none of these:" in text
    assert "PLAYED True" in text
    assert max(len(line) for line in text.splitlines()) <= 80
