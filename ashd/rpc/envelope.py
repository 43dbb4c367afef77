"""A frame's bytes to a typed request, once; and replies to bytes.

What JSON-RPC leaves open is closed here: params go by name, ids are strings, numbers or null,
and no text holds NUL.
"""

from typing import Any, Final

import msgspec

from ashd import errors, json_text, limits


class Request(msgspec.Struct, frozen=True):
    """A request as sent; `id` is unset in a notification."""

    jsonrpc: str
    method: str
    params: dict[str, Any] | list[Any] | msgspec.UnsetType = msgspec.UNSET
    id: str | int | float | msgspec.UnsetType | None = msgspec.UNSET


_BATCH_VALUES: Final = limits.CONTROL.batch * limits.VALUES_PER_MESSAGE
_raws: Final = msgspec.json.Decoder(list[msgspec.Raw])


def is_batch(frame: bytes) -> bool:
    """Whether the frame holds an array."""
    return frame.lstrip()[:1] == b"["


def elements(frame: bytes) -> list[bytes]:
    """The requests of a batch, undecoded.

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


def decode(frame: bytes) -> Request:
    """The request in a frame.

    Raises:
        errors.ParseError: not JSON, not UTF-8, nested too deep, or with a NUL.
        errors.TooLarge: more values than are taken.
        errors.InvalidRequest: JSON, but no request. `data["id"]` is its id where one can be told.
    """
    value = json_text.decode(frame)
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
        value = json_text.decode(frame)
    except errors.AshError:
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
