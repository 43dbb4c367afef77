"""ChatGPT's data export: `conversations.json`, or the archive that contains it.

A conversation is a tree of messages; the branch that ends at `current_node` is the one last shown.
"""

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

_MEMBERS: Final = ("conversations.json", "conversations-*.json")
"""A large export has its conversations in several numbered parts."""
_ROLES: Final = frozenset({"user", "assistant"})
_TEXTS: Final = frozenset({"text", "multimodal_text"})


def read(path: Path, show: Callable[[int], None]) -> Iterator[Item]:
    """Yield the conversations of a file."""
    for found in json_file.objects(path, _MEMBERS, "conversations", show=show):
        if isinstance(found, BadItem):
            yield found
            continue
        line, value = found
        identifier = text_of(value, "conversation_id", "id")
        start = time_of(value.get("create_time"))
        said = tuple(_said(node, start) for node in _branch(value))
        yield ConversationItem(line, identifier, tuple(one for one in said if one))


def _branch(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages from the first to `current_node`."""
    mapping = value.get("mapping")
    nodes: dict[str, Any] = mapping if isinstance(mapping, dict) else {}
    current = value.get("current_node")
    if current not in nodes:
        leaves = [
            key
            for key, node in nodes.items()
            if isinstance(node, dict) and not node.get("children")
        ]
        current = leaves[-1] if leaves else None
    found: list[dict[str, Any]] = []
    seen = set()
    while isinstance(current, str) and current in nodes and current not in seen:
        seen.add(current)
        node = nodes[current] if isinstance(nodes[current], dict) else {}
        if isinstance(node.get("message"), dict):
            found.append(node["message"])
        current = node.get("parent")
    return found[::-1]


def _said(message: dict[str, Any], start: str | None) -> SaidItem | None:
    author, content = message.get("author"), message.get("content")
    metadata = message.get("metadata")
    role = author.get("role") if isinstance(author, dict) else None
    if role not in _ROLES or not isinstance(content, dict):
        return None
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation"):
        return None
    if content.get("content_type") not in _TEXTS or message.get("recipient", "all") != "all":
        return None
    parts = content.get("parts")
    texts = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
    text = "\n".join(texts).strip()
    at = time_of(message.get("create_time")) or start
    return SaidItem(text_of(message, "id"), str(role), text, at) if text else None
