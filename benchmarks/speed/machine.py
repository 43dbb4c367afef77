"""The machine that the figures were measured on, without names of people or places."""

import datetime as dt
import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path


def describe(packages: Sequence[str]) -> dict[str, object]:
    """Processor, memory, system and versions."""
    return {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "load_at_start": round(os.getloadavg()[0], 1),
        "packages": {name: metadata.version(name) for name in packages},
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def resident_mib(pid: int) -> float:
    """The resident memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return round(int(line.split()[1]) / 1024, 1)
    raise ProcessLookupError(pid)
