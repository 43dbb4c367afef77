"""Calls by one client or by many at once, timed; imports nothing of the daemon."""

import os
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Call = Callable[[], object]
WARM = 3
"""Calls of a cell before it is timed."""


@dataclass(frozen=True)
class Limits:
    """The time for which a cell is measured, and the number of clients."""

    clients: Sequence[int]
    seconds: float
    calls: int

    def texts(self, clients: int) -> int:
        """The number of texts that are enough for all clients, each with its own."""
        return self.calls + clients * (1 + WARM)


FULL = Limits(clients=(1, 8, 32), seconds=3.0, calls=320)
QUICK = Limits(clients=(1, 2), seconds=1.0, calls=8)


@dataclass
class _Taken:
    """The notes of all clients of a cell."""

    ms: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def measure(
    client: Callable[[int], Call], clients: int, limits: Limits, cpu_ns: Callable[[], int]
) -> dict[str, object]:
    """Percentiles of the calls of some clients at once; a client ends at its first error.

    ``client`` makes the call of a client by its number. Every client calls once at least; the
    first one does a few times before anything is timed.
    """
    taken, calls = _Taken(), [client(number) for number in range(clients)]
    for _ in range(WARM):
        calls[0]()
    each = -(-limits.calls // clients)
    barrier = threading.Barrier(clients + 1)
    threads = [
        threading.Thread(target=_run, args=(call, each, limits.seconds, barrier, taken))
        for call in calls
    ]
    for thread in threads:
        thread.start()
    before = cpu_ns()
    barrier.wait()
    begun = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begun
    row: dict[str, object] = {"clients": clients, "calls": len(taken.ms)}
    if taken.ms:
        row |= {
            **percentiles(taken.ms),
            "per_s": round(len(taken.ms) / seconds, 1),
            "cpu_ms": round((cpu_ns() - before) / 1e6 / len(taken.ms), 2),
        }
    if taken.errors:
        row |= {"failed": len(taken.errors), "error": taken.errors[0]}
    return row


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """p50, p95 and p99 of times in milliseconds."""
    ordered = sorted(values)
    at = {"p95_ms": 0.95, "p99_ms": 0.99}
    found = {
        name: ordered[min(int(share * len(ordered)), len(ordered) - 1)]
        for name, share in at.items()
    }
    return {
        "p50_ms": round(statistics.median(ordered), 2),
        **{name: round(value, 2) for name, value in found.items()},
    }


def own_cpu_ns() -> int:
    """CPU of this process so far."""
    return time.process_time_ns()


def load_now() -> float:
    """The machine's load of the last minute."""
    return round(os.getloadavg()[0], 1)


def _run(call: Call, most: int, seconds: float, barrier: threading.Barrier, taken: _Taken) -> None:
    own, errors = [], []
    barrier.wait()
    ends = time.perf_counter() + seconds
    for _ in range(most):
        begun = time.perf_counter()
        try:
            call()
        except Exception as error:  # noqa: BLE001  a peer may raise whatever it likes
            errors.append(f"{type(error).__name__}: {error}"[:160])
            break
        done = time.perf_counter()
        own.append((done - begun) * 1e3)
        if done > ends:
            break
    with taken.lock:
        taken.ms += own
        taken.errors += errors
