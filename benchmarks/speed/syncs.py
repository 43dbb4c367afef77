"""Count the disk syncs of an add, by one writer and by eight at once.

Counted by strace where it is installed and allowed; the rate is measured without it.
"""

import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

from benchmarks.speed import daemons, facts
from tests.daemons import Daemon

WRITERS = 8


def measure(daemon: Daemon, *, quick: bool) -> list[dict[str, object]]:
    """A row for one writer and for eight: adds a second, and syncs an add."""
    rows = []
    for writers in (1, WRITERS):
        each = 5 if quick else 400 // writers
        taken, seconds = _write(daemon, writers, each)
        rows.append(
            {
                "writers": writers,
                "adds_per_s": round(len(taken) / seconds),
                "p50_ms": round(statistics.median(taken), 2),
                "syncs_per_add": _syncs(daemon, writers, 5 if quick else 160 // writers),
            }
        )
    return rows


def _write(daemon: Daemon, writers: int, each: int) -> tuple[list[float], float]:
    """The times of all adds in milliseconds, and how long it took together in seconds."""

    def write(number: int) -> list[float]:
        taken = []
        with daemon.client() as client:
            for text in islice(facts.facts(100 * each + number), each):
                begun = time.perf_counter()
                client.call("memory.add", scope=daemons.owner(f"writer-{number}"), content=text)
                taken.append((time.perf_counter() - begun) * 1e3)
        return taken

    begun = time.perf_counter()
    with ThreadPoolExecutor(writers) as pool:
        taken = [one for part in pool.map(write, range(writers)) for one in part]
    return taken, time.perf_counter() - begun


def _syncs(daemon: Daemon, writers: int, each: int) -> float | None:
    if shutil.which("strace") is None:
        return None
    assert daemon.process is not None
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "strace"
        trace = ["strace", "-f", "-e", "trace=fsync,fdatasync", "-o", str(log)]
        tracer = subprocess.Popen(
            [*trace, "-p", str(daemon.process.pid)], stderr=subprocess.PIPE, text=True
        )
        assert tracer.stderr is not None
        try:
            if "attached" not in tracer.stderr.readline():
                return None  # not allowed here
            _write(daemon, writers, each)
        finally:
            tracer.send_signal(signal.SIGINT)
            tracer.communicate()
        count = sum("sync(" in line for line in log.read_text().splitlines())
    return round(count / (writers * each), 2)
