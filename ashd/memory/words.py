"""Times, ids and texts as callers write them, checked and turned into what the store keeps."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

import msgspec

from ashd import errors
from ashd.access.secrets import require_no_secret
from ashd.access.text import clean, one_line
from ashd.clock import DAY, to_micros
from ashd.ids import find_one
from ashd.memory.model import MemoryId
from ashd.store import memories
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

_CANDIDATES: Final = 5
_FIRST: Final = to_micros(dt.datetime.min.replace(tzinfo=dt.UTC))
_LAST: Final = to_micros(dt.datetime.max.replace(tzinfo=dt.UTC))


def content(text: str) -> str:
    """A memory's text, cleaned.

    Raises:
        errors.InvalidParams: nothing is left of it.
        errors.ContentRefused: a secret in it.
    """
    cleaned = clean(text)
    if not cleaned:
        raise errors.InvalidParams("The content is empty.", "Say what is to be remembered.")
    require_no_secret(cleaned, "content")
    return cleaned


def tags(values: Sequence[str]) -> str:
    """Tags, cleaned and each once, as JSON.

    Raises:
        errors.ContentRefused: a secret among them.
    """
    cleaned = list(dict.fromkeys(one_line(tag) for tag in values))
    require_no_secret(cleaned, "tags")
    return msgspec.json.encode(cleaned).decode()


def micros(at: str | None, field: str, *, end_of_day: bool = False) -> int | None:
    """A time or a day of the wire as microseconds; a day begins, or ends, in UTC.

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
        # At the ends of time the zone may make it a moment that no calendar has.
        if moment.tzinfo is not None and _FIRST <= to_micros(moment) <= _LAST:
            return to_micros(moment)
    except (ValueError, OverflowError):
        pass
    raise errors.InvalidParams(
        f"{field} is no time with a zone and no day.",
        "Write a time as 2026-11-20T15:00:00Z, a day as 2026-11-20.",
    )


def find(tx: Tx, viewer: Viewer, memory_id: MemoryId) -> Record:
    """The memory with this id, or with an id that alone begins so, if the viewer may see it.

    Raises:
        errors.NotFound: none that the viewer may see.
        errors.Ambiguous: several ids begin so.
    """
    return find_one(
        memory_id,
        "memory",
        lambda prefix: [
            (record.uuid, record) for record in memories.by_prefix(tx, viewer, prefix, _CANDIDATES)
        ],
    )
