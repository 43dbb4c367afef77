"""`ash`: the host's command line. Its top options, its groups, and how every error ends.

It talks to the running daemon only and never opens the database. Every failure ends as two lines on
standard error (what happened, what to do), or as one JSON document with --json, and with the exit
status of its kind; a stack trace is a bug.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Sequence
from typing import Any, Final

import ashd
from ashd.cli import deferred  # noqa: F401  before click

# isort: split
import click

from ashd.cli.commands import LazyGroup, Option, completed, folders, option, silence

EXIT_INTERRUPTED: Final = 130
_EXIT_NOT_WRITTEN: Final = 74  # EX_IOERR of sysexits.h
_LONGEST_WAIT_S: Final = 600.0
_NOT_WRITTEN: Final = {errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT, errno.EFBIG}

_SECTIONS: Final = {
    "Memory": {
        "memory": "ashd.cli.memory:memory",
        "recall": "ashd.cli.context:recall",
        "context": "ashd.cli.context:context",
        "conversation": "ashd.cli.conversation:conversation",
        "summary": "ashd.cli.summary:summary",
        "profile": "ashd.cli.profile:profile",
        "override": "ashd.cli.override:override",
        "graph": "ashd.cli.graph:graph",
        "project": "ashd.cli.project:project",
    },
    "People": {
        "person": "ashd.cli.person:person",
        "account": "ashd.cli.account:account",
        "participant": "ashd.cli.participant:participant",
    },
    "Agents": {
        "connect": "ashd.cli.connect:connect",
        "disconnect": "ashd.cli.connect:disconnect",
        "sandbox": "ashd.cli.sandbox:sandbox",
        "grant": "ashd.cli.grant:grant",
        "key": "ashd.cli.key:key",
        "chat": "ashd.cli.chat:chat",
        "web": "ashd.cli.web:web",
    },
    "Care": {
        "status": "ashd.cli.stats:stats",
        "doctor": "ashd.cli.doctor:doctor",
        "import": "ashd.cli.db:import_",
        "export": "ashd.cli.db:export",
        "backup": "ashd.cli.db:backup",
        "db": "ashd.cli.db:db",
        "model": "ashd.cli.model:model",
        "jobs": "ashd.cli.jobs:jobs",
        "audit": "ashd.cli.stats:audit",
    },
    "Advanced": {
        "mcp": "ashd.cli.mcp:mcp",
        "hook": "ashd.cli.hook:hook",
        "reload": "ashd.cli.doctor:reload",
        "stats": "ashd.cli.stats:stats",
        "help": "ashd.cli.about:help_",
        "version": "ashd.cli.about:version",
    },
}
"""The commands in the order of the help."""

_EPILOG: Final = """\b
Completion for your shell, in its start-up file:
  bash  eval "$(_ASH_COMPLETE=bash_source ash)"
  zsh   eval "$(_ASH_COMPLETE=zsh_source ash)"    (after compinit)
  fish  _ASH_COMPLETE=fish_source ash | source
"""


class _Program(LazyGroup):
    """The group of all commands, whose help says where to begin reading."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the epilog, and the path of a page on a line of its own."""
        from ashd.pages import page

        super().format_epilog(ctx, formatter)
        formatter.write(f"\n  The first week, a page to begin with:\n    {page('first-week.md')}\n")


@click.group(
    "ash",
    cls=_Program,
    sections=_SECTIONS,
    epilog=_EPILOG,
)
@click.version_option(
    ashd.__version__, message="%(version)s", help="Print the version and exit.", cls=Option
)
@option("--socket", type=click.Path(), help="Control socket of the daemon.")
@option("--home", type=click.Path(), help="Home of the daemon [~/.ash].")
@option(
    "--wait",
    "wait_s",
    type=click.FloatRange(min=0, max=_LONGEST_WAIT_S),
    default=0,
    metavar="SECONDS",
    help="Wait at most so long while the daemon and its embedder start.",
)
@option("--all-scopes", is_flag=True, help="Read everybody's memories; this is audited.")
@option(
    "--as",
    "account",
    metavar="[PROVIDER:]USER",
    shell_complete=completed("account"),
    help="On behalf of this account.",
)
@option("--chat", metavar="CHAT", help="In this chat, not the private one.")
@option(
    "--chat-type",
    type=click.Choice(["group", "private"]),
    default="group",
    show_default=True,
    help="What kind of chat --chat is.",
)
@option(
    "--project",
    metavar="DIR|ID|none|'*'",
    shell_complete=folders,
    help="In the project of this folder, in none, or in all.",
)
@click.pass_context
def cli(
    context: click.Context,
    socket: str | None,
    home: str | None,
    account: str | None,
    chat: str | None,
    chat_type: str,
    project: str | None,
    wait_s: float,
    *,
    all_scopes: bool,
) -> None:
    """Store what your agents remember, find it, and open it to a sandbox."""
    from ashd.cli.caller import Caller, scope_of

    caller = Caller(
        socket=socket,
        home=home,
        wait_s=wait_s,
        scope=scope_of(account, chat, chat_type),
        project=project,
        all_scopes=all_scopes,
        as_json=bool(context.meta.get("json")),
    )
    context.obj = caller
    context.call_on_close(caller.close)


def main() -> None:
    """The program `ash`."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller, as in `ash … >&-`
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123  open until the process ends
    # A character that the terminal's encoding lacks is written as an escape.
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # other streams: suppressed
    with contextlib.suppress(AttributeError, ValueError):  # an answer, or a message of a chat
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]  # other streams: suppressed
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        return silence()
    except OSError as error:
        if error.errno not in _NOT_WRITTEN:
            return _fail(_file_error(error), arguments)
        silence()
        click.echo(f"ash: The output could not be written: {error.strerror}.", err=True)
        return _EXIT_NOT_WRITTEN
    return status


def _run(arguments: Sequence[str]) -> int:
    from ashd_client.protocol import AshCallError

    if "_ASH_COMPLETE" in os.environ:
        from ashd.cli import completing  # noqa: F401  click finds its completion for bash
    try:
        status = cli.main(list(arguments), prog_name="ash", standalone_mode=False)
    except click.Abort:
        click.echo("Stopped.", err=True)
        return EXIT_INTERRUPTED
    except click.ClickException as error:
        return _fail(_usage_error(error), arguments)
    except AshCallError as error:
        return _fail(error, arguments)
    except UnicodeEncodeError:
        return _fail(_not_unicode(), arguments)
    return status if isinstance(status, int) else 0


def _usage_error(error: click.ClickException) -> Any:
    """Return a usage error as the daemon's error for invalid parameters."""
    from ashd_client.protocol import AshCallError

    context = getattr(error, "ctx", None)
    path = context.command_path if context else "ash"
    where = path.removeprefix("ash").lstrip()
    message = error.format_message()
    return AshCallError(
        f"{where}: {message}" if where else message,
        kind="invalid_params",
        hint=f"`{path} --help` shows how it is used.",
        code=-32602,
    )


def _not_unicode() -> Any:
    """Return the error of a text that cannot be written down: the shell passes any bytes on."""
    from ashd_client.protocol import AshCallError

    return AshCallError(
        "A text of the command line or the environment is not in UTF-8.",
        kind="invalid_params",
        hint="Give it in UTF-8.",
        code=-32602,
    )


def _file_error(error: OSError) -> Any:
    """Return the error of a file or folder that a command could not use."""
    from ashd_client.protocol import AshCallError

    named = f"{error.filename} cannot be used" if error.filename else "A file cannot be used"
    return AshCallError(
        f"{named}: {error.strerror or error}.",
        kind="invalid_params",
        hint="Look whether it is there and yours to use.",
        code=-32602,
    )


def _fail(error: Any, arguments: Sequence[str]) -> int:
    from ashd.cli import output

    if _asks_for_json(arguments):
        output.json_document({"error": error.to_json()}, err=True)
    else:
        output.error(error)
    status: int = error.exit_status
    return status


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """Return whether --json is in a command line, even one that could not be parsed."""
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in own


if __name__ == "__main__":
    main()
