"""Socket activation: the control socket that a manager passes, by its name."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

# Passes descriptor 3 as systemd does, and says what became of it.
_TAKE = """
import json, os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ["LISTEN_PID"] = str(os.getpid())
from ashd import errors
from ashd.ops import activation
try:
    taken = activation.control_socket()
except errors.StartError as error:
    print(json.dumps({"refused": str(error)}))
else:
    print(json.dumps({
        "path": taken and taken.getsockname(),
        "inheritable": taken and taken.get_inheritable(),
        "left": [name for name in os.environ if name.startswith("LISTEN_")],
    }))
"""


def take(passed: socket.socket, **environment: str) -> dict[str, object]:
    """The outcome of a process to which a socket was passed."""
    done = subprocess.run(
        [sys.executable, "-c", _TAKE, str(passed.fileno())],
        pass_fds=[passed.fileno()],
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
    )
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


@pytest.fixture
def listening(tmp_path: Path) -> socket.socket:
    """A socket as ashd.socket makes it."""
    made = socket.socket(socket.AF_UNIX)
    made.bind(str(tmp_path / "s"))
    made.listen()
    return made


def test_named_socket_is_taken(listening: socket.socket) -> None:
    """No child inherits it, nor the variables that announce it."""
    with listening:
        answer = take(listening, LISTEN_FDS="1", LISTEN_FDNAMES="control")

        assert answer == {"path": listening.getsockname(), "inheritable": False, "left": []}


def test_nothing_passed_is_nothing_taken(listening: socket.socket) -> None:
    """The daemon makes its own then."""
    with listening:
        assert take(listening, LISTEN_FDS="0")["path"] is None


@pytest.mark.parametrize(
    ("count", "names"), [("1", "other"), ("1", ""), ("2", "control:other"), ("2", "control")]
)
def test_other_names_are_refused(listening: socket.socket, count: str, names: str) -> None:
    """The error explains the socket unit; guessing could serve all memories anywhere."""
    with listening:
        answer = take(listening, LISTEN_FDS=count, LISTEN_FDNAMES=names)

        assert "FileDescriptorName=control" in str(answer["refused"])


def test_other_sockets_are_refused(tmp_path: Path) -> None:
    """The Internet, datagrams, and what does not listen."""
    wrong = [
        socket.create_server(("127.0.0.1", 0)),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
    ]
    for number, passed in enumerate(wrong):
        with passed:
            if passed.family == socket.AF_UNIX:
                passed.bind(str(tmp_path / str(number)))
            answer = take(passed, LISTEN_FDS="1", LISTEN_FDNAMES="control")

            assert "ListenStream=" in str(answer["refused"])
