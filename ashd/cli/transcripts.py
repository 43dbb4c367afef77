"""Read what was said from the transcripts and events of agent hosts. Pure.

Claude Code and Codex write a line of JSON for each event of a session. The words of the person and
the assistant are read; tool calls and their results, thoughts and our own block are not, nor is
what the host wrote in the person's name: the summary of a compaction, the output of a command.
Both hosts name the origin of a text; of an older version, which does not, tags tell.

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
    r"<(system-reminder|local-command-\w+|command-\w+|bash-(?:input|stdout|stderr)|task-notification"
    r"|user_instructions|environment_context)>"
)
"""Tags around a host's additions to a person's own words."""
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]\n]*\]")
_BY_PERSON = "user"
_MOST_NAME_CHARS = 100


Role = Literal["user", "assistant"]


class Said(NamedTuple):
    """A message: its id in the session, its speaker, its text, and its time as written."""

    name: str
    role: Role
    text: str
    at: str | None = None


class Place(NamedTuple):
    """A position in a transcript: its byte offset, the turn there, and if origins were named.

    `first_turn` is the first one of the session, if it has not been read yet: a fork's transcript
    begins with a copy of the turns before.
    """

    offset: int = 0
    turn: str | None = None
    names_origins: bool = False
    first_turn: str | None = None


class Stretch(NamedTuple):
    """A part of a transcript: its messages, the turn at its end, and whether it names turns.

    `names_origins` and `first_turn` are those of the place at its end; `left_out` counts the texts
    in the name of the person or the assistant that are not theirs, by kind.
    """

    said: list[Said]
    turn: str | None
    names_turns: bool
    names_origins: bool
    left_out: dict[str, int]
    first_turn: str | None

    def ending(self, turn: str | None) -> "Stretch":
        """Return the part with a turn at its end, where the transcript itself names no turns.

        The newest prompt and all messages after it belong to that turn.
        """
        if turn is None or self.names_turns:
            return self
        prompts = [at for at, one in enumerate(self.said) if one.role == "user"]
        first = prompts[-1] if prompts else 0
        renamed = [one._replace(name=_name(turn, one.role, one.text)) for one in self.said[first:]]
        return self._replace(said=[*self.said[:first], *renamed], turn=turn)


_BEGIN = Place()
_NOTES = "note of the host"


def in_turn(turn: str, role: Role, text: str) -> Said | None:
    """Return a message of a turn, without a host's own notes; None if no text is left."""
    own = own_words(text)
    return Said(_name(turn, role, own), role, own) if own else None


def read(lines: bytes, place: Place = _BEGIN) -> Stretch:
    """Return the messages in the whole lines of a transcript from a place on.

    Messages before any turn is named have the id of their line.
    """
    at, turn, names_origins, first_turn = place
    said, names_turns, left_out = list[Said](), False, dict[str, int]()
    for line in lines.split(b"\n")[:-1]:
        offset, at = at, at + len(line) + 1
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(event, dict) or _is_aside(event):
            continue
        if (named := _turn(event)) is not None:
            turn, names_turns = named, True
            if turn == first_turn:
                said, first_turn = [], None  # what came before is a copy
        if (held := _held(event)) is None:
            continue
        names_origins = names_origins or _names_origin(event, held)
        kind = _kind_of_hosts_text(event, held, names_origins=names_origins)
        if kind is None and (found := _message(event, held, offset, turn)) is not None:
            said.append(found)
        elif kind is not None or _text(held.get("content")).strip():
            left_out[kind or _NOTES] = left_out.get(kind or _NOTES, 0) + 1
    own = [] if first_turn is not None and names_turns else said
    return Stretch(own, turn, names_turns, names_origins, left_out, first_turn)


def _is_aside(event: dict[str, Any]) -> bool:
    """Return whether an event is a host's note, or of an agent beside the conversation."""
    return bool(event.get("isMeta") or event.get("isSidechain"))


def _held(event: dict[str, Any]) -> dict[str, Any] | None:
    """Return the message of an event, in the name of the person or the assistant."""
    held = event.get("message") if "message" in event else event.get("payload")
    if not isinstance(held, dict) or held.get("role") not in ("user", "assistant"):
        return None
    return held if "message" in event or held.get("type") == "message" else None


def _names_origin(event: dict[str, Any], held: dict[str, Any]) -> bool:
    return isinstance(event.get("promptSource"), str) or _provenances(held) is not None


def _provenances(held: dict[str, Any]) -> list[Any] | None:
    """Return the kinds of origin that Codex names for the parts of a message; None if it does not.

    A part without a known origin has None.
    """
    passed = held.get("internal_chat_message_metadata_passthrough")
    parts = passed.get("content_item_metadata") if isinstance(passed, dict) else None
    if not isinstance(parts, list):
        return None
    origins = [part.get("provenance") if isinstance(part, dict) else None for part in parts]
    return [one.get("type") if isinstance(one, dict) else None for one in origins]


def _kind_of_hosts_text(
    event: dict[str, Any], held: dict[str, Any], *, names_origins: bool
) -> str | None:
    """Return the kind of a text that is neither the person's nor the assistant's; else None."""
    noted = event.get("metadata")
    if event.get("isCompactSummary") or (
        isinstance(noted, dict) and noted.get("compaction_output") is True
    ):
        return "summary of a compaction"
    if held["role"] == "assistant":
        return None
    text = _text(held.get("content")).strip()
    if event.get("interruptedMessageId") or _INTERRUPTED.fullmatch(text):
        return "interruption"
    if not text:
        return None
    origins = _provenances(held)
    by_person = (
        isinstance(event.get("promptSource"), str) if origins is None else _BY_PERSON in origins
    )
    return _NOTES if names_origins and not by_person else None


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


def _message(
    event: dict[str, Any], held: dict[str, Any], offset: int, turn: str | None
) -> Said | None:
    role, text = held["role"], own_words(_own_text(held))
    if not text:
        return None
    name = event.get("uuid")
    if turn is not None:
        name = _name(turn, role, text)
    elif not isinstance(name, str) or len(name) > _MOST_NAME_CHARS or not name.isprintable():
        name = f"at {offset}"
    return Said(name, role, text, _time(event))


def _own_text(held: dict[str, Any]) -> str:
    """Return the text of a message, of a person's the parts that are the person's."""
    content, origins = held.get("content"), _provenances(held)
    if held["role"] == "user" and origins is not None and isinstance(content, list):
        parts = zip(content, origins, strict=False)
        content = [part for part, origin in parts if origin == _BY_PERSON]
    return _text(content)


def _name(turn: str, role: str, text: str) -> str:
    """Return the id of a message, which spaces and line ends do not change."""
    words = " ".join(text.split())
    return hashlib.sha256(f"{turn}\0{role}\0{words}".encode(errors="replace")).hexdigest()[:32]


def _time(event: dict[str, Any]) -> str | None:
    """Return the time of an event in UTC, if it has one with a zone: the daemon refuses others."""
    at = event.get("timestamp")
    try:
        found = dt.datetime.fromisoformat(at) if isinstance(at, str) else None
        return found.astimezone(dt.UTC).isoformat() if found and found.tzinfo else None
    except (ValueError, OverflowError):
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
