import itertools
import re
from pathlib import Path

from masked_monsters.evaluation.page import render
from masked_monsters.evaluation.page.collect import collect
from masked_monsters.evaluation.page.content import (
    Figure,
    Page,
    Table,
    at_least,
    between,
    number,
    plus_minus,
    short,
)
from masked_monsters.evaluation.page.records import Interval
from tests.evaluation import samples
from tests.evaluation.pages import blocks, page

DOCS = Path(__file__).parents[2] / "docs"


def test_a_page_has_a_section_for_all_there_is(sample_page: Page) -> None:
    assert [section.id for section in sample_page.sections] == [
        *("summary", "standings", "cross-tables", "ratings", "roles-and-seats", "calibration"),
        *("exploitability", "evaluations", "bluffing", "learning"),
        *("configurations", "provenance", "commands"),
    ]
    names = [figure.name for figure in blocks(sample_page, Figure)]
    assert names.count("rating") == 3
    assert {"roles", "seats", "calibration", "best-responses", "gains"} < set(names)
    assert {"learning-curve", "updates", "belief", "lying", "detection"} < set(names)
    assert names.count("nash-conv") == 2
    assert sum(name.startswith("cross-table") for name in names) == 3


def test_a_section_without_data_is_left_out(tmp_path: Path) -> None:
    exact = page(samples.write(tmp_path / "exact.json", samples.exact()))
    found = [section.id for section in exact.sections]
    assert found == ["summary", "exploitability", "provenance", "commands"]


def test_ratings_that_there_are_not_have_no_figure(tmp_path: Path) -> None:
    content = samples.tournament()
    content["ratings"]["alpha_rank"] = []  # two agents have never met
    made = page(samples.write(tmp_path / "tournament.json", content))
    figures = [figure.caption for figure in blocks(made, Figure) if "bootstrap" in figure.caption]
    assert len(figures) == 2
    assert not any("Alpha-Rank" in caption for caption in figures)


def test_every_figure_and_table_has_a_number_a_caption_and_words_for_it(sample_page: Page) -> None:
    for kind in (Figure, Table):
        found = blocks(sample_page, kind)
        assert [block.number for block in found] == list(range(1, len(found) + 1))
        assert all(block.caption.endswith(".") for block in found)
        assert len({block.id for block in found}) == len(found)
    assert all(len(figure.alt) > 20 for figure in blocks(sample_page, Figure))
    assert all(
        len(row) == len(table.header) for table in blocks(sample_page, Table) for row in table.rows
    )


def test_every_number_has_an_interval_or_the_word_exact(sample_page: Page) -> None:
    seen = 0
    for section in sample_page.sections:
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


def test_exact_values_are_called_exact_and_bounds_bounds(sample_page: Page) -> None:
    captions = {figure.name: figure.caption for figure in blocks(sample_page, Figure)}
    assert "exact" in captions["nash-conv"]
    assert "lower bound" in captions["best-responses"]
    text = render.markdown(sample_page, "figures")
    assert "gains +0.428 ± 0.016; lower bound: at least 0.412." in text
    assert (
        "Least NashConv: 0.0009 (exact) in mmn-tiny, by CFR+ 1000; 0.0009 (exact) in umb-tiny, by"
        in text
    )
    assert "| 1,000,000 | 8,000 | 2,000 |" in text  # what the bound cost


def test_a_policy_that_was_found_with_two_seeds_is_shown_with_both(tmp_path: Path) -> None:
    content = samples.exact()
    (row,) = [
        each
        for each in content["rows"]
        if (each["game"], each["policy"]) == ("mmn-tiny", "uniform")
    ]
    row["seed"] = 0
    content["rows"].append({**row, "seed": 1, "nash_conv": 0.5})
    shown = page(samples.write(tmp_path / "exact.json", content))
    figure = blocks(shown, Figure)[0]
    assert "uniform, seed 0: 0.910" in figure.alt
    assert "uniform, seed 1: 0.500" in figure.alt
    assert "CFR+ 100:" in figure.alt


def test_a_bluff_profile_has_its_ledger_and_what_lying_is_worth(tmp_path: Path) -> None:
    made = page(samples.write(tmp_path / "bluff.json", samples.bluff()))
    ledger, deception, hedging, covers, lying, detection = blocks(made, Table)[1:7]
    assert "others would" not in ledger.header  # nothing was measured there
    assert ledger.rows[0][:3] == ("kid", "false", "1,234")
    assert deception.rows[0][-1] == "–"
    assert hedging.rows[0][1] == "monster"
    assert covers.rows[0][1:3] == ("kid", "2")
    assert [row[2] for row in lying.rows] == ["0%", "50%", "100%", "100%"]
    assert lying.rows[3][3] == "1,000 decisions"
    assert detection.rows == ((f"{samples.NASTY} among {samples.HIDDEN}", *detection.rows[0][1:]),)


def test_a_row_says_how_many_times_fewer_games(tmp_path: Path) -> None:
    content = samples.evaluation()
    rows = content["evaluations"]
    rows[0]["control_variates"]["fewer_games"] = {"mean": 3.0, "low": 2.0, "high": 4.5}
    rows[0]["control_variates"]["fewer_games_than_independent"] = {"mean": 6, "low": 4, "high": 9}
    shown = page(samples.write(tmp_path / "numbers.json", content))
    (table,) = [each for each in blocks(shown, Table) if "times fewer games" in each.header]
    assert [row[-2:] for row in table.rows[:2]] == [
        ("3.0 (2.0 to 4.5)", "6.0 (4.0 to 9.0)"),
        ("4.00 (3.70 to 4.30)", "no luck left"),
    ]


def test_the_published_reduced_games_are_shown_with_all_that_is_known_of_them() -> None:
    shown = page(DOCS / "reduced_games.json")
    figures = [figure for figure in blocks(shown, Figure) if figure.name == "nash-conv"]
    assert len(figures) == 10
    assert any("blurter: 0.000" in figure.alt for figure in figures)  # 0 but for rounding
    (sides,) = [table for table in blocks(shown, Table) if "kid (exact)" in table.header]
    assert ("umb-tiny", "uniform", "-0.1222, best +0.7963", "+0.1222, best +0.5512") in sides.rows
    assert any("at least" in row[3] for row in sides.rows)
    assert {row[0].split("-")[0] for row in sides.rows} == {"umb"}


def test_what_lies_beside_a_tournament_is_shown_too(tmp_path: Path) -> None:
    samples.write(tmp_path / "tournament.json", samples.tournament())
    samples.write(tmp_path / "solved.json", samples.exact())
    assert {source.path.name for source in collect([tmp_path]).sources} == {
        *("solved.json", "tournament.json")
    }


def test_a_page_names_its_files_by_hash_its_seeds_versions_and_commands(
    sample_folder: Path, sample_page: Page
) -> None:
    text = render.markdown(sample_page, "figures")
    hashes = collect([sample_folder]).hashes
    assert {"tournament.json", "config.yaml", "progress.csv"} < {path.name for path in hashes}
    assert all(digest in text for digest in hashes.values())
    for words in (
        samples.COMMAND,
        "masked-monsters report …",
        "masked-monsters 0.1.0, numpy 2.4.6",
    ):
        assert words in text


def test_what_is_found_twice_is_shown_once(sample_folder: Path) -> None:
    again = collect([sample_folder, sample_folder / "exact.json", sample_folder / "." / "run"])
    assert len(again.sources) == 8
    assert len(again.runs) == 1


def test_numbers_keep_the_places_that_they_need() -> None:
    assert plus_minus(Interval(mean=-0.0001, half_width=0.02), signed=True) == "+0.000 ± 0.020"
    assert plus_minus(Interval(mean=0.12345, half_width=0.0004)) == "0.12345 ± 0.00040"
    assert number(0.000123456) == "0.000123"
    assert number(12.3456) == "12.346"
    assert between(25.04, 24.0, 26.2) == "25.0 (24.0 to 26.2)"
    assert between(-1e-17, -0.025, 0.03, sign="+") == "+0.000 (-0.025 to +0.030)"
    assert between(0.25, 0.25, 0.25) == "0.250 (0.250 to 0.250)"


def test_a_bound_is_never_rounded_up() -> None:
    assert at_least(0.4119) == "at least 0.411"
    assert at_least(0.412) == "at least 0.412"


def test_a_long_name_keeps_both_its_ends_in_a_figure() -> None:
    assert short("runs/a-rather-long-name/agent.zip", 16) == "runs/a-…ent.zip"
    assert short("two\nlines") == "two lines"
