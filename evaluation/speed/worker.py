"""A peer measured in a process of its own, asked and answered line by line."""

import os
import subprocess
from collections.abc import Sequence
from typing import Self

from masked_monsters.evaluation.speed.measure import Sample


class Worker:
    """A program that answers ``WORDS… SECONDS`` by ``COUNT WALL_SECONDS CPU_SECONDS``, or an error."""

    def __init__(self, *command: str, **environment: str) -> None:
        self._command = command
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End the program, whatever it is doing."""
        self._process.kill()
        self._process.communicate()

    def ask(self, words: str, seconds: float) -> Sample:
        """Measure for about so many seconds; ``OSError`` if the program does not."""
        answer = self._answer(f"{words} {seconds}\n").split()
        if len(answer) != 3 or answer[0] == "error":
            raise OSError(f"{_line(self._command)}: {words}: {_line(answer) or 'no answer'}")
        count, wall, cpu = map(float, answer)
        return Sample(count / wall, wall, cpu)

    def _answer(self, question: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(question)
        self._process.stdin.flush()
        return self._process.stdout.readline()


def _line(words: Sequence[str]) -> str:
    return " ".join(words)
