"""Put memory into a chat's messages, and read what is said in them. Pure.

The stable part goes to the end of the first system text, the part for the question into the last
user message: so the beginning stays the same from turn to turn, and an upstream's prompt cache
works. There is never a second system message, which templates of several models refuse.
"""

import hashlib
import json
from copy import copy
from typing import Any, Final

Messages = list[dict[str, Any]]

_SYSTEM_ROLES: Final = ("system", "developer")


def last_user(messages: Messages) -> int | None:
    """Return the index of the user's last message."""
    places = (at for at in reversed(range(len(messages))) if messages[at].get("role") == "user")
    return next(places, None)


def injected(messages: Messages, lasting: str, asked: str) -> Messages:
    """Return the messages with memory in them; the caller's own objects stay unchanged."""
    made = list(messages)
    at = last_user(made)
    if asked and at is not None:
        made[at] = _appended(made[at], asked)
    if lasting:
        system = _first_system(made)
        if system is not None:
            made[system] = _appended(made[system], lasting)
        else:
            made.insert(0, {"role": "system", "content": lasting})
    return made


def _first_system(messages: Messages) -> int | None:
    places = (at for at, one in enumerate(messages) if one.get("role") in _SYSTEM_ROLES)
    return next(places, None)


def _appended(message: dict[str, Any], text: str) -> dict[str, Any]:
    """Return a message with a text appended; parts of another kind stay unchanged."""
    changed = copy(message)
    content = message.get("content")
    if isinstance(content, list):
        changed["content"] = [*content, {"type": "text", "text": text}]
    else:
        own = content if isinstance(content, str) else ""
        changed["content"] = f"{own}\n\n{text}" if own else text
    return changed


def conversation_of(messages: Messages) -> str:
    """Return a name for a conversation without one, derived from its beginning."""
    first = next((one for one in messages if one.get("role") == "user"), {})
    system = _first_system(messages)
    said = {} if system is None else messages[system]
    return _digest(["conversation", said.get("content"), first.get("content")])


def turn_of(messages: Messages) -> str:
    """Return a name for the turn that ends with the user's last message.

    It is the same through a loop of tool calls, and when the request is sent again.
    """
    at = last_user(messages)
    said = messages[: 0 if at is None else at + 1]
    return _digest(["turn", [[one.get("role"), one.get("content")] for one in said]])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode(errors="surrogatepass")).hexdigest()[:32]
