"""Claude's data export: `conversations.json`, or the archive that contains it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from ashd.ops.transfer.formats import json_file
from ashd.ops.transfer.formats.items import (
    BadItem,
    ConversationItem,
    Item,
    SaidItem,
    text_of,
    time_of,
)

_ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}


def read(path: Path, show: Callable[[int], None]) -> Iterator[Item]:
    """Yield the conversations of a file."""
    for found in json_file.objects(path, ["conversations.json"], "conversations", show=show):
        if isinstance(found, BadItem):
            yield found
            continue
        line, value = found
        messages = value.get("chat_messages")
        start = time_of(value.get("created_at"))
        said = [
            _said(message, start)
            for message in (messages if isinstance(messages, list) else [])
            if isinstance(message, dict)
        ]
        identifier = text_of(value, "uuid", "id")
        yield ConversationItem(line, identifier, tuple(one for one in said if one))


def _said(message: dict[str, Any], start: str | None) -> SaidItem | None:
    """Return a message; its text is that of its text blocks, else the plain field."""
    role = _ROLES.get(text_of(message, "sender"))
    blocks = message.get("content")
    texts = [
        text_of(block, "text")
        for block in (blocks if isinstance(blocks, list) else [])
        if isinstance(block, dict) and block.get("type") == "text"
    ]
    text = "\n".join(filter(None, texts)).strip() or text_of(message, "text").strip()
    at = time_of(message.get("created_at")) or start
    return SaidItem(text_of(message, "uuid"), role, text, at) if role and text else None
