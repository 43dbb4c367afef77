"""The cost of `ash web` with many memories: time of each page, memory, CPU until the first page.

    python -m benchmarks.speed.web [--stored 100000]

Times are of the server, from the request to the last byte, without a browser. CPU is that of both
processes, from the scheduler's counters: it hardly depends on what else runs.
"""

import argparse
import os
import time
from itertools import islice
from pathlib import Path

from ashd.web.pages import NAVIGATION
from benchmarks.speed import daemons, facts, stored
from benchmarks.speed.machine import resident_mib
from benchmarks.speed.timing import Times
from tests.web.sites import Visitor, opened

_OWNER = "anna"
_TIMES = 20
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stored", type=int, default=100_000, help="Memories of the owner.")
    count = parser.parse_args().stored
    daemon = daemons.prepared("none", None)
    try:
        daemon.start()
        daemon.stop()
        texts = islice(facts.statements(1), count)
        stored.fill(daemon.home / "data" / "ash.db", daemons.owner(_OWNER), texts, None)
        daemon.start()
        with opened(daemon) as site:
            visitor = site.log_in()
            print(f"CPU until the first page: {cpu_s(site.process.pid):.2f} s")
            visitor.post("/viewing", account=f"bench:{_OWNER}", back="/")
            _pages(visitor)
            print(f"memory: {resident_mib(site.process.pid)} MiB")
    finally:
        daemon.remove()


def _pages(visitor: Visitor) -> None:
    paths = [entry.path for entry in NAVIGATION]
    assert visitor.site.daemon.process is not None
    processes = (visitor.site.process.pid, visitor.site.daemon.process.pid)
    print("page, p50 ms, p95 ms, CPU ms, bytes")
    for path in paths:
        times, size, began = Times([[]]), 0, sum(map(cpu_s, processes))
        for _ in range(_TIMES):
            start = time.perf_counter()
            size = len(visitor.get(path).text.encode())
            times.rounds[0].append((time.perf_counter() - start) * 1e3)
        cpu = (sum(map(cpu_s, processes)) - began) / _TIMES * 1e3
        row = times.row()
        print(f"{path}, {row['p50_ms']:.0f}, {row['p95_ms']:.0f}, {cpu:.0f}, {size}")


def cpu_s(pid: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


if __name__ == "__main__":
    main()
