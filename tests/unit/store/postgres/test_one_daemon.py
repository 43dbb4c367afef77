"""A daemon keeps its database on a server over broken links."""

import asyncio
import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from server_databases import end_all, end_others, opened, put, stored_names, warnings
from services import FixedClock

from ashd import errors
from ashd.store import doctor, passages
from ashd.store.database import READERS, Database, Tx
from ashd.store.health import Health
from ashd.store.postgres import engine as engines
from ashd.store.postgres import failures
from ashd.store.postgres.connection import Connection
from ashd.store.postgres.schema import WRITING


async def test_a_broken_link_is_made_again(url: str, tmp_path: Path) -> None:
    """A call that finds it broken before it asked for anything does not even notice."""
    with opened(url, tmp_path) as db:
        await db.write(put("a"))
        end_others(url)

        await db.write(put("b"))
        for _ in range(READERS + 1):
            assert await db.read(stored_names) == ["a", "b"]
        assert warnings(db) == set()


@pytest.mark.parametrize("quiet", [False, True])
async def test_a_write_that_hides_a_failure_is_not_acknowledged(
    url: str, tmp_path: Path, quiet: bool
) -> None:
    """The server rolls its transaction back, whatever it is asked to do."""

    def work(tx: Tx) -> None:
        put("a")(tx)
        with suppress(psycopg.Error):
            tx.run("insert into schema_version (id, version) values (1, 1)")

    with opened(url, tmp_path) as db:
        with pytest.raises(errors.StorageError, match="InFailedSqlTransaction"):
            await db.write(work, quiet=quiet)

        assert await db.read(stored_names) == []


async def test_a_hidden_failure_takes_no_other_write_along(url: str, tmp_path: Path) -> None:
    """It alone of a group that is committed together is rolled back, and says so."""
    begun, goes_on = threading.Event(), threading.Event()

    def first(tx: Tx) -> None:
        put("first")(tx)
        begun.set()
        goes_on.wait(60)

    def hides(tx: Tx) -> None:
        put("hidden")(tx)
        with suppress(psycopg.Error):
            tx.run("insert into schema_version (id, version) values (1, 1)")

    with opened(url, tmp_path) as db:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(db.write(first))
            await asyncio.to_thread(begun.wait, 60)
            hidden = tasks.create_task(_refused(db.write(hides)))
            tasks.create_task(db.write(put("last")))
            await asyncio.sleep(0)  # they wait in this order
            goes_on.set()

        assert "InFailedSqlTransaction" in hidden.result().message
        assert await db.read(stored_names) == ["first", "last"]


async def _refused(call: Any) -> errors.StorageError:
    """The error of a call."""
    with pytest.raises(errors.StorageError) as refused:
        await call
    return refused.value


async def test_a_read_that_nobody_waits_for_ends_at_the_server(url: str, tmp_path: Path) -> None:
    """Its reader is free for others at once."""

    def slow(tx: Tx) -> None:
        began.set()
        tx.together(("select 1", ()), ("select cast(pg_sleep(60) as text)", ()))

    with opened(url, tmp_path) as db:
        for _ in range(READERS + 1):
            began = threading.Event()
            task = asyncio.create_task(db.read(slow))
            await asyncio.to_thread(began.wait, 60)
            task.cancel()
        assert await db.read(stored_names, seconds=30) == []
        assert warnings(db) == set()


async def test_a_link_that_is_made_again_in_part_is_not_used(url: str, tmp_path: Path) -> None:
    """The server may be restored from a backup meanwhile: it answers, and has no tables yet."""
    with psycopg.connect(url, autocommit=True) as admin, opened(url, tmp_path) as db:
        await db.write(put("a"))
        admin.execute("alter table ashd.commits rename to away")
        end_all(admin)
        for call in (*(db.read(stored_names) for _ in range(READERS)), db.write(put("b"))):
            assert "UndefinedTable" in (await _refused(call)).message

        admin.execute("alter table ashd.away rename to commits")
        for _ in range(READERS):
            assert await db.read(stored_names) == ["a"]
        await db.write(put("b"))


async def test_no_free_connection_for_a_long_read_is_no_lasting_trouble(
    url: str, tmp_path: Path
) -> None:
    """The daemon's own connections still answer, so the server is there."""
    with psycopg.connect(url, autocommit=True) as admin, opened(url, tmp_path) as db:
        (name,) = admin.execute("select current_database()").fetchone() or ("",)
        admin.execute(f"alter database {name} connection limit 1")
        with pytest.raises(errors.StorageError, match="does not answer"):
            await asyncio.to_thread(_in_a_snapshot, db, stored_names)

        await db.read(stored_names)
        assert warnings(db) == set()


async def test_a_link_that_breaks_in_a_transaction_fails_its_call(url: str, tmp_path: Path) -> None:
    """Nothing of it is stored; the call may be repeated, and the next one is answered."""

    def work(tx: Tx) -> None:
        put("a")(tx)
        end_others(url)
        put("b")(tx)

    with opened(url, tmp_path) as db:
        with pytest.raises(errors.StorageError, match="does not answer") as failed:
            await db.write(work)
        assert failed.value.retryable
        assert warnings(db) == {"server_unreachable"}

        await db.write(put("c"))
        assert warnings(db) == set()
        assert await db.read(stored_names) == ["c"]


async def test_a_link_that_says_nothing_is_given_up(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine at its end may have frozen, while the network still answers for it."""
    monkeypatch.setattr(engines, "_SILENCE_SECONDS", 0.2)
    monkeypatch.setattr(failures, "WAIT_SECONDS", 1)
    frozen = set[int]()

    def freeze() -> None:
        with psycopg.connect(url, autocommit=True) as admin:
            asked = "select pid from pg_stat_activity where datname = current_database()"
            for (pid,) in admin.execute(f"{asked} and pid <> pg_backend_pid()").fetchall():
                frozen.add(pid)
                os.kill(pid, signal.SIGSTOP)

    def freeze_meanwhile(tx: Tx) -> None:
        put("lost")(tx)
        freeze()
        put("lost, too")(tx)

    with opened(url, tmp_path) as db:
        try:
            await db.write(put("a"))
            freeze()
            await db.write(put("b"))
            for _ in range(READERS):
                assert await db.read(stored_names) == ["a", "b"]
            with pytest.raises(errors.StorageError, match="does not answer") as failed:
                await db.write(freeze_meanwhile)
            assert failed.value.retryable
        finally:
            for pid in frozen:
                os.kill(pid, signal.SIGCONT)

        await db.write(put("c"))
        assert await db.read(stored_names) == ["a", "b", "c"]


class _BrokenAtCommit:
    """Breaks the link of a connection at its next commit, before or after the server made it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, url: str, *, is_made: bool) -> None:
        self._url, self._is_made, self.left = url, is_made, 1
        script = Connection.script

        def broken(connection: Connection, sql: str) -> Any:
            if not sql.endswith("commit") or not self.left:
                return script(connection, sql)
            self.left -= 1
            if self._is_made:
                script(connection, sql)
            connection.raw.close()
            raise psycopg.OperationalError("the connection is gone")

        monkeypatch.setattr(Connection, "script", broken)


@pytest.mark.parametrize("is_made", [True, False])
async def test_a_commit_without_an_answer_is_settled(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_made: bool
) -> None:
    """The server is asked whether it made the commit; the answer is never wrong."""
    with opened(url, tmp_path) as db:
        await db.write(put("a"))
        _BrokenAtCommit(monkeypatch, url, is_made=is_made)

        if is_made:
            await db.write(put("b"))
        else:
            with pytest.raises(errors.StorageError, match="does not answer"):
                await db.write(put("b"))
        await db.write(put("c"))

        assert await db.read(stored_names) == (["a", "b", "c"] if is_made else ["a", "c"])


async def test_a_commit_that_cannot_be_settled_is_said(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller hears that it may have been stored, and what to do."""
    with opened(url, tmp_path) as db:
        await db.write(put("a"))
        _BrokenAtCommit(monkeypatch, url, is_made=True)
        connect = Connection.connect

        def unreachable(_connection: Connection) -> None:
            raise psycopg.OperationalError("no server")

        monkeypatch.setattr(Connection, "connect", unreachable)

        def store(tx: Tx) -> None:
            put("b")(tx)
            tx.tell("grants")

        with pytest.raises(errors.StorageError, match="may have been stored") as failed:
            await db.write(store)
        assert "idempotency_key" in failed.value.hint

        monkeypatch.setattr(Connection, "connect", connect)
        assert await db.read(stored_names) == ["a", "b"]
        assert db.take_topics() == {"grants"}, "its own parts have to read it again"


async def test_writes_go_on_after_a_commit_that_could_not_be_settled(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another daemon was writing for longer than the question whether it was made may wait."""
    with opened(url, tmp_path) as db, psycopg.connect(url) as other:
        await db.write(put("a"))
        monkeypatch.setattr(failures, "WAIT_SECONDS", 1)

        def held_up(connection: Connection) -> None:
            connect(connection)
            monkeypatch.setattr(Connection, "connect", connect)
            other.execute("select pg_advisory_xact_lock(%s)", (WRITING,))

        connect = Connection.connect
        monkeypatch.setattr(Connection, "connect", held_up)
        _BrokenAtCommit(monkeypatch, url, is_made=True)
        with pytest.raises(errors.StorageError, match="may have been stored"):
            await db.write(put("b"))

        other.rollback()
        await db.write(put("c"))
        assert await db.read(stored_names) == ["a", "b", "c"]


async def test_a_refused_statement_is_logged_without_its_values(
    url: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The server's message repeats what was to be stored."""
    with opened(url, tmp_path) as db:
        await db.write(put("walnuts"))
        with pytest.raises(errors.StorageError, match="UniqueViolation") as failed:
            await db.write(put("walnuts"))

    assert "walnuts" not in f"{failed.value.message} {failed.value.hint}"
    logged = capfd.readouterr().err
    assert "statement_failed" in logged
    assert "walnuts" not in logged


async def test_work_that_fails_leaves_the_rest_of_its_transaction(url: str, tmp_path: Path) -> None:
    """PostgreSQL ends a transaction at an error; a savepoint keeps what was before."""

    def work(tx: Tx) -> None:
        tx.run("insert into copies (path, kind, made_at) values ('a', 'export', 1)")
        with pytest.raises(tx.dialect.refused), tx.savepoint():
            tx.run("insert into copies (path, kind, made_at) values ('a', 'export', 1)")
        tx.run("insert into copies (path, kind, made_at) values ('b', 'export', 1)")

    with opened(url, tmp_path) as db:
        await db.write(work)
        assert await db.read(stored_names) == ["a", "b"]


@pytest.mark.parametrize(
    ("for_role", "used"), [("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")]
)
async def test_acknowledged_change_is_durable(
    url: str, tmp_path: Path, for_role: str, used: str
) -> None:
    """A database whose commits do not wait for the disk is used with those that do."""
    with psycopg.connect(url, autocommit=True) as admin:
        (name,) = admin.execute("select current_database()").fetchone() or ("",)
        admin.execute(f"alter database {name} set synchronous_commit = {for_role}")

    with opened(url, tmp_path) as db:
        assert await db.write(lambda tx: tx.value("show synchronous_commit")) == used


@pytest.mark.parametrize(
    "setting",
    [
        "statement_timeout = 150",
        "idle_in_transaction_session_timeout = 150",
        "lock_timeout = 150",
        "default_transaction_isolation = serializable",
    ],
)
async def test_limits_of_the_role_stop_no_work(url: str, tmp_path: Path, setting: str) -> None:
    """The daemon has limits of its own; a change is whole, or says why not."""
    with psycopg.connect(url, autocommit=True) as admin:
        (name,) = admin.execute("select current_database()").fetchone() or ("",)
        admin.execute(f"alter database {name} set {setting}")

    def slow(tx: Tx) -> list[str]:
        tx.value("select cast(pg_sleep(0.2) as text)")
        threading.Event().wait(0.2)
        return stored_names(tx)

    with opened(url, tmp_path) as one, opened(url, tmp_path) as other:
        await asyncio.gather(one.write(slow), *(db.write(put("a")) for db in (other,)))
        await one.write(slow)
        assert await other.read(slow) == ["a"]
        assert await asyncio.to_thread(_in_a_snapshot, one, slow) == ["a"]


async def test_a_change_reads_what_was_committed_before_its_statement(
    url: str, tmp_path: Path
) -> None:
    """It waits for its lock inside the transaction, and must see what the holder committed."""
    with psycopg.connect(url, autocommit=True) as admin:
        (name,) = admin.execute("select current_database()").fetchone() or ("",)
        admin.execute(f"alter database {name} set default_transaction_isolation = serializable")

    with opened(url, tmp_path) as db:
        level = await db.write(
            lambda tx: tx.value("select current_setting('transaction_isolation')")
        )

    assert level == "read committed"


def _in_a_snapshot(db: Database, work: Any) -> Any:
    with db.snapshot() as tx:
        return work(tx)


@pytest.mark.parametrize(
    "setting",
    ["client_encoding = 'LATIN1'", "standard_conforming_strings = off", "extra_float_digits = 0"],
)
async def test_forms_of_values_of_the_role_change_none(
    url: str, tmp_path: Path, setting: str
) -> None:
    """A text or a number that is read is the one that was written."""
    with psycopg.connect(url, autocommit=True) as admin:
        (name,) = admin.execute("select current_database()").fetchone() or ("",)
        admin.execute(f"alter database {name} set {setting}")

    with opened(url, tmp_path) as db:
        await db.write(put("核桃 \\ Čapek"))
        assert await db.read(stored_names) == ["核桃 \\ Čapek"]
        [row] = await db.read(
            lambda tx: tx.all("select cast(? as double precision), '\\'", 0.1 + 0.2)
        )
        assert row == (0.1 + 0.2, "\\")


async def test_idle_links_stay(url: str, tmp_path: Path) -> None:
    """A daemon that rests keeps its lead and the jobs that it runs."""
    with psycopg.connect(url, autocommit=True) as admin:
        (name,) = admin.execute("select current_database()").fetchone() or ("",)
        admin.execute(f"alter database {name} set idle_session_timeout = 500")

    with opened(url, tmp_path) as db:
        before = await db.write(_backend)
        threading.Event().wait(1)
        assert await db.write(_backend) == before


def _backend(tx: Tx) -> Any:
    return tx.value("select pg_backend_pid()")


def test_a_server_that_takes_no_writes_is_said(url: str, tmp_path: Path) -> None:
    """Nothing is read from it either, since it may be a standby that is behind."""
    with psycopg.connect(url, autocommit=True) as admin:
        (name,) = admin.execute("select current_database()").fetchone() or ("",)
        admin.execute(f"alter database {name} set default_transaction_read_only = on")

    with pytest.raises(errors.StartError, match=r"takes no writes.*\[storage\] url"):
        Database.open(tmp_path / "ash.db", FixedClock(), url)


async def test_a_server_without_a_free_connection_is_said(
    url: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """At the start, and in the log of a daemon that runs; it goes on once there is one."""
    with psycopg.connect(url, autocommit=True) as admin:
        (name,) = admin.execute("select current_database()").fetchone() or ("",)
        with opened(url, tmp_path) as db:
            await db.write(put("a"))
            admin.execute(f"alter database {name} connection limit 1")
            with pytest.raises(errors.StartError, match=r"no more connections.*max_connections"):
                Database.open(tmp_path / "ash.db", FixedClock(), url)
            end_all(admin)
            with pytest.raises(errors.StorageError, match="does not answer") as failed:
                await db.write(put("b"))
            assert failed.value.retryable
            assert "too many connections for database" in capfd.readouterr().err

            admin.execute(f"alter database {name} connection limit -1")
            await db.write(put("c"))
            assert await db.read(stored_names) == ["a", "c"]


def test_a_server_that_is_not_there_is_said(tmp_path: Path) -> None:
    """The message says what to check."""
    with pytest.raises(errors.StartError, match=r"no way to.*\[storage\] url"):
        Database.open(tmp_path / "a.db", FixedClock(), f"postgresql:///ash?host={tmp_path}")


def test_a_database_that_is_not_there_is_said(server: str, tmp_path: Path) -> None:
    """With the command that makes one."""
    url = server.replace("/postgres?", "/no_such_database?")
    with pytest.raises(errors.StartError, match=r'"no_such_database" does not exist.*createdb'):
        Database.open(tmp_path / "a.db", FixedClock(), url)


def test_the_reason_of_an_unknown_error_has_no_content() -> None:
    """Only the kind of error and its code are shown."""
    assert "secret" not in failures.why_not(psycopg.DataError("secret"))


def test_a_missing_right_is_said_with_its_remedy(tmp_path: Path) -> None:
    """As when a home is moved to a database that belongs to somebody else."""
    missing = psycopg.errors.InsufficientPrivilege("permission denied for database x")
    error = failures.as_ash_error(missing, Health(tmp_path))
    assert isinstance(error, errors.StorageError)
    assert "own the database, or a schema named ashd" in error.hint


async def test_the_doctor_counts_at_a_server_too(url: str, tmp_path: Path) -> None:
    """Its counts are in statements of both engines."""
    with opened(url, tmp_path) as db:
        counts = await db.read(doctor.count)

    assert counts.orphans == {}
    assert counts.commits_lost == 0


async def test_the_language_of_what_is_stored_is_looked_at(url: str, tmp_path: Path) -> None:
    """For the status; its statement takes the numbers of both engines."""
    with opened(url, tmp_path) as db:
        assert await db.read(lambda tx: passages.newest_beginnings(tx, 5, 10)) == []
