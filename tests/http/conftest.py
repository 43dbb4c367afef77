"""Fixtures: `ashd http` in front of a daemon, and an upstream behind it."""

import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from daemons import Daemon
from gateways import BIN, START_S, Gateway, Reply, Upstream, create_key, free_port


@pytest.fixture(scope="session")
def start_gateway() -> Iterator[Callable[[], Gateway]]:
    """Makes a daemon, an upstream and `ashd http` between them."""
    made: list[tuple[subprocess.Popen[bytes], Daemon, Upstream]] = []

    def start() -> Gateway:
        daemon, upstream, port = Daemon(), Upstream(), free_port()
        threading.Thread(target=upstream.serve_forever, daemon=True).start()
        daemon.home.mkdir(parents=True, exist_ok=True)
        key_file = daemon.home / "upstream.key"
        key_file.write_text("upstream-key\n")
        # Of the gateway alone: the daemon is to ask this upstream nothing.
        settings = daemon.home / "http.toml"
        settings.write_text(
            f'[llm]\nmodel = "m"\nbase_url = "http://127.0.0.1:{upstream.server_port}/v1"\n'
            f'api_key_file = "{key_file}"\n'
            f"[http]\nport = {port}\nheader_seconds = 2\nbody_seconds = 2\n"
        )
        daemon.start()
        process = subprocess.Popen(
            [
                *(BIN / "ashd", "http", "--home", daemon.home, "--socket", daemon.socket),
                *("--config", settings),
            ],
            env={**os.environ, "HOME": str(daemon.home)},
            stderr=subprocess.DEVNULL,
        )
        made.append((process, daemon, upstream))
        over = time.monotonic() + START_S
        while time.monotonic() < over and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        return Gateway(port, daemon, upstream, create_key(daemon.home, "*"))

    yield start
    for process, daemon, upstream in made:
        process.terminate()
        process.wait(30)
        upstream.shutdown()
        upstream.server_close()
        daemon.remove()


@pytest.fixture(scope="session")
def _gateway(start_gateway: Callable[[], Gateway]) -> Gateway:
    return start_gateway()


@pytest.fixture
def gateway(_gateway: Gateway) -> Gateway:
    """The suite's gateway, with an upstream that was asked nothing yet."""
    _gateway.upstream.asked.clear()
    _gateway.upstream.reply = Reply((b"{}",))
    return _gateway
