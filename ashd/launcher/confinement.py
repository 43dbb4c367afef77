"""Confine a sandbox beyond its namespaces: limits, and a session keyring of its own.

A control group, if one can be made, limits memory and processes for all processes together, and for
the contents of the sandbox's file systems. The resource limits of every machine apply as well:
memory for each process, and the number of processes in the sandbox's user namespace, which the
kernel does not enforce for root.
"""

import ctypes
import errno
import os
import resource
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ashd.launcher import seccomp

MIB: Final = 1024 * 1024
_KEYCTL_JOIN_SESSION_KEYRING: Final = 1
_NOT_CONFINED: Final = 125

# dash counts processes by -p, which is the size of a pipe elsewhere
_SET_LIMITS: Final = (
    'ulimit -c 0 && ulimit -d "$1" && { ulimit -u "$2" 2>/dev/null || ulimit -p "$2"; }'
    f' || exit {_NOT_CONFINED}; shift 2; exec "$@"'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one sandbox; the contents of its file systems take the host's memory."""

    processes: int = 512
    """Processes and threads at the same time."""
    memory_bytes: int = 4096 * MIB
    tmp_bytes: int = 1024 * MIB
    shm_bytes: int = 64 * MIB


DEFAULT_LIMITS: Final = Limits()


def limited(argv: Sequence[str], limits: Limits) -> list[str]:
    """Return the command that sets the resource limits inside the sandbox and becomes ``argv``.

    Inside, because the number of processes is the user namespace's: outside it would count all
    processes of the launcher's user.
    """
    memory = _at_most(resource.RLIMIT_DATA, limits.memory_bytes) // 1024
    processes = _at_most(resource.RLIMIT_NPROC, limits.processes)
    return ["/bin/sh", "-c", _SET_LIMITS, "sh", str(memory), str(processes), *argv]


def join_new_session_keyring() -> None:
    """Leave the session keyring of the login for a new, empty one, with all later children.

    Raises:
        OSError: the kernel has session keyrings and made none.
    """
    architecture = seccomp.of_machine()
    number = architecture.number("keyctl") if architecture else None
    assert number is not None
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, _KEYCTL_JOIN_SESSION_KEYRING, None) != -1:
        return
    error = ctypes.get_errno()
    # Without the system call (a kernel option, or a container's filter) there is nothing to share;
    # the sandbox's own filter is loaded as well.
    if error not in {errno.ENOSYS, errno.EPERM}:
        raise OSError(error, f"no session keyring can be made: {os.strerror(error)}")


def _at_most(which: int, wanted: int) -> int:
    """Return `wanted`, or the launcher's own hard limit if that is lower: nobody may raise it."""
    _, hard = resource.getrlimit(which)
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
