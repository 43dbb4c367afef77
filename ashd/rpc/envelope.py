"""A frame's bytes to a typed request, once; and replies to bytes.

What JSON-RPC leaves open is closed here: params go by name, ids are strings, numbers or null,
and no text holds NUL.
"""

import re
from typing import Any, Final

import msgspec

from ashd import errors, limits


class Request(msgspec.Struct, frozen=True):
    """A request as sent; `id` is unset in a notification."""

    jsonrpc: str
    method: str
    params: dict[str, Any] | list[Any] | msgspec.UnsetType = msgspec.UNSET
    id: str | int | float | msgspec.UnsetType | None = msgspec.UNSET


_TEXTS: Final = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?', re.DOTALL)
_any: Final = msgspec.json.Decoder()
_raws: Final = msgspec.json.Decoder(list[msgspec.Raw])


def is_batch(frame: bytes) -> bool:
    """Whether the frame holds an array."""
    return frame.lstrip()[:1] == b"["


def elements(frame: bytes) -> list[bytes]:
    """The requests of a batch, undecoded.

    Raises:
        errors.ParseError, errors.InvalidRequest
    """
    try:
        found = [bytes(raw) for raw in _raws.decode(frame)]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise errors.ParseError("The message is not JSON.") from error
    if not found:
        raise errors.InvalidRequest("The batch is empty.")
    return found


def decode(frame: bytes) -> Request:
    """The request in a frame.

    Raises:
        errors.ParseError: not JSON, not UTF-8, nested too deep, or with a NUL.
        errors.TooLarge: more values than are taken.
        errors.InvalidRequest: JSON, but no request. `data["id"]` is its id where one can be told.
    """
    _require_few_values(frame)
    try:
        value = _any.decode(frame)
    except RecursionError as error:
        raise errors.ParseError("The message is nested too deep.") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise errors.ParseError("The message is not JSON.") from error
    if frame.count(b"[") + frame.count(b"{") > limits.NESTING and _is_deep(value):
        raise errors.ParseError("The message is nested too deep.")
    if b"\\u0000" in frame and _holds_nul(value):
        raise errors.ParseError("The message holds a NUL character.", "Leave it out.")
    try:
        request = msgspec.convert(value, Request)
    except (msgspec.ValidationError, RecursionError) as error:
        raise errors.InvalidRequest(f"This is no request: {error}") from error
    if request.jsonrpc != "2.0":
        raise errors.InvalidRequest('jsonrpc must be "2.0".')
    if isinstance(request.id, str) and len(request.id) > limits.ID_CHARS:
        raise errors.InvalidRequest(f"id has more than {limits.ID_CHARS} characters.")
    return request


def request_id(frame: bytes) -> Any:
    """The id of a request that could not be taken, where one can be told; else None."""
    try:
        _require_few_values(frame)
        value = _any.decode(frame)
    except (errors.TooLarge, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    found = value.get("id") if isinstance(value, dict) else None
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return None
    # What is answered to a request is never longer than an answer may be.
    return None if isinstance(found, str) and len(found) > limits.ID_CHARS else found


def error_reply(error: errors.AshError, identifier: Any) -> dict[str, Any]:
    """The reply that carries an error."""
    return {
        "jsonrpc": "2.0",
        "error": {"code": error.code, "message": error.message, "data": error.to_data()},
        "id": identifier,
    }


def encode(reply: Any) -> bytes:
    """A reply as one line."""
    return msgspec.json.encode(reply) + b"\n"


def _require_few_values(frame: bytes) -> None:
    """Raise before the values of a message are built, if there are too many of them."""
    most = limits.VALUES_PER_MESSAGE
    too_many = frame.count(b'"') - frame.count(b'\\"') > 2 * most
    if not too_many and _marks(frame) > most:
        # They may stand in texts: without those, each one left stands for a value or a key.
        too_many = _marks(_TEXTS.sub(b"", frame)) > most
    if too_many:
        raise errors.TooLarge(f"A message holds at most {most} values.")


def _marks(frame: bytes) -> int:
    return sum(frame.count(mark) for mark in (b",", b":", b"[", b"{"))


def _is_deep(value: Any) -> bool:
    """Whether lists and objects stand in one another more often than is taken."""
    level: list[Any] = [[value]]
    for _ in range(limits.NESTING + 1):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _holds_nul(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if "\0" in item:
                return True
        elif isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            waiting += item
    return False
