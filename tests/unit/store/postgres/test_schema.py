"""PostgreSQL's schema is that of SQLite, and only a server and a schema that fit are used."""

from collections.abc import Callable
from random import Random
from typing import Any

import psycopg
import pytest
from schema_translation import statements

from ashd import errors
from ashd.store import migrations, rejected_references
from ashd.store.postgres import schema
from ashd.store.postgres.connection import Connection
from ashd.store.postgres.postgres_dialect import PostgresDialect
from ashd.store.transaction import Tx

OF_THE_SERVER = {"commits", "schema_version", "passage_fts_docsize"}
"""Tables and views that SQLite's schema does not have."""

_COLUMNS = """
select c.relname, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull,
    a.attidentity, l.collname, pg_get_expr(d.adbin, d.adrelid)
from pg_class c join pg_attribute a on a.attrelid = c.oid
left join pg_collation l on l.oid = a.attcollation
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
where c.relnamespace = %s::regnamespace and c.relkind in ('r', 'v') and a.attnum > 0
"""
_CONSTRAINTS = """
select c.relname, pg_get_constraintdef(k.oid) from pg_constraint k
join pg_class c on c.oid = k.conrelid where c.relnamespace = %s::regnamespace
"""
_INDEXES = "select tablename, indexdef from pg_indexes where schemaname = %s"


def test_the_first_file_is_the_translation_of_sqlites_schema(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Up to its own number; it cannot change any more once a server has it."""
    number, sql = schema.schema_files()[0]
    of_sqlite = migrations.schema_files()
    monkeypatch.setattr(
        migrations, "schema_files", lambda: [one for one in of_sqlite if one[0] <= number]
    )

    _, _, made = sql.partition("\n\n")
    assert made == ";\n\n".join(statements()) + ";\n"


def test_each_later_migration_of_sqlite_has_its_counterpart() -> None:
    """The numbers are the same, so a version means the same schema on both engines."""
    first = schema.schema_files()[0][0]

    assert [number for number, _ in schema.schema_files()] == [
        number for number, _ in migrations.schema_files() if number >= first
    ]


def test_a_migrated_database_has_the_newest_schema_of_sqlite(
    empty: Callable[[], Connection],
) -> None:
    """Tables, columns, types, keys and indexes are those of a new SQLite database, translated."""
    migrated, translated = empty(), empty()
    schema.migrate(migrated.raw)
    translated.raw.execute("create schema ashd")
    for statement in statements():
        translated.raw.execute(statement)
    # No search reads what is not yet merged into the index.
    translated.raw.execute("alter index ashd.passage_fts_by_terms set (fastupdate = off)")

    for query in (_COLUMNS, _CONSTRAINTS, _INDEXES):
        assert _rows(migrated, query) == _rows(translated, query)


def _rows(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    rows = connection.raw.execute(query, ("ashd",)).fetchall()
    return sorted((row for row in rows if row[0] not in OF_THE_SERVER), key=repr)


def test_migrating_again_changes_nothing(empty: Callable[[], Connection]) -> None:
    """Each start migrates."""
    connection = empty()
    schema.migrate(connection.raw)
    connection.raw.execute("insert into meta (key, value) values ('clock', 5)")
    before = [_rows(connection, query) for query in (_COLUMNS, _CONSTRAINTS, _INDEXES)]
    schema.migrate(connection.raw)

    assert [_rows(connection, query) for query in (_COLUMNS, _CONSTRAINTS, _INDEXES)] == before
    assert connection.raw.execute("select value from meta").fetchall() == [("5",)]


def test_only_missing_migrations_are_applied(
    empty: Callable[[], Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new file is applied once, and all or nothing."""
    connection = empty()
    schema.migrate(connection.raw)
    files = schema.schema_files()
    newest = files[-1][0]
    added = (newest + 1, "create table added (id bigint); create table twice (id bigint);")
    broken = (newest + 2, "create table more (id bigint); create table twice (id bigint);")

    monkeypatch.setattr(schema, "schema_files", lambda: [*files, added, broken])
    with pytest.raises(psycopg.errors.DuplicateTable):
        schema.migrate(connection.raw)
    assert _version(connection) == newest
    assert connection.raw.execute("select to_regclass('added')").fetchone() == (None,)

    monkeypatch.setattr(schema, "schema_files", lambda: [*files, added])
    schema.migrate(connection.raw)
    schema.migrate(connection.raw)
    assert _version(connection) == newest + 1


def _version(connection: Connection) -> int:
    found = connection.raw.execute("select version from schema_version").fetchall()
    return int(found[0][0])


def test_a_schema_of_a_newer_ashd_is_refused(empty: Callable[[], Connection]) -> None:
    """An older ashd would damage it."""
    connection = empty()
    schema.migrate(connection.raw)
    connection.raw.execute("update schema_version set version = 4711")

    with pytest.raises(errors.StartError, match=r"has schema 4711.*newer ashd again"):
        schema.migrate(connection.raw)
    assert _version(connection) == 4711


@pytest.mark.parametrize(
    "made",
    [
        "create schema ashd; create table ashd.people (id bigint)",
        "create schema ashd; create function ashd.lower() returns bigint return 1",
        "create schema ashd; create type ashd.mood as enum ('glad')",
    ],
    ids=["a table", "a function", "a type"],
)
def test_a_schema_of_another_program_is_refused(empty: Callable[[], Connection], made: str) -> None:
    """Whatever it holds stays as it is."""
    connection = empty()
    connection.raw.execute(made)
    objects = "select count(*) from pg_class where relnamespace = 'ashd'::regnamespace"
    before = connection.raw.execute(objects).fetchone()

    with pytest.raises(errors.StartError, match="not of this program"):
        schema.migrate(connection.raw)
    assert connection.raw.execute(objects).fetchone() == before


def test_a_schema_that_the_role_owns_is_enough(empty: Callable[[], Connection]) -> None:
    """It need not have the right to make others in the database, at any start."""
    connection = empty()
    connection.execute("create schema ashd")
    connection.execute("revoke create on database {} from {}".format(*_names(connection)))

    for _ in range(2):
        schema.migrate(connection.raw)


def _names(connection: Connection) -> Any:
    """The names of the database and of its role."""
    return connection.execute("select current_database(), current_user").fetchone()


def test_an_old_server_is_refused(
    empty: Callable[[], Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its version and the oldest that will do are named."""
    connection = empty()
    version = connection.raw.info.server_version
    monkeypatch.setattr(schema, "OLDEST_SERVER", version + 10_000)
    one, other = version // 10_000, version // 10_000 + 1

    with pytest.raises(errors.StartError, match=rf"of version {one}.* {other} or newer"):
        schema.migrate(connection.raw)


def test_a_database_in_another_encoding_is_refused(server: str) -> None:
    """It could not hold every text."""
    with psycopg.connect(server, autocommit=True) as admin:
        name = "ash_unit_latin1"
        admin.execute(f"drop database if exists {name}")
        admin.execute(f"create database {name} encoding 'LATIN1' locale 'C' template template0")
        connection = Connection(psycopg.conninfo.make_conninfo(server, dbname=name))
        with pytest.raises(errors.StartError, match="UTF-8"):
            schema.migrate(connection.raw)
        connection.close()
        admin.execute(f"drop database {name} with (force)")


def test_the_longest_reference_fits(empty: Callable[[], Connection]) -> None:
    """An ordinary index takes 2,704 bytes of a row; a reference has 1,000 characters of 4 bytes."""
    connection = empty()
    schema.migrate(connection.raw)
    connection.raw.execute(
        "insert into people (id, uuid, name, named, named_at, created_at, updated_at, active_at)"
        " values (1, 'p', 'Anna', 1, 0, 0, 0, 0)"
    )
    connection.raw.execute(
        "insert into accounts (id, provider, user_id, person, own_person, created_at, updated_at)"
        " values (1, 'test', 'anna', 1, 1, 0, 0)"
    )
    chance = Random(0)
    keys = ["".join(chr(chance.randrange(0x20000, 0x2A000)) for _ in range(1_000)) for _ in "ab"]
    tx = Tx(connection, 0, str, dialect=PostgresDialect())
    for key in [*keys, *keys]:
        rejected_references.add(tx, 1, key, 1)

    assert tx.value("select count(*) from not_identified") == 2
    assert rejected_references.persons(tx, [1], [keys[1]]) == [1]
