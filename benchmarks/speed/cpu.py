"""CPU of a daemon, from the scheduler's counters: it hardly depends on what else the machine does.

What a call makes the daemon do after its answer is told apart: a call begins when the daemon rests.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.daemons import Daemon

_RESTS_SECONDS: Final = 0.03
_RESTS_MS: Final = 0.3
"""A daemon that uses less CPU in that time rests."""
_PATIENCE_SECONDS: Final = 600.0


def used_ns(daemon: Daemon) -> int:
    """CPU of all threads of the daemon so far."""
    assert daemon.process is not None
    used = 0
    for thread in Path(f"/proc/{daemon.process.pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            used += int((thread / "schedstat").read_text().split()[0])
    return used


def queued_ns(process: Path) -> int:
    """Return how long a process's main thread, or a thread, has waited for a processor."""
    return int((process / "schedstat").read_text(encoding="ascii").split()[1])


def of_call(daemon: Daemon, call: Callable[[], object]) -> float:
    """CPU of the daemon from the call to its answer, in milliseconds."""
    before = used_ns(daemon)
    call()
    return (used_ns(daemon) - before) / 1e6


def until_rest(daemon: Daemon, rests_ms: float = _RESTS_MS) -> float:
    """Wait until the daemon has nothing to do; return the CPU that it took, in milliseconds.

    `rests_ms`: the CPU that it uses at rest, more than none if it is being watched.
    """
    begun, before = time.monotonic(), used_ns(daemon)
    known = before
    while True:
        time.sleep(_RESTS_SECONDS)
        now = used_ns(daemon)
        if now - known < rests_ms * 1e6:
            return (now - before) / 1e6
        if time.monotonic() > begun + _PATIENCE_SECONDS:
            raise TimeoutError("The daemon never rests.")
        known = now
