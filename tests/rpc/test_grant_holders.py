"""Grants that end with the process that asked for them, however that ends."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon

# Make a grant, print it, and wait until it is killed or its input ends.
HOLDER = """
import json, socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
request = {"jsonrpc": "2.0", "id": 1, "method": "grant.create", "params": json.loads(sys.argv[2])}
client.sendall(json.dumps(request).encode() + b"\\n")
print(client.makefile().readline(), end="", flush=True)
client.close()
sys.stdin.read()
"""

Hold = Callable[..., tuple["subprocess.Popen[str]", dict[str, Any]]]


@pytest.fixture
def hold(scope: Callable[..., dict[str, Any]]) -> Iterator[Hold]:
    """Start a process that holds a grant; return the process and the grant."""
    started = []

    def start(daemon: Daemon, **params: Any) -> tuple["subprocess.Popen[str]", dict[str, Any]]:
        given = {"scope": scope(), "ends_with_caller": True, **params}
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(daemon.socket), json.dumps(given)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout is not None
        return process, json.loads(process.stdout.readline())["result"]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def own() -> Iterator[Daemon]:
    """A daemon of the test's own, to be stopped and started."""
    daemon = Daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    yield daemon.start()
    daemon.remove()


def state(daemon: Daemon, grant: dict[str, Any]) -> str:
    grants = daemon.call("grant.list", include_closed=True)["grants"]
    return next(one["state"] for one in grants if one["grant_id"] == grant["grant_id"])


def test_a_killed_process_ends_its_grant(daemon: Daemon, hold: Hold) -> None:
    """The connections are dropped and the directory goes, as when a grant is revoked."""
    process, grant = hold(daemon)
    with daemon.client(grant["socket"]) as inside:
        inside.call("memory.list")

        process.send_signal(signal.SIGKILL)

        assert inside.receive() is None
    assert state(daemon, grant) == "revoked"
    assert not Path(grant["directory"]).exists()
    rows = daemon.call("audit.list", limit=20)["entries"]
    assert next(row["method"] for row in rows if row["peer_pid"] == process.pid) == "grant.revoke"


def test_a_closed_connection_does_not_end_it(daemon: Daemon, hold: Hold) -> None:
    """A grant ends with its process, which may use other connections or none."""
    _, grant = hold(daemon)
    assert daemon.call("memory.list", at=grant["socket"])["total"] == 0


def test_other_grants_stay(daemon: Daemon, hold: Hold) -> None:
    """Grants of that process that were not bound to it stay."""
    process, grant = hold(daemon, ends_with_caller=False)
    process.kill()
    process.wait()
    other, bound = hold(daemon)
    with daemon.client(bound["socket"]) as inside:
        inside.call("memory.list")
        other.kill()

        assert inside.receive() is None
    assert daemon.call("memory.list", at=grant["socket"])["total"] == 0


def test_a_token_ends_with_its_process(daemon: Daemon, hold: Hold) -> None:
    """The token is refused afterwards."""
    process, grant = hold(daemon, token=True)
    with daemon.client(grant["socket"]) as inside:
        inside.call("session.hello", token=grant["token"])

        process.kill()

        assert inside.receive() is None
    with daemon.client(grant["socket"]) as again, pytest.raises(CallFailed) as failed:
        again.call("session.hello", token=grant["token"])
    assert failed.value.kind == "denied"


def test_a_revoked_grant_leaves_no_watch(own: Daemon, hold: Hold) -> None:
    """The running process of a revoked grant costs the daemon no descriptor."""
    assert own.process is not None
    descriptors = Path("/proc", str(own.process.pid), "fd")
    own.call("memory.list")
    before = len(list(descriptors.iterdir()))
    for _ in range(5):
        _, grant = hold(own)
        own.call("grant.revoke", grant_id=grant["grant_id"])

    own.call("memory.list")
    assert len(list(descriptors.iterdir())) <= before + 1


def test_a_grant_outlives_the_daemon_with_its_process(own: Daemon, hold: Hold) -> None:
    """After a restart the grant is still there, and still ends with the process."""
    process, grant = hold(own)
    own.stop()
    own.start(wait_for="daemon_ready")
    with own.client(grant["socket"]) as inside:
        inside.call("memory.list")

        process.kill()

        assert inside.receive() is None
    assert state(own, grant) == "revoked"


def test_a_process_may_end_while_the_daemon_is_stopped(own: Daemon, hold: Hold) -> None:
    """The grant is closed when the daemon starts, even if another process has the pid."""
    process, grant = hold(own)
    own.stop()
    process.kill()
    process.wait()
    own.start(wait_for="daemon_ready")

    assert state(own, grant) == "revoked"
    assert list((own.run / "sandbox").iterdir()) == []
