import itertools
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from masked_monsters.evaluation.page import figures, render
from masked_monsters.evaluation.page.content import Figure, Page, Table, short
from tests.evaluation import samples
from tests.evaluation.pages import blocks, page, report


class Outline(HTMLParser):
    """What elements a page has, with their attributes, and the levels of its headings."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of all elements of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]


def test_a_page_needs_nothing_from_elsewhere(sample_page: Page) -> None:
    outline = Outline(render.html(sample_page))
    assert {"script", "link", "iframe", "object", "base"}.isdisjoint(
        tag for tag, _ in outline.elements
    )
    sources = [image["src"] or "" for image in outline.of("img")]
    assert len(sources) == len(blocks(sample_page, Figure))
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    links = [link["href"] or "" for link in outline.of("a")]
    assert links == [f"#{section.id}" for section in sample_page.sections]
    addresses = r"(?:url\(|@import|href=|src=)[^>]{0,9}"
    for figure in blocks(sample_page, Figure):
        outside = [each for each in re.findall(addresses, figure.svg) if "#" not in each]
        assert outside == []


def test_a_page_can_be_read_without_seeing_it(sample_page: Page) -> None:
    outline = Outline(render.html(sample_page))
    assert outline.of("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(levels))
    assert all(image["alt"] for image in outline.of("img"))
    assert all(cell.get("scope") in ("row", "col") for cell in outline.of("th"))
    tags = [tag for tag, _ in outline.elements]
    assert tags.count("caption") == tags.count("table") == len(blocks(sample_page, Table))
    assert tags.count("figcaption") == tags.count("figure") == tags.count("img")
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def luminance(colour: str) -> float:
    """Relative, as WCAG 2 defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """From 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_text_and_lines_have_contrast_on_light_and_on_dark_pages(sample_page: Page) -> None:
    themes = [
        dict(re.findall(r"--(\w+): (#\w{6})", theme))
        for theme in re.findall(r":root \{[^}]*--page[^}]*\}", render.html(sample_page))
    ]
    assert len(themes) == 2
    for theme, colour_of in zip(themes, (lambda colour: colour, figures.DARK.get), strict=True):
        for text, ground in itertools.product(("ink", "soft", "link"), ("page", "card", "stripe")):
            assert contrast(theme[text], theme[ground]) >= 4.5
        for colour in figures.SERIES:
            assert contrast(str(colour_of(colour)), theme["card"]) >= 3
        assert contrast(str(colour_of(figures.INK)), theme["card"]) >= 4.5


def test_names_are_text_and_not_mark_up(sample_page: Page) -> None:
    html = render.html(sample_page)
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; | &#34;it&#39;s&#34; &amp; `x` $y_1$ *z*" in html
    alts = " ".join(str(image["alt"]) for image in Outline(html).of("img"))
    assert samples.NASTY in alts
    assert "\u202e" not in html
    assert "_under\ufffdscore\ufffd" in html


def test_names_are_text_in_pictures(sample_page: Page) -> None:
    allowed = {
        "svg",
        "style",
        "defs",
        "g",
        "path",
        "use",
        "text",
        "tspan",
        "clipPath",
        "rect",
        "pattern",
    }
    texts = []
    for figure in blocks(sample_page, Figure):
        root = ElementTree.fromstring(figure.svg)
        tags = {str(element.tag).rpartition("}")[2] for element in root.iter()}
        assert tags <= allowed
        texts += [
            "".join(each.itertext()) for each in root.iter() if str(each.tag).endswith("}text")
        ]
    assert short(samples.NASTY) in texts
    assert short(samples.HIDDEN) in texts
    assert any(text.endswith("score\ufffd") for text in texts)


def test_a_name_with_a_leading_underscore_is_in_the_legend() -> None:
    steps = [figures.Step(0, 0.0, -0.1, 0.1)]
    assert "_mine" in figures.curves({"_mine": steps, "$x$": steps}, "gain", "against")


def test_names_do_not_break_markdown(sample_page: Page) -> None:
    text = render.markdown(sample_page, "figures")
    assert "<script" not in text.replace("\\<", "")
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [len(re.findall(r"(?<!\\)\|", line)) - 1 for line in tables]
    sizes = [len(table.header) for table in blocks(sample_page, Table)]
    rows = [len(table.rows) + 2 for table in blocks(sample_page, Table)]
    assert cells == [size for size, count in zip(sizes, rows, strict=True) for _ in range(count)]


def test_a_listing_with_fences_stays_a_listing(tmp_path: Path) -> None:
    content = samples.exact() | {"command": "echo '\n```\n# not a heading'"}
    text = render.markdown(page(samples.write(tmp_path / "exact.json", content)), "figures")
    assert "\n````\necho '\n```\n# not a heading'\n````\n" in text


def test_markdown_has_its_figures_beside_it(
    sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "appendix of mine.md"
    assert report(sample_folder, "--markdown", out, "--title", "A <b> | title") == 0
    assert capsys.readouterr().out == f"{out}\n"
    text = out.read_text()
    assert text.startswith("# A \\<b\\> \\| title\n")
    named = re.findall(r"\]\(appendix%20of%20mine_figures/([\w.-]+)\)", text)
    assert named == sorted(path.name for path in tmp_path.glob("*_figures/*"))
    assert len(named) == 18


def test_the_same_input_makes_the_same_bytes(sample_folder: Path, tmp_path: Path) -> None:
    settings = tmp_path / "matplotlibrc"
    settings.write_text("axes.linewidth: 4\nlines.markeredgewidth: 5\nsvg.fonttype: path\n")
    pages = []
    for seed, other in (("1", {}), ("2", {"MATPLOTLIBRC": str(settings)})):
        place = tmp_path / seed
        place.mkdir()
        code = (
            "import sys; from masked_monsters.evaluation.cli import main; "
            "sys.exit(main(sys.argv[1:]))"
        )
        subprocess.run(
            [
                sys.executable,
                "-c",
                code,
                "report",
                sample_folder,
                "--out",
                "a.html",
                "--markdown",
                "a.md",
            ],
            cwd=place,
            env={**os.environ, "PYTHONHASHSEED": seed, **other},
            check=True,
            timeout=120,
        )
        pages.append(
            {path.name: path.read_bytes() for path in place.rglob("*.*") if path.is_file()}
        )
    assert pages[0] == pages[1]
    assert len(pages[0]) > 15
