"""Check that relative links in the Markdown files lead to a file, and to a heading in it."""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "envs/**/*.md"]

FENCED = re.compile(r"^ {0,3}(```+|~~~+).*?^ {0,3}\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
INLINE_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
LINK_DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)", re.MULTILINE)
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
HTML_ANCHOR = re.compile(r"""<a\s+(?:id|name)=["']([^"']+)""")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def links(text: str) -> list[str]:
    """The targets of all links and pictures, code left out."""
    text = CODE.sub("", FENCED.sub("", text))
    return INLINE_LINK.findall(text) + LINK_DEFINITION.findall(text)


def anchors(text: str) -> set[str]:
    """The names of all headings, as code hosts make them: lower case, hyphens, no punctuation."""
    text = FENCED.sub("", text)
    found = set(HTML_ANCHOR.findall(text))
    for heading in HEADING.findall(text):
        shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        unique, count = name, 0
        while unique in found:
            count += 1
            unique = f"{name}-{count}"
        found.add(unique)
    return found


def fault(page: Path, link: str) -> str | None:
    """What is wrong with a link on a page, if anything is."""
    if ELSEWHERE.match(link):
        return None
    path, _, anchor = unquote(link).partition("#")
    base = ROOT if path.startswith("/") else page.parent
    target = base / path.lstrip("/") if path else page
    if not target.exists():
        return "no such file"
    if anchor and target.suffix == ".md" and anchor not in anchors(target.read_text("utf-8")):
        return "no such heading"
    return None


def main() -> int:
    """List the broken links; the exit status is 1 if there are any."""
    pages = sorted(page for pattern in PAGES for page in ROOT.glob(pattern))
    broken = [
        f"{page.relative_to(ROOT)}: {link}: {what}"
        for page in pages
        for link in links(page.read_text("utf-8"))
        if (what := fault(page, link))
    ]
    print("\n".join(broken) or f"The links of {len(pages)} pages are good.")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
