"""What the terminal shows and asks: lines of ASCII, folded to fit."""

import sys
import textwrap
from collections.abc import Sequence
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

WIDTH = 80
"""No line is wider, even if the terminal is."""
COLOURS = ("cyan", "yellow", "magenta", "green", "blue", "red", "bright_cyan", "bright_yellow")
"""Of the players, by seat."""
FEW = 8
"""Rows that stand in one column even if more would fit."""
GAP = " " * 3
"""Between columns."""
FORGET = "\x1b[3J"
"""Terminals that know it drop what has scrolled away."""


class Paper:
    """Text as it is, without mark-up; colours only where the terminal has them and they are wanted."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._width = min(console.width, WIDTH)
        self._plain = console.is_dumb_terminal or console.no_color or not console.is_terminal

    def say(self, text: str, style: str = "") -> None:
        """Lines of text; what does not fit goes on below, further to the right."""
        for line in text.split("\n"):
            for part in folded(ascii_of(line), self._width):
                self._console.print(self._styled(part, style), soft_wrap=True)

    def say_in_columns(self, rows: Sequence[str]) -> None:
        """Rows to be read downwards, in as many columns as fit if there are more than a few."""
        for line in in_columns(rows, self._width):
            self.say(line)

    def ask(self, prompt: str) -> str:
        """The line that is typed, without the blanks around it; ``EOFError`` if there is no more."""
        answer = ""
        try:
            answer = self._console.input(self._styled(ascii_of(prompt), "bold"))
        except UnicodeDecodeError:
            pass  # bytes that are no text are no answer
        except (EOFError, KeyboardInterrupt):
            self.say("")
            raise
        if not sys.stdin.isatty():  # nobody's Enter has ended the line
            self.say("")
        return answer.strip()

    def clear(self) -> None:
        """What was shown is no longer in sight, and gone for good where the terminal can forget."""
        if self._plain:
            self.say("\n" * self._console.height)
        else:
            self._console.clear()
            self._console.file.write(FORGET)

    def _styled(self, line: str, style: str) -> Text:
        if self._plain:
            return Text(line)
        text = Text(line, style)
        text.highlight_regex(r"player_\d", lambda player: COLOURS[int(player[-1])])
        return text


def ascii_of(text: str) -> str:
    """The text with all that ASCII cannot show escaped as in Python."""
    return "".join(c if c.isascii() and c.isprintable() else ascii(c)[1:-1] for c in text)


def folded(line: str, width: int) -> list[str]:
    """The line on as many lines as it needs; all but the first stand further to the right."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    parts = textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)
    return parts or [""]


def in_columns(rows: Sequence[str], width: int) -> list[str]:
    """The rows below each other, side by side where there are more than a few and they fit."""
    for height in range(FEW, len(rows)):
        columns = [rows[top : top + height] for top in range(0, len(rows), height)]
        widths = [max(len(row) for row in column) for column in columns]
        if sum(widths) + len(GAP) * (len(columns) - 1) <= width:
            return [
                GAP.join(row.ljust(width) for row, width in zip(line, widths, strict=True)).rstrip()
                for line in zip_longest(*columns, fillvalue="")
            ]
    return list(rows)
