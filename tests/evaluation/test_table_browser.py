"""The table's page in a real browser: matches played as a person, by mouse and by keyboard alone."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from masked_monsters.envs.game import Game
from masked_monsters.envs.registry import GAMES, get_game
from masked_monsters.evaluation.agents import REFERENCE, load_agent
from masked_monsters.evaluation.replay import load, record, save
from tests.evaluation.table_server import Server, serving

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: apt-get install -y chromium"
)
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
PATIENCE = 120_000
"""Milliseconds, in which players may have to be compiled."""

AGENTS = {"monster_my_neighbor": "cautious", "under_my_bed": "honest"}
"""Who do not end a match at once, as random ones may."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def chromium(playwright: Playwright) -> Browser:
    """A browser that loads nothing by itself."""
    options = ("--no-sandbox", "--disable-quic", "--disable-background-networking")
    return playwright.chromium.launch(
        executable_path=CHROMIUM,
        args=[*options, "--disable-component-update", "--disable-sync"],
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = chromium(playwright)
        yield started
        started.close()


class Watched:
    """A page whose complaints and received frames are kept."""

    def __init__(
        self, browser: Browser, size: Any, scheme: Any = "light", touch: bool = False
    ) -> None:
        self.page: Page = browser.new_page(viewport=size, color_scheme=scheme, has_touch=touch)
        self.complaints: list[str] = []
        self.frames: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("websocket", self._listen)

    def _listen(self, socket: Any) -> None:
        socket.on("framereceived", lambda frame: self.frames.append(str(frame)))

    def sees(self, text: str) -> bool:
        return self.page.get_by_text(text, exact=True).count() > 0


def faults(page: Page) -> list[str]:
    """What axe-core finds that is serious or critical."""
    found = Axe().run(page).response["violations"]
    return [fault["id"] for fault in found if fault["impact"] in ("serious", "critical")]


def play(watched: Watched, keyboard: bool) -> int:
    """Always the first legal move, to the match's end; how many."""
    page, moves = watched.page, 0
    while True:
        page.wait_for_selector(".moves button, table caption", timeout=PATIENCE)
        if watched.sees("The match is over"):
            return moves
        turn = page.locator(".story li").count()
        if keyboard:
            page.wait_for_function("() => document.activeElement.closest('.moves')")
            page.keyboard.press("Enter")
        else:
            page.locator(".moves button").first.click()
        moves += 1
        page.wait_for_function(
            "told => document.querySelectorAll('.story li').length > told"
            " || document.querySelector('table caption')",
            arg=turn,
            timeout=PATIENCE,
        )


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(
    ("size", "scheme", "keyboard"), [(DESKTOP, "light", True), (PHONE, "dark", False)]
)
def test_a_person_plays_a_match_with_three_agents(
    server: Server, browser: Browser, name: str, size: Any, scheme: Any, keyboard: bool
) -> None:
    table = server.open(name, ["person", *[AGENTS[name]] * 3], seed=2, adviser="random")
    watched = Watched(browser, size, scheme)
    watched.page.goto(f"{server.address}#{table.eyes[0].token}")
    watched.page.wait_for_selector(".moves button", timeout=PATIENCE)
    assert faults(watched.page) == []
    watched.page.get_by_text("What would random do?").click()
    watched.page.wait_for_selector(".chance")
    watched.page.locator(".moves button").first.focus()
    assert play(watched, keyboard) > 1
    assert faults(watched.page) == []
    wide = watched.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= size["width"]
    with watched.page.expect_download() as download:
        watched.page.get_by_text("Save the replay").click()
    assert json.loads(download.value.path().read_text())["players"] == table.names
    assert watched.complaints == []
    watched.page.close()


def test_a_table_is_opened_from_the_page(server: Server, browser: Browser) -> None:
    watched = Watched(browser, PHONE)
    page = watched.page
    page.goto(server.address)
    page.wait_for_selector(".lobby")
    assert faults(page) == []
    page.get_by_label("Game").select_option("Under My Bed")
    page.get_by_label("Players").select_option("5")
    for seat in (1, 2, 3, 4):
        page.get_by_label(f"player_{seat}").select_option("random")
    page.get_by_label("Seconds").select_option("0")
    page.get_by_text("Options").click()
    page.get_by_label("hedging").select_option("False")
    page.get_by_label("first_asker").fill("9")
    assert faults(page) == []
    page.get_by_text("Open the table").click()
    page.get_by_text("first_asker=9: must be an integer from 0 to 4").wait_for()
    page.get_by_label("first_asker").fill("1")
    page.get_by_text("Open the table").click()
    page.wait_for_selector(".story li", timeout=PATIENCE)  # the adviser may have to be loaded first
    assert page.locator(".seats li").count() == 5
    options = json.loads(watched.frames[0])["about"]["options"]
    assert options == {
        **get_game("under_my_bed").options,
        "num_players": 5,
        "hedging": False,
        "first_asker": 1,
    }
    page.get_by_text("Options").click()
    assert "hedging: false" in page.locator(".options p").inner_text()
    assert all("400" in complaint for complaint in watched.complaints)
    page.close()


def test_two_browsers_at_one_table_receive_no_secret_of_each_other(
    server: Server, browser: Browser
) -> None:
    table = server.open("under_my_bed", ["person", "person", "random", "random"], seed=4)
    both = [Watched(browser, DESKTOP), Watched(browser, PHONE)]
    for watched, eye in zip(both, table.eyes, strict=False):
        watched.page.goto(f"{server.address}#{eye.token}")
        watched.page.wait_for_selector(".story li")
    for watched, pace in zip(both, (0.5, 0), strict=True):
        watched.page.get_by_label("Seconds").select_option(str(pace))
        for other in both:
            expect(other.page.get_by_label("Seconds")).to_have_value(str(pace))
        assert table.pace == pace
    roles = table.match.states["role"][0].tolist()
    while not any(watched.sees("The match is over") for watched in both):
        for watched in both:
            button = watched.page.locator(".moves button")
            if button.count():
                button.last.click()
            watched.page.wait_for_timeout(30)
    for seat, watched in enumerate(both):
        live = [frame for frame in map(json.loads, watched.frames) if frame["type"] != "end"]
        assert len(live) > 5
        assert not any("god" in frame or "views" in frame for frame in live)
        views = [frame["view"] for frame in live if "view" in frame]
        assert {view["seat"] for view in views} == {seat}
        assert {view["role"] for view in views} - {-1} == {roles[seat]}  # -1: not dealt yet
        assert all(table.eyes[1 - seat].token not in frame for frame in watched.frames)
        watched.page.close()


def test_what_a_card_does_is_told_under_the_mouse_with_the_focus_and_on_a_long_press(
    server: Server, browser: Browser
) -> None:
    table = server.open("monster_my_neighbor", ["person", "random", "random"], seed=2)
    watched = Watched(browser, PHONE, touch=True)
    page = watched.page
    page.goto(f"{server.address}#{table.eyes[0].token}")
    page.wait_for_selector(".moves button", timeout=PATIENCE)
    move, card = page.locator(".moves [data-help]").first, page.locator("figure[data-help]").first
    turns = page.locator(".story li").count()

    page.keyboard.press("Tab")
    move.focus()
    page.wait_for_selector("#help:not([hidden])")
    assert move.get_attribute("data-help") == page.locator("#help").inner_text()
    page.keyboard.press("Escape")
    assert page.locator("#help").is_hidden()

    box = move.bounding_box()
    assert box
    touch = page.context.new_cdp_session(page)
    point = {"x": box["x"] + 9, "y": box["y"] + 9}
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    page.wait_for_selector("#help:not([hidden])")
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert page.locator(".story li").count() == turns  # it was not played
    page.locator("h2").tap()
    assert page.locator("#help").is_hidden()

    card.hover()
    page.wait_for_selector("#help:not([hidden])")
    assert card.get_attribute("data-help") == page.locator("#help").inner_text()
    assert watched.complaints == []
    page.close()


# ---------------------------------------------------------------- replays


def replay_of(game: Game, path: Path) -> Path:
    """A match of the reference agent and scripted players who are caught out, as a file."""
    player = {"monster_my_neighbor": "hothead", "under_my_bed": "trickster"}[game.name]
    scripted = (load_agent(player, game) for _ in range(3))
    agents = [load_agent(f"{REFERENCE}{game.name}", game), *scripted]
    save(record(game, agents, seed=4), path)
    return path


MATCHES = {
    "a round": get_game("monster_my_neighbor", num_rounds=1),
    "a match": get_game("monster_my_neighbor"),
    "the other game": get_game("under_my_bed"),
}


@pytest.mark.parametrize(
    ("game", "size", "scheme"),
    [
        ("a round", DESKTOP, "light"),
        ("the other game", PHONE, "dark"),
        pytest.param("a match", DESKTOP, "dark", marks=pytest.mark.slow),
    ],
)
def test_a_replay_is_watched_to_the_end_and_back(
    server: Server, browser: Browser, tmp_path: Path, game: str, size: Any, scheme: Any
) -> None:
    path = replay_of(MATCHES[game], tmp_path / "match.json")
    last = sum("action" in event for event in load(path).events)
    watched = Watched(browser, size, scheme)
    page = watched.page
    page.goto(server.address)
    page.get_by_label("Open a file").set_input_files(path)
    page.wait_for_selector(".controls", timeout=PATIENCE)
    assert watched.sees(f"Decision 0 of {last}")
    start = page.locator(".stage").inner_text()
    page.get_by_role("slider").focus()
    flights, arrows = set(), 0
    for at in range(1, last + 1):
        page.keyboard.press("ArrowRight")
        assert watched.sees(f"Decision {at} of {last}")
        flights |= set(page.locator(".flight").evaluate_all("them => them.map(it => it.innerHTML)"))
        arrows += page.locator(".arrows > path").count()
    assert arrows > 0
    assert len(flights) == (game == "a round")  # all cards that go look the same
    assert page.get_by_label("On", exact=True).is_disabled()
    page.wait_for_selector(".marks button", timeout=PATIENCE)
    page.get_by_text("decisions so far").wait_for(state="detached", timeout=PATIENCE)
    assert page.locator(".plot").count() == 4
    assert page.locator(".advice .chosen").count() == 1
    assert faults(page) == []
    end = page.locator(".stage").inner_text()
    assert end != start
    for eye in ("0", "4", "god"):
        page.get_by_label("Through whose eyes").select_option(eye)
        assert faults(page) == []
    page.locator(".marks button").first.click()
    page.locator(".marks .now").first.wait_for()
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    for at in reversed(range(last)):
        page.keyboard.press("ArrowLeft")
        assert watched.sees(f"Decision {at} of {last}")
    assert page.locator(".stage").inner_text() == start
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert watched.complaints == []
    page.close()


def test_a_replay_is_opened_by_dropping_it_on_the_page(
    server: Server, browser: Browser, tmp_path: Path
) -> None:
    text = replay_of(get_game("under_my_bed"), tmp_path / "match.json").read_text()
    watched = Watched(browser, DESKTOP)
    page = watched.page
    page.goto(server.address)
    page.wait_for_selector(".lobby")
    drop = """text => {
        const dropped = new DataTransfer();
        dropped.items.add(new File([text], "match.json"));
        document.querySelector("main").dispatchEvent(
            new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(drop, "no replay")
    page.get_by_text("not JSON").wait_for()
    page.evaluate(drop, text)
    page.wait_for_selector(".controls", timeout=PATIENCE)
    page.get_by_text("Play", exact=True).click()
    page.get_by_text("Decision 2 of").wait_for()
    page.get_by_text("Masked Monsters").first.click()
    page.wait_for_selector(".lobby")
    assert [each for each in watched.complaints if "400" not in each] == []
    page.close()
