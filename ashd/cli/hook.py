"""`ash hook EVENT`: recall before a turn of an agent host, and capture after it.

The host waits for this program, so it answers within half a second or not at all, and never with an
error: failures are written down and shown by `ash status`. A transcript is read from where the last
call stopped.
"""

import hashlib
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click

from ashd import atomic_file
from ashd.cli.caller import Caller
from ashd.cli.commands import pass_caller
from ashd.client.messages import NewMessage
from ashd.clock import SystemClock, to_text

RECALL_SECONDS: Final = 0.25
_CAPTURE_SECONDS: Final = 30.0
_MOST_CHARS: Final = 9_500
"""Hosts cut off answers of more than 10,000 characters."""
_MOST_TOKENS: Final = 2_000
_AT_A_TIME: Final = 100
_READ_BYTES: Final = 8 * 1024 * 1024
FOLDER: Final = "hooks"
FAILURE: Final = "last_failure.json"


@click.command("hook")
@click.argument("event")
@pass_caller
def hook(caller: Caller, /, event: str) -> None:
    """Answer an event of an agent host, given as JSON on standard input; for `ash connect`."""
    from ashd import config

    folder = config.home(caller.home) / FOLDER
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


def last_failure(home: Path) -> dict[str, Any] | None:
    """Return the last failure: `event`, `kind` and time (`at`); None if there is none."""
    try:
        found = json.loads((home / FOLDER / FAILURE).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _recall(caller: Caller, _folder: Path, event: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return what is known for a prompt, in the host's form."""
    from ashd.client.sync import Client

    prompt = given.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        return {}
    with Client(
        caller.socket, home=caller.home, scope=caller.scope, name="ash", timeout_s=RECALL_SECONDS
    ) as client:
        found = client.context(prompt, max_tokens=_MOST_TOKENS)
    text = found["text"]
    if not text or len(text) > _MOST_CHARS:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _capture(caller: Caller, folder: Path, _event: str, given: dict[str, Any]) -> dict[str, Any]:
    """Store the new part of a transcript."""
    from ashd.cli import transcripts

    path, session = given.get("transcript_path"), given.get("session_id")
    if not isinstance(path, str) or not isinstance(session, str):
        return {}
    mark = folder / f"{hashlib.sha256(session.encode()).hexdigest()[:32]}.json"
    offset = _offset(mark)
    if not Path(path).is_file():
        raise FileNotFoundError
    with Path(path).open("rb") as file:
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
    caller: Caller, _folder: Path, event: str, given: dict[str, Any]
) -> dict[str, Any]:
    """Store the prompt and the answer that the event itself holds."""
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
    from ashd.client.sync import Client

    with Client(
        caller.socket, home=caller.home, scope=caller.scope, name="ash", timeout_s=seconds
    ) as client:
        for at in range(0, len(said), _AT_A_TIME):
            messages: list[NewMessage] = [
                {"role": one.role, "content": one.text, "external_id": one.name}
                if one.at is None
                else {"role": one.role, "content": one.text, "external_id": one.name, "at": one.at}
                for one in said[at : at + _AT_A_TIME]
            ]
            client.ingest(session, messages=messages)


def _offset(mark: Path) -> int:
    try:
        return int(json.loads(mark.read_bytes())["offset"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _forget_failure(folder: Path, event: str) -> None:
    """Forget the last failure once the same event has succeeded."""
    failure = last_failure(folder.parent)
    if failure is not None and failure.get("event") == event:
        with suppress(OSError):
            (folder / FAILURE).unlink()


def _note_failure(folder: Path, event: str, kind: str) -> None:
    at = to_text(SystemClock().now())
    _write(folder / FAILURE, {"event": event[:100], "kind": kind, "at": at})


def _write(path: Path, value: dict[str, Any]) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic_file.write(path, json.dumps(value).encode())
    except OSError:
        return


_Handler = Callable[[Caller, Path, str, dict[str, Any]], dict[str, Any]]
_HANDLERS: Final[dict[str, _Handler]] = {
    "UserPromptSubmit": _recall,
    "Stop": _capture,
    "BeforeAgent": _recall,
    "AfterAgent": _capture_pair,
    "beforeSubmitPrompt": _capture_pair,
    "afterAgentResponse": _capture_pair,
}
_NEUTRAL: Final[dict[str, dict[str, Any]]] = {"beforeSubmitPrompt": {"continue": True}}
