"""`ash hook EVENT`: recall before a turn of an agent host, and capture after it.

The host waits for this program, so it answers within half a second or not at all, and never with an
error: failures are written down and shown by `ash status`. A transcript is read from where the last
call stopped.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import ProgramCommand, pass_caller

if TYPE_CHECKING:
    from ashd.client.messages import NewMessage

RECALL_SECONDS: Final = 0.25
_CAPTURE_SECONDS: Final = 30.0
_MOST_CHARS: Final = 9_500
"""Hosts cut off answers of more than 10,000 characters."""
_MOST_TOKENS: Final = 2_000
_AT_A_TIME: Final = 100
_READ_BYTES: Final = 8 * 1024 * 1024
FOLDER: Final = "hooks"
FAILURE: Final = "last_failure.json"


@click.command("hook", cls=ProgramCommand)
@click.argument("event")
@pass_caller
def hook(caller: Caller, /, event: str) -> None:
    """Answer an event of an agent host, given as JSON on standard input; for `ash connect`."""
    folder = os.path.join(caller.home_folder, FOLDER)
    answer: dict[str, Any] = _NEUTRAL.get(event, {})
    try:
        given = json.loads(sys.stdin.buffer.read() or b"{}")
        handler = _HANDLERS.get(event)
        if handler is not None and isinstance(given, dict):
            answer = handler(caller, folder, event, given) or answer
        _forget_failure(folder, event)
    except Exception as error:  # noqa: BLE001  a fault of ours must not stop the person's turn
        _note_failure(folder, event, getattr(error, "kind", type(error).__name__))
    click.echo(json.dumps(answer))


def last_failure(home: str) -> dict[str, Any] | None:
    """Return the last failure: `event`, `kind` and time (`at`); None if there is none."""
    return _read(os.path.join(home, FOLDER, FAILURE))


def _recall(caller: Caller, _folder: str, event: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return what is known for a prompt, in the host's form."""
    prompt = given.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        return {}
    with caller.client(timeout_s=RECALL_SECONDS) as client:
        found = client.context(prompt, max_tokens=_MOST_TOKENS)
    text = found["text"]
    if not text or len(text) > _MOST_CHARS:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _capture(caller: Caller, folder: str, _event: str, given: dict[str, Any]) -> dict[str, Any]:
    """Store the new part of a transcript."""
    import hashlib

    from ashd.cli import transcripts

    path, session = given.get("transcript_path"), given.get("session_id")
    if not isinstance(path, str) or not isinstance(session, str):
        return {}
    name = hashlib.sha256(session.encode()).hexdigest()[:32]
    mark = os.path.join(folder, f"{name}.json")
    offset = _offset(mark)
    if not os.path.isfile(path):
        raise FileNotFoundError
    with open(path, "rb") as file:
        file.seek(0, 2)
        if file.tell() < offset:
            offset = 0  # Another file: its messages have ids, so known ones are recognised.
        file.seek(offset)
        while chunk := file.read(_READ_BYTES):
            whole = chunk[: chunk.rfind(b"\n") + 1]
            if not whole and len(chunk) < _READ_BYTES:
                break  # an unfinished line, which will be read later
            # A line that is longer than one read is not stored.
            whole = whole or chunk
            _keep(caller, session, list(transcripts.said(whole, offset)))
            offset += len(whole)
            file.seek(offset)
            _write(mark, {"offset": offset})
    return {}


def _capture_pair(
    caller: Caller, _folder: str, event: str, given: dict[str, Any]
) -> dict[str, Any]:
    """Store the prompt and the answer that the event itself holds."""
    import hashlib

    from ashd.cli.transcripts import Said, own_words

    session = given.get("session_id") or given.get("conversation_id")
    turn = given.get("generation_id") or given.get("timestamp")
    said = []
    for field, role in (
        ("prompt", "user"),
        ("prompt_response", "assistant"),
        ("text", "assistant"),
    ):
        text = own_words(given[field]) if isinstance(given.get(field), str) else ""
        if text:
            digest = hashlib.sha256(f"{turn}\0{role}\0{text}".encode(errors="replace"))
            said.append(Said(digest.hexdigest()[:32], role, text, None))
    if isinstance(session, str) and said:
        # The person waits for this before every turn.
        before = event == "beforeSubmitPrompt"
        _keep(caller, session, said, RECALL_SECONDS if before else _CAPTURE_SECONDS)
    return {}


def _keep(caller: Caller, session: str, said: list[Any], seconds: float = _CAPTURE_SECONDS) -> None:
    with caller.client(timeout_s=seconds) as client:
        for at in range(0, len(said), _AT_A_TIME):
            messages: list[NewMessage] = [
                {"role": one.role, "content": one.text, "external_id": one.name}
                if one.at is None
                else {"role": one.role, "content": one.text, "external_id": one.name, "at": one.at}
                for one in said[at : at + _AT_A_TIME]
            ]
            client.ingest(session, messages=messages)


def _offset(mark: str) -> int:
    offset = (_read(mark) or {}).get("offset")
    return offset if isinstance(offset, int) else 0


def _forget_failure(folder: str, event: str) -> None:
    """Show a failure no longer once the same event has gone well."""
    path = os.path.join(folder, FAILURE)
    failure = _read(path)
    if failure is not None and failure.get("event") == event:
        with suppress(OSError):
            os.unlink(path)


def _note_failure(folder: str, event: str, kind: str) -> None:
    from ashd.clock import SystemClock, to_text

    at = to_text(SystemClock().now())
    _write(os.path.join(folder, FAILURE), {"event": event[:100], "kind": kind, "at": at})


def _read(path: str) -> dict[str, Any] | None:
    try:
        with open(path, "rb") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _write(path: str, value: dict[str, Any]) -> None:
    from pathlib import Path

    from ashd import atomic_file

    try:
        Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic_file.write(Path(path), json.dumps(value).encode())
    except OSError:
        return


_Handler = Callable[[Caller, str, str, dict[str, Any]], dict[str, Any]]
_HANDLERS: Final[dict[str, _Handler]] = {
    "UserPromptSubmit": _recall,
    "Stop": _capture,
    "BeforeAgent": _recall,
    "AfterAgent": _capture_pair,
    "beforeSubmitPrompt": _capture_pair,
    "afterAgentResponse": _capture_pair,
}
_NEUTRAL: Final[dict[str, dict[str, Any]]] = {"beforeSubmitPrompt": {"continue": True}}
