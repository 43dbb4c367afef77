"""Every page of the navigation in a real browser: accessible, in both themes and at both widths."""

from collections.abc import Callable
from typing import Any

import pytest
from browsers import WIDTHS, context_of, overflow, violations
from playwright.sync_api import Browser, Page, expect
from sites import Visitor

from ashd.web.pages import NAVIGATION, Entry


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


def broken(page: Page) -> dict[str, Any]:
    """The faults of a page in each theme at each width."""
    found: dict[str, Any] = {}
    for name, width in WIDTHS.items():
        for theme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=theme)
            # Only colours depend on the theme.
            rules = () if theme == "light" else ("color-contrast",)
            found[f"{name} {theme}"] = violations(page, *rules), overflow(page)
    return found


@pytest.mark.parametrize("entry", NAVIGATION, ids=lambda entry: entry.title)
def test_page_is_accessible_and_fits_every_width(page: Page, contents: None, entry: Entry) -> None:
    """No rule of accessibility is broken, and nothing is cut off on a phone."""
    del contents
    page.goto(entry.path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()

    found = broken(page)

    assert found == dict.fromkeys(found, ([], 0))


def test_pages_work_without_script(browser: Browser, visitor: Visitor) -> None:
    """All have their headings and forms."""
    context = context_of(browser, visitor, base_url=visitor.site.url, java_script_enabled=False)
    page = context.new_page()
    for entry in NAVIGATION:
        page.goto(entry.path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto("/system")
    page.get_by_role("button", name="Sync now").click()
    expect(page.get_by_role("status")).to_contain_text("Synced")
    context.close()


def test_keyboard_reaches_the_content(page: Page) -> None:
    """The first stop skips the navigation."""
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
