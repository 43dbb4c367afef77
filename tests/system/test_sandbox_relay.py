"""A sandbox without a network reaches only the hosts that were named. Budget: 10 s."""

import http.server
import json
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sandboxed_host import Host, launched

from ashd.launcher.launch import Sandbox
from ashd.launcher.relay import Target

pytestmark = pytest.mark.usefixtures("sandboxes")

ASK = """
import http.client, json, os, sys, urllib.request
from urllib.error import HTTPError
def asked(action):
    try:
        return action()
    except HTTPError as error:
        return error.code
    except OSError as error:
        return type(error).__name__
def direct(port):
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
        f"http://127.0.0.1:{port}/direct").read().decode()
def proxied(port):
    return urllib.request.urlopen(f"http://127.0.0.1:{port}/proxied").read().decode()
def tunnel(port):
    host, _, proxy = os.environ["https_proxy"].removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(proxy))
    connection.set_tunnel("LOCALHOST", port)
    connection.request("GET", "/tunnel")
    return connection.getresponse().read().decode()
named, other = json.loads(sys.argv[1])
ways = (direct, proxied, tunnel)
print(json.dumps([[asked(lambda: way(port)) for way in ways] for port in (named, other)]))
print(sorted(os.listdir("/proc/self/fd"))[:-1])
"""


class _Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Say the path back."""
        body = self.path.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def servers() -> Iterator[tuple[int, int]]:
    """The ports of two servers on the host's loopback."""
    running = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answer) for _ in range(2)]
    for server in running:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    yield running[0].server_port, running[1].server_port
    for server in running:
        server.shutdown()
        server.server_close()


def test_only_what_was_named_is_reached(host: Host, servers: tuple[int, int]) -> None:
    """A sandbox reaches a named host by its local port, by the proxy, and by a TLS tunnel."""
    named, _ = servers
    targets = (Target("127.0.0.1", named), Target("localhost", named))
    argv = ["python3", "-ISc", ASK, json.dumps(servers)]
    done = launched(Sandbox(directory=host.grant, client=b"", connect=targets), argv)

    assert done.returncode == 0, done.stderr
    answers, descriptors = done.stdout.splitlines()
    mine, others = json.loads(answers)
    assert mine == ["/direct", f"http://127.0.0.1:{named}/proxied", "/tunnel"]
    assert others == ["URLError", 403, "OSError"]
    assert descriptors == "['0', '1', '2']"


def test_a_command_that_is_not_there_is_told(host: Host) -> None:
    """A missing command is reported as without a proxy; nothing hangs."""
    sandbox = Sandbox(directory=host.grant, client=b"", connect=(Target("localhost", 9),))

    assert launched(sandbox, ["no-such-command"]).returncode != 0


def test_a_command_with_targets_starts_as_without(host: Host) -> None:
    """It ignores the same signals, and a missing one or no program has the shell's exit status."""
    plain = Sandbox(directory=host.grant, client=b"")

    def started(*argv: str) -> "subprocess.CompletedProcess[str]":
        return launched(replace(plain, connect=(Target("localhost", 9),)), argv)

    ignored = ("grep", "SigIgn", "/proc/self/status")
    assert started(*ignored).stdout.split()[1] == launched(plain, ignored).stdout.split()[1]
    missing, directory = started("no-such-command"), started("/usr")
    assert (missing.returncode, directory.returncode) == (127, 126)
    assert "Traceback" not in missing.stderr + directory.stderr
