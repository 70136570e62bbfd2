"""Takes the README's pictures of the page: ``python -m tests.screenshots``. Needs Chromium."""

import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from masked_monsters.envs.registry import get_game
from masked_monsters.evaluation.replay import record, save
from masked_monsters.evaluation.table.roster import agent_of
from tests.evaluation.table_server import Server, serving
from tests.evaluation.test_table_browser import PATIENCE, chromium

DOCS = Path(__file__).parents[1] / "docs"


def table(server: Server, page: Page) -> None:
    """A match of Under My Bed after some questions."""
    players = ["person", "mimic", "mimic", "mimic"]
    match = server.open("under_my_bed", players, seed=3, adviser="honest")
    page.goto(f"{server.address}#{match.eyes[0].token}")
    while page.locator(".story li").count() < 24:
        passing = page.locator(".moves button", has_text="passes")
        page.wait_for_selector(".moves button", timeout=PATIENCE)
        (passing if passing.count() else page.locator(".moves button").first).click()
        page.wait_for_timeout(500)
    page.wait_for_selector(".moves button")
    page.screenshot(path=DOCS / "playing_table.png")


def analysis(server: Server, page: Page, path: Path) -> None:
    """A replay of Monster My Neighbor in its second round."""
    game = get_game("monster_my_neighbor", num_rounds=2)
    agents = [agent_of(name, game) for name in ("reference", "mastermind", "tracker", "friendly")]
    save(record(game, agents, seed=5), path)
    page.goto(server.address)
    page.get_by_label("Open a file").set_input_files(path)
    page.wait_for_selector(".marks button", timeout=PATIENCE)
    page.get_by_text("decisions so far").wait_for(state="detached", timeout=PATIENCE)
    page.get_by_role("slider").fill("24")
    while "reference" not in page.locator(".advice caption").inner_text():
        page.get_by_label("On", exact=True).click()
    page.wait_for_timeout(1500)  # cards that move come to rest
    page.screenshot(path=DOCS / "replay_analysis.png")


def main() -> None:
    """Write both pictures into ``docs``."""
    with (
        sync_playwright() as playwright,
        serving() as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        browser = chromium(playwright)
        context = browser.new_context(
            viewport={"width": 1280, "height": 1400}, color_scheme="light"
        )
        table(server, context.new_page())
        analysis(server, context.new_page(), Path(folder) / "match.json")
        browser.close()


if __name__ == "__main__":
    main()
