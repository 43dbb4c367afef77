"""Decode a frame's bytes to a checked call: everything that costs by the size of a frame, once.

What must hold: a large frame is decoded off the event loop, one of a grant at a time; its bytes are
counted before that, whether it is refused or not. Nothing here knows who may call what.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import anyio.to_thread
import msgspec

from ashd import errors, validation_messages
from ashd.access import actor as calls
from ashd.access.quota import Cost
from ashd.limits import SocketLimits
from ashd.rpc import envelope, idempotency
from ashd.rpc.app import App, Session
from ashd.rpc.envelope import Request
from ashd.rpc.methods import TABLE
from ashd.rpc.table import Method

LARGE_BYTES: Final = 16 * 1024
"""A frame from this size on is decoded in a thread of its own."""
UNKNOWN: Final = "(unknown)"
"""The name of an unknown method in the audit and the log: its own name is the caller's text."""

_T = TypeVar("_T")


class Decoded(NamedTuple):
    """A request, and what follows from its params alone."""

    request: Request
    method: Method | None
    params: dict[str, Any]
    """The params; empty if the request has none, or has a list of them."""
    digest: bytes
    typed: Any
    """The params as the method takes them, or the error that says why they are invalid."""
    cost: Cost

    @property
    def name(self) -> str:
        """The method's name, for the audit and the log."""
        return self.method.name if self.method is not None else UNKNOWN

    def arguments(self) -> Any:
        """Return the params as the method takes them; raises if they are invalid.

        Raises:
            errors.InvalidParams, errors.TooLarge
        """
        if isinstance(self.typed, errors.AshError):
            raise self.typed
        return self.typed


Frame = Decoded | dict[str, Any]
"""A call, or the reply to an invalid frame."""


async def single(app: App, session: Session, frame: bytes) -> Frame:
    """The call in a frame."""
    return await _run(app, session, partial(read, app.audit_key, session.limits), frame)


async def batch(app: App, session: Session, frame: bytes) -> list[Frame]:
    """Return the calls of a batch, each by itself, so that an invalid one costs one reply.

    Raises:
        errors.ParseError, errors.InvalidRequest, errors.TooLarge: the batch is none, or too long.
    """
    key, bounds = app.audit_key, session.limits

    def read_all(whole: bytes) -> list[Frame]:
        parts = envelope.elements(whole)
        if len(parts) > bounds.batch:
            raise errors.TooLarge(f"A batch has at most {bounds.batch} requests.")
        return [read(key, bounds, part) for part in parts]

    return await _run(app, session, read_all, frame)


async def _run(app: App, session: Session, work: Callable[[bytes], _T], frame: bytes) -> _T:
    if len(frame) < LARGE_BYTES:
        return work(frame)
    meter = session.meter
    if meter is None:
        return await anyio.to_thread.run_sync(work, frame)
    async with meter.decoding:
        return await anyio.to_thread.run_sync(work, frame, limiter=app.decoders)


def read(key: bytes, bounds: SocketLimits, frame: bytes) -> Frame:
    """Decode a frame and check its params; `key` is the digest's."""
    request = envelope.read(frame, bounds)
    if not isinstance(request, Request):
        return request
    params = request.params if isinstance(request.params, dict) else {}
    method = TABLE.get(request.method)

    typed, cost = _typed(method, params)
    unkeyed = {name: value for name, value in params.items() if name != "idempotency_key"}
    digest = calls.digest(key, method.name if method else UNKNOWN, unkeyed)
    return Decoded(request, method, params, digest, typed, cost)


def _typed(method: Method | None, params: dict[str, Any]) -> tuple[Any, Cost]:
    """Return the params as the method takes them with their cost, or the error."""
    if method is None:
        return None, Cost()
    if not isinstance(params.get("all_scopes", False), bool):
        return errors.InvalidParams("all_scopes is true or false."), Cost()
    common = {"scope", "all_scopes"}
    if idempotency.takes_key(method):
        common.add("idempotency_key")
    own = {key: value for key, value in params.items() if key not in common}
    try:
        typed: Any = msgspec.convert(own, method.params)
    except (msgspec.ValidationError, RecursionError) as error:
        return validation_messages.of(error, method.params), Cost()
    try:
        return typed, method.cost(typed)
    except errors.AshError as error:
        return error, Cost()
