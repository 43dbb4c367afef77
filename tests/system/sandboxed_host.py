"""A host as the daemon makes it, to be looked at from inside a sandbox."""

import contextlib
import json
import os
import socket
import socketserver
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ashd.launcher import launch
from ashd.launcher.launch import Sandbox

_POLL_S = 0.01
_TIMEOUT_S = 120
INSIDE = Path(__file__).with_name("inside.py")


class _Answer(socketserver.StreamRequestHandler):
    """Answer each line with the socket's name and the same line."""

    def handle(self) -> None:
        for line in self.rfile:
            self.wfile.write(f"{self.server.server_address}: ".encode() + line)


class Listener(socketserver.ThreadingUnixStreamServer):
    """A socket of the host's that answers until it is closed; its file goes with it."""

    daemon_threads = True

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), _Answer)
        path.chmod(0o666)  # a sandbox's user is any; the directory above guards
        threading.Thread(target=self.serve_forever, args=[_POLL_S], daemon=True).start()

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        Path(self.server_address).unlink()


@dataclass
class Host:
    """A run directory and a home as the daemon has them, with a server behind each socket."""

    top: Path
    listeners: dict[Path, Listener] = field(default_factory=dict)
    told: dict[str, Any] = field(default_factory=dict)

    @property
    def grant(self) -> Path:
        return self.top / "run" / "sandbox" / "g123456789"

    def listen(self, path: Path) -> None:
        self.listeners[path] = Listener(path)

    def restart(self) -> None:
        """Every socket goes and is made anew, as by a new daemon."""
        for path, listener in self.listeners.items():
            listener.close()
            self.listeners[path] = Listener(path)

    def close(self) -> None:
        for listener in self.listeners.values():
            listener.close()

    def give_to(self, user: int) -> None:
        """Let ``user`` own it all, as if they had started the daemon."""
        for path in [self.top, *self.top.rglob("*")]:
            os.chown(path, user, user)

    def try_everything(self, run: Callable[..., subprocess.CompletedProcess[str]]) -> Any:
        """The report of a hostile script that ``run`` puts into a sandbox."""
        script = INSIDE.read_text()
        done = run(
            ["python3", "-I", "-S", "-c", script, json.dumps(self.told)],
            env=os.environ | {"ASH_TEST_KEY": "of the launcher"},
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def launched(
    sandbox: Sandbox, argv: Sequence[str], *, user: int | None = None, **popen: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command in a sandbox as `ash sandbox run` does, as another user where one is named."""
    if user is not None:
        popen |= {"user": user, "group": user, "extra_groups": []}
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with launch.started(sandbox, argv, **output, **popen) as running:
        child = running.bubblewrap
        out, err = child.communicate(timeout=_TIMEOUT_S)
    return subprocess.CompletedProcess(list(argv), child.returncode, out, err)


def contained(
    command: Callable[[Sequence[str]], list[str]],
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run what ``command`` makes of arguments."""

    def run(argv: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(argv),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
            **options,
        )

    return run


@contextlib.contextmanager
def sandboxed_host() -> Iterator[Host]:
    """A short path, because a socket's has at most 107 bytes."""
    with contextlib.ExitStack() as stack:
        top = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ash-")))
        host = Host(top)
        stack.callback(host.close)
        other = top / "run" / "sandbox" / "g987654321"
        for folder in (host.grant, other, top / "data"):
            folder.mkdir(parents=True)
        (top / "data" / "ash.db").write_text("everybody's memories")
        control = top / "run" / "ashd.sock"
        for path in (control, host.grant / "rpc.sock", other / "rpc.sock"):
            host.listen(path)
        loopback = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        name = f"ash-test-{os.getpid()}"
        abstract.bind("\0" + name)
        abstract.listen()
        hidden = [top / "data" / "ash.db", control, other, other / "rpc.sock", top]
        host.told = {
            "hidden": [str(path) for path in hidden],
            "tcp": loopback.getsockname()[1],
            "abstract": name,
            # A parent with number 1 would be the sandbox's own init in there.
            "pids": [os.getpid(), os.getppid() if os.getppid() > 1 else os.getpid()],
        }
        yield host
