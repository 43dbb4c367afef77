"""Frames that nobody meant, by the thousand, over the real daemon. Budget: 20 s in CI, 8 s else.

Two kinds: frames of the corpus that were damaged byte by byte, and calls of every method with
params that are almost right. What must hold: each is answered by a sound reply or none, no reply is
a fault of the daemon's own, and the daemon is well afterwards. A failure prints the frame.
"""

import json
import os
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from daemons import Client, Daemon
from sandboxes import memory_kb, opened

from ashd.rpc.methods import TABLE
from ashd.wire_schemas import REFERENCE

SECONDS = 7.5 if os.environ.get("ASH_CI") == "1" else 2.0
"""For each kind."""
LEAST = 120
"""Frames of each kind that are sent however slow the machine is."""
SEED = int(os.environ.get("ASH_FUZZ_SEED", "20261120"))
FENCE = b'{"jsonrpc":"2.0","id":"fence","method":"session.hello"}\n'
CORPUS = sorted((Path(__file__).parents[1] / "rpc" / "corpus").glob("*.json"))
LEFT_OUT = {"model.use"}
"""It loads a model, which takes seconds and is tested elsewhere."""
SPLICES = (
    *(
        b"\0",
        b"\xff",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\\u0000",
        b"\\ud800",
        b"\\",
        b'"',
        b"{",
        b"[",
    ),
    *(b"]", b"}", b",", b":", b"null", b"1e999", b"-0", b"9" * 400, b"[" * 40, b'{"a":' * 40),
    *(b" " * 1_000, b"true", b'"id":1,', b'"params":[],', b"\xef\xbb\xbf", b"\x1b[2J", b"\r"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**63, -(2**63), 10**30, 0.5, -1e308, 5e-324),
    *("", " ", "a", "me", "my wife", "Anna", "\u202e", "\u200d", "é" * 200, "x" * 201, "y" * 5_000),
    *("2026-11-20", "2026-11-20T10:00:00Z", "9999-12-31", "0001-01-01", "9999-12-31T23:59:59Z"),
    *("0001-01-01T00:00:00+14:00", "2026-02-30", "tomorrow", "00000000", "abcdef", "g23456789"),
    *("group", "private", "knowledge", "event", "hybrid", "vector", "read", "public", "sensitive"),
    *([], {}, [None], [""], ["a"] * 60, {"a": {"b": [1, "c"]}}, [{"content": "x"}], "%' OR 1=1 --"),
    *("NEAR(a b, 3)", 'a" AND b*', "^a:b", "((((((", "-", "*", "\U0001f600" * 50, "ﷺ" * 100),
)


class Fuzz:
    """Makes frames from a seed."""

    def __init__(self, seed: int, ids: list[str]) -> None:
        self._random = random.Random(seed)
        self._ids = ids
        self._frames = [self._of_corpus(path) for path in CORPUS]

    @staticmethod
    def _of_corpus(path: Path) -> bytes:
        case = json.loads(path.read_text(encoding="utf-8"))
        return bytes.fromhex(case["bytes"]) if "bytes" in case else case["send"].encode()

    def damaged(self) -> Iterator[bytes]:
        """Frames of the corpus with some bytes changed, cut, doubled, or others among them."""
        while True:
            frame = bytearray(self._random.choice(self._frames))
            for _ in range(self._random.randint(1, 6)):
                at = self._random.randint(0, len(frame))
                to = min(len(frame), at + self._random.randint(0, 20))
                choice = self._random.random()
                if choice < 0.3:
                    frame[at:at] = self._random.choice(SPLICES)
                elif choice < 0.5:
                    frame[at:to] = b""
                elif choice < 0.7:
                    frame[at:at] = frame[at:to]
                elif at < len(frame):
                    frame[at] = self._random.randrange(256)
            yield bytes(frame).replace(b"\n", b" ")

    def calls(self, *, sandbox: bool) -> Iterator[bytes]:
        """Calls of every method, their params of the right names and of any values."""
        methods = [
            m for m in TABLE.values() if m.name not in LEFT_OUT and (m.sandbox or not sandbox)
        ]
        while True:
            method = self._random.choice(methods)
            (described, *_), types = msgspec.json.schema_components(
                [method.params, *method.describes], ref_template=REFERENCE
            )
            params = self._of_schema(described, types)
            if params and self._random.random() < 0.2:
                params[self._random.choice(list(params))] = self._value(2)
            if not sandbox and self._random.random() < 0.4:
                params["scope"] = self._scope()
            if self._random.random() < 0.05:
                params[self._random.choice(("x", "all_scopes", "user_id"))] = self._value(1)
            request = {"jsonrpc": "2.0", "id": 1, "method": method.name, "params": params}
            yield json.dumps(request).encode()

    def _of_schema(self, schema: dict[str, Any], types: dict[str, Any]) -> Any:
        """A value that a schema lets in, more or less; rather an extreme one."""
        if "$ref" in schema:
            return self._of_schema(types[schema["$ref"].rsplit("/", 1)[1]], types)
        if "anyOf" in schema:
            return self._of_schema(self._random.choice(schema["anyOf"]), types)
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object" and "properties" in schema:
            required = schema.get("required", ())
            return {
                name: self._of_schema(field, types)
                for name, field in schema["properties"].items()
                if name in required or self._random.random() < 0.3
            }
        if kind == "array":
            items = schema.get("items", {})
            return [self._of_schema(items, types) for _ in range(self._random.randint(0, 3))]
        if kind == "string":
            longest = schema.get("maxLength", 10_000)
            texts = [v for v in VALUES if isinstance(v, str) and 0 < len(v) <= longest]
            return self._random.choice([*texts, *self._ids])
        if kind in {"integer", "number"}:
            low, high = schema.get("minimum", 0), schema.get("maximum", 100)
            return self._random.choice([low, high, min(high, low + 1), (low + high) / 2, 3])
        return self._random.choice([True, False]) if kind == "boolean" else self._value(2)

    def _scope(self) -> dict[str, Any]:
        names = ("user_id", "chat_id", "chat_type", "username", "participants", "session_id")
        chosen = [name for name in names if self._random.random() < 0.4]
        return {"provider": "fuzz", "user_id": "me", **{name: self._value(1) for name in chosen}}

    def _value(self, depth: int) -> Any:
        choice = self._random.random()
        if choice < 0.15:
            return self._random.choice(self._ids)
        if choice < 0.3 and depth:
            keys = (
                "content",
                "subjects",
                "tags",
                "metadata",
                "role",
                "provider",
                "name",
                "user_id",
            )
            keys += ("chat_id", "chat_type", "facts", "at", "expires_at", "type", "query")
            count = self._random.randint(0, 4)
            return {self._random.choice(keys): self._value(depth - 1) for _ in range(count)}
        if choice < 0.4 and depth:
            return [self._value(depth - 1) for _ in range(self._random.randint(0, 4))]
        return self._random.choice(VALUES)


@pytest.fixture(scope="module")
def target() -> Iterator[Daemon]:
    """A daemon that nobody else uses; at the end its log is clean."""
    daemon = Daemon()
    daemon.config(
        "[limits]\nwrites_per_minute = 100_000\nowner_writes_per_minute = 100_000\n"
        "writes_per_day = 10_000_000\nowner_writes_per_day = 10_000_000\n"
    )
    yield daemon.start()
    unexpected = daemon.unexpected()
    daemon.remove()
    assert unexpected == []


@pytest.fixture
def fuzz(target: Daemon) -> Fuzz:
    """Frames that name what is there."""
    me = {"provider": "fuzz", "user_id": "me"}
    added = target.call("memory.add", scope=me, content="I like tea", subjects=["my wife"])
    entry = added["memories"][0]
    ids = [entry["memory"]["id"], entry["memory"]["id"][:8], entry["people"][0]["id"]]
    return Fuzz(SEED, ids)


@pytest.fixture(params=["control", "sandbox"])
def socket(request: pytest.FixtureRequest, target: Daemon) -> str:
    """The socket to fuzz."""
    if request.param == "control":
        return str(target.socket)
    me = {"provider": "fuzz", "user_id": "me"}
    return str(opened(target, me, rights=["read", "write", "forget"])["socket"])


def sound(reply: Any) -> bool:
    """Return whether a reply is valid JSON-RPC, and no fault of the daemon's own."""
    if isinstance(reply, list):
        return bool(reply) and all(map(sound, reply))
    if set(reply) == {"jsonrpc", "id", "result"}:
        return isinstance(reply["result"], dict)
    if set(reply) != {"jsonrpc", "id", "error"} or set(reply["error"]) != {
        "code",
        "message",
        "data",
    }:
        return False
    data = reply["error"]["data"]
    shown = json.dumps(reply["error"])
    leaks = ("Traceback", "sqlite", "SELECT", "select ", "/home/", "/tmp/", "site-packages")
    own_fault = data["kind"] == "internal_error" or "database failed" in reply["error"]["message"]
    return bool(data["hint"]) and not own_fault and not any(leak in shown for leak in leaks)


def run(path: str, frames: Iterator[bytes]) -> int:
    """Send frames for a while, enough of them on any machine; how many.

    Each is followed by one that is surely answered.
    """
    sent = 0
    until = time.monotonic() + SECONDS / 2
    client = Client(path)
    while time.monotonic() < until or sent < LEAST:
        frame = next(frames)
        sent += 1
        client.send(frame + b"\n" + FENCE)
        replies = []
        while (reply := client.receive()) is not None:
            if isinstance(reply, dict) and reply.get("id") == "fence":
                break
            replies.append(reply)
        assert len(replies) <= 1, frame
        assert all(map(sound, replies)), (frame, replies)
        if reply is None:  # it may hang up on what it cannot read on
            client.close()
            client = Client(path)
    client.close()
    return sent


def test_damaged_frames(target: Daemon, fuzz: Fuzz, socket: str) -> None:
    """Damaged frames neither stop the daemon nor make its memory grow without bound."""
    before = memory_kb(target)
    sent = run(socket, fuzz.damaged())

    assert sent >= LEAST
    assert memory_kb(target) < 3 * before


def test_calls_that_are_almost_right(target: Daemon, fuzz: Fuzz, socket: str) -> None:
    """Every method, any values."""
    sent = run(socket, fuzz.calls(sandbox=socket != str(target.socket)))

    assert sent >= LEAST
    with suppress(KeyError):
        target.call("memory.list", scope={"provider": "fuzz", "user_id": "me"})


def test_unsound_replies_are_seen() -> None:
    """The check itself can fail."""
    good: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "result": {}}
    error = {"code": 1, "message": "m", "data": {"kind": "denied", "hint": "h"}}
    fault = {"code": 1, "message": "m", "data": {"kind": "internal_error", "hint": "h"}}

    assert sound(good)
    assert sound({"jsonrpc": "2.0", "id": 1, "error": error})
    assert not sound({"jsonrpc": "2.0", "id": 1, "error": fault})
    assert not sound({**good, "error": error})
    assert not sound([])
