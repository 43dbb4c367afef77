"""Pages as they are laid out, on a phone and on a desk: nothing is cut, hidden or far away."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from browsers import violations

from ashd.web.pages import NAVIGATION, Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, ViewportSize
    from sites import Visitor

PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 800}
_TITLES = """cells => cells.map(cell =>
    getComputedStyle(cell, "::before").content === "none" ? "" : cell.dataset.title)"""
_BOXES = """all => all.map(one => [one.querySelector("rect"), one.querySelector("text")].map(
    part => part.getBoundingClientRect().toJSON()))"""
_NAMES = ("Anna", "Bo", "Maximiliane", "Łucja", "Zoë", "Ole", "Kwabena", "Wilhelmina", "Ida", "Uwe")
_LEGIBLE = 12
"""The least height of a name in the picture, in pixels."""


@pytest.fixture
def mine(visitor: Visitor, look: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """The scope of somebody with 20 memories, conflicts, a grant and versions of a profile."""
    daemon = visitor.site.daemon
    scope = look(display_name="Maximiliane Freifrau von der Ostheide")
    facts = [{"content": f"Box {number} of the archive is in the attic"} for number in range(20)]
    added = daemon.call("memory.add", scope=scope, facts=facts)["memories"]
    ids = [one["memory"]["id"] for one in added]
    for newer, older in ((1, 0), (3, 2)):
        pair = {"id": ids[newer], "superseded_id": ids[older], "verdict": "unsure"}
        daemon.call("memory.supersede", scope=scope, **pair)
    for text in ("Likes tea.", "Likes coffee, and tea after four in the afternoon."):
        daemon.call("profile.set", scope=scope, text=text)
    daemon.call("override.add", scope=scope, content="Answer in German, with the metric units.")
    daemon.call("grant.create", scope=scope)
    daemon.call("db.backup")
    return scope


def is_uncovered(page: Page, selector: str) -> bool:
    """Whether an element is wholly inside the window, and nothing lies over its middle."""
    return bool(
        page.locator(selector).evaluate(
            """element => {
                const box = element.getBoundingClientRect();
                const x = box.x + box.width / 2, y = box.y + box.height / 2;
                const top = document.elementFromPoint(x, y);
                return box.left >= 0 && box.right <= innerWidth && box.top >= 0
                    && box.bottom <= innerHeight && element.contains(top);
            }"""
        )
    )


@pytest.mark.parametrize("entry", NAVIGATION, ids=lambda entry: entry.title)
def test_tables_fit_a_phone(page: Page, mine: dict[str, Any], entry: Entry) -> None:
    """None has to be moved sideways."""
    del mine
    page.set_viewport_size(PHONE)
    page.goto(entry.path)

    cut = page.locator(".scroll:visible").evaluate_all(
        "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.ariaLabel)"
    )

    assert cut == []


def test_rows_of_a_memorys_readers_are_cards_on_a_phone(
    page: Page, mine: dict[str, Any], visitor: Visitor
) -> None:
    """Each value is beside its title there; on a desk the titles are in the table's head."""
    [memory] = visitor.site.daemon.call("memory.list", scope=mine, limit=1)["memories"]
    page.goto(f"/memories/{memory['id']}")
    table = page.get_by_role("region", name="Who may see it")
    cells = table.locator("td")

    page.set_viewport_size(PHONE)
    assert table.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert cells.evaluate_all(_TITLES) == ["", "Why", "In private", "In other groups"]
    page.set_viewport_size(DESK)
    assert cells.evaluate_all(_TITLES) == [""] * 4
    assert table.get_by_role("columnheader", name="In other groups").is_visible()


def test_cards_of_a_phone_are_still_a_table(page: Page, mine: dict[str, Any]) -> None:
    """A screen reader finds rows, cells and the head's titles, as on a desk."""
    del mine
    page.goto("/overrides")
    heard = []
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        heard.append(page.get_by_role("region", name="Pinned facts").aria_snapshot())

    assert "cell" in heard[0]
    assert "columnheader" in heard[0]
    assert heard[1] == heard[0]


@pytest.mark.parametrize("path", ["/", "/memories", "/search", "/conflicts"])
def test_content_begins_above_the_fold_of_a_phone(
    page: Page, mine: dict[str, Any], path: str
) -> None:
    """The first memory, where the page lists some, and a search field without moving."""
    del mine
    page.set_viewport_size(PHONE)
    page.goto(path)

    if path != "/conflicts":
        assert is_uncovered(page, "main form.find input[type=search]")
    if path != "/search":
        first = page.locator("main a[href^='/memories/'].words").first.bounding_box()
        assert first
        assert first["y"] + first["height"] < PHONE["height"] / 2


@pytest.mark.parametrize("entry", NAVIGATION, ids=lambda entry: entry.title)
def test_navigation_shows_the_current_page_on_a_phone(page: Page, entry: Entry) -> None:
    """However far to the right it stands; a page about the daemon marks System, too."""
    page.set_viewport_size(PHONE)
    page.goto(entry.path)

    assert is_uncovered(page, ".page > nav a[aria-current=page]")
    if entry.of_daemon and entry.path != "/system":
        assert is_uncovered(page, "nav a[href='/system'][aria-current=true]")


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_acts_on_memories_are_in_sight_once_one_is_ticked(
    page: Page, mine: dict[str, Any], size: ViewportSize
) -> None:
    """The first of 20 is ticked; before, the acts stand below the list."""
    del mine
    page.set_viewport_size(size)
    page.goto("/memories")
    delete = "button[name=action][value=delete]"
    assert not is_uncovered(page, delete)

    page.get_by_role("checkbox", name="Select this memory").first.check()

    assert is_uncovered(page, delete)
    page.get_by_text("Change…", exact=True).click()
    assert is_uncovered(page, "button[name=action][value=sensitivity]")
    assert violations(page) == []
    page.get_by_role("checkbox", name="Select this memory").first.uncheck()
    assert not is_uncovered(page, delete)


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_no_button_of_a_conflict_touches_the_line_below_it(
    page: Page, mine: dict[str, Any], size: ViewportSize
) -> None:
    """Two conflicts on the start page are apart."""
    del mine
    page.set_viewport_size(size)
    page.goto("/")
    first, second = page.locator(".pair").all()[:2]

    button = first.get_by_role("button").last.bounding_box()
    line = second.bounding_box()

    assert button
    assert line
    assert line["y"] - button["y"] - button["height"] >= 8


@pytest.mark.parametrize("path", ["/", "/memories", "/conflicts"])
def test_text_of_a_memory_looks_like_a_link(page: Page, mine: dict[str, Any], path: str) -> None:
    """It leads to the memory's page, so it is underlined, not only under the pointer."""
    del mine
    page.goto(path)

    lines = page.locator("main a[href^='/memories/'].words").evaluate_all(
        "links => links.map(link => getComputedStyle(link).textDecorationLine)"
    )

    assert lines
    assert set(lines) == {"underline"}


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_sixty_people_are_legible_in_the_picture(
    page: Page, visitor: Visitor, look: Callable[..., dict[str, Any]], size: ViewportSize
) -> None:
    """As the browser draws them, each name is inside its box, and no box covers another."""
    scope = look()
    for number in range(60):
        reference = f"my friend {_NAMES[number % len(_NAMES)]} {chr(65 + number // 10)}ova"
        visitor.site.daemon.call("person.resolve", scope=scope, reference=reference)
    page.set_viewport_size(size)
    page.goto("/people/picture")

    boxes = page.locator(".graph a").evaluate_all(_BOXES)

    assert len(boxes) == 60
    for box, text in boxes:
        assert box["left"] <= text["left"] < text["right"] <= box["right"]
        assert text["bottom"] - text["top"] >= _LEGIBLE
    for (one, _), (other, _) in combinations(boxes, 2):
        assert (
            one["right"] <= other["left"]
            or other["right"] <= one["left"]
            or one["bottom"] <= other["top"]
            or other["bottom"] <= one["top"]
        )
