"""A database file that is to replace another: checked, compared, brought up to date.

Nobody else has either file open. A damaged file is not compared.
"""

from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

import apsw

from ashd import errors
from ashd.clock import Clock
from ashd.store import audit, clock_marks, copies, encryption, migrations, witness
from ashd.store.connection import connect, opens, own_errors
from ashd.store.transaction import Tx
from ashd.store.verified_copy import row_counts

_HEADER: Final = b"SQLite format 3\0"


class Current(NamedTuple):
    """Data from the database in use, before it is replaced."""

    counts: dict[str, int]
    memories: frozenset[str]
    revoked: dict[str, int]
    """The time at which each grant was revoked, or was seen to expire."""
    copies: list[copies.Copy]


class UpdateMemory(NamedTuple):
    """Counts of lost and returning memories, by id, so that an edit counts as neither."""

    lost: int
    returning: int


def require_database(path: Path) -> None:
    """Refuse a file that does not begin like a SQLite database, or that the key does not open.

    Raises:
        errors.InvalidParams: it is of another kind, or of another key.
        errors.StorageError: it cannot be read.
    """
    if encryption.is_encrypted(path):
        key = encryption.key_of(path)
        if key is None or not opens(path, key):
            raise errors.InvalidParams(
                f"{path} is encrypted with another key.",
                "`ash db restore FILE --phrase` asks for the recovery phrase of its key.",
            )
        return
    try:
        with path.open("rb") as file:
            begins = file.read(len(_HEADER))
    except OSError as error:
        raise errors.StorageError(f"{path} cannot be read ({error.strerror}).") from error
    if begins != _HEADER:
        raise errors.InvalidParams(
            f"{path} is no database, or its beginning was overwritten.",
            "Name a file that `ash db backup` made; `ash db import` reads exports.",
        )


def read_current(path: Path, clock: Clock) -> Current | None:
    """Read the database in use; None if it is absent or too damaged."""
    if not path.exists():
        return None
    try:
        with closing(connect(path, read_only=False)) as connection:
            tx = Tx(connection, clock.now(), clock.new_id)
            return Current(
                counts=row_counts(connection),
                memories=frozenset(row[0] for row in tx.all("select uuid from memories")),
                revoked=_closed_grants(tx),
                copies=_noted_copies(tx),
            )
    except apsw.Error:
        return None


def copies_of(path: Path, clock: Clock) -> list[copies.Copy]:
    """Return the backups and exports that a sound database remembers."""
    if not path.exists():
        return []
    with own_errors(), closing(connect(path, read_only=True)) as connection:
        return _noted_copies(Tx(connection, clock.now(), clock.new_id))


def _noted_copies(tx: Tx) -> list[copies.Copy]:
    has_copies = tx.value("select count(*) from sqlite_schema where name = 'copies'")
    return copies.noted(tx) if has_copies else []


def _closed_grants(tx: Tx) -> dict[str, int]:
    columns = {row[0] for row in tx.all("select name from pragma_table_info('grants')")}
    closed = "coalesce(revoked_at, expired_at)" if "expired_at" in columns else "revoked_at"
    return dict(tx.all(f"select id, {closed} from grants where {closed} is not null"))


def bring_up_to_date(path: Path, clock: Clock) -> int | None:
    """Migrate a copy to the schema of this ashd; return its earlier schema, if it had another.

    Raises:
        errors.StartError: it is of a newer ashd, or of another program.
        errors.StorageError: it is damaged.
    """
    with own_errors(), closing(connect(path, read_only=False)) as connection:
        tx = Tx(connection, clock.now(), clock.new_id)
        migrations.check(tx)
        earlier = migrations.pending(tx)
        migrations.migrate(tx)
        return earlier


def change(path: Path, current: Current | None) -> UpdateMemory:
    """Compare the memories of a copy with those of the database in use."""
    with own_errors(), closing(connect(path, read_only=True)) as connection:
        found = {row[0] for row in connection.execute("select uuid from memories")}
    known = current.memories if current else frozenset()
    return UpdateMemory(lost=len(known - found), returning=len(found - known))


def carry_over(path: Path, current: Current | None, clock: Clock) -> int:
    """Copy into a copy what a restore must not undo; return how many grants it closes.

    A grant that was revoked, or expired, stays closed. If the database in use cannot be read, every
    grant ends. The list of copies continues, and the audit has the restore.
    """
    with own_errors(), closing(connect(path, read_only=False)) as connection:
        tx = Tx(connection, clock.now(), clock.new_id)
        witness.new_id(tx)
        clock_marks.forget(tx)
        in_force = "revoked_at is null"
        if current is None:
            closed = tx.run(f"update grants set revoked_at = ? where {in_force}", tx.now)
        else:
            closed = sum(
                tx.run(f"update grants set revoked_at = ? where id = ? and {in_force}", at, grant)
                for grant, at in current.revoked.items()
            )
            for copy in current.copies:
                copies.note(tx, copy)
        _end(tx, "db.restore")
    return closed


def note(path: Path, clock: Clock, method: str) -> None:
    """Record in the audit of a database that nobody has open what is done to it."""
    with own_errors(), closing(connect(path, read_only=False)) as connection:
        _end(Tx(connection, clock.now(), clock.new_id), method)


def _end(tx: Tx, method: str) -> None:
    """Record a method in the audit, and leave one file without a WAL."""
    audit.note(tx, method)
    tx.connection.pragma("wal_checkpoint(truncate)")
    tx.connection.pragma("journal_mode", "delete")


def write_back_wal(path: Path) -> None:
    """Write the WAL that a kill left into the database file, if it can be read at all."""
    try:
        with closing(connect(path, read_only=False)) as connection:
            connection.pragma("journal_mode", "delete")
    except apsw.Error:
        return  # the WAL remains beside the file
