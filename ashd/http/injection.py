"""Putting memory into a chat's messages, and reading what is said in them. Pure.

What changes seldom goes to the end of the first system text, what belongs to the question into the
last user message: so the beginning stays the same from turn to turn, and an upstream's prompt cache
holds. There is never a second system message, which templates of several models refuse.
"""

import hashlib
import json
from copy import copy
from typing import Any, Final

Messages = list[dict[str, Any]]

_SYSTEM_ROLES: Final = ("system", "developer")


def text_of(message: dict[str, Any]) -> str:
    """Return the text of a message, of its text parts where it has several parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part for part in content if isinstance(part, dict) and part.get("type") == "text")
    return "\n".join(text for part in parts if isinstance(text := part.get("text"), str))


def last_user(messages: Messages) -> int | None:
    """Return where the last message of the user is."""
    places = (at for at in reversed(range(len(messages))) if messages[at].get("role") == "user")
    return next(places, None)


def recent(messages: Messages, before: int) -> list[dict[str, str]]:
    """Return what was said before a message, as `context.get` takes it."""
    return [
        {"role": message["role"], "content": text}
        for message in messages[:before]
        if message.get("role") in ("user", "assistant") and (text := text_of(message)).strip()
    ]


def injected(messages: Messages, lasting: str, asked: str) -> Messages:
    """Return the messages with memory in them; the caller's own stay as they are."""
    made = list(messages)
    at = last_user(made)
    if asked and at is not None:
        made[at] = _appended(made[at], asked)
    if lasting:
        if made and made[0].get("role") in _SYSTEM_ROLES:
            made[0] = _appended(made[0], lasting)
        else:
            made.insert(0, {"role": "system", "content": lasting})
    return made


def _appended(message: dict[str, Any], text: str) -> dict[str, Any]:
    """Return a message with a text after its own; parts of another kind are left alone."""
    changed = copy(message)
    content = message.get("content")
    if isinstance(content, list):
        changed["content"] = [*content, {"type": "text", "text": text}]
    else:
        own = content if isinstance(content, str) else ""
        changed["content"] = f"{own}\n\n{text}" if own else text
    return changed


def conversation_of(messages: Messages) -> str:
    """Return a name for a conversation without one: of how it began, which stays the same."""
    first = next((one for one in messages if one.get("role") == "user"), {})
    system = next((one for one in messages if one.get("role") in _SYSTEM_ROLES), {})
    return _digest(["conversation", text_of(system), text_of(first)])


def turn_of(messages: Messages) -> str:
    """Return a name for the turn that ends with the last message of the user.

    It is the same through a loop of tool calls, and when the request is sent again.
    """
    at = last_user(messages)
    said = [[one.get("role"), text_of(one)] for one in messages[: 0 if at is None else at + 1]]
    return _digest(["turn", said])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode(errors="surrogatepass")).hexdigest()[:32]
