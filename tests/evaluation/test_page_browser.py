"""The page in a real browser: are the figures there, does it stay within its window, is it dark?"""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from masked_monsters.evaluation.cli import main
from tests.evaluation import samples
from tests.training.tiny import tiny_agent

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: apt-get install -y chromium"
)
DARK = "--blink-settings=preferredColorScheme=0"
LIGHT = "--blink-settings=preferredColorScheme=1"
DESKTOP, PHONE = 1300, 500
"""Widths in pixels; a window of chromium's is at least 500 wide."""

LOOK = """
<script>
addEventListener("load", () => {
  const boxes = [...document.images].map(image => {
    const box = image.getBoundingClientRect();
    return {x: box.x, y: box.y, width: box.width, height: box.height,
            natural: image.naturalWidth * image.naturalHeight, complete: image.complete};
  });
  document.documentElement.dataset.seen = JSON.stringify({
    boxes, height: document.documentElement.scrollHeight,
    width: document.documentElement.scrollWidth, window: innerWidth,
    requests: performance.getEntriesByType("resource").map(each => each.name),
    alerts: document.scripts.length,
  });
});
</script>
"""


def browse(page: Path, profile: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Open a page without a network; the console's messages are on standard error."""
    assert CHROMIUM
    return subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
            *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
            *("--disable-sync", "--hide-scrollbars", f"--user-data-dir={profile}"),
            *("--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr"),
            *("--virtual-time-budget=2000", *arguments, page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def look(page: Path, profile: Path, width: int) -> dict[str, Any]:
    """What a script sees, that is put in a copy of the page, less the rule that forbids scripts."""
    text = page.read_text(encoding="utf-8")
    rule = re.search(r"<meta http-equiv=[^>]+>", text)
    assert rule
    copy = page.with_name("looked_at.html")
    copy.write_text(text.replace(rule[0], LOOK), encoding="utf-8")
    done = browse(copy, profile, f"--window-size={width},1000", "--dump-dom")
    seen = re.search(r'data-seen="([^"]+)"', done.stdout)
    assert seen, done.stderr
    return json.loads(html.unescape(seen[1]))


def screenshot(page: Path, profile: Path, size: tuple[int, int], scheme: str) -> Image.Image:
    """All of the page; the console must stay silent."""
    picture = page.with_suffix(".png")
    options = f"--window-size={size[0]},{size[1]}", f"--screenshot={picture}", scheme
    done = browse(page, profile, *options)
    assert "CONSOLE" not in done.stderr
    with Image.open(picture) as image:
        return image.convert("RGB")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of one of everything, and of a run that has really taken place."""
    folder = samples.write_all(tmp_path_factory.mktemp("browser") / "samples")
    samples.write_run(folder / "under way")
    tiny_agent(folder / "real run")
    out = folder.parent / "page.html"
    assert main(["report", str(folder), "--out", str(out)]) == 0
    return out


@pytest.mark.parametrize(
    ("width", "scheme", "is_dark"), [(DESKTOP, LIGHT, False), (PHONE, DARK, True)]
)
def test_all_figures_are_seen_in_a_browser(
    page: Path, tmp_path: Path, width: int, scheme: str, is_dark: bool
) -> None:
    seen = look(page, tmp_path / "profile", width)
    assert len(seen["boxes"]) == 20
    assert all(box["complete"] and box["natural"] > 0 for box in seen["boxes"])
    assert seen["requests"] == []
    assert seen["alerts"] == 1  # ours; a name is no script
    assert seen["width"] <= seen["window"] == width

    size = width, int(seen["height"])
    image = screenshot(page, tmp_path / "profile", size, scheme)
    assert image.size == size
    ground = image.getpixel((2, 2))
    assert isinstance(ground, tuple)
    assert (max(ground) < 60) == is_dark
    for box in seen["boxes"]:
        left, top = round(box["x"]), round(box["y"])
        figure = image.crop((left, top, left + round(box["width"]), top + round(box["height"])))
        assert min(figure.size) > 80
        colours = figure.getcolors(figure.width * figure.height)
        assert colours
        assert len(colours) > 40  # lines, and letters with soft edges
        shades = figure.convert("L").getextrema()
        assert isinstance(shades[1], int | float)
        assert shades[0] < 70  # type: ignore[operator]  # ink, or the dark ground
        assert shades[1] > 190  # type: ignore[operator]  # the light ground, or ink


def test_the_console_is_heard(page: Path, tmp_path: Path) -> None:
    """Or else its silence would say nothing."""
    broken = tmp_path / "broken.html"
    text = page.read_text(encoding="utf-8")
    broken.write_text(text.replace("<main>", '<main><img src="http://example.org/a.png">'))
    done = browse(broken, tmp_path / "profile", "--dump-dom")
    assert "CONSOLE" in done.stderr
