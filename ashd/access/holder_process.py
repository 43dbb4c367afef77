"""Processes that grants end with.

A process is known by its number and the moment it began, since numbers are used again. While it
runs a descriptor of it is watched, so its end is seen at once, however it ends.
"""

import os
from pathlib import Path
from typing import Final

import anyio
import msgspec

from ashd import errors
from ashd.access.actor import Peer

_START_FIELD: Final = 19  # of /proc/PID/stat, counted from the state that follows the name
_ENDED: Final = ("Z", "X")  # nobody has asked yet how it ended
_LOOK_AGAIN_S: Final = 1.0


class HolderProcess(msgspec.Struct, frozen=True):
    """A process: its number, and when it began in the kernel's ticks."""

    pid: int
    began: int


def identify(pid: int) -> HolderProcess | None:
    """The process that has this number now; None if there is none that can be seen."""
    try:
        text = Path("/proc", str(pid), "stat").read_text(errors="replace")
    except OSError:
        return None
    # The name is in parentheses, and may contain some itself.
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in _ENDED else HolderProcess(pid, int(fields[_START_FIELD]))


def has_ended(holder: HolderProcess) -> bool:
    """Return whether the process is no more."""
    return identify(holder.pid) != holder


async def wait_for_end(holder: HolderProcess) -> None:
    """Return once the process has ended."""
    try:
        descriptor = os.pidfd_open(holder.pid)
    except ProcessLookupError:
        return
    except OSError:
        # No descriptor is left, or the system has none for processes.
        while not has_ended(holder):  # noqa: ASYNC110  there is no event to wait for
            await anyio.sleep(_LOOK_AGAIN_S)
        return
    try:
        # Looked at after it was opened: it is the descriptor of this process or of a later one.
        if not has_ended(holder):
            await anyio.wait_readable(descriptor)
    finally:
        os.close(descriptor)


def of_caller(peer: Peer) -> HolderProcess:
    """The process of a caller, which a grant is to end with.

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
