"""Claude's data export: conversations, projects and what it remembered, each a file of the archive.

A message has the text of the files that were attached to it; tools and thoughts are left out.
"""

import hashlib
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ashd.ops.transfer.formats import json_file, markdown
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

_MEMBERS: Final = ("conversations.json", "projects.json", "memories.json")
_FACT_CHARS: Final = 4_000
"""Longest part of a document without an empty line."""
_HEADING: Final = re.compile(r"\*\*[^*]+\*\*")
_ROLES: Final = {"human": "user", "user": "user", "assistant": "assistant"}
_LEFT_OUT: Final = {
    "thinking": "thoughts",
    "tool_use": "calls of tools",
    "tool_result": "results of tools",
}


def read(path: Path) -> Iterator[Item]:
    """Yield the conversations, projects and memories of a file."""
    for found in json_file.objects(path, _MEMBERS, "conversations"):
        if isinstance(found, BadItem):
            yield found
            continue
        line, value = found
        if "conversations_memory" in value or "project_memories" in value:
            yield from _memories(line, value)
        elif "docs" in value or "prompt_template" in value:
            yield from _project(line, value)
        else:
            yield from _conversation(line, value)


def _conversation(line: int, value: dict[str, Any]) -> Iterator[Item]:
    start = time_of(value.get("created_at"))
    left_out: Counter[str] = Counter()
    said = [_said(message, start, left_out) for message in dicts_of(value.get("chat_messages"))]
    for kind, count in left_out.items():
        yield LeftOut(kind, count)
    identifier, title = text_of(value, "uuid", "id"), text_of(value, "name")
    yield ConversationItem(line, identifier, tuple(one for one in said if one), title)


def _said(message: dict[str, Any], start: str | None, left_out: Counter[str]) -> SaidItem | None:
    """Return a message; its text is that of its text blocks, else the plain field."""
    role = _ROLES.get(text_of(message, "sender"))
    if role is None:
        left_out["messages of another kind"] += 1
        return None
    blocks = dicts_of(message.get("content"))
    texts = [text_of(block, "text") for block in blocks if block.get("type") == "text"]
    kinds = (text_of(block, "type") for block in blocks)
    left_out.update(_LEFT_OUT[kind] for kind in kinds if kind in _LEFT_OUT)
    plain = text_of(message, "text") or text_of(message, "content")
    parts = ["\n".join(filter(None, texts)).strip() or plain.strip()]
    for attached in dicts_of(message.get("attachments")):
        if content := text_of(attached, "extracted_content").strip():
            parts.append(f"{text_of(attached, 'file_name') or 'Attachment'}:\n{content}")
        else:
            left_out["attachments without text"] += 1
    left_out.update("files" for _ in dicts_of(message.get("files")))
    text = "\n\n".join(filter(None, parts))
    at = time_of(message.get("created_at")) or start
    return SaidItem(text_of(message, "uuid"), role, text, at) if text else None


def _memories(line: int, value: dict[str, Any]) -> Iterator[Item]:
    projects = value.get("project_memories")
    texts = [text_of(value, "conversations_memory")]
    texts += map(str, projects.values()) if isinstance(projects, dict) else []
    for text in texts:
        for passage in markdown.read(text, by_item=True).passages:
            if not _HEADING.fullmatch(passage.text):
                yield _fact(line, passage.text, None)


def _project(line: int, value: dict[str, Any]) -> Iterator[Item]:
    name = text_of(value, "name")
    tags = (f"project:{name}",) if name else ()
    at = time_of(value.get("created_at"))
    for field in ("description", "prompt_template"):
        if text := text_of(value, field).strip():
            yield from _long(line, name, text, at, tags)
    for document in dicts_of(value.get("docs")):
        of = " / ".join(filter(None, (name, text_of(document, "filename"))))
        said_at = time_of(document.get("created_at")) or at
        yield from _long(line, of, text_of(document, "content"), said_at, tags)


def _long(
    line: int, of: str, text: str, at: str | None, tags: tuple[str, ...]
) -> Iterator[FactItem]:
    for passage in markdown.read(text).passages:
        for part in textwrap.wrap(
            passage.text, _FACT_CHARS, replace_whitespace=False, drop_whitespace=False
        ):
            yield _fact(line, f"{of}: {part}" if of else part, at, tags)


def _fact(line: int, text: str, at: str | None, tags: tuple[str, ...] = ()) -> FactItem:
    identity = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
    return FactItem(line, identity, text, at, tags=tags)
