"""The wire over the real sockets: frames, batches, ids, broken input. Budget: 10 s."""

import json
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from daemons import Client, Daemon

Scope = Callable[..., dict[str, Any]]

_HELLO = b'{"jsonrpc":"2.0","id":"after","method":"session.hello"}\n'


def _request(method: str, identifier: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _ask(client: Client, frame: bytes) -> Any:
    client.send(frame)
    return client.receive()


def _kind(reply: Any) -> str:
    assert set(reply) == {"jsonrpc", "error", "id"}
    assert set(reply["error"]) == {"code", "message", "data"}
    assert reply["error"]["data"]["hint"]
    kind: str = reply["error"]["data"]["kind"]
    return kind


# Ids ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "identifier",
    ["a", "", "ünïcode ✓", "x" * 10_000, 0, -1, 1, 2**63, 10**30, 1.5, -0.25, None],
    ids=lambda value: repr(value)[:20],
)
def test_an_id_comes_back_as_it_was(daemon: Daemon, identifier: Any) -> None:
    """Strings, numbers and null, in results and in errors; null is an id, not a notification."""
    with daemon.client() as client:
        good = _ask(client, _line(_request("session.hello", identifier)))
        bad = _ask(client, _line(_request("no.such", identifier)))

    assert good["id"] == identifier
    assert "result" in good
    assert bad["id"] == identifier
    assert _kind(bad) == "method_not_found"


@pytest.mark.parametrize("identifier", [True, False, [], [1], {}, {"a": 1}], ids=repr)
def test_what_can_be_no_id_is_refused(daemon: Daemon, identifier: Any) -> None:
    """The error has the id null, as the specification requires."""
    with daemon.client() as client:
        reply = _ask(client, _line(_request("session.hello", identifier)))

    assert _kind(reply) == "invalid_request"
    assert reply["id"] is None


def test_replies_come_in_the_order_of_the_requests(daemon: Daemon, scope: Scope) -> None:
    """The order holds for requests sent before the first reply, too."""
    mine = scope()
    frames = [
        _line(_request("memory.add", number, scope=mine, content=f"Number {number}"))
        if number % 2
        else _line(_request("memory.list", number, scope=mine))
        for number in range(40)
    ]
    with daemon.client() as client:
        client.send(b"".join(frames))
        replies = [client.receive() for _ in frames]

    assert [reply["id"] for reply in replies] == list(range(40))
    totals = [reply["result"]["total"] for reply in replies[::2]]
    assert totals == list(range(20))


# Notifications ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("memory.add", {"content": "Silent"}),
        ("memory.list", {}),
        ("person.resolve", {"reference": "Silvester"}),
        ("no.such", {}),
        ("memory.add", {"colour": "red"}),
    ],
)
def test_a_notification_has_no_reply_and_no_effect(
    daemon: Daemon, scope: Scope, method: str, params: dict[str, Any]
) -> None:
    """Nothing is stored and nobody created; the next request is answered."""
    mine = scope()
    notification = {"jsonrpc": "2.0", "method": method, "params": {**params, "scope": mine}}
    with daemon.client() as client:
        client.send(_line(notification))
        assert _ask(client, _HELLO)["id"] == "after"
        assert client.call("memory.list", scope=mine)["total"] == 0
        assert client.call("person.list", scope=mine, query="Silvester")["people"] == []


# Batches ------------------------------------------------------------------------------------------


def test_a_batch_runs_in_order(daemon: Daemon, scope: Scope) -> None:
    """Replies are in order; later requests see the effects of earlier ones."""
    mine = scope()
    batch = [
        _request("memory.add", "a", scope=mine, content="First"),
        _request("memory.list", "b", scope=mine),
        {"jsonrpc": "2.0", "method": "memory.list", "params": {}},
        1,
        {"foo": "boo"},
        _request("no.such", "c"),
        _request("memory.add", "d", scope=mine, content="Second"),
        _request("memory.list", "e", scope=mine),
    ]
    with daemon.client() as client:
        replies = _ask(client, _line(batch))

    assert [reply["id"] for reply in replies] == ["a", "b", None, None, "c", "d", "e"]
    assert [_kind(reply) for reply in replies if "error" in reply] == [
        "invalid_request",
        "invalid_request",
        "method_not_found",
    ]
    assert replies[1]["result"]["total"] == 1
    assert replies[6]["result"]["total"] == 2


def test_a_batch_has_at_most_fifty_requests(daemon: Daemon, scope: Scope) -> None:
    """None of fifty-one requests is run."""
    mine = scope()
    with daemon.client() as client:
        assert client.call("session.hello")["limits"]["batch"] == 50
        batch = [
            _request("memory.add", number, scope=mine, content=f"Number {number}")
            for number in range(51)
        ]
        too_many = _ask(client, _line(batch))
        total = client.call("memory.list", scope=mine)["total"]
        just_enough = _ask(client, _line(batch[:50]))

    assert _kind(too_many) == "too_large"
    assert total == 0
    assert [reply["id"] for reply in just_enough] == list(range(50))


def test_a_sandbox_takes_no_batches(daemon: Daemon, scope: Scope) -> None:
    """The whole batch gets one error, and nothing is run."""
    path = daemon.call("grant.create", scope=scope())["socket"]
    with daemon.client(path) as client:
        reply = _ask(client, _line([_request("memory.add", 1, content="x")]))
        total = client.call("memory.list")["total"]

    assert _kind(reply) == "invalid_request"
    assert total == 0


def test_a_batch_of_notifications_has_no_reply(daemon: Daemon) -> None:
    """A batch of notifications gets no reply, not even an empty list."""
    with daemon.client() as client:
        client.send(_line([{"jsonrpc": "2.0", "method": "session.hello"}] * 3))
        assert _ask(client, _HELLO)["id"] == "after"


# Frames -------------------------------------------------------------------------------------------

_DEEP = 100_000
_BAD = {
    "no JSON": (b"hello", "parse_error"),
    "cut off": (b'{"jsonrpc":"2.0","id":1,"method":"session.hello"', "parse_error"),
    "two values": (b"{} {}", "parse_error"),
    "not UTF-8": (
        b'{"jsonrpc":"2.0","id":1,"method":"memory.add","params":{"content":"a\xffb"}}',
        "parse_error",
    ),
    "key not UTF-8": (
        b'{"jsonrpc":"2.0","id":1,"method":"memory.list","params":{"\xc3":1}}',
        "parse_error",
    ),
    "UTF-16": ('{"jsonrpc":"2.0","id":1,"method":"x"}'.encode("utf-16"), "parse_error"),
    "byte order mark": (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"x"}', "parse_error"),
    "lone surrogate": (
        b'{"jsonrpc":"2.0","id":1,"method":"memory.add","params":{"content":"\\ud800"}}',
        "parse_error",
    ),
    "raw NUL": (
        b'{"jsonrpc":"2.0","id":1,"method":"memory.add","params":{"content":"a\0b"}}',
        "parse_error",
    ),
    "escaped NUL": (
        b'{"jsonrpc":"2.0","id":1,"method":"memory.add","params":{"content":"a\\u0000b"}}',
        "parse_error",
    ),
    "NUL in a key": (
        b'{"jsonrpc":"2.0","id":1,"method":"memory.list","params":{"x":[{"a\\u0000":1}]}}',
        "parse_error",
    ),
    "NaN": (b'{"jsonrpc":"2.0","id":NaN,"method":"x"}', "parse_error"),
    "number out of range": (b'{"jsonrpc":"2.0","id":1e999,"method":"x"}', "parse_error"),
    "deep list": (b"[" * _DEEP, "parse_error"),
    "deep closed list": (b"[[" + b"[" * _DEEP + b"]" * _DEEP + b"]]", "parse_error"),
    "deep object": (b'{"a":' * _DEEP + b"1" + b"}" * _DEEP, "parse_error"),
    "deep params": (
        b'{"jsonrpc":"2.0","id":1,"method":"memory.add","params":{"content":"a","metadata":{"a":'
        + b"[" * 900
        + b"]" * 900
        + b"}}}",
        "parse_error",
    ),
    "null": (b"null", "invalid_request"),
    "text": (b'"session.hello"', "invalid_request"),
    "number": (b"1", "invalid_request"),
    "empty object": (b"{}", "invalid_request"),
    "no version": (b'{"id":1,"method":"session.hello"}', "invalid_request"),
    "other version": (b'{"jsonrpc":"1.0","id":1,"method":"session.hello"}', "invalid_request"),
    "no method": (b'{"jsonrpc":"2.0","id":1}', "invalid_request"),
    "method no text": (b'{"jsonrpc":"2.0","id":1,"method":1}', "invalid_request"),
    "params text": (
        b'{"jsonrpc":"2.0","id":1,"method":"session.hello","params":"x"}',
        "invalid_request",
    ),
    "empty batch": (b"[]", "invalid_request"),
}


@pytest.mark.parametrize("name", list(_BAD))
@pytest.mark.parametrize("where", ["control", "sandbox"])
def test_a_broken_frame_is_answered_and_the_next_one_too(
    daemon: Daemon, scope: Scope, where: str, name: str
) -> None:
    """A broken line gets one error; the connection goes on, and nothing is stored or leaked."""
    frame, kind = _BAD[name]
    if where == "sandbox" and frame.startswith(b"["):
        kind = "invalid_request"  # no batches there, whatever they contain
    path = daemon.call("grant.create", scope=scope())["socket"] if where == "sandbox" else None
    with daemon.client(path) as client:
        reply = _ask(client, frame + b"\n")
        after = _ask(client, _HELLO)

    # A deep value has many values too, so either limit may be named.
    assert _kind(reply) in ({kind, "too_large"} if name.startswith("deep") else {kind})
    assert reply["id"] in (None, 1)
    assert "Traceback" not in str(reply)
    assert str(daemon.home) not in str(reply)
    assert after["id"] == "after"


@pytest.mark.parametrize(
    "name", ["", "keys", "__class__", "__missing__", "rpc.", "memory", "é" * 99]
)
def test_an_unknown_method_is_not_found(daemon: Daemon, name: str) -> None:
    """A long unknown method name is not repeated in full."""
    with daemon.client() as client:
        reply = _ask(client, _line(_request(name)))

    assert _kind(reply) == "method_not_found"
    assert len(reply["error"]["message"]) < 200


def test_params_by_position_are_refused(daemon: Daemon) -> None:
    """invalid_params: the request is one, its params are not ours."""
    with daemon.client() as client:
        reply = _ask(client, b'{"jsonrpc":"2.0","id":1,"method":"memory.get","params":["x"]}\n')

    assert _kind(reply) == "invalid_params"


def test_blank_lines_and_carriage_returns_are_no_requests(daemon: Daemon) -> None:
    """A person may talk to the socket by hand."""
    with daemon.client() as client:
        client.send(b"\n\r\n  \n")
        assert _ask(client, _HELLO.replace(b"\n", b"\r\n"))["id"] == "after"


def test_a_duplicate_key_does_not_hide_an_identity(daemon: Daemon, scope: Scope) -> None:
    """The call is refused whichever of the two keys a parser would use."""
    mine = scope()
    path = daemon.call("grant.create", scope=mine)["socket"]
    with daemon.client(path) as client:
        reply = _ask(
            client,
            b'{"jsonrpc":"2.0","id":1,"method":"memory.add",'
            b'"params":{"user_id":"x","content":"a","user_id":null}}\n',
        )

    assert _kind(reply) == "scope_is_bound"


def test_requests_in_pieces_are_put_together(daemon: Daemon) -> None:
    """A byte at a time, and two at once."""
    with daemon.client() as client:
        for place in range(len(_HELLO)):
            client.send(_HELLO[place : place + 1])
        assert client.receive()["id"] == "after"
        client.send(_HELLO + _HELLO[:10])
        assert client.receive()["id"] == "after"
        client.send(_HELLO[10:])
        assert client.receive()["id"] == "after"


def test_a_half_closed_client_gets_its_replies(daemon: Daemon, scope: Scope) -> None:
    """All of them, and then the end of the stream."""
    mine = scope()
    with daemon.client() as client:
        for number in range(10):
            client.send(_line(_request("memory.add", number, scope=mine, content=f"F {number}")))
        client.half_close()
        replies = [client.receive() for _ in range(11)]

    assert [reply and reply["id"] for reply in replies] == [*range(10), None]
    assert daemon.call("memory.list", scope=mine)["total"] == 10


def test_an_unfinished_last_line_is_dropped(daemon: Daemon, scope: Scope) -> None:
    """A line without its line end is dropped, even if the request in it is whole."""
    mine = scope()
    with daemon.client() as client:
        client.send(_HELLO)
        client.send(_line(_request("memory.add", 1, scope=mine, content="Unfinished")).rstrip())
        client.half_close()
        assert client.receive()["id"] == "after"
        assert client.receive() is None

    assert daemon.call("memory.list", scope=mine)["total"] == 0


def test_a_client_that_hangs_up_leaves_nothing_behind(daemon: Daemon, scope: Scope) -> None:
    """The client's calls may take effect; its connection is closed and others are answered."""
    mine = scope()
    for number in range(20):
        client = daemon.client()
        client.send(_line(_request("memory.add", 1, scope=mine, content=f"Gone {number}")))
        client.close()

    assert daemon.call("session.hello", scope=mine)["listener"] == "control"


def test_an_oversize_frame_is_told_and_cut(daemon: Daemon, scope: Scope) -> None:
    """A frame over the socket's limit ends the connection with too_large, long before its end."""
    path = daemon.call("grant.create", scope=scope())["socket"]
    with daemon.client(path) as client:
        limit = client.call("session.hello")["limits"]["request_bytes"]
        sent = 0
        chunk = b"x" * 65_536
        with suppress(BrokenPipeError, ConnectionResetError):
            while sent < 4 * limit:
                client.send(chunk)
                sent += len(chunk)
        reply = client.receive()

    assert sent < 2 * limit
    assert _kind(reply) == "too_large"
    assert str(limit) in reply["error"]["message"]
    assert daemon.call("session.hello", at=path)


def test_a_large_frame_within_the_limit_is_taken(daemon: Daemon, scope: Scope) -> None:
    """100 facts of 10,000 characters are one call, on a sandbox socket too."""
    path = daemon.call("grant.create", scope=scope())["socket"]
    facts = [{"content": f"{number} " + "x" * 9_990} for number in range(100)]

    entries = daemon.call("memory.add", at=path, facts=facts)["memories"]

    late = [entry for entry in entries if entry["outcome"] != "added"]  # on a busy machine
    assert len(entries) == 100
    assert entries[0]["outcome"] == "added"
    assert {"timed_out"} >= {entry["error"]["data"]["kind"] for entry in late}


def test_a_peer_that_sends_no_request_is_not_answered(daemon: Daemon) -> None:
    """Connecting alone costs nothing and says nothing."""
    with socket.socket(socket.AF_UNIX) as raw:
        raw.connect(str(daemon.socket))
        raw.setblocking(False)
        daemon.call("session.hello")
        with pytest.raises(BlockingIOError):
            raw.recv(1)
