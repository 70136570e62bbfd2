"""Write the docs pages that are made from the code: ``python docs/make_pages.py``."""

import json
from pathlib import Path

from masked_monsters.envs.engine.segments import segments_page
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.exact import tables
from masked_monsters.evaluation.speed.report import page

DOCS = Path(__file__).parent
OBSERVATIONS = DOCS / "observations"


def pages() -> dict[Path, str]:
    """Every generated page and its text."""
    observations = {
        OBSERVATIONS / f"{name}.md": segments_page(
            f"{get_game(name).title}: the `compact` observation", get_game(name).segments
        )
        for name in GAMES
    }
    figures = {
        run.with_name(f"{run.stem}_figures.md"): page(run) for run in DOCS.glob("*speed.json")
    }
    solved = json.loads((DOCS / "reduced_games.json").read_text(encoding="utf-8"))["rows"]
    return {**observations, **figures, DOCS / "reduced_games_tables.md": tables.page(solved)}


if __name__ == "__main__":
    OBSERVATIONS.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
