"""Write the text of the golden games anew, to be read line by line before it is committed.

``python tests/golden/make.py``
"""

from pathlib import Path

from masked_monsters.evaluation.replay import load
from masked_monsters.evaluation.retell import retell

GOLDEN = Path(__file__).parent


def text_of(path: Path) -> str:
    """A recorded game with all its secrets."""
    return "\n".join(retell(load(path), god=True)) + "\n"


if __name__ == "__main__":
    for path in GOLDEN.glob("*.json"):
        path.with_suffix(".txt").write_text(text_of(path), encoding="utf-8")
