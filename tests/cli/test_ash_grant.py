"""`ash grant`, `ash sandbox` and what else an operator has, against a daemon."""

import contextlib
import fcntl
import json
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import termios
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ash_runner import Ash

from ashd.launcher import bubblewrap


@pytest.fixture
def ash(daemon: Any, scope: Any) -> Ash:
    return Ash(daemon.socket, f"test:{scope()['user_id']}")


@pytest.fixture
def sandboxes() -> None:
    """Skip if no sandbox can be opened; fail in CI, which must be able to."""
    reason = bubblewrap.probe()
    if reason is None:
        return
    if os.environ.get("ASH_CI") == "1" and shutil.which("bwrap") is None:
        pytest.fail(reason)
    pytest.skip(reason)


def rpc(path: str, method: str, **params: Any) -> dict[str, Any]:
    """One call on a sandbox's socket."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        connection.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(connection.makefile().readline())


def grants(ash: Ash, *options: str) -> list[dict[str, Any]]:
    """This test's own grants."""
    everyone = ash("grant", "list", "--json", *options).json["grants"]
    return [grant for grant in everyone if f"test:{grant['scope'].get('user_id')}" == ash.account]


def program(ash: Ash, *arguments: str) -> list[str]:
    """`ash` as a process of its own."""
    script = "from ashd.cli.ash import main; main()"
    return [sys.executable, "-c", script, *ash.options, *arguments]


@contextlib.contextmanager
def ended(running: subprocess.Popen[bytes]) -> Iterator[None]:
    """Check that the process has ended, and end it if it has not."""
    with running:
        try:
            yield
        finally:
            running.terminate()


def test_a_grant_opens_a_socket_for_ones_own_memories(ash: Ash) -> None:
    """A memory written through it is found on the host."""
    grant = ash("grant", "create", "--rights", "read,write", "--expires", "8h", "--json").json
    reply = rpc(grant["socket"], "memory.add", content="I like tea")
    assert reply["result"]["memories"][0]["outcome"] == "added"
    assert "I like tea" in ash("memory", "list").out
    assert grant["expires_at"] is not None


def test_a_grant_has_the_rights_it_was_given(ash: Ash) -> None:
    """A grant has no other rights than those given."""
    grant = ash("grant", "create", "--rights", "read", "--json").json
    reply = rpc(grant["socket"], "memory.add", content="I like tea")
    assert reply["error"]["data"]["kind"] == "denied"


def test_a_new_grant_tells_how_to_use_it(ash: Ash) -> None:
    """The output has the lines for bubblewrap and docker, and how to close it."""
    done = ash("grant", "create")
    grant = grants(ash)[0]
    assert f"{grant['grant_id']}:/run/ash:ro" in done.out
    assert "--ro-bind ash-sb.pyz" in done.out
    assert f"{ash.command} grant revoke {grant['grant_id']}" in done.err


def test_a_revoked_grant_is_closed(ash: Ash) -> None:
    """The socket is gone, and the list shows the grant as revoked."""
    grant = ash("grant", "create", "--json").json
    assert "open" in ash("grant", "list").out
    assert "Revoked" in ash("grant", "revoke", grant["grant_id"]).out
    with pytest.raises(OSError, match=r"No such file|refused"):
        rpc(grant["socket"], "system.status")
    assert grants(ash) == []
    assert "revoked" in ash("grant", "list", "--all").out


def test_a_list_of_grants_shows_their_projects(ash: Ash) -> None:
    """A grant is bound to one, to all or to none, or its sandbox says which."""
    shown = {}
    for project in ("example.org/team/shop", "*", "none", None):
        options = ("--project", project) if project else ()
        made = ash(*options, "grant", "create", "--json").json["grant_id"]
        (line,) = (one for one in ash("grant", "list").out.splitlines() if made in one)
        shown[project] = line.split()[2]
    assert shown == {
        "example.org/team/shop": "example.org/team/shop",
        "*": "all",
        "none": "none",
        None: "any",
    }


def test_an_unknown_grant_is_not_found(ash: Ash) -> None:
    assert ash("grant", "revoke", "gnothing00", "--json", fails=3).error["data"]["hint"]


def test_a_turn_names_who_speaks_in_a_group(ash: Ash) -> None:
    """Memories stored after that name the speaker."""
    ash("--chat", "-100", "memory", "add", "hello", "--shared")
    grant = ash("--as", "test:", "--chat", "-100", "grant", "create", "--json").json
    who = ash.account.removeprefix("test:")
    ash("grant", "turn", grant["grant_id"], "--user", who, "--session", "s1", "--message", "m1")
    reply = rpc(grant["socket"], "memory.add", content="lunch is at noon", shared=True)
    memory = reply["result"]["memories"][0]["memory"]
    assert (memory["source_session_id"], memory["source_message_id"]) == ("s1", "m1")


def test_stats_tell_how_the_daemon_is(ash: Ash) -> None:
    """For a person and as a document."""
    ash("memory", "add", "tea")
    assert ash("stats").out
    assert ash("status").out
    assert set(ash("stats", "--json").json) == {"status", "database"}


@pytest.mark.usefixtures("sandboxes")
def test_a_command_in_a_sandbox_has_its_memories(ash: Ash) -> None:
    """Through ash-sb; its output and status are the command's, and the grant is revoked."""
    script = "ash-sb memory add 'I like tea' >/dev/null && ash-sb memory search tea; exit 7"
    done = subprocess.run(
        program(ash, "sandbox", "run", "--", "sh", "-c", script),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 7, done.stderr
    assert "I like tea" in done.stdout
    assert "I like tea" in ash("memory", "list").out
    assert grants(ash) == []


@pytest.mark.usefixtures("sandboxes")
def test_a_sandbox_gets_the_rights_and_the_workspace_it_was_given(ash: Ash, tmp_path: Path) -> None:
    """Options after the command belong to the command."""
    script = "ash-sb memory add tea --json; echo $? > /workspace/status"
    arguments = ["sandbox", "run", "--rights", "read", "--workspace", str(tmp_path)]
    done = subprocess.run(
        program(ash, *arguments, "sh", "-c", script),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert json.loads(done.stderr)["error"]["data"]["kind"] == "denied"
    assert (tmp_path / "status").read_text() == "4\n"


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command_and_the_grant(ash: Ash, number: signal.Signals) -> None:
    """The exit status names the signal."""
    argv = program(ash, "sandbox", "run", "sh", "-c", "echo up; sleep 60")
    running = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    with ended(running):
        assert running.stdout.readline() == b"up\n"
        assert len(grants(ash)) == 1
        running.send_signal(number)
        assert running.wait(120) == 128 + number
    assert grants(ash) == []


@pytest.mark.usefixtures("sandboxes")
def test_ctrl_c_ends_the_command_and_the_grant(ash: Ash) -> None:
    """The terminal signals the command itself; `ash` stays to revoke the grant."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        program(ash, "sandbox", "run", "sh", "-c", "echo up; sleep 60"),
        stdin=theirs,
        stdout=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads here
    )
    with ended(running):
        os.close(theirs)
        assert running.stdout.readline() == b"up\n"
        os.write(ours, b"\x03")
        assert running.wait(120) == 128 + signal.SIGINT
    os.close(ours)
    assert grants(ash) == []


def test_a_sandbox_that_cannot_start_leaves_no_grant(ash: Ash, tmp_path: Path) -> None:
    """A missing bubblewrap opens no grant."""
    done = subprocess.run(
        program(ash, "sandbox", "run", "true"),
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 6
    assert "bubblewrap is not installed" in done.stderr
    assert grants(ash, "--all") == []


def test_the_client_is_written_as_one_file(ash: Ash, tmp_path: Path) -> None:
    """The client file runs with the interpreter alone."""
    path = tmp_path / "ash-sb.pyz"
    ash("sandbox", "client", str(path))
    done = subprocess.run(
        [sys.executable, "-IS", path, "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "ash-sb" in done.stdout
    done = subprocess.run([path, "help"], capture_output=True, text=True, check=False)
    assert "ash-sb" in done.stdout
    with zipfile.ZipFile(path) as archive:
        assert b"needs Python 3.11" in archive.read("boot.py")


def test_a_client_that_cannot_be_packed_is_an_error_with_its_remedy(tmp_path: Path) -> None:
    """The file is made in the folder for temporary files, which may have no room."""
    path = tmp_path / "ash-sb.pyz"
    little = ["sh", "-c", 'ulimit -f 10; exec "$@"', "sh", sys.executable, "-m", "ashd.cli.ash"]
    done = subprocess.run(
        [*little, "sandbox", "client", str(path)], capture_output=True, text=True, check=False
    )
    said, remedy = done.stderr.splitlines()
    assert (done.returncode, path.exists()) == (7, False)
    assert said.startswith("ash: ash-sb cannot be packed into one file: ")
    assert "File too large" in said
    assert "TMPDIR" in remedy


def test_a_grant_is_given_a_quota(ash: Ash) -> None:
    """Limits are given by name; an unknown name is refused."""
    ash("grant", "create", "--quota", "writes_per_minute=3", "--quota", "stored_bytes=5000")
    assert grants(ash)[0]["quota"] == {"writes_per_minute": 3, "stored_bytes": 5000}
    ash("grant", "create", "--quota", "writes=3", fails=2)
    ash("grant", "create", "--quota", "writes_per_minute", fails=2)


def test_a_token_is_shown_once_with_how_to_use_it(ash: Ash) -> None:
    """The token is shown as lines of the sandbox's environment."""
    done = ash("grant", "create", "--token")
    [token] = [line.strip() for line in done.out.splitlines() if "ASH_CONTEXT_TOKEN=" in line]
    socket_path = next(line for line in done.out.splitlines() if "ASH_RPC_SOCKET=" in line)
    assert token.startswith("ASH_CONTEXT_TOKEN=ashtok_")
    assert Path(socket_path.partition("=")[2]).is_socket()
    assert token.partition("=")[2] not in ash("grant", "list", "--json").out
    assert f"{ash.command} grant revoke {grants(ash)[0]['grant_id']}" in done.err


def test_the_audit_shows_who_was_denied(ash: Ash) -> None:
    """A table by grant and outcome; a note says that there is more."""
    grant = ash("grant", "create", "--rights", "read", "--json").json
    for _ in range(3):
        rpc(grant["socket"], "memory.add", content="I like tea")
    done = ash("audit", "--grant", grant["grant_id"], "--outcome", "denied", "-n", "2")
    assert done.out.count("memory.add") == 2
    assert "--cursor" in done.err
    rows = ash("audit", "--grant", grant["grant_id"], "--json").json["entries"]
    assert [row["outcome"] for row in rows] == ["denied"] * 3


def test_the_audit_shows_for_whom(ash: Ash) -> None:
    """Accounts are shown in the form of `--as`, for calls of operators and sandboxes."""
    grant = ash("grant", "create", "--json").json
    rpc(grant["socket"], "memory.add", content="I like tea")
    mine = [row for row in ash("audit", "-n", "20", "--json").json["entries"] if row["account"]]

    provider, _, user = ash.account.rpartition(":")
    whose = {"provider": provider or "local", "user_id": user}
    assert {("grant.create", None), ("memory.add", grant["grant_id"])} <= {
        (row["method"], row["grant_id"]) for row in mine if row["account"] == whose
    }
    assert f"{whose['provider']}:{user}" in ash("audit", "-n", "20").out
