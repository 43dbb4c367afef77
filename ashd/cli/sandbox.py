"""`ash sandbox run`: a command in bubblewrap with a grant of its own.

The grant ends with the command, however that ends; only a killed `ash` can leave one behind, and
`ash grant list` shows it.
"""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Final, Self

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, pass_caller
from ashd.cli.grant import expires_option, rights_option

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_BY_SIGNAL: Final = 128


@click.group("sandbox", cls=Group)
def sandbox() -> None:
    """Run an agent where it sees its memories and nothing else."""


@sandbox.command("run", context_settings={"allow_interspersed_args": False})
@rights_option
@expires_option
@click.option(
    "--workspace",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    help="A directory that COMMAND may change, at /workspace.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@pass_caller
def run(caller: Caller, /, command: tuple[str, ...], workspace: Path | None, **params: Any) -> int:
    """Run COMMAND in bubblewrap with a socket to the memories of --as and --chat, or your own.

    The socket is closed when the command has ended. The exit status is that of the command.
    """
    from ashd.cli.client_file import write_client
    from ashd.ops import bubblewrap

    _check_bubblewrap()
    with tempfile.TemporaryDirectory(prefix="ash-") as folder, _Signals() as signals:
        client = write_client(Path(folder, "ash-sb.pyz"))
        with _granted(caller, **params) as directory:
            return signals.run(
                bubblewrap.command(
                    directory=directory, client=client, argv=command, workspace=workspace
                )
            )


@sandbox.command("client")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@pass_caller
def client(caller: Caller, /, file: Path) -> None:
    """Write `ash-sb`, the client for sandboxes, as one FILE to mount or copy into them."""
    from ashd.cli.client_file import write_client
    from ashd.cli.output import shown

    path = str(write_client(file).resolve())
    caller.answer({"file": path}, lambda _: click.echo(f"Written: {shown(path)}"))


def _check_bubblewrap() -> None:
    from ashd.client.protocol import unavailable
    from ashd.ops import bubblewrap

    reason = bubblewrap.probe()
    if reason is not None:
        raise unavailable(
            f"No sandbox can be opened here: {reason}.",
            "`ash grant create` opens a grant for another kind of sandbox.",
        )


@contextmanager
def _granted(caller: Caller, /, **params: Any) -> Iterator[Path]:
    """The directory of a grant that is revoked in the end."""
    from ashd.cli.output import note, shown
    from ashd.client.protocol import AshCallError

    grant = caller.call("grant.create", **params)
    try:
        yield Path(grant["directory"])
    finally:
        try:
            caller.call("grant.revoke", grant_id=grant["grant_id"])
        except AshCallError as error:
            grant_id = shown(grant["grant_id"])
            note(f"The grant {grant_id} may still be open: {shown(error.message)}")
            note(f"`ash grant revoke {grant_id}` closes it.")


class _Signals:
    """Signals end the command, not `ash`, which has a grant to revoke first."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._caught: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._pass_on) for number in _SIGNALS}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def run(self, argv: Sequence[str]) -> int:
        """Run a command to its end; its exit status, 128 and more where a signal ended it."""
        if self._caught is not None:
            return _BY_SIGNAL + self._caught
        sys.stdout.flush()
        self._child = subprocess.Popen(argv)
        status = self._child.wait()
        return status if status >= 0 else _BY_SIGNAL - status

    def _pass_on(self, number: int, _frame: FrameType | None) -> None:
        self._caught = number
        # Ctrl-C reaches the whole foreground of a terminal, the command among it.
        from_terminal = number == signal.SIGINT and sys.stdin.isatty()
        if self._child is not None and not from_terminal:
            self._child.send_signal(number)
