"""The writer thread and the readers, on a real file."""

import asyncio
import stat
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from services import NOON, FixedClock

from ashd import errors, limits
from ashd.fair_turns import OWNER
from ashd.store import meta, migrations, passages
from ashd.store.connection import connect
from ashd.store.database import Database, Tx

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database.open(tmp_path / "a.db", FixedClock())
    await database.write(lambda tx: tx.run("create table t (x integer primary key, y text)"))
    yield database
    database.close()


def _put(x: int, y: str = "") -> Any:
    return lambda tx: tx.insert("insert into t (x, y) values (?, ?)", x, y)


def _all(tx: Tx) -> list[int]:
    return [row[0] for row in tx.all("select x from t order by x")]


def _value_error(tx: Tx) -> None:
    tx.run("insert into t (x) values (99)")
    raise ValueError("of the work's own")


async def test_a_write_is_there_once_it_was_answered(db: Database) -> None:
    """The result comes back; readers and other connections see the write."""
    assert await db.write(_put(1)) == 1

    assert await db.read(_all) == [1]
    other = connect(db.path, read_only=True)
    assert other.execute("select x from t").fetchall() == [(1,)]
    other.close()


async def test_a_write_that_fails_takes_no_other_with_it(db: Database) -> None:
    """Each of those that are committed together has its own savepoint and its own error."""
    held = threading.Event()
    results: dict[str, Any] = {}

    async def run(name: str, work: Any) -> None:
        try:
            results[name] = await db.write(work)
        except Exception as error:  # noqa: BLE001  which one it is, is what is tested
            results[name] = type(error)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, "first", lambda _tx: held.wait(120))
        await anyio.wait_all_tasks_blocked()
        for number in range(5):
            tasks.start_soon(run, f"good {number}", _put(number))
        tasks.start_soon(run, "again", _put(0))
        tasks.start_soon(run, "bad", _value_error)
        tasks.start_soon(run, "last", _put(7))
        await anyio.wait_all_tasks_blocked()
        held.set()

    assert results["bad"] is ValueError
    assert issubclass(results["again"], errors.StorageError)
    assert results["last"] == 7
    assert await db.read(_all) == [0, 1, 2, 3, 4, 7]


async def test_a_writer_sees_what_was_written_before_it_in_its_group(db: Database) -> None:
    """Writes are in order, one after the other."""

    def count(tx: Tx) -> int:
        tx.insert("insert into t (y) values ('')")
        return len(_all(tx))

    results: list[int] = []

    async def one() -> None:
        results.append(await db.write(count))

    async with anyio.create_task_group() as tasks:
        for _ in range(200):
            tasks.start_soon(one)

    assert sorted(results) == list(range(1, 201))


async def test_a_savepoint_inside_is_undone_alone(db: Database) -> None:
    """Changes made before it in the same transaction stay."""

    def work(tx: Tx) -> None:
        tx.run("insert into t (x) values (1)")
        with pytest.raises(ValueError, match="own"), tx.savepoint():
            _value_error(tx)
        tx.run("insert into t (x) values (2)")

    await db.write(work)

    assert await db.read(_all) == [1, 2]


async def test_a_reader_cannot_write(db: Database) -> None:
    """Only the writer thread changes anything."""
    with pytest.raises(errors.StorageError, match="read-only"):
        await db.read(_put(1))
    assert await db.read(_all) == []


async def test_a_reader_has_one_snapshot(db: Database) -> None:
    """A reader does not see a commit made while it reads."""
    started, go_on = threading.Event(), threading.Event()

    def twice(tx: Tx) -> tuple[int, int]:
        first = len(_all(tx))
        started.set()
        assert go_on.wait(120)
        return first, len(_all(tx))

    counts: list[tuple[int, int]] = []

    async def read() -> None:
        counts.append(await db.read(twice))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        await anyio.to_thread.run_sync(started.wait)
        await db.write(_put(1))
        go_on.set()

    assert counts == [(0, 0)]
    assert await db.read(_all) == [1]


async def test_a_query_without_end_is_stopped(db: Database) -> None:
    """The query ends at its deadline with an error of ours; the reader works on."""
    endless = (
        "with recursive n (i) as (select 1 union all select i + 1 from n) select max(i) from n"
    )
    for _ in range(3):
        with pytest.raises(errors.StorageError, match="too long"):
            await db.read(lambda tx: tx.value(endless), seconds=0.01)

    assert await db.read(_all) == []


async def test_a_caller_who_leaves_does_not_undo_the_write(db: Database) -> None:
    """A write that has begun commits, whoever still waits for it."""
    held = threading.Event()

    def work(tx: Tx) -> None:
        assert held.wait(120)
        tx.run("insert into t (x) values (5)")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(db.write, work)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    held.set()

    await db.write(lambda _tx: None)
    assert await db.read(_all) == [5]


@pytest.mark.parametrize("looks_at_its_time", [True, False])
async def test_a_caller_with_little_time_changes_all_or_nothing(
    db: Database, looks_at_its_time: bool
) -> None:
    """Given up in the middle, its write is undone, whether or not it asks for the time again."""
    begun, go_on = threading.Event(), threading.Event()

    def work(tx: Tx) -> None:
        tx.run("insert into t (x) values (5)")
        begun.set()
        assert go_on.wait(120)
        if looks_at_its_time:
            with pytest.raises(errors.TimedOut):
                tx.check_time()
            tx.check_time()

    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: db.write(work, seconds=60))
            await anyio.to_thread.run_sync(begun.wait)
            scope.cancel()
    go_on.set()

    await db.write(lambda _tx: None)
    assert await db.read(_all) == []


async def test_a_write_given_up_in_its_group_does_not_begin(db: Database) -> None:
    """A write whose caller left while another ran is skipped, at no cost to the writer."""
    held, go_on = threading.Event(), threading.Event()
    begun: list[str] = []
    first = threading.Event()

    def other(_tx: Tx) -> None:
        held.set()
        assert go_on.wait(120)

    async def mine(scope: anyio.CancelScope) -> None:
        with scope:
            await db.write(lambda _tx: begun.append("mine"), seconds=60)

    async with anyio.create_task_group() as tasks:
        scope = anyio.CancelScope()
        tasks.start_soon(db.write, lambda _tx: first.wait(120))  # the two others wait together
        tasks.start_soon(db.write, other)
        tasks.start_soon(mine, scope)
        await anyio.wait_all_tasks_blocked()
        first.set()
        await anyio.to_thread.run_sync(held.wait)
        scope.cancel()
        await anyio.wait_all_tasks_blocked()
        go_on.set()

    await db.write(lambda _tx: begun.append("after"))
    assert ["after"] == begun
    assert scope.cancelled_caught


async def test_who_gives_up_too_late_gets_the_result(db: Database) -> None:
    """A write that waits for the commit of its group only is done, and says so."""
    done, go_on = threading.Event(), threading.Event()
    results: list[int] = []

    def others(_tx: Tx) -> None:
        done.set()
        assert go_on.wait(120)

    async def mine(scope: anyio.CancelScope) -> None:
        with scope:
            results.append(await db.write(_put(5), seconds=60))

    async with anyio.create_task_group() as tasks:
        scope = anyio.CancelScope()
        first = threading.Event()
        tasks.start_soon(db.write, lambda _tx: first.wait(120))  # the two others wait together
        tasks.start_soon(mine, scope)
        tasks.start_soon(db.write, others)
        await anyio.wait_all_tasks_blocked()
        first.set()
        await anyio.to_thread.run_sync(done.wait)
        scope.cancel()
        await anyio.wait_all_tasks_blocked()
        go_on.set()

    assert results == [5]
    assert not scope.cancelled_caught
    assert await db.read(_all) == [5]


async def test_closing_finishes_what_waits(tmp_path: Path) -> None:
    """Every write that was handed over is answered and on disk; the log is worked in."""
    database = Database.open(tmp_path / "a.db", FixedClock())
    await database.write(lambda tx: tx.run("create table t (x integer primary key, y text)"))
    results: list[int] = []

    async def one(number: int) -> None:
        results.append(await database.write(_put(number)))

    async with anyio.create_task_group() as tasks:
        for number in range(150):
            tasks.start_soon(one, number)
        await anyio.wait_all_tasks_blocked()
        await anyio.to_thread.run_sync(database.close)

    assert sorted(results) == list(range(150))
    wal = tmp_path / "a.db-wal"
    assert not wal.exists() or wal.stat().st_size == 0
    again = Database.open(tmp_path / "a.db", FixedClock())
    assert await again.read(_all) == list(range(150))
    again.close()


async def test_the_file_is_made_to_last_and_to_forget(db: Database) -> None:
    """Durable at each commit, nobody else's to read, deleted means overwritten."""

    def pragmas(tx: Tx) -> list[Any]:
        names = ("journal_mode", "synchronous", "secure_delete", "foreign_keys", "trusted_schema")
        return [tx.value(f"pragma {name}") for name in names]

    settings = await db.write(pragmas)

    assert settings == ["wal", 2, 1, 1, 0]
    assert stat.S_IMODE(db.path.stat().st_mode) == 0o600
    assert await db.read(lambda tx: tx.value("pragma application_id")) == migrations.APPLICATION_ID
    newest = migrations.schema_files()[-1][0]
    assert await db.read(lambda tx: tx.value("pragma user_version")) == newest


async def test_opening_again_migrates_nothing(tmp_path: Path) -> None:
    """Each migration runs once; what is there stays as it is."""
    seen = []
    for _ in range(2):
        database = Database.open(tmp_path / "a.db", FixedClock())
        schema = await database.read(
            lambda tx: tx.all("select type, name, sql from sqlite_schema order by name")
        )
        seen.append((await database.write(meta.audit_key), schema))
        database.close()

    assert seen[1] == seen[0]
    assert len(seen[0][1]) > 10


async def test_an_answer_is_kept_for_its_time(db: Database) -> None:
    """An answer from before `oldest` is unknown, and forgotten in the end."""

    def keep(tx: Tx) -> None:
        meta.keep_answer(tx, "caller", "key", b"digest", "outcome", oldest=0)

    await db.write(keep)

    def known(oldest: int, caller: str = "caller") -> Any:
        return db.read(lambda tx: meta.answer(tx, caller, "key", oldest))

    assert await known(NOON) == (b"digest", "outcome")
    assert await known(NOON, "another") is None
    assert await known(NOON + 1) is None
    await db.write(lambda tx: meta.keep_answer(tx, "c", "k", b"", "", oldest=NOON + 1))
    assert await known(0) is None


async def test_what_became_of_what_somebody_sees(db: Database) -> None:
    """A viewer's keys tell no change, new rows beside the old, or a change."""
    mine = {("chat", 1), ("account", 2)}

    async def after(*, scoped: bool = True, **seen: Any) -> str:
        before = db.generation
        work = {"grow": Tx.grow, "touch": Tx.touch}
        await db.write(
            lambda tx: [work[name](tx, *keys) for name, keys in seen.items()], scoped=scoped
        )
        assert db.generation == before + 1
        return db.since(mine, before)

    assert await after() == "same"
    assert await after(grow=[("chat", 3), ("chat", None)], touch=[("account", 1)]) == "same"
    assert await after(grow=[("account", 2)]) == "grown"
    assert await after(grow=[("chat", 1)], touch=[("chat", 1)]) == "changed"
    assert await after(scoped=False) == "changed"
    assert db.since(mine, db.generation) == "same"


async def test_a_write_that_fails_changes_nothing_that_is_seen(db: Database) -> None:
    """Only committed changes are visible."""
    before = db.generation

    def fails(tx: Tx) -> None:
        tx.touch(("chat", 1))
        _value_error(tx)

    with pytest.raises(ValueError, match="of the work's own"):
        await db.write(fails, scoped=True)

    assert db.since({("chat", 1)}, before) == "same"


async def test_a_read_that_gives_way_is_run_after_those_that_wait(
    db: Database,
) -> None:
    """With one reader, waiting reads run between its parts, and it then goes on."""
    order: list[object] = []
    begun, queued = threading.Event(), threading.Event()

    def long(tx: Tx) -> int:
        assert tx.progress is not None
        part = tx.progress["part"] = tx.progress.get("part", 0) + 1
        order.append(part)
        begun.set()
        queued.wait(120)
        if part < 3:
            tx.give_way()
        return part

    blocked = threading.Event()
    OWNER.set("another")
    waiting = asyncio.ensure_future(db.read(lambda _: blocked.wait(10)))
    OWNER.set("")
    asked = [asyncio.ensure_future(db.read(long))]
    await anyio.to_thread.run_sync(begun.wait)
    for name in "ab":
        others = db.read(lambda _, name=name: order.append(name))  # type: ignore[misc]
        asked.append(asyncio.ensure_future(others))
    await asyncio.sleep(0)
    queued.set()

    assert [3, None, None] == await asyncio.gather(*asked)
    assert [1, "a", "b", 2, 3] == order
    blocked.set()
    await waiting


async def test_a_write_does_not_give_way(db: Database) -> None:
    """A write cannot be run twice, so it does not give way."""
    runs = []

    def work(tx: Tx) -> None:
        runs.append(1)
        tx.give_way()

    await db.write(work)

    assert [1] == runs


async def test_deleted_passages_are_reported_once_they_are_committed(db: Database) -> None:
    """Passages of a failed write or a rolled-back part are still there."""
    reported: list[int] = []
    db.on_deletion(reported.extend)

    def delete(tx: Tx, number: int, *, fails: bool = False) -> None:
        passages.delete(tx, [number])
        tx.rehearse(lambda: passages.delete(tx, [number + 1]))
        if fails:
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011  the test's own
        await db.write(lambda tx: delete(tx, 5, fails=True))
    assert [] == reported
    await db.write(lambda tx: delete(tx, 7))
    assert [7] == reported


async def test_long_reads_of_one_owner_keep_no_other_waiting(db: Database) -> None:
    """One reader is left for whoever has none, however many reads wait before."""
    go_on = threading.Event()
    done: list[str] = []

    async def read(owner: str, work: Any) -> None:
        OWNER.set(owner)
        await db.read(work)
        done.append(owner)

    async with anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(read, "busy", lambda _tx: go_on.wait(120))
        await anyio.wait_all_tasks_blocked()
        with anyio.fail_after(120):
            await read("other", _all)
        assert done == ["other"]
        go_on.set()

    assert done == ["other", *["busy"] * 6]


async def test_writes_of_owners_come_in_turn(db: Database) -> None:
    """A write waits for one of each other owner, not for all that another sent before."""
    held = threading.Event()

    async def write(owner: str, number: int) -> None:
        OWNER.set(owner)
        await db.write(lambda tx: tx.insert("insert into t (y) values (?)", f"{owner}{number}"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(db.write, lambda _tx: held.wait(120))
        await anyio.wait_all_tasks_blocked()
        for number in range(4):
            tasks.start_soon(write, "busy", number)
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(write, "other", 0)
        await anyio.wait_all_tasks_blocked()
        held.set()

    order = await db.read(lambda tx: [row[0] for row in tx.all("select y from t order by x")])
    assert order == ["busy0", "other0", "busy1", "busy2", "busy3"]


async def test_a_group_of_writes_ends_with_its_time(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that wait are committed later; nobody waits for all of them."""
    monkeypatch.setattr(limits, "WRITE_GROUP_SECONDS", 0.0)
    held = threading.Event()
    before = sum(db.transactions._counts)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(db.write, lambda _tx: held.wait(120))
        await anyio.wait_all_tasks_blocked()
        for number in range(5):
            tasks.start_soon(db.write, _put(number))
        await anyio.wait_all_tasks_blocked()
        held.set()

    assert sum(db.transactions._counts) - before == 6


async def test_a_read_can_ask_whether_anybody_waits(db: Database) -> None:
    """What its caller no longer waits for ends where it asks."""
    begun, go_on = threading.Event(), threading.Event()
    ended = threading.Event()

    def work(tx: Tx) -> None:
        tx.check_time()
        begun.set()
        go_on.wait(120)
        try:
            tx.check_time()
        except errors.TimedOut:
            ended.set()
            raise

    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(db.read, work)
            await anyio.to_thread.run_sync(begun.wait, 120)
            scope.cancel()
    go_on.set()
    assert await anyio.to_thread.run_sync(ended.wait, 120)


def _put_and_fail(tx: Tx, then: Callable[[], object]) -> None:
    _put(98)(tx)
    then()
    raise ValueError("of the work's own")


async def test_a_value_is_read_again_only_after_a_write_or_its_undoing(db: Database) -> None:
    """A transaction keeps a value that it has read until it writes, or its write is undone."""

    def work(tx: Tx) -> list[list[int]]:
        reads: list[list[int]] = []

        def read() -> list[int]:
            reads.append(_all(tx))
            return reads[-1]

        tx.until_written("all", read)
        tx.until_written("all", read)
        _put(1)(tx)
        tx.until_written("all", read)
        with pytest.raises(ValueError, match="own"), tx.savepoint():
            _value_error(tx)
        tx.until_written("all", read)
        with pytest.raises(ValueError, match="own"), tx.savepoint():
            _put_and_fail(tx, lambda: tx.until_written("all", read))
        tx.until_written("all", read)
        return reads

    assert await db.write(work) == [[], [1], [1], [1, 98], [1]]
