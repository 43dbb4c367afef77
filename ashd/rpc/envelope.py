"""A frame's bytes to a typed request, once; and replies to bytes.

Choices that JSON-RPC leaves open: params go by name, ids are strings, numbers or null, and no text
holds NUL.
"""

import re
from typing import Any, Final

import msgspec

from ashd import errors, json_text, limits
from ashd.limits import SocketLimits


class Request(msgspec.Struct, frozen=True):
    """A request as sent; `id` is unset in a notification."""

    jsonrpc: str
    method: str
    params: dict[str, Any] | list[Any] | msgspec.UnsetType = msgspec.UNSET
    id: str | int | float | msgspec.UnsetType | None = msgspec.UNSET


_BATCH_VALUES: Final = limits.CONTROL.batch * limits.VALUES_PER_MESSAGE
_LEADING_ID: Final = re.compile(
    rb'\s*+\{(?:\s*+"(?:jsonrpc|method)"\s*+:\s*+"[\w./]*+"\s*+,)*+\s*+"id"\s*+:\s*+'
    rb'(?:(?P<number>-?\d{1,15})|"(?P<text>[^"\\\x00-\x1f]{0,100})")\s*+[,}]'
)
_raws: Final = msgspec.json.Decoder(list[msgspec.Raw])


def is_batch(frame: bytes) -> bool:
    """Return whether the frame holds an array."""
    return frame.lstrip()[:1] == b"["


def elements(frame: bytes) -> list[bytes]:
    """Return the requests of a batch, undecoded.

    Raises:
        errors.ParseError, errors.InvalidRequest, errors.TooLarge
    """
    json_text.require_cheap(frame, _BATCH_VALUES)
    try:
        found = [bytes(raw) for raw in _raws.decode(frame)]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise errors.ParseError("The message is not JSON.") from error
    if not found:
        raise errors.InvalidRequest("The batch is empty.")
    return found


def read(frame: bytes, bounds: SocketLimits) -> Request | dict[str, Any]:
    """Return the request in a frame, or the reply to an invalid one. Decodes the frame once.

    The reply names the request if its id can be read.
    """
    try:
        value = json_text.decode(frame, bounds.values)
    except errors.AshError as error:
        known = isinstance(error, errors.TooLarge)
        return error_reply(error, leading_id(frame) if known else None)
    try:
        return request(value, bounds.id_chars)
    except errors.AshError as error:
        return error_reply(error, _id_of(value, bounds.id_chars))


def request(value: Any, id_chars: int) -> Request:
    """Return the request in a decoded frame.

    Raises:
        errors.InvalidRequest: it is JSON, but no request.
    """
    try:
        found = msgspec.convert(value, Request)
    except (msgspec.ValidationError, RecursionError) as error:
        raise errors.InvalidRequest(f"This is no request: {error}") from error
    if found.jsonrpc != "2.0":
        raise errors.InvalidRequest('jsonrpc must be "2.0".')
    if isinstance(found.id, str) and len(found.id) > id_chars:
        raise errors.InvalidRequest(f"id has more than {id_chars} characters.")
    return found


def leading_id(frame: bytes) -> str | int | None:
    """Return the id of a request that is refused undecoded, if it comes before the params."""
    found = _LEADING_ID.match(frame)
    if found is None:
        return None
    if found["number"] is not None:
        return int(found["number"])
    try:
        return found["text"].decode()
    except UnicodeDecodeError:
        return None


def _id_of(value: Any, id_chars: int) -> Any:
    """Return the id in an invalid request, if one can be read; else None."""
    found = value.get("id") if isinstance(value, dict) else None
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return None
    # A reply to a request is never longer than a reply may be.
    return None if isinstance(found, str) and len(found) > id_chars else found


def error_reply(error: errors.AshError, identifier: Any) -> dict[str, Any]:
    """Return the reply that carries an error."""
    return {
        "jsonrpc": "2.0",
        "error": {"code": error.code, "message": error.message, "data": error.to_data()},
        "id": identifier,
    }


def encode(reply: Any) -> bytes:
    """Return a reply as one line."""
    return msgspec.json.encode(reply) + b"\n"
