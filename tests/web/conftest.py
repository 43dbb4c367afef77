"""Fixtures: `ash web` in front of a daemon, a visitor who has signed in, and a real browser.

`visitor` reads pages and sends forms without a browser; `page` is a page of the browser with the
same session. Both look as the local user until a test looks as somebody else.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browsers import Watch, chromium, context_of
from daemons import Daemon
from playwright.sync_api import Browser, BrowserContext, Page
from sites import Site, Visitor, opened


@pytest.fixture(scope="session")
def _visitor() -> Iterator[Visitor]:
    daemon = Daemon()
    try:
        daemon.start()
        with opened(daemon) as site:
            yield site.log_in()
    finally:
        daemon.remove()
    assert daemon.unexpected() == []


@pytest.fixture
def visitor(_visitor: Visitor) -> Visitor:
    """A visitor of the suite's page, who looks as the local user."""
    _visitor.post("/viewing", back="/")
    return _visitor


@pytest.fixture
def site(visitor: Visitor) -> Site:
    """The suite's page itself."""
    return visitor.site


@pytest.fixture
def look(visitor: Visitor, scope: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """Makes a user that no other test has, as whom both look; returns the scope for the daemon."""

    def make(**fields: Any) -> dict[str, Any]:
        made = scope(**fields)
        visitor.post(
            "/viewing",
            account=f"{made['provider']}:{made['user_id']}",
            chat=made.get("chat_id", ""),
            chat_type=made.get("chat_type", ""),
            back="/",
        )
        return made

    return make


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for which every name in .test leads to this machine.

    One a module: it has an event loop, and beside it the thread can run no other.
    """
    yield from chromium("--host-resolver-rules=MAP *.test 127.0.0.1")


@pytest.fixture
def watch(site: Site) -> Watch:
    """Acts that no page of the test may do, such as logging an error; `allow` makes exceptions."""
    return Watch(site.url)


@pytest.fixture
def context(browser: Browser, visitor: Visitor, watch: Watch) -> Iterator[BrowserContext]:
    """A browser that is signed in, and that does nothing which `watch` forbids."""
    made = context_of(browser, visitor, base_url=visitor.site.url)
    watch.over(made)
    yield made
    made.close()
    assert watch.faults() == []


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A page of that browser, on the start page."""
    made = context.new_page()
    made.goto("/")
    return made
