"""Zep and Graphiti: the edges of a user's graph as JSON, a list or one under `edges`.

An edge has its fact as a sentence, and the times between which the fact holds. Edges that were
replaced in Zep (`expired_at`) are left out.
"""

from collections.abc import Iterator
from pathlib import Path

from ashd.ops.transfer.formats import json_file
from ashd.ops.transfer.formats.items import (
    BadItem,
    FactItem,
    Item,
    LeftOut,
    text_of,
    time_of,
)


def read(path: Path) -> Iterator[Item]:
    """Yield the facts of a file."""
    for found in json_file.objects(path, ["edges.json"], "edges"):
        if isinstance(found, BadItem):
            yield found
            continue
        line, value = found
        if value.get("expired_at"):
            yield LeftOut("facts that were replaced there")
            continue
        yield FactItem(
            line=line,
            identifier=text_of(value, "uuid", "uuid_"),
            content=text_of(value, "fact"),
            at=time_of(value.get("valid_at")) or time_of(value.get("created_at")),
            metadata={"relation": value["name"]} if text_of(value, "name") else None,
            valid_until=time_of(value.get("invalid_at")),
        )
