"""The daemon's process in Prometheus' text format, by the names that all exporters use."""

import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ashd.prometheus_text import single

_PAGE_BYTES: Final = resource.getpagesize()
_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
_STAT: Final = Path("/proc/self/stat")
_STARTED: Final = 19
"""The field of that file after the program's name that has the start, in ticks."""


def text(started_at: float | None) -> str:
    """Return processor time, memory, file descriptors and the start (`started_at()`)."""
    return "".join(_families(started_at))


def started_at() -> float | None:
    """Return the start of this process in seconds since 1970, as far as the kernel tells."""
    if not _STAT.exists():
        return None
    # The name, in parentheses, may hold anything.
    fields = _STAT.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return boot + int(fields[_STARTED]) / _TICKS_PER_SECOND


def _families(started_at: float | None) -> Iterator[str]:
    yield single(
        *("process_cpu_seconds_total", "counter", "Processor time that the daemon took."),
        time.process_time(),
    )
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield single("process_max_fds", "gauge", "Files and sockets that it may have open.", most)
    if started_at is None:
        return
    virtual, resident = _pages()
    for name, description, value in (
        ("process_resident_memory_bytes", "Memory that the daemon holds.", resident * _PAGE_BYTES),
        ("process_virtual_memory_bytes", "Addresses that it has.", virtual * _PAGE_BYTES),
        ("process_open_fds", "Files and sockets that are open.", _descriptors()),
        ("process_start_time_seconds", "Start of the process, in seconds since 1970.", started_at),
    ):
        yield single(name, "gauge", description, value)


def _pages() -> tuple[int, int]:
    """Return the pages of addresses, and those in memory."""
    virtual, resident = Path("/proc/self/statm").read_text(encoding="ascii").split()[:2]
    return int(virtual), int(resident)


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
