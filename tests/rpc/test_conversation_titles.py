"""Titles of conversations: given with the turns, of private conversations only. Budget: 3 s."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from daemons import Daemon

Scope = Callable[..., dict[str, Any]]

_TURNS = [{"user": "When do tomatoes go out?", "assistant": "In May."}]


def titles(daemon: Daemon, scope: dict[str, Any]) -> list[str | None]:
    """The titles as the scope is shown them."""
    listed = daemon.call("conversation.list", scope=scope)["conversations"]
    return [one["title"] for one in listed]


def ingest(daemon: Daemon, scope: dict[str, Any], **fields: Any) -> None:
    """Store turns in one conversation."""
    daemon.call("conversation.ingest", scope=scope, conversation_id="c", turns=_TURNS, **fields)


def test_title_is_shown_on_one_line_and_replaced(plain: Daemon, scope: Scope) -> None:
    """Turns without a title leave it as it is."""
    mine = scope()
    ingest(plain, mine)
    assert titles(plain, mine) == [None]

    ingest(plain, mine, title="The\n garden ")
    ingest(plain, mine)
    assert titles(plain, mine) == ["The garden"]
    ingest(plain, mine, title="Tomatoes")

    found = plain.call("conversation.get", scope=mine, conversation_id="c")
    assert found["conversation"]["title"] == "Tomatoes"


def test_imported_title_that_is_a_secret_is_dropped(
    plain: Daemon, scope: Scope, tmp_path: Path
) -> None:
    """The turns are stored all the same."""
    mine, file = scope(), tmp_path / "conversations.json"
    said = {"uuid": "m", "text": "Hello", "sender": "human", "created_at": "2025-02-01T10:01:00Z"}
    secret = "sk-proj-Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg"
    file.write_text(json.dumps([{"uuid": "c", "name": secret, "chat_messages": [said]}]))

    plain.call("db.import", scope=mine, path=str(file), format="claude")

    assert titles(plain, mine) == [None]


def test_conversation_of_a_group_has_no_given_title(plain: Daemon, scope: Scope) -> None:
    """Each member may see other messages, and a title may tell of those."""
    group = scope(chat_id="-1", chat_type="group")
    ingest(plain, group, title="A party for Anna")

    assert titles(plain, group) == [None]


def test_title_is_exported_and_imported(plain: Daemon, scope: Scope, tmp_path: Path) -> None:
    """An export brings it back after the conversation was deleted."""
    mine = scope()
    ingest(plain, mine, title="Tomatoes")
    file = tmp_path / "out.jsonl"
    plain.call("db.export", path=str(file), scope=mine)
    plain.call("conversation.delete", scope=mine, conversation_id="c")
    assert titles(plain, mine) == []

    plain.call("db.import", path=str(file), format="ash")

    assert titles(plain, mine) == ["Tomatoes"]
