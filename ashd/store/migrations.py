"""Brings a database to the newest schema: numbered files, each once, in one transaction each.

The files are append-only; a database that a newer ashd has written is refused, never guessed at.
"""

from importlib.resources import files
from typing import Final

from ashd import errors
from ashd.language.fingerprint import digest
from ashd.store.transaction import Tx

APPLICATION_ID: Final = 0x41534844
"""`ASHD` in the file's header: what this database is, for the `file` command and for us."""

_ONE_TABLE_OF_VECTORS: Final = 9


def schema_files() -> list[tuple[int, str]]:
    """(number, SQL) of every migration, in order."""
    folder = files("ashd.store") / "schema"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(int(name[:4]), (folder / name).read_text(encoding="utf-8")) for name in names]


def check(tx: Tx) -> None:
    """Look whether the file is ours to change; it is not changed by looking.

    Raises:
        errors.StartError: the database is of a newer version, or of another program.
    """
    newest = schema_files()[-1][0]
    version: int = tx.value("pragma user_version")
    application: int = tx.value("pragma application_id")
    if version > newest:
        raise errors.StartError(
            f"The database has schema {version}; this ashd knows {newest}. "
            "Install the newer ashd again: an older one would damage it."
        )
    if application not in {0, APPLICATION_ID} or (application == 0 and _has_tables(tx)):
        raise errors.StartError(
            "The file at the database's path belongs to another program. "
            "Name another path ([storage] path) or move the file away."
        )


def migrate(tx: Tx) -> None:
    """Apply what is missing to a database that `check` let through."""
    version: int = tx.value("pragma user_version")
    tx.define("text_digest", digest)
    for number, sql in schema_files():
        if number > version:
            tx.all(
                f"begin immediate;{sql}\n;{_drops(tx, number)}pragma user_version = {number};"
                f"pragma application_id = {APPLICATION_ID};commit"
            )


def _drops(tx: Tx, number: int) -> str:
    """SQL that drops the tables a migration replaces whose names no file can know.

    Up to 8 each set of vectors had a vec0 table of its own.
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
