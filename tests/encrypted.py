"""Encrypted homes for tests, and a mark for those that need a SQLite with ciphers."""

from pathlib import Path

import pytest
from daemons import ENCRYPTED, Daemon

from ashd.store import cipher_package

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
