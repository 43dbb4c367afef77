"""Store what was said in a session of an agent host, each message once.

A host's events hold the prompt and the last answer of a turn themselves. The transcript has the
rest of the turn, and turns that were missed while the daemon was down; it is read from where the
last call stopped. A host may write its transcript shortly after the event, or not at all.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ashd.cli import hook_files, transcripts

if TYPE_CHECKING:
    from ashd.cli.caller import Caller
    from ashd.cli.transcripts import Role, Said
    from ashd_client.types import MessageIn

BEFORE_SECONDS: Final = 0.25
"""The time limit for storing before a turn, while the person waits."""
_AFTER_SECONDS: Final = 5.0
"""The time limit for storing after a turn, for which a host waits, too."""
_TRANSCRIPT_SECONDS: Final = 0.5
"""The time to wait for the end of a turn to appear in the transcript."""
_LOOK_EVERY_SECONDS: Final = 0.02
_AT_A_TIME: Final = 100
_READ_BYTES: Final = 8 * 1024 * 1024


class _Mark(NamedTuple):
    """The position up to which a transcript was read, and the turn there."""

    offset: int
    turn: str | None


class _Ended(NamedTuple):
    """A turn that ended: the transcript's path, the turn and its answer as the event gives them."""

    path: str
    turn: str | None
    answer: list[Said]


def prompt(caller: Caller, given: dict[str, Any]) -> None:
    """Store the prompt of a turn from the event before it, if the event names the turn."""
    session, turn = given.get("session_id"), _turn(given)
    said = _said(turn, "user", given.get("prompt"))
    if isinstance(session, str) and said:
        _keep(caller, session, said, BEFORE_SECONDS)


def turn(caller: Caller, folder: str, given: dict[str, Any]) -> None:
    """Store a turn that ended: its part of the transcript, and the answer in any case."""
    session, path = given.get("session_id"), given.get("transcript_path")
    if not isinstance(session, str):
        return
    answer = _said(_turn(given), "assistant", given.get("last_assistant_message"))
    if isinstance(path, str):
        ended = _Ended(path, _turn(given), answer)
        _wait_for(ended, _mark(folder, session))
        try:
            _transcript(caller, folder, session, ended)
        except OSError:
            if not answer:
                raise
    _keep(caller, session, answer, _AFTER_SECONDS)


def pair(caller: Caller, event: str, given: dict[str, Any]) -> None:
    """Store the prompt and the answer that an event of Gemini CLI or Cursor holds."""
    session = given.get("session_id") or given.get("conversation_id")
    turn = str(given.get("generation_id") or given.get("timestamp"))
    said = [
        *_said(turn, "user", given.get("prompt")),
        *_said(turn, "assistant", given.get("prompt_response")),
        *_said(turn, "assistant", given.get("text")),
    ]
    if isinstance(session, str):
        before = event == "beforeSubmitPrompt"
        _keep(caller, session, said, BEFORE_SECONDS if before else _AFTER_SECONDS)


def _turn(given: dict[str, Any]) -> str | None:
    """Return the turn of an event of Claude Code or Codex; old versions of them name none."""
    named = given.get("prompt_id") or given.get("turn_id")
    return named if isinstance(named, str) else None


def _said(turn: str | None, role: Role, text: Any) -> list[Said]:
    """Return the message that an event holds, if it can be recognised in the transcript."""
    if turn is None or not isinstance(text, str):
        return []
    said = transcripts.in_turn(turn, role, text)
    return [said] if said is not None else []


def _wait_for(ended: _Ended, mark: _Mark) -> None:
    """Wait a moment for the transcript to have the answer; any answer, if its text is unknown."""
    until = time.monotonic() + _TRANSCRIPT_SECONDS
    seen = None
    while time.monotonic() < until:
        size = os.path.getsize(ended.path) if os.path.isfile(ended.path) else None
        if size != seen and _has_answer(ended, mark):
            return
        seen = size
        time.sleep(_LOOK_EVERY_SECONDS)


def _has_answer(ended: _Ended, mark: _Mark) -> bool:
    """Return whether the new part of a transcript has this answer, or ends with one."""
    try:
        with open(ended.path, "rb") as file:
            file.seek(mark.offset)
            part = transcripts.read(file.read(_READ_BYTES), mark.offset, mark.turn)
    except OSError:
        return False
    new = part.ending(ended.turn).said
    if ended.answer:
        return any(one.name == ended.answer[0].name for one in new)
    return bool(new) and new[-1].role == "assistant"


def _transcript(caller: Caller, folder: str, session: str, ended: _Ended) -> None:
    """Store the new part of a transcript, as far as there is time."""
    mark, until = _mark(folder, session), time.monotonic() + _AFTER_SECONDS
    if not os.path.isfile(ended.path):
        raise FileNotFoundError
    with open(ended.path, "rb") as file:
        if file.seek(0, 2) < mark.offset:
            mark = _Mark(0, None)  # Another file: known messages are recognised by their ids.
        file.seek(mark.offset)
        while (chunk := file.read(_READ_BYTES)) and time.monotonic() < until:
            whole = chunk[: chunk.rfind(b"\n") + 1]
            is_last = len(chunk) < _READ_BYTES
            if not whole and is_last:
                break  # an unfinished line, which will be read later
            # A line that is longer than one read is not stored.
            whole = whole or chunk
            new = transcripts.read(whole, *mark)
            new = new.ending(ended.turn) if is_last else new
            _keep(caller, session, new.said, _AFTER_SECONDS)
            mark = _Mark(mark.offset + len(whole), new.turn)
            file.seek(mark.offset)
            hook_files.write(_mark_path(folder, session), mark._asdict())


def _keep(caller: Caller, session: str, said: list[Said], seconds: float) -> None:
    if not said:
        return
    with caller.client(timeout_s=seconds) as client:
        for at in range(0, len(said), _AT_A_TIME):
            messages: list[MessageIn] = [
                {"role": one.role, "content": one.text, "external_id": one.name}
                if one.at is None
                else {"role": one.role, "content": one.text, "external_id": one.name, "at": one.at}
                for one in said[at : at + _AT_A_TIME]
            ]
            client.conversation.ingest(session, messages=messages)


def _mark_path(folder: str, session: str) -> str:
    import hashlib

    return os.path.join(folder, f"{hashlib.sha256(session.encode()).hexdigest()[:32]}.json")


def _mark(folder: str, session: str) -> _Mark:
    found = hook_files.read(_mark_path(folder, session)) or {}
    offset, turn = found.get("offset"), found.get("turn")
    return _Mark(offset if isinstance(offset, int) else 0, turn if isinstance(turn, str) else None)
