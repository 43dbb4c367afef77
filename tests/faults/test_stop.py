"""An orderly stop: what was asked is answered, what was answered is kept. Budget: 10 s."""

import errno
import json
import signal
import socket
from collections.abc import Callable
from typing import Any

import pytest
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]


def _add(number: int, mine: dict[str, Any]) -> bytes:
    params = {"scope": mine, "content": f"Fact {number}"}
    request = {"jsonrpc": "2.0", "id": number, "method": "memory.add", "params": params}
    return json.dumps(request).encode() + b"\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda n: n.name)
def test_a_stop_answers_what_is_in_flight(
    new_daemon: Callable[..., Daemon], scope: Scope, number: signal.Signals
) -> None:
    """Replies go on to the last request that was read; each is kept exactly if it was a result."""
    daemon = new_daemon().start()
    mine = scope()
    client = daemon.client()
    client.send(b"".join(_add(number, mine) for number in range(300)))
    replies = [client.receive()]

    assert daemon.process is not None
    daemon.process.send_signal(number)
    while (reply := client.receive()) is not None:
        replies.append(reply)
    client.close()
    status = daemon.process.wait(30)

    assert status == 0
    assert [reply["id"] for reply in replies] == list(range(len(replies)))
    kinds = ["result" if "result" in reply else reply["error"]["data"]["kind"] for reply in replies]
    assert kinds[0] == "result"
    done = kinds.count("result")
    assert kinds == ["result"] * done + ["shutting_down"] * (len(kinds) - done)
    assert all(reply["error"]["data"]["retryable"] for reply in replies[done:])
    daemon.process = None
    daemon.start()
    assert daemon.call("memory.list", scope=mine)["total"] == done


def test_clients_that_say_nothing_do_not_hold_it_up(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """Idle connections and half a request are hung up on; the write-ahead log is worked in."""
    daemon = new_daemon().start()
    sandbox = daemon.call("grant.create", scope=scope())["socket"]
    idle = [daemon.client() for _ in range(5)] + [daemon.client(sandbox) for _ in range(3)]
    idle[0].send(b'{"jsonrpc":"2.0","id":1,')
    idle[-1].send(b'{"jsonrpc":"2.0","id":1,')
    daemon.call("memory.add", scope=scope(), content="Kept")

    assert daemon.stop() == 0

    for client in idle:
        assert client.receive() is None
        client.close()
    assert any("daemon_stopped" in line for line in daemon.log)
    wal = daemon.home / "data" / "ash.db-wal"
    assert not wal.exists() or wal.stat().st_size == 0
    with socket.socket(socket.AF_UNIX) as raw:
        assert raw.connect_ex(str(daemon.socket)) in {errno.ECONNREFUSED, errno.ENOENT}
