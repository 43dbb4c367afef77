"""`ash hook EVENT`: recall before a turn of an agent host, and capture after it.

The host waits for this program, so before a turn it answers within half a second or not at all, and
never with an error: failures are written down and shown by `ash status`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import click

from ashd.cli import hook_files, hook_sessions
from ashd.cli.caller import Caller
from ashd.cli.commands import ProgramCommand, pass_caller

RECALL_SECONDS: Final = 0.25
_BEGIN_SECONDS: Final = 1.0
_MOST_CHARS: Final = 9_500
"""Hosts cut off answers of more than 10,000 characters."""
_MOST_TOKENS: Final = 2_000
_LASTING: Final[tuple[Any, ...]] = ("overrides", "profile", "summaries")
"""The sections that a session begins with."""
_ASKED: Final[tuple[Any, ...]] = (
    "people",
    "memories",
    "relationships",
    "excerpts",
    "relevant_summaries",
)
"""The sections that a prompt asks for. No host needs ours for the date."""
LAST_TIME: Final = "What did we decide in the last sessions?"
"""The question that a beginning asks, for which the latest summaries are given."""


class _Event(NamedTuple):
    """An event: what the host gave, and the host's name, if its hook says it."""

    caller: Caller
    folder: str
    name: str
    given: dict[str, Any]
    host: str | None

    @property
    def session(self) -> str | None:
        """Return the id of its session."""
        return hook_sessions.id_of(self.given)

    def note(self, left_out: Mapping[str, int], by_tags: bool | None) -> None:
        """Note that it came, and what of it was not stored."""
        if self.host is not None and self.host.replace("-", "").isalnum():
            hook_sessions.came(self.folder, self.host, _now(), left_out, by_tags=by_tags)


@click.command("hook", cls=ProgramCommand)
@click.argument("event")
@click.argument("host", required=False)
@pass_caller
def hook(caller: Caller, /, event: str, host: str | None) -> None:
    """Answer an event of an agent host, given as JSON on standard input; for `ash connect`.

    EVENT is SessionStart to begin; UserPromptSubmit or BeforeAgent to recall; Stop, SessionEnd,
    AfterAgent, beforeSubmitPrompt or afterAgentResponse to keep what was said; or another event
    that `ash connect` writes down. HOST is the host, for `ash status`, which also shows a failure:
    the command always succeeds.
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
            answer = handler(_Event(caller, folder, event, given, host)) or answer
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
    return hook_files.read(os.path.join(home, hook_files.FOLDER, hook_files.FAILURE))


def hosts(home: str) -> dict[str, Any]:
    """Return the hosts that have hooks: when the last event came, and what was not stored."""
    return hook_sessions.hosts(os.path.join(home, hook_files.FOLDER))


def _folder(given: Any) -> str:
    """Return the folder that a host works in: its project's, else where the event happened."""
    for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"):
        if folder := os.environ.get(name):
            return folder
    named = [given.get("cwd")] if isinstance(given, dict) else []
    roots = given.get("workspace_roots") if isinstance(given, dict) else None
    named = [*(roots if isinstance(roots, list) else []), *named]
    return next((one for one in named if isinstance(one, str) and one), os.getcwd())


def _begin(event: _Event) -> dict[str, Any]:
    """Return what is pinned, the profile and the latest summaries, in the host's form."""
    is_told = False
    try:
        answer = _known(event, LAST_TIME, _LASTING, _BEGIN_SECONDS)
        is_told = True
    finally:
        if event.session is not None:
            hook_sessions.note(event.folder, event.session, is_told=is_told)
        event.note({}, None)
    return answer


def _meet(event: _Event) -> dict[str, Any]:
    """Note the first turn of a session; in a fork's transcript copies of others come before it."""
    turn = event.given.get("prompt_id") or event.given.get("turn_id")
    if event.session is not None and isinstance(turn, str):
        hook_sessions.note_turn(event.folder, event.session, turn)
    return {}


def _recall(event: _Event) -> dict[str, Any]:
    """Return what is known for a prompt, and in a session without a beginning all that is known."""
    prompt = event.given.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        return {}
    session = event.session
    is_told = session is not None and hook_sessions.begun(event.folder, session).is_told
    return _known(event, prompt, _ASKED if is_told else (*_LASTING, *_ASKED), RECALL_SECONDS)


def _known(event: _Event, message: str, sections: Sequence[Any], seconds: float) -> dict[str, Any]:
    """Return a block for a message in the form that hosts take; nothing where nothing is known."""
    with event.caller.client(timeout_s=seconds) as client:
        found = client.context.get(message, max_tokens=_MOST_TOKENS, sections=[*sections])
    text = found["text"]
    if not text or len(text) > _MOST_CHARS:
        return {}
    name = _NAMES.get(event.name, event.name)
    answer = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}
    return {"additionalContext": text, **answer} if event.name in _NAMES else answer


def _told(event: _Event) -> dict[str, Any]:
    """Note that a session has what is always known, where no event of its own says it begins."""
    if event.session is not None:
        hook_sessions.note(event.folder, event.session, is_told=True)
    return {}


def _compacted(event: _Event) -> dict[str, Any]:
    """Let the next prompt have all that is known: what the session began with is compacted."""
    if event.session is not None:
        hook_sessions.note(event.folder, event.session, is_told=False)
    return {}


def _prompt(event: _Event) -> dict[str, Any]:
    """Store the prompt of a turn that begins, if the host names the turn."""
    if "prompt_id" in event.given or "turn_id" in event.given:
        from ashd.cli import capture

        capture.prompt(event.caller, event.folder, event.given)
    return {}


def _after(event: _Event) -> dict[str, Any]:
    """Store a turn that ended, or what is left of a session that ended."""
    from ashd.cli import capture

    is_end = event.name == "SessionEnd"
    kept = capture.turn(event.caller, event.folder, event.given, is_end=is_end)
    event.note(*kept)
    if is_end and event.session is not None:
        hook_sessions.note(event.folder, event.session, is_told=False)
    return {}


def _pair(event: _Event) -> dict[str, Any]:
    """Store the prompt and the answer that the event itself holds."""
    from ashd.cli import capture

    capture.pair(event.caller, event.name, event.given)
    event.note({}, None)
    return {}


def _now() -> str:
    from ashd.clock import SystemClock, to_text

    return to_text(SystemClock().now()) or ""


def _forget_failure(folder: str, event: str) -> None:
    """Show a failure no longer once the same event has gone well."""
    path = os.path.join(folder, hook_files.FAILURE)
    failure = hook_files.read(path)
    if failure is not None and failure.get("event") == event:
        with suppress(OSError):
            os.unlink(path)


def _note_failure(folder: str, event: str, kind: str) -> None:
    noted = {"event": event[:100], "kind": kind, "at": _now()}
    hook_files.write(os.path.join(folder, hook_files.FAILURE), noted)


_Handler = Callable[[_Event], dict[str, Any]]
_HANDLERS: Final[dict[str, tuple[_Handler, ...]]] = {
    # Claude Code, Codex; Gemini CLI has the first, too.
    "SessionStart": (_begin,),
    "UserPromptSubmit": (_meet, _recall, _prompt),
    "Stop": (_after,),
    "SessionEnd": (_after,),
    # Gemini CLI.
    "BeforeAgent": (_recall,),
    "AfterAgent": (_pair,),
    "PreCompress": (_compacted,),
    # Cursor.
    "beforeSubmitPrompt": (_pair,),
    "afterAgentResponse": (_pair,),
    # Copilot CLI, and VS Code, which reads the same file.
    "sessionStart": (_begin,),
    "userPromptSubmitted": (_pair,),
    # Our plugin for OpenCode.
    "chat.message": (_recall, _told),
    "session.idle": (_pair,),
    "session.compacted": (_compacted,),
}
_NAMES: Final = {"sessionStart": "SessionStart"}
"""Events of which Copilot CLI reads the answer as it is, and VS Code under a name of its own."""
_NEUTRAL: Final[dict[str, dict[str, Any]]] = {"beforeSubmitPrompt": {"continue": True}}
