"""Write the docs pages that are made from the code: ``python docs/make_pages.py``."""

from pathlib import Path

from masked_monsters.envs.engine.segments import segments_page
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.speed.report import page

OBSERVATIONS = Path(__file__).parent / "observations"
SPEED = Path(__file__).with_name("speed.json")


def pages() -> dict[Path, str]:
    """Every generated page and its text."""
    observations = {
        OBSERVATIONS / f"{name}.md": segments_page(
            f"{get_game(name).title}: the `compact` observation", get_game(name).segments
        )
        for name in GAMES
    }
    return {**observations, SPEED.with_name("speed_figures.md"): page(SPEED)}


if __name__ == "__main__":
    OBSERVATIONS.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
