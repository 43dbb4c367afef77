"""The reference memory server of MCP: one JSON object per line, each an entity or a relation.

An observation is a fact about its entity. The server keeps no dates.
"""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from ashd.ops.transfer.formats import json_file
from ashd.ops.transfer.formats.items import (
    BadItem,
    EntityItem,
    FactItem,
    Item,
    RelationItem,
    entity_type,
    text_of,
)

_USER: Final = frozenset({"default_user", "user"})
"""Names that the server's own instructions give the user."""


def read(path: Path, show: Callable[[int], None]) -> Iterator[Item]:
    """Yield the entities, observations and relations of a file."""
    for found in json_file.objects(path, ["memory.jsonl"], show=show):
        if isinstance(found, BadItem):
            yield found
        else:
            yield from _items(*found)


def _items(line: int, value: dict[str, Any]) -> Iterator[Item]:
    if value.get("type") == "relation":
        ends = _name(text_of(value, "from")), _name(text_of(value, "to"))
        yield RelationItem(line, ends[0], _name(text_of(value, "relationType")), ends[1])
        return
    name, kind = _name(text_of(value, "name")), entity_type(text_of(value, "entityType"))
    is_user = text_of(value, "name").casefold() in _USER
    if not is_user:
        yield EntityItem(line, name, kind)
    observations = value.get("observations")
    for observation in observations if isinstance(observations, list) else []:
        text = observation if isinstance(observation, str) else ""
        says_whom = is_user or name.casefold() in text.casefold()
        identity = hashlib.sha256(f"{name}\n{text}".encode("utf-8", "replace")).hexdigest()[:32]
        yield FactItem(
            line=line,
            identifier=identity,
            content=text if says_whom or not text else f"{name}: {text}",
            at=None,
            subjects=(name,) if kind == "person" and not is_user else (),
        )


def _name(identifier: str) -> str:
    """Return a name as people write it: identifiers have underscores for spaces."""
    return identifier.replace("_", " ").strip()
