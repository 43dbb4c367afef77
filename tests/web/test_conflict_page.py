"""The page of conflicts: shown with both memories, settled with an undo, and inert."""

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from sites import Answer, Visitor, opened

Look = Callable[..., dict[str, Any]]
OLD, NEW = "I keep the spare key with Ines", "The spare key hangs in the shed"
_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d"
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202egnp.exe\u2066"


def pair_of(
    visitor: Visitor, scope: dict[str, Any], older: str = OLD, newer: str = NEW
) -> tuple[str, str]:
    """Store two memories in conflict; the ids of the newer and the older one."""
    daemon = visitor.site.daemon
    first, second = (
        daemon.call("memory.add", scope=scope, content=text)["memories"][0]["memory"]["id"]
        for text in (older, newer)
    )
    pair = {"id": second, "superseded_id": first, "verdict": "unsure"}
    daemon.call("memory.supersede", scope=scope, **pair)
    return second, first


def conflicts(visitor: Visitor, scope: dict[str, Any]) -> list[tuple[str, str]]:
    """The ids of what may replace what, as the daemon lists them."""
    listed = visitor.site.daemon.call("memory.conflicts", scope=scope, limit=100)["conflicts"]
    return [(one["newer"]["id"], one["older"]["id"]) for one in listed]


def active(visitor: Visitor, scope: dict[str, Any]) -> set[str]:
    """The ids of the memories that are in use."""
    listed = visitor.site.daemon.call("memory.list", scope=scope)["memories"]
    return {one["id"] for one in listed}


def buttons(page: Answer) -> dict[str, tuple[str, dict[str, str]]]:
    """The forms of a page's main part that give a verdict: action and fields by button."""
    forms = re.findall(
        r'<form method="post" action="(/memories/[^"]+/verdict)"(.*?)<button[^>]*>([^<]*)<',
        page.text,
        re.DOTALL,
    )
    return {
        label: (
            action,
            {
                name: html.unescape(value)
                for name, value in re.findall(r'name="([^"]+)" value="([^"]*)"', fields)
                if name != "token"
            },
        )
        for action, fields, label in forms
    }


def test_page_is_in_the_navigation_and_may_be_empty(visitor: Visitor, look: Look) -> None:
    """It says that there are none, and for whom."""
    mine = look()

    assert 'href="/conflicts"' in visitor.get("/").text
    page = visitor.get("/conflicts")
    assert page.status == 200
    assert f"There are none for {mine['provider']}:{mine['user_id']}" in page.words
    assert buttons(page) == {}


def test_page_shows_both_memories_of_a_conflict(visitor: Visitor, look: Look) -> None:
    """The older one first; each leads to its own page, which asks the same."""
    mine = look()
    newer, older = pair_of(visitor, mine)

    page = visitor.get("/conflicts")

    assert page.words.index("Older, ") < page.words.index(OLD) < page.words.index("Newer, ")
    assert page.words.index("Newer, ") < page.words.index(NEW)
    for one in (newer, older):
        assert f'href="/memories/{one}"' in page.text
        assert buttons(visitor.get(f"/memories/{one}")).keys() == buttons(page).keys()
    assert "perhaps replaced by what was told on" in visitor.get(f"/memories/{older}").words
    assert "perhaps replaced by" not in visitor.get(f"/memories/{newer}").words


def test_each_pair_says_which_is_older_and_how_likely_it_is_replaced(
    visitor: Visitor, look: Look
) -> None:
    """On all three pages that ask, with both texts and their dates."""
    mine = look()
    daemon = visitor.site.daemon
    newer, older = pair_of(visitor, mine)
    [one] = daemon.call("memory.conflicts", scope=mine)["conflicts"]
    likely = f"{100 * one['likelihood']:.0f} % likely that the newer one replaces the older one."

    for path in ("/", "/conflicts", f"/memories/{newer}", f"/memories/{older}"):
        asked = visitor.get(path).words
        assert re.search(rf"Older, {_TIME}\s*{OLD}\s*Newer, {_TIME}\s*{NEW}", asked), path
        assert likely in asked


def test_search_marks_the_older_memory_of_a_conflict(visitor: Visitor, look: Look) -> None:
    """It stands beside its successor, as everywhere."""
    pair_of(visitor, look())

    found = visitor.post("/search", query="where is the spare key?").words

    assert OLD in found
    assert found.count("perhaps replaced by what was told on") == 1


@pytest.mark.parametrize(
    ("label", "is_replaced"), [("Use only the newer", True), ("Both are true", False)]
)
@pytest.mark.parametrize("path", ["/conflicts", "the newer", "the older"])
def test_conflict_is_settled_and_opened_again_by_undo(
    visitor: Visitor, look: Look, path: str, label: str, is_replaced: bool
) -> None:
    """On the page or on a memory's own; the answer leads back to where the button was."""
    mine = look()
    newer, older = pair_of(visitor, mine)
    named = {"the newer": f"/memories/{newer}", "the older": f"/memories/{older}"}
    path = named.get(path, path)
    action, fields = buttons(visitor.get(path))[label]

    answer = visitor.site.request(
        "POST", action, {"token": visitor.form_token, **fields}, visitor.headers
    )

    assert (answer.status, answer.headers["location"]) == (303, path)
    done = visitor.get(path)
    assert conflicts(visitor, mine) == []
    assert active(visitor, mine) == ({newer} if is_replaced else {newer, older})
    assert buttons(done) == {}
    undone = visitor.undo(done)
    assert "Undone." in undone.words
    assert label in buttons(undone)
    assert conflicts(visitor, mine) == [(newer, older)]
    assert active(visitor, mine) == {newer, older}


def test_conflicts_are_gone_through_page_by_page(visitor: Visitor, look: Look) -> None:
    """Each is on one page, and the last page has no next one."""
    mine = look()
    things = [
        "boat",
        "ladder",
        "tent",
        "saw",
        "kettle",
        "sledge",
        "lamp",
        "rope",
        "drill",
        "stove",
        "trailer",
        "scale",
        "map",
        "drum",
        "chair",
        "vase",
        "clock",
        "loom",
        "cart",
        "bell",
        "net",
    ]
    wanted = {
        pair_of(*(visitor, mine, f"The {thing} stands in the barn", f"Ilse painted a {thing}"))
        for thing in things
    }
    assert 21 == len(wanted) == len(conflicts(visitor, mine))  # no other pair is linked

    first = visitor.get("/conflicts")
    more = re.search(r'href="(/conflicts\?cursor=[^"]+)">More', first.text)
    assert more
    last = visitor.get(html.unescape(more[1]))

    assert ">More<" not in last.text
    seen = [
        re.findall(r'action="/memories/([^"/]+)/verdict"', page.text)[::2] for page in (first, last)
    ]
    assert [len(newer) for newer in seen] == [20, 1]
    assert {one for page in seen for one in page} == {newer for newer, _ in wanted}
    assert visitor.get("/conflicts?cursor=nonsense").status == 400


def test_hostile_text_of_a_conflict_is_inert(visitor: Visitor, look: Look) -> None:
    """Markup is shown as text, and no character reorders or hides what stands beside it."""
    newer, older = pair_of(visitor, look(), HOSTILE, f"{HOSTILE} no more")

    for path in ("/conflicts", f"/memories/{newer}", f"/memories/{older}"):
        page = visitor.get(path)
        assert page.text.count("&lt;script&gt;") >= 2
        assert "<script>" not in page.text
        assert "<img" not in page.text
        assert not {"\u202e", "\u2066"} & set(page.text)


@pytest.mark.parametrize(
    "back", ["https://evil.test/", "//evil.test/", "/\\evil.test/", "javascript:alert(1)"]
)
def test_verdict_leads_to_no_other_site(visitor: Visitor, look: Look, back: str) -> None:
    """A form that names another site is refused, and settles nothing."""
    mine = look()
    newer, older = pair_of(visitor, mine)

    fields = {"token": visitor.form_token, "older": older, "verdict": "both", "back": back}
    answer = visitor.site.request("POST", f"/memories/{newer}/verdict", fields, visitor.headers)

    assert answer.status == 400
    assert "location" not in answer.headers
    assert conflicts(visitor, mine) == [(newer, older)]


def test_conflicts_of_others_are_not_shown_or_settled(visitor: Visitor, look: Look) -> None:
    """To another user they do not exist."""
    theirs = look()
    newer, older = pair_of(visitor, theirs)
    look()

    page = visitor.get("/conflicts")

    assert "Ines" not in page.text
    assert newer not in page.text
    refused = visitor.post(f"/memories/{newer}/verdict", older=older, verdict="replaces")
    assert refused.status == 404
    assert conflicts(visitor, theirs) == [(newer, older)]


def test_reading_alone_offers_no_verdict(visitor: Visitor, look: Look) -> None:
    """With --read-only both memories are shown, and no button."""
    mine = look()
    newer, older = pair_of(visitor, mine)

    with opened(visitor.site.daemon, "--read-only") as site:
        reader = site.log_in()
        reader.post("/viewing", account=f"{mine['provider']}:{mine['user_id']}", back="/")
        pages = [
            reader.get(path) for path in ("/conflicts", f"/memories/{newer}", f"/memories/{older}")
        ]
        refused = reader.post(f"/memories/{newer}/verdict", older=older, verdict="replaces")

    for page in pages:
        assert OLD in page.words
        assert NEW in page.words
        assert buttons(page) == {}
        assert "verdict" not in page.text.partition("<main")[2]
    assert refused.status in (403, 405)
    assert conflicts(visitor, mine) == [(newer, older)]
