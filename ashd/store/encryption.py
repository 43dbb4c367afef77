"""Encryption of the database's pages, by SQLite3MultipleCiphers (the package `apsw-sqlite3mc`).

A process has one key, or none. With a key every database file that it makes is encrypted, and a
file that begins like one of SQLite is read as it is: a backup from before, or another program's. A
page that was changed is an error: the cipher (AEGIS-256) authenticates what it decrypts, which
takes the place of checksums. Without a key nothing here runs but a look at two variables.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import apsw

from ashd.store import cipher_package

KEY_BYTES: Final = 32
_CIPHER: Final = "aegis"
_VFS_PREFIX: Final = "multipleciphers-"
_PLAIN: Final = b"SQLite format 3\0"
_HEADER_BYTES: Final = 24
_BEGIN_OF_RESERVE: Final = 20
_RESERVED: Final = bytes((64, 64, 32, 32))
"""The bytes a page for AEGIS-256, and three that SQLite's format fixes; they are not encrypted."""
_READ_ONLY: Final = (apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0)


@dataclass(frozen=True)
class Key:
    """A key of a database; its text never shows it."""

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse another length."""
        if len(self.secret) != KEY_BYTES:
            raise ValueError(f"a key has {KEY_BYTES} bytes")

    @property
    def pragma(self) -> str:
        """The key in the form that uses it as it is, without deriving another one from it."""
        return f"raw:{self.secret.hex()}"


class _Keys:
    """The keys of this process."""

    own: Key | None = None
    vfs: str = ""
    of: dict[Path, Key | None]


_KEYS: Final = _Keys()
_KEYS.of = {}


def use(key: Key | None) -> None:
    """Make this process encrypt the databases that it makes, and read those of this key.

    Raises:
        errors.StartError: the package that can is missing, or mixed with the other one.
    """
    if key is not None:
        cipher_package.require()
        # As long as the checksum VFS is not above it, which cannot be stacked with ciphers.
        _KEYS.vfs = _KEYS.vfs or _VFS_PREFIX + apsw.vfs_names()[0].removeprefix(_VFS_PREFIX)
    _KEYS.own = key


@contextmanager
def keyed(path: Path, key: Key | None) -> Iterator[None]:
    """Use another key, or none, for one file: that of a copy to be made, or of an older backup."""
    before = dict(_KEYS.of)
    _KEYS.of[path] = key
    try:
        yield
    finally:
        _KEYS.of = before


def key_of(path: Path) -> Key | None:
    """Return the key with which to open a file; None if it is plain, or this process has none."""
    if _KEYS.own is None:
        return None
    key = _KEYS.of.get(path, _KEYS.own)
    return None if key is None or is_plain(path) else key


def is_used() -> bool:
    """Return whether this process encrypts."""
    return _KEYS.own is not None


def vfs() -> str:
    """Return the VFS for encrypted databases: named, as the checksum VFS may be the default."""
    return _KEYS.vfs


def unlock(connection: apsw.Connection, key: Key) -> None:
    """Give a new connection the key. A wrong one shows at the first read (`apsw.NotADBError`)."""
    connection.pragma("cipher", _CIPHER)
    connection.pragma("key", key.pragma)


def uri(path: Path, key: Key) -> str:
    """Return the name of a new file with its key, for `vacuum into`; never to be shown."""
    return f"{path.as_uri()}?vfs={_KEYS.vfs}&cipher={_CIPHER}&key={key.pragma}"


def remove(connection: apsw.Connection) -> None:
    """Decrypt the file of a connection in place, and free the bytes of its pages for checksums."""
    connection.pragma("rekey", "")


def is_plain(path: Path) -> bool:
    """Return whether a file begins like a database of SQLite that is not encrypted."""
    return _header(path).startswith(_PLAIN)


def is_encrypted(path: Path) -> bool:
    """Return whether a file looks like one that was encrypted here: by what is not encrypted."""
    header = _header(path)
    return not header.startswith(_PLAIN) and header[_BEGIN_OF_RESERVE:] == _RESERVED


def _header(path: Path) -> bytes:
    """Read a file's beginning; through SQLite, as closing another handle would drop its locks."""
    try:
        file = apsw.VFSFile("unix", os.path.realpath(path), list(_READ_ONLY))  # follows no link
    except apsw.Error:
        return b""
    try:
        return file.xRead(min(_HEADER_BYTES, file.xFileSize()), 0)
    except apsw.Error:
        return b""  # who opens it meets the same failure
    finally:
        file.xClose()
