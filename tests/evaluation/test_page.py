import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from masked_monsters.evaluation.cli import main
from masked_monsters.evaluation.page import figures, render
from masked_monsters.evaluation.page.collect import collect
from masked_monsters.evaluation.page.command import page_of
from masked_monsters.evaluation.page.content import Figure, Page, Table, number, plus_minus, short
from masked_monsters.evaluation.page.learning import train_command
from masked_monsters.evaluation.page.records import Interval
from masked_monsters.evaluation.page.runs import read_run
from masked_monsters.training.config import Config, config_file, read_config, write_config
from tests.evaluation import samples
from tests.training.tiny import league_config, tiny_config


def page(*paths: Path) -> Page:
    """What a page of these would say."""
    return page_of(collect(paths), "A title", "masked-monsters report …")


def blocks(page: Page, kind: type[Any]) -> list[Any]:
    """All of a kind."""
    return [block for section in page.sections for block in section.blocks if type(block) is kind]


def report(*arguments: str | Path) -> int:
    """Run the command."""
    return main(["report", *map(str, arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of everything."""
    folder = samples.write_all(tmp_path_factory.mktemp("samples"))
    samples.write_run(folder / "run")
    return folder


@pytest.fixture(scope="module")
def everything(folder: Path) -> Page:
    """A page of one of everything."""
    return page(folder)


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


# ---------------------------------------------------------------- what is on the page


def test_a_page_has_a_section_for_all_there_is(everything: Page) -> None:
    assert [section.id for section in everything.sections] == [
        *("summary", "standings", "cross-tables", "ratings", "roles-and-seats", "calibration"),
        *("exploitability", "evaluations", "learning", "configurations", "provenance", "commands"),
    ]
    names = [figure.name for figure in blocks(everything, Figure)]
    assert names.count("rating") == 3
    assert {"roles", "seats", "calibration", "best-responses", "gains"} < set(names)
    assert {"learning-curve", "updates"} < set(names)
    assert names.count("nash-conv") == 2
    assert sum(name.startswith("cross-table") for name in names) == 3


def test_a_section_without_data_is_left_out(tmp_path: Path) -> None:
    exact = page(samples.write(tmp_path / "exact.json", samples.exact()))
    found = [section.id for section in exact.sections]
    assert found == ["summary", "exploitability", "provenance", "commands"]


def test_every_figure_and_table_has_a_number_a_caption_and_words_for_it(everything: Page) -> None:
    for kind in (Figure, Table):
        found = blocks(everything, kind)
        assert [block.number for block in found] == list(range(1, len(found) + 1))
        assert all(block.caption.endswith(".") for block in found)
        assert len({block.id for block in found}) == len(found)
    assert all(len(figure.alt) > 20 for figure in blocks(everything, Figure))
    assert all(
        len(row) == len(table.header) for table in blocks(everything, Table) for row in table.rows
    )


def test_every_number_has_an_interval_or_the_word_exact(everything: Page) -> None:
    seen = 0
    for section in everything.sections:
        if section.id in ("configurations", "provenance", "commands"):
            continue
        for table in (block for block in section.blocks if isinstance(block, Table)):
            for row, (column, header) in itertools.product(table.rows, enumerate(table.header)):
                if column < table.words or not re.search(r"\d\.\d", row[column]):
                    continue
                seen += 1
                interval = re.search(r" ± \d|\(\S+ to \S+\)", row[column])
                bound = row[column].startswith("at least ") and header == "lower bound"
                assert interval or bound or "exact" in header, (table.caption, header, row)
    assert seen > 100


def test_exact_values_are_called_exact_and_bounds_bounds(everything: Page) -> None:
    captions = {figure.name: figure.caption for figure in blocks(everything, Figure)}
    assert "exact" in captions["nash-conv"]
    assert "lower bound" in captions["best-responses"]
    text = render.markdown(everything, "figures")
    assert "gains +0.428 ± 0.016; lower bound: 0.412." in text
    assert "the least NashConv is 0.0009 (exact), by CFR+ 1000 in mmn-tiny." in text
    assert "| 1,000,000 | 8,000 | 2,000 |" in text  # what the bound cost


def test_a_row_says_how_many_times_fewer_games(tmp_path: Path) -> None:
    content = samples.evaluation()
    rows = content["evaluations"]
    rows[0]["control_variates"]["fewer_games"] = 2.5
    rows[1]["control_variates"]["fewer_games"] = {"mean": 3.0, "low": 2.0, "high": 4.5}
    shown = page(samples.write(tmp_path / "numbers.json", content))
    (table,) = [each for each in blocks(shown, Table) if "times fewer games" in each.header]
    assert [row[-1] for row in table.rows] == [
        *("about 2.50, no interval known", "3.00 (2.00 to 4.50)", "4.00 ± 0.30")
    ]


def test_a_page_names_its_files_by_hash_its_seeds_versions_and_commands(
    folder: Path, everything: Page
) -> None:
    text = render.markdown(everything, "figures")
    hashes = collect([folder]).hashes
    assert {"tournament.json", "config.yaml", "progress.csv"} < {path.name for path in hashes}
    assert all(digest in text for digest in hashes.values())
    for words in (
        samples.COMMAND,
        "masked-monsters report …",
        "masked-monsters 0.1.0, numpy 2.4.6",
    ):
        assert words in text


def test_what_is_found_twice_is_shown_once(folder: Path) -> None:
    again = collect([folder, folder / "exact.json", folder / "." / "run"])
    assert len(again.sources) == 7
    assert len(again.runs) == 1


def test_numbers_keep_the_places_that_they_need() -> None:
    assert plus_minus(Interval(mean=-0.0001, half_width=0.02), signed=True) == "+0.000 ± 0.020"
    assert plus_minus(Interval(mean=0.12345, half_width=0.0004)) == "0.12345 ± 0.00040"
    assert number(0.000123456) == "0.000123"
    assert number(12.3456) == "12.346"


def test_a_long_name_keeps_both_its_ends_in_a_figure() -> None:
    assert short("runs/a-rather-long-name/agent.zip", 16) == "runs/a-…ent.zip"
    assert short("two\nlines") == "two lines"


# ---------------------------------------------------------------- training runs


def test_a_run_under_way_is_shown_as_such(folder: Path) -> None:
    run = read_run(folder / "run")
    assert run.state == (
        "in progress or killed, no agent.zip; last logged at 3,000 of 4,000 decisions; "
        "the last row of evaluation.csv is cut off"
    )
    assert [point.decisions for point in run.points] == [0, 2000]


@pytest.mark.parametrize(
    ("decisions", "state"),
    [
        (2000, "stopped at 2,000 of 4,000 decisions"),
        (4096, "complete, 4,096 decisions"),
    ],
)
def test_a_run_with_an_agent_is_stopped_or_complete(
    tmp_path: Path, decisions: int, state: str
) -> None:
    run = samples.write_run(tmp_path / "run")
    with zipfile.ZipFile(run / "agent.zip", "w") as archive:
        archive.writestr("masked_monsters.json", json.dumps({"decisions": decisions}))
    assert read_run(run).state.startswith(state)


@pytest.mark.parametrize(
    "config",
    [
        tiny_config(name="tiny-2", seed=7, table_sizes=[3, 8]),
        tiny_config("under_my_bed"),
        league_config("under_my_bed"),
        tiny_config().model_copy(update={"options": {"num_rounds": 3}}),
    ],
)
def test_the_command_shown_makes_the_same_configuration_again(
    tmp_path: Path, config: Config
) -> None:
    run = samples.write_run(tmp_path / "run")
    write_config(config, run / "config.yaml")
    _, command, name, *overrides = shlex.split(train_command(read_run(run)))
    assert command == "train"
    assert read_config(config_file(name), overrides) == config


def test_only_what_differs_from_the_packages_configuration_is_in_the_table(tmp_path: Path) -> None:
    run = samples.write_run(tmp_path / "run")
    config = read_config(config_file("monster_my_neighbor"), ["run.seed=3", "ppo.gamma=0.9"])
    write_config(config, run / "config.yaml")
    (table,) = [each for each in blocks(page(run), Table) if each.header[0] == "key"]
    assert table.rows == (("run.seed", "3", "0"), ("ppo.gamma", "0.9", "1.0"))


def test_an_older_run_is_trained_again_from_its_own_file(folder: Path) -> None:
    run = folder / "run"
    command = f"masked-monsters train {shlex.quote(str(run / 'config.yaml'))}"
    assert train_command(read_run(run)) == command


def test_a_sweep_is_its_runs(tmp_path: Path) -> None:
    (tmp_path / "sweep.yaml").write_text("")
    (tmp_path / "config.yaml").write_text("")
    for seed in range(2):
        samples.write_run(tmp_path / "trial_000" / f"seed_{seed}")
    samples.write_run(tmp_path / ".trial.unfinished")
    runs = collect([tmp_path]).runs
    assert [run.folder.name for run in runs] == ["seed_0", "seed_1"]


# ---------------------------------------------------------------- HTML and Markdown


def test_a_page_needs_nothing_from_elsewhere(everything: Page) -> None:
    outline = Outline(render.html(everything))
    assert {"script", "link", "iframe", "object", "base"}.isdisjoint(
        tag for tag, _ in outline.elements
    )
    sources = [image["src"] or "" for image in outline.of("img")]
    assert len(sources) == len(blocks(everything, Figure))
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    links = [link["href"] or "" for link in outline.of("a")]
    assert links == [f"#{section.id}" for section in everything.sections]
    addresses = r"(?:url\(|@import|href=|src=)[^>]{0,9}"
    for figure in blocks(everything, Figure):
        outside = [each for each in re.findall(addresses, figure.svg) if "#" not in each]
        assert outside == []


def test_a_page_can_be_read_without_seeing_it(everything: Page) -> None:
    outline = Outline(render.html(everything))
    assert outline.of("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in itertools.pairwise(levels))
    assert all(image["alt"] for image in outline.of("img"))
    assert all(cell.get("scope") in ("row", "col") for cell in outline.of("th"))
    tags = [tag for tag, _ in outline.elements]
    assert tags.count("caption") == tags.count("table") == len(blocks(everything, Table))
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


def test_text_and_lines_have_contrast_on_light_and_on_dark_pages(everything: Page) -> None:
    themes = [
        dict(re.findall(r"--(\w+): (#\w{6})", theme))
        for theme in re.findall(r":root \{[^}]*--page[^}]*\}", render.html(everything))
    ]
    assert len(themes) == 2
    for theme, colour_of in zip(themes, (lambda colour: colour, figures.DARK.get), strict=True):
        for text, ground in itertools.product(("ink", "soft", "link"), ("page", "card", "stripe")):
            assert contrast(theme[text], theme[ground]) >= 4.5
        for colour in figures.SERIES:
            assert contrast(str(colour_of(colour)), theme["card"]) >= 3
        assert contrast(str(colour_of(figures.INK)), theme["card"]) >= 4.5


def test_names_are_text_and_not_mark_up(everything: Page) -> None:
    html = render.html(everything)
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; | &#34;it&#39;s&#34; &amp; `x` $y_1$ *z*" in html
    alts = " ".join(str(image["alt"]) for image in Outline(html).of("img"))
    assert samples.NASTY in alts
    assert "\u202e" not in html
    assert "_under\ufffdscore\ufffd" in html


def test_names_are_text_in_pictures(everything: Page) -> None:
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
    for figure in blocks(everything, Figure):
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


def test_names_do_not_break_markdown(everything: Page) -> None:
    text = render.markdown(everything, "figures")
    assert "<script" not in text.replace("\\<", "")
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [len(re.findall(r"(?<!\\)\|", line)) - 1 for line in tables]
    sizes = [len(table.header) for table in blocks(everything, Table)]
    rows = [len(table.rows) + 2 for table in blocks(everything, Table)]
    assert cells == [size for size, count in zip(sizes, rows, strict=True) for _ in range(count)]


def test_a_listing_with_fences_stays_a_listing(tmp_path: Path) -> None:
    content = samples.exact() | {"command": "echo '\n```\n# not a heading'"}
    text = render.markdown(page(samples.write(tmp_path / "exact.json", content)), "figures")
    assert "\n````\necho '\n```\n# not a heading'\n````\n" in text


def test_markdown_has_its_figures_beside_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "appendix of mine.md"
    assert report(folder, "--markdown", out, "--title", "A <b> | title") == 0
    assert capsys.readouterr().out == f"{out}\n"
    text = out.read_text()
    assert text.startswith("# A \\<b\\> \\| title\n")
    named = re.findall(r"\]\(appendix%20of%20mine_figures/([\w.-]+)\)", text)
    assert named == sorted(path.name for path in tmp_path.glob("*_figures/*"))
    assert len(named) == 15


def test_the_same_input_makes_the_same_bytes(folder: Path, tmp_path: Path) -> None:
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
            [sys.executable, "-c", code, "report", folder, "--out", "a.html", "--markdown", "a.md"],
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


# ---------------------------------------------------------------- the command


def test_what_evaluate_and_crosstable_write_can_be_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ("--game", "under_my_bed", "--matches", "8", "--json")
    for name, *arguments in (
        ("evaluation", "evaluate", "random", "--against", "honest"),
        ("cross_table", "crosstable", "random", "honest"),
        ("role_cross_table", "crosstable", "--by-role", "random", "honest"),
    ):
        file = tmp_path / f"{name}.json"
        assert main([*arguments, *few, str(file)]) == 0
        content = json.loads(file.read_text())
        assert content["kind"] == name
        assert content["command"] == shlex.join(["masked-monsters", *arguments, *few, str(file)])
    capsys.readouterr()
    assert report(tmp_path, "--out", tmp_path / "page.html") == 0
    shown = page(tmp_path)
    assert {"cross-tables", "evaluations"} < {section.id for section in shown.sections}


def test_without_a_name_the_page_is_report_html(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert report(folder / "exact.json") == 0
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_missing_package_is_named_with_the_extra_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [
        name for name in sys.modules if name.startswith("masked_monsters.evaluation.page")
    ]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.split(".")[0] == "jinja2"]:
        monkeypatch.setitem(sys.modules, name, None)
    assert report(".") == 2
    words = "jinja2 is not installed: pip install 'masked-monsters[report]'"
    assert words in capsys.readouterr().err


def test_no_torch_is_needed(folder: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from masked_monsters.evaluation.cli import main; "
        f"main(['report', {str(folder)!r}, '--out', {str(tmp_path / 'a.html')!r}]); "
        "sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def spoil(path: Path, change: Callable[[str], str]) -> None:
    """Write a file again, changed."""
    path.write_text(change(path.read_text()))


FAULTS: list[tuple[str, Callable[[Path], object], str]] = [
    (
        "",
        lambda f: (f / "exact.json").write_text('{"kind": "exact", "ro'),
        "exact.json: not JSON, or",
    ),
    ("", lambda f: (f / "exact.json").write_text("[]"), "exact.json: has no kind"),
    ("", lambda f: (f / "exact.json").write_text('{"rows": []}'), "exact.json: has no kind"),
    (
        "",
        lambda f: (f / "exact.json").write_text('{"kind": "speed"}'),
        "exact.json: kind='speed': must be one of tournament, best_response, exact, evaluation,",
    ),
    (
        "",
        lambda f: spoil(f / "exact.json", lambda text: text.replace('"policy"', '"polcy"')),
        "exact.json: rows.0.policy: missing",
    ),
    (
        "",
        lambda f: spoil(f / "exact.json", lambda text: text.replace("0.91", "NaN")),
        "exact.json: rows.0.nash_conv",
    ),
    (
        "",
        lambda f: spoil(
            f / "numbers.json",
            lambda text: text.replace('width": 0.02', 'width": -0.02'),
        ),
        "half_width=-0.02",
    ),
    (
        "big",
        lambda f: spoil(f / "big/tournament.json", lambda text: text.replace("null, ", "", 1)),
        "tournament.json: cross_table: must have 5 rows and columns, one an agent",
    ),
    (
        "",
        lambda f: (f / "big/tournament.json").rename(f / "big/results.sqlite"),
        "big: has results.sqlite but no tournament.json: the tournament is not over",
    ),
    ("run", lambda f: spoil(f / "run/config.yaml", lambda _: "a: ["), "config.yaml: not YAML"),
    (
        "run",
        lambda f: spoil(f / "run/config.yaml", lambda _: "site_name: docs"),
        "config.yaml: not a run's configuration: it needs game and run",
    ),
    (
        "run",
        lambda f: spoil(f / "run/config.yaml", lambda text: text.replace("4000", "many")),
        "config.yaml: not a run's configuration: run.decisions is 'many'",
    ),
    ("run", lambda f: (f / "run/versions.json").unlink(), "versions.json: no such file"),
    (
        "run",
        lambda f: (f / "run/versions.json").write_text('{"python": "3'),
        "versions.json: does not say what the run began with",
    ),
    (
        "run",
        lambda f: spoil(f / "run/evaluation.csv", lambda text: text.replace("0.2,0.1", "0.2,x")),
        "evaluation.csv: line 3: low='x' is not a number",
    ),
    (
        "run",
        lambda f: spoil(f / "run/evaluation.csv", lambda text: text.replace("0.2,0.1", "nan,0.1")),
        "evaluation.csv: line 3: mean='nan' is not a number",
    ),
    (
        "run",
        lambda f: spoil(f / "run/evaluation.csv", lambda text: text.replace("0.2,0.1,", "")),
        "evaluation.csv: line 3 has not as many cells as there are columns",
    ),
    (
        "run",
        lambda f: spoil(f / "run/progress.csv", lambda text: text.replace("time/total", "x")),
        "progress.csv: line 2 has no time/total_timesteps",
    ),
    (
        "run",
        lambda f: (f / "run/agent.zip").write_bytes(b"PK"),
        "agent.zip: not an agent file of masked-monsters",
    ),
    ("nothing", lambda f: None, "nothing: no such file or folder"),
    ("empty", lambda f: (f / "empty").mkdir(), "empty: has nothing to report"),
]


@pytest.mark.parametrize(("path", "fault", "words"), FAULTS)
def test_what_is_missing_spoiled_or_foreign_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    path: str,
    fault: Callable[[Path], object],
    words: str,
) -> None:
    folder = samples.write_all(tmp_path / "samples")
    samples.write_run(folder / "run")
    fault(folder)
    assert report(folder / path, "--out", tmp_path / "page.html") == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("option", "name", "words"),
    [
        ("--out", "page.pdf", "must end in .html or .htm"),
        ("--out", "no/page.html", "must be a file's name in a folder that exists"),
        ("--markdown", "page.html", "must end in .md or .markdown"),
    ],
)
def test_a_name_that_cannot_be_written_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], option: str, name: str, words: str
) -> None:
    assert report(folder, option, name) == 2
    assert f"{option[2:]}={name}: {words}" in capsys.readouterr().err
