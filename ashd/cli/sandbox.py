"""`ash sandbox run`: a command in bubblewrap with a grant of its own.

The grant ends with the command, and also if `ash` is killed: the daemon watches its process.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import FILE, Group, option, pass_caller
from ashd.cli.grant import expires_option, rights_option
from ashd.cli.inputs import host_and_port, size

if TYPE_CHECKING:
    from ashd.launcher.launch import Running, Sandbox

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_BY_SIGNAL: Final = 128


@click.group("sandbox", cls=Group)
def sandbox() -> None:
    """Run an agent in a sandbox that can use its memories and nothing else of the daemon."""


@sandbox.command("run", context_settings={"allow_interspersed_args": False})
@rights_option
@expires_option
@option(
    "--workspace",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    help="A directory that COMMAND may change, at /workspace.",
)
@option(
    "--ro",
    "read_only",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="A file or directory to show read-only at its own path, as an agent's code; repeat.",
)
@option(
    "--connect",
    type=host_and_port,
    multiple=True,
    metavar="HOST:PORT",
    help="Let it reach this address, as its model's, and nothing else of the network; repeat.",
)
@option("--network", is_flag=True, help="Share the host's network; else there is none.")
@option("--processes", type=click.IntRange(8, 100_000), help="At most so many [512].")
@option("--memory", type=size, metavar="SIZE", help="Memory that may be used [4G].")
@option("--tmp", type=size, metavar="SIZE", help="Size of /tmp [1G].")
@option("--shm", type=size, metavar="SIZE", help="Size of /dev/shm [64M].")
@click.argument(
    "command", nargs=-1, required=True, type=click.UNPROCESSED, shell_complete=FILE.shell_complete
)
@pass_caller
def run(
    caller: Caller,
    /,
    *,
    command: tuple[str, ...],
    workspace: Path | None,
    read_only: tuple[Path, ...],
    connect: tuple[tuple[str, int], ...],
    network: bool,
    processes: int | None,
    memory: int | None,
    tmp: int | None,
    shm: int | None,
    **params: Any,
) -> int:
    """Run COMMAND in bubblewrap with a socket to the memories of --as and --chat, or your own.

    The socket is closed when the command has ended. The exit status is the command's.
    """
    from ashd.launcher.confinement import Limits
    from ashd.launcher.launch import Sandbox
    from ashd.launcher.relay import Target

    if network and connect:
        raise click.UsageError("--connect is for a sandbox without --network.")
    # Shown under the name that was given; the sandbox gets what the name leads to now.
    shown = {Path(os.path.abspath(path)): path.resolve() for path in read_only}  # noqa: PTH100 - links stay
    _check_paths(caller, workspace, shown)
    _check_machine()
    bounds = {"processes": processes, "memory_bytes": memory, "tmp_bytes": tmp, "shm_bytes": shm}
    limits = Limits(**{name: value for name, value in bounds.items() if value is not None})
    client = _client_bytes()
    with _Signals() as signals, _granted(caller, **params) as directory:
        return signals.run(
            Sandbox(
                directory=directory,
                client=client,
                workspace=workspace,
                read_only=shown,
                network=network,
                connect=tuple(Target(*one) for one in connect),
                limits=limits,
            ),
            command,
        )


@sandbox.command("client")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@pass_caller
def client(caller: Caller, /, file: Path) -> None:
    """Write `ash-sb`, the client for sandboxes, as one FILE to mount or copy into them."""
    from ashd.cli.output import shown

    file.write_bytes(_client_bytes())
    file.chmod(0o755)
    path = str(file.resolve())
    caller.answer({"file": path}, lambda _: click.echo(f"Written: {shown(path)}"))


def _client_bytes() -> bytes:
    """Return `ash-sb` as one file's content. Raises `AshCallError`.

    Its package is found and run, never imported: it belongs to the sandbox.
    """
    import importlib.util
    import tempfile

    from ashd_client.protocol import AshCallError

    spec = importlib.util.find_spec("ash_sb")
    folders = list(spec.submodule_search_locations or []) if spec else []
    if not folders:
        raise AshCallError(
            "The package ash_sb is not installed beside ashd.",
            kind="not_found",
            code=200,
            hint="Install ashd again: both packages come in one distribution.",
        )
    program = (
        "import sys; sys.path.append(sys.argv[1]);from ash_sb.pyz import main; main(sys.argv[2:])"
    )
    with tempfile.TemporaryDirectory(prefix="ash-") as folder:
        file = Path(folder, "ash-sb.pyz")
        command = [
            sys.executable,
            "-I",
            "-S",
            "-c",
            program,
            str(Path(folders[0]).parent),
            str(file),
        ]
        done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            # The last line of Python's traceback is the reason.
            said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise AshCallError(
                f"ash-sb cannot be packed into one file: {said or f'exit {done.returncode}'}.",
                kind="storage_error",
                code=500,
                hint=f"Free space in {tempfile.gettempdir()}, or name another folder in TMPDIR;"
                " else install ashd again.",
            )
        return file.read_bytes()


def _check_paths(caller: Caller, workspace: Path | None, read_only: Mapping[Path, Path]) -> None:
    """Refuse paths that would give the sandbox anything of the daemon's. Raises `AshCallError`."""
    if workspace is None and not read_only:
        return
    from ashd import protected_paths
    from ashd.launcher import bubblewrap, exposure
    from ashd_client.protocol import AshCallError

    protected = [
        exposure.Protected(Path(one["path"]), one["name"], secret=one["secret"])
        for one in caller.call("system.paths")["paths"]
    ]
    protected += [
        exposure.Protected(path, "this program's installation", secret=False)
        for path in protected_paths.installation()
    ]
    given = [
        ("--ro", path, exposure.refusal(source, protected, writable=False))
        for path, source in read_only.items()
    ]
    given += [
        ("--ro", path, "would cover a part of the sandbox, or be covered by one")
        for path, source in read_only.items()
        if bubblewrap.hides(path) or bubblewrap.hides(source)
    ]
    if workspace is not None:
        given.append(
            ("--workspace", workspace, exposure.refusal(workspace, protected, writable=True))
        )
    for name, path, reason in given:
        if reason is not None:
            raise AshCallError(
                f"{name} {path} {reason}.",
                kind="invalid_params",
                code=-32602,
                hint="Give the agent a directory that holds nothing else.",
            )


def _check_machine() -> None:
    from ashd.launcher import launch
    from ashd_client.protocol import unavailable

    reason = launch.unsupported()
    if reason is not None:
        raise unavailable(
            f"No sandbox can be opened here: {reason}.",
            "`ash grant create` opens a grant for another kind of sandbox.",
        )


@contextmanager
def _granted(caller: Caller, /, **params: Any) -> Iterator[Path]:
    """Yield the directory of a new grant, and revoke the grant in the end."""
    from ashd.cli.output import note, shown
    from ashd_client.protocol import AshCallError

    grant = caller.call("grant.create", ends_with_caller=True, **params)
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
    """Pass signals on to the command; `ash` goes on, since it has a grant to revoke."""

    def __init__(self) -> None:
        self._running: Running | None = None
        self._caught: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        handlers = {
            **dict.fromkeys(_ENDING, self._end),
            signal.SIGWINCH: self._pass_on,
            signal.SIGTSTP: self._stop,
        }
        self._before = {number: signal.signal(number, one) for number, one in handlers.items()}
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def run(self, sandbox: "Sandbox", argv: Sequence[str]) -> int:
        """Run a command; return its exit status, or 128 plus the signal that ended it."""
        from ashd.launcher import launch
        from ashd_client.protocol import unavailable

        if self._caught is not None:
            return _BY_SIGNAL + self._caught
        sys.stdout.flush()
        try:
            with launch.started(sandbox, argv) as self._running:
                self._catch_up(self._running)
                status = self._running.bubblewrap.wait()
        except OSError as error:
            raise unavailable(
                f"The sandbox cannot be started ({error.strerror or error}).",
                "Look what this machine lacks, or try again in a moment.",
            ) from error
        return status if status >= 0 else _BY_SIGNAL - status

    def _catch_up(self, running: "Running") -> None:
        """Pass on a signal that came while the command was being started."""
        if self._caught is not None:
            running.send(self._caught)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        self._caught = number
        self._pass_on(number, _frame)

    def _pass_on(self, number: int, _frame: FrameType | None) -> None:
        if self._running is not None:
            self._running.send(number)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        """Stop with the command, as by Ctrl-Z, and go on with it."""
        # The command has no terminal of its own, so the kernel would discard its SIGTSTP.
        self._pass_on(signal.SIGSTOP, _frame)
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)
        signal.signal(number, self._stop)
        self._pass_on(signal.SIGCONT, _frame)
