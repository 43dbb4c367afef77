"""A frame's bytes to a request: what is taken, what is refused, and as what."""

import json
from typing import Any

import msgspec
import pytest

from ashd import errors, limits
from ashd.rpc import envelope
from ashd.rpc.envelope import Request


def _frame(**fields: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": "m", **fields}).encode()


def decode(frame: bytes) -> Request:
    """The request in a frame that holds one."""
    found = envelope.read(frame, limits.CONTROL)
    assert isinstance(found, Request), found
    return found


def refused(frame: bytes) -> tuple[str, str, Any]:
    """Kind and message of the error that answers a frame, and the id in the reply."""
    found = envelope.read(frame, limits.CONTROL)
    assert isinstance(found, dict), found
    return found["error"]["data"]["kind"], found["error"]["message"], found["id"]


def test_a_request_is_decoded() -> None:
    """The params may be absent, an object, or (to be refused later) a list."""
    assert decode(_frame(id=7)).params is msgspec.UNSET
    assert decode(_frame(id=7, params={"a": 1})).params == {"a": 1}
    assert decode(_frame(id=7, params=[1])).params == [1]


def test_a_notification_has_no_id_and_null_is_one() -> None:
    """A request with the id null still gets a reply."""
    assert decode(_frame()).id is msgspec.UNSET
    assert decode(_frame(id=None)).id is None


def _nested(depth: int) -> bytes:
    """A frame whose params and what is in them stand in one another that often."""
    inner = "1"
    for _ in range(depth - 2):
        inner = f"[{inner}]"
    return f'{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":{inner}}}}}'.encode()


def test_nesting_has_a_limit() -> None:
    """Just as deep is taken; one deeper is a parse error; brackets in texts do not count."""
    assert decode(_nested(limits.NESTING)).method == "m"
    kind, message, _ = refused(_nested(limits.NESTING + 1))
    assert (kind, "deep" in message) == ("parse_error", True)
    texts = _frame(id=1, params={"a": "[" * 5_000, "b": ["{" * 5_000]})
    assert decode(texts).method == "m"


def test_wide_is_not_deep() -> None:
    """Hundreds of facts in a list are two levels."""
    facts = [{"content": "x", "metadata": {"a": [1]}} for _ in range(500)]

    assert decode(_frame(id=1, params={"facts": facts})).method == "m"


@pytest.mark.parametrize(
    "value",
    ["\0", "a\0b", ["\0"], {"\0": 1}, {"a": {"b": ["c", {"d": "\0"}]}}],
    ids=repr,
)
def test_nul_is_refused_wherever_it_stands(value: object) -> None:
    """NUL is refused in values and keys; an escaped backslash before u0000 is no NUL."""
    kind, message, _ = refused(_frame(id=1, params={"a": value}))
    assert (kind, "NUL" in message) == ("parse_error", True)
    assert decode(_frame(id=1, params={"a": "\\u0000"})).params == {"a": "\\u0000"}


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (b'{"id": 5}', 5),
        (b'{"id": "a"}', "a"),
        (b'{"id": 1.5}', 1.5),
        (b'{"id": true}', None),
        (b'{"id": [1]}', None),
        (b'{"id": null}', None),
        (b'{"id": 5', None),
        (b"[5]", None),
        (b"5", None),
        (b"\xff", None),
        (b"[" * 100_000, None),
    ],
)
def test_the_id_of_what_is_no_request(frame: bytes, expected: object) -> None:
    """The client learns which request was refused; an unknown id is null."""
    assert refused(frame)[2] == expected


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"m",', 7),
        (b' { "method" : "m" , "jsonrpc" : "2.0" , "id" : "\xc3\xa4 1" , ', "\xe4 1"),
        (b'{"id":-3,', -3),
        (b'{"params":{"id":5},"id":7,', None),
        (b'{"id":1.5,', None),
        (b'{"id":"a\\u0041",', None),
        (b'{"id":"\xff",', None),
        (b'{"id":"' + b"x" * 101 + b'",', None),
        (b'[{"id":1,', None),
        (b" " * 1_000_000, None),
    ],
)
def test_the_id_of_a_request_that_is_not_decoded(start: bytes, expected: object) -> None:
    """An id before the params, in a plain form, is found; else it is null."""
    assert envelope.leading_id(start + b'"params":{}}') == expected


def test_a_request_that_is_too_large_is_answered_by_its_id() -> None:
    """The client knows which of its requests it was."""
    frame = _frame(id="a", params=[1] * (limits.VALUES_PER_MESSAGE + 1))
    assert refused(frame.replace(b'"id": "a", ', b"").replace(b"{", b'{"id": "a", ', 1))[::2] == (
        "too_large",
        "a",
    )


def test_a_batch_is_split_undecoded() -> None:
    """Each element is decoded by itself, so one bad element costs one reply."""
    assert envelope.is_batch(b' [{"a": 1}]')
    assert not envelope.is_batch(b'{"a": []}')
    assert envelope.elements(b'[{"a": 1}, 2, "x"]') == [b'{"a": 1}', b"2", b'"x"']
    with pytest.raises(errors.InvalidRequest):
        envelope.elements(b"[]")
    for broken in (b"[", b"[1,", b"[1] 2", b"[" * 100_000):
        with pytest.raises(errors.ParseError):
            envelope.elements(broken)


def test_an_error_reply_has_the_contracts_shape() -> None:
    """Code, message and data with kind, hint, retryable and what the error adds; on one line."""
    error = errors.Conflict("It changed\nmeanwhile.", revision=3)

    reply = json.loads(envelope.encode(envelope.error_reply(error, "a")))

    assert reply == {
        "jsonrpc": "2.0",
        "error": {
            "code": 203,
            "message": "It changed\nmeanwhile.",
            "data": {
                "kind": "conflict",
                "hint": errors.Conflict.default_hint,
                "retryable": False,
                "revision": 3,
            },
        },
        "id": "a",
    }
    assert envelope.encode(reply).count(b"\n") == 1
