"""`ash chat`: a conversation with the language model of `[llm]`, which remembers.

The completion runs in this process, with the daemon's section of config.toml and its key; the
daemon gives context and tools and stores the turn. The key is in no argument and no message to the
daemon.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Command, completed, option, pass_caller
from ashd.pages import page

if TYPE_CHECKING:
    from ashd.cli.chat_loop import Chat, Turn
    from ashd.config import Llm

_PROMPT: Final = "> "
_EXIT_INTERRUPTED: Final = 130


@click.command("chat", cls=Command)
@click.argument("message", nargs=-1)
@option(
    "--conversation",
    "conversation_id",
    metavar="ID",
    shell_complete=completed("conversation"),
    help="Continue this one.",
)
@option("--new", is_flag=True, help="Do not continue the conversation of the last hour.")
@click.pass_context
@pass_caller
def chat(
    caller: Caller,
    context: click.Context,
    /,
    message: tuple[str, ...],
    conversation_id: str | None,
    *,
    new: bool,
) -> None:
    """Talk to the language model of [llm], which knows what is remembered of you.

    With MESSAGE it answers once (- reads standard input). Without MESSAGE it is a conversation, one
    message per line: Ctrl-C stops an answer and keeps what was said, Ctrl-D ends.
    """
    from ashd.cli.inputs import read_text
    from ashd.providers.llm_endpoint import preload

    if caller.all_scopes:
        raise click.UsageError("--all-scopes would send everybody's memories to the model.")
    # The client takes most of a second to import; meanwhile the context is fetched.
    settings = _settings(caller)
    threading.Thread(target=preload, daemon=True).start()
    screen = _Screen(silent=caller.as_json)
    talk = _open(caller, settings, screen, conversation_id=conversation_id, new=new)
    if message:
        text = read_text("-") if message == ("-",) else " ".join(message)
        if not text.strip():
            raise click.UsageError("The message is empty; without one, a conversation begins.")
        turn = _say(talk, text, screen)
        _close(caller, talk, turn, screen)
        if turn.interrupted:
            context.exit(_EXIT_INTERRUPTED)
        return
    _converse(caller, talk, screen)


class _Screen:
    """Shows an answer as it grows; never an escape sequence written by a model."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self._answer = ""
        self._line_start = 0
        """The position in the answer at which the current line begins."""
        self._shown = ""
        """The part of the current line that is on the screen."""

    def show(self, answer: str) -> None:
        """Write the part of the answer that is new."""
        from ashd.cli.output import block

        if self._silent:
            return
        self._answer = answer
        *ended, last = answer[self._line_start :].split("\n")
        for line in ended:
            self._write(block(line))
            click.echo()
            self._line_start += len(line) + 1
            self._shown = ""
        self._write(block(last))
        sys.stdout.flush()

    def _write(self, line: str) -> None:
        # Later text can show that an earlier character must be left out.
        if line.startswith(self._shown):
            click.echo(line[len(self._shown) :], nl=False)
        self._shown = line

    def end(self) -> None:
        """End an answer, and its last line."""
        self._end_line()
        self._line_start = 0

    def _end_line(self) -> None:
        """End the current line; the answer may go on after it."""
        if self._shown:
            click.echo()
        self._line_start = len(self._answer)
        self._shown = ""

    def note(self, text: str) -> None:
        """Print a remark that is not part of the answer, on standard error."""
        from ashd.cli.output import note, paint, shown

        if not self._silent:
            self._end_line()
            note(paint(shown(text), "bright_black", err=True))


def _converse(caller: Caller, talk: "Chat", screen: _Screen) -> None:
    """Answer one message per line until the input ends."""
    from ashd.cli.output import error
    from ashd_client.protocol import AshCallError

    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  gives input() editing and a history
        screen.note("Ctrl-C stops an answer, Ctrl-D ends.")
    for text in _lines():
        try:
            turn = _say(talk, text, screen)
        except AshCallError as problem:
            screen.end()
            error(problem)
        else:
            _close(caller, talk, turn, screen)


def _lines() -> Iterator[str]:
    while True:
        try:
            text = input(_PROMPT if sys.stdin.isatty() else "")
        except EOFError:
            return
        except KeyboardInterrupt:
            click.echo(err=True)
            continue
        if text.strip():
            yield text


def _say(talk: "Chat", text: str, screen: _Screen) -> "Turn":
    from ashd import errors
    from ashd_client.protocol import AshCallError

    try:
        return talk.say(text)
    except errors.AshError as error:
        screen.end()
        raise AshCallError(
            error.message,
            kind=error.kind,
            code=error.code,
            hint=error.hint,
            retryable=error.retryable,
            data=error.data,
        ) from error


def _close(caller: Caller, talk: "Chat", turn: "Turn", screen: _Screen) -> None:
    result: dict[str, Any] = {
        "answer": turn.answer,
        "conversation_id": talk.conversation_id,
        "tool_calls": turn.tool_calls,
        "memories": turn.memories,
        "degraded": turn.degraded,
        "interrupted": turn.interrupted,
        "ingested": turn.ingested,
    }
    caller.answer(result, lambda _: screen.end())


def _settings(caller: Caller) -> "Llm":
    """The section [llm] of the configuration that the daemon of this home uses."""
    from ashd import errors
    from ashd.cli import settings_file
    from ashd_client.protocol import AshCallError

    named = os.environ.get("ASH_CONFIG")
    try:
        settings, places = settings_file.load(caller.home, Path(named) if named else None, None)
    except errors.StartError as error:
        raise AshCallError(
            str(error), kind="invalid_params", code=errors.InvalidParams.code
        ) from error
    if settings.llm.model is None:
        raise AshCallError(
            f"{places.config} names no language model.",
            kind=errors.LlmUnavailable.kind,
            code=errors.LlmUnavailable.code,
            hint="Put [llm] with model, base_url and api_key_file into it, or name the daemon's"
            " home with --home."
            f" {page('language-model.md')} shows how, and how to try it without a key.",
        )
    return settings.llm


def _open(
    caller: Caller, settings: "Llm", screen: _Screen, *, conversation_id: str | None, new: bool
) -> "Chat":
    from ashd.cli.chat_loop import Chat, Usage
    from ashd.providers.llm import LanguageModel

    used = caller.call("system.status")["language_model"]["tokens_today"] or 0
    usage = Usage(used)
    return Chat(
        caller,
        LanguageModel(settings, usage),
        usage,
        conversation_id=conversation_id,
        new=new,
        show=screen.show,
        note=screen.note,
    )
