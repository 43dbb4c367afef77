"""A real browser for the pages: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sites import Visitor

AXE = Path(__file__).parent / "axe-core" / "axe.min.js"
AXE_SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
WIDTHS = {"narrow": 360, "wide": 1280}


def chromium(*arguments: str) -> Iterator[Browser]:
    """A browser for as long as a fixture lives; skips where none is installed, fails in CI."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        reason = "Chromium is not installed (apt-get install chromium)"
        if os.environ.get("ASH_CI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(arguments))
        yield browser
        browser.close()


class Watch:
    """Acts that a page must not do: each is a fault unless the test allows a part of its text."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._allowed: list[str] = []
        self._faults: list[str] = []

    def over(self, context: BrowserContext) -> None:
        """Watch every page of a context."""
        context.on("console", lambda one: self._console(one.type, one.text))
        context.on("weberror", lambda one: self._faults.append(f"error: {one.error}"))
        context.on("dialog", lambda one: (self._faults.append("a dialog"), one.dismiss()))
        context.on("request", lambda one: self._request(one.url))

    def allow(self, text: str) -> None:
        """Allow faults with this text."""
        self._allowed.append(text)

    def faults(self) -> list[str]:
        """The faults that nothing allows."""
        return [one for one in self._faults if not any(text in one for text in self._allowed)]

    def _console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self._faults.append(f"console: {text}")

    def _request(self, url: str) -> None:
        if not url.startswith((self._origin, "file:", "data:", "blob:")):
            self._faults.append(f"request to {url}")


def context_of(browser: Browser, visitor: Visitor, **options: Any) -> BrowserContext:
    """A context that has the visitor's session, and the same time zone and language everywhere."""
    context = browser.new_context(
        **{"locale": "en-GB", "timezone_id": "UTC", "reduced_motion": "reduce", **options}
    )
    name, _, value = visitor.cookie.partition("=")
    context.add_cookies(
        [
            {
                "name": name,
                "value": value,
                "domain": visitor.site.host.rpartition(":")[0],
                "path": "/",
                "secure": True,
                "httpOnly": True,
                "sameSite": "Strict",
            }
        ]
    )
    context.set_default_timeout(10_000)
    return context


def violations(page: Page, *rules: str) -> list[str]:
    """The rules of accessibility that a page breaks, each with the elements that do.

    `rules` are those to look at; without them all.
    """
    if page.evaluate("typeof axe") == "undefined":
        source = AXE.read_bytes()
        assert hashlib.sha256(source).hexdigest() == AXE_SHA256
        page.evaluate(source.decode())
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def overflow(page: Page) -> int:
    """The pixels by which a page is wider than its window."""
    width: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return max(width, 0)
