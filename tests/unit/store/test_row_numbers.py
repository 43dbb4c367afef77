"""Row numbers are given once: long work goes by them while others erase and add rows."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import apsw
import pytest
from services import FixedClock

from ashd.store.database import Database
from ashd.store.row_numbers import RowNumbers
from ashd.store.transaction import Tx


def _insert(tx: Tx) -> int:
    return tx.insert("insert into withdrawals (uuid, created_at) values (?, 0)", tx.new_id())


def _erase(number: int) -> Callable[[Tx], object]:
    return lambda tx: tx.run("delete from withdrawals where id = ?", number)


async def test_no_new_row_has_the_number_of_an_erased_one(tmp_path: Path) -> None:
    """Neither of one erased after it was added, nor of one from before the daemon's start."""
    path = tmp_path / "ash.db"
    db = Database.open(path, FixedClock())
    old = await db.write(_insert)
    db.close()
    db = Database.open(path, FixedClock())
    try:
        await db.write(_erase(old))
        first = await db.write(_insert)
        await db.write(_erase(first))
        second, third = await db.write(lambda tx: (_insert(tx), _insert(tx)))
        stored = await db.read(lambda tx: tx.all("select id from withdrawals order by id"))
    finally:
        db.close()

    assert old < first < second < third
    assert stored == [(second,), (third,)]


async def test_row_that_exists_is_not_another_one(tmp_path: Path) -> None:
    """An insert that does nothing gives neither its own nor another row a number."""
    db = Database.open(tmp_path / "ash.db", FixedClock())
    again = "insert into withdrawals (uuid, created_at) values ('same', 0) on conflict do nothing"
    try:
        numbers = await db.write(lambda tx: [tx.insert(again), _insert(tx), tx.insert(again)])
        stored = await db.read(lambda tx: tx.all("select id from withdrawals order by id"))
    finally:
        db.close()

    assert numbers == [1, 2, 0]
    assert stored == [(1,), (2,)]


@pytest.mark.sqlite_file
def test_damaged_table_keeps_no_daemon_from_starting() -> None:
    """Its numbers are unknown; those of the others are known."""

    class Damaged:
        def execute(self, sql: str) -> Any:
            if sql.endswith("from hurt"):
                raise apsw.CorruptError
            rows: list[tuple[Any]] = [(7,)] if "max" in sql else [("hurt",), ("sound",)]
            return SimpleNamespace(fetchall=lambda: rows)

    connection = cast("apsw.Connection", Damaged())

    numbers = RowNumbers.of(connection)

    assert numbers._highest == {"hurt": 0, "sound": 7}
