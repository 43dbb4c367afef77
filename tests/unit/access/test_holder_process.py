"""The identification of the process that ends a grant."""

import os
import subprocess
import sys

import pytest

from ashd import errors
from ashd.access import holder_process
from ashd.access.actor import Peer
from ashd.access.holder_process import HolderProcess

_NO_PID = 2**22 + 1  # above the highest that the kernel gives


def test_a_number_that_was_used_again_is_another_process() -> None:
    """The moment it began tells them apart."""
    own = holder_process.identify(os.getpid())
    assert own is not None

    assert not holder_process.has_ended(own)
    assert holder_process.has_ended(HolderProcess(own.pid, own.began - 1))


def test_a_name_with_parentheses_is_read() -> None:
    """A process may give itself any name."""
    set_name = "ctypes.CDLL(None).prctl(15, b'a) R 1 (b')"
    script = f"import ctypes; {set_name}; print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        holder = holder_process.identify(process.pid)
        process.communicate(b"\n")

    own = holder_process.identify(os.getpid())
    assert holder is not None
    assert own is not None
    assert holder.began >= own.began


async def test_a_process_that_has_ended_is_not_waited_for() -> None:
    """An ended process is recognised even if its pid is free or reused."""
    own = holder_process.identify(os.getpid())
    assert own is not None

    await holder_process.wait_for_end(HolderProcess(_NO_PID, 1))
    await holder_process.wait_for_end(HolderProcess(own.pid, own.began - 1))


def test_a_process_nobody_has_asked_about_has_ended() -> None:
    """An exited process counts as ended even while the kernel still lists it."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    holder = holder_process.identify(process.pid)
    assert holder is not None
    assert not holder_process.has_ended(holder)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)

    assert holder_process.has_ended(holder)
    process.communicate()


def test_a_caller_who_cannot_be_seen_is_no_holder() -> None:
    """As from another PID namespace, or over TCP."""
    own = holder_process.of_caller(Peer(os.getpid(), None))

    assert own == holder_process.identify(os.getpid())
    for pid in (None, _NO_PID):
        with pytest.raises(errors.InvalidParams, match="cannot be seen"):
            holder_process.of_caller(Peer(pid, None))
