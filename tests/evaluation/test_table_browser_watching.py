"""The page in a real browser: what moves on it, who has the focus, and ways back from where it leads."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.replay import Replay, as_text, record
from masked_monsters.evaluation.table.film import film
from tests.evaluation import test_table_browser
from tests.evaluation.players import Drawing
from tests.evaluation.table_server import Server, serving
from tests.evaluation.test_table_browser import AGENTS, DESKTOP, PATIENCE, PHONE, Watched

pytestmark = test_table_browser.pytestmark
server, browser = test_table_browser.server, test_table_browser.browser

MUCH_MOVES = {
    "wanted": 1, "hunter": 1, "hide": 1, "dog": 8, "rumor": 4, "gossip": 4, "steal": 4, "friend": 4,
    "fog": 3, "deal": 4,
}  # fmt: skip
DROP = """text => {
    const dropped = new DataTransfer();
    dropped.items.add(new File([text], "match.json"));
    document.querySelector("main").dispatchEvent(
        new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
}"""
EXCHANGES = """async ([about, eyes]) => {
    const { exchanges } = await import("./monster_my_neighbor.js");
    return eyes.map((views) => views.slice(1).map((view, at) => exchanges(about, views[at], view)));
}"""


def moved(seed: int, **options: Any) -> Replay:
    """A match of players who play at random."""
    options = {"num_players": 3, "num_rounds": 2, "deck": MUCH_MOVES, **options}
    return record(get_game("monster_my_neighbor", **options), [Drawing()] * 3, seed)


def test_cards_fly_as_they_go_from_hand_to_hand(server: Server, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(server.address)
    ends = set()
    for seed in range(12):
        shown = film(moved(seed))
        frames = shown["frames"]
        eyes = [[frame["eyes"][eye]["view"] for frame in frames] for eye in range(4)]
        first, *others = page.evaluate(EXCHANGES, [shown["about"], eyes])
        for at, flights in enumerate(first):
            before, after = frames[at], frames[at + 1]
            for other in others:  # their seats come in another order
                assert Counter(map(str, other[at])) == Counter(map(str, flights))
            assert all(flight.get("name", "dog") == "dog" for flight in flights)
            if after["god"]["round"] > before["god"]["round"] or after["god"]["phase"] == "over":
                ends.add(before["god"]["phase"])
                assert flights == []
            elif before["god"]["phase"] != "dog_discard":  # a card goes, and the Dog comes for it
                played = after["act"]["seat"] if before["god"]["phase"] == "play" else None
                for seat in range(3):
                    hands = [len(frame["god"]["hands"][seat]) for frame in (before, after)]
                    came = sum((each["to"] == seat) - (each["from"] == seat) for each in flights)
                    assert hands[0] + came - (seat == played) == hands[1]
    assert {"play", "dog_discard"} <= ends
    page.close()


def test_cards_fly_once_while_the_analysis_goes_on(server: Server, browser: Browser) -> None:
    watched = Watched(browser, DESKTOP)
    page = watched.page
    page.goto(server.address)
    page.wait_for_selector(".lobby")
    page.evaluate(DROP, as_text(moved(1, num_rounds=5)))
    page.wait_for_selector(".controls", timeout=PATIENCE)
    page.get_by_role("slider").focus()
    while not page.locator(".flight").count():
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => !document.querySelector('.flight')")
    page.evaluate(
        """() => new MutationObserver((changes) => changes.forEach(({ addedNodes }) =>
            addedNodes.forEach(({ className }) => { window.flown ||= className === "flight"; })))
            .observe(document.body, { childList: true, subtree: true })"""
    )
    so_far = page.get_by_text("decisions so far")
    told = so_far.inner_text()
    expect(so_far).not_to_have_text(told, timeout=PATIENCE)
    page.wait_for_timeout(100)
    assert not page.evaluate("window.flown")
    page.close()


def test_from_what_is_no_replay_one_comes_back(server: Server, browser: Browser) -> None:
    table = server.open("monster_my_neighbor", ["person", "cautious", "cautious"], seed=2)
    for key, back in [("", ".lobby"), (table.eyes[0].token, ".seats"), ("replay", ".lobby")]:
        page = browser.new_page()
        page.goto(f"{server.address}#{key}")
        page.wait_for_selector("h2, main > [role=alert]:not(:empty)", timeout=PATIENCE)
        for nothing in ("no replay", ""):
            page.evaluate(DROP, nothing)
            page.get_by_text("not JSON").wait_for()
            page.get_by_role("button", name="Back").click()
            page.wait_for_selector(back)
        page.close()


def test_a_server_without_a_replay_is_said_to_have_none(server: Server, browser: Browser) -> None:
    page = browser.new_page()
    page.goto(f"{server.address}#replay")
    page.get_by_text("started without a replay").wait_for()
    page.close()


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_longest_names_fit_on_the_page(server: Server, browser: Browser, size: Any) -> None:
    page = browser.new_page(viewport=size)
    page.goto(server.address)
    page.wait_for_selector(".lobby")
    page.evaluate(DROP, as_text(replace(moved(1), players=["<b>" + "x" * 3000] * 3)))
    page.wait_for_selector(".controls", timeout=PATIENCE)
    page.wait_for_selector(".legend", timeout=PATIENCE)
    page.get_by_role("slider").press("ArrowRight")
    page.wait_for_selector(".advice", timeout=PATIENCE)
    assert page.locator("main b").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    page.close()


def test_a_turn_takes_the_focus_from_nothing_that_is_used(server: Server, browser: Browser) -> None:
    name = "monster_my_neighbor"
    table = server.open(name, ["person", *[AGENTS[name]] * 3], seed=2, pace=0.2)
    page = browser.new_page()
    page.goto(f"{server.address}#{table.eyes[0].token}")
    page.wait_for_selector(".moves button:focus", timeout=PATIENCE)
    page.locator(".moves button").first.click()
    page.get_by_label("Seconds").focus()
    page.wait_for_selector(".moves button", timeout=PATIENCE)
    page.wait_for_timeout(100)
    assert page.evaluate("document.activeElement.tagName") == "SELECT"
    page.close()


def test_a_key_that_is_held_does_one_move(server: Server, browser: Browser) -> None:
    table = server.open("monster_my_neighbor", ["person", "cautious", "cautious"], seed=2)
    page = browser.new_page()
    page.goto(f"{server.address}#{table.eyes[0].token}")
    page.wait_for_selector(".moves button:focus", timeout=PATIENCE)
    page.keyboard.down("Enter")
    expect(page.locator(".moves button:focus")).to_have_count(1)
    page.wait_for_function("() => document.querySelectorAll('.story li').length > 1")
    page.wait_for_selector(".moves button:focus")
    turn = table.eyes[0].turn
    for _ in range(5):
        page.keyboard.down("Enter")
        page.wait_for_timeout(30)
    assert table.eyes[0].turn == turn
    page.close()


def test_what_a_match_came_to_stays_when_the_server_stops(browser: Browser) -> None:
    with serving() as stopping:
        table = stopping.open("under_my_bed", ["random"] * 3, seed=2)
        watched = Watched(browser, DESKTOP)
        watched.page.goto(f"{stopping.address}#{table.watchers.token}")
        watched.page.get_by_text("The match is over").wait_for(timeout=PATIENCE)
        stopping.tables.close()
        watched.page.get_by_text("The server stops.").wait_for()
    with watched.page.expect_download() as download:
        watched.page.get_by_text("Save the replay").click()
    assert download.value.path().read_text() == as_text(table.match.replay(table.names))
    watched.page.close()
