"""The examples of the JSON-RPC 2.0 specification, as far as methods of ours can stand in them.

Section 7 of the specification, with memory.list for its working methods and made-up names for those
that do not exist; by-position params are refused with invalid_params, as params go by name here.
"""

from typing import Any

import pytest
from daemons import Daemon

_PROBE = '{"jsonrpc": "2.0", "method": "session.hello", "id": "probe"}'
_LIST = '{"jsonrpc": "2.0", "method": "memory.list", "params": {"limit": 1}, "id": %s}'


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        # rpc call with named parameters
        (_LIST % 3, {"result": 3}),
        (_LIST % '"4"', {"result": "4"}),
        # rpc call with positional parameters
        (
            '{"jsonrpc": "2.0", "method": "memory.list", "params": [42, 23], "id": 1}',
            {"error": -32602, "id": 1},
        ),
        # a notification
        ('{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', None),
        ('{"jsonrpc": "2.0", "method": "foobar"}', None),
        ('{"jsonrpc": "2.0", "method": "memory.list", "params": [7]}', None),
        # rpc call of a method that does not exist
        ('{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', {"error": -32601, "id": "1"}),
        (
            '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}',
            {"error": -32601, "id": 1},
        ),
        # rpc call with invalid JSON
        (
            '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
            {"error": -32700, "id": None},
        ),
        # rpc call with an invalid Request object
        ('{"jsonrpc": "2.0", "method": 1, "params": "bar"}', {"error": -32600, "id": None}),
        # rpc call Batch, invalid JSON
        (
            (
                '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},'
                ' {"jsonrpc": "2.0", "method"]'
            ),
            {"error": -32700, "id": None},
        ),
        # rpc call with an empty Array
        ("[]", {"error": -32600, "id": None}),
        # rpc call with an invalid Batch (but not empty)
        ("[1]", [{"error": -32600, "id": None}]),
        # rpc call with an invalid Batch
        ("[1,2,3]", [{"error": -32600, "id": None}] * 3),
        # rpc call Batch
        (
            (
                f"[{_LIST % 1},"
                ' {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},'
                f" {_LIST % 2},"
                ' {"foo": "boo"},'
                ' {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},'
                f" {_LIST % 9}]"
            ),
            [
                {"result": 1},
                {"result": 2},
                {"error": -32600, "id": None},
                {"error": -32601, "id": "5"},
                {"result": 9},
            ],
        ),
        # rpc call Batch (all notifications)
        (
            (
                '[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},'
                ' {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]'
            ),
            None,
        ),
    ],
)
def test_an_example_of_the_specification(daemon: Daemon, sent: str, expected: Any) -> None:
    """Each is answered with what section 7 says: the code, the id, or nothing at all."""
    with daemon.client() as client:
        client.send(sent.encode() + b"\n" + _PROBE.encode() + b"\n")
        replies = [client.receive()]
        if replies[0] is not None and _short(replies[0]) != {"result": "probe"}:
            replies.append(client.receive())

    *answers, probe = replies
    assert _short(probe) == {"result": "probe"}
    assert [_short(answer) for answer in answers] == ([] if expected is None else [expected])


def _short(reply: Any) -> Any:
    """A reply as {"result": id} or {"error": code, "id": id}."""
    if isinstance(reply, list):
        return [_short(entry) for entry in reply]
    assert reply["jsonrpc"] == "2.0"
    if "result" in reply:
        assert set(reply) == {"jsonrpc", "result", "id"}
        return {"result": reply["id"]}
    assert set(reply) == {"jsonrpc", "error", "id"}
    return {"error": reply["error"]["code"], "id": reply["id"]}
