"""Processes that grants end with.

A process is identified by its number and its start time, since numbers are reused. A descriptor of
the process is watched, so its end is noticed at once, however it ends.
"""

import hashlib
import os
import socket
from functools import cache
from pathlib import Path
from typing import Final

import anyio
import msgspec

from ashd import errors
from ashd.access.actor import Peer

_START_FIELD: Final = 19  # field of /proc/PID/stat, counted from the state, which follows the name
_ENDED: Final = ("Z", "X")  # a process that has ended and whose parent has not asked for its status
_LOOK_AGAIN_S: Final = 1.0
_MACHINE_ID: Final = Path("/etc/machine-id")


class HolderProcess(msgspec.Struct, frozen=True):
    """A process: its number, and its start time in the kernel's ticks."""

    pid: int
    began: int
    machine: str = ""
    """The machine it runs on, for a database that several machines use; "" if unknown."""

    @property
    def is_here(self) -> bool:
        """Return whether it runs on this machine, as far as is known."""
        return self.machine in {"", _this_machine()}


@cache
def _this_machine() -> str:
    """Return a digest of the machine's id and its name, which tells containers apart."""
    try:
        number = _MACHINE_ID.read_text("ascii").strip()
    except OSError:
        number = ""
    return hashlib.sha256(f"{number} {socket.gethostname()}".encode()).hexdigest()[:16]


def identify(pid: int) -> HolderProcess | None:
    """Return the process that has this number now; None if there is none to be seen."""
    try:
        text = Path("/proc", str(pid), "stat").read_text(errors="replace")
    except OSError:
        return None
    # The name is in parentheses, and may contain parentheses.
    fields = text.rpartition(")")[2].split()
    return (
        None
        if fields[0] in _ENDED
        else HolderProcess(pid, int(fields[_START_FIELD]), _this_machine())
    )


def has_ended(holder: HolderProcess) -> bool:
    """Return whether the process has ended."""
    found = identify(holder.pid)
    return found is None or found.began != holder.began


async def wait_for_end(holder: HolderProcess) -> None:
    """Wait until the process has ended."""
    try:
        descriptor = os.pidfd_open(holder.pid)
    except ProcessLookupError:
        return
    except OSError:
        # The system is out of descriptors, or has none for processes.
        while not has_ended(holder):  # noqa: ASYNC110  there is no event to wait for
            await anyio.sleep(_LOOK_AGAIN_S)
        return
    try:
        # Check once the descriptor is open: it may be of a later process with the same number.
        if not has_ended(holder):
            await anyio.wait_readable(descriptor)
    finally:
        os.close(descriptor)


def of_caller(peer: Peer) -> HolderProcess:
    """Return the calling process, for a grant that is to end with it.

    Raises:
        errors.InvalidParams: it cannot be seen from here.
    """
    holder = identify(peer.pid) if peer.pid else None
    if holder is None:
        raise errors.InvalidParams(
            "Your process cannot be seen from here, so a grant cannot end with it.",
            "Leave ends_with_caller out, and revoke the grant yourself.",
        )
    return holder
