"""The bubblewrap sandbox on a real kernel, around a script that tries to get out. Budget: 10 s."""

import socket
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sandboxed_host import Host, launched

from ashd.launcher import bubblewrap
from ashd.launcher.launch import Sandbox

pytestmark = pytest.mark.usefixtures("sandboxes")


@pytest.fixture
def report(launcher: int | None, host: Host, client: Path) -> dict[str, Any]:
    """Return the outcome of each attempt, as the current user and, under root, as nobody too."""
    if launcher is not None:
        host.give_to(launcher)
    sandbox = Sandbox(directory=host.grant, client=client.read_bytes())
    return host.try_everything(partial(launched, sandbox, user=launcher))


def test_nothing_but_its_own_socket(host: Host, report: dict[str, Any]) -> None:
    """The sandbox talks to its socket and reaches nothing else of the host."""
    own = host.grant / "rpc.sock"
    refused = dict.fromkeys(host.told["hidden"], "FileNotFoundError")

    assert f"{own}: hello" == report["answer"]
    assert f"{own}: still here" == report["answer_after"]
    assert report["sockets"] == ["/run/ash/rpc.sock"]
    assert report["databases"] == []
    assert refused == report["hidden"]
    assert report["interfaces"] == ["lo"]
    assert report["tcp"] != "done"
    assert report["abstract"] == "ConnectionRefusedError"

    # The grant's directory and the whole root hold; only /tmp takes writes.
    stopped = ("unlink", "replace", "chmod", "create", "write_root", "write_usr")
    assert [name for name in stopped if report[name] == "done"] == []
    assert report["root_is_read_only"]
    assert report["write_tmp"] == "done"

    # No process of the host is there, to signal or to read the environment of.
    assert report["signal"] == ["ProcessLookupError"] * 2
    assert report["processes"] == 2
    assert [text for text in report["environments"] if "ASH_TEST_KEY" in text] == []

    # No privilege, no way to one, and no setting of the kernel, even started by root.
    assert report["capabilities"] == ["0000000000000000"] * 3
    assert report["no_new_privileges"] == "1"
    assert report["user_namespace"] is False
    assert report["kernel_settings"] == []
    assert report["uid"] == 1000


def test_socket_survives_restart(host: Host, client: Path) -> None:
    """A socket made anew in the mounted directory, as a restart does, is the one then reached."""
    script = (
        "import socket,sys\n"
        "def talk():\n"
        "    with socket.socket(socket.AF_UNIX) as s:\n"
        "        s.connect('/run/ash/rpc.sock'); s.sendall(b'x\\n')\n"
        "        print(s.makefile().readline().split()[-1], flush=True)\n"
        "talk(); sys.stdin.readline(); talk()\n"
    )
    argv = ["python3", "-I", "-S", "-c", script]
    with subprocess.Popen(
        bubblewrap.command(directory=host.grant, client=client, argv=argv),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as inside:
        assert inside.stdout.readline() == "x\n"

        host.restart()

        assert inside.communicate("go\n", timeout=10) == ("x\n", None)


def test_ends_with_its_launcher(host: Host, client: Path) -> None:
    """The processes inside end when bubblewrap is killed."""
    path = host.grant / "held.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        server.settimeout(10)
        script = (
            "import socket\n"
            "s = socket.socket(socket.AF_UNIX); s.connect('/run/ash/held.sock')\n"
            "s.recv(1)\n"
        )
        argv = ["python3", "-I", "-S", "-c", script]
        with subprocess.Popen(
            bubblewrap.command(directory=host.grant, client=client, argv=argv)
        ) as inside:
            held, _ = server.accept()

            inside.kill()

            held.settimeout(10)
            with held:
                assert held.recv(1) == b""


def test_client_is_on_the_path(host: Host, client: Path) -> None:
    """`ash-sb` runs by its name, with the system's python3 alone."""
    argv = ["ash-sb", "--version"]
    done = subprocess.run(
        bubblewrap.command(directory=host.grant, client=client, argv=argv),
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.startswith("ash-sb ")


def test_workspace_is_the_agents_own(host: Host, client: Path, tmp_path: Path) -> None:
    """A workspace is where the command starts, and what it writes there stays."""
    subprocess.run(
        bubblewrap.command(
            directory=host.grant,
            client=client,
            argv=["sh", "-c", "pwd > where"],
            workspace=tmp_path,
        ),
        check=True,
    )

    assert (tmp_path / "where").read_text() == "/workspace\n"
