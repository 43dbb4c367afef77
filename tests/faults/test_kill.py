"""kill -9 at any moment loses no acknowledged write. Budget: 20 s."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon

CLIENTS = 4
ACKNOWLEDGED_BEFORE = 50


class _Stream(threading.Thread):
    """A client that adds facts until the daemon goes away, and remembers what was acknowledged."""

    def __init__(self, daemon: Daemon, scope: dict[str, Any], name: str, enough: Any) -> None:
        super().__init__(daemon=True)
        self._client = daemon.client()
        self._scope = scope
        self._name = name
        self._enough = enough
        self.acknowledged: dict[str, str] = {}
        self.sent = 0

    def run(self) -> None:
        try:
            while True:
                content = f"Fact {self._name}-{self.sent} of the stream"
                self.sent += 1
                answer = self._client.call(
                    "memory.add", scope=self._scope, content=content, subjects=["Nora"]
                )
                memory = answer["memories"][0]["memory"]
                self.acknowledged[memory["id"]] = content
                self._enough.release()
        except (OSError, AssertionError):
            pass  # the daemon was killed
        finally:
            self._client.close()


def test_an_acknowledged_write_survives_a_kill(
    new_daemon: Callable[..., Daemon], scope: Callable[..., Any]
) -> None:
    """Several clients write; every acknowledged fact is there after the kill (A1)."""
    daemon = new_daemon().start()
    mine = scope()
    enough = threading.Semaphore(0)
    streams = [_Stream(daemon, mine, f"{n}", enough) for n in range(CLIENTS)]
    for stream in streams:
        stream.start()
    for _ in range(ACKNOWLEDGED_BEFORE):
        assert enough.acquire(timeout=120)

    daemon.kill()
    for stream in streams:
        stream.join(120)
    daemon.start()

    stored: dict[str, str] = {}
    cursor: dict[str, Any] = {}
    while True:
        page = daemon.call("memory.list", scope=mine, limit=100, **cursor)
        stored |= {memory["id"]: memory["content"] for memory in page["memories"]}
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    acknowledged = {key: text for stream in streams for key, text in stream.acknowledged.items()}
    assert len(acknowledged) >= ACKNOWLEDGED_BEFORE
    assert acknowledged.items() <= stored.items()
    # A write in flight at the kill may be there or not: one a client at most.
    assert len(stored) - len(acknowledged) <= CLIENTS
    # Whole: each is found by its words, and the queue of vectors is what it should be.
    last = list(acknowledged.values())[-1]
    results = daemon.call("memory.search", scope=mine, query=last, limit=100, min_score=0)
    assert last in [result["memory"]["content"] for result in results["results"]]
    assert [result["about"] for result in results["results"][:1]] == [["Nora"]]


def test_nothing_is_lost_over_many_kills(
    new_daemon: Callable[..., Daemon], scope: Callable[..., Any]
) -> None:
    """The same home is killed again and again, even during its start."""
    daemon = new_daemon()
    mine = scope()
    acknowledged: set[str] = set()
    for turn in range(3):
        daemon.start(wait_for="daemon_ready")
        for number in range(5):
            content = f"Turn {turn}, fact {number}"
            daemon.call("memory.add", scope=mine, content=content)
            acknowledged.add(content)
        daemon.kill()

    daemon.start()

    listed = daemon.call("memory.list", scope=mine, limit=100)["memories"]
    assert {memory["content"] for memory in listed} == acknowledged
    assert len(listed) == len(acknowledged)


def test_a_retry_over_a_kill_stores_once(
    new_daemon: Callable[..., Daemon], scope: Callable[..., Any]
) -> None:
    """A client that heard no answer asks again with its key, and there is one memory (A10)."""
    daemon = new_daemon().start()
    mine = scope()
    call = {"scope": mine, "content": "Told twice", "idempotency_key": "k"}

    first = daemon.call("memory.add", **call)["memories"][0]
    daemon.kill()
    daemon.start()
    second = daemon.call("memory.add", **call)["memories"][0]

    assert second == first
    assert daemon.call("memory.list", scope=mine)["total"] == 1
    with pytest.raises(CallFailed, match="conflict"):
        daemon.call("memory.add", **{**call, "content": "Told otherwise"})
