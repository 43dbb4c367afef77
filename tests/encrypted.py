"""Encrypted homes for tests, and a mark for those that need a SQLite with ciphers."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from daemons import ENCRYPTED, Daemon

from ashd.store import cipher_package, encryption
from ashd.store.connection import connect

needs_ciphers = pytest.mark.skipif(
    not cipher_package.is_there(),
    reason="needs apsw-sqlite3mc in the place of apsw: make test-encrypted",
)
needs_plain_pages = pytest.mark.skipif(
    ENCRYPTED is not None, reason="is about pages that are not encrypted"
)


def key_file(home: Path) -> Path:
    """The file of a home's key, outside of the home."""
    return home.with_name(f"{home.name}.key")


def encrypt_at_next_start(daemon: Daemon, more: str = "") -> None:
    """Set encryption in the configuration, with the key in a file."""
    daemon.config(f'[storage]\nencryption = true\nkey_file = "{key_file(daemon.home)}"\n{more}')


def readable(data: Path, to: Path) -> Path:
    """Copy a database and its log to an empty folder, where a scan can read them; return that.

    Of an encrypted one the copy is decrypted in place, every page of it.

    Raises:
        apsw.Error: the files are not of one moment, as a daemon writes them.
    """
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir()
    for name in ("ash.db", "ash.db-wal", "ash.db-shm"):
        if (data / name).exists():
            shutil.copy(data / name, to)
    if encryption.is_encrypted(to / "ash.db"):
        (to / "ash.db-shm").unlink(missing_ok=True)
        with closing(connect(to / "ash.db", read_only=False)) as connection:
            connection.pragma("journal_mode", "delete")
            encryption.remove(connection)
    return to
