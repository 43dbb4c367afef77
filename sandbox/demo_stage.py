"""The stage of `make demo`: two shells, the host's and the agent's, and checks of their output."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ashd import config
from ashd.providers import installed_models

BIN: Final = Path(sys.executable).parent
STOP_S: Final = 20
READY: Final = "embedder_ready"
_END: Final = "--- end of a command:"


class NotAsTold(Exception):
    """The demo shows something else than it says."""


class Host:
    """The host's shell: a home of its own, the commands on the PATH, a daemon at times."""

    def __init__(self, home: Path) -> None:
        self.home = home
        # The home of whoever runs it may have MiniLM; the demo's own has nothing.
        models = str(installed_models.folder(config.home(None)))
        kept = {name: os.environ[name] for name in ("LANG", "TERM") if name in os.environ}
        path = f"{BIN}:{os.environ.get('PATH', '/usr/bin:/bin')}"
        self.environment = {**kept, "PATH": path, "HOME": str(home), "ASH_MODELS": models}
        self._daemon: subprocess.Popen[str] | None = None
        self._sockets: dict[str, str] = {}

    def start(self) -> None:
        """Start the daemon and show what it says until it can search by meaning."""
        typed("$", "ashd serve &")
        self._daemon = subprocess.Popen(
            ["ashd", "serve"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._daemon.stderr is not None
        for line in self._daemon.stderr:
            print(line, end="", flush=True)
            if READY in line:
                return
        raise NotAsTold("the daemon did not start")

    def stop(self) -> None:
        """Stop the daemon, if it runs, and show what it still says."""
        daemon, self._daemon = self._daemon, None
        if daemon is None:
            return
        typed("$", "kill %1")
        daemon.terminate()
        try:
            _, said = daemon.communicate(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            daemon.kill()
            raise NotAsTold("the daemon did not stop") from None
        print(said, end="", flush=True)
        check(daemon.returncode == 0, f"the daemon ended with status {daemon.returncode}")
        check("error:" not in said, "the daemon met an error")

    def end(self) -> None:
        """End a daemon that still runs because the story was broken off, and show why it was."""
        if self._daemon is not None:
            self._daemon.kill()
            print(self._daemon.communicate()[1], end="", file=sys.stderr)

    def run(self, command: str, *, shows: str = "", hides: str | None = None) -> str:
        """Run a command, show it with its output and check that."""
        typed("$", command)
        done = subprocess.run(
            ["sh", "-c", command],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(done.stdout, end="", flush=True)
        examine(command, done.returncode, done.stdout, shows, hides, fails=False)
        return done.stdout

    def grant(self, whose: str) -> str:
        """The socket of a grant, opened when it is first asked for."""
        if whose not in self._sockets:
            told = self.run(" ".join(f"ash {whose} grant create".split()))
            self._sockets[whose] = one(r"directory +(\S+)", told) + "/rpc.sock"
        return self._sockets[whose]


class Shell:
    """A shell that stays open, in a sandbox or not, and is given one command after the other."""

    def __init__(self, process: subprocess.Popen[str], prompt: str) -> None:
        self._process = process
        self._prompt = prompt

    def run(
        self, command: str, *, shows: str = "", hides: str | None = None, fails: bool = False
    ) -> str:
        """Run a command, show it with its output and check that."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        typed(self._prompt, command)
        status = None
        lines = []
        try:
            self._process.stdin.write(f'{command}\necho "{_END} $?"\n')
            self._process.stdin.flush()
        except BrokenPipeError:
            raise NotAsTold("the sandbox has ended") from None
        for line in self._process.stdout:
            if line.startswith(_END):
                status = int(line.removeprefix(_END))
                break
            lines.append(line)
            print(line, end="", flush=True)
        if status is None:
            raise NotAsTold("the sandbox has ended")
        output = "".join(lines)
        examine(command, status, output, shows, hides, fails=fails)
        return output

    def leave(self) -> None:
        """End the shell, and with it the sandbox and its grant."""
        assert self._process.stdin is not None
        if not self._process.stdin.closed:
            typed(self._prompt, "exit")
            self._process.stdin.close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            raise NotAsTold("the sandbox did not end") from None


@contextmanager
def sandbox(host: Host) -> Iterator[Shell]:
    """A shell in bubblewrap, with a grant that is revoked at its end."""
    command = "ash sandbox run -- sh"
    typed("$", command)
    with _shell(host, shlex.split(command), "sandbox$", {}) as shell:
        yield shell


@contextmanager
def no_sandbox(host: Host) -> Iterator[Shell]:
    """A shell beside the daemon that has a grant's socket, for where there is no bubblewrap."""
    with _shell(host, ["sh"], "$", {"ASH_RPC_SOCKET": host.grant("")}) as shell:
        yield shell


@contextmanager
def _shell(
    host: Host, argv: list[str], prompt: str, environment: dict[str, str]
) -> Iterator[Shell]:
    process = subprocess.Popen(
        argv,
        env={**host.environment, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        try:
            yield Shell(process, prompt)
        finally:
            process.terminate()  # `ash` ends what runs in the sandbox and revokes the grant


def examine(
    command: str, status: int, output: str, shows: str, hides: str | None, *, fails: bool
) -> None:
    """Check a command's end and output.

    Raises:
        NotAsTold: it is something else than the story says.
    """
    check((status != 0) == fails, f"`{command}` ended with status {status}")
    check(shows in output, f"`{command}` did not show {shows!r}")
    check(hides is None or hides not in output, f"`{command}` showed {hides!r}")


def check(holds: bool, otherwise: str) -> None:
    """Stop the story where it does not hold.

    Raises:
        NotAsTold: with `otherwise`.
    """
    if not holds:
        raise NotAsTold(otherwise)


def one(pattern: str, text: str) -> str:
    """Return the text that the pattern's group finds in an output.

    Raises:
        NotAsTold: nothing.
    """
    found = re.search(pattern, text)
    if found is None:
        raise NotAsTold(f"there is no {pattern!r} in what was shown")
    return found[1]


def typed(prompt: str, command: str) -> None:
    """Show a command as it is typed."""
    print(f"\n{prompt} {emphasised(command)}", flush=True)


def emphasised(text: str) -> str:
    """The text, bold where that can be seen."""
    return f"\033[1m{text}\033[0m" if sys.stdout.isatty() else text


def title(text: str) -> None:
    """Begin a part of the story."""
    print(f"\n\n{emphasised(f'=== {text}')}", flush=True)
