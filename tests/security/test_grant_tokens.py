"""Tokens for sandboxes that can mount no directory, sent once a connection. Budget: 15 s."""

import itertools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from daemons import Client, Daemon
from sandboxes import bytes_of, opened, refused, trail

from ashd import limits
from ashd.access import grant_tokens

Scope = Callable[..., dict[str, Any]]


@pytest.fixture
def grant(daemon: Daemon, scope: Scope) -> dict[str, Any]:
    """A grant with a token."""
    return opened(daemon, scope(), token=True)


@pytest.fixture(scope="module")
def tcp() -> Iterator[Daemon]:
    """A daemon that takes tokens over TCP too."""
    daemon = Daemon()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    daemon.config(f'[embedding]\nprovider = "none"\n[sandbox]\ntcp_port = {port}\n')
    yield daemon.start()
    daemon.remove()


class TcpClient(Client):
    """A connection to the loopback."""

    def __init__(self, address: str) -> None:
        host, _, port = address.partition(":")
        self._socket = socket.create_connection((host, int(port)), timeout=120)
        self._file = self._socket.makefile("rb")
        self._ids = itertools.count(1)


def test_a_token_opens_the_memories_of_its_grant(daemon: Daemon, grant: dict[str, Any]) -> None:
    """A token need not be shown again on its connection."""
    with daemon.client(grant["socket"]) as client:
        told = client.call("session.hello", token=grant["token"])
        client.call("memory.add", content="I like tea")

        assert told["grant_id"] == grant["grant_id"]
        assert told["limits"]["request_bytes"] > 1_000_000
        assert client.call("memory.list")["total"] == 1


def test_tokens_of_two_grants_stay_apart(daemon: Daemon, scope: Scope) -> None:
    """Tokens share a socket, and each sees its own memories."""
    first, second = (opened(daemon, scope(), token=True) for _ in range(2))
    assert first["socket"] == second["socket"]
    with daemon.client(first["socket"]) as one, daemon.client(second["socket"]) as other:
        one.call("session.hello", token=first["token"])
        other.call("session.hello", token=second["token"])
        one.call("memory.add", content="I like tea")

        assert other.call("memory.list")["total"] == 0
        error = refused(other, "session.hello", token=first["token"])
        assert error.kind == "scope_is_bound"
        assert other.call("memory.list")["total"] == 0


@pytest.mark.parametrize(
    "frame",
    [
        {"method": "memory.list", "id": 1},
        {"method": "rpc.discover", "id": 1},
        {"method": "session.hello", "id": 1},
        {"method": "session.hello", "id": 1, "params": {"client": "x"}},
        {"method": "session.hello", "id": 1, "params": {"token": None}},
        {"method": "session.hello", "id": 1, "params": {"token": "ashtok_" + "A" * 43}},
        {"method": "session.hello", "id": 1, "params": {"token": ""}},
        {"method": "grant.create", "id": 1, "params": {"scope": {"provider": "p"}}},
        {"method": "no.such.method", "id": 1},
    ],
    ids=lambda frame: json.dumps([frame["method"], frame.get("params", 0)])[:50],
)
def test_without_a_token_nothing_is_answered(
    daemon: Daemon, grant: dict[str, Any], frame: dict[str, Any]
) -> None:
    """A connection without a token gets not even the list of methods, and is closed at once."""
    with daemon.client(grant["socket"]) as client:
        client.send(json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n")
        reply = client.receive()

        assert reply["error"]["data"]["kind"] in {"denied", "rate_limited"}
        assert "result" not in reply
        assert client.receive() is None


@pytest.mark.parametrize("frame", [b"junk\n", b"[]\n", b"{}\n", b"[" * 5_000 + b"\n"])
def test_what_is_no_request_ends_the_connection_too(
    daemon: Daemon, grant: dict[str, Any], frame: bytes
) -> None:
    """A connection without a token may send one frame, and only a short one."""
    with daemon.client(grant["socket"]) as client:
        client.send(frame)

        assert "error" in client.receive()
        assert client.receive() is None


def test_a_revoked_token_is_dropped_at_once(daemon: Daemon, grant: dict[str, Any]) -> None:
    """The token's connection is closed, and later uses are refused."""
    with daemon.client(grant["socket"]) as client:
        client.call("session.hello", token=grant["token"])
        daemon.call("grant.revoke", grant_id=grant["grant_id"])

        assert client.receive() is None
    with daemon.client(grant["socket"]) as client:
        assert refused(client, "session.hello", token=grant["token"]).kind in {
            "denied",
            "rate_limited",
        }


def test_a_token_stands_nowhere(new_daemon: Callable[..., Daemon]) -> None:
    """A token is in neither the database, the log, a list nor the audit."""
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "none"\n[log]\nlevel = "debug"\n')
    daemon.start()
    grant = opened(daemon, {"provider": "test", "user_id": "me"}, token=True)
    wrong = grant_tokens.new_token()
    with daemon.client(grant["socket"]) as client:
        client.call("session.hello", token=grant["token"])
        client.call("memory.add", content="I like tea")
    with daemon.client(grant["socket"]) as client:
        error = refused(client, "session.hello", token=wrong).error
    shown = json.dumps([daemon.call("grant.list"), trail(daemon), error])
    daemon.stop()

    for token in (grant["token"], wrong):
        assert token not in shown
        assert token not in "\n".join(daemon.log)
        assert token.encode() not in bytes_of(daemon)
    assert grant_tokens.digest(grant["token"]) in bytes_of(daemon)
    daemon.start()
    with daemon.client(grant["socket"]) as client:  # a restart knows it again
        client.call("session.hello", token=grant["token"])
        assert client.call("memory.list")["total"] == 1


def test_a_token_is_no_memory(daemon: Daemon, grant: dict[str, Any]) -> None:
    """An agent that stores its own token gets an error that says what it is."""
    with daemon.client(grant["socket"]) as client:
        client.call("session.hello", token=grant["token"])
        error = refused(client, "memory.add", content=f"I came with {grant['token']} today")

    assert error.data["secret_kind"] == "grant_token"


def test_tokens_cannot_be_guessed() -> None:
    """256 random bits after a prefix that scanners for leaked secrets know."""
    made = {grant_tokens.new_token() for _ in range(100)}

    assert len(made) == 100
    assert {len(token) for token in made} == {len(grant_tokens.PREFIX) + 43}
    assert all(token.startswith(grant_tokens.PREFIX) for token in made)


def test_wrong_tokens_run_into_a_wall(new_daemon: Callable[..., Daemon]) -> None:
    """Several wrong tokens in a minute cause a wait; the right one still works."""
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start()
    grant = opened(daemon, {"provider": "test", "user_id": "me"}, token=True)
    kinds = []
    for _ in range(80):
        with daemon.client(grant["socket"]) as client:
            kinds.append(refused(client, "session.hello", token="ashtok_wrong").kind)
    with daemon.client(grant["socket"]) as client:
        client.call("session.hello", token=grant["token"])

    assert kinds[0] == "denied"
    assert kinds[-1] == "rate_limited"
    rows = [row for row in trail(daemon) if row["actor"] == "sandbox"]
    # At most two minutes were touched, each with its share of rows.
    assert 0 < len(rows) <= 2 * 31
    assert {row["grant_id"] for row in rows} == {None}


def test_who_shows_no_token_takes_nobodys_place(daemon: Daemon, grant: dict[str, Any]) -> None:
    """Connections without a token have their own limit; a grant keeps its own."""
    silent = [daemon.client(grant["socket"]) for _ in range(60)]
    known = [daemon.client(grant["socket"]) for _ in range(4)]
    for client in known:
        client.call("session.hello", token=grant["token"])
    many = [daemon.client(grant["socket"]) for _ in range(70)]
    for client in known:
        assert client.call("memory.list")["total"] == 0
    for client in (*silent, *known, *many):
        client.close()


def test_who_holds_every_place_gives_way(daemon: Daemon, grant: dict[str, Any]) -> None:
    """A client with a token is let in; the longest waiting ones without are closed."""
    with ExitStack() as stack:
        silent = [
            stack.enter_context(daemon.client(grant["socket"]))
            for _ in range(limits.UNKNOWN.connections + 5)
        ]
        for _ in range(limits.SANDBOX.connections):
            client = stack.enter_context(daemon.client(grant["socket"]))
            told = client.call("session.hello", token=grant["token"])
            assert told["grant_id"] == grant["grant_id"]

        assert [client.receive() for client in silent[:6]] == [None] * 6


def test_a_socket_that_is_bound_takes_no_token(daemon: Daemon, scope: Scope) -> None:
    """A token found by a sandbox does not turn its own socket into another's."""
    own, other = opened(daemon, scope()), opened(daemon, scope(), token=True)
    with daemon.client(own["socket"]) as client:
        assert refused(client, "session.hello", token=other["token"]).kind == "scope_is_bound"
    with daemon.client() as client:
        assert refused(client, "session.hello", token=other["token"]).kind == "invalid_params"


def test_tcp_is_closed_unless_configured(daemon: Daemon, grant: dict[str, Any]) -> None:
    """The daemon listens on no port of its own accord."""
    assert "tcp" not in grant
    assert daemon.process is not None
    sockets = Path(f"/proc/{daemon.process.pid}/net/tcp").read_text().splitlines()[1:]
    listening = {line.split()[9] for line in sockets if line.split()[3] == "0A"}
    own = {
        str(path.readlink())[len("socket:[") : -1]
        for path in Path(f"/proc/{daemon.process.pid}/fd").iterdir()
        if str(path.readlink()).startswith("socket:[")
    }
    assert listening & own == set()


def test_a_token_opens_over_tcp(tcp: Daemon, scope: Scope) -> None:
    """The listener is on the loopback only; the grant has the address."""
    grant = opened(tcp, scope(), token=True)
    client = TcpClient(grant["tcp"])
    client.call("session.hello", token=grant["token"])
    client.call("memory.add", content="I like tea")

    assert grant["tcp"].startswith("127.0.0.1:")
    assert client.call("memory.list")["total"] == 1
    tcp.call("grant.revoke", grant_id=grant["grant_id"])
    assert client.receive() is None
    client.close()


def test_without_a_token_tcp_answers_nothing(tcp: Daemon, scope: Scope) -> None:
    """A browser gets no answer, either."""
    grant = opened(tcp, scope(), token=True)
    for frame in (
        b'{"jsonrpc":"2.0","id":1,"method":"memory.list"}\n',
        b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ):
        client = TcpClient(grant["tcp"])
        client.send(frame)

        assert "error" in client.receive()
        client.close()


def test_the_client_shows_its_token(tcp: Daemon, scope: Scope) -> None:
    """`ash-sb` takes it from the environment, over both ways."""
    grant = opened(tcp, scope(), token=True)
    host, _, port = grant["tcp"].partition(":")
    token = {"ASH_CONTEXT_TOKEN": grant["token"]}
    ways = [
        {"ASH_RPC_SOCKET": grant["socket"], **token},
        {"ASH_RPC_HOST": host, "ASH_RPC_PORT": port, **token},
    ]
    for fact, way in zip(("I like tea", "My bicycle is red"), ways, strict=True):
        done = subprocess.run(
            [sys.executable, "-m", "ash_sb", "memory", "add", fact],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2]), **way},
            capture_output=True,
            text=True,
            check=False,
            cwd="/",  # in no repository, which would get an id of its project
        )

        assert done.returncode == 0, done.stderr
        assert grant["token"] not in done.stdout + done.stderr
    assert tcp.call("memory.list", scope={"provider": "test", **_user(grant, tcp)})["total"] == 2


def _user(grant: dict[str, Any], daemon: Daemon) -> dict[str, Any]:
    [scope] = [
        one["scope"]
        for one in daemon.call("grant.list")["grants"]
        if one["grant_id"] == grant["grant_id"]
    ]
    return {"user_id": scope["user_id"]}


def test_a_port_that_is_taken_stops_the_start(new_daemon: Callable[..., Daemon]) -> None:
    """The error has the remedy."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        daemon = new_daemon()
        daemon.config(f"[sandbox]\ntcp_port = {taken.getsockname()[1]}\n")
        daemon.start(wait_for="tcp_port")
        assert daemon.process is not None
        assert daemon.process.wait(10) != 0
        daemon.process = None
