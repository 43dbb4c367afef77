"""Put memory into a request for an answer, and read what is said in it. Pure.

The stable part goes to the end of the first system text, the part for the question into the last
user message: so the beginning stays the same from turn to turn, and an upstream's prompt cache
works. There is never a second system message, which templates of several models refuse.
"""

import hashlib
import json
from collections.abc import Callable
from copy import copy
from typing import Any, Final, NamedTuple

from ashd.http.answers import Answer, ResponsesAnswer

Request = dict[str, Any]
Messages = list[dict[str, Any]]

_SYSTEM_ROLES: Final = ("system", "developer")


def last_user(messages: Messages) -> int | None:
    """Return the index of the user's last message."""
    places = (at for at in reversed(range(len(messages))) if messages[at].get("role") == "user")
    return next(places, None)


class Form(NamedTuple):
    """The form of a request for an answer, and of the answer."""

    path: str
    messages: Callable[[Request], Messages | None]
    """Return the messages of a request; None if there are none."""
    injected: Callable[[Request, str, str], Request]
    """Return a request with memory in it; the caller's own objects stay unchanged."""
    answer: type[Answer]


def _messages_of_chat(chat: Request) -> Messages | None:
    return _objects(chat.get("messages"))


def _injected_chat(chat: Request, lasting: str, asked: str) -> Request:
    made = _with_asked(chat["messages"], asked, "text")
    if lasting:
        system = _first_system(made)
        if system is not None:
            made[system] = _appended(made[system], lasting, "text")
        else:
            made.insert(0, {"role": "system", "content": lasting})
    return {**chat, "messages": made}


def _messages_of_responses(request: Request) -> Messages | None:
    """Return the items of the input, after the instructions as a system message."""
    items, instructions = request.get("input"), request.get("instructions")
    said = [{"role": "user", "content": items}] if isinstance(items, str) else _objects(items)
    if said is None or not isinstance(instructions, str) or not instructions:
        return said
    return [{"role": "system", "content": instructions}, *said]


def _injected_responses(request: Request, lasting: str, asked: str) -> Request:
    made = dict(request)
    items = request["input"]
    if isinstance(items, str):
        made["input"] = f"{items}\n\n{asked}" if asked else items
    else:
        made["input"] = items = _with_asked(items, asked, "input_text")
        system = _first_system(items)
        if lasting and system is not None and not request.get("instructions"):
            items[system] = _appended(items[system], lasting, "input_text")
            return made
    if lasting:
        own = request.get("instructions")
        made["instructions"] = f"{own}\n\n{lasting}" if isinstance(own, str) and own else lasting
    return made


CHAT: Final = Form("/chat/completions", _messages_of_chat, _injected_chat, Answer)
RESPONSES: Final = Form("/responses", _messages_of_responses, _injected_responses, ResponsesAnswer)


def _objects(listed: Any) -> Messages | None:
    """Return a list of objects; None for anything else."""
    is_list = isinstance(listed, list) and all(isinstance(one, dict) for one in listed)
    return listed if is_list else None


def _with_asked(messages: Messages, asked: str, part: str) -> Messages:
    """Return the messages with a text after the user's last one."""
    made = list(messages)
    at = last_user(made)
    if asked and at is not None:
        made[at] = _appended(made[at], asked, part)
    return made


def _first_system(messages: Messages) -> int | None:
    places = (at for at, one in enumerate(messages) if one.get("role") in _SYSTEM_ROLES)
    return next(places, None)


def _appended(message: dict[str, Any], text: str, part: str) -> dict[str, Any]:
    """Return a message with a text appended, as a part of its own where there are parts."""
    changed = copy(message)
    content = message.get("content")
    if isinstance(content, list):
        changed["content"] = [*content, {"type": part, "text": text}]
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


def turn_of(messages: Messages, previous: str | None = None) -> str:
    """Return a name for the turn that ends with the user's last message.

    It is the same through a loop of tool calls, and when the request is sent again. `previous` is
    the id of the answer that the messages continue from.
    """
    at = last_user(messages)
    said = messages[: 0 if at is None else at + 1]
    named = [[one.get("role"), one.get("content")] for one in said]
    return _digest(["turn", named, *([previous] if previous else [])])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode(errors="surrogatepass")).hexdigest()[:32]
