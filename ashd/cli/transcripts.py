"""Read what was said from the transcripts and events of agent hosts. Pure.

Claude Code and Codex write a line of JSON for each event of a session. The words of the person and
the assistant are read; tool calls and their results, thoughts and our own block are not.
"""

import datetime as dt
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ashd.conversation.echo import CLOSE, LEAD, OPEN

_FENCE = f"{OPEN}\n{LEAD}"
_NOTED = re.compile(
    r"<(system-reminder|local-command-\w+|command-\w+|user_instructions|environment_context)>"
)
"""Tags around a host's additions to a person's own words."""
_MOST_NAME_CHARS = 100


class Said(NamedTuple):
    """A message: its id in the session, its speaker, its text, and its time as written."""

    name: str
    role: str
    text: str
    at: str | None


def said(lines: bytes, offset: int) -> Iterator[Said]:
    """Yield the messages in the whole lines of a transcript from a byte offset on."""
    at = offset
    for line in lines.split(b"\n")[:-1]:
        place, at = at, at + len(line) + 1
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            found = _message(event, place)
            if found is not None:
                yield found


def _message(event: dict[str, Any], place: int) -> Said | None:
    if event.get("isMeta") or event.get("isSidechain"):
        return None
    held = event.get("message") if "message" in event else event.get("payload")
    if not isinstance(held, dict) or held.get("role") not in ("user", "assistant"):
        return None
    if "payload" in event and held.get("type") != "message":
        return None
    text = own_words(_text(held.get("content")))
    if not text:
        return None
    name = event.get("uuid")
    known = isinstance(name, str) and len(name) <= _MOST_NAME_CHARS and name.isprintable()
    return Said(str(name) if known else f"at {place}", held["role"], text, _time(event))


def _time(event: dict[str, Any]) -> str | None:
    """Return the time of an event, if it has one in a known form."""
    at = event.get("timestamp")
    try:
        return dt.datetime.fromisoformat(at).isoformat() if isinstance(at, str) else None
    except ValueError:
        return None


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [
        part["text"]
        for part in parts
        if isinstance(part, dict)
        and part.get("type") in ("text", "input_text", "output_text")
        and isinstance(part.get("text"), str)
    ]
    return "\n".join(texts)


def own_words(text: str) -> str:
    """Return a text without our block and without the host's own notes."""
    left = _without(text, re.compile(re.escape(_FENCE)), lambda _: CLOSE)
    left = _without(left, _NOTED, lambda found: f"</{found[1]}>")
    return left.strip()


def _without(text: str, opening: re.Pattern[str], closing: Callable[[re.Match[str]], str]) -> str:
    """Return a text without the stretches between an opening and its closing; in linear time."""
    left, at, unclosed = [], 0, set[str]()
    for found in opening.finditer(text):
        end = closing(found)
        if found.start() < at or end in unclosed:
            continue
        place = text.find(end, found.end())
        if place < 0:
            unclosed.add(end)
            continue
        left.append(text[at : found.start()])
        at = place + len(end)
    return "\n".join([*left, text[at:]])
