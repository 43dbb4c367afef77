"""A log that cannot be written breaks no call, no start and no stop of a server. Budget: 60 s."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from daemons import ASH, CallFailed, Client, Daemon
from mounts import fill, small_disk
from prometheus_client.parser import text_string_to_metric_families
from waiting import until

Make = Callable[..., Daemon]
ASHD = [sys.executable, "-m", "ashd"]
MINE = {"provider": "test", "user_id": "the witness"}
CALLS = 40


@contextlib.contextmanager
def _full_device(_folder: Path) -> Iterator[str]:
    """Every write fails."""
    yield "2>/dev/full"


@contextlib.contextmanager
def _full_disk(folder: Path) -> Iterator[str]:
    """A file on a disk without room."""
    with small_disk(folder / "disk", "64k") as disk:
        fill(disk)
        yield f"2>>{disk / 'filler'}"


@contextlib.contextmanager
def _unread_pipe(_folder: Path) -> Iterator[str]:
    """A pipe that is full, and whose reader never reads."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while os.write(writer, b"x" * 65_536):
            pass
    try:
        yield f"2>/proc/{os.getpid()}/fd/{writer}"
    finally:
        os.close(reader)
        os.close(writer)


@contextlib.contextmanager
def _closed(_folder: Path) -> Iterator[str]:
    """No standard streams at all."""
    yield "0<&- >&- 2>&-"


@pytest.fixture(
    params=[_full_device, _full_disk, _unread_pipe, _closed], ids=lambda one: one.__name__
)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The redirection of standard error."""
    with request.param(tmp_path) as redirection:
        yield redirection


def _run(command: list[str], where: str, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a program with its standard error somewhere else."""
    return subprocess.Popen(["sh", "-c", f'exec "$@" {where}', "sh", *command], env=environment)


@contextlib.contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Leave nothing running."""
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _connected(path: Path) -> Client | None:
    with contextlib.suppress(OSError):
        return Client(path)
    return None


def _dropped(client: Client) -> float:
    text = client.call("system.metrics")["text"]
    (family,) = [
        one for one in text_string_to_metric_families(text) if one.name == "ashd_log_lines_dropped"
    ]
    return float(family.samples[0].value)


def _is_ready(client: Client) -> bool:
    return bool(client.call("system.status")["state"] == "ready")


def test_the_daemon_answers_whatever_becomes_of_its_log(new_daemon: Make, where: str) -> None:
    """Calls succeed or fail with their own errors, the lines are counted, and a stop is a stop."""
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "none"\n[log]\nlevel = "debug"\n')
    process = _run(daemon.command(), where, daemon._environment)
    with _ended(process):
        client = until(lambda: _connected(daemon.socket))
        until(lambda: _is_ready(client))
        for number in range(CALLS):
            client.call("memory.add", scope=MINE, content=f"Crate {number} holds lamps")
            with pytest.raises(CallFailed) as failed:
                client.call("memory.add", scope=MINE, content="")
            assert failed.value.kind == "invalid_params"
            assert failed.value.data["hint"]
        with daemon.client() as other:
            other.send(b"{no message\n")
            assert other.receive()["error"]["data"]["kind"] == "parse_error"
        assert client.call("memory.list", scope=MINE)["total"] == CALLS
        # Few enough can wait for the reader of a pipe.
        assert _dropped(client) > 0 or "/proc/" in where
        client.close()
        process.send_signal(signal.SIGTERM)

        assert process.wait(120) == 0
    daemon.start(wait_for="daemon_ready")
    assert daemon.call("memory.list", scope=MINE)["total"] == CALLS


def test_a_start_that_cannot_be_has_its_exit_status(new_daemon: Make, where: str) -> None:
    """Its reason is lost, its status is not."""
    daemon = new_daemon()
    daemon.config("[storage]\nno_such_key = 1\n")
    process = _run(daemon.command(), where, daemon._environment)
    with _ended(process):
        assert process.wait(120) == 1


def _status(port: int, path: str) -> int | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except OSError:
        return None
    finally:
        connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _malformed(port: int) -> bytes:
    """Send what is no request: uvicorn logs each."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(b"\x01\x02 no request\r\n\r\n")
        return client.recv(100)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a person with a home and temporary files of the test's own."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}


def test_the_gateway_answers_whatever_becomes_of_its_log(
    where: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """So many malformed requests, whose lines are lost, and it still answers and stops."""
    port = _free_port()
    (tmp_path / "config.toml").write_text(f"[http]\nport = {port}\n")
    options = ["--home", str(tmp_path), "--socket", str(tmp_path / "none.sock")]
    process = _run([*ASHD, "http", *options], where, environment)
    with _ended(process):
        assert until(lambda: _status(port, "/healthz")) == 200
        for _ in range(CALLS):
            assert _malformed(port).startswith(b"HTTP/1.1 400 ")
        assert _status(port, "/v1/models") == 401
        process.send_signal(signal.SIGTERM)

        assert process.wait(120) == 0


def test_a_gateway_whose_port_is_taken_ends_with_its_status(
    where: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """As where somebody reads the reason."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        (tmp_path / "config.toml").write_text(f"[http]\nport = {taken.getsockname()[1]}\n")
        process = _run([*ASHD, "http", "--home", str(tmp_path)], where, environment)
        with _ended(process):
            assert process.wait(120) == 1


def test_the_page_is_served_whatever_becomes_of_its_log(
    daemon: Daemon, where: str, environment: dict[str, str]
) -> None:
    """The browser gets the file with the token; Ctrl-C ends it."""
    port = _free_port()
    options = ["--no-open", "--port", str(port)]
    process = _run(daemon.ash_command("web", *options), where, environment)
    with _ended(process):
        assert until(lambda: _status(port, "/")) == 421
        process.send_signal(signal.SIGINT)

        assert process.wait(120) == 0


def test_a_page_that_cannot_be_served_ends_with_its_status(
    where: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    """No daemon answers."""
    options: list[Any] = ["--socket", str(tmp_path / "none.sock"), "web", "--no-open"]
    process = _run([*ASH, *options], where, environment)
    with _ended(process):
        assert process.wait(120) == 6
