"""Find the damaged parts of a database file, and rebuild those that are derived.

Examining blocks its thread and reads the whole file over a separate connection. Repairing runs on
the writer's connection, outside a transaction. A damaged b-tree is never walked to free its pages,
since it may name pages of others: its entry is removed from the schema, and `vacuum` drops the
pages.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import apsw

from ashd import log
from ashd.store import checksums, dead_pages, encryption
from ashd.store.connection import Reader
from ashd.store.health import is_damage

FULL_TEXT: Final = "passage_fts"
_VECTORS: Final = frozenset({"embeddings", "passage_vectors", "embedding_queue"})
DERIVED: Final = frozenset({"passages", FULL_TEXT}) | _VECTORS
"""Tables that can be rebuilt from memories, messages and the embedder."""
_STEPS_PER_CHECK: Final = 100_000
_ERROR_CODE: Final = re.compile(r"error code=(\d+)")


class Hurt(NamedTuple):
    """The damaged parts of the database, by kind.

    `indexes` are intact tables with a damaged index.
    """

    derived: frozenset[str] = frozenset()
    indexes: frozenset[str] = frozenset()
    tables: frozenset[str] = frozenset()
    elsewhere: bool = False
    """Pages that belong to no table: the list of free pages, or unused pages."""
    by_disk: bool = False
    """The disk refused to read some of it, perhaps for a while only."""

    def __bool__(self) -> bool:
        return any(self)

    @property
    def is_repairable(self) -> bool:
        """Return whether nothing is lost for good, and the disk works."""
        return not (self.tables or self.by_disk)


def examine(reader: Reader, check: Callable[[], None]) -> Hurt:
    """Verify every page, row and index of a database; `check` is called often and may raise.

    Raises:
        apsw.Error: the file cannot be read at all.
    """
    with reader() as connection:
        interruptible(connection, check)
        problems = _problems(connection, None)
        if not problems:
            return Hurt()
        found = {name: _problems(connection, name) for name in _tables(connection)}
        hurt = {name for name, texts in found.items() if texts}
        problems += [text for texts in found.values() for text in texts]
        full_text = {name for name in hurt if _is_full_text(name)}
        indexes = {name for name in hurt - full_text if _is_readable(connection, name)}
        lost = hurt - full_text - indexes
        derived = (lost & DERIVED) | ({FULL_TEXT} if full_text else set())
        return Hurt(
            derived=frozenset(derived),
            indexes=frozenset(indexes),
            tables=frozenset(lost - DERIVED),
            elsewhere=not hurt,
            by_disk=any(map(_is_of_disk, problems)),
        )


def repair(connection: apsw.Connection, hurt: Hurt) -> None:
    """Empty damaged derived tables, rebuild damaged indexes, and drop damaged free pages.

    Raises:
        apsw.Error: what is damaged still is.
    """
    emptied = set(hurt.derived)
    if emptied & {"embeddings", "passages"}:  # the list names these pages
        emptied |= _VECTORS
    if "passages" in emptied:
        emptied.add(FULL_TEXT)
    connection.pragma("foreign_keys", 0)
    try:
        with _transaction(connection):
            for name in sorted(emptied):
                _empty(connection, name)
            for name in sorted(hurt.indexes):
                _rebuild(connection, name)
    finally:
        connection.pragma("foreign_keys", 1)
    log.warning("tables_renewed", derived=",".join(sorted(emptied)), indexes=len(hurt.indexes))
    _vacuum(connection)


def _vacuum(connection: apsw.Connection) -> None:
    """Rewrite the file without its unused pages, whose content is lost."""
    if encryption.key_of(Path(connection.filename)) is not None:
        dead_pages.overwrite(connection)
    checksums.verify(connection, on=False)
    try:
        connection.execute("vacuum")
    finally:
        checksums.verify(connection, on=True)


def interruptible(connection: apsw.Connection, check: Callable[[], None]) -> None:
    """Call `check` often while statements of a connection run; it may raise."""
    connection.set_progress_handler(partial(_go_on, check), _STEPS_PER_CHECK)


def _go_on(check: Callable[[], None]) -> bool:
    check()
    return False


def _tables(connection: apsw.Connection) -> list[str]:
    """Return the tables; those behind a virtual table come before it."""
    rows = connection.execute(
        "select name from sqlite_schema where type = 'table' order by rootpage = 0, name"
    ).fetchall()
    return [str(row[0]) for row in rows]


def _is_full_text(name: str) -> bool:
    """Return whether a table is the full-text index or a part of it."""
    return name == FULL_TEXT or name.startswith(f"{FULL_TEXT}_")


def _problems(connection: apsw.Connection, table: str | None) -> list[str]:
    """Return the problems of a table, or the first of the database; none if it is sound."""
    argument = f"('{table}')" if table else "(1)"
    try:
        rows = connection.execute(f"pragma integrity_check{argument}").fetchall()
    except apsw.Error as error:
        if not is_damage(error):
            raise
        return [type(error).__name__]
    return [str(text) for (text,) in rows if text != "ok"]


def _is_of_disk(problem: str) -> bool:
    """Return whether the check met a page that the disk did not read, over which it goes on."""
    found = _ERROR_CODE.search(problem)
    code = int(found[1]) if found else 0
    return code & 0xFF == apsw.SQLITE_IOERR and code != apsw.SQLITE_IOERR_DATA


def _is_readable(connection: apsw.Connection, table: str) -> bool:
    """Return whether every row of a table can be read without its indexes."""
    try:
        for _ in connection.execute(f'select * from "{table}" not indexed'):
            pass
    except (apsw.CorruptError, apsw.NotADBError, apsw.IOError):
        return False
    return True


@contextmanager
def _transaction(connection: apsw.Connection) -> Iterator[None]:
    """Run a block as one transaction; the schema is read anew in any case."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
    finally:
        connection.pragma("writable_schema", "reset")


def _schema(connection: apsw.Connection, where: str, *values: Any) -> list[tuple[str, str]]:
    """(name, SQL) of entries of the schema."""
    rows = connection.execute(
        f"select name, sql from sqlite_schema where sql is not null and {where}", values
    ).fetchall()
    return [(str(name), str(sql)) for name, sql in rows]


@contextmanager
def _writable_schema(connection: apsw.Connection) -> Iterator[None]:
    """Allow changes of the schema's entries; the schema is read anew after that."""
    connection.pragma("writable_schema", 1)
    yield
    connection.pragma("writable_schema", "reset")


def _empty(connection: apsw.Connection, name: str) -> None:
    """Replace a damaged table by an empty one."""
    made = _schema(connection, "tbl_name = ? order by type = 'index'", name)
    parts = f"{name}\\_%" if name == FULL_TEXT else name
    with _writable_schema(connection):
        connection.execute(
            "delete from sqlite_schema where tbl_name = ? or tbl_name like ? escape '\\'",
            (name, parts),
        )
    for _, sql in made:
        connection.execute(sql)
    if name == FULL_TEXT:
        connection.execute(
            f"insert into {FULL_TEXT} ({FULL_TEXT}, rank)"
            " values ('secure-delete', 1), ('usermerge', 2)"
        )


def _rebuild(connection: apsw.Connection, name: str) -> None:
    """Replace a table by a copy of its rows, and rebuild its indexes."""
    ((_, sql),) = _schema(connection, "type = 'table' and name = ?", name)
    indexes = _schema(connection, "type <> 'table' and tbl_name = ?", name)
    made = f"renewed_{name}"
    _, _, definition = sql.partition("(")
    connection.execute(f'create table "{made}" ({definition}')
    # The limit keeps SQLite from copying the damaged indexes with the rows.
    connection.execute(f'insert into "{made}" select * from "{name}" not indexed limit -1')
    with _writable_schema(connection):
        connection.execute("delete from sqlite_schema where tbl_name = ?", (name,))
        connection.execute(
            "update sqlite_schema set name = replace(name, ?1, ?2), tbl_name = ?2,"
            " sql = case when type = 'table' then ?3 end where tbl_name = ?1",
            (made, name, sql),
        )
    connection.execute("delete from sqlite_sequence where name = ?", (made,))
    for _, one in indexes:
        connection.execute(one)
