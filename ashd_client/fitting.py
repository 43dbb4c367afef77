"""Fit what an agent has to the daemon's limits: chat messages, long texts, arguments.

A model's API has messages without text (tool calls), content in parts, and roles that the daemon
does not store; a person may paste a book. Nothing in here raises: a message without text is sent
empty, and the daemon skips it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ashd_client.wire_values import CONTENT_CHARS, MESSAGE_FIELDS, RECENT_MESSAGES

if TYPE_CHECKING:
    from ashd_client.messages import AnyMessage, Text
    from ashd_client.types import Recent

RECENT_CHARS: Final = 200_000
"""Characters of all recent messages together; older messages are left out."""
_ROLES: Final = {"developer": "system", "function": "tool"}
"""Roles of models' APIs, and the daemon's words for them."""
_API_FIELDS: Final = frozenset(
    {
        *("tool_calls", "tool_call_id", "function_call", "name"),
        *("refusal", "annotations", "audio", "reasoning_content"),
    }
)
"""Fields of a message in chat completions that hold nothing to remember."""


def text(content: Text) -> str:
    """Return the text of a message, or of its text parts joined; "" if there is none."""
    if content is None or isinstance(content, str):
        return _cut(whole(content or ""))
    parts = content if isinstance(content, Iterable) else [content]
    found = (part if isinstance(part, str) else _field(part, "text") for part in parts)
    return _cut(whole("\n".join(part for part in found if isinstance(part, str) and part)))


def recent(messages: Sequence[AnyMessage]) -> list[Recent]:
    """Return the newest messages that have text, at most as many as the daemon takes, in order."""
    left = RECENT_CHARS
    fitting: list[Recent] = []
    for message in reversed(list(messages)):
        content = text(_field(message, "content"))
        left -= len(content)
        if len(fitting) == RECENT_MESSAGES or left < 0:
            break
        if content:
            fitting.append({"role": _role(message), "content": content})
    return fitting[::-1]


def stored(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    """Return messages to store, in place, without the fields that only a model's API has."""
    return [
        {
            **{name: value for name in MESSAGE_FIELDS if (value := _field(message, name))},
            "role": _role(message),
            "content": text(_field(message, "content")),
        }
        for message in messages
    ]


def of_file(entry: Any) -> Any:
    """Return a message of a file to store, with the daemon's text and role and all other fields.

    Unknown fields stay, so that the daemon refuses a misspelt one; so does a long text.
    """
    if not isinstance(entry, Mapping) or "content" not in entry:
        return entry
    kept = {name: value for name, value in entry.items() if name not in _API_FIELDS}
    content = entry["content"]
    return {
        **kept,
        **({"role": _role(entry)} if "role" in entry else {}),
        "content": content if isinstance(content, str) else text(content),
    }


def turns(pairs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return turns to store, with texts that fit."""
    return [
        {**turn, "user": text(turn.get("user")), "assistant": text(turn.get("assistant"))}
        for turn in pairs
    ]


def arguments(given: str | Mapping[str, Any] | None) -> Any:
    """Return a tool's arguments as a model wrote them, in valid Unicode."""
    return _valid(given or {})


FITTED: Final[Mapping[str, Mapping[str, Callable[[Any], Any]]]] = {
    "context.get": {"message": text, "recent": recent},
    "conversation.ingest": {"turns": turns, "messages": stored},
    "tools.call": {"arguments": arguments},
}
"""Functions that fit params, by method; the annotation is the param's type in the clients."""


def _valid(given: Any) -> Any:
    if isinstance(given, str):
        return whole(given)
    if isinstance(given, Mapping):
        return {whole(str(key)): _valid(value) for key, value in given.items()}
    if isinstance(given, list | tuple):
        return [_valid(value) for value in given]
    return given


def _role(message: object) -> str:
    role = _field(message, "role")
    return _ROLES.get(role, role) if isinstance(role, str) else "user"


def _field(message: object, name: str) -> Any:
    """Return a field of a message, which may be a dict or an object of a model's client library."""
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)


def whole(value: str) -> str:
    """Return a text without lone surrogates and NUL, which the daemon refuses."""
    if not value.isascii():
        value = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value.replace("\0", "")


def _cut(value: str) -> str:
    """Return the beginning of a text that is too long, with a mark that says so."""
    if len(value) <= CONTENT_CHARS:
        return value
    mark = f"… (cut: the text has {len(value):,} characters)"
    return value[: CONTENT_CHARS - len(mark)] + mark
