"""Calls that take too long: what their callers are told."""

import json
from types import SimpleNamespace
from typing import Any, Literal

import anyio
import msgspec
import pytest

from ashd import limits
from ashd.access.actor import Peer
from ashd.access.grants import Grant
from ashd.access.quota import Cost, QuotaParams
from ashd.access.scope import Scope
from ashd.ended_calls import Connection
from ashd.prometheus_text import Requests
from ashd.rpc import dispatch
from ashd.rpc.app import Session
from ashd.rpc.methods import TABLE
from ashd.rpc.outcomes import Outcomes
from ashd.rpc.table import Method, NoParams


async def _never(*_: Any) -> None:
    await anyio.sleep_forever()


class _Open:
    """A meter that lets everything pass."""

    def receive(self, _size: int) -> None: ...
    def require_replies(self) -> None: ...
    def replied(self, _size: int) -> None: ...
    async def admit(self, _cost: Cost) -> None: ...
    def one_at_a_time(self, _cost: Cost) -> anyio.Lock:
        return anyio.Lock()


class _Silent:
    async def record(self, *_: Any) -> None: ...

    async def catch_up(self) -> None: ...


async def _answer(
    listener: Literal["control", "sandbox"], method: str, *, seconds: float = 0
) -> dict[str, Any]:
    app = SimpleNamespace(
        audit_key=b"k",
        memory_on=False,
        local_user="me",
        clock=SimpleNamespace(now=lambda: 0),
        denials=_Silent(),
        looks=_Silent(),
        others=_Silent(),
        outcomes=Outcomes(Requests()),
    )
    grant = None
    if listener == "sandbox":
        scope = Scope(provider="p", user_id="u")
        grant = Grant("g1", scope, frozenset({"read"}), None, QuotaParams(), None)
    bounds = msgspec.structs.replace(limits.CONTROL, call_seconds=seconds)
    session = Session(
        listener,
        listener,
        bounds,
        anyio.CancelScope(),
        Peer(None, None),
        None,
        Connection(-1),  # no client hangs up
        grant,
        _Open(),  # type: ignore[arg-type]
    )
    frame = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode()
    line = await dispatch.reply_to(app, session, frame)  # type: ignore[arg-type]
    assert line is not None
    data: dict[str, Any] = json.loads(line)["error"]["data"]
    return data


@pytest.mark.parametrize(
    ("listener", "changes", "kind", "retryable"),
    [
        ("control", True, "timed_out", False),
        ("control", False, "timed_out", True),
        ("sandbox", True, "timed_out", True),
    ],
)
async def test_what_may_go_on_is_not_to_be_tried_again(
    monkeypatch: pytest.MonkeyPatch,
    listener: Literal["control", "sandbox"],
    changes: bool,
    kind: str,
    retryable: bool,
) -> None:
    """A change of an operator may still take effect; a read, or a sandbox's change, does not."""
    slow = Method(
        *("test.slow", _never, (), NoParams, NoParams, None, True),
        *(changes, False, "asked", False, lambda _params: Cost(), (), ""),
    )
    monkeypatch.setitem(TABLE, "test.slow", slow)

    data = await _answer(listener, "test.slow")

    assert (data["kind"], data["retryable"]) == (kind, retryable)
    assert ("effect" in data["hint"]) == (not retryable)


async def test_a_reply_that_is_too_long_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the request's id, and says what to do."""

    async def long(*_: Any) -> dict[str, str]:
        return {"text": "x" * 2_000}

    much = Method(
        *("test.much", long, (), NoParams, NoParams, None, True),
        *(False, False, "asked", False, lambda _params: Cost(), (), ""),
    )
    monkeypatch.setitem(TABLE, "test.much", much)
    monkeypatch.setattr(limits, "CONTROL", msgspec.structs.replace(limits.CONTROL, reply_bytes=999))

    data = await _answer("control", "test.much", seconds=9)

    assert "too_large" == data["kind"]
    assert data["hint"]
