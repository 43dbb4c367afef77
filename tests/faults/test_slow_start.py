"""A daemon whose start takes long says so, and answers the same connections later. Budget: 5 s."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import apsw
from daemons import CallFailed, Client, Daemon
from waiting import until

from ashd.store import checksums


def test_a_daemon_that_starts_says_so(new_daemon: Callable[..., Daemon]) -> None:
    """While another program holds the database, only the status is answered; all else is
    `starting`."""
    daemon = new_daemon()
    daemon.start()
    daemon.stop()
    checksums.register()
    holder = apsw.Connection(str(daemon.home / "data" / "ash.db"), vfs=checksums.VFS)
    holder.execute("begin immediate")

    def ask() -> tuple[Client, list[Any]]:
        client: Client = until(lambda: _connected(daemon))
        try:
            return client, [
                client.call("session.hello", client="ash"),
                until(lambda: _opening(client)),
                _error(client, "memory.list"),
                _error(client, "session.hello", client="ash", bind=True),
            ]
        finally:
            holder.execute("rollback")
            holder.close()

    with ThreadPoolExecutor() as beside:
        asked = beside.submit(ask)
        daemon.start()
        client, (hello, status, call, bound) = asked.result()

    assert hello["embedder"] == "loading"
    assert status["state"] == "starting"
    assert [one["name"] for one in status["running"]] == ["open"]
    assert [one["name"] for one in status["warnings"]] == ["starting"]
    assert call["data"]["retryable"]
    assert call["data"]["kind"] == bound["data"]["kind"] == "starting"
    with client:
        assert client.call("memory.list")["total"] == 0
        assert client.call("system.status")["state"] == "ready"


def _connected(daemon: Daemon) -> Client | None:
    try:
        return Client(daemon.socket)
    except OSError:
        return None


def _opening(client: Client) -> dict[str, Any] | None:
    """The status, once the daemon has come to opening the database: the socket is there before."""
    status: dict[str, Any] = client.call("system.status")
    return status if status["running"] else None


def _error(of: Client, method: str, **params: Any) -> dict[str, Any]:
    try:
        of.call(method, **params)
    except CallFailed as failed:
        return failed.error
    raise AssertionError(f"{method} was answered")
