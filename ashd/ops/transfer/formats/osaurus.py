"""Osaurus: `memory.sqlite` with its facts, edits of the user, conversations and graph."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ashd.ops.transfer.formats.items import (
    ConversationItem,
    EntityItem,
    FactItem,
    Item,
    OverrideItem,
    RelationItem,
    SaidItem,
    entity_type,
    text_of,
    time_of,
)
from ashd.store import osaurus


def read(path: Path) -> Iterator[Item]:
    """Yield everything in the file; lines count its rows."""
    numbered = enumerate(osaurus.rows(path), start=1)
    for kind, group in itertools.groupby(numbered, key=lambda one: one[1][0]):
        entries = ((line, row) for line, (_, row) in group)
        if kind == "message":
            yield from _conversations(entries)
        else:
            for line, row in entries:
                yield _item(kind, line, row)


def _item(kind: str, line: int, row: dict[str, Any]) -> Item:
    if kind == "override":
        return OverrideItem(line, text_of(row, "content"))
    if kind == "entity":
        return EntityItem(line, text_of(row, "name"), entity_type(text_of(row, "type")))
    if kind == "relation":
        ends = text_of(row, "source"), text_of(row, "relation"), text_of(row, "target")
        period = time_of(row["valid_from"]), time_of(row["valid_until"])
        return RelationItem(line, *ends, *period)
    return FactItem(
        line=line,
        identifier=text_of(row, "id"),
        content=text_of(row, "content"),
        at=time_of(row["created_at"]),
        type=text_of(row, "type"),
        tags=_tags(row["tags"]),
        metadata={"agent_id": row["agent_id"]},
        valid_until=time_of(row["valid_until"]),
    )


def _tags(text: str | None) -> tuple[str, ...]:
    try:
        return tuple(msgspec.json.decode(text or "[]", type=list[str]))
    except msgspec.MsgspecError:
        return ()


def _conversations(entries: Iterator[tuple[int, dict[str, Any]]]) -> Iterator[ConversationItem]:
    for identifier, group in itertools.groupby(entries, key=lambda one: one[1]["conversation_id"]):
        rows = list(group)
        said = tuple(
            SaidItem(
                str(row["id"]),
                text_of(row, "role"),
                text_of(row, "content"),
                time_of(row["created_at"]),
            )
            for _, row in rows
        )
        yield ConversationItem(rows[0][0], str(identifier), said)
