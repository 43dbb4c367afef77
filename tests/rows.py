"""The rows of a database, read and changed past the daemon: on a server, or in SQLite's file.

SQLite's file is opened as the daemon does it: other programs would spoil its checksums.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postgres import DATABASES

from ashd.store import connection
from ashd.store.engine import Connection, Dialect
from ashd.store.sqlite_dialect import SqliteDialect
from ashd.store.transaction import Tx


def _connected(place: Path, *, read_only: bool) -> tuple[Connection, Dialect]:
    path = place / "data" / "ash.db" if place.is_dir() else place
    if DATABASES is not None:
        from ashd.store.postgres.engine import Postgres

        engine = Postgres(DATABASES.at(path), None, path)
        return engine.open_reader(), engine.dialect
    return connection.connect(path, read_only=read_only), SqliteDialect()


@contextmanager
def opened(place: Path, *, read_only: bool = False) -> Iterator[Connection]:
    """A connection to the database at a path, or to that of a home."""
    made, _ = _connected(place, read_only=read_only)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def opened_tx(place: Path, now: int = 0, *, read_only: bool = False) -> Iterator[Tx]:
    """Yield a `Tx` that runs each statement in a transaction of its own; see `together`."""
    made, dialect = _connected(place, read_only=read_only)
    try:
        yield Tx(made, now, str, dialect=dialect)
    finally:
        made.close()


@contextmanager
def together(tx: Tx) -> Iterator[None]:
    """Commit the changes of a block at once."""
    tx.run("begin")
    yield
    tx.run("commit")


def begin(tx: Tx, chats: int, accounts: int = 0) -> None:
    """Private chats 1 to `chats`, and accounts 1 to `accounts` with a person each."""
    for number in range(1, chats + 1):
        tx.run(
            "insert into chats (id, provider, chat_id, chat_type, created_at)"
            " values (?, 'p', ?, 'private', 0)",
            *(number, str(number)),
        )
    for number in range(1, accounts + 1):
        tx.run(
            "insert into people (id, uuid, name, named, named_at, created_at, updated_at,"
            " active_at) values (?, ?, '', 0, 0, 0, 0, 0)",
            *(number, str(number)),
        )
        tx.run(
            "insert into accounts (id, provider, user_id, person, own_person, created_at,"
            " updated_at) values (?1, 'p', ?2, ?1, ?1, 0, 0)",
            *(number, str(number)),
        )
