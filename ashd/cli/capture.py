"""Store what was said in a session of an agent host, each message once.

A host's events hold the prompt and the last answer of a turn themselves. The transcript has the
rest of the turn, and turns that were missed while the daemon was down; it is read from where the
last call stopped. A host may write its transcript shortly after the event, or not at all.
"""

from __future__ import annotations

import hashlib
import os
import time
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from ashd.cli import hook_files, hook_sessions, transcripts

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
_BEFORE: Final = ("beforeSubmitPrompt", "userPromptSubmitted")
"""Events before a turn, for which the person waits."""
_AT_A_TIME: Final = 100
_READ_BYTES: Final = 8 * 1024 * 1024
_READ_BEFORE_BYTES: Final = 256 * 1024
"""The most to read before a turn, while the person waits: it takes some 20 ms."""
_COMPARED_BYTES: Final = 1024
"""The end of what was read, by which a transcript is recognised."""


class Kept(NamedTuple):
    """The texts of a transcript that were not stored, by kind; see `hook_sessions.came`."""

    left_out: dict[str, int]
    by_tags: bool | None


NOTHING_READ: Final = Kept({}, None)


class _Ended(NamedTuple):
    """A turn that ended: the transcript's path, the turn and its answer as the event gives them."""

    path: str
    turn: str | None
    answer: list[Said]


def prompt(caller: Caller, folder: str, given: dict[str, Any]) -> None:
    """Store the prompt of a turn from the event before it, if the event names the turn.

    Messages have the order in which they are stored. So what was missed before the prompt, in an
    outage or because the person stopped the answer, is stored first. If that is too much while the
    person waits, the end of the turn stores all of it.
    """
    session, turn = given.get("session_id"), _turn(given)
    said = _said(turn, "user", given.get("prompt"))
    if not isinstance(session, str) or not said:
        return
    missed = _missed(folder, session, given.get("transcript_path"))
    new = [*(one for one in missed or () if one.name != said[0].name), *said]
    if missed is not None and len(new) <= _AT_A_TIME:
        _keep(caller, session, new, BEFORE_SECONDS)


def turn(caller: Caller, folder: str, given: dict[str, Any], *, is_end: bool = False) -> Kept:
    """Store a turn that ended: its part of the transcript, and the answer in any case.

    At the end of a session nothing new is waited for.
    """
    session, path = given.get("session_id"), given.get("transcript_path")
    if not isinstance(session, str):
        return NOTHING_READ
    answer = _said(_turn(given), "assistant", given.get("last_assistant_message"))
    kept = NOTHING_READ
    if isinstance(path, str):
        ended = _Ended(path, _turn(given), answer)
        if not is_end:
            _wait_for(ended, _place(folder, session, path))
        try:
            kept = _transcript(caller, folder, session, ended)
        except OSError:
            if not answer and not is_end:
                raise
    _keep(caller, session, answer, _AFTER_SECONDS)
    return kept


def _missed(folder: str, session: str, path: Any) -> list[Said] | None:
    """Return the messages in a transcript that were not read, as far as their turns are known.

    None if there is too much to read.
    """
    if not isinstance(path, str) or not os.path.isfile(path):
        return []
    place = _place(folder, session, path)
    try:
        with open(path, "rb") as file:
            file.seek(place.offset)
            lines = file.read(_READ_BEFORE_BYTES + 1)
    except OSError:
        return []  # the end of the turn says so; the prompt is stored
    if len(lines) > _READ_BEFORE_BYTES:
        return None
    new = transcripts.read(lines, place)
    is_known = new.names_turns or all(one.role == "assistant" for one in new.said)
    return new.said if is_known else []


def pair(caller: Caller, event: str, given: dict[str, Any]) -> None:
    """Store the prompt and the answer that the event of a host holds, if it has no transcript.

    OpenCode's event holds the last turns, of which those before may have been missed.
    """
    session, turns = hook_sessions.id_of(given), given.get("turns")
    said = [
        one
        for turn in (turns if isinstance(turns, list) else [given])
        if isinstance(turn, dict)
        for one in _both(turn)
    ]
    if session is not None:
        _keep(caller, session, said, BEFORE_SECONDS if event in _BEFORE else _AFTER_SECONDS)


def _both(given: dict[str, Any]) -> list[Said]:
    turn = str(given.get("generation_id") or given.get("timestamp"))
    return [
        *_said(turn, "user", given.get("prompt")),
        *_said(turn, "assistant", given.get("prompt_response")),
        *_said(turn, "assistant", given.get("text")),
    ]


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


def _wait_for(ended: _Ended, place: transcripts.Place) -> None:
    """Wait a moment for the transcript to have the answer; any answer, if its text is unknown."""
    until = time.monotonic() + _TRANSCRIPT_SECONDS
    seen = None
    while time.monotonic() < until:
        size = os.path.getsize(ended.path) if os.path.isfile(ended.path) else None
        if size != seen and _has_answer(ended, place):
            return
        seen = size
        time.sleep(_LOOK_EVERY_SECONDS)


def _has_answer(ended: _Ended, place: transcripts.Place) -> bool:
    """Return whether the new part of a transcript has this answer, or ends with one."""
    try:
        with open(ended.path, "rb") as file:
            file.seek(place.offset)
            part = transcripts.read(file.read(_READ_BYTES), place)
    except OSError:
        return False
    new = part.ending(ended.turn).said
    if ended.answer:
        return any(one.name == ended.answer[0].name for one in new)
    return bool(new) and new[-1].role == "assistant"


def _transcript(caller: Caller, folder: str, session: str, ended: _Ended) -> Kept:
    """Store the new part of a transcript, as far as there is time."""
    place, until = _place(folder, session, ended.path), time.monotonic() + _AFTER_SECONDS
    left_out, by_tags = dict[str, int](), None
    if not os.path.isfile(ended.path):
        raise FileNotFoundError
    with open(ended.path, "rb") as file:
        file.seek(place.offset)
        while (chunk := file.read(_READ_BYTES)) and time.monotonic() < until:
            whole = chunk[: chunk.rfind(b"\n") + 1]
            is_last = len(chunk) < _READ_BYTES
            if not whole and is_last:
                break  # an unfinished line, which will be read later
            # A line that is longer than one read is not stored.
            whole = whole or chunk
            new = transcripts.read(whole, place)
            if new.first_turn is not None:  # a prompt that was taken back is in no transcript
                other = transcripts.read(whole, place._replace(first_turn=ended.turn))
                new = other if other.first_turn is None else new
            new = new.ending(ended.turn) if is_last else new
            _keep(caller, session, new.said, _AFTER_SECONDS)
            if any(one.role == "user" for one in new.said):
                by_tags = not new.names_origins
            for kind, number in new.left_out.items():
                left_out[kind] = left_out.get(kind, 0) + number
            place = transcripts.Place(
                place.offset + len(whole), new.turn, new.names_origins, new.first_turn
            )
            mark = {**place._asdict(), "before": _before(file, place.offset)}
            hook_files.write(_mark_path(folder, session), mark)
    return Kept(left_out, by_tags)


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
    return os.path.join(folder, f"{hook_sessions.hash_of(session)}.json")


def _before(file: BinaryIO, offset: int) -> str:
    """Return a hash of what stands before a place, and leave the file there."""
    start = max(0, offset - _COMPARED_BYTES)
    file.seek(start)
    return hashlib.sha256(file.read(offset - start)).hexdigest()[:32]


def _is_another(path: str, mark: dict[str, Any]) -> bool:
    """Return whether a transcript is not the one that was read: replaced, or cut and written on."""
    offset, before = mark.get("offset"), mark.get("before")
    if not isinstance(offset, int):
        return False
    try:
        with open(path, "rb") as file:
            is_cut = file.seek(0, 2) < offset
            return is_cut or (before is not None and _before(file, offset) != before)
    except OSError:  # reading it says why
        return False


def _place(folder: str, session: str, path: str) -> transcripts.Place:
    """Return the place up to which a session's transcript was read.

    It is the beginning of another file: known messages are recognised by their ids.
    """
    found = hook_files.read(_mark_path(folder, session))
    if found is not None and _is_another(path, found):
        return transcripts.Place()
    if found is None:
        first_turn = hook_sessions.begun(folder, session).first_turn
        return transcripts.Place(first_turn=first_turn)
    offset, turn, first_turn = (found.get(name) for name in ("offset", "turn", "first_turn"))
    return transcripts.Place(
        offset if isinstance(offset, int) else 0,
        turn if isinstance(turn, str) else None,
        found.get("names_origins") is True,
        first_turn if isinstance(first_turn, str) else None,
    )
