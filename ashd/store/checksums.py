"""Checksums of the database's pages, by SQLite's checksum VFS: a page that changed is an error.

Every connection of the process goes through it. A file that was made with it must not be written by
a program without it (the `sqlite3` command, for one): its pages would count as damaged.
"""

from functools import cache
from typing import Final

import apsw
import apsw.sqlite_extra

from ashd import errors

VFS: Final = "cksmvfs"
_BYTES_A_PAGE: Final = 8


@cache
def register() -> None:
    """Make connections of this process use the checksum VFS, above the default one.

    Raises:
        errors.StartError: apsw was installed without it.
    """
    connection = apsw.Connection(":memory:")
    try:
        apsw.sqlite_extra.load(connection, "cksumvfs")
    except (apsw.sqlite_extra.NotAvailable, apsw.ExtensionLoadingError) as error:
        raise errors.StartError(
            "apsw was installed without SQLite's checksum extension. "
            "Install its wheel: pip install --only-binary :all: --force-reinstall apsw."
        ) from error
    finally:
        connection.close()


def begin(connection: apsw.Connection) -> None:
    """Enable checksums in a database without pages."""
    if connection.pragma("page_count") == 0:
        connection.reserve_bytes("main", _BYTES_A_PAGE)


def prepare(connection: apsw.Connection) -> None:
    """Enable checksums in an empty database before its pages are copied, in any order.

    They are computed once the file's first page asks for them; a copy of more pages than the cache
    holds writes others before that one.
    """
    begin(connection)
    connection.pragma("user_version", 1)


def has(connection: apsw.Connection) -> bool:
    """Return whether the pages of the database have checksums."""
    return bool(connection.reserve_bytes("main") == _BYTES_A_PAGE)


def add(connection: apsw.Connection) -> None:
    """Add checksums to the pages of a database made without them.

    The whole file is rewritten in one transaction; connections opened after that verify them.
    """
    connection.reserve_bytes("main", _BYTES_A_PAGE)
    connection.execute("vacuum")


def verify(connection: apsw.Connection, *, on: bool) -> None:
    """Switch verification for a connection: off only to write over pages that are damaged."""
    connection.pragma("checksum_verification", int(on))
