"""`ashd http` in front of a daemon, and an upstream with scripted answers."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import resource
import select
import socket
import subprocess
import sys
import threading
import time
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from daemons import Daemon


BIN = Path(sys.executable).parent
START_S = 60


class Reply(NamedTuple):
    """Reply of the upstream: `cut` hangs up after its parts, `wait_s` passes before each.

    `think_s` passes before it begins, unless the caller hangs up.
    """

    parts: tuple[bytes, ...]
    status: int = 200
    kind: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    wait_s: float = 0.0
    think_s: float = 0.0


class Upstream(ThreadingHTTPServer):
    """Answers every request with `reply` and records the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply = Reply((b"{}",))
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.left: list[str] = []
        """The paths of requests whose caller hung up."""

    def handle_error(self, *_: Any) -> None:
        """Say nothing of clients that hang up: some tests do."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Upstream

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append((self.command, self.path, headers, body))
        reply = self.server.reply
        if reply.think_s and select.select([self.connection], [], [], reply.think_s)[0]:
            self.server.left.append(self.path)
            self.close_connection = True
            return
        self.send_response(reply.status)
        self.send_header("content-type", reply.kind)
        self.send_header("transfer-encoding", "chunked")
        for name, value in reply.headers:
            self.send_header(name, value)
        self.end_headers()
        for part in reply.parts:
            time.sleep(reply.wait_s)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
        if not reply.cut:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = reply.cut

    do_GET = do_DELETE = do_POST  # noqa: N815  http.server looks for these names

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Gateway(NamedTuple):
    """The server under test."""

    port: int
    daemon: Daemon
    upstream: Upstream
    key: str
    """Key that is valid for all agents."""
    pid: int
    unix: Path
    """The socket file where it listens, too."""

    def connect(self, *, by_unix: bool = False) -> socket.socket:
        """Return a new connection."""
        if not by_unix:
            return socket.create_connection(("127.0.0.1", self.port), timeout=START_S)
        made = socket.socket(socket.AF_UNIX)
        made.settimeout(START_S)
        made.connect(str(self.unix))
        return made

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, body: Any = None, *, key: str | None = "", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer to one request; `key` None sends none."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if key is not None:
            sent.setdefault("Authorization", f"Bearer {key or self.key}")
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_S)
        try:
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def key_for(self, *agents: str) -> str:
        """A new key for these agents."""
        return create_key(self.daemon.home, *agents)


def create_key(
    home: Path,
    *agents: str,
    account: str | None = None,
    store: bool = False,
    socket: Path | None = None,
) -> str:
    """Make a key for these agents, or for an account, as a person does."""
    options = [word for agent in agents for word in ("--agent", agent)]
    options += ["--as", account] if account else []
    options += ["--store"] if store else []
    done = subprocess.run(
        [
            *(BIN / "ash", "--home", home, *(["--socket", socket] if socket else [])),
            *("key", "create", *options, "--json"),
        ],
        capture_output=True,
        check=True,
    )
    return str(json.loads(done.stdout)["key"])


def free_port() -> int:
    """A port that nobody has now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _limit_of(files: int | None) -> Callable[[], None] | None:
    if files is None:
        return None
    return partial(resource.setrlimit, resource.RLIMIT_NOFILE, (files, files))


@contextlib.contextmanager
def started(
    daemon: Daemon,
    *,
    seconds: int = 2,
    before: Callable[[], None] | None = None,
    behind: Path | None = None,
    files: int | None = None,
) -> Iterator[Gateway]:
    """Start a daemon, an upstream and `ashd http` between them; `before` runs before the daemon.

    `behind` is another socket to call in its place, `files` the number of files it may have open.

    `seconds` is how long headers, and bodies, may take.
    """
    upstream, port = Upstream(), free_port()
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    daemon.home.mkdir(parents=True, exist_ok=True)
    key_file = daemon.home / "upstream.key"
    key_file.write_text("upstream-key\n")
    # For the gateway only: the daemon must ask this upstream nothing.
    settings, unix = daemon.home / "http.toml", daemon.home / "http.sock"
    settings.write_text(
        f'[llm]\nmodel = "m"\nbase_url = "http://127.0.0.1:{upstream.server_port}/v1"\n'
        f'api_key_file = "{key_file}"\n'
        f'[http]\nport = {port}\nunix_socket = "{unix}"\n'
        f"header_seconds = {seconds}\nbody_seconds = {seconds}\n"
    )
    if before is not None:
        before()
    daemon.start()
    process = subprocess.Popen(
        [
            *(BIN / "ashd", "http", "--home", daemon.home, "--socket", behind or daemon.socket),
            *("--config", settings),
        ],
        env={**os.environ, "HOME": str(daemon.home)},
        stderr=subprocess.DEVNULL,
        preexec_fn=_limit_of(files),  # noqa: PLW1509 - it makes one system call
    )
    try:
        over = time.monotonic() + START_S
        while time.monotonic() < over and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        key = create_key(daemon.home, "*", socket=daemon.socket)
        yield Gateway(port, daemon, upstream, key, process.pid, unix)
    finally:
        process.terminate()
        process.wait(120)
        upstream.shutdown()
        upstream.server_close()
        daemon.remove()
