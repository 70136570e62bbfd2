"""Write the docs pages that are made from the code: ``python docs/make_pages.py``."""

from pathlib import Path

from masked_monsters.envs.engine.segments import segments_page
from masked_monsters.envs.registry import GAMES, get_game

OBSERVATIONS = Path(__file__).parent / "observations"


def pages() -> dict[Path, str]:
    """Every generated page and its text."""
    return {
        OBSERVATIONS / f"{name}.md": segments_page(
            f"{get_game(name).title}: the `compact` observation", get_game(name).segments
        )
        for name in GAMES
    }


if __name__ == "__main__":
    OBSERVATIONS.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
