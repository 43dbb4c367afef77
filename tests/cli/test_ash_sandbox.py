"""`ash sandbox run`: what an agent gets, and what it never gets."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from ash_runner import Ash
from daemons import Daemon
from waiting import until

import ashd
from ashd.launcher import launch

Run = Callable[..., "subprocess.CompletedProcess[str]"]

SLOWEST_S = 60


@pytest.fixture
def ash(daemon: Daemon, scope: Any) -> Ash:
    return Ash(daemon.socket, f"test:{scope()['user_id']}")


@pytest.fixture
def sandboxes() -> None:
    """Skips where no sandbox can be opened; where CI promises them, that is a failure."""
    reason = launch.unsupported()
    if reason is None:
        return
    if os.environ.get("ASH_CI") == "1" and shutil.which("bwrap") is None:
        pytest.fail(reason)
    pytest.skip(reason)


def program(ash: Ash, *arguments: str) -> list[str]:
    script = "from ashd.cli.ash import main; main()"
    return [sys.executable, "-c", script, *ash.options, "sandbox", "run", *arguments]


@pytest.fixture
def run(ash: Ash) -> Run:
    """Run `ash sandbox run` as a process."""

    def start(*arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            program(ash, *arguments),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            **options,
        )

    return start


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """A workspace with room for a link."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder / "link"


def refused(done: "subprocess.CompletedProcess[str]", text: str) -> bool:
    """Return whether nothing was run, for the given reason."""
    return done.returncode == 2 and text in done.stderr and done.stdout == ""


def test_nothing_of_the_daemons_is_a_workspace(run: Run, daemon: Daemon) -> None:
    """The home, the run directory, their parents and their contents."""
    for path in (daemon.home, daemon.run, daemon.home / "data", daemon.home.parent, Path("/")):
        assert refused(run("--workspace", str(path), "echo", "run"), "the daemon's")
        assert refused(run("--ro", str(path), "echo", "run"), "the daemon's")


def test_the_current_directory_is_looked_at_too(run: Run, daemon: Daemon) -> None:
    """A relative path, from above the home."""
    done = run("--workspace", ".", "echo", "run", cwd=daemon.home.parent)
    assert refused(done, "the daemon's home")


def test_the_installation_is_no_workspace(run: Run) -> None:
    """A writable installation would let the host run what the agent wrote."""
    package = Path(ashd.__file__).parent
    for path in (package, package / "cli", Path(sys.executable).parent):
        assert refused(run("--workspace", str(path), "echo", "run"), "installation")


def test_a_link_to_the_daemons_is_no_part_of_a_workspace(
    run: Run, daemon: Daemon, link: Path
) -> None:
    """Symbolic or hard; the link is named."""
    link.symlink_to(daemon.socket)
    assert refused(run("--workspace", str(link.parent), "echo", "run"), str(link))
    link.unlink()
    if link.parent.stat().st_dev != daemon.home.stat().st_dev:
        pytest.skip("no hard link from one file system to another")
    os.link(daemon.home / "data" / "ash.db", link)
    assert refused(run("--workspace", str(link.parent), "echo", "run"), "hard link")


def test_database_and_key_elsewhere_are_the_daemons_too(
    new_daemon: Callable[..., Daemon], tmp_path: Path, scope: Any
) -> None:
    """Paths from the configuration are protected too."""
    key = tmp_path / "key" / "file"
    key.parent.mkdir()
    key.write_text("k")
    daemon = new_daemon()
    daemon.config(
        f'[storage]\npath = "{tmp_path}/db/ash.db"\n'
        f'[embedding]\nprovider = "none"\napi_key_file = "{key}"\n'
    )
    daemon.start()
    ash = Ash(daemon.socket, f"test:{scope()['user_id']}")

    for path in ("db", "key"):
        done = ash("sandbox", "run", "--workspace", str(tmp_path / path), "true", fails=2)
        assert "the daemon's" in done.err


def test_only_the_operator_is_told_the_paths(daemon: Daemon, scope: Any) -> None:
    """A sandbox has no such method."""
    grant = daemon.call("grant.create", scope=scope())
    reply = daemon.client(grant["socket"])
    with reply, pytest.raises(AssertionError, match="method_not_found"):
        reply.call("system.paths")
    paths = daemon.call("system.paths")["paths"]
    assert str(daemon.home) in [path["path"] for path in paths if path["secret"]]


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.parametrize("name", [b"a b", b"caf\xe9", "a\u2028b".encode(), b"a\x0bb\x85"])
def test_a_workspace_may_have_any_name(run: Run, tmp_path: Path, name: bytes) -> None:
    """A name is bytes without a meaning, blanks and line ends of Unicode among them."""
    workspace = tmp_path / os.fsdecode(name)
    workspace.mkdir()

    done = run("--workspace", str(workspace), "sh", "-c", "echo here > /workspace/note")

    assert (0, "") == (done.returncode, done.stderr)
    assert (workspace / "note").read_text() == "here\n"


@pytest.mark.usefixtures("sandboxes")
def test_an_agent_installed_elsewhere_is_shown(run: Run, tmp_path: Path) -> None:
    """Read-only, where it is, with its programs on the path."""
    agent = tmp_path / "agent" / "bin" / "my-agent"
    agent.parent.mkdir(parents=True)
    agent.write_text('#!/bin/sh\necho here; echo x >> "$0"\n')
    agent.chmod(0o755)

    done = run("--ro", str(tmp_path / "agent"), "my-agent")

    assert done.stdout == "here\n"
    assert "Read-only" in done.stderr
    assert "echo x" in agent.read_text()


@pytest.mark.usefixtures("sandboxes")
def test_nothing_that_is_shown_stands_in_for_the_client(run: Run, tmp_path: Path) -> None:
    """A program of the same name in a shown directory is not `ash-sb`."""
    false = tmp_path / "agent" / "bin" / "ash-sb"
    false.parent.mkdir(parents=True)
    false.write_text("#!/bin/sh\necho FAKE\n")
    false.chmod(0o755)

    done = run("--ro", str(tmp_path / "agent"), "ash-sb", "--version")

    assert done.returncode == 0
    assert done.stdout.startswith("ash-sb")


def test_links_to_the_hosts_own_are_followed(run: Run, tmp_path: Path) -> None:
    """By another name they are refused too, with the reason."""
    (tmp_path / "services").symlink_to("/run")
    (tmp_path / "passwords").symlink_to("/etc/shadow")

    assert refused(run("--ro", f"{tmp_path}/services", "echo", "run"), "services listen")
    assert refused(run("--ro", f"{tmp_path}/passwords", "echo", "run"), "some users")


@pytest.mark.usefixtures("sandboxes")
def test_the_hosts_private_keys_are_not_shown_with_a_network(run: Run) -> None:
    """Certificates are, so that TLS works."""
    done = run("--network", "sh", "-c", "ls /etc/ssl /etc/pki/tls 2>/dev/null")

    assert "private" not in done.stdout.split()


@pytest.mark.usefixtures("sandboxes")
def test_a_link_is_shown_by_its_name(run: Run, tmp_path: Path, daemon: Daemon) -> None:
    """The file behind the link is checked and shown."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_text("text")
    (tmp_path / "current").symlink_to("real")
    (tmp_path / "sly").symlink_to(daemon.home)

    assert run("--ro", f"{tmp_path}/current", "cat", f"{tmp_path}/current/file").stdout == "text"
    assert refused(run("--ro", f"{tmp_path}/sly", "echo", "run"), "the daemon's home")


@pytest.mark.parametrize("path", ["/dev/shm", "/proc", "/sys"])
def test_what_the_sandbox_has_itself_is_not_covered(run: Run, path: str) -> None:
    """The sandbox's own /dev and /proc stay in place."""
    assert run("--ro", path, "echo", "run").returncode == 2


@pytest.mark.usefixtures("sandboxes")
def test_the_network_is_there_when_asked_for(run: Run) -> None:
    """The option adds the files for resolving names; without it there is only a loopback."""
    script = "ls /sys/class/net /etc/resolv.conf 2>/dev/null; cat /proc/net/dev | wc -l"
    with_network = run("--network", "sh", "-c", script)
    without = run("sh", "-c", script)

    lines = len(Path("/proc/net/dev").read_text().splitlines())
    assert with_network.stdout.split()[-1] == str(lines)
    assert without.stdout.split() == ["3"]


def greet_once(server: socket.socket) -> None:
    """Send a byte to whoever connects."""
    connection, _ = server.accept()
    with connection:
        connection.sendall(b"x")


@pytest.mark.usefixtures("sandboxes")
def test_a_named_host_is_reached_without_a_network(run: Run) -> None:
    """A named target is reachable on the sandbox's loopback; a wrong name is refused."""
    script = (
        "import socket, sys\n"
        "connection = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
        "sys.exit(connection.recv(1) != b'x')"
    )
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as host:
        server.settimeout(SLOWEST_S)
        greeted = host.submit(greet_once, server)
        port = server.getsockname()[1]
        argv = ["python3", "-ISc", script, str(port)]
        assert run("--connect", f"localhost:{port}", *argv).returncode == 0
        greeted.result()
        assert run(*argv).returncode == 1
        assert run("--network", "--connect", f"localhost:{port}", *argv).returncode == 2
        assert run("--connect", "localhost", *argv).returncode == 2


@pytest.mark.usefixtures("sandboxes")
def test_limits_are_what_was_asked_for(run: Run) -> None:
    """The limits are of processes, of memory and of the file systems in memory."""
    options = ["--processes", "33", "--memory", "300M", "--tmp", "5M", "--shm", "3M"]
    script = "ulimit -d; df -k --output=size /tmp /dev/shm; (ulimit -u || ulimit -p) 2>/dev/null"
    done = run(*options, "sh", "-c", script)

    assert done.stdout.split() == [str(300 * 1024), "1K-blocks", str(5 * 1024), str(3 * 1024), "33"]


@pytest.mark.usefixtures("sandboxes")
def test_a_size_of_nothing_is_no_way_round(run: Run) -> None:
    """The kernel takes 0 for unlimited; invalid sizes are refused."""
    done = run("--tmp", "0K", "df", "-k", "--output=size", "/tmp")
    assert done.stdout.split() == ["1K-blocks", "4"]
    assert run("--tmp", "5", "true").returncode == 2


@pytest.mark.usefixtures("sandboxes")
def test_a_killed_launcher_leaves_nothing(ash: Ash, daemon: Daemon, tmp_path: Path) -> None:
    """The sandbox ends, the grant is revoked, no temporary file is left."""
    argv = program(ash, "sh", "-c", "echo up; sleep 60")
    running = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    with running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"up\n"
        [grant] = [
            one
            for one in daemon.call("grant.list")["grants"]
            if f"test:{one['scope'].get('user_id')}" == ash.account
        ]
        directory = daemon.run / "sandbox" / grant["grant_id"]
        with daemon.client(directory / "rpc.sock") as inside:
            inside.call("memory.list")

            running.send_signal(signal.SIGKILL)

            assert inside.receive() is None
        # The output is closed, so the sandbox has ended.
        assert running.stdout.read() == b""

    assert not directory.exists()
    assert list(tmp_path.iterdir()) == []


ANSWERING = """
trap 'echo ended; exit 33' INT TERM HUP
trap 'echo resized' WINCH
echo up
while :; do sleep 0.05; done
"""


@pytest.fixture
def started(ash: Ash) -> Iterator[Callable[[str], "subprocess.Popen[bytes]"]]:
    """Start shell scripts in sandboxes; kill the launchers that are left."""
    with ExitStack() as stack:

        def start(script: str) -> "subprocess.Popen[bytes]":
            running = stack.enter_context(
                subprocess.Popen(
                    program(ash, "sh", "-c", script),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    process_group=0,
                )
            )
            stack.callback(running.kill)
            return running

        yield start


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_command_gets_the_launchers_signals(
    started: Callable[[str], "subprocess.Popen[bytes]"], number: signal.Signals
) -> None:
    """The command may end in its own way, and `ash` ends with its status."""
    running = started(ANSWERING)
    assert running.stdout is not None
    assert running.stdout.readline() == b"up\n"

    running.send_signal(signal.SIGWINCH)
    assert running.stdout.readline() == b"resized\n"
    running.send_signal(number)

    assert running.stdout.read() == b"ended\n"
    assert running.wait(SLOWEST_S) == 33


@pytest.mark.usefixtures("sandboxes")
def test_a_stopped_launcher_stops_the_command(
    started: Callable[[str], "subprocess.Popen[bytes]"],
) -> None:
    """Ctrl-Z stops both, and both go on together."""
    running = started("echo up; read -r _; while :; do :; done")
    assert running.stdout is not None
    assert running.stdout.readline() == b"up\n"
    [command] = _descendants(running.pid, named="sh")

    running.send_signal(signal.SIGTSTP)
    until(lambda: _state(running.pid) == _state(command) == "T")
    running.send_signal(signal.SIGCONT)
    until(lambda: "T" not in {_state(running.pid), _state(command)})
    running.send_signal(signal.SIGTERM)

    assert running.wait(SLOWEST_S) == 128 + signal.SIGTERM


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]


def _descendants(pid: int, *, named: str) -> list[int]:
    """Return the processes of a name below a process, at any depth."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    found = [int(one) for one in children if Path(f"/proc/{one}/comm").read_text().strip() == named]
    return found + [below for one in children for below in _descendants(int(one), named=named)]
