"""Letta's agent file (`.af`): memory blocks and messages, in its first and its present form.

Lines of a block are facts. The block `persona` is about the agent itself and is left out, like what
the agent's framework wrote in the user's place.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ashd.ops.transfer.formats import json_file
from ashd.ops.transfer.formats.items import (
    ConversationItem,
    FactItem,
    Item,
    LeftOut,
    SaidItem,
    dicts_of,
    text_of,
    time_of,
)

_OF_THE_AGENT: Final = "persona"
_ROLES: Final = frozenset({"user", "assistant"})
_BULLETS: Final = "-*• \t"


def read(path: Path) -> Iterator[Item]:
    """Yield the facts and conversations of a file."""
    content = json_file.whole(path)
    blocks = [*dicts_of(content.get("blocks")), *dicts_of(content.get("core_memory"))]
    for block in blocks:
        label = text_of(block, "label")
        if label == _OF_THE_AGENT:
            yield LeftOut("memory blocks about the agent")
            continue
        for text in text_of(block, "value").splitlines():
            if fact := text.strip(_BULLETS):
                identity = hashlib.sha256(f"{label}\n{fact}".encode("utf-8", "replace")).hexdigest()
                yield FactItem(1, identity[:32], fact, None, tags=(label,) if label else ())
    for agent in dicts_of(content.get("agents")) or [content]:
        messages = dicts_of(agent.get("messages"))
        said = [_said(message) for message in messages]
        identity = text_of(agent, "id", "name") or "agent"
        if missing := said.count(None):
            yield LeftOut("messages of tools and of the framework", missing)
        if any(said):
            yield ConversationItem(1, identity, tuple(one for one in said if one))


def _said(message: dict[str, Any]) -> SaidItem | None:
    role, content = text_of(message, "role"), message.get("content", message.get("text"))
    if isinstance(content, list):
        content = "\n".join(text_of(part, "text") for part in dicts_of(content))
    text = content.strip() if isinstance(content, str) else ""
    if role == "assistant":
        text = "\n".join([*_sent(message), *([] if _sent(message) else [text])]).strip()
    elif role == "user":
        text = _typed(text)
    if role not in _ROLES or not text:
        return None
    return SaidItem(text_of(message, "id"), role, text, time_of(message.get("created_at")))


def _typed(text: str) -> str:
    """Return a user's own words: the framework packs them into JSON beside texts of its own."""
    if not text.startswith("{"):
        return text
    try:
        packed = json_file.parsed(text)
    except ValueError:
        return text
    if not isinstance(packed, dict) or "type" not in packed:
        return text
    return text_of(packed, "message") if packed["type"] == "user_message" else ""


def _sent(message: dict[str, Any]) -> list[str]:
    """Return the texts that the agent sent by its tool for that."""
    found = []
    for call in dicts_of(message.get("tool_calls")):
        function = call.get("function")
        if isinstance(function, dict) and function.get("name") == "send_message":
            try:
                arguments = json_file.parsed(text_of(function, "arguments"))
            except ValueError:
                continue
            found.append(text_of(arguments, "message") if isinstance(arguments, dict) else "")
    return list(filter(None, found))
