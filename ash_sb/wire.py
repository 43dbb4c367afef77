"""JSON as the wire has it: compact UTF-8, through the C helpers below the `json` package.

`import json` costs more than the whole interpreter start leaves to spend, its C parts nothing.
They are private to the standard library, so whatever is wrong with them falls back to `json`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _no_default(value: object) -> NoReturn:
    raise TypeError(f"{type(value).__name__} is not JSON")


class _ScannerOptions:
    """The attributes that the C scanner reads from its context."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_no_constant)


def _fast() -> tuple[Callable[[Any], str], Callable[[Any], str], Callable[[str], Any]]:
    from _json import encode_basestring, encode_basestring_ascii, make_encoder, make_scanner

    def encoder(encode_text: Callable[[str], str]) -> Callable[[Any], str]:
        encode = make_encoder(None, _no_default, encode_text, None, ":", ",", False, False, False)
        return lambda value: "".join(encode(value, 0))

    # typeshed wants the decoder class of `json`; the C code reads these attributes only
    scan = make_scanner(_ScannerOptions)  # type: ignore[arg-type]

    def decode(text: str) -> Any:
        try:
            value, end = scan(text, 0)
        except (StopIteration, SystemError):
            # In 3.11 the C code finds its exception in `json` only if that was imported, and
            # else fails without one.
            raise ValueError("not JSON") from None
        if end != len(text):
            raise ValueError("more than one JSON value")
        return value

    return encoder(encode_basestring), encoder(encode_basestring_ascii), decode


def _slow() -> tuple[Callable[[Any], str], Callable[[Any], str], Callable[[str], Any]]:
    import json

    def encoder(*, ascii_only: bool) -> Callable[[Any], str]:
        return json.JSONEncoder(
            ensure_ascii=ascii_only, allow_nan=False, separators=(",", ":"), default=_no_default
        ).encode

    decode = json.JSONDecoder(parse_constant=_no_constant).decode
    return encoder(ascii_only=False), encoder(ascii_only=True), decode


try:
    encode, encode_ascii, decode = _fast()
except (ImportError, TypeError, AttributeError):
    encode, encode_ascii, decode = _slow()


def request(method: str, params: dict[str, Any]) -> bytes:
    """Encode one call as one line.

    Raises:
        UnicodeEncodeError: a text holds half a surrogate pair (a broken argument).
    """
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return encode(call).encode() + b"\n"


def reply(line: bytes) -> dict[str, Any]:
    """Decode the reply in a line.

    Raises:
        ValueError: not one JSON object of UTF-8.
    """
    try:
        value = decode(line.decode().strip())
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")  # noqa: TRY004 - one error for all that is no reply
    return value
