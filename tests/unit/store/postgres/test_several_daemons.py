"""Several daemons have one database of a server, and none answers from what another has changed."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from server_databases import end_all, end_others, put, stored_names, warnings
from services import FixedClock

from ashd import errors, limits
from ashd.fair_turns import OWNER
from ashd.store import jobs
from ashd.store.database import Database, Tx
from ashd.store.noted_commits import NotedCommits
from ashd.store.postgres import engine as engines
from ashd.store.postgres import failures
from ashd.store.postgres.connection import Connection
from ashd.store.postgres.engine import Postgres
from ashd.store.postgres.postgres_dialect import RUNNING
from ashd.store.postgres.schema import schema_files

_NEWEST = schema_files()[-1][0]
CHAT = ("chat", 1)
OTHER_CHAT = ("chat", 2)


@pytest.fixture
def open_daemon(url: str, tmp_path: Path) -> Iterator[Callable[[], Database]]:
    """Opens the database as one more daemon does."""
    with ExitStack() as opened:

        def open_one() -> Database:
            db = Database.open(tmp_path / "ash.db", FixedClock(), url)
            opened.callback(db.close)
            return db

        yield open_one


def _nothing(_tx: Tx) -> None:
    pass


async def _generation(db: Database) -> int:
    """The generation of what a reader sees now."""
    return await db.read(lambda tx: tx.generation)


async def test_readers_notice_changes_of_other_daemons(open_daemon: Callable[[], Database]) -> None:
    """Before anything is read in a snapshot, caches know all that was committed before it."""
    one, other = open_daemon(), open_daemon()
    kept = await _generation(one)

    await other.write(lambda tx: tx.touch(CHAT), scoped=True)
    now, since = await one.read(lambda tx: (tx.generation, one.since([CHAT], kept)))
    assert since == "changed"
    assert now > kept
    assert one.since([OTHER_CHAT], kept) == "same"
    assert one.since([CHAT], now) == "same"

    await other.write(lambda tx: tx.grow(CHAT), scoped=True)
    assert await one.read(lambda _: one.since([CHAT], now)) == "grown"
    grown = await _generation(one)
    await other.write(lambda tx: tx.revise(7, CHAT), scoped=True)
    assert await one.read(lambda _: one.since([CHAT], grown)) == "revised"
    assert one.revised([CHAT], grown) == {7}
    revised = await _generation(one)
    await other.write(put("a"))
    assert await one.read(lambda _: one.since([OTHER_CHAT], revised)) == "changed"


async def test_a_snapshot_that_is_overtaken_by_a_later_one_is_answered(
    open_daemon: Callable[[], Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another reader may note commits that an earlier snapshot does not have."""
    one, other = open_daemon(), open_daemon()
    catch_up, first = NotedCommits.catch_up, [one._noted]
    waits, goes_on = threading.Event(), threading.Event()

    def overtaken(noted: NotedCommits, *given: Any) -> None:
        if noted in first:
            first.clear()
            waits.set()
            goes_on.wait(60)
        catch_up(noted, *given)

    monkeypatch.setattr(NotedCommits, "catch_up", overtaken)
    await other.write(put("a"))
    async with asyncio.TaskGroup() as tasks:
        earlier = tasks.create_task(one.read(stored_names))
        await asyncio.to_thread(waits.wait, 60)
        await other.write(put("b"))
        OWNER.set("another owner, who gets the other reader")
        assert await one.read(stored_names) == ["a", "b"]
        goes_on.set()

    assert earlier.result() == ["a"]
    assert await one.read(stored_names) == ["a", "b"]
    assert warnings(one) == set()


async def test_own_commits_do_not_hide_those_of_others(open_daemon: Callable[[], Database]) -> None:
    """A daemon that only writes notes what was committed between its commits."""
    one, other = open_daemon(), open_daemon()
    kept = one.generation
    await other.write(lambda tx: tx.touch(CHAT), scoped=True)
    await one.write(lambda tx: tx.touch(OTHER_CHAT), scoped=True)

    assert one.since([CHAT], kept) == "changed"
    assert one.since([OTHER_CHAT], kept) == "changed"


async def test_generations_are_those_of_the_snapshot(open_daemon: Callable[[], Database]) -> None:
    """Rows of an old snapshot are never taken for newer ones, whatever happens meanwhile."""
    one, other = open_daemon(), open_daemon()
    loop = asyncio.get_running_loop()

    async def meanwhile() -> None:
        await other.write(put("a"))
        OWNER.set("somebody else")  # who does not wait for the turn of this one
        await one.read(_nothing)

    def slow(tx: Tx) -> tuple[int, list[str]]:
        asyncio.run_coroutine_threadsafe(meanwhile(), loop).result(30)
        return tx.generation, stored_names(tx)

    generation, names = await one.read(slow)
    assert names == []
    assert one.since([CHAT], generation) == "changed"


async def test_passages_that_another_daemon_deleted_leave_the_caches(
    open_daemon: Callable[[], Database],
) -> None:
    """At the latest when something is read that comes after the deletion."""
    one, other = open_daemon(), open_daemon()
    gone: list[Sequence[int]] = []
    one.on_deletion(gone.append)

    await other.write(lambda tx: tx.deleted.extend([3, 4]))
    seen = await one.read(lambda _: list(gone))
    assert [list(numbers) for numbers in seen] == [[3, 4]]
    await one.read(_nothing)
    assert len(gone) == 1, "once for each deletion"


async def test_topics_reach_all_other_daemons(open_daemon: Callable[[], Database]) -> None:
    """A quiet write tells them too; nobody hears of their own."""
    one, other, third = open_daemon(), open_daemon(), open_daemon()
    await one.write(lambda tx: tx.tell("grants"), quiet=True)

    for db, topics in ((one, set()), (other, {"grants"}), (third, {"grants"})):
        kept = db.generation
        await db.read(_nothing)
        assert db.take_topics() == topics
        assert db.take_topics() == set()
        assert db.since([CHAT], kept) == "same", "nobody sees a change"


@pytest.mark.parametrize("is_lost", [False, True])
async def test_a_daemon_tells_itself_only_of_a_commit_that_it_lost(
    open_daemon: Callable[[], Database], monkeypatch: pytest.MonkeyPatch, is_lost: bool
) -> None:
    """Its reader may see a commit before the answer to it is here."""
    one = open_daemon()
    commit, made, goes_on = Postgres.commit, threading.Event(), threading.Event()

    def slow(engine: Postgres, *given: Any, **named: Any) -> int | None:
        number = commit(engine, *given, **named)
        made.set()
        goes_on.wait(60)
        if is_lost:
            raise failures.Unsettled
        return number

    monkeypatch.setattr(Postgres, "commit", slow)
    async with asyncio.TaskGroup() as tasks:
        write = one.write(lambda tx: tx.tell("grants"))
        tasks.create_task(_failed(write) if is_lost else write)
        await asyncio.to_thread(made.wait, 60)
        await one.read(_nothing)
        assert one.take_topics() == set()
        goes_on.set()

    assert one.take_topics() == ({"grants"} if is_lost else set())


async def test_a_value_that_is_read_before_it_is_written_is_nobody_elses(
    open_daemon: Callable[[], Database],
) -> None:
    """One transaction of all daemons writes at a time, so none works with what is outdated."""
    daemons = [open_daemon() for _ in range(3)]
    await daemons[0].write(lambda tx: tx.run("insert into meta (key, value) values ('n', '0')"))

    def count(tx: Tx) -> None:
        number = int(tx.value("select value from meta where key = 'n'"))
        tx.run("update meta set value = ? where key = 'n'", str(number + 1))

    await asyncio.gather(*(db.write(count) for db in daemons for _ in range(20)))
    assert await daemons[0].read(lambda tx: tx.value("select value from meta where key = 'n'")) == (
        "60"
    )


async def test_writes_that_wait_for_another_daemon_are_committed_together(
    open_daemon: Callable[[], Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The longer it took, the more of them wait: their commit has its whole time for them."""
    monkeypatch.setattr(limits, "WRITE_GROUP_SECONDS", 1.0)
    one, other = open_daemon(), open_daemon()
    begun, goes_on = threading.Event(), threading.Event()

    def slow(tx: Tx) -> None:
        put("first")(tx)
        begun.set()
        goes_on.wait(60)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(one.write(slow))
        await asyncio.to_thread(begun.wait, 60)
        for number in range(8):
            tasks.create_task(other.write(put(str(number))))
        await asyncio.to_thread(threading.Event().wait, 1.5 * limits.WRITE_GROUP_SECONDS)
        goes_on.set()

    assert await one.read(lambda tx: tx.value("select count(*) from commits")) == 3


async def test_a_daemon_that_is_stopped_in_its_transaction_stalls_nobody(
    open_daemon: Callable[[], Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends its transaction; nothing of it is stored."""
    monkeypatch.setattr(failures, "WAIT_SECONDS", 2)
    one, other = open_daemon(), open_daemon()
    begun, goes_on = threading.Event(), threading.Event()

    def stopped(tx: Tx) -> None:
        put("a")(tx)
        begun.set()
        goes_on.wait(60)
        put("b")(tx)

    async def is_written() -> bool:
        with suppress(errors.StorageError):  # it waited for as long as it may
            await other.write(put("c"))
            return True
        return False

    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(_failed(one.write(stopped)))
        await asyncio.to_thread(begun.wait, 60)
        assert await _becomes(is_written)
        goes_on.set()
    assert "stood still" in task.result().message
    assert await one.read(stored_names) == ["c"]


async def _failed(call: Any) -> errors.StorageError:
    """The error of a call."""
    with pytest.raises(errors.StorageError) as failed:
        await call
    return failed.value


async def test_a_daemon_that_was_out_of_touch_answers_nothing(
    open_daemon: Callable[[], Database], url: str
) -> None:
    """Changes that it has not seen are no longer there to be read."""
    one, other = open_daemon(), open_daemon()
    await one.write(put("a"))
    await other.write(put("b"))
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(
            "delete from ashd.commits where number < (select max(number) from ashd.commits)"
        )

    for call in (one.read(stored_names), one.write(put("c"))):
        assert "out of touch" in (await _failed(call)).message
    assert "out_of_touch" in warnings(one)
    assert await other.read(stored_names) == ["a", "b"]


async def test_a_server_without_what_was_seen_answers_nothing(
    open_daemon: Callable[[], Database], url: str
) -> None:
    """A standby that took over may lack it, or a backup that was restored."""
    one = open_daemon()
    await one.write(put("a"))
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(
            "delete from ashd.commits where number = (select max(number) from ashd.commits)"
        )

    for call in (one.read(stored_names), one.write(put("b"))):
        assert "out of touch" in (await _failed(call)).message
    assert await open_daemon().read(stored_names) == ["a"], "a restarted daemon knows no more"


async def test_a_link_to_a_server_whose_place_was_taken_is_made_anew(
    open_daemon: Callable[[], Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not answered from, though it may be the last to hear of that."""
    one = open_daemon()
    await one.write(put("a"))
    await one.write(put("b"))
    script, began_on = Connection.script, list[Any]()

    def outdated(connection: Connection, text: str) -> Any:
        [(last, version)] = script(connection, text)
        began_on.append(connection.raw)
        return [(last if len(began_on) > 1 else 1, version)]

    monkeypatch.setattr(Connection, "script", outdated)
    assert await one.read(stored_names) == ["a", "b"]
    assert [raw.closed for raw in began_on] == [True, False]


async def test_old_notes_are_removed_but_for_the_newest(
    open_daemon: Callable[[], Database], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon that was in touch meanwhile still finds the last one that it has seen."""
    monkeypatch.setattr(engines, "_REMOVED_EVERY", 1)
    one, other = open_daemon(), open_daemon()
    for name in "abc":
        await other.write(put(name))
    await one.read(_nothing)
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("update ashd.commits set made_at = made_at - interval '2 days'")
        await other.write(put("d"))
        assert admin.execute("select count(*) from ashd.commits").fetchone() == (2,)

    assert await one.read(stored_names) == ["a", "b", "c", "d"]


async def test_a_newer_schema_is_answered_nothing_from(
    open_daemon: Callable[[], Database], url: str
) -> None:
    """A newer daemon may have moved what this one would read or write."""
    one = open_daemon()
    await one.write(put("a"))
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("update ashd.schema_version set version = version + 1")

    for call in (*(one.read(stored_names) for _ in range(5)), one.write(put("b"))):
        assert "newer ashd" in (await _failed(call)).message
    assert warnings(one) == {"database_upgraded"}
    with psycopg.connect(url, autocommit=True) as admin:

        async def are_ended() -> bool:
            waiting = "select 1 from pg_stat_activity where datname = current_database()"
            return not admin.execute(f"{waiting} and state like 'idle in transaction%'").fetchall()

        assert await _becomes(are_ended), "no snapshot of a refused read stays open"


@pytest.mark.parametrize("is_upgraded", [True, False])
async def test_a_daemon_that_answers_nothing_leads_nobody(
    open_daemon: Callable[[], Database], url: str, is_upgraded: bool
) -> None:
    """Its jobs and the periodic work are left to those that can do them."""
    one = open_daemon()
    await one.write(put("a"))
    assert await one.lead()
    with psycopg.connect(url, autocommit=True) as admin:
        if is_upgraded:
            admin.execute("update ashd.schema_version set version = version + 1")
        else:
            await open_daemon().write(put("b"))
            admin.execute(
                "delete from ashd.commits where number < (select max(number) from ashd.commits)"
            )
        await _failed(one.read(stored_names))
        await _failed(one.lead())
        await _failed(one.write(put("c")))
        admin.execute("update ashd.schema_version set version = %s", (_NEWEST,))

        other = open_daemon()
        assert await other.lead()
        running = await other.read(lambda tx: tx.dialect.running_daemons(tx.connection))
        assert one.daemon not in running


async def test_only_jobs_of_daemons_that_are_gone_are_taken_over(
    open_daemon: Callable[[], Database], url: str, tmp_path: Path
) -> None:
    """A job that another daemon runs stays its own for as long as that daemon is connected."""
    one = Database.open(tmp_path / "one.db", FixedClock(), url)
    other = open_daemon()
    await one.write(lambda tx: jobs.put(tx, kind="k", key="a", owner="o", payload={}))
    claimed = await one.write(
        lambda tx: jobs.claim(tx, kinds=["k"], after="", full=[], lease=f"{one.daemon}/1")
    )
    assert claimed is not None

    def recover(tx: Tx) -> int:
        return jobs.recover(tx, pause_after=lambda _: 0)

    assert [await db.write(recover) for db in (one, other)] == [0, 0]
    assert await one.read(lambda tx: jobs.holds_lease(tx, claimed))
    one.close()

    async def is_taken_over() -> bool:
        return await other.write(recover) == 1

    assert await _becomes(is_taken_over)
    assert not await other.read(lambda tx: jobs.holds_lease(tx, claimed))


async def test_one_daemon_leads(
    open_daemon: Callable[[], Database], url: str, tmp_path: Path
) -> None:
    """Another takes the lead when the first has stopped, or has lost its link."""
    one = Database.open(tmp_path / "one.db", FixedClock(), url)
    other = open_daemon()
    assert [await one.lead(), await other.lead(), await one.lead()] == [True, False, True]
    one.close()
    assert await _becomes(other.lead)

    third = open_daemon()
    assert not await third.lead()
    end_others(url)
    for db in (other, third):  # those whose link was lost hear of it, and connect again
        with pytest.raises(errors.StorageError):
            await db.lead()
    assert [await third.lead(), await other.lead()] == [True, False]


async def _becomes(ask: Any) -> bool:
    """Ask until the answer is yes: the server notices the end of a link in its own time."""
    for _ in range(200):
        if await ask():
            return True
        await asyncio.sleep(0.05)
    return False


async def test_daemons_know_which_are_running(
    open_daemon: Callable[[], Database], url: str, tmp_path: Path
) -> None:
    """One that has stopped, or lost its link, is not among them; a restart is another one."""
    one = Database.open(tmp_path / "one.db", FixedClock(), url)
    other = open_daemon()
    assert await other.read(_running) == {one.daemon, other.daemon}
    one.close()

    async def is_alone() -> bool:
        return await other.read(_running) == {other.daemon}

    assert await _becomes(is_alone)
    again = open_daemon()
    assert await other.read(_running) == {other.daemon, again.daemon}
    assert again.daemon != one.daemon


async def test_a_daemon_runs_on_though_the_server_knew_its_lost_link_for_longer(
    open_daemon: Callable[[], Database], url: str
) -> None:
    """When the server gives that up, its jobs are still its own."""
    one, other = open_daemon(), open_daemon()
    with psycopg.connect(url, autocommit=True) as lost:
        end_all(lost)
        lost.execute("select pg_advisory_lock_shared(%s, %s)", (RUNNING, int(one.daemon)))
        await one.write(_nothing)
        await other.write(_nothing)

    async def is_forgotten() -> bool:
        with psycopg.connect(url) as admin:
            asked = "select 1 from pg_locks where classid = %s and objid = %s and granted"
            found = admin.execute(asked, (RUNNING, int(one.daemon))).fetchall()
        return len(found) < 2

    assert await _becomes(is_forgotten)
    assert await other.read(_running) == {one.daemon, other.daemon}


def _running(tx: Tx) -> frozenset[str]:
    return frozenset(tx.dialect.running_daemons(tx.connection))


def test_a_program_has_the_database_for_itself(
    open_daemon: Callable[[], Database], url: str, tmp_path: Path
) -> None:
    """Not while a daemon runs; and no daemon starts meanwhile."""
    alone = Postgres(url, None, tmp_path / "ash.db")
    with alone.alone(), pytest.raises(errors.StartError, match="has the database for itself"):
        open_daemon()
    open_daemon()
    with pytest.raises(errors.StartError, match="An ashd uses this database"), alone.alone():
        pass


def test_the_lock_of_a_connection_that_was_just_closed_is_waited_for(
    open_daemon: Callable[[], Database], url: str
) -> None:
    """The server lets it go a moment later."""
    with psycopg.connect(url, autocommit=True) as moving:
        moving.execute("select pg_advisory_lock(%s)", (engines._IN_USE,))
        closing = threading.Timer(0.2, moving.close)
        closing.start()
        open_daemon()
        closing.join()


def test_daemons_that_start_at_the_same_time_make_one_schema(url: str, tmp_path: Path) -> None:
    """Each waits for the one that is making it."""
    made: list[Database] = []
    threads = [
        threading.Thread(
            target=lambda: made.append(Database.open(tmp_path / "ash.db", FixedClock(), url))
        )
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for db in made:
        db.close()
    assert len(made) == 3
