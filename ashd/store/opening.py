"""Open the database for writing: checked, migrated, with checksums, its commits counted."""

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import apsw

from ashd import log
from ashd.clock import Clock
from ashd.store import checksums, encryption, migrations, witness
from ashd.store.connection import connect, empty_log, make_durable
from ashd.store.health import Health, Warned
from ashd.store.transaction import Tx
from ashd.store.witness import Witness

_NO_CHECKSUMS: Final = Warned(
    "no_checksums",
    "The database is from before its pages had checksums: damage by the disk may go unnoticed.",
    "Free as much space as the database takes and restart the daemon; it adds them then.",
)


def open_writer(path: Path, clock: Clock, witness: Witness, health: Health) -> apsw.Connection:
    """Open or create the database, and bring it up to date.

    Raises:
        errors.StartError: it is not ours to change, or was emptied.
        apsw.Error: it cannot be used.
    """
    with _closed_on_error(connect(path, read_only=False)) as writer:
        tx = Tx(writer, clock.now(), clock.new_id)
        migrations.check(tx)
        witness.require_database(tx)
        make_durable(writer, path)
        migrations.migrate(tx)
        # Text erased just before a crash is still in the log, which nobody reads yet.
        empty_log(writer)
        # A cipher's tags take their place.
        has_checksums = encryption.key_of(path) is not None or _add_checksums(writer, health)
    if not has_checksums:
        # Connections opened after this verify them.
        writer.close()
        writer = connect(path, read_only=False)
    with _closed_on_error(writer):
        make_durable(writer, path)
        _compare_counts(Tx(writer, clock.now(), clock.new_id), writer, witness, health)
    return writer


@contextmanager
def _closed_on_error(connection: apsw.Connection) -> Iterator[apsw.Connection]:
    """Close a connection if the block fails; a failing disk may fail the closing too."""
    try:
        yield connection
    except BaseException:
        with suppress(apsw.Error):
            connection.close()
        raise


def schema_to_upgrade(path: Path) -> int | None:
    """Return the schema of a database that will be upgraded; None if it will not."""
    if not path.exists():
        return None
    try:
        with closing(connect(path, read_only=True)) as connection:
            tx = Tx(connection, 0, str)
            is_ours = tx.value("pragma application_id") == migrations.APPLICATION_ID
            return migrations.pending(tx) if is_ours else None
    except apsw.Error:
        return None  # opening it will say what is wrong


def last_commit(path: Path) -> tuple[bytes, int] | None:
    """Return which commit a database ends with; None if it does not count them, or has no table."""
    try:
        with closing(connect(path, read_only=True)) as connection:
            return witness.last_commit(Tx(connection, 0, str))
    except apsw.Error:
        return None


def _add_checksums(writer: apsw.Connection, health: Health) -> bool:
    """Add checksums, if there is space for them; return whether the connection verifies them."""
    if checksums.has(writer):
        return True
    try:
        checksums.add(writer)
    except apsw.FullError:
        health.warn(_NO_CHECKSUMS)
        return True
    log.info("checksums_added")
    return False


def _compare_counts(tx: Tx, writer: apsw.Connection, witness: Witness, health: Health) -> None:
    """Check whether commits were lost since the daemon last ran."""
    writer.execute("begin immediate")
    lost = witness.begin(tx)
    number = witness.count(tx)
    writer.execute("commit")
    # In the file, not only in the log: without its id, a database that loses the log looks new.
    empty_log(writer)
    witness.committed(number)
    if lost:
        health.warn(
            Warned(
                "writes_lost",
                f"{lost} commits that had been acknowledged are no longer in the database.",
                "Its write-ahead log was cut, damaged or removed. Compare with the newest backup; "
                "`ash doctor --fix` ends this warning.",
            )
        )
