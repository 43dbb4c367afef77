"""The outcome of every call, in the metrics and in the log: method, kind and caller, never content.

Of each caller's failed calls the first few of each kind in a minute are logged; the rest are
counted in one line at the minute's end, so that a hostile client cannot flood the log.
"""

from collections import Counter
from typing import Any, Final, Literal, NamedTuple

import anyio

from ashd import errors, log
from ashd.prometheus_text import Requests

OK: Final = "ok"
CANCELLED: Final = "cancelled"
"""The outcome of a call whose connection was closed while it ran."""
LINES_A_MINUTE: Final = 5
"""Lines for one kind of failure of one caller."""
_MINUTE_S: Final = 60.0
_FAULTS: Final = frozenset(
    cls.kind
    for cls in (
        errors.EmbeddingUnavailable,
        errors.LlmUnavailable,
        errors.StorageError,
        errors.TimedOut,
    )
)
"""Kinds of errors that are not the caller's fault."""


class Caller(NamedTuple):
    """The key for lines in the log; `grant` is empty for all callers without a grant."""

    listener: Literal["control", "sandbox"]
    grant: str


class Outcomes:
    """Counts calls, and logs those that fail."""

    def __init__(self, requests: Requests) -> None:
        self.requests = requests
        self._counts: Counter[tuple[Caller, str]] = Counter()
        """Failures of the current minute, which begins with the first of them."""
        self._begun = anyio.Event()

    def answered(self, caller: Caller, method: str, kind: str, seconds: float) -> None:
        """Record a call; `kind` is that of its error, or `OK`, or `CANCELLED`."""
        self.requests.observe(method, kind, seconds)
        log.debug("call_answered", method=method, kind=kind, ms=round(seconds * 1000, 2))
        if kind not in {OK, CANCELLED, errors.InternalError.kind}:  # `faulted` logs the last kind
            self._log(caller, method, kind)

    def refused(self, caller: Caller, method: str, kind: str) -> None:
        """Record a message that never became a call."""
        self.requests.count(method, kind)
        self._log(caller, method, kind)

    def faulted(self, caller: Caller, method: str, fault: BaseException) -> None:
        """Log a fault of our own by its type and place: its text may hold content."""
        found = {"error": type(fault).__name__, "at": log.place_of(fault)}
        self._log(caller, method, errors.InternalError.kind, **found)

    async def run(self) -> None:
        """Log the number of failures without a line of their own, a minute after the first."""
        try:
            while True:
                await self._begun.wait()
                await anyio.sleep(_MINUTE_S)
                self._end_minute()
        finally:
            self._end_minute()

    def _log(self, caller: Caller, method: str, kind: str, **found: Any) -> None:
        self._counts[caller, kind] += 1
        self._begun.set()
        if self._counts[caller, kind] <= LINES_A_MINUTE:
            fields = {"method": method, "kind": kind, **_named(caller), **found}
            log.write(_level(kind), "call_failed", **fields)

    def _end_minute(self) -> None:
        for (caller, kind), count in self._counts.items():
            if count > LINES_A_MINUTE:
                fields = {"count": count - LINES_A_MINUTE, "kind": kind, **_named(caller)}
                log.write(_level(kind), "more_calls_failed", **fields)
        self._counts.clear()
        self._begun = anyio.Event()


def _named(caller: Caller) -> dict[str, str]:
    return {name: value for name, value in caller._asdict().items() if value}


def _level(kind: str) -> log.Level:
    if kind == errors.InternalError.kind:
        return "error"
    return "warning" if kind in _FAULTS else "info"
