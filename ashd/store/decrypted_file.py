"""Read an encrypted database's file as its pages are without the cipher.

A connection's own handle of the file decrypts each page that is read through it. Nothing else can:
SQLite has a table of pages (`sqlite_dbpage`), which the package is built without.
"""

import ctypes
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from ashd.store.connection import connect


class _Methods(ctypes.Structure):
    """The beginning of `sqlite3_io_methods`, as SQLite's documentation has it."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("close", ctypes.c_void_p),
        (
            "read",
            ctypes.CFUNCTYPE(
                *(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)
            ),
        ),
    )


class DecryptedFile:
    """The file of a connection, read as `apsw.VFSFile` reads a plain one."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection  # which owns the handle
        self._handle = ctypes.c_void_p()
        connection.file_control(
            "main", apsw.SQLITE_FCNTL_FILE_POINTER, ctypes.addressof(self._handle)
        )
        methods = ctypes.cast(self._handle, ctypes.POINTER(ctypes.POINTER(_Methods)))
        self._read = methods.contents.contents.read
        self.page_size = int(connection.pragma("page_size"))

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802  SQLite's name
        """Return the bytes of one page.

        Raises:
            apsw.Error: the page cannot be read, or was changed.
        """
        page = ctypes.create_string_buffer(amount)
        code = self._read(self._handle, ctypes.addressof(page), amount, offset)
        if code:
            raise apsw.exception_for(code)
        return page.raw

    def xFileSize(self) -> int:  # noqa: N802  SQLite's name
        """Return the size of the file, in bytes."""
        return Path(self._connection.filename).stat().st_size


@contextmanager
def opened(path: Path) -> Iterator[DecryptedFile]:
    """Yield the file of a database of which this process has the key."""
    with closing(connect(path, read_only=True)) as connection:
        connection.pragma("schema_version")  # the first read, before which there is no key
        yield DecryptedFile(connection)
