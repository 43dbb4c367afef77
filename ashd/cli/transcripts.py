"""Read what was said from the transcripts and events of agent hosts. Pure.

Claude Code and Codex write a line of JSON for each event of a session. The words of the person and
the assistant are read; tool calls and their results, thoughts and our own block are not.

A message has the same id wherever it is read, in the transcript or in a hook's own input: it is
made from its turn, its role and its words. Claude Code names turns `promptId`, Codex `turn_id`.
"""

import datetime as dt
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from ashd.conversation.echoed_context import CLOSE, LEAD, OPEN

_FENCE = f"{OPEN}\n{LEAD}"
_NOTED = re.compile(
    r"<(system-reminder|local-command-\w+|command-\w+|user_instructions|environment_context)>"
)
"""Tags around a host's additions to a person's own words."""
_MOST_NAME_CHARS = 100


Role = Literal["user", "assistant"]


class Said(NamedTuple):
    """A message: its id in the session, its speaker, its text, and its time as written."""

    name: str
    role: Role
    text: str
    at: str | None = None


class Stretch(NamedTuple):
    """A part of a transcript: its messages, the turn at its end, and whether it names turns."""

    said: list[Said]
    turn: str | None
    names_turns: bool

    def ending(self, turn: str | None) -> "Stretch":
        """Return the part with a turn at its end, where the transcript itself names no turns.

        The newest prompt and all messages after it belong to that turn.
        """
        if turn is None or self.names_turns:
            return self
        prompts = [at for at, one in enumerate(self.said) if one.role == "user"]
        first = prompts[-1] if prompts else 0
        renamed = [one._replace(name=_name(turn, one.role, one.text)) for one in self.said[first:]]
        return Stretch([*self.said[:first], *renamed], turn, names_turns=False)


def in_turn(turn: str, role: Role, text: str) -> Said | None:
    """Return a message of a turn, without a host's own notes; None if no text is left."""
    own = own_words(text)
    return Said(_name(turn, role, own), role, own) if own else None


def read(lines: bytes, offset: int, turn: str | None = None) -> Stretch:
    """Return the messages in the whole lines of a transcript from a byte offset on.

    `turn` is that of the part before. Messages before any turn is named have the id of their line.
    """
    at, said, names_turns = offset, list[Said](), False
    for line in lines.split(b"\n")[:-1]:
        place, at = at, at + len(line) + 1
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and not _is_aside(event):
            if (named := _turn(event)) is not None:
                turn, names_turns = named, True
            if (found := _message(event, place, turn)) is not None:
                said.append(found)
    return Stretch(said, turn, names_turns)


def _is_aside(event: dict[str, Any]) -> bool:
    """Return whether an event is a host's note, or of an agent beside the conversation."""
    return bool(event.get("isMeta") or event.get("isSidechain"))


def _turn(event: dict[str, Any]) -> str | None:
    """Return the turn that an event names."""
    payload = event.get("payload")
    for value in (
        event.get("promptId"),
        payload.get("turn_id") if isinstance(payload, dict) else None,
    ):
        if isinstance(value, str) and value:
            return value
    return None


def _message(event: dict[str, Any], place: int, turn: str | None) -> Said | None:
    held = event.get("message") if "message" in event else event.get("payload")
    if not isinstance(held, dict) or held.get("role") not in ("user", "assistant"):
        return None
    if "payload" in event and held.get("type") != "message":
        return None
    role, text = held["role"], own_words(_text(held.get("content")))
    if not text:
        return None
    name = event.get("uuid")
    if turn is not None:
        name = _name(turn, role, text)
    elif not isinstance(name, str) or len(name) > _MOST_NAME_CHARS or not name.isprintable():
        name = f"at {place}"
    return Said(name, role, text, _time(event))


def _name(turn: str, role: str, text: str) -> str:
    """Return the id of a message, which spaces and line ends do not change."""
    words = " ".join(text.split())
    return hashlib.sha256(f"{turn}\0{role}\0{words}".encode(errors="replace")).hexdigest()[:32]


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
