"""Times and ratios that hold on a busy machine: every case once a round, medians over rounds.

A ratio is the median over rounds of the ratio within a round, so that what else the machine does
meets both sides alike.
"""

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass
class Times:
    """The times of one case in milliseconds, a list for each round."""

    rounds: list[list[float]] = field(default_factory=list)

    @property
    def values(self) -> list[float]:
        return sorted(value for one in self.rounds for value in one)

    def quantile(self, share: float) -> float:
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]

    def row(self) -> dict[str, float]:
        """p50, p95 in milliseconds, and how many calls that is of."""
        return {
            "p50_ms": round(statistics.median(self.values), 3),
            "p95_ms": round(self.quantile(0.95), 3),
            "calls": len(self.values),
        }


def interleaved(
    cases: Mapping[str, Callable[[], object]], *, rounds: int, calls: int = 1
) -> dict[str, Times]:
    """Every case `calls` times a round; the order turns, so that none always follows the same."""
    times = {name: Times() for name in cases}
    names = list(cases)
    for case in cases.values():
        case()  # once for nothing: caches, connections
    for number in range(rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            times[name].rounds.append([_timed(cases[name]) for _ in range(calls)])
    return times


def ratio(times: Times, reference: Times) -> float:
    """Return the median over rounds of the time relative to the reference."""
    pairs = zip(times.rounds, reference.rounds, strict=True)
    return round(
        statistics.median(statistics.median(a) / statistics.median(b) for a, b in pairs), 2
    )


def _timed(case: Callable[[], object]) -> float:
    start = time.perf_counter()
    case()
    return (time.perf_counter() - start) * 1e3
