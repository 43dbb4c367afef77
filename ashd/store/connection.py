"""Connections to SQLite: opening them, and translating their errors."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import apsw

from ashd import errors, log
from ashd.store import checksums, encryption
from ashd.store.encryption import Key
from ashd.store.health import Health, error_of, is_damage, is_full

Reader = Callable[[], AbstractContextManager[apsw.Connection]]
"""Opens a connection for a long read of a database."""

_BUSY_MILLISECONDS: Final = 5_000
"""The time a connection waits for another that has the file locked."""
OLDEST_SQLITE: Final = (3, 51, 3)
"""Before it, a write during a checkpoint could reset the WAL and corrupt the file."""


def check_sqlite() -> None:
    """Refuse an SQLite version that could lose acknowledged writes.

    Raises:
        errors.StartError: it is too old.
    """
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < OLDEST_SQLITE:
        raise errors.StartError(
            f"SQLite {apsw.sqlite_lib_version()} can corrupt a database in WAL mode; "
            "install apsw 3.51.3 or newer."
        )


def connect(path: Path, *, read_only: bool) -> apsw.Connection:
    """Open a connection that can hold vectors, trusts no schema and checks what it reads."""
    flags = (
        apsw.SQLITE_OPEN_READONLY
        if read_only
        else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    )
    key = encryption.key_of(path)
    if key is None:
        checksums.register()
        # A copy with another key is named by an address.
        flags |= apsw.SQLITE_OPEN_URI if encryption.is_used() else 0
        connection = apsw.Connection(str(path), flags=flags, vfs=checksums.VFS)
    else:
        flags |= apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(str(path), flags=flags, vfs=encryption.vfs())
        encryption.unlock(connection, key)
    connection.set_busy_timeout(_BUSY_MILLISECONDS)
    # Without it the full-text index has its statement planned anew for each word and segment.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.enable_load_extension(True)
    connection.load_extension(_vec0())
    connection.enable_load_extension(False)
    connection.pragma("trusted_schema", 0)
    connection.pragma("cell_size_check", 1)
    connection.pragma("temp_store", "memory")
    return connection


def opens(path: Path, key: Key) -> bool:
    """Return whether a key opens an encrypted file, by its first page; the file is only read.

    Raises:
        errors.StartError: the disk failed.
    """
    try:
        with encryption.keyed(path, key):
            connection = connect(path, read_only=True)
        try:
            connection.pragma("user_version")
        finally:
            # The last one to close locks the file to write the log back, which this one cannot.
            with suppress(apsw.Error):
                connection.close()
    except apsw.NotADBError:
        return False
    except apsw.CorruptError:
        return True  # the key fits what the page says, and the doctor says what is wrong
    except apsw.Error as error:
        raise errors.StartError(why_not(error, path)) from error
    return True


def reader_of(path: Path) -> Reader:
    """Return the reader of a database that is found by its name."""
    return lambda: closing(connect(path, read_only=True))


def make_durable(connection: apsw.Connection, path: Path) -> None:
    """Set up the writer so that acknowledged data is durable and deleted data is overwritten."""
    if encryption.key_of(path) is None:
        checksums.begin(connection)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.pragma("secure_delete", 1)
    connection.pragma("foreign_keys", 1)
    os.chmod(path, 0o600)  # noqa: PTH101  the file holds a life; nobody else reads it


def empty_log(connection: apsw.Connection, then: Callable[[], None] = lambda: None) -> bool:
    """Empty the write-ahead log, outside a transaction; return False while a reader needs it.

    `then` is called while the log is empty: nobody else writes.
    """
    try:
        # Copy what can be copied without waiting; then new readers need no log.
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        connection.set_busy_timeout(0)
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError:
        return False
    finally:
        connection.set_busy_timeout(_BUSY_MILLISECONDS)
    then()
    return True


def _vec0() -> str:
    """Return the extension's file, without importing its package, which would load numpy."""
    spec = find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        raise errors.StartError("The package sqlite-vec is missing; install ashd again with pip.")
    return str(Path(spec.submodule_search_locations[0]) / "vec0")


def as_ash_error(
    error: Exception, health: Health | None = None, connection: apsw.Connection | None = None
) -> Exception:
    """Return SQLite's errors as the daemon's own, others as they are.

    Failures of the disk are noted in `health`, if it is given, by the error number that the system
    gave the connection.
    """
    if isinstance(error, apsw.InterruptError):
        return errors.StorageError(
            "The query took too long and was stopped.", "Ask for less: a shorter query, a filter."
        )
    if isinstance(error, apsw.Error):
        system = connection.system_errno if connection else 0
        known = health.failed(error, system) if health else error_of(error)
        if known is not None:
            return known
        # SQLite's message names tables and columns, never their content.
        log.error("statement_failed", error=type(error).__name__, reason=str(error))
        failure = errors.StorageError(
            f"The database failed ({type(error).__name__}).",
            "Nothing was changed. The daemon's log says why (statement_failed).",
        )
        failure.__cause__ = error
        return failure
    return error


def why_not(error: apsw.Error, path: Path) -> str:
    """Return why the daemon cannot start on this file, and what to do."""
    if is_full(error):
        return f"The disk that holds {path} is full. Free some space and start again."
    if is_damage(error):
        return damaged(path)
    if isinstance(error, apsw.CantOpenError | apsw.ReadOnlyError | apsw.PermissionsError):
        return f"{path} cannot be opened for writing. Check who owns it and its folder."
    if isinstance(error, apsw.BusyError):
        return f"{path} is in use by another program. Stop that program first."
    if isinstance(error, apsw.IOError):
        return f"The disk refused to read or write {path}. Look at the system's log (dmesg)."
    return f"{path} cannot be used ({type(error).__name__}: {error})."


def damaged(path: Path) -> str:
    """Return why a database with damaged tables does not start, and what to do."""
    return (
        f"{path} is damaged. `ash doctor --offline` shows what is hurt, and which backup is the"
        " newest; `ash db restore FILE` puts it in its place."
    )


@contextmanager
def own_errors() -> Iterator[None]:
    """Raise SQLite's errors of a block as ours."""
    try:
        yield
    except apsw.Error as error:
        raise as_ash_error(error) from error
