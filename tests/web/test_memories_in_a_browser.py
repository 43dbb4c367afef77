"""The main act of each page about memories, as a person does it, with its undo. Budget: 15 s."""

from collections.abc import Callable
from typing import Any, Literal

import pytest
from browsers import WIDTHS, overflow, violations
from playwright.sync_api import Page, expect
from sites import Visitor

Look = Callable[..., dict[str, Any]]


@pytest.fixture
def anna(visitor: Visitor, look: Look) -> dict[str, Any]:
    """A user with memories in two languages, one with a history, one that may replace another."""
    mine = look(display_name="Anna")
    call = visitor.site.daemon.call
    contents = ["Mieszkam w Łodzi przy młynie", "أختي ليلى تعمل في المستشفى", "The desk is red"]
    facts = [{"content": text} for text in contents]
    added = call("memory.add", scope=mine, facts=facts)["memories"]
    first, _, older = (entry["memory"]["id"] for entry in added)
    call("memory.update", scope=mine, id=first, changes={"content": "Mieszkam w Łodzi"})
    newer = call("memory.add", scope=mine, content="A lamp may be blue")["memories"][0]["memory"]
    pair = {"id": newer["id"], "superseded_id": older, "verdict": "unsure"}
    call("memory.supersede", scope=mine, **pair)
    return mine


def check(page: Page) -> None:
    """No rule of accessibility is broken, in light on a phone and in dark on a desk."""
    themes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for theme, width in zip(themes, WIDTHS.values(), strict=True):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 800})
        assert violations(page) == [], theme
        assert overflow(page) == 0, theme


def test_person_edits_a_memory_and_undoes_it(page: Page, anna: dict[str, Any]) -> None:
    """The page shows the words that changed; undo brings the former ones back."""
    del anna
    page.goto("/memories")
    page.get_by_role("link", name="أختي ليلى تعمل في المستشفى").click()
    page.get_by_text("Edit", exact=True).click()
    page.get_by_role("textbox", name="What is remembered").fill("أختي ليلى تعمل في المدرسة")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_role("status")).to_contain_text("Changed.")
    expect(page.locator("ins")).to_have_text("المدرسة")
    expect(page.locator("del")).to_have_text("المستشفى")
    check(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("main")).to_contain_text("أختي ليلى تعمل في المستشفى")
    expect(page.get_by_role("status")).to_contain_text("Undone.")


def test_person_selects_all_deletes_them_and_undoes_it(page: Page, anna: dict[str, Any]) -> None:
    """The preview comes first. What a deleted memory had replaced is in use until the undo."""
    del anna
    page.goto("/memories")
    rows = page.get_by_role("checkbox", name="Select this memory")
    page.get_by_label("Select all on this page").check()
    expect(rows.first).to_be_checked()
    rows.first.focus()
    page.keyboard.press("Space")
    expect(rows.first).not_to_be_checked()
    page.get_by_role("button", name="Delete…").click()

    expect(page.get_by_role("main")).to_contain_text("3 memories will be deleted")
    check(page)
    page.get_by_role("button", name="Delete them").click()
    expect(page.get_by_role("link", name="Mieszkam w Łodzi przy młynie")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("main")).to_contain_text("4 memories")
    expect(page.get_by_role("link", name="przy młynie")).to_have_count(0)


def test_person_confirms_a_replacement_and_undoes_it(page: Page, anna: dict[str, Any]) -> None:
    """The older memory is in the history then."""
    del anna
    page.goto("/memories")
    page.get_by_role("link", name="A lamp may be blue").click()
    check(page)
    page.get_by_role("button", name="Use only the newer").click()

    expect(page.get_by_role("main")).to_contain_text("somebody confirmed it")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Use only the newer")).to_be_visible()


def test_the_buttons_of_a_conflict_stand_apart_on_a_phone(page: Page, anna: dict[str, Any]) -> None:
    """They stand one below the other there."""
    del anna
    page.set_viewport_size({"width": 320, "height": 700})
    page.goto("/conflicts")

    yes, no = (
        page.get_by_role("button", name=name).first.bounding_box()
        for name in ("Use only the newer", "Both are true")
    )

    assert yes
    assert no
    assert no["y"] - yes["y"] - yes["height"] > 1


def test_the_mark_of_an_older_memory_fits_on_a_phone(page: Page, anna: dict[str, Any]) -> None:
    """It is a sentence, in the list, on the memory's page and in its history."""
    del anna
    page.goto("/conflicts")
    expect(page.get_by_text("likely that the newer one replaces the older one")).to_be_visible()
    check(page)
    page.get_by_role("link", name="The desk is red").click()
    expect(page.get_by_text("perhaps replaced").first).to_be_visible()
    check(page)


def test_person_searches_and_opens_the_explanation(page: Page, anna: dict[str, Any]) -> None:
    """The "/" key focuses the field; the address does not hold the question."""
    del anna
    page.goto("/search")
    page.keyboard.press("/")
    page.keyboard.type("Łodzi")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?key=*")

    found = page.get_by_role("link", name="Mieszkam w Łodzi")
    expect(found).to_be_visible()
    page.set_viewport_size({"width": WIDTHS["narrow"], "height": 800})
    box = found.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 400, "the first result is in the upper half of a phone"
    page.get_by_text("How it scored").first.click()
    expect(page.get_by_role("cell", name="by words", exact=True).first).to_be_visible()
    assert "odzi" not in page.url
    check(page)


def test_person_sees_what_the_agent_sees(page: Page, anna: dict[str, Any]) -> None:
    """The block comes first; the reasons, line by line, when they are asked for."""
    del anna
    page.goto("/context")
    page.get_by_label("Message to the agent").fill("Gdzie mieszkam?")
    page.get_by_role("main").get_by_role("button", name="Show").click()
    page.wait_for_url("**/context?key=*")

    expect(page.locator("pre")).to_contain_text("Mieszkam w Łodzi")
    reasons = page.get_by_role("region", name="Memories")
    expect(reasons).not_to_be_visible()
    page.get_by_text("Why each line is there").click()
    expect(reasons).to_contain_text("Mieszkam w Łodzi")
    check(page)
