"""The real daemon as a process, for tests: start, call, stop, read its log."""

import contextlib
import itertools
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

sys.path.insert(0, str(Path(__file__).parent))  # benchmarks import this as `tests.daemons`

import forked
import postgres

_ERROR = re.compile(r"(\S+Z )?error: ")
"""The start of a line of the log at level error."""
ASH = [sys.executable, "-c", "from ashd.cli.ash import main; main()"]
_ENVIRONMENT = ("PATH", "HOME", "LANG", "ASH_MODELS")


ENCRYPTED = os.environ.get("ASH_TEST_ENCRYPTED")
"""A file with a key: every home of a test is encrypted with it."""

_KEPT_IN_FORKS = {*_ENVIRONMENT, "OPENAI_API_KEY"}
_parent: forked.Parent | None = None
_may_fork = False


def fork_daemons(*, may: bool) -> None:
    """Let daemons be forked from here on, or end the process that they are forked from.

    Benchmarks start each as a person would.
    """
    global _may_fork, _parent  # noqa: PLW0603  a process has one
    _may_fork = may
    if _parent is not None and not may:
        _parent.close()
        _parent = None


def _with_encryption(text: str) -> str:
    if not ENCRYPTED or "encryption" in text:
        return text
    storage = f'[storage]\nencryption = true\nkey_file = "{ENCRYPTED}"\n'
    if "[storage]\n" in text:
        return text.replace("[storage]\n", storage)
    return f"{text}\n{storage}"


class CallFailed(AssertionError):
    """The daemon answered with an error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['data'].get('kind')}: {error['message']}")
        self.error = error
        self.kind = error["data"]["kind"]
        self.data = error["data"]


class Client:
    """One connection to a socket of the daemon."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(120)
        try:
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._file = self._socket.makefile("rb")
        self._ids = itertools.count(1)

    def patience(self, seconds: float) -> None:
        """Set the time limit for replies."""
        self._socket.settimeout(seconds)

    def send(self, frame: bytes) -> None:
        """Send raw bytes."""
        self._socket.sendall(frame)

    def receive(self) -> Any:
        """The next reply, or None when the daemon hung up."""
        line = self._file.readline()
        return json.loads(line) if line else None

    def is_over(self) -> bool:
        """Whether the daemon hung up."""
        ready = select.poll()  # `select.select` takes no descriptor over 1,023
        ready.register(self._socket, select.POLLIN)
        return bool(ready.poll(0))

    def half_close(self) -> None:
        """Send no more."""
        self._socket.shutdown(socket.SHUT_WR)

    def call(self, method: str, **params: Any) -> Any:
        """The result of a call; raises CallFailed with the error."""
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        self.send(json.dumps(request).encode() + b"\n")
        reply = self.receive()
        assert reply is not None, "the daemon hung up"
        if "error" in reply:
            raise CallFailed(reply["error"])
        return reply["result"]

    def close(self) -> None:
        """Hang up."""
        self._file.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Daemon:
    """A daemon on a home of its own. `expect_error(text)` allows a line of its log."""

    program: tuple[str, ...] = ("-m", "ashd")
    """The module or script that Python runs with the arguments of `ashd`."""

    def __init__(
        self, home: Path | None = None, *, environment: dict[str, str] | None = None
    ) -> None:
        self._own = Path(tempfile.mkdtemp(prefix="ash-"))
        self.home = home or self._own / "home"
        self.run = self._own / "run"
        self.socket = self.run / "ashd.sock"
        self.log: list[str] = []
        self._expected: list[str] = []
        self._clients: dict[Path, Client] = {}
        self._environment = {
            **{name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            **postgres.environment(self.home),
            **(environment or {}),
        }
        self.process: subprocess.Popen[str] | forked.Forked | None = None
        if home is None:
            postgres.keep(self.home)
        if ENCRYPTED and not (self.home / "config.toml").exists():
            with contextlib.suppress(OSError):  # a home that the test makes unusable
                self.config("")

    def config(self, text: str) -> None:
        """Write config.toml, for the next start."""
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "config.toml").write_text(_with_encryption(text), encoding="utf-8")

    def command(self) -> list[str]:
        """How the daemon is started."""
        options = ["--home", str(self.home), "--run-dir", str(self.run)]
        return [sys.executable, *self.program, "serve", *options]

    def ash_command(self, *words: str) -> list[str]:
        """`ash` with words after it, on this home and socket."""
        return [*ASH, "--home", str(self.home), "--socket", str(self.socket), *words]

    def ash(
        self, *words: str, text: str = "", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `ash` to its end, with a text on its standard input."""
        return subprocess.run(
            self.ash_command(*words),
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=cwd,
            env=self._environment,
        )

    def start(self, *, wait_for: str = "embedder_ready") -> "Daemon":
        """Start, and wait for a line of the log."""
        self.process = self._forked() if self._can_be_forked() else self._spawned()
        seen = threading.Event()
        self._reader = threading.Thread(target=self._read, args=(wait_for, seen), daemon=True)
        self._reader.start()
        assert seen.wait(120), f"the daemon said no {wait_for!r}: {self.log}"
        assert any(wait_for in line for line in self.log), f"the daemon ended: {self.log}"
        return self

    def _can_be_forked(self) -> bool:
        """Return whether a fork can take over the command and the environment."""
        return (
            _may_fork
            and type(self).command is Daemon.command
            and all(name in _KEPT_IN_FORKS or name.startswith("ASH_") for name in self._environment)
        )

    def _forked(self) -> forked.Forked:
        global _parent  # noqa: PLW0603  a process has one
        if _parent is None:
            _parent = forked.Parent()
        arguments = self.command()[1 + len(self.program) :]
        return _parent.start(self.program, arguments, self._environment)

    def _spawned(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=self._environment,
            preexec_fn=forked.die_with_parent,  # noqa: PLW1509  one system call, before any thread
        )

    def _read(self, wait_for: str, seen: threading.Event) -> None:
        assert self.process is not None
        # By a name of its own: a test may take the process away that has ended.
        log = self.process.stderr
        assert log is not None
        # The embedder may be there before the sockets of the grants are open.
        missing = ["daemon_ready", wait_for]
        for line in log:
            self.log.append(line.rstrip("\n"))
            missing = [text for text in missing if text not in line]
            if not missing:
                seen.set()
        log.close()
        seen.set()

    def client(self, path: Path | str | None = None) -> Client:
        """A new connection, to the control socket or to another."""
        return Client(Path(path or self.socket))

    def call(self, method: str, *, at: Path | str | None = None, **params: Any) -> Any:
        """One call over a connection that stays open; one that lay idle too long is made anew."""
        path = Path(at or self.socket)
        client = self._clients.get(path)
        if client is not None and client.is_over():
            client.close()
            client = None
        if client is None:
            client = self._clients[path] = Client(path)
        return client.call(method, **params)

    def expect_error(self, text: str) -> None:
        """Expect a log line with this text, so that it is not a fault."""
        self._expected.append(text)

    def unexpected(self) -> list[str]:
        """Return the error lines of the log that were not expected."""
        return [
            line
            for line in self.log
            if (_ERROR.match(line) or "Traceback" in line)
            and not any(text in line for text in self._expected)
        ]

    def kill(self) -> None:
        """kill -9."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        return self._end(signal.SIGTERM)

    def close(self) -> None:
        """Close the connections that `call` keeps open."""
        for client in self._clients.values():
            client.close()
        self._clients.clear()

    def _end(self, number: signal.Signals) -> int:
        self.close()
        assert self.process is not None
        self.process.send_signal(number)
        status = self.process.wait(120)
        self._reader.join(10)
        self.process = None
        return status

    def remove(self) -> None:
        """Stop if it runs, and take its folders away."""
        if self.process is not None:
            self.stop()
        if self.home.is_relative_to(self._own):
            postgres.drop(self.home)
        shutil.rmtree(self._own, ignore_errors=True)


def running(home: Path | None = None) -> Iterator[Daemon]:
    """A daemon for as long as a fixture lives."""
    daemon = Daemon(home).start()
    try:
        yield daemon
    finally:
        daemon.remove()


def cpu_ms(daemon: Daemon) -> float:
    """Return the CPU time that the daemon has used so far, in all threads."""
    assert daemon.process is not None
    spent = 0
    for task in Path(f"/proc/{daemon.process.pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended
            spent += int((task / "schedstat").read_text(encoding="ascii").split()[0])
    return spent / 1e6
