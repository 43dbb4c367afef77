"""mem0: the result of `get_all`, saved as JSON: a list of memories, or one under `results`."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ashd.ops.transfer.formats import json_file
from ashd.ops.transfer.formats.items import BadItem, FactItem, Item, text_of, time_of

_KEPT = ("user_id", "agent_id", "app_id", "run_id", "actor_id", "role", "updated_at")


def read(path: Path) -> Iterator[Item]:
    """Yield the memories of a file."""
    for found in json_file.objects(path, ["memories.json"], "results"):
        if isinstance(found, BadItem):
            yield found
        else:
            yield _fact(*found)


def _fact(line: int, value: dict[str, Any]) -> FactItem:
    metadata = value.get("metadata")
    categories = value.get("categories")
    return FactItem(
        line=line,
        identifier=text_of(value, "id") or text_of(value, "hash"),
        content=text_of(value, "memory", "data", "text"),
        at=time_of(value.get("created_at")),
        tags=tuple(map(str, categories)) if isinstance(categories, list) else (),
        metadata={
            **(metadata if isinstance(metadata, dict) else {}),
            **{name: value[name] for name in _KEPT if value.get(name)},
        },
        expires_at=_expiry(value.get("expiration_date")),
        user=text_of(value, "user_id"),
    )


def _expiry(value: Any) -> str | None:
    """Return an expiry; a date stays a date, since it lasts until the end of that day."""
    try:
        return dt.date.fromisoformat(value).isoformat()
    except (TypeError, ValueError):
        return time_of(value)
