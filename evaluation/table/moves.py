"""The moves of a turn, as a numbered list."""

from collections.abc import Sequence
from itertools import takewhile

from masked_monsters.evaluation.replay import Match


class Moves:
    """What the seat to move may do.

    Attributes:
        actions: by the number that is to be typed.
        numbers: these, as a range.
        opening: how the sentences of all the actions begin.
        rows: each number and how its sentence goes on.
    """

    def __init__(self, match: Match) -> None:
        legal = match.legal()
        self.actions = {str(number): action for number, action in enumerate(legal, 1)}
        self.numbers = "1" if len(legal) == 1 else f"1-{len(legal)}"
        sentences = [match.game.words.action(match.states[0], action) for action in legal]
        self.opening = opening(sentences) if len(legal) > 1 else f"player_{match.to_move}"
        self.rows = [
            f"{number:>3}  {sentence.removeprefix(self.opening).strip()}"
            for number, sentence in zip(self.actions, sentences, strict=True)
        ]


def opening(sentences: Sequence[str]) -> str:
    """The words, before any that is quoted, with which all begin."""
    words = [sentence.partition('"')[0].split() for sentence in sentences]
    shared = takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False))
    return " ".join(word for word, *_ in shared)
