"""The start page: search, what was learned last and its correction, conflicts, people, profile."""

import re
from collections.abc import Callable
from typing import Any

from sites import Visitor

Look = Callable[..., dict[str, Any]]


def test_first_page_is_the_persons(visitor: Visitor, look: Look) -> None:
    """It has the newest memories with their source, people and profile, and a search field."""
    mine = look(display_name="Mira")
    call = visitor.site.daemon.call
    call("memory.add", scope=mine, content="My sister Anna keeps bees.", subjects=["Anna"])
    call("profile.set", scope=mine, text="Likes short answers.")
    call("override.add", scope=mine, content="Answer in English.")

    page = visitor.get("/")

    assert 'action="/search"' in page.text
    assert "My sister Anna keeps bees. about Anna" in page.words
    assert "told by Mira, through an agent" in page.words
    for text in ("Likes short answers.", "Answer in English.", ">Anna</bdi></a>"):
        assert text in page.text, text


def test_a_memory_is_dated_by_when_it_was_so(visitor: Visitor, look: Look) -> None:
    """An imported note shows its own day."""
    visitor.site.daemon.call(
        "memory.add", scope=look(), content="The shed is red.", observed_at="2025-03-01T12:00:00Z"
    )

    assert "2025-03-01" in visitor.get("/").words


def test_wrong_memory_is_deleted_from_the_start_page_and_comes_back(
    visitor: Visitor, look: Look
) -> None:
    """One click deletes it, and the page returns with an undo."""
    mine = look()
    added = visitor.site.daemon.call("memory.add", scope=mine, content="The shed is green.")
    identifier = added["memories"][0]["memory"]["id"]
    assert f'action="/memories/{identifier}/delete"' in visitor.get("/").text

    page = visitor.post(f"/memories/{identifier}/delete", back="/")

    assert "What is remembered" in page.words
    assert "Deleted." in page.words
    assert "The shed is green." not in page.text
    visitor.undo(page)
    assert "The shed is green." in visitor.get("/").text


def test_edit_on_the_start_page_leads_to_the_open_form(visitor: Visitor, look: Look) -> None:
    """The link opens the form that is closed otherwise."""
    mine = look()
    visitor.site.daemon.call("memory.add", scope=mine, content="The shed is green.")
    link = re.search(r'href="(/memories/[^"?]+\?edit=yes)#edit"', visitor.get("/").text)[1]

    assert '<details id="edit" open>' in visitor.get(link).text
    assert '<details id="edit">' in visitor.get(link.partition("?")[0]).text


def test_conflict_is_settled_on_the_start_page(visitor: Visitor, look: Look) -> None:
    """The pair is shown with both answers; afterwards it is gone."""
    mine = look()
    call = visitor.site.daemon.call
    older, newer = (
        call("memory.add", scope=mine, content=text)["memories"][0]["memory"]["id"]
        for text in ("The desk is red.", "A lamp may be blue.")
    )
    pair = {"id": newer, "superseded_id": older}
    call("memory.supersede", scope=mine, **pair, verdict="unsure")
    assert "Conflicts to settle" in visitor.get("/").words

    page = visitor.post(f"/memories/{newer}/verdict", older=older, verdict="both", back="/")

    assert "Both are kept" in page.words
    assert "Conflicts to settle" not in page.words


def test_empty_start_page_says_how_to_begin(visitor: Visitor, look: Look) -> None:
    """Nobody is left with empty boxes."""
    look()

    page = visitor.get("/").words

    assert "Nothing is remembered yet." in page
    assert "ash connect HOST" in page
    assert "ash import FILE" in page


def test_operators_pages_are_listed_on_the_systems_pages_only(visitor: Visitor) -> None:
    """The navigation of a person's page has one entry for all of them."""
    assert 'href="/grants"' not in visitor.get("/").text
    for path in ("/system", "/audit"):
        page = visitor.get(path).text
        assert 'href="/grants"' in page, path
        assert f'href="{path}" aria-current="page"' in page


def test_conversations_are_named_by_their_titles(visitor: Visitor, look: Look) -> None:
    """The title leads to the conversation, whose page has it as its heading."""
    mine = look()
    turns = [{"user": "When do tomatoes go out?", "assistant": "In May."}]
    visitor.site.daemon.call(
        *("conversation.ingest",),
        scope=mine,
        conversation_id="chat-1",
        turns=turns,
        title="Tomatoes",
    )

    link = re.search(
        r'href="(/conversations/[^"]+)"><bdi>Tomatoes<', visitor.get("/conversations").text
    )

    assert link
    assert "<h1><bdi>Tomatoes</bdi></h1>" in visitor.get(link[1]).text
