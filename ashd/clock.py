"""Time and new ids, in one place so that a test can hold both still.

Inside the daemon a time is an integer: microseconds since 1970, UTC. On the wire it is RFC 3339.
"""

import datetime as dt
import secrets
import time
import uuid
from typing import Final, Protocol

SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
FOREVER: Final = 2**62
"""Later than every time; used where a column needs a number for "never"."""

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_GRANT_ALPHABET: Final = "abcdefghijkmnpqrstuvwxyz23456789"


class Clock(Protocol):
    """The daemon's source of the time and of new ids."""

    def now(self) -> int:
        """The time in microseconds since 1970, UTC."""
        ...

    def new_id(self) -> str:
        """A new random UUID, version 4."""
        ...


class SystemClock:
    """The machine's own clock; before 1970 it stands still, since no stored time is earlier."""

    def now(self) -> int:
        """The time in microseconds since 1970, UTC."""
        return max(0, time.time_ns() // 1000)

    def new_id(self) -> str:
        """A new random UUID, version 4."""
        return str(uuid.uuid4())


def new_grant_id() -> str:
    """A grant id: ``g`` and 9 random characters, short enough for a socket path."""
    return "g" + "".join(secrets.choice(_GRANT_ALPHABET) for _ in range(9))


def to_text(at: int | None) -> str | None:
    """Format microseconds as RFC 3339 in UTC, such as ``2026-02-09T10:00:00Z``."""
    if at is None:
        return None
    return from_micros(at).isoformat().replace("+00:00", "Z")


def from_micros(at: int) -> dt.datetime:
    """Convert microseconds to an aware datetime in UTC, exactly."""
    return _EPOCH + dt.timedelta(microseconds=at)


def to_micros(at: dt.datetime) -> int:
    """Convert an aware datetime to microseconds, exactly (a float would lose the last digits)."""
    return (at - _EPOCH) // dt.timedelta(microseconds=1)
