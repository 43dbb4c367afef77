"""Keys where two daemons share the database of a server: good or refused at both gateways."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from daemons import Daemon
from gateways import BIN, Gateway, started
from postgres_server import PostgresServer, needed
from waiting import until

psycopg = pytest.importorskip("psycopg")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with needed() as made:
        yield made


def _daemon(
    server: PostgresServer, new_daemon: Callable[..., Daemon], monkeypatch: pytest.MonkeyPatch
) -> Daemon:
    url = server.url_of("shared")
    monkeypatch.setenv("ASH_STORAGE_URL", url)  # of the gateway and of `ash key`
    daemon = new_daemon(environment={"ASH_STORAGE_URL": url})
    daemon.config('[embedding]\nprovider = "none"\n')
    return daemon


@pytest.fixture
def pair(
    server: PostgresServer,
    new_daemon: Callable[..., Daemon],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[Gateway, Gateway]]:
    """Two gateways, each with a daemon and a home of its own."""
    with psycopg.connect(server.url, autocommit=True) as admin:
        admin.execute("create database shared")
    with ExitStack() as running:
        made = [
            running.enter_context(started(_daemon(server, new_daemon, monkeypatch)))
            for _ in range(2)
        ]
        yield made[0], made[1]


def _status(gateway: Gateway, key: str) -> int:
    return gateway.ask("GET", "/agents", key=key)[0]


def _key_command(gateway: Gateway, *words: str) -> dict[str, object]:
    home, socket = str(gateway.daemon.home), str(gateway.daemon.socket)
    done = subprocess.run(
        [BIN / "ash", "--home", home, "--socket", socket, "key", *words, "--json"],
        capture_output=True,
        check=True,
    )
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def test_a_key_is_good_or_refused_at_every_gateway(pair: tuple[Gateway, Gateway]) -> None:
    """Made at one home and revoked at the other, it needs no file that is copied."""
    one, other = pair
    assert _status(one, "ash-wrong") == _status(other, "ash-wrong") == 401
    made = _key_command(one, "create", "--agent", "notes", "--store")
    key, identifier = str(made["key"]), str(made["id"])

    until(lambda: _status(other, key) == 200)
    assert _status(one, key) == 200
    assert _key_command(other, "list")["keys"] == _key_command(one, "list")["keys"]

    assert _key_command(other, "revoke", identifier) == {"revoked": identifier}
    until(lambda: _status(one, key) == 401)
    until(lambda: _status(other, key) == 401)
    assert not (one.daemon.home / "http_keys.json").exists()
