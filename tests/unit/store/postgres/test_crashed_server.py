"""A server that crashed, or another that took over, has forgotten what nobody acknowledged."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import postgres_server
import psycopg
import pytest
from server_databases import opened, put, stored_names
from waiting import until

from ashd import errors
from ashd.store.postgres.connection import Connection


@pytest.fixture
def own_server() -> Iterator[postgres_server.PostgresServer]:
    """A server for this test alone, which writes its log only when it has to."""
    with postgres_server.needed(wal_writer_delay="10s", synchronous_commit="on") as server:
        with psycopg.connect(server.url, autocommit=True) as admin:
            admin.execute("create database ash")
        yield server


def _at_commit(monkeypatch: pytest.MonkeyPatch, happens: Callable[[Connection], None]) -> None:
    """Let something happen instead of the next commit, after which its connection is lost."""
    script, left = Connection.script, [happens]

    def broken(connection: Connection, sql: str) -> Any:
        if sql.endswith("commit") and left:
            left.pop()(connection)
            connection.raw.close()
            raise psycopg.OperationalError("the connection is gone")
        return script(connection, sql)

    monkeypatch.setattr(Connection, "script", broken)


async def test_a_commit_of_another_daemon_is_not_taken_for_a_lost_one(
    own_server: postgres_server.PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a crash the server gives numbers again that it gave to what was never written down."""
    loop = asyncio.get_running_loop()
    url = own_server.url_of("ash")
    with opened(url, tmp_path) as one, opened(url, tmp_path) as other:

        def crash(_connection: Connection) -> None:
            own_server.stop(signal.SIGQUIT)
            own_server.start()
            asyncio.run_coroutine_threadsafe(other.write(put("of the other")), loop).result(60)

        await one.write(put("before"))
        await other.read(stored_names)
        _at_commit(monkeypatch, crash)
        with pytest.raises(errors.StorageError, match="does not answer") as failed:
            await one.write(put("lost"))
        assert failed.value.retryable

        assert await one.read(stored_names) == ["before", "of the other"]


def _follow(server: postgres_server.PostgresServer, name: str) -> None:
    """Let commits wait for a standby of this name."""
    with psycopg.connect(_as_superuser(server), autocommit=True) as admin:
        admin.execute(f"alter system set synchronous_standby_names = '{name}'")
        admin.execute("select pg_reload_conf()")


def _end_waits(server: postgres_server.PostgresServer, ends: str, times: int) -> set[int]:
    """Let an operator end waits of commits for a standby; return the processes that waited."""
    ended: set[int] = set()
    with psycopg.connect(_as_superuser(server), autocommit=True) as admin:
        while len(ended) < times:
            pid = until(lambda: _waiting(admin, ended))
            admin.execute(f"select {ends}(%s)", (pid,))
            ended.add(pid)
    return ended


def _waiting(admin: psycopg.Connection[Any], known: set[int]) -> int | None:
    """The process of a commit that waits for a standby, but for some."""
    asked = "select pid from pg_stat_activity where wait_event = 'SyncRep' and pid <> all(%s)"
    row = admin.execute(asked, (list(known),)).fetchone()
    return row[0] if row else None


def _as_superuser(server: postgres_server.PostgresServer) -> str:
    return server.url.replace(f"{postgres_server.ROLE}@", "ash_admin@")


@pytest.mark.parametrize(
    ("ends", "messages"),
    [
        ("pg_cancel_backend", "notice"),
        ("pg_cancel_backend", "error"),
        ("pg_terminate_backend", "notice"),
    ],
)
async def test_a_commit_that_has_not_reached_the_standby_is_not_acknowledged(
    own_server: postgres_server.PostgresServer, tmp_path: Path, ends: str, messages: str
) -> None:
    """It is on the disk of the primary alone, and gone if that fails; whatever the role hides."""
    with psycopg.connect(_as_superuser(own_server), autocommit=True) as admin:
        admin.execute(f"alter database ash set client_min_messages = {messages}")
    with opened(own_server.url_of("ash"), tmp_path) as db:
        await db.write(put("a"))
        _follow(own_server, "nobody")
        own_server.stop()
        own_server.start()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(asyncio.to_thread(_end_waits, own_server, ends, 2))
            with pytest.raises(errors.StorageError, match="may have been stored"):
                await db.write(put("b"))


async def test_a_commit_that_reaches_the_standby_late_is_acknowledged(
    own_server: postgres_server.PostgresServer, tmp_path: Path
) -> None:
    """Its link was lost while it waited; what settles it waits as well."""
    with opened(own_server.url_of("ash"), tmp_path) as db:
        _follow(own_server, "nobody")
        own_server.stop()
        own_server.start()

        def end() -> None:
            lost = _end_waits(own_server, "pg_terminate_backend", 1)
            with psycopg.connect(_as_superuser(own_server), autocommit=True) as admin:
                assert until(lambda: _waiting(admin, lost))
            waited.set()
            _follow(own_server, "")

        waited = threading.Event()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(asyncio.to_thread(end))
            await db.write(put("a"))
            assert waited.is_set()
        assert await db.read(stored_names) == ["a"]
