"""Databases of a server as a daemon opens them, and a table for tests to write to."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from services import FixedClock

from ashd.store.database import Database, Tx


@contextmanager
def opened(url: str, path: Path) -> Iterator[Database]:
    """Open the database as a daemon does."""
    db = Database.open(path / "ash.db", FixedClock(), url)
    try:
        yield db
    finally:
        db.close()


def put(name: str) -> Any:
    """Work that stores a name."""
    return lambda tx: tx.run(
        "insert into copies (path, kind, made_at) values (?, 'export', 1)", name
    )


def stored_names(tx: Tx) -> list[str]:
    """The names that are stored."""
    return [row[0] for row in tx.all("select path from copies order by path")]


def warnings(db: Database) -> set[str]:
    """The names of the daemon's warnings."""
    return {one.name for one in db.health.warnings()}


def end_others(url: str) -> None:
    """Let the server end every other connection to the database, as an operator may."""
    with psycopg.connect(url, autocommit=True) as admin:
        end_all(admin)


def end_all(admin: psycopg.Connection[Any]) -> None:
    """Let the server end all connections to the database of this one, which stays."""
    admin.execute(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity"
        " where datname = current_database() and pid <> pg_backend_pid()"
    )
