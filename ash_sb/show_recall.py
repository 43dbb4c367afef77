"""Messages, contexts and mixed results, as lines."""

from __future__ import annotations

from ash_sb.show_memories import summary
from ash_sb.text import an_object, block, count, excerpt, inline, moment, names, score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]


def _messages(result: Json, params: Json) -> list[str]:
    results = result["results"]
    shown = []
    for position, found in enumerate(results, 1):
        message = found["message"]
        shown.append(
            f"message {position}: id {inline(message.get('id'))}; "
            f"score {inline(found.get('score'))}; {_said(message)}"
        )
        shown += excerpt(message["content"], "--json", found.get("passage"))
        for near in found.get("window") or ():
            shown += [f"near message {position}: {_said(near)}"]
            shown += excerpt(near["content"], "--json")
    return [*shown, count(len(results), "message", "messages", params.get("limit", 10))]


def _said(message: Json) -> str:
    return (
        f"said by {inline(message.get('speaker') or message.get('role'))}; "
        f"date {moment(message.get('at'))}; "
        f"conversation {inline(message.get('conversation_id'))}, "
        f"message {inline(message.get('index'))}"
    )


def _recalled(result: Json, params: Json) -> list[str]:
    results = result["results"]
    shown = []
    for position, found in enumerate(results, 1):
        kind = found["source_type"]
        item = an_object(found.get(kind)) or found
        scored = f"id {inline(item.get('id'))}; score {score(found)}"
        if kind == "memory":
            about = f"about {names(found.get('about'))}; trust {inline(found.get('trust'))}"
            labels = f"{about}; {summary(item)}"
            rest = f"ash-sb memory show {inline(item.get('id'))}"
        elif kind == "message":
            labels, rest = _said(item), "--json"
        else:
            labels, rest = f"date {moment(item.get('at') or item.get('created_at'))}", "--json"
        shown.append(f"{inline(kind)} {position}: {scored}; {labels}")
        content = item.get("content") or item.get("overall") or item.get("text") or ""
        shown += excerpt(content, rest, found.get("passage"))
    return [*shown, count(len(results), "result", "results", params.get("limit", 10))]


def _context(result: Json, _params: Json) -> list[str]:
    sections = [
        f"{inline(section['name'])} {inline(section.get('tokens'))}"
        for section in result.get("sections") or ()
    ]
    counted = ", ".join(
        f"{len(result.get(name) or ())} {name}" for name in ("memories", "messages", "people")
    )
    return [
        f"context: {inline(result.get('token_count'))} tokens"
        + (f" ({', '.join(sections)})" if sections else ""),
        *block(result["text"]),
        f"count: {counted}",
    ]


RENDERERS: dict[str, Callable[[Json, Json], list[str]]] = {
    "context": _context,
    "conversation search": _messages,
    "recall": _recalled,
}
