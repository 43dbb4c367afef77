"""Make the pictures of docs/web.md: `python -m docs.screenshots`; it needs Chromium.

A daemon on a home of its own gets a few made-up facts, and a browser opens the pages. Given a
folder, it writes a picture of every page there instead, at two widths.
"""

import shutil
import sys
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, sync_playwright

from ashd.web.pages import NAVIGATION
from tests.daemons import Daemon
from tests.web.browsers import context_of
from tests.web.sites import Visitor, opened

PICTURES: Final = Path(__file__).parent / "images"
_SHOWN: Final = {"start": "/", "people": "/people", "memories": "/memories"}
_SIZE: Final = {"width": 840, "height": 460}
_USER: Final = {"provider": "telegram", "user_id": "4711", "display_name": "Mira"}
_FACTS: Final = [
    ("My sister Anna keeps bees in Łódź.", "my sister Anna"),
    ("My brother Karim plays the oud.", "my brother Karim"),
    ("I am allergic to walnuts.", "me"),
    ("My boss Helena prefers calls before ten.", "my boss Helena"),
    ("My father's birthday is on 3 March.", "my father"),
    ("I live in Leipzig.", "me"),
    ("My sister Anna moved to Gdańsk.", "my sister Anna"),
    ("My neighbour Layla is a doctor.", "my neighbour Layla"),
]
_TURNS: Final = [
    {"user": "Anna called today, she moved to Gdańsk.", "assistant": "I shall remember that."},
    {"user": "When is my father's birthday?", "assistant": "On 3 March."},
]


def main() -> None:
    """Make the pictures."""
    daemon = Daemon()
    try:
        daemon.start()
        _fill(daemon)
        with opened(daemon) as site, sync_playwright() as playwright:
            visitor = site.log_in()
            visitor.post("/viewing", account="telegram:4711", back="/")
            visitor.get("/")
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
            if sys.argv[1:]:
                _every_page(browser, visitor, Path(sys.argv[1]))
            else:
                _of_the_page(browser, visitor)
            browser.close()
    finally:
        daemon.remove()


def _fill(daemon: Daemon) -> None:
    for fact, subject in _FACTS:
        daemon.call("memory.add", scope=_USER, content=fact, subjects=[subject])
    daemon.call("override.add", scope=_USER, content="Answer in English.")
    daemon.call("profile.set", scope=_USER, text="Mira lives in Leipzig and likes short answers.")
    daemon.call("conversation.ingest", scope=_USER, conversation_id="monday", turns=_TURNS)
    daemon.call("grant.create", scope=_USER)
    daemon.call("memory.search", scope=_USER, query="Where does Anna live?")
    daemon.call("db.backup")


def _of_the_page(browser: Browser, visitor: Visitor) -> None:
    context = context_of(browser, visitor, base_url=visitor.site.url, viewport=_SIZE)
    page = context.new_page()
    PICTURES.mkdir(exist_ok=True)
    for name, path in _SHOWN.items():
        page.goto(path)
        page.screenshot(path=PICTURES / f"{name}.png")
    context.close()


def _every_page(browser: Browser, visitor: Visitor, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    paths = [entry.path for entry in NAVIGATION]
    styles: list[tuple[str, int, Any]] = [("wide", 1280, "light"), ("narrow", 360, "dark")]
    for style, width, theme in styles:
        context = context_of(
            browser,
            visitor,
            base_url=visitor.site.url,
            viewport={"width": width, "height": 800},
            color_scheme=theme,
        )
        page = context.new_page()
        for path in paths:
            page.goto(path)
            name = path.strip("/").replace("/", "-") or "start"
            page.screenshot(path=folder / f"{name}-{style}.png", full_page=True)
        context.close()


if __name__ == "__main__":
    main()
