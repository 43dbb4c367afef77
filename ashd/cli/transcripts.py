"""Read what was said from the transcripts and events of agent hosts. Pure.

Claude Code and Codex write a line of JSON for each event of a session. What a person and the
assistant said is read; tool calls and their results, thoughts and what we put in are not.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ashd.conversation.echo import CLOSE, LEAD, OPEN

_BLOCK = re.compile(rf"\s*{re.escape(f'{OPEN}{chr(10)}{LEAD}')}.*?{re.escape(CLOSE)}\s*", re.DOTALL)
_NOTED = re.compile(
    r"<(system-reminder|local-command-\w+|command-\w+|user_instructions|environment_context)>"
    r".*?</\1>",
    re.DOTALL,
)
"""What a host puts between a person's own words."""


class Said(NamedTuple):
    """A message: its name in the session, who said it, the text and when, as it is written."""

    name: str
    role: str
    text: str
    at: str | None


def said(lines: bytes, offset: int) -> Iterator[Said]:
    """Yield what was said in whole lines of a transcript that begin at an offset of the file."""
    at = offset
    for line in lines.split(b"\n")[:-1]:
        place, at = at, at + len(line) + 1
        try:
            event = json.loads(line)
        except ValueError:
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
    name, at = event.get("uuid"), event.get("timestamp")
    return Said(
        name if isinstance(name, str) else f"at {place}",
        held["role"],
        text,
        at if isinstance(at, str) else None,
    )


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
    """Return a text without the block that we put in, and without the host's own notes."""
    return _NOTED.sub("", _BLOCK.sub("\n", text)).strip()
