"""The wire under attack, while somebody else goes on asking. Budget: 30 s.

Every bound is the one of `limits`; memory is looked at from outside, as the system counts it.
"""

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import pytest
from daemons import Client, Daemon, cpu_ms
from sandboxes import memory_kb, opened

from ashd import limits

HELLO = b'{"jsonrpc":"2.0","id":"hello","method":"session.hello"}\n'
PATIENCE_S = 5.0
"""How long another's call may take at most while the attack goes on, on a slow machine."""
GROWTH = 3.0
"""How many times its memory the daemon may hold at most after an attack."""


@pytest.fixture(scope="module")
def besieged() -> Iterator[Daemon]:
    """A daemon for this module, without a model, so that its memory tells of the wire alone."""
    daemon = Daemon()
    daemon.config(
        '[embedding]\nprovider = "none"\n[limits]\nwrites_per_minute = 100_000\n'
        "owner_writes_per_minute = 100_000\n"
    )
    yield daemon.start()
    unexpected = daemon.unexpected()
    daemon.remove()
    assert unexpected == []


@pytest.fixture
def hostile(besieged: Daemon, scope: Callable[..., dict[str, Any]]) -> str:
    """The socket of a grant in wrong hands."""
    return str(opened(besieged, scope())["socket"])


@contextmanager
def others_are_served(daemon: Daemon, scope: dict[str, Any]) -> Iterator[None]:
    """Write and read as another user meanwhile; assert timely answers and steady memory."""
    path = opened(daemon, scope)["socket"]
    with daemon.client(path) as client:
        client.call("memory.add", content="My bicycle is in the red shed")
    over = threading.Event()
    slowest: list[float] = [0.0]
    troubles: list[Exception] = []
    before = memory_kb(daemon)
    peak = [before]

    def ask() -> None:
        number = 0
        try:
            with Client(path) as client:
                while not over.is_set() or number < 3:
                    began = time.monotonic()
                    found = client.call("memory.search", query="where is my bicycle?")
                    assert len(found["results"]) == 1
                    client.call("person.resolve", reference="Anna")
                    slowest[0] = max(slowest[0], time.monotonic() - began)
                    peak[0] = max(peak[0], memory_kb(daemon))
                    number += 1
        except (AssertionError, OSError) as error:
            troubles.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(60)
    assert troubles == []
    assert slowest[0] < PATIENCE_S
    assert peak[0] < GROWTH * before, f"{before} kB grew to {peak[0]} kB"


def ask_raw(path: str, *frames: bytes) -> list[Any]:
    """Return the reply to these bytes until the daemon hangs up or falls silent."""
    replies = []
    with Client(path) as client, suppress(OSError):
        for frame in frames:
            with suppress(BrokenPipeError, ConnectionResetError):
                client.send(frame)
        client.half_close()
        while (reply := client.receive()) is not None:
            replies.append(reply)
    return replies


def kinds(replies: list[Any]) -> list[str]:
    return [reply["error"]["data"]["kind"] if "error" in reply else "ok" for reply in replies]


def opens_again(path: str) -> bool:
    """Return whether a grant's places are free, once the daemon has noticed the hang-ups."""
    return any(kinds(ask_raw(path, HELLO)) == ["ok"] for _ in range(1_000))


def test_a_request_in_single_bytes_is_one_request(hostile: str) -> None:
    """The pieces may divide a request anywhere, also where two requests meet."""
    with Client(hostile) as client:
        for byte in HELLO + HELLO[:20]:
            client.send(bytes([byte]))
        client.send(HELLO[20:])

        assert [client.receive()["id"] for _ in range(2)] == ["hello", "hello"]


def test_a_half_closed_client_gets_its_replies(hostile: str) -> None:
    """All of them; what it left unfinished is not run."""
    replies = ask_raw(hostile, HELLO * 50, b'{"jsonrpc":"2.0","id":1,"method":"memory.add"')

    assert kinds(replies) == ["ok"] * 50


def test_a_message_over_the_limit_is_told_and_dropped(
    besieged: Daemon, hostile: str, scope: Callable[..., dict[str, Any]]
) -> None:
    """The message is dropped at the first byte over the limit; one that just fits is read."""
    most = limits.SANDBOX.request_bytes
    with others_are_served(besieged, scope()):
        for _ in range(5):
            assert kinds(ask_raw(hostile, b"x" * (most + limits.SANDBOX.request_bytes))) == [
                "too_large"
            ]
        assert kinds(ask_raw(hostile, b"x" * (most - 1) + b"\n", HELLO)) == ["parse_error", "ok"]


HEAVY = {
    "lists": b"[]," * 1_300_000,
    "keys": b",".join(b'"%x":0' % number for number in range(300_000)),
    "short texts": b'"",' * 1_300_000,
    "depth": b'{"a":' * 700_000,
    "brackets": b"[" * 4_000_000,
    "escapes": b'"\\",\\",' * 500_000,
    "digits": b"9" * 4_000_000,
    "unfinished text": b'"' + b"\\,\\," * 900_000,
}


@pytest.mark.parametrize("heavy", HEAVY.values(), ids=HEAVY)
def test_json_that_costs_is_refused_before_it_does(
    besieged: Daemon, hostile: str, heavy: bytes, scope: Callable[..., dict[str, Any]]
) -> None:
    """No input within the size limit makes the daemon build, or search, for long."""
    frame = b'{"jsonrpc":"2.0","id":1,"method":"memory.add","params":{"metadata":' + heavy + b"\n"
    assert len(frame) <= limits.SANDBOX.request_bytes
    with others_are_served(besieged, scope()):
        for _ in range(3):
            began = time.monotonic()
            replies = kinds(ask_raw(hostile, frame, HELLO))

            assert replies in (["too_large", "ok"], ["parse_error", "ok"])
            assert time.monotonic() - began < PATIENCE_S


def test_texts_full_of_commas_are_no_attack(hostile: str) -> None:
    """Values are counted, not the signs in them."""
    content = ",:[{" * 2_400
    facts = [{"content": f"{number} {content}"} for number in range(15)]
    with Client(hostile) as client:
        outcomes = [
            entry["outcome"] for entry in client.call("memory.add", facts=facts)["memories"]
        ]

    assert "refused" not in outcomes


def test_a_flood_is_answered_and_others_are_too(
    besieged: Daemon, hostile: str, scope: Callable[..., dict[str, Any]]
) -> None:
    """Pipelined on every connection that a grant may have, sense and nonsense."""
    flood = (HELLO + b"junk\n" + b'{"jsonrpc":"2.0","id":1,"method":"memory.list"}\n') * 150
    counts: list[int] = []

    def attack() -> None:
        counts.append(len(ask_raw(hostile, flood)))

    with others_are_served(besieged, scope()):
        threads = [threading.Thread(target=attack) for _ in range(limits.SANDBOX.connections)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)

    assert counts == [450] * limits.SANDBOX.connections


def test_a_thousand_connections_are_no_more_than_eight(
    besieged: Daemon, hostile: str, scope: Callable[..., dict[str, Any]]
) -> None:
    """Connections beyond the limit are refused; when they are gone, new ones are accepted."""
    with others_are_served(besieged, scope()), ExitStack() as stack:
        clients = [stack.enter_context(Client(hostile)) for _ in range(1_000)]
        served = 0
        for client in clients:
            with suppress(BrokenPipeError, ConnectionResetError):
                client.send(HELLO)
            served += kinds([client.receive()]) == ["ok"]

        assert served == limits.SANDBOX.connections

    assert opens_again(hostile)


def test_who_never_reads_and_who_never_ends_are_dropped(
    besieged: Daemon, scope: Callable[..., dict[str, Any]]
) -> None:
    """The clients are dropped after the time in `limits`; until then their memory is bounded."""
    grant = opened(besieged, scope())["socket"]
    deaf_grant = opened(besieged, scope())["socket"]
    with Client(deaf_grant) as client:
        for number in range(20):
            client.call("memory.add", content=f"{number} " + f"word{number} " * 1_200)
    ask = b'{"jsonrpc":"2.0","id":1,"method":"memory.list","params":{"limit":100}}\n'
    with others_are_served(besieged, scope()), ExitStack() as stack:
        began = time.monotonic()
        deaf = [stack.enter_context(Client(deaf_grant)) for _ in range(8)]
        slow = [stack.enter_context(Client(grant)) for _ in range(4)]
        for client in deaf:
            client._socket.setblocking(False)
            with suppress(BlockingIOError):
                for _ in range(2_000):
                    client._socket.send(ask)
        for client in slow:
            client.send(HELLO[:10])
            client._socket.settimeout(120)
        replies = [client.receive() for client in slow]
        took = time.monotonic() - began
        hung_up = [_hung_up(client._socket) for client in deaf]

    assert hung_up == [True] * 8
    assert kinds(replies) == ["invalid_request"] * 4
    assert "end in time" in replies[0]["error"]["message"]
    assert limits.SANDBOX.frame_seconds - 1 < took < limits.SANDBOX.frame_seconds + PATIENCE_S


def _hung_up(connection: socket.socket) -> bool:
    """Return whether the other end hangs up, without reading what it had sent."""
    poll = select.poll()
    poll.register(connection, 0)  # what is always told: an error, a hang-up
    return bool(poll.poll(30_000))


def test_who_hangs_up_in_the_middle_costs_nothing(
    besieged: Daemon, hostile: str, scope: Callable[..., dict[str, Any]]
) -> None:
    """A write that was begun is finished, a reply that nobody takes is dropped."""
    call = b'{"jsonrpc":"2.0","id":1,"method":"memory.list"}\n'
    with others_are_served(besieged, scope()):
        for cut in range(300):
            with Client(hostile) as client, suppress(BrokenPipeError, ConnectionResetError):
                client.send((call * 3)[: cut % len(call * 3)])
    assert opens_again(hostile)


def test_a_dear_call_keeps_nobody_waiting(
    besieged: Daemon, scope: Callable[..., dict[str, Any]]
) -> None:
    """A grant makes its most expensive calls on all its connections at once."""
    grant = opened(besieged, scope())
    calls: list[dict[str, Any]] = [
        {"facts": [{"content": ("user:pass@ " * 900) + str(n)} for n in range(50)]},
        {"facts": [{"content": f"I like tea{n}. " * 600} for n in range(50)]},
        {"facts": [{"content": "a" * 9_999} for _ in range(50)]},
        {
            "facts": [
                {"content": f"x{n}", "subjects": [f"P{n} Q{k}" for k in range(20)]}
                for n in range(100)
            ]
        },
        {"facts": [{"content": "m", "metadata": {f"k{n}": "v" for n in range(120)}}] * 50},
    ]

    def attack(params: dict[str, Any]) -> None:
        with Client(grant["socket"]) as client, suppress(OSError, AssertionError):
            client.call("memory.add", **params)

    with others_are_served(besieged, scope()):
        threads = [threading.Thread(target=attack, args=(params,)) for params in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)


def _frame(method: str, params: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}\n' % (method.encode(), params)


FLOAT = b"1.2345678901234567e-300"
STALLS = {
    "floats": _frame("memory.list", b'{"a":[' + b",".join([FLOAT] * 97_000) + b"]}"),
    "floats within the limit": _frame(
        "memory.list", b'{"a":[' + b",".join([FLOAT] * (limits.SANDBOX.values - 10)) + b"]}"
    ),
    "integers": _frame("memory.list", b'{"a":[' + b",".join([b"9" * 4_000] * 950) + b"]}"),
    "keys": _frame("memory.list", b"{%s}" % b",".join(b'"k%d":0' % n for n in range(12_000))),
    "a long name": _frame("memory.search", b'{"' + b"ab" * 1_900_000 + b'":1}'),
    "a long text": _frame("memory.search", b'{"query":"' + b"ab" * 1_900_000 + b'"}'),
    "a model's arguments": _frame(
        "tools.call",
        b'{"name":"remember","arguments":"[' + b",".join([FLOAT] * 90_000) + b']"}',
    ),
    "notifications": b'{"jsonrpc":"2.0","method":"no.such"}\n' * 1_000 + HELLO,
    "blank lines": b"\n" * 20_000 + HELLO,
    "a message without an end": b"x" * (limits.SANDBOX.request_bytes + 1),
}
WAIT_MS = 50.0
"""How much of the daemon's CPU may be spent while another's search waits, in the median (H7)."""


@pytest.mark.parametrize("frame", STALLS.values(), ids=STALLS)
def test_no_frame_stalls_the_others(
    besieged: Daemon, scope: Callable[..., dict[str, Any]], frame: bytes
) -> None:
    """Sent again and again on every connection of a grant, it costs a neighbour little."""
    hostile, path = (str(opened(besieged, scope())["socket"]) for _ in range(2))
    over, sent = threading.Event(), threading.Semaphore(0)

    def attack() -> None:
        while not over.is_set():
            with suppress(OSError), Client(hostile) as client:
                while not over.is_set():
                    client.send(frame)
                    sent.release()
                    if client.receive() is None:
                        break

    threads = [threading.Thread(target=attack) for _ in range(limits.SANDBOX.connections)]
    for thread in threads:
        thread.start()
    try:
        for _ in threads:
            assert sent.acquire(timeout=120)
        with Client(path) as client:
            client.call("memory.search", query="tea")
            waits = []
            for _ in range(11):
                before = cpu_ms(besieged)
                client.call("memory.search", query="tea")
                waits.append(cpu_ms(besieged) - before)
    finally:
        over.set()
        for thread in threads:
            thread.join(60)

    assert sorted(waits)[5] < WAIT_MS, waits


def test_what_is_refused_counts_on_the_quota(
    besieged: Daemon, scope: Callable[..., dict[str, Any]]
) -> None:
    """A grant that sends nothing but what is refused has soon sent enough, and reads on later."""
    most = 3 * limits.SANDBOX.request_bytes
    grant = opened(besieged, scope(), quota={"request_bytes_per_minute": most})
    frame = STALLS["floats"]
    with Client(grant["socket"]) as client:
        answers = []
        for _ in range(8):
            client.send(frame)
            answers.append(client.receive())

    refused = answers[-1]["error"]
    assert "too_large" in kinds(answers)
    assert refused["data"]["kind"] == "rate_limited"
    assert refused["data"]["quota"] == "request_bytes_per_minute"
    assert refused["data"]["retry_after_ms"] > 0
    assert [answer["id"] for answer in answers] == [1] * 8


class Poor(Daemon):
    """A daemon that may have few files open."""

    def command(self) -> list[str]:
        """Run under a limit that the command cannot raise."""
        return ["prlimit", "--nofile=48:48", *super().command()]


def test_without_a_file_descriptor_it_waits_for_one() -> None:
    """An excess of connections delays new ones, but does not stop the daemon."""
    daemon = Poor()
    daemon.config('[embedding]\nprovider = "none"\n')
    try:
        daemon.start()
        with ExitStack() as stack:
            crowd = [stack.enter_context(daemon.client()) for _ in range(60)]
            rounds = 0
            while rounds < 5_000 and not any("accept_failed" in line for line in daemon.log):
                crowd[0].send(HELLO)
                assert kinds([crowd[0].receive()]) == ["ok"]
                rounds += 1
            assert rounds < 5_000
        with daemon.client() as client:
            assert client.call("system.status")["version"]
        assert daemon.process is not None
        assert daemon.process.poll() is None
        assert daemon.unexpected() == []
    finally:
        daemon.remove()


def test_the_limits_that_hold_are_the_ones_that_are_told(hostile: str) -> None:
    """`session.hello` says them, and the README's reference is made of the same."""
    with Client(hostile) as client:
        told = client.call("session.hello")["limits"]

    for name in limits.SocketLimits.__struct_fields__:
        assert told[name] == getattr(limits.SANDBOX, name)
    assert told["content_chars"] == limits.CONTENT_CHARS
    assert json.dumps(told)
