"""Start an agent in its sandbox, with everything that a command line alone cannot express."""

import errno
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from ashd.launcher import bubblewrap, cgroup, confinement, file_bound, seccomp
from ashd.launcher.confinement import DEFAULT_LIMITS, Limits
from ashd.launcher.relay import Relay, Target

_HELP_TIMEOUT_S: Final = 10
_END_SECONDS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """The parameters of a sandbox; `client` is `ash-sb` as one file's bytes."""

    directory: Path
    client: bytes
    workspace: Path | None = None
    read_only: Mapping[Path, Path] = field(default_factory=dict)
    """Paths to show read-only, by their place in the sandbox; none is a link."""
    network: bool = False
    connect: tuple[Target, ...] = ()
    """Targets that it may reach without a network."""
    limits: Limits = DEFAULT_LIMITS


@dataclass(frozen=True, slots=True)
class Running:
    """A started sandbox: bubblewrap, and the first process inside, None if it ended too early."""

    bubblewrap: subprocess.Popen[bytes]
    first: int | None

    def send(self, number: int) -> None:
        """Send a signal to the command and to the processes of its group, as a terminal does.

        Bubblewrap passes none on. As process 1 of the sandbox it leads that group, and the kernel
        lets it ignore what it does not handle. A sandbox whose command has not begun is ended.
        """
        if self.bubblewrap.returncode is not None:
            return
        if self.first is None or not _has_children(self.first):
            self.bubblewrap.send_signal(number)
            return
        with suppress(ProcessLookupError):
            os.killpg(self.first, number)


def unsupported() -> str | None:
    """Return why no sandbox can be opened on this machine, with the remedy; None if one can."""
    if seccomp.of_machine() is None:
        return "this processor has no system call filter here: x86_64 or aarch64 is needed"
    return bubblewrap.probe()


@contextmanager
def started(sandbox: Sandbox, argv: Sequence[str], **popen: Any) -> Iterator[Running]:
    """Run ``argv`` in a sandbox; its control group is removed when the context ends.

    The calling process leaves its session keyring. ``popen`` goes to `subprocess.Popen`. Signals of
    the terminal reach the caller alone, who passes them on (`Running.send`).

    Raises:
        OSError: it cannot be started so.
    """
    architecture = seccomp.of_machine()
    assert architecture is not None
    confinement.join_new_session_keyring()
    with cgroup.limiting(sandbox.limits) as group, ExitStack() as running:
        relay = Relay(sandbox.connect) if sandbox.connect else None
        with ExitStack() as opened:
            if relay is not None:
                running.callback(relay.close)
            gate = file_bound.Gate()
            running.callback(gate.close)
            inside = confinement.limited(argv, sandbox.limits)
            client = _in_memory(opened, "ash-sb", sandbox.client)
            calls = _in_memory(opened, "seccomp", seccomp.program(architecture))
            workspace = sandbox.workspace and _pinned(opened, sandbox.workspace)
            shown = {path: _pinned(opened, source) for path, source in sandbox.read_only.items()}
            command = bubblewrap.command(
                directory=sandbox.directory,
                client=client,
                argv=relay.announcing(inside) if relay else inside,
                workspace=workspace,
                read_only=shown,
                network=sandbox.network,
                proxy=relay.proxy_port if relay else None,
                limits=sandbox.limits,
                seccomp=calls,
                gate=gate.options,
            )
            passed = [client, calls, gate.info, gate.block, *([relay.fileno()] if relay else [])]
            passed += [one for one in (workspace, *shown.values()) if isinstance(one, int)]
            child = subprocess.Popen(
                command,
                pass_fds=passed,
                process_group=0,
                preexec_fn=partial(_prepare, group, sandbox.directory),  # noqa: PLW1509 - there are no threads here
                **popen,
            )
        try:
            first = gate.pass_through(sandbox.limits, lambda: _ends(child))
            if relay is not None:
                relay.serve()
            yield Running(child, first)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()


def _ends(child: "subprocess.Popen[bytes]") -> bool:
    """Return whether a child ends at once, as after a mistake."""
    try:
        child.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _has_children(pid: int) -> bool:
    """Return whether a process has started another; true where the kernel does not tell."""
    try:
        return bool(Path(f"/proc/{pid}/task/{pid}/children").read_bytes())
    except FileNotFoundError:
        return True


def _prepare(group: cgroup.Group, directory: Path) -> None:
    """Enter the control group; as root, also the group that may enter a grant's directory.

    In a user namespace of its own, bubblewrap no longer has root's right to enter any directory.
    """
    group.enter()
    if os.geteuid() == 0:
        os.setgroups([*os.getgroups(), directory.parent.stat().st_gid])


def _in_memory(opened: ExitStack, name: str, content: bytes) -> int:
    """Return a descriptor to read `content` from, without a file that could be left behind."""
    number = os.memfd_create(name)
    opened.callback(os.close, number)
    os.write(number, content)
    os.lseek(number, 0, os.SEEK_SET)
    return number


def _pinned(opened: ExitStack, path: Path) -> Path | int:
    """Yield a checked path, as a descriptor if bubblewrap takes one.

    By its name another process could put something else there between the check and the mount.

    Raises:
        OSError: something else is there already.
    """
    if not takes_descriptors():
        return path
    number = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    opened.callback(os.close, number)
    if Path(f"/proc/self/fd/{number}").readlink() != path:
        raise OSError(errno.ESTALE, f"{path} has become another place")
    return number


@cache
def takes_descriptors() -> bool:
    """Return whether bubblewrap can mount a descriptor."""
    done = subprocess.run(
        ["bwrap", "--help"],
        capture_output=True,
        text=True,
        check=False,
        timeout=_HELP_TIMEOUT_S,
    )
    return "--bind-fd" in done.stdout + done.stderr
