"""The local user is "you" on every page of theirs, never also the name of the account."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from daemons import Daemon
from sites import Visitor, opened


def words_of(visitor: Visitor, path: str) -> str:
    """The text of a page's main part."""
    return visitor.get(path).words.partition("Skip to the content")[2]


@pytest.mark.parametrize("options", [(), ("--read-only",)], ids=["", "read only"])
def test_local_user_is_you(new_daemon: Callable[..., Daemon], options: tuple[str, ...]) -> None:
    """As the teller of a memory, as its reader, as somebody's relation, and in the picture."""
    daemon = new_daemon().start()
    with opened(daemon, *options) as site:
        visitor = site.log_in()
        assert "Nothing is remembered yet." in words_of(visitor, "/")
        subjects = ["my colleague Tom", "me"]
        content = "Tom and I play chess."
        [entry] = daemon.call("memory.add", content=content, subjects=subjects)["memories"]
        memory = entry["memory"]
        [tom] = (one["id"] for one in daemon.call("person.list")["people"] if one["name"] == "Tom")

        turns = [{"user": "Where is Tom?", "assistant": "In Halle."}]
        daemon.call("conversation.ingest", conversation_id="talk", turns=turns)
        [talk] = daemon.call("conversation.list")["conversations"]
        daemon.call("override.add", content="Answer in English.")
        shown = {
            path: words_of(visitor, path)
            for path in (
                *("/", "/memories", f"/memories/{memory['id']}"),
                *("/people", "/people/picture", f"/people/{tom}"),
                *("/conversations", f"/conversations/{talk['id']}", "/overrides", "/profile"),
            )
        }
        me: dict[str, Any] = daemon.call("session.hello")["scope"]

    for path, words in shown.items():
        assert me["user_id"] not in re.findall(r"\w+", words.partition("Same as:")[0]), path
    assert "told by you, through an agent" in shown["/"]
    assert "about Tom, you" in shown["/memories"]
    assert "colleague of you" in shown["/people"]


def test_somebody_else_is_not_you(visitor: Visitor, look: Callable[..., dict[str, Any]]) -> None:
    """A person who looks as another account sees that account's name."""
    mine = look(display_name="Mira")
    visitor.site.daemon.call("memory.add", scope=mine, content="The boat is in the harbour")

    assert "told by Mira" in visitor.get("/memories").words
