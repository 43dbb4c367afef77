"""Bring a database to the newest schema: numbered files, each once, all in one transaction.

The files are append-only; a database written by a newer ashd is refused.
"""

import shlex
from collections.abc import Callable
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import apsw

from ashd import errors
from ashd.language.fingerprint import digest
from ashd.language.folding import fold_entity
from ashd.language.ngrams import index_grams
from ashd.store.transaction import Tx

APPLICATION_ID: Final = 0x41534844
"""The application id `ASHD` in the file's header, by which this program and the `file` command
recognise the database.
"""

_ONE_TABLE_OF_VECTORS: Final = 9


def schema_files() -> list[tuple[int, str]]:
    """(number, SQL) of every migration, in order."""
    folder = files("ashd.store") / "schema"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), (folder / name).read_text(encoding="utf-8")) for name in names]


def check(tx: Tx) -> None:
    """Check that the file may be changed by this ashd; the check changes nothing.

    Raises:
        errors.StartError: the database is of a newer version, or of another program.
    """
    newest = schema_files()[-1][0]
    version: int = tx.value("pragma user_version")
    application: int = tx.value("pragma application_id")
    if version > newest:
        backups = Path(tx.connection.filename).parent / "backups"
        raise errors.StartError(
            f"The database has schema {version}; this ashd knows {newest}. "
            "Install the newer ashd again: an older one would damage it. Or go back to the backup"
            f" that an upgrade from schema {newest} made: `ash db restore"
            f" {shlex.quote(str(backups))}/before-schema-{newest}-….db` shows what would be lost,"
            " and asks."
        )
    if application not in {0, APPLICATION_ID} or (application == 0 and _has_tables(tx)):
        raise errors.StartError(
            "The file at the database's path belongs to another program. "
            "Name another path ([storage] path) or move the file away."
        )


def pending(tx: Tx) -> int | None:
    """Return the schema of a database that has to be migrated; None if it is new or up to date."""
    version: int = tx.value("pragma user_version")
    return version if 0 < version < schema_files()[-1][0] else None


def require_newest(tx: Tx) -> None:
    """Refuse a database with another schema than this ashd's, without changing it.

    Raises:
        errors.StartError
    """
    check(tx)
    version = pending(tx)
    if version is not None:
        raise errors.StartError(
            f"The database has schema {version}; this ashd reads {schema_files()[-1][0]}. "
            "Use the ashd that last ran on it."
        )


def migrate(tx: Tx) -> None:
    """Apply all missing migrations, or none, to a database that `check` has accepted.

    Raises:
        errors.StartError: an unreleased version made the database; it is left unchanged.
    """
    version: int = tx.value("pragma user_version")
    missing = [(number, sql) for number, sql in schema_files() if number > version]
    if not missing:
        return
    _define(tx, "text_digest", digest)
    _define(tx, "folded", _folded)
    _define(tx, "index_grams", index_grams)
    tx.all("begin immediate")
    try:
        for number, sql in missing:
            tx.all(f"{sql}\n;{_drops(tx, number)}pragma user_version = {number}")
        tx.all(f"pragma application_id = {APPLICATION_ID}")
        is_known = not version or _tables(tx) == _newest_tables()
    except (apsw.SQLError, apsw.ConstraintError) as error:
        tx.all("rollback")
        raise _unknown(version) from error
    except BaseException:
        if tx.connection.in_transaction:
            tx.all("rollback")
        raise
    tx.all("commit" if is_known else "rollback")
    if not is_known:
        raise _unknown(version)


def _define(tx: Tx, name: str, function: Callable[[str], str]) -> None:
    """Give SQL a function of one text, for this connection."""

    def of_value(*values: Any) -> str:
        return function(values[0])

    tx.connection.create_scalar_function(name, of_value, 1, deterministic=True)


def _folded(text: str) -> str:
    """Return a text as names of entities are compared with it, on one line."""
    return " ".join(fold_entity(text).split())


def _unknown(version: int) -> errors.StartError:
    return errors.StartError(
        f"The database has schema {version} as no released ashd made it, so it cannot be brought "
        "to the newest. It is as it was: start the version that made it, export what it holds "
        "(`ash db export`, else `ash memory list --json`), and import that here."
    )


def _tables(tx: Tx) -> set[tuple[str, str, str]]:
    """(table, column, type) of every ordinary table."""
    rows = tx.all(
        "select t.name, c.name, c.type from pragma_table_list t, pragma_table_info(t.name) c"
        " where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'"
    )
    return {(row[0], row[1], row[2]) for row in rows}


def _newest_tables() -> set[tuple[str, str, str]]:
    """Return the tables of a newly created database."""
    with closing(apsw.Connection(":memory:")) as connection:
        tx = Tx(connection, 0, str)
        migrate(tx)
        return _tables(tx)


def _drops(tx: Tx, number: int) -> str:
    """Return SQL that drops the tables a migration replaces whose names are not fixed.

    Up to version 8 each set of vectors had a vec0 table of its own.
    """
    if number != _ONE_TABLE_OF_VECTORS:
        return ""
    tables = tx.all(
        "select name from sqlite_schema where sql like 'create virtual table passage\\_vec\\_%'"
        " escape '\\'"
    )
    return "".join(f"drop table {name};" for (name,) in tables)


def _has_tables(tx: Tx) -> bool:
    return bool(tx.value("select exists (select 1 from sqlite_schema)"))
