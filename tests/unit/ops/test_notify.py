"""The notification protocol against a real datagram socket."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from ashd import errors
from ashd.ops import watchdog
from ashd.ops.notify import notify, watchdog_interval


@pytest.fixture(params=["path", "abstract"])
def manager(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[socket.socket]:
    """The service manager's end, at a path or in the abstract namespace."""
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.settimeout(5)
        if request.param == "path":
            receiver.bind(path)
            monkeypatch.setenv("NOTIFY_SOCKET", path)
        else:
            receiver.bind("\0" + path)
            monkeypatch.setenv("NOTIFY_SOCKET", "@" + path)
        yield receiver


def test_state_arrives_as_one_datagram(manager: socket.socket) -> None:
    """Messages arrive whole and unchanged, one by one."""
    assert notify("READY=1\nSTATUS=größer als null")
    assert notify("WATCHDOG=1")

    assert manager.recv(4096).decode() == "READY=1\nSTATUS=größer als null"
    assert manager.recv(4096) == b"WATCHDOG=1"


@pytest.mark.parametrize("address", [None, "", "vsock:2:1234", "/nowhere/at/all"])
def test_no_manager_is_no_error(address: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing manager, or one out of reach, raises nothing."""
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    if address is not None:
        monkeypatch.setenv("NOTIFY_SOCKET", address)

    assert not notify("READY=1")


@pytest.mark.parametrize(
    ("environment", "seconds"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid() + 1)}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_watchdog_interval_is_half_of_what_is_allowed(
    environment: dict[str, str], seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two pings fit the manager's interval; none is asked for by another process' watchdog."""
    monkeypatch.delenv("WATCHDOG_USEC", raising=False)
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert watchdog_interval() == seconds


async def test_a_start_has_more_time_for_as_long_as_it_works(
    manager: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request is repeated, and no more is sent once the work has ended."""
    monkeypatch.setattr(watchdog, "_ASK_EVERY_S", 0.001)

    def receive() -> list[bytes]:
        return [manager.recv(4096) for _ in range(3)]

    requests = await watchdog.extending_the_start(anyio.to_thread.run_sync(receive))
    notify("READY=1")

    assert {b"EXTEND_TIMEOUT_USEC=120000000"} == set(requests)
    rest: list[bytes] = []
    while not rest or rest[-1] != b"READY=1":
        rest.append(manager.recv(4096))
    assert set(rest) <= {*requests, b"READY=1"}
    manager.setblocking(False)
    await anyio.sleep(0.01)
    with pytest.raises(BlockingIOError):
        manager.recv(4096)


async def test_a_start_that_fails_is_told_as_it_is() -> None:
    """The reason survives the task that asks for time."""

    async def fail() -> None:
        raise errors.StartError("The disk is full.")

    with pytest.raises(BaseExceptionGroup) as found:
        await watchdog.extending_the_start(fail())

    assert ["The disk is full."] == [str(error) for error in found.value.exceptions]
