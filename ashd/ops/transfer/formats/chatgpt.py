"""ChatGPT's data export: `conversations.json`, or the archive that contains it.

A conversation is a tree of messages; the branch that ends at `current_node` is the one last shown.
ChatGPT's own memories are hidden in it: as messages to its tool `bio`, and as the list of them that
the model was shown. So are the custom instructions.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ashd.ops.transfer.formats import json_file
from ashd.ops.transfer.formats.items import (
    BadItem,
    ConversationItem,
    FactItem,
    Item,
    LeftOut,
    SaidItem,
    dicts_of,
    text_of,
    time_of,
)

_MEMBERS: Final = ("conversations.json", "conversations-*.json")
"""A large export has its conversations in several numbered parts."""
_ROLES: Final = frozenset({"user", "assistant"})
_TEXTS: Final = frozenset({"text", "multimodal_text"})
_THOUGHTS: Final = frozenset({"thoughts", "reasoning_recap"})
_CONTEXTS: Final = frozenset({"user_editable_context", "model_editable_context"})
"""Their texts are read as facts."""

_REMEMBERED: Final = re.compile(r"^\s*\d+\. \[(\d{4}-\d\d-\d\d)\]\.? *(.+)$", re.MULTILINE)
_INSTRUCTIONS: Final = {
    "user_profile": "Told ChatGPT about me",
    "user_instructions": "Told ChatGPT how to answer",
}


def read(path: Path) -> Iterator[Item]:
    """Yield the conversations and memories of a file."""
    known: set[str] = set()
    for found in json_file.objects(path, _MEMBERS, "conversations"):
        if isinstance(found, BadItem):
            yield found
            continue
        line, value = found
        identifier = text_of(value, "conversation_id", "id")
        start = time_of(value.get("create_time"))
        branch = _branch(value)
        left_out: Counter[str] = Counter()
        said = [_said(message, start, left_out) for message in branch]
        for fact in (fact for message in branch for fact in _facts(line, message, start)):
            if fact.identifier not in known:
                known.add(fact.identifier)
                yield fact
        messages = [one for one in dicts_of(list(_nodes(value).values())) if one.get("message")]
        left_out["messages on branches that were given up"] += len(messages) - len(branch)
        for kind, count in left_out.items():
            if count > 0:
                yield LeftOut(kind, count)
        title = text_of(value, "title")
        yield ConversationItem(line, identifier, tuple(one for one in said if one), title)


def _facts(line: int, message: dict[str, Any], start: str | None) -> Iterator[FactItem]:
    content = message.get("content")
    if not isinstance(content, dict):
        return
    at = time_of(message.get("create_time")) or start
    if message.get("recipient") == "bio":
        yield from (_fact(line, text, at) for text in _texts(content) if text.strip())
    for day, text in _REMEMBERED.findall(text_of(content, "model_set_context")):
        yield _fact(line, text, time_of(day))
    for field, told in _INSTRUCTIONS.items():
        if text := text_of(content, field).strip():
            yield _fact(line, f"{told}: {text}", at)


def _fact(line: int, text: str, at: str | None) -> FactItem:
    identity = hashlib.sha256(text.strip().encode("utf-8", "replace")).hexdigest()[:32]
    return FactItem(line, identity, text.strip(), at)


def _nodes(value: dict[str, Any]) -> dict[str, Any]:
    mapping = value.get("mapping")
    return mapping if isinstance(mapping, dict) else {}


def _branch(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages from the first to `current_node`."""
    nodes = _nodes(value)
    current: object = text_of(value, "current_node")
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


def _said(message: dict[str, Any], start: str | None, left_out: Counter[str]) -> SaidItem | None:
    author, content = message.get("author"), message.get("content")
    metadata = message.get("metadata")
    role = text_of(author, "role") if isinstance(author, dict) else ""
    if role == "tool":
        left_out["messages of tools"] += 1
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    if role not in _ROLES or not isinstance(content, dict):
        return None
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation"):
        return None
    if message.get("recipient") == "bio":
        return None
    if (kind := _other_kind(message, text_of(content, "content_type"))) is not None:
        left_out[kind] += 1
        return None
    if text_of(content, "content_type") in _CONTEXTS:
        return None
    files = [part for part in dicts_of(content.get("parts")) if not _is_spoken(part)]
    left_out["images and other files"] += len(files)
    if isinstance(metadata, dict):
        left_out["attachments without text"] += len(dicts_of(metadata.get("attachments")))
    text = "\n".join(_texts(content)).strip()
    at = time_of(message.get("create_time")) or start
    return SaidItem(text_of(message, "id"), role, text, at) if text else None


def _other_kind(message: dict[str, Any], content_type: str) -> str | None:
    """Return the kind of a message that is neither said to anybody nor known of the user."""
    if message.get("recipient") not in (None, "all"):
        return "calls of tools"
    if content_type in _THOUGHTS:
        return "thoughts"
    return None if content_type in _TEXTS | _CONTEXTS else "messages of another kind"


def _texts(content: dict[str, Any]) -> list[str]:
    parts = content.get("parts")
    return [
        part["text"] if isinstance(part, dict) else part
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, str) or _is_spoken(part)
    ]


def _is_spoken(part: Any) -> bool:
    """Return whether a part has the words of what was spoken, whose recording is another part."""
    is_text = isinstance(part, dict) and isinstance(part.get("text"), str)
    return is_text and part.get("content_type") == "audio_transcription"
