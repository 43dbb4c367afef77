"""Every page of the navigation in a real browser: accessible, in both themes and at both widths."""

from collections.abc import Callable
from typing import Any, Literal

import pytest
from browsers import WIDTHS, context_of, overflow, violations
from playwright.sync_api import Browser, Page, expect
from sites import Visitor

from ashd.web.pages import NAVIGATION


@pytest.fixture
def contents(visitor: Visitor, look: Callable[..., dict[str, Any]]) -> None:
    """Some of everything, in two languages, with a word that is too long for a phone."""
    daemon = visitor.site.daemon
    user = look(user="somebody")
    daemon.call("memory.add", scope=user, content="My sister Anna keeps bees in Łódź.")
    daemon.call("memory.add", scope=user, content="اسم أخي خالد وهو يعيش في دمشق.")
    daemon.call("memory.add", scope=user, content="a" * 200)
    turns = [{"user": "Where is Anna?", "assistant": "In Łódź."}]
    daemon.call("conversation.ingest", scope=user, conversation_id="talk", turns=turns)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("entry", NAVIGATION, ids=lambda entry: entry.title)
def test_page_is_accessible_and_fits_every_width(
    page: Page, contents: None, entry: Any, theme: Literal["light", "dark"]
) -> None:
    """No rule of accessibility is broken, and nothing is cut off on a phone."""
    del contents
    page.emulate_media(color_scheme=theme)
    for name, width in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(entry.path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()

        assert violations(page) == [], name
        assert overflow(page) == 0, name


@pytest.mark.parametrize("entry", NAVIGATION, ids=lambda entry: entry.title)
def test_page_works_without_script(browser: Browser, visitor: Visitor, entry: Any) -> None:
    """The same headings are there."""
    context = context_of(browser, visitor, base_url=visitor.site.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(entry.path)

    expect(page.get_by_role("heading", level=1)).to_be_visible()
    context.close()


def test_keyboard_reaches_the_content(page: Page) -> None:
    """The first stop skips the navigation."""
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
