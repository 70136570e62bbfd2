"""Pages made from samples."""

from pathlib import Path
from typing import Any

from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.page.collect import collect
from masked_monsters.evaluation.page.command import page_of
from masked_monsters.evaluation.page.content import Page


def page(*paths: Path) -> Page:
    """What a page of these would say."""
    return page_of(collect(paths), "A title", "masked-monsters report …")


def blocks(page: Page, kind: type[Any]) -> list[Any]:
    """All of a kind."""
    return [block for section in page.sections for block in section.blocks if type(block) is kind]


def report(*arguments: str | Path) -> int:
    """Run the command."""
    return main(["report", *map(str, arguments)])
