"""`ash hook EVENT`: recall before a turn of an agent host, and capture after it.

The host waits for this program, so before a turn it answers within half a second or not at all, and
never with an error: failures are written down and shown by `ash status`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import click

from ashd.cli import hook_files
from ashd.cli.caller import Caller
from ashd.cli.commands import ProgramCommand, pass_caller

RECALL_SECONDS: Final = 0.25
_MOST_CHARS: Final = 9_500
"""Hosts cut off answers of more than 10,000 characters."""
_MOST_TOKENS: Final = 2_000
FAILURE: Final = "last_failure.json"


@click.command("hook", cls=ProgramCommand)
@click.argument("event")
@pass_caller
def hook(caller: Caller, /, event: str) -> None:
    """Answer an event of an agent host, given as JSON on standard input; for `ash connect`.

    EVENT is UserPromptSubmit or BeforeAgent to recall; Stop, AfterAgent, beforeSubmitPrompt or
    afterAgentResponse to keep what was said. It always succeeds: `ash status` shows a failure.
    """
    folder = os.path.join(caller.home_folder, hook_files.FOLDER)
    answer: dict[str, Any] = _NEUTRAL.get(event, {})
    failure = None if event in _HANDLERS else "unknown_event"
    try:
        given = json.loads(sys.stdin.buffer.read() or b"{}")
        caller.work_in(_folder(given))
    except Exception as error:  # noqa: BLE001  as below
        given, failure = None, _kind(error)
    for handler in _HANDLERS.get(event, ()) if isinstance(given, dict) else ():
        try:
            answer = handler(caller, folder, event, given) or answer
        except Exception as error:  # noqa: BLE001  a fault must not stop the person's turn
            failure = _kind(error)
    if failure is None:
        _forget_failure(folder, event)
    else:
        _note_failure(folder, event, failure)
    click.echo(json.dumps(answer))


def _kind(error: Exception) -> str:
    return getattr(error, "kind", type(error).__name__)


def last_failure(home: str) -> dict[str, Any] | None:
    """Return the last failure: `event`, `kind` and time (`at`); None if there is none."""
    return hook_files.read(os.path.join(home, hook_files.FOLDER, FAILURE))


def _folder(given: Any) -> str:
    """Return the folder that a host works in: its project's, else where the event happened."""
    for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"):
        if folder := os.environ.get(name):
            return folder
    named = [given.get("cwd")] if isinstance(given, dict) else []
    roots = given.get("workspace_roots") if isinstance(given, dict) else None
    named = [*(roots if isinstance(roots, list) else []), *named]
    return next((one for one in named if isinstance(one, str) and one), os.getcwd())


def _recall(caller: Caller, _folder: str, event: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return what is known for a prompt, in the host's form."""
    prompt = given.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        return {}
    with caller.client(timeout_s=RECALL_SECONDS) as client:
        found = client.context.get(prompt, max_tokens=_MOST_TOKENS)
    text = found["text"]
    if not text or len(text) > _MOST_CHARS:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _prompt(caller: Caller, _folder: str, _event: str, given: dict[str, Any]) -> dict[str, Any]:
    """Store the prompt of a turn that begins, if the host names the turn."""
    if "prompt_id" in given or "turn_id" in given:
        from ashd.cli import capture

        capture.prompt(caller, given)
    return {}


def _after(caller: Caller, folder: str, _event: str, given: dict[str, Any]) -> dict[str, Any]:
    """Store a turn that ended."""
    from ashd.cli import capture

    capture.turn(caller, folder, given)
    return {}


def _pair(caller: Caller, _folder: str, event: str, given: dict[str, Any]) -> dict[str, Any]:
    """Store the prompt and the answer that the event itself holds."""
    from ashd.cli import capture

    capture.pair(caller, event, given)
    return {}


def _forget_failure(folder: str, event: str) -> None:
    """Show a failure no longer once the same event has gone well."""
    path = os.path.join(folder, FAILURE)
    failure = hook_files.read(path)
    if failure is not None and failure.get("event") == event:
        with suppress(OSError):
            os.unlink(path)


def _note_failure(folder: str, event: str, kind: str) -> None:
    from ashd.clock import SystemClock, to_text

    at = to_text(SystemClock().now())
    hook_files.write(os.path.join(folder, FAILURE), {"event": event[:100], "kind": kind, "at": at})


_Handler = Callable[[Caller, str, str, dict[str, Any]], dict[str, Any]]
_HANDLERS: Final[dict[str, tuple[_Handler, ...]]] = {
    "UserPromptSubmit": (_recall, _prompt),
    "Stop": (_after,),
    "BeforeAgent": (_recall,),
    "AfterAgent": (_pair,),
    "beforeSubmitPrompt": (_pair,),
    "afterAgentResponse": (_pair,),
}
_NEUTRAL: Final[dict[str, dict[str, Any]]] = {"beforeSubmitPrompt": {"continue": True}}
