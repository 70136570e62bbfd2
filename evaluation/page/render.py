"""A page as one file of HTML, or as Markdown with its figures beside it."""

from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined

from masked_monsters.evaluation import page as package
from masked_monsters.evaluation.page.content import (
    Block,
    Figure,
    Heading,
    Listing,
    Page,
    Table,
    Words,
    plain,
)
from masked_monsters.training.files import whole_file

SPECIAL = r"\`*_{}[]<>#|~$&!@"
"""What Markdown would take for mark-up, or a code host for a link."""


def html(page: Page) -> str:
    """One page that needs no network: style and pictures are in it."""
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda value: plain(value) if type(value) is str else value,
    )
    template = files(package).joinpath("page.html").read_text(encoding="utf-8")
    return environment.from_string(template).render(page=page, version=version("masked-monsters"))


def write_html(page: Page, path: Path) -> None:
    """Whole or not at all."""
    with whole_file(path) as file:
        file.write(html(page).encode())


def write_markdown(page: Page, path: Path) -> None:
    """The page, and its figures in a folder beside it."""
    folder = path.with_name(f"{path.stem}_figures")
    pictures = [
        block for section in page.sections for block in section.blocks if isinstance(block, Figure)
    ]
    if pictures:
        folder.mkdir(exist_ok=True)
    for figure in pictures:
        with whole_file(folder / _file_name(figure)) as file:
            file.write(figure.svg.encode())
    with whole_file(path) as file:
        file.write(markdown(page, folder.name).encode())


def markdown(page: Page, folder: str) -> str:
    """The page's text; its pictures are in that folder."""
    parts = [f"# {escaped(page.title)}"]
    for section in page.sections:
        parts.append(f"## {section.title}")
        parts += [_markdown(block, folder) for block in section.blocks]
    parts.append(f"Made by masked-monsters {version('masked-monsters')}, `masked-monsters report`.")
    return "\n\n".join(parts) + "\n"


def _markdown(block: Block, folder: str) -> str:
    match block:
        case Words():
            return escaped(block.text)
        case Heading():
            return f"### {escaped(block.text)}"
        case Table():
            caption = f"Table {block.number}. {escaped(block.caption)}"
            rule = ("---" if each < block.words else "---:" for each in range(len(block.header)))
            rows = (block.header, *block.rows)
            lines = [f"| {' | '.join(map(escaped, row))} |" for row in rows]
            return "\n".join([caption, "", lines[0], f"| {' | '.join(rule)} |", *lines[1:]])
        case Figure():
            file = f"{quote(folder)}/{quote(_file_name(block))}"
            caption = f"Figure {block.number}. {escaped(block.caption)}"
            return f"![{escaped(block.alt)}]({file})\n\n{caption}"
        case Listing():
            text = plain(block.text).rstrip("\n")
            fence = "```"
            while fence in text:
                fence += "`"
            return f"{escaped(block.title)}:\n\n{fence}\n{text}\n{fence}"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    line = " ".join(plain(text).split())
    marked = "".join(f"\\{each}" if each in SPECIAL else each for each in line)
    return marked.replace("://", ":\\//").replace("www.", "www\\.")


def _file_name(figure: Figure) -> str:
    return f"{figure.number:02}-{figure.name}.svg"
