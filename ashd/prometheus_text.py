"""Counts and times of the daemon's own work, and their form in Prometheus' text format.

Nothing here names an owner or holds content: labels are the names of methods, kinds and tasks.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of a histogram's buckets, in seconds."""

Labels = Mapping[str, str]


class Histogram:
    """A histogram of durations."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self._seconds = 0.0

    def observe(self, seconds: float) -> None:
        """Count one more."""
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self._seconds += seconds

    def lines(self, name: str, labels: Labels) -> Iterable[str]:
        """Yield its samples."""
        total = 0
        for bound, count in zip([*map(str, BOUNDS), "+Inf"], self._counts, strict=True):
            total += count
            yield _sample(f"{name}_bucket", {**labels, "le": bound}, total)
        yield _sample(f"{name}_sum", labels, self._seconds)
        yield _sample(f"{name}_count", labels, total)


class Requests:
    """The counts of calls by method and outcome, and their durations."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._times: dict[str, Histogram] = {}

    def observe(self, method: str, kind: str, seconds: float) -> None:
        """Count a call; `kind` is that of its error, or ok."""
        self.count(method, kind)
        self._times.setdefault(method, Histogram()).observe(seconds)

    def count(self, method: str, kind: str) -> None:
        """Count a call that was refused before it took any time."""
        self._counts[method, kind] += 1

    def text(self) -> str:
        """Return both families as text."""
        counts = [
            ({"method": method, "kind": kind}, count)
            for (method, kind), count in sorted(self._counts.items())
        ]
        times = [({"method": method}, one) for method, one in sorted(self._times.items())]
        return family(
            "ashd_requests_total", "counter", "Calls by method and outcome.", counts
        ) + histograms("ashd_request_seconds", "Time from a decoded call to its answer.", times)


def family(name: str, kind: str, text: str, values: Iterable[tuple[Labels, float]]) -> str:
    """Return a family of counters or gauges."""
    lines = [_sample(name, labels, value) for labels, value in values]
    return "\n".join([f"# HELP {name} {text}", f"# TYPE {name} {kind}", *lines, ""])


def histograms(name: str, text: str, values: Iterable[tuple[Labels, Histogram]]) -> str:
    """Return a family of histograms."""
    lines = [line for labels, one in values for line in one.lines(name, labels)]
    return "\n".join([f"# HELP {name} {text}", f"# TYPE {name} histogram", *lines, ""])


def _sample(name: str, labels: Labels, value: float) -> str:
    shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    return f"{name}{{{shown}}} {value!r}" if shown else f"{name} {value!r}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
