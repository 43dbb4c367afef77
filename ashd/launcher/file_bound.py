"""Bound the files in a sandbox's file systems in memory, which bubblewrap bounds in bytes alone.

An empty file takes no bytes of the file system and about a KiB of the kernel's memory, which only
a control group limits. So the file systems are given a bound once bubblewrap has mounted them and
before it starts the command: from outside, since inside nobody may mount.
"""

import ctypes
import errno
import fcntl
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ashd.launcher.bubblewrap import CLIENT
from ashd.launcher.confinement import Limits

_OWNING_USER_NAMESPACE: Final = 0xB701
_REMOUNT: Final = 0x20 | 0x2 | 0x4  # MS_REMOUNT, MS_NOSUID, MS_NODEV
_BYTES_OF_A_FILE: Final = 4096
_FEWEST_FILES: Final = 16
_MOUNTED_SECONDS: Final = 30.0
_LOOK_AGAIN_SECONDS: Final = 0.002
_CHUNK: Final = 4096


class Gate:
    """Holds a sandbox's command back until its files are bounded."""

    def __init__(self) -> None:
        self._told, self.info = os.pipe()
        self.block, self._open = os.pipe()

    @property
    def options(self) -> tuple[str, ...]:
        """Return bubblewrap's options for it."""
        return ("--info-fd", str(self.info), "--block-fd", str(self.block))

    def pass_through(self, limits: Limits, has_ended: Callable[[], bool]) -> int | None:
        """Bound the files of the sandbox that was started with these options; let it go on.

        Returns the sandbox's first process, as its number on the host. A bubblewrap that ends
        before is passed over with None (`has_ended`): its exit status tells why.

        Raises:
            OSError: the kernel refuses; the sandbox must be ended.
        """
        for inherited in (self.info, self.block):
            os.close(inherited)
        self.info = self.block = -1
        told = b""
        while chunk := os.read(self._told, _CHUNK):
            told += chunk
        if not told:
            return None
        pid: int = json.loads(told)["child-pid"]
        try:
            _wait_for_mounts(pid)
            bound(pid, limits)
        except OSError:
            if has_ended():
                return None
            raise
        os.write(self._open, b".")
        return pid

    def close(self) -> None:
        """Close the descriptors; a sandbox that still waits goes on, so end it before."""
        for one in (self.info, self.block, self._told, self._open):
            if one >= 0:
                os.close(one)
        self.info = self.block = self._told = self._open = -1


def _wait_for_mounts(pid: int) -> None:
    """Wait until the sandbox has its file systems.

    Raises:
        OSError: it does not come to that.
    """
    over = time.monotonic() + _MOUNTED_SECONDS
    while time.monotonic() < over:
        lines = Path(f"/proc/{pid}/mountinfo").read_bytes().split(b"\n")[:-1]
        points = [os.fsdecode(line.split(b" ")[4]) for line in lines]
        # Before, its root is the host's, or none, or has an older one on top.
        if CLIENT in points and points.count("/") == 1:
            return
        time.sleep(_LOOK_AGAIN_SECONDS)
    raise OSError(errno.ETIMEDOUT, "bubblewrap mounts nothing")


def bound(pid: int, limits: Limits) -> None:
    """Bound the files of the sandbox whose first process is `pid`: one for each 4 KiB of its size.

    Raises:
        OSError: the kernel refuses.
    """
    sizes = {"/tmp": limits.tmp_bytes, "/dev/shm": limits.shm_bytes}  # noqa: S108 - the sandbox's own
    mounts = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY)
    try:
        # The mounts belong to a user namespace of the launcher, in which it may change them.
        users = fcntl.ioctl(mounts, _OWNING_USER_NAMESPACE)
        try:
            _in_child(users, mounts, sizes)
        finally:
            os.close(users)
    finally:
        os.close(mounts)


def _in_child(users: int, mounts: int, sizes: Mapping[str, int]) -> None:
    """Do it in a process of its own, since none returns from a namespace."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = _remount(users, mounts, sizes)
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    error = os.waitstatus_to_exitcode(ended)
    if error:
        raise OSError(error, f"files cannot be bounded: {os.strerror(error)}")


def _remount(users: int, mounts: int, sizes: Mapping[str, int]) -> int:
    """Return 0, or the number of the error."""
    libc = ctypes.CDLL(None, use_errno=True)
    for namespace in (users, mounts):
        if libc.setns(namespace, 0):
            return ctypes.get_errno()
    for path, size in sizes.items():
        options = f"size={size},nr_inodes={max(size // _BYTES_OF_A_FILE, _FEWEST_FILES)}".encode()
        if libc.mount(b"tmpfs", path.encode(), b"tmpfs", _REMOUNT, options):
            return ctypes.get_errno()
    return 0
