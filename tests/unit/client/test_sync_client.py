"""The synchronous client against a socket that says what the test wants."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from line_server import LineServer, echo, refusal

from ashd_client.sync import AshCallError, Client


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LineServer]:
    with LineServer(tmp_path / "s", echo) as server:
        yield server


@pytest.fixture
def client(server: LineServer) -> Iterator[Client]:
    with Client(server.path) as client:
        yield client


def test_a_call_returns_the_result(client: Client) -> None:
    """Params go by name."""
    assert client.call("memory.get", id="abc") == {"method": "memory.get", "params": {"id": "abc"}}


def test_calls_share_a_connection(client: Client, server: LineServer) -> None:
    """The first call opens the connection."""
    assert server.connections == 0
    client.call("a")
    client.call("b")
    assert server.connections == 1
    assert [request["id"] for request in server.requests] == [1, 2]


def test_the_scope_goes_with_every_call_that_names_none(server: LineServer) -> None:
    """A scope of the call's own wins."""
    mine, yours = {"provider": "t", "user_id": "1"}, {"provider": "t", "user_id": "2"}
    with Client(server.path, scope=mine) as client:
        client.call("memory.list")
        client.memory.search("tea", scope=yours)

    assert [request["params"]["scope"] for request in server.requests] == [mine, yours]


def test_a_named_client_says_hello_once_a_connection(server: LineServer) -> None:
    """The greeting precedes the client's first call; the scope is no part of it."""
    with Client(server.path, name="ash", scope={"provider": "t", "user_id": "1"}) as client:
        client.call("a")
        client.call("b")

    assert [request["method"] for request in server.requests] == ["session.hello", "a", "b"]
    assert server.requests[0]["params"] == {"client": "ash"}


FORKED = """
import os, sys, threading
from ashd_client.sync import Client

client = Client(sys.argv[1])
client.call("before")
slow = threading.Thread(target=client.call, args=["slow"])
slow.start()

while not client._lock.locked():
    pass
child = os.fork()
if not child:
    print(client.call("child")["method"], flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
slow.join()
print(client.call("after")["method"])
"""


def test_a_forked_process_calls_on_a_connection_of_its_own(tmp_path: Path) -> None:
    """As a server's workers do: a shared one would mix up the replies of the two processes."""
    from_child = threading.Event()

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if request["method"] == "child":
            from_child.set()
        if request["method"] == "slow":
            from_child.wait(60)
        return echo(request)

    with LineServer(tmp_path / "s", answer) as server:
        done = subprocess.run(
            [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKED, server.path],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    assert done.stdout.split() == ["child", "after"], done.stderr
    assert server.connections == 2


def test_an_error_of_the_daemon_is_raised_and_the_connection_stays(tmp_path: Path) -> None:
    """The error has its kind and hint."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        return echo(request) if request["method"] == "b" else refusal(kind="not_found", hint="Look")

    with LineServer(tmp_path / "s", answer) as server, Client(server.path) as client:
        with pytest.raises(AshCallError) as caught:
            client.call("a")
        client.call("b")

    assert (caught.value.kind, caught.value.hint) == ("not_found", "Look")
    assert caught.value.exit_status == 3
    assert server.connections == 1


@pytest.mark.parametrize("reply", [b"", b'{"id": 1, "resu', b"hello\n", b'{"id":9,"result":{}}\n'])
def test_a_call_without_a_proper_reply_fails_and_the_next_connects_anew(
    tmp_path: Path, reply: bytes
) -> None:
    """A late reply is never taken for another call's."""

    def answer(request: dict[str, Any]) -> dict[str, Any] | bytes:
        return reply if request["method"] == "bad" else echo(request)

    with LineServer(tmp_path / "s", answer) as server, Client(server.path) as client:
        with pytest.raises(AshCallError) as caught:
            client.call("bad")
        assert client.call("good")["method"] == "good"

    assert caught.value.kind == "unavailable"
    assert server.connections == 2


def test_a_restarted_daemon_is_found_again(tmp_path: Path) -> None:
    """An idle connection that was closed meanwhile is noticed before anything is sent."""
    with Client(tmp_path / "s") as client:
        with LineServer(tmp_path / "s", echo, calls_a_connection=1):
            client.call("a")
            assert client._connection.recv(1) == b"", "the end of the stream has come"
        with LineServer(tmp_path / "s", echo) as server:
            assert client.call("b")["method"] == "b"

    assert [request["method"] for request in server.requests] == ["b"]


def test_no_daemon_is_told_with_its_remedy(tmp_path: Path) -> None:
    """A missing socket and one that refuses give the same error."""
    with pytest.raises(AshCallError, match="No daemon runs here") as caught:
        Client(tmp_path / "none").call("a")
    assert caught.value.exit_status == 6

    with LineServer(tmp_path / "s", echo) as server:
        (tmp_path / "stale").hardlink_to(server.path)
    with pytest.raises(AshCallError, match="No daemon answers"):
        Client(tmp_path / "stale").call("a")


def test_a_call_is_given_up_after_its_time(tmp_path: Path) -> None:
    """A call that times out closes its connection."""
    done = threading.Event()

    with LineServer(tmp_path / "s", lambda _: b"" * done.wait(10)) as server:
        with Client(server.path, timeout_s=0.05) as client:
            with pytest.raises(AshCallError, match=r"within 0\.05 seconds"):
                client.call("slow")
            assert client._connection is None
        done.set()


def test_threads_share_a_client(client: Client) -> None:
    """Each gets the reply to its own call."""
    got: dict[int, Any] = {}

    def ask(number: int) -> None:
        for _ in range(20):
            got[number] = client.call("a", number=number)["params"]["number"]
            assert got[number] == number

    threads = [threading.Thread(target=ask, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert got == {number: number for number in range(4)}


def test_the_methods_call_what_they_say(client: Client) -> None:
    """Required params may go by place, and what an agent has is made to fit the daemon's limits."""
    calls = [
        (client.memory.add(content="tea"), "memory.add", {"content": "tea"}),
        (client.memory.search("tea", limit=1), "memory.search", {"query": "tea", "limit": 1}),
        (client.memory.list(), "memory.list", {}),
        (client.db.import_("/f", format="ash"), "db.import", {"path": "/f", "format": "ash"}),
        (client.context.get("a\0b"), "context.get", {"message": "ab"}),
        (client.tools.call("t", None), "tools.call", {"name": "t", "arguments": {}}),
        (
            client.conversation.ingest("c", turns=[{"user": None, "assistant": "x"}]),
            "conversation.ingest",
            {"conversation_id": "c", "turns": [{"user": "", "assistant": "x"}]},
        ),
    ]
    for result, method, params in calls:
        assert result == {"method": method, "params": params}


def test_a_method_that_is_not_there_is_an_error(client: Client) -> None:
    """Before anything is sent; and too many values by place are no silent loss."""
    for name in ("serach", "_lock_"):
        with pytest.raises(AttributeError):
            getattr(client.memory, name)
    with pytest.raises(AttributeError, match="memories"):
        _ = client.memories
    with pytest.raises(TypeError, match=r"memory\.search takes 1"):
        client.memory.search("tea", 5)
    assert {"add", "search"} <= set(dir(client.memory))


def test_the_synchronous_client_imports_the_standard_library_alone() -> None:
    """A host agent needs no package but this one."""
    script = (
        "import sys; before = set(sys.modules); import ashd_client.sync\n"
        "names = {m.partition('.')[0] for m in set(sys.modules) - before}\n"
        "print(sorted(names - set(sys.stdlib_module_names) - {'ashd_client'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
