"""The asynchronous client against a socket that says what the test wants."""

import asyncio
import threading
import traceback
from pathlib import Path
from typing import Any

import anyio
import pytest
from line_server import LineServer, echo, refusal

from ashd_client.aio import AshCallError, AsyncClient


async def test_calls_share_a_connection_and_their_scope(tmp_path: Path) -> None:
    """Replies longer than one read are put together."""
    scope = {"provider": "t", "user_id": "1"}
    long = "x" * 300_000
    with LineServer(tmp_path / "s", echo) as server:
        async with AsyncClient(server.path, scope=scope, name="host") as client:
            assert (await client.call("a"))["params"] == {"scope": scope}
            result = await client.memory.add(content=long, scope={"provider": "t", "user_id": "2"})

    assert result["params"] == {"content": long, "scope": {"provider": "t", "user_id": "2"}}
    assert [r["method"] for r in server.requests] == ["session.hello", "a", "memory.add"]
    assert server.connections == 1


async def test_an_error_of_the_daemon_is_raised_and_the_connection_stays(tmp_path: Path) -> None:
    """The error has its kind and hint."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        return echo(request) if request["method"] == "b" else refusal(kind="not_found", hint="Look")

    with LineServer(tmp_path / "s", answer) as server:
        async with AsyncClient(server.path) as client:
            with pytest.raises(AshCallError) as caught:
                await client.memory.get("abc")
            await client.call("b")

    assert (caught.value.kind, caught.value.hint) == ("not_found", "Look")
    assert server.connections == 1


@pytest.mark.parametrize("reply", [b"", b'{"id": 1, "resu', b"hello\n", b'{"id":9,"result":{}}\n'])
async def test_a_call_without_a_proper_reply_fails_and_the_next_connects_anew(
    tmp_path: Path, reply: bytes
) -> None:
    """A late reply is never taken for another call's."""

    def answer(request: dict[str, Any]) -> dict[str, Any] | bytes:
        return reply if request["method"] == "bad" else echo(request)

    with LineServer(tmp_path / "s", answer) as server:
        async with AsyncClient(server.path) as client:
            with pytest.raises(AshCallError) as caught:
                await client.call("bad")
            assert (await client.call("good"))["method"] == "good"

    assert caught.value.kind == "unavailable"
    assert server.connections == 2


async def test_a_restarted_daemon_is_found_again(tmp_path: Path) -> None:
    """An idle connection that was closed meanwhile is noticed before anything is sent."""
    async with AsyncClient(tmp_path / "s") as client:
        with LineServer(tmp_path / "s", echo, calls_a_connection=1):
            await client.call("a")
            assert await _end_of(client) == b"", "the end of the stream has come"
        with LineServer(tmp_path / "s", echo) as server:
            assert (await client.call("b"))["method"] == "b"

    assert [request["method"] for request in server.requests] == ["b"]


async def test_no_daemon_is_told_with_its_remedy(tmp_path: Path) -> None:
    """The error for a missing daemon is the synchronous client's."""
    with pytest.raises(AshCallError, match="No daemon runs here") as caught:
        await AsyncClient(tmp_path / "none").call("a")
    assert caught.value.exit_status == 6
    assert "Start it with `ashd serve`" in "".join(traceback.format_exception(caught.value))


async def test_a_call_that_is_cancelled_or_late_leaves_no_connection(tmp_path: Path) -> None:
    """The reply may still come, so the connection is closed."""
    done = threading.Event()

    with LineServer(tmp_path / "s", lambda _: b"" * done.wait(10)) as server:
        async with AsyncClient(server.path, timeout_s=0.05) as client:
            with pytest.raises(AshCallError, match=r"within 0\.05 seconds"):
                await client.call("slow")
            assert client._connection is None
        async with AsyncClient(server.path) as client:
            with anyio.move_on_after(0.05) as scope:
                await client.call("slow")
            assert scope.cancelled_caught
            assert client._connection is None
        done.set()


async def test_tasks_share_a_client(tmp_path: Path) -> None:
    """Each gets the reply to its own call."""
    got: list[int] = []

    async def ask(client: AsyncClient, number: int) -> None:
        result = await client.call("a", number=number)
        assert result["params"]["number"] == number
        got.append(number)

    with LineServer(tmp_path / "s", echo) as server:
        async with AsyncClient(server.path) as client, anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(ask, client, number)

    assert sorted(got) == list(range(20))


async def _end_of(client: AsyncClient) -> bytes:
    return await asyncio.get_running_loop().sock_recv(client._connection, 1)
