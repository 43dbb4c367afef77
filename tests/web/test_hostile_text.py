"""Whatever was stored, pages show it as text: no markup, no script, nothing that hides or turns.

The pages are found by following every link from the navigation, so a new one is looked at as well.
"""

import re
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from daemons import CallFailed, Daemon
from markupsafe import Markup
from sites import Visitor, opened

from ashd.web import rendering
from ashd.web.pages import NAVIGATION, ROUTES

_MOST_PAGES = 120
_SECTIONS = {route.path.split("/")[1] for route in ROUTES}
TEMPLATES = sorted((Path(rendering.__file__).parent / "templates").iterdir())
_CALLS = 15
HOSTILE = [
    "<script>alert(1)</script>",
    "</title></textarea></script><img src=x onerror=alert(1)>",
    "\"'><svg/onload=alert(1)>",
    "<a href='javascript:alert(1)'>here</a><hostile-x>",
    "' autofocus onfocus=alert(1) x='",
    "{{ 'clo' ~ 'wn' }}{% set x = 1 %}{{ self.__class__ }}",
    "&lt;script&gt;&#x3c;b&#x3e;",
    "\u202eevil\u202c\u2066inside\u2069",
    "\x1b]0;title\x07bell",
    "x" * 300,
    "a\nb\tc\r\nd",
    "--> ]]> <!-- <?php ?>",
    "<meta http-equiv=refresh content='0;url=//evil.test'><base href=//evil.test/>",
    "<form action=//evil.test><input name=token></form>",
]
_ONLY_SCRIPT = re.compile(r"/static/ash\.[0-9a-f]+\.js")
_NEVER = {"img", "iframe", "object", "embed", "base", "hostile-x", "style", "template", "math"}


class Page(HTMLParser):
    """The elements of a page, its addresses and its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.links: set[str] = set()
        self.text = ""
        self._ids: set[str] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in _NEVER:
            self.faults.append(f"<{tag}>")
        if tag == "script" and not _ONLY_SCRIPT.fullmatch(given.get("src") or ""):
            self.faults.append("a script")
        if tag == "meta" and "http-equiv" in given:
            self.faults.append("a meta refresh")
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.faults.append(f"{name}={value!r}")
            if name in ("href", "src", "action", "formaction") and not re.match(
                r"/(?![/\\])|#", value or ""
            ):
                self.faults.append(f"{name}={value!r}")
            if name == "id" and value in self._ids:
                self.faults.append(f"the id {value!r} twice")
            self._read(value or "")
        self._ids.add(given.get("id") or "")
        if tag == "a":
            self.links.add(given.get("href") or "")

    def handle_data(self, data: str) -> None:
        self._read(data)
        self.text += data

    def _read(self, text: str) -> None:
        for char in text:
            hides = unicodedata.category(char) == "Cc" and char not in "\n\t"
            if (
                hides
                or char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b"
                or "\U000e0000" <= char
            ):
                self.faults.append(f"the character {ord(char):04x}")


def store(daemon: Daemon, user: dict[str, Any], text: str, number: int) -> set[int]:
    """Put a text into every field that takes one; return which calls of these were not refused."""
    done = set()
    named = {"scope": {**user, "display_name": text, "username": text}}
    memory = daemon.call("memory.add", scope=user, content=f"plain {number}")["memories"][0]
    person = daemon.call("person.create", scope=user, name=f"Person {number}")["person"]
    calls = [
        ("memory.add", {**named, "content": f"{number} {text}", "tags": [text]}),
        ("memory.add", {"content": f"tagged {number}", "tags": [text], "metadata": {text: text}}),
        ("memory.add", {"content": f"of {number}", "subjects": [text]}),
        ("memory.update", {"id": memory["memory"]["id"], "changes": {"content": text}}),
        ("person.create", {"name": text, "relationship": text}),
        ("person.update", {"id": person["id"], "name": text}),
        ("person.update", {"id": person["id"], "metadata": {"note": text}}),
        ("person.add_alias", {"id": person["id"], "alias": text}),
        ("override.add", {"content": text}),
        ("profile.set", {"text": text, "notes": text}),
        ("graph.add_entity", {"name": text, "type": "concept", "aliases": [text]}),
        (
            "conversation.ingest",
            {
                "conversation_id": f"{number} {text}",
                "messages": [{"role": "user", "speaker": text, "content": text}],
            },
        ),
        ("grant.create", {"scope": {**user, "session_id": text}}),
        ("memory.add", {"scope": {"provider": "test", "user_id": text}, "content": "of another"}),
        (
            "memory.add",
            {
                "scope": {**user, "chat_id": text, "chat_type": "group", "participants": [text]},
                "content": f"in a chat {number}",
            },
        ),
    ]
    for place, (method, params) in enumerate(calls):
        try:
            daemon.call(method, **{"scope": user, **params})
        except CallFailed:
            continue  # refused: a name, an id or a tag of that kind is none
        done.add(place)
    return done


@pytest.fixture(scope="module")
def stored() -> Iterator[Visitor]:
    """A visitor of a page whose daemon holds hostile text everywhere."""
    user = {"provider": "test", "user_id": "me"}
    daemon = Daemon()
    try:
        daemon.start()
        done = [store(daemon, user, text, number) for number, text in enumerate(HOSTILE)]
        assert set.union(*done) == set(range(_CALLS)), "each field took some of the texts"
        with opened(daemon) as site:
            visitor = site.log_in()
            visitor.post("/viewing", account="test:me", back="/")
            yield visitor
    finally:
        daemon.remove()


def test_stored_text_is_inert_on_every_page(stored: Visitor) -> None:
    """The stored text is there to be read, so the check is not empty."""
    waiting, seen, text = [entry.path for entry in NAVIGATION], set[str](), ""
    while waiting and len(seen) < _MOST_PAGES:
        path = waiting.pop(0)
        if path in seen or path.split("/")[1].partition("?")[0] not in _SECTIONS:
            continue
        seen.add(path)
        answer = stored.get(path)
        page = Page(answer.text)
        assert (path, answer.status, page.faults) == (path, 200, [])
        assert "clown" not in page.text
        title = re.search(r"<title>([^<]*)</title>", answer.text)[1]
        assert "alert" not in title
        text += page.text
        waiting += sorted(link for link in page.links if link.startswith("/"))

    shown = re.sub(r"\s+", " ", text)
    assert "<script>alert(1)</script>" in shown
    assert "{{ 'clo' ~ 'wn' }}" in shown


def test_stored_text_is_in_no_address(stored: Visitor) -> None:
    """Links hold ids, cursors and names of filters, so that no history keeps what was read."""
    paths = [entry.path for entry in NAVIGATION]
    links = {link for path in paths for link in Page(stored.get(path).text).links}

    for link in links:
        assert not re.search(r"alert|script|evil|Person|plain", urlsplit(link).geturl()), link


def test_text_of_an_older_store_is_harmless_in_output() -> None:
    """Text that today's cleaning would not store is cleaned where it is shown."""
    raw = "raw\x1b[31mred\x00\x07\u202eevil\u2066x\u200by\U000e0041<b>"

    shown = Markup(
        rendering._templates.from_string("<i title='{{ raw }}'>{{ raw }}</i>").render(raw=raw)
    )

    assert shown == "<i title='rawredevilxy&lt;b&gt;'>rawredevilxy&lt;b&gt;</i>"


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_template_leaves_escaping_to_the_engine(template: Path) -> None:
    """None marks a text as safe, and none has code or style of its own."""
    text = template.read_text()

    assert re.findall(r"\|\s*safe|autoescape|\sstyle=|\son\w+=|<style|javascript:", text) == []
    assert re.findall(r"<script(?! type=\"module\" src=\"\{\{ asset\()", text) == []
