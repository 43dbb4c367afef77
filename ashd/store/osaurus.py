"""Read the memory database of Osaurus by its schema, without changing it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import apsw

from ashd import errors
from ashd.store.connection import connect

_QUERIES: Final = {
    "override": "select id, content from user_edits where deleted_at is null order by id",
    # In order of time, so that a correction comes after what it corrects.
    "fact": (
        "select id, agent_id, type, content, tags, created_at, valid_until from memory_entries"
        " where status = 'active' order by created_at, id"
    ),
    "message": (
        "select conversation_id, id, role, content, created_at from conversation_chunks"
        " order by conversation_id, chunk_index, id"
    ),
    "entity": "select id, name, type from entities order by created_at, id",
    "relation": (
        "select r.id, s.name as source, r.relation, t.name as target, r.valid_from, r.valid_until"
        " from relationships r join entities s on s.id = r.source_id"
        " join entities t on t.id = r.target_id order by r.created_at, r.id"
    ),
}


def rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (kind, row by column) of everything in the file that is worth importing.

    Raises:
        errors.InvalidParams: the file is no such database.
    """
    try:
        with closing(connect(path, read_only=True)) as connection:
            _require_tables(connection)
            for kind, sql in _QUERIES.items():
                cursor = connection.execute(sql)
                for row in cursor:
                    names = [column[0] for column in cursor.get_description()]
                    yield kind, dict(zip(names, row, strict=True))
    except apsw.Error as error:
        raise errors.InvalidParams(
            "The file is no memory database of Osaurus that can be read.",
            "It is ~/.osaurus/memory/memory.sqlite; quit Osaurus, and copy it with its -wal.",
        ) from error


def _require_tables(connection: apsw.Connection) -> None:
    """Refuse a file with views in place of tables: reading them would run SQL from the file.

    Raises:
        errors.InvalidParams
    """
    other = connection.execute(
        "select 1 from pragma_table_list where schema = 'main' and type <> 'table' and name in"
        " ('user_edits', 'memory_entries', 'conversation_chunks', 'entities', 'relationships')"
    ).fetchone()
    if other is not None:
        raise errors.InvalidParams(
            "The file has a view where Osaurus has a table.", "Name its own memory.sqlite."
        )
