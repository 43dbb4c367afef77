"""Refused forms: the page comes again with the reason, the open form, and what was typed."""

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from sites import Answer, Visitor

Look = Callable[..., dict[str, Any]]

_SECRET = "The key is sk-proj-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg, <b>keep</b> it"


def typed(page: Answer, name: str) -> list[str]:
    """The values of the fields of a name, as their forms have them."""
    areas = re.findall(rf'<textarea name="{name}"[^>]*>\n(.*?)</textarea>', page.text, re.DOTALL)
    fields = re.findall(rf'name="{name}" value="([^"]*)"', page.text)
    return [html.unescape(one) for one in (*areas, *fields)]


def test_refused_memory_is_there_to_correct(visitor: Visitor, look: Look) -> None:
    """A secret is refused; its text, subjects and type stay in the open form, and in no other."""
    look()

    page = visitor.post(
        "/memories/add", content=_SECRET, subjects='Anna "the"', type="event", tags="keys"
    )

    assert page.status == 422
    assert page.text.count('role="alert"') == 1
    assert "<details open><summary>Add a memory" in page.text
    assert typed(page, "content") == [_SECRET]
    assert 'Anna "the"' in typed(page, "subjects")
    assert typed(page, "tags") == ["keys"]
    added = page.text.partition('action="/memories/add"')[2].partition("</form>")[0]
    assert '<option value="event" selected>' in added
    assert page.text.count(" selected>") >= 1
    assert typed(page, "tag") == [""]


def test_refused_edit_is_there_to_correct(visitor: Visitor, look: Look) -> None:
    """The stored words are unchanged, the typed ones are in the form."""
    mine = look()
    added = visitor.site.daemon.call("memory.add", scope=mine, content="The shed is green.")
    memory = added["memories"][0]["memory"]

    page = visitor.post(
        f"/memories/{memory['id']}/edit", content=_SECRET, revision=memory["revision"]
    )

    assert page.status == 422
    assert '<details id="edit" open>' in page.text
    assert typed(page, "content") == [_SECRET]
    assert "The shed is green." in page.text


@pytest.mark.parametrize(
    ("path", "fields", "opened"),
    [
        ("/overrides/add", {"content": _SECRET}, ""),
        ("/person/add", {"name": "x" * 2_000, "relationship": "friend"}, "Add a person"),
        ("/profile/edit", {"notes": _SECRET}, "Edit"),
        ("/context", {"message": "Who is Anna?", "max_tokens": "many"}, ""),
        ("/viewing", {"account": "", "chat": "no account"}, "Viewing as"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_typed_text_stays(
    visitor: Visitor, look: Look, path: str, fields: dict[str, str], opened: str
) -> None:
    """Each form comes again on its own page with every field."""
    look()

    page = visitor.post(path, **fields)

    assert 400 <= page.status < 500
    assert page.text.count('role="alert"') == 1
    assert "Not done" not in page.words
    for name, value in fields.items():
        assert value in typed(page, name), name
    if opened:
        assert re.search(rf"<details[^>]* open>\s*<summary>{opened}", page.text)


def test_refused_relationship_stays_beside_its_person(visitor: Visitor, look: Look) -> None:
    """The other forms of the page are as they were."""
    mine = look()
    made = visitor.site.daemon.call("person.create", scope=mine, name="Anna")["person"]

    page = visitor.post(f"/people/{made['id']}/relate", relationship="x" * 3_000, to_name="Bela")

    assert 400 <= page.status < 500
    assert typed(page, "to_name") == ["Bela"]
    assert typed(page, "name") == ["Anna", ""]


def test_form_of_another_session_is_not_shown_again(visitor: Visitor, look: Look) -> None:
    """The contents of a foreign form are never put into a form of this session."""
    look()

    page = visitor.post("/memories/add", content="foreign words", token="no")

    assert page.status == 403
    assert "foreign words" not in page.text
