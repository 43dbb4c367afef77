"""The control socket and the run directory, as systemd made them before the daemon started."""

import os
import socket
from pathlib import Path
from typing import Final

from ashd import errors

NAME: Final = "control"
"""`FileDescriptorName=` of the socket unit."""
_FIRST_FD: Final = 3
_VARIABLES: Final = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


def control_socket() -> socket.socket | None:
    """Return the socket that the manager passed, or None.

    The variables are removed from the environment: they mean nothing to a child.

    Raises:
        errors.StartError: what was passed is not one control socket.
    """
    pid, count, names = (os.environ.pop(name, "") for name in _VARIABLES)
    if pid != str(os.getpid()) or not count.isdecimal() or count == "0":
        return None
    if (count, names) != ("1", NAME):
        raise errors.StartError(
            f"The service manager passed {count} sockets, named {names or 'nothing'}. "
            f"Pass one stream socket: ListenStream= and FileDescriptorName={NAME} in ashd.socket."
        )
    passed = socket.socket(fileno=_FIRST_FD)
    passed.set_inheritable(False)
    if passed.family != socket.AF_UNIX or not _listens(passed):
        raise errors.StartError(
            "The socket that the service manager passed is not a listening Unix stream socket. "
            "Use ListenStream= with a path in ashd.socket."
        )
    return passed


def made_run_dir(run: Path) -> bool:
    """Return whether the manager made the run directory, and so decides who may enter it."""
    return os.environ.get("RUNTIME_DIRECTORY") == str(run)


def _listens(passed: socket.socket) -> bool:
    stream = passed.getsockopt(socket.SOL_SOCKET, socket.SO_TYPE) == socket.SOCK_STREAM
    return stream and passed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) == 1
