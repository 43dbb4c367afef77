"""Words of rows that are gone leave the unused bytes of pages, in every kind of tree."""

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import anyio.from_thread
import apsw
import pytest
from encrypted import needs_plain_pages
from services import FixedClock

from ashd import errors
from ashd.store import decrypted_file, encryption, page_format, page_gaps, still_file
from ashd.store.connection import empty_log
from ashd.store.database import Database
from ashd.store.transaction import Tx

pytestmark = pytest.mark.sqlite_file
_ROWS = 3_000


def _key(number: int) -> str:
    return f"{number * 7919 % 100_003:06d} quixotry" + "y" * (number % 300)


def _put(tx: Tx, *, numbers: list[int]) -> None:
    for number in numbers:
        tx.run(
            "insert into idempotency (caller, key, digest, outcome, created_at)"
            " values ('c', ?, x'00', '{}', 0)",
            _key(number),
        )


def _left(folder: Path, keys: list[str]) -> set[str]:
    database = folder / "ash.db"
    if encryption.key_of(database) is None:
        found = b"".join(path.read_bytes() for path in folder.iterdir())
    else:
        with decrypted_file.opened(database) as file:
            starts = range(0, file.xFileSize(), file.page_size)
            found = b"".join(file.xRead(file.page_size, start) for start in starts)
    return {key for key in keys if key.encode() in found}


async def test_a_table_without_row_numbers_keeps_no_word_of_what_is_gone(
    tmp_path: Path,
) -> None:
    """Page splits leave no copies of deleted rows, and the remaining rows are unchanged."""
    db = Database.open(tmp_path / "ash.db", FixedClock())
    numbers = list(range(_ROWS))
    random.Random(1).shuffle(numbers)
    gone = [_key(number) for number in numbers[::3]]
    try:
        for start in range(0, _ROWS, 100):
            await db.write(partial(_put, numbers=numbers[start : start + 100]), quiet=True)

        def erase(tx: Tx) -> None:
            for key in gone:
                tx.run("delete from idempotency where key = ?", key)

        def stored(tx: Tx) -> list[tuple[object, ...]]:
            return tx.all("select * from idempotency order by caller, key")

        await db.write(erase)
        await still_file.empty_log(db)
        before = await db.read(stored)
        left = _left(tmp_path, gone)

        assert db.file is not None
        assert await page_gaps.fill(db, db.file) > 0
        await still_file.empty_log(db)

        assert left, "nothing was left: the test shows nothing"
        assert set() == _left(tmp_path, gone)
        assert before == await db.read(stored)
        assert _ROWS - len(gone) == len(before)
    finally:
        db.close()


async def test_a_file_is_read_while_no_checkpoint_writes_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Halfway through a checkpoint its pages do not fit together; writes go on, in the log."""
    db = Database.open(tmp_path / "ash.db", FixedClock())
    opened = page_format.opened
    emptied, same = [], []

    @contextmanager
    def among_others(path: Path) -> Iterator[page_format.Pages]:
        with opened(path) as pages:
            before = path.read_bytes()
            numbers = list(range(100 * len(emptied), 100 * len(emptied) + 100))
            anyio.from_thread.run(partial(db.write, quiet=True), partial(_put, numbers=numbers))
            emptied.append(anyio.from_thread.run(db.alone, lambda tx: empty_log(tx.connection)))
            same.append(path.read_bytes() == before)
            yield pages

    monkeypatch.setattr(page_format, "opened", among_others)
    try:
        assert db.file is not None
        await page_gaps.fill(db, db.file)
        stored = await db.read(lambda tx: tx.value("select count(*) from idempotency"))
        await still_file.empty_log(db)
    finally:
        db.close()

    assert len(emptied) >= 2
    assert not any(emptied)
    assert all(same)
    assert stored == 100 * len(emptied)


@needs_plain_pages
@pytest.mark.parametrize("harm", ["short", "foreign", "circular"])
@pytest.mark.parametrize("kind", [2, 5])
def test_pages_that_do_not_fit_together_are_an_error(tmp_path: Path, harm: str, kind: int) -> None:
    """Trees of both kinds with a page that is not there, is another, or refers to itself."""
    child = {"short": 3, "foreign": 2, "circular": 1}[harm]
    root = bytes([kind, *bytes(7), *child.to_bytes(4)]).ljust(512, b"\0")
    root = root[:16] + (512).to_bytes(2) + root[18:]
    path = tmp_path / "pages"
    path.write_bytes(root + bytes(512))

    with page_format.opened(path) as pages:
        look = partial(pages.has_traces, 1, 400) if kind == 2 else partial(list, pages.gaps(1))
        with pytest.raises(errors.DatabaseDamaged):
            look()


@pytest.mark.parametrize(
    ("value", "is_text", "length"),
    [
        ("words", True, 45),
        (None, True, 40),
        (b"words", False, 45),
        (None, False, 40),
        (7, True, 41),
    ],
)
async def test_a_row_is_lengthened_over_the_gap_and_is_as_it_was(
    tmp_path: Path, value: object, length: int, *, is_text: bool
) -> None:
    """A row that is gone, an empty table and other rows are left alone."""
    db = Database.open(tmp_path / "ash.db", FixedClock())
    table = page_gaps.Table("t", 2, "body", is_text)
    gaps = [page_gaps.Gap(table, row, 40) for row in (None, 99, 1)]

    def work(tx: Tx) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
        tx.run("create table t (id integer primary key, body)")
        tx.run("create table written (id, bytes)")
        tx.run("insert into t values (1, ?), (2, 'another')", value)
        tx.run(
            "create trigger t_written after update on t begin"
            " insert into written values (new.id, coalesce(length(new.body), 0)); end"
        )
        page_gaps._fill_some(tx, gaps=gaps)
        return tx.all("select body from t order by id"), tx.all("select * from written")

    try:
        rows, written = await db.write(work)
    finally:
        db.close()

    assert rows == [(value,), ("another",)]
    assert written == [(1, length), (1, length - 40)]


@needs_plain_pages
def test_an_index_of_at_most_400_pages_is_rewritten(tmp_path: Path) -> None:
    """A larger one would make others wait."""
    path = tmp_path / "pages"
    with closing(apsw.Connection(str(path))) as db:
        db.pragma("page_size", 512)
        db.pragma("secure_delete", 0)
        db.execute("create table t (x); create index i on t (x)")
        size = "select count(*) from dbstat where name = 'i'"
        insert = (
            "with recursive n (i) as (select 0 union all select i + 1 from n where i < ?)"
            " insert into t select hex(zeroblob(34)) || (select count(*) from t) + i from n"
        )

        def written(pages: int) -> list[str]:
            while db.execute(size).get < pages:
                db.execute(insert, (0,))
            last = "rowid = (select max(rowid) from t)"
            db.execute(f"update t set x = 'z' where {last}; update t set x = 'y' where {last}")
            assert db.execute(size).get == pages
            root = db.execute("select rootpage from sqlite_schema where name = 'i'").get
            return page_gaps._to_write(path, trees={"i": root})

        db.execute(insert, (1_500,))
        while db.execute(size).get < 390:
            db.execute(insert, (50,))
        assert [written(400), written(401)] == [["i"], []]
