"""An orderly stop: calls in flight are answered, acknowledged writes are kept. Budget: 10 s."""

import errno
import json
import signal
import socket
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from waiting import until

Scope = Callable[..., dict[str, Any]]


def _add(number: int, mine: dict[str, Any]) -> bytes:
    params = {"scope": mine, "content": f"Fact {number}"}
    request = {"jsonrpc": "2.0", "id": number, "method": "memory.add", "params": params}
    return json.dumps(request).encode() + b"\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda n: n.name)
def test_a_stop_answers_what_is_in_flight(
    new_daemon: Callable[..., Daemon], scope: Scope, number: signal.Signals
) -> None:
    """Replies go on to the last request that was read; a write is kept exactly if it succeeded."""
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
    status = daemon.process.wait(120)

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


def _store_until_it_stops(daemon: Daemon, mine: dict[str, Any], name: str) -> dict[str, bool]:
    """Call after call on a connection of its own; whether each batch was acknowledged."""
    batches: dict[str, bool] = {}
    with daemon.client() as client:
        for number in range(10_000):
            batch = f"{name}-{number}"
            batches[batch] = False
            facts = [{"content": f"Box {batch} holds item {item}"} for item in range(3)]
            try:
                client.call("memory.add", scope=mine, facts=facts)
            except (CallFailed, AssertionError, OSError):
                return batches
            batches[batch] = True
    raise AssertionError("it did not stop")


def test_a_stop_under_load_keeps_what_was_acknowledged(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """Acknowledged batches are all there, any other is there as a whole or not at all."""
    daemon = new_daemon().start()
    mine = scope()
    with ThreadPoolExecutor(6) as threads:
        running = [threads.submit(_store_until_it_stops, daemon, mine, name) for name in "abcdef"]
        until(lambda: daemon.call("memory.list", scope=mine, limit=1)["total"] >= 60)
        assert daemon.stop() == 0
    batches = {name: done for one in running for name, done in one.result().items()}
    assert sum(batches.values()) >= 20

    daemon.start()
    stored: Counter[str] = Counter()
    cursor: dict[str, Any] = {}
    while True:
        page = daemon.call("memory.list", scope=mine, limit=100, **cursor)
        stored.update(memory["content"].split()[1] for memory in page["memories"])
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert not [name for name, done in batches.items() if done and stored[name] != 3], "lost"
    assert not [name for name, count in stored.items() if count != 3], "half a batch"
    assert stored.keys() <= batches.keys()


def test_clients_that_say_nothing_do_not_hold_it_up(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """Idle connections and unfinished requests are closed; the write-ahead log is folded in."""
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
    assert until(lambda: any("daemon_stopped" in line for line in daemon.log))
    wal = daemon.home / "data" / "ash.db-wal"
    assert not wal.exists() or wal.stat().st_size == 0
    with socket.socket(socket.AF_UNIX) as raw:
        assert raw.connect_ex(str(daemon.socket)) in {errno.ECONNREFUSED, errno.ENOENT}
