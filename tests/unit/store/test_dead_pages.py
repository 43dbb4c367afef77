"""Pages that nothing uses are overwritten; a file is read through a connection that has read it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from encrypted import needs_plain_pages

from ashd.store import dead_pages, decrypted_file
from ashd.store.connection import connect

pytestmark = [pytest.mark.sqlite_file, needs_plain_pages]
_WORD = b"quixotry"


@pytest.fixture(params=["wal", "delete"])
def writer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[apsw.Connection]:
    """A database with a small table, and with a large one that is dropped, in its pages."""
    with closing(connect(tmp_path / "ash.db", read_only=False)) as connection:
        connection.pragma("secure_delete", 0)
        connection.pragma("journal_mode", request.param)
        connection.execute("create table small (x); create table large (x)")
        connection.execute("insert into small values ('stays'); begin")
        for _ in range(50):
            connection.execute("insert into large values (?)", (_WORD.decode() * 500,))
        connection.execute("commit; drop table large")
        yield connection


def test_pages_that_nothing_uses_are_overwritten(writer: apsw.Connection) -> None:
    """The pages in use stay as they are, and no other file is left, not even an older one."""
    path = Path(writer.filename)
    writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    before = path.read_bytes()
    files = sorted(path.parent.iterdir())
    path.with_name(".ash.db.empty.part").write_bytes(b"left by a daemon that was killed")

    dead_pages.overwrite(writer)

    after = path.read_bytes()
    assert _WORD in before
    assert _WORD not in after
    assert len(after) == len(before)
    assert after[:4096] == before[:4096]
    assert sorted(path.parent.iterdir()) == files
    assert writer.execute("select x from small").get == "stays"
    assert writer.pragma("integrity_check") == "ok"


def test_a_file_without_unused_pages_is_not_written(writer: apsw.Connection) -> None:
    path = Path(writer.filename)
    writer.execute("vacuum")
    writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    before = path.stat().st_mtime_ns

    dead_pages.overwrite(writer)

    assert path.stat().st_mtime_ns == before


def test_unused_pages_wait_for_a_reader_that_needs_the_log(tmp_path: Path) -> None:
    """The reader might look for the pages of its snapshot in the file."""
    path = tmp_path / "ash.db"
    with (
        closing(connect(path, read_only=False)) as connection,
        closing(connect(path, read_only=True)) as reader,
    ):
        connection.pragma("journal_mode", "wal")
        connection.execute("create table t (x); insert into t values (1)")
        reader.execute("begin")
        assert reader.execute("select x from t").get == 1
        connection.execute("update t set x = 2")
        connection.set_busy_timeout(0)

        with pytest.raises(apsw.BusyError):
            dead_pages.overwrite(connection)


def test_a_file_that_is_no_database_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    """Opening reads the file's first page: before that SQLite has neither its key nor its size."""
    path = tmp_path / "ash.db"
    path.write_bytes(b"no database" * 1_000)

    with pytest.raises(apsw.NotADBError), decrypted_file.opened(path):
        pass


def test_a_database_is_read_page_by_page(writer: apsw.Connection) -> None:
    """As its file is, where it is not encrypted."""
    path = Path(writer.filename)
    writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    with decrypted_file.opened(path) as file:
        pages = [file.xRead(4096, at) for at in range(0, file.xFileSize(), file.page_size)]
        with pytest.raises(apsw.Error):
            file.xRead(4096, file.xFileSize())

    assert b"".join(pages) == path.read_bytes()
