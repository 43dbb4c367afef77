"""Copies of a database: whole and verified, however large they are. Budget: 2 s."""

from pathlib import Path

import apsw
import pytest

from ashd.store import checksums, encryption, verified_copy
from ashd.store.connection import connect, make_durable, reader_of

pytestmark = pytest.mark.sqlite_file


def large(path: Path, *, checked: bool) -> apsw.Connection:
    """A database in WAL mode, larger than SQLite's cache, that its writer has open."""
    writer = connect(path, read_only=False)
    if checked:
        make_durable(writer, path)
    else:
        writer.pragma("journal_mode", "wal")
    writer.execute("create table notes (id integer primary key, text blob)")
    writer.execute("create table counts (id integer primary key, n integer)")
    for _ in range(60):
        with writer:
            writer.execute("insert into notes (text) values (randomblob(100000))")
            writer.execute("insert into counts (n) values (1)")
        with writer:
            writer.execute("update counts set n = n + 1")
    return writer


@pytest.mark.parametrize("checked", [True, False], ids=["checksums", "no checksums"])
def test_a_copy_larger_than_the_cache_is_sound(tmp_path: Path, *, checked: bool) -> None:
    """Pages are written in any order, each with its checksum."""
    source, target = tmp_path / "source.db", tmp_path / "target.db"
    writer = large(source, checked=checked)

    counts = verified_copy.make(
        reader_of(source), target, progress=lambda *_: None, check_cancelled=lambda: None
    )

    writer.close()
    assert counts == {"counts": 60, "notes": 60}
    is_plain = encryption.key_of(target) is None
    assert checksums.has(connect(target, read_only=True)) == (checked and is_plain)
