"""Places for connections at `ashd http`: who keeps one while others take all. Budget: 60 s."""

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crowding import crowded
from daemons import Daemon
from gateways import Gateway, Reply, started
from waiting import until

from ashd.http.serve import _ANSWERS

FILES = 2_400
MORE_THAN_ALL = FILES // 4 + 50
HOST = b"Host: localhost\r\n"
CHAT = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
POST = b"POST /rpc HTTP/1.1\r\n%sContent-Type: application/json\r\n" % HOST
TAKEN = {
    "nothing sent": b"",
    "half a header": b"GET /healthz HTTP/1.1\r\n%sX-A: " % HOST,
    "a body that does not come": b"%sContent-Length: 100\r\n\r\n{" % POST,
    "a key and a body that does not come": (
        b"%sAuthorization: Bearer KEY\r\nContent-Length: 100\r\n\r\n{" % POST
    ),
    "idle after an answer": b"GET /healthz HTTP/1.1\r\n%s\r\n" % HOST,
    "idle after an answer to a key": b"GET /agents HTTP/1.1\r\n%sAuthorization: Bearer KEY\r\n\r\n"
    % HOST,
}


@pytest.fixture(scope="module")
def patient() -> Iterator[Gateway]:
    """A gateway that drops nobody for being late, so that all places stay taken."""
    with started(Daemon(), seconds=600, files=FILES) as gateway:
        yield gateway


@pytest.mark.parametrize("by_unix", [False, True], ids=["tcp", "unix"])
@pytest.mark.parametrize("begin", TAKEN.values(), ids=TAKEN)
def test_who_asks_nothing_whole_gives_way(patient: Gateway, begin: bytes, by_unix: bool) -> None:
    """Whole requests are answered while others hold all places, and renew those they lose."""
    sent = begin.replace(b"KEY", patient.key_for("crowd").encode())

    def connect() -> socket.socket:
        return patient.connect(by_unix=by_unix)

    with crowded(connect, sent, MORE_THAN_ALL) as crowd:
        for _ in range(20):
            assert answer_to(connect(), request("GET", "/agents", patient.key)).startswith(
                b"HTTP/1.1 200 "
            )
        until(lambda: crowd.renewed > 20)


def test_an_answer_to_a_key_is_not_cut(patient: Gateway) -> None:
    """A stream comes whole, whoever takes all places meanwhile."""
    parts = tuple(b'data: {"choices": [{"delta": {"content": "%d"}}]}\n\n' % i for i in range(20))
    patient.upstream.reply = Reply(
        (*parts, b"data: [DONE]\n\n"), kind="text/event-stream", wait_s=0.2
    )
    body = json.dumps(CHAT).encode()
    streaming = patient.connect()
    streaming.sendall(request("POST", "/v1/chat/completions", patient.key, body))
    begun = streaming.recv(65_536)

    with crowded(patient.connect, TAKEN["half a header"], MORE_THAN_ALL) as crowd:
        got = begun + rest(streaming)
        assert crowd.renewed > 0

    assert all(part in got for part in parts)
    assert got.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")


def test_one_key_leaves_a_quarter_of_the_answers_to_others(patient: Gateway) -> None:
    """Three quarters of the answers wait for the model: their key is refused, another is not."""
    patient.upstream.reply = Reply((b"{}",), wait_s=600)
    greedy, other = patient.key_for("greedy"), patient.key_for("other")
    with contextlib.ExitStack() as held:
        for _ in range(_ANSWERS * 3 // 4):
            waiting = held.enter_context(patient.connect())
            waiting.sendall(request("GET", "/v1/models", greedy))

        until(lambda: patient.ask("GET", "/agents", key=greedy)[0] == 503)
        assert patient.ask("GET", "/agents", key=other)[0] == 200

    until(lambda: patient.ask("GET", "/agents", key=greedy)[0] == 200)


def test_who_reads_nothing_of_an_answer_is_dropped(start_gateway: Callable[[], Gateway]) -> None:
    """The answer is given up when nothing of it was read for a time."""
    gateway = start_gateway()
    gateway.upstream.reply = Reply((b"x" * (1 << 20),) * 64)
    before = sockets_of(gateway.pid)
    with gateway.connect() as deaf:
        deaf.sendall(request("GET", "/v1/models", gateway.key))
        until(lambda: sockets_of(gateway.pid) > before)
        until(lambda: sockets_of(gateway.pid) <= before)


def test_who_reads_slowly_gets_the_whole_answer(start_gateway: Callable[[], Gateway]) -> None:
    """A slow client is not dropped while it goes on reading."""
    gateway = start_gateway()
    gateway.upstream.reply = Reply((b"x" * (1 << 20),) * 16)
    got = 0
    with gateway.connect() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        slow.sendall(request("GET", "/v1/models", gateway.key))
        pause = threading.Event()
        while chunk := slow.recv(1 << 18):
            got += len(chunk)
            pause.wait(0.05)

    assert got > 16 << 20


def test_requests_without_a_key_are_answered_one_a_connection(gateway: Gateway) -> None:
    """Thousands of requests sent at once get one answer."""
    with gateway.connect() as flood, contextlib.suppress(ConnectionError):
        flood.sendall(request("GET", "/healthz", None, keep=True) * 1_000)
        assert rest(flood).count(b"HTTP/1.1 ") == 1


def test_requests_with_a_key_share_a_connection(gateway: Gateway) -> None:
    """A client with a key keeps its connection from one request to the next."""
    with gateway.connect() as kept:
        kept.sendall(request("GET", "/agents", gateway.key, keep=True) * 3)
        got = b""
        while got.count(b"HTTP/1.1 200 ") < 3:
            got += kept.recv(65_536)

        assert b"connection: close" not in got.lower()


def test_an_early_refusal_is_not_lost_behind_a_long_body(gateway: Gateway) -> None:
    """A client that is still sending its body gets the answer that came before its end."""
    body = b" " * (8 << 20)
    with gateway.connect() as sending:
        sending.sendall(request("POST", "/rpc", "ash-wrong", body))
        assert rest(sending).startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(
    "smuggled",
    [
        b"Content-Length: 2\r\nContent-Length: 40\r\n\r\n",
        b"Content-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: xchunked\r\n\r\n",
        b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        b"Content-Length: +2\r\n\r\n{}",
    ],
)
def test_a_request_with_two_ends_is_one_request(gateway: Gateway, smuggled: bytes) -> None:
    """A body whose length can be read in two ways hides no second request."""
    hidden, key = request("GET", "/healthz", None), gateway.key_for("x").encode()
    with gateway.connect() as raw:
        raw.sendall(b"%sAuthorization: Bearer %s\r\n%s%s" % (POST, key, smuggled, hidden))
        assert b"ok\n" not in rest(raw)


def request(
    method: str, path: str, key: str | None, body: bytes | None = None, *, keep: bool = False
) -> bytes:
    """Return a whole request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    lines += [] if keep else ["Connection: close"]
    lines += [f"Authorization: Bearer {key}"] if key is not None else []
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


def answer_to(connection: socket.socket, sent: bytes) -> bytes:
    """Return everything that comes in reply on a new connection."""
    connection.sendall(sent)
    return rest(connection)


def rest(connection: socket.socket) -> bytes:
    """Return what comes until the other end closes."""
    got = bytearray()
    with connection, contextlib.suppress(ConnectionResetError):
        while chunk := connection.recv(65_536):
            got += chunk
    return bytes(got)


def sockets_of(pid: int) -> int:
    """Return the number of sockets that a process has open."""
    found = 0
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found += str(link.readlink()).startswith("socket:")
    return found
