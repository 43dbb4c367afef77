"""Frames and their answers, one file each, on both kinds of socket. Budget: 5 s.

A file of `corpus/` has what it shows (`says`), the sockets it is sent on (`listener`: control,
sandbox or both), the line to send (`send`, or `bytes` in hexadecimal) and the reply (`reply`): an
object must have at least these members, a list exactly as many; null is no reply.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon

CASES = sorted(Path(__file__).with_name("corpus").glob("*.json"))
AFTER = {"jsonrpc": "2.0", "id": "after", "method": "session.hello"}


def _runs() -> Iterator[Any]:
    for path in CASES:
        case = json.loads(path.read_text(encoding="utf-8"))
        for listener in ("control", "sandbox"):
            if case["listener"] in {listener, "both"}:
                yield pytest.param(case, listener, id=f"{path.stem}-{listener}")


def fits(expected: Any, found: Any) -> bool:
    """Return whether a reply has at least what is expected of it."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            key in found and fits(value, found[key]) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(expected) == len(found)
            and all(map(fits, expected, found))
        )
    return type(expected) is type(found) and bool(expected == found)


@pytest.mark.parametrize(("case", "listener"), list(_runs()))
def test_a_frame_is_answered_as_its_file_says(
    daemon: Daemon, scope: Callable[..., dict[str, Any]], case: dict[str, Any], listener: str
) -> None:
    """The connection stays open: the next request is answered."""
    socket = daemon.socket
    if listener == "sandbox":
        socket = daemon.call("grant.create", scope=scope())["socket"]
    frame = bytes.fromhex(case["bytes"]) if "bytes" in case else case["send"].encode()
    with daemon.client(socket) as client:
        client.send(frame + b"\n" + json.dumps(AFTER).encode() + b"\n")
        if case["reply"] is not None:
            reply = client.receive()
            assert fits(case["reply"], reply), (case["says"], reply)
            assert "result" not in case["reply"] or "error" not in reply
        assert client.receive()["id"] == "after", case["says"]


def test_the_examples_of_the_specification_are_there() -> None:
    """The specification has fifteen examples."""
    assert len([path for path in CASES if path.name.startswith("spec-")]) == 15


def test_what_does_not_fit_is_told() -> None:
    """The comparison itself can fail."""
    assert fits({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2, "c": 3}], "d": 4})
    for found in ({"a": [1]}, {"a": [1, {"b": 3}]}, {"a": [1, {"b": 2}, 3]}, {}, None, [1]):
        assert not fits({"a": [1, {"b": 2}]}, found)
    assert not fits(1, True)
    assert not fits(None, 0)
