"""Changes that are sent with a later statement: one that the server refuses fails its own call."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from server_databases import end_others, opened, put, stored_names

from ashd import errors
from ashd.store.database import Database, Tx
from ashd.store.postgres import pipeline
from ashd.store.postgres.connection import Connection

WITHDRAWAL = "insert into withdrawals (uuid, created_at) values (?, 1)"


def send(name: str | None) -> Callable[[Tx], None]:
    """Work that stores a name with a later statement; None is refused."""
    return lambda tx: tx.send(
        "insert into copies (path, kind, made_at) values (?, 'export', 1)", name
    )


async def test_a_refused_change_fails_its_call_and_no_other(url: str, tmp_path: Path) -> None:
    """It is found before the next write of the group begins."""
    with opened(url, tmp_path) as db:
        refused = await _amid_others(db, send(None))

        assert "NotNullViolation" in refused.message
        assert await db.read(stored_names) == ["first", "last"]


async def test_a_refused_change_is_not_hidden_by_a_later_savepoint(
    url: str, tmp_path: Path
) -> None:
    """A savepoint that is rolled back undoes only what came after it."""

    def hides(tx: Tx) -> None:
        with tx.savepoint():
            send("before")(tx)
            send(None)(tx)
            with suppress(psycopg.Error), tx.savepoint():
                tx.run("delete from copies")
        send("after")(tx)

    with opened(url, tmp_path) as db:
        await _amid_others(db, hides)

        assert await db.read(stored_names) == ["first", "last"]


async def test_a_savepoint_takes_back_deferred_changes(url: str, tmp_path: Path) -> None:
    """It is in its order with the statements around it."""

    def work(tx: Tx) -> None:
        send("a")(tx)
        with suppress(ZeroDivisionError), tx.savepoint():
            send("b")(tx)
            1 / 0  # noqa: B018  fails after a change that was not sent yet
        with pytest.raises(tx.dialect.refused), tx.savepoint():
            send(None)(tx)
        with tx.savepoint():
            send("c")(tx)
        send("d")(tx)
        assert stored_names(tx) == ["a", "c", "d"]
        tx.send("update copies set path = 'e' where path = 'd'")

    with opened(url, tmp_path) as db:
        await db.write(work)

        assert await db.read(stored_names) == ["a", "c", "e"]


async def test_rows_have_the_numbers_that_were_told_before_they_were_there(
    url: str, tmp_path: Path
) -> None:
    """Also after some that were taken back, whose numbers nobody gets."""

    def work(tx: Tx) -> list[int]:
        made = [tx.append(WITHDRAWAL, f"{tx.now} {number}") for number in range(2)]
        with suppress(ZeroDivisionError), tx.savepoint():
            tx.append(WITHDRAWAL, "gone")
            1 / 0  # noqa: B018  takes the row back
        made.append(tx.append(WITHDRAWAL, f"{tx.now} 2"))
        stored = tx.all("select id from withdrawals where uuid like ? order by id", f"{tx.now} %")
        assert [row[0] for row in stored] == made
        return made

    with opened(url, tmp_path) as db:
        first = await db.write(work)
        assert len({*first, *await db.write(_numbers)}) == len(first)


def _numbers(tx: Tx) -> list[int]:
    return [row[0] for row in tx.all("select id from withdrawals")]


async def test_a_row_with_another_number_than_was_told_fails_its_call(
    url: str, tmp_path: Path
) -> None:
    """Somebody else took a number meanwhile, as an operator may by hand; the next write goes on."""

    def work(tx: Tx) -> None:
        tx.append(WITHDRAWAL, "1")
        with psycopg.connect(url, autocommit=True) as admin:
            admin.execute("select nextval('ashd.withdrawals_id_seq')")
        tx.append(WITHDRAWAL, "2")

    with opened(url, tmp_path) as db:
        with pytest.raises(errors.StorageError):
            await db.write(work)
        assert await db.write(_numbers) == []
        await db.write(lambda tx: tx.append(WITHDRAWAL, "3"))
        assert len(await db.write(_numbers)) == 1


async def _amid_others(db: Database, work: Callable[[Tx], None]) -> errors.StorageError:
    """The error of a write that is committed together with one before and one after it."""
    begun, goes_on = threading.Event(), threading.Event()

    def first(tx: Tx) -> None:
        put("first")(tx)
        begun.set()
        goes_on.wait(60)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(db.write(first))
        await asyncio.to_thread(begun.wait, 60)
        refused = tasks.create_task(_refused(db.write(work)))
        tasks.create_task(db.write(put("last")))
        await asyncio.sleep(0)  # they wait in this order
        goes_on.set()
    return refused.result()


async def _refused(call: Any) -> errors.StorageError:
    with pytest.raises(errors.StorageError) as refused:
        await call
    return refused.value


async def test_a_link_that_breaks_before_a_change_was_sent_fails_its_call(
    url: str, tmp_path: Path
) -> None:
    """Nothing of it is there, and the next write goes on over a new link."""

    def work(tx: Tx) -> None:
        put("a")(tx)
        send("b")(tx)
        end_others(url)

    with opened(url, tmp_path) as db:
        with pytest.raises(errors.StorageError):
            await db.write(work)
        await db.write(send("c"))

        assert await db.read(stored_names) == ["c"]


def test_few_statements_stay_prepared(
    empty: Callable[[], Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest make room, and are prepared again."""
    monkeypatch.setattr(pipeline, "_PREPARED", 3)
    connection = empty()
    for number in [*range(9), 0, 1]:
        assert connection.execute(f"select ? + {number}", (1,)).fetchall() == [(1 + number,)]

    [(count,)] = connection.execute("select count(*) from pg_prepared_statements")
    assert count <= 3
