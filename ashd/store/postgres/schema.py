"""Bring the database of a server to the newest schema, all in one transaction.

The first file is the whole schema as of its number; the following ones are migrations, numbered as
those of SQLite. `functions.sql` is run at each start.
"""

from importlib.resources import files
from typing import Any, Final

import psycopg

from ashd import errors

OLDEST_SERVER: Final = 150_000
"""The oldest version of the server, as it numbers them."""

WRITING: Final = 0x41534845
"""The advisory lock of the transaction that writes, the only one of all daemons."""

_OWN_TABLES: Final = """
create table schema_version (id bigint primary key check (id = 1), version bigint not null);
create sequence daemon_numbers as integer;
create table commits (
    number bigint primary key,
    made_at timestamptz not null default now(),
    notes text not null
);
create index commits_by_time on commits (made_at);
insert into commits (number, notes) values (1, '{}');
create view passage_fts_docsize as select rowid as id from passage_fts;
"""


def migrate(connection: psycopg.Connection[Any]) -> None:
    """Make the schema, or apply what is missing of it; nothing is changed if that fails.

    Daemons that start at the same time wait for each other; nothing is written meanwhile.

    Raises:
        errors.StartError: the server or the schema is not ours to use; nothing was changed.
        psycopg.Error
    """
    if connection.info.server_version < OLDEST_SERVER:
        raise errors.StartError(
            f"The PostgreSQL server is of version {connection.info.server_version // 10_000};"
            f" ashd needs {OLDEST_SERVER // 10_000} or newer."
        )
    with connection.transaction():
        connection.execute("select pg_advisory_xact_lock(%s)", (WRITING,))
        _require_encoding(connection)
        version = _version(connection)
        known = schema_files()
        if version > known[-1][0]:
            raise errors.StartError(
                f"The database has schema {version}; this ashd knows {known[-1][0]}. Install the"
                " newer ashd again: an older one would damage it."
            )
        # To make one takes a right that a role which owns it need not have.
        if connection.execute("select to_regnamespace('ashd')").fetchone() == (None,):
            connection.execute("create schema ashd")
        for number, sql in known:
            if number > version:
                connection.execute(sql.encode())
        if not version:
            connection.execute(_OWN_TABLES.encode())
        connection.execute(_text("functions.sql").encode())
        connection.execute(
            "insert into schema_version (id, version) values (1, %s)"
            " on conflict (id) do update set version = excluded.version",
            (known[-1][0],),
        )


def schema_files() -> list[tuple[int, str]]:
    """Return (number, SQL) of the whole schema and of the migrations after it, in order."""
    folder = files("ashd.store.postgres") / "schema"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), _text(f"schema/{name}")) for name in names]


def _text(name: str) -> str:
    return (files("ashd.store.postgres") / name).read_text(encoding="utf-8")


def _require_encoding(connection: psycopg.Connection[Any]) -> None:
    """Refuse a database that cannot hold every text.

    Raises:
        errors.StartError
    """
    row = connection.execute("show server_encoding").fetchone()
    if row != ("UTF8",):
        raise errors.StartError(
            "The database does not hold UTF-8. Make another one: createdb --encoding=UTF8"
            " --template=template0 NAME."
        )


def _version(connection: psycopg.Connection[Any]) -> int:
    """Return the number of the database's schema; 0 if it has none yet.

    Raises:
        errors.StartError: what is there is not ours.
    """
    (table,) = connection.execute("select to_regclass('ashd.schema_version')").fetchone() or (None,)
    if table is not None:
        row = connection.execute("select version from ashd.schema_version").fetchone()
        return int(row[0]) if row else 0
    (others,) = connection.execute(
        "select count(*) from pg_depend where refclassid = 'pg_namespace'::regclass"
        " and refobjid = to_regnamespace('ashd')"
    ).fetchone() or (0,)
    if others:
        raise errors.StartError(
            "The database has a schema named ashd that is not of this program. Name another"
            " database in [storage] url."
        )
    return 0
