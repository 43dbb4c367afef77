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
    """Let connections of this process use the checksum VFS, over the VFS that is the default.

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
    """Give a database that has no page yet checksums."""
    if connection.pragma("page_count") == 0:
        connection.reserve_bytes("main", _BYTES_A_PAGE)


def prepare(connection: apsw.Connection) -> None:
    """Give an empty database checksums before its pages come from elsewhere, in any order.

    They are computed from the moment that the file's first page asks for them. A copy of more pages
    than the cache holds writes others before that one.
    """
    begin(connection)
    connection.pragma("user_version", 1)


def has(connection: apsw.Connection) -> bool:
    """Return whether the pages of the database have checksums."""
    return bool(connection.reserve_bytes("main") == _BYTES_A_PAGE)


def add(connection: apsw.Connection) -> None:
    """Give the pages of a database that was made without checksums theirs.

    The whole file is written anew, in one transaction; they are verified by connections that are
    opened after it.
    """
    connection.reserve_bytes("main", _BYTES_A_PAGE)
    connection.execute("vacuum")


def verify(connection: apsw.Connection, *, on: bool) -> None:
    """Switch verification for a connection: off only to write over pages that are damaged."""
    connection.pragma("checksum_verification", int(on))
