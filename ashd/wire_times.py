"""Times of the wire: a moment with its zone, or a day; parsed in one way for every method."""

import datetime as dt
from typing import Annotated, Final

import msgspec

from ashd import errors, limits
from ashd.clock import DAY, to_micros

When = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.TIME_CHARS)]
"""A time with its zone (2026-11-20T15:00:00Z) or a day (2026-11-20, in UTC)."""

_FIRST: Final = to_micros(dt.datetime.min.replace(tzinfo=dt.UTC))
_LAST: Final = to_micros(dt.datetime.max.replace(tzinfo=dt.UTC))


def micros(at: str | None, field: str, *, end_of_day: bool = False) -> int | None:
    """Parse a time or a day of the wire as microseconds; a day begins, or ends, in UTC.

    Raises:
        errors.InvalidParams: no time, or one without a zone.
    """
    if at is None:
        return None
    try:
        if len(at) <= len("2026-11-20"):
            day = dt.datetime.combine(dt.date.fromisoformat(at), dt.time(), dt.UTC)
            # The last day that can be written ("never") ends with the last moment.
            return min(to_micros(day) + DAY, _LAST) if end_of_day else to_micros(day)
        moment = dt.datetime.fromisoformat(at)
        # At the ends of time, the zone may make it a moment that no calendar has.
        if moment.tzinfo is not None and _FIRST <= to_micros(moment) <= _LAST:
            return to_micros(moment)
    except (ValueError, OverflowError):
        pass
    raise errors.InvalidParams(
        f"{field} must be a time with a zone, or a date.",
        "Write a time as 2026-11-20T15:00:00Z, a day as 2026-11-20.",
    )


def require_order(valid_from: int | None, valid_until: int | None) -> None:
    """Require a time span to end after it begins.

    Raises:
        errors.InvalidParams
    """
    if valid_from is not None and valid_until is not None and valid_from >= valid_until:
        raise errors.InvalidParams(
            "It would end before it begins.", "valid_from is before valid_until."
        )
