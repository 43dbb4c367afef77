"""Read figures for the pages from the daemon's metrics, in Prometheus' text format. Pure."""

from collections import defaultdict
from typing import NamedTuple

from ashd.prometheus_text import samples


class Processing(NamedTuple):
    """Calls of a method since the daemon's start."""

    method: str
    calls: int
    failed: int
    mean_ms: float


def processing(text: str) -> list[Processing]:
    """Return the calls by method, the most frequent first."""
    calls: dict[str, int] = defaultdict(int)
    failed: dict[str, int] = defaultdict(int)
    seconds: dict[str, float] = {}
    for name, labels, value in samples(text):
        if name == "ashd_requests_total":
            calls[labels["method"]] += round(value)
            failed[labels["method"]] += round(value) if labels["kind"] != "ok" else 0
        elif name == "ashd_request_seconds_sum":
            seconds[labels["method"]] = value
    found = [
        Processing(method, count, failed[method], 1000 * seconds.get(method, 0.0) / count)
        for method, count in calls.items()
        if count
    ]
    return sorted(found, key=lambda one: (-one.calls, one.method))


def resident_bytes(text: str) -> int | None:
    """Return the memory that the daemon holds."""
    values = [value for name, _, value in samples(text) if name == "process_resident_memory_bytes"]
    return round(values[0]) if values else None
