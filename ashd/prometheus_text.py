"""Counts and times of the daemon's own work, and their form in Prometheus' text format.

Nothing here names an owner or holds content: labels are the names of methods, kinds and tasks.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Final

from ashd import errors

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of a histogram's buckets, in seconds."""
LONG_BOUNDS: Final = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
"""The bounds for work that takes minutes."""
_SAMPLE: Final = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")
_LABEL: Final = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')

Labels = Mapping[str, str]


class Histogram:
    """A histogram of durations."""

    def __init__(self, bounds: tuple[float, ...] = BOUNDS) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._seconds = 0.0

    def observe(self, seconds: float) -> None:
        """Count one more."""
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self._seconds += seconds

    def lines(self, name: str, labels: Labels) -> Iterable[str]:
        """Yield its samples."""
        total = 0
        for bound, count in zip([*map(str, self._bounds), "+Inf"], self._counts, strict=True):
            total += count
            yield _sample(f"{name}_bucket", {**labels, "le": bound}, total)
        yield _sample(f"{name}_sum", labels, self._seconds)
        yield _sample(f"{name}_count", labels, total)


class _Timed:
    """The counts of something by name and outcome, and the durations by name."""

    def __init__(self, name: str, outcome: str, bounds: tuple[float, ...]) -> None:
        """`name` and `outcome` are the labels."""
        self._labels = (name, outcome)
        self._bounds = bounds
        self._counts: Counter[tuple[str, str]] = Counter()
        self._times: dict[str, Histogram] = {}

    def observe(self, name: str, outcome: str, seconds: float) -> None:
        """Count one that took so long."""
        self.count(name, outcome)
        self._times.setdefault(name, Histogram(self._bounds)).observe(seconds)

    def count(self, name: str, outcome: str) -> None:
        """Count one that took no time: it was refused, or happened elsewhere."""
        self._counts[name, outcome] += 1

    def families(self, total: str, counts: str, seconds: str, times: str) -> str:
        """Return both families as text, by their names and descriptions."""
        counted = [
            (dict(zip(self._labels, key, strict=True)), count)
            for key, count in sorted(self._counts.items())
        ]
        timed = [({self._labels[0]: name}, one) for name, one in sorted(self._times.items())]
        return family(total, "counter", counts, counted) + histograms(seconds, times, timed)


class Requests(_Timed):
    """The counts of calls by method and kind (`ok`, or the error's), and their durations."""

    def __init__(self) -> None:
        super().__init__("method", "kind", BOUNDS)

    def text(self) -> str:
        """Return both families as text."""
        return self.families(
            *("ashd_requests_total", "Calls by method and outcome."),
            *("ashd_request_seconds", "Time from a decoded call to its answer."),
        )


class ModelCalls(_Timed):
    """The counts of questions to the language model by task and outcome, and their durations."""

    def __init__(self) -> None:
        super().__init__("task", "outcome", LONG_BOUNDS)

    @contextmanager
    def timed(self, task: str) -> Iterator[None]:
        """Count the question that is asked inside: `ok`, the reason of its failure, or `cancelled`.

        One that the endpoint was not asked, at the day's ceiling or in a pause, took no time.
        """
        began, outcome, was_asked = monotonic(), "cancelled", True
        try:
            yield
            outcome = "ok"
        except errors.LlmUnavailable as error:
            outcome, was_asked = error.reason, error.asked
            raise
        finally:
            if was_asked:
                self.observe(task, outcome, monotonic() - began)
            else:
                self.count(task, outcome)

    def text(self) -> str:
        """Return both families as text."""
        return self.families(
            *("ashd_llm_calls_total", "Questions to the language model by task and outcome."),
            *("ashd_llm_call_seconds", "Time until the language model's answer, retries included."),
        )


def family(name: str, kind: str, text: str, values: Iterable[tuple[Labels, float]]) -> str:
    """Return a family of counters or gauges."""
    lines = [_sample(name, labels, value) for labels, value in values]
    return "\n".join([f"# HELP {name} {text}", f"# TYPE {name} {kind}", *lines, ""])


def single(name: str, kind: str, text: str, value: float) -> str:
    """Return a counter or gauge without labels."""
    return family(name, kind, text, [({}, value)])


def histograms(name: str, text: str, values: Iterable[tuple[Labels, Histogram]]) -> str:
    """Return a family of histograms."""
    lines = [line for labels, one in values for line in one.lines(name, labels)]
    return "\n".join([f"# HELP {name} {text}", f"# TYPE {name} histogram", *lines, ""])


def _sample(name: str, labels: Labels, value: float) -> str:
    shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    return f"{name}{{{shown}}} {value!r}" if shown else f"{name} {value!r}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def samples(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    """Yield the name, the labels and the value of each sample, in order."""
    for line in text.splitlines():
        if (found := _SAMPLE.fullmatch(line)) is not None:
            yield found[1], dict(_LABEL.findall(found[2] or "")), float(found[3])
