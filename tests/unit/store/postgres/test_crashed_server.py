"""A server that crashed, or another that took over, has forgotten what nobody acknowledged."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import postgres_server
import psycopg
import pytest
from server_databases import opened, put, stored_names

from ashd import errors
from ashd.store.postgres.connection import Connection

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """The event loop of the daemon."""
    return "asyncio"


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
