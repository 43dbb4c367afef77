"""Daemons forked from a process that has imported the program and read its tables: most of a start.

Run as a program, this is that process; it takes what to start from a socket. Each daemon has a
process above it, which waits for its end and tells the test.
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NoReturn

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def die_with_parent() -> None:
    """A test run that is killed leaves no daemon behind."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Parent:
    """The process that daemons are forked from."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                preexec_fn=die_with_parent,  # noqa: PLW1509  one system call
            )

    def start(
        self, program: Sequence[str], arguments: list[str], environment: dict[str, str]
    ) -> "Forked":
        """Start a script, or `-m` and a module, in this folder and with this environment alone."""
        errors, written = os.pipe()
        state, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = json.dumps([program, arguments, environment, str(Path.cwd())]).encode()
        with theirs:
            socket.send_fds(self._control, [request], [written, theirs.fileno()])
        os.close(written)
        return Forked(state, os.fdopen(errors, encoding="utf-8"))

    def close(self) -> None:
        """End the process."""
        self._control.close()
        self._process.wait(120)


class Forked:
    """A forked daemon, with the part of `subprocess.Popen` that tests use."""

    def __init__(self, state: socket.socket, stderr: IO[str]) -> None:
        self._state = state
        self.stderr = stderr
        self.returncode: int | None = None
        self.pid = int(state.recv(32))

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit status, as Popen does."""
        if self.returncode is None:
            self._state.settimeout(timeout)
            try:
                self.returncode = int(self._state.recv(32))
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired("ashd", timeout or 0) from None
            self._state.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return the exit status of a daemon that has ended."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the daemon has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)


def _next_daemon(control: socket.socket) -> tuple[list[str], list[str]]:
    """Fork for each request; return, in the new daemon's process, its program and arguments."""
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, 1 << 20, 2)
        if not request:
            sys.exit()
        if os.fork() == 0:
            break
        for descriptor in descriptors:
            os.close(descriptor)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass  # those above daemons that have ended
    control.close()
    die_with_parent()
    errors, state = descriptors
    daemon = os.fork()
    if daemon != 0:
        os.close(errors)
        _tell_end(daemon, socket.socket(fileno=state))
    die_with_parent()
    os.dup2(errors, sys.stderr.fileno())
    os.closerange(errors, state + 1)
    program, arguments, environment, folder = json.loads(request)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    return program, arguments


def _tell_end(daemon: int, state: socket.socket) -> NoReturn:
    """Tell the daemon's number, and its exit status as Popen does."""
    state.send(str(daemon).encode())
    ended = os.waitid(os.P_PID, daemon, os.WEXITED | os.WNOWAIT)
    assert ended is not None
    has_exited = ended.si_code == os.CLD_EXITED
    state.send(str(ended.si_status if has_exited else -ended.si_status).encode())
    state.recv(1)  # until the test has read it, the number is no other process's
    os._exit(0)


def _import_all() -> None:
    """Import what a daemon imports, and read the tables that it reads once, until it has answered.

    Nothing here depends on a home or a configuration.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for library in ("anyio._backends._asyncio", "anyio._core._signals", "numpy.ma", "uvloop"):
        importlib.import_module(library)
    for module in ("cli.ashd", "daemon", "cli.settings_file"):
        importlib.import_module(f"ashd.{module}")
    from ashd.access import sensitivity
    from ashd.access.secrets import key_formats
    from ashd.context import needs
    from ashd.language import detection, hyponyms, lazy_pattern
    from ashd.memory.judge import pair_weights
    from ashd.providers import minilm, wordllama
    from ashd.search import calibration

    lazy_pattern.compile_all(lambda: None)
    detection._by_word()
    hyponyms._table()
    key_formats._bip39()
    sensitivity._weights()
    wordllama.static_vectors()
    calibration.words()
    for model in (minilm.MODEL, wordllama.WordLlamaEmbedder.model):
        needs.classifiers(model)
        pair_weights.for_embedder(model)


if __name__ == "__main__":
    gc.disable()
    _import_all()
    gc.freeze()
    started, words = _next_daemon(socket.socket(fileno=int(sys.argv[1])))
    sys.argv = [started[-1], *words]
    if started[0] == "-m":
        runpy.run_module(started[1], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(started[0], run_name="__main__")
