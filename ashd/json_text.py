"""JSON from others: decoded once, and refused before it costs time or memory.

What must hold: for any bytes the answer is a value or an error of ours; a value holds no NUL, and
its nesting and its number of parts are within `limits`.
"""

from math import isinf
from typing import Any, Final

import msgspec

from ashd import errors, limits

_DIGITS: Final = bytes(
    ord("0") if chr(code) in "0123456789+-.eE" else ord(" ") for code in range(256)
)
_TOO_LONG: Final = b"0" * (limits.NUMBER_CHARS + 1)


def _number(text: str) -> float:
    """Parse a number with a fraction or an exponent; `float` is quick for all of them."""
    number = float(text)
    if isinf(number):
        raise ValueError("out of range")
    return number


_decoder: Final = msgspec.json.Decoder(float_hook=_number)


def decode(text: bytes, most: int = limits.VALUES_PER_MESSAGE) -> Any:
    """Return the value of a JSON text with at most so many values.

    Raises:
        errors.ParseError: not JSON, not UTF-8, nested too deep, or with a NUL.
        errors.TooLarge: more values than are taken, or a longer number.
    """
    require_cheap(text, most)
    try:
        value = _decoder.decode(text)
    except RecursionError as error:
        raise errors.ParseError("The message is nested too deep.") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise errors.ParseError("The message is not JSON.") from error
    if text.count(b"[") + text.count(b"{") > limits.NESTING and _is_deep(value):
        raise errors.ParseError("The message is nested too deep.")
    if b"\\u0000" in text and _holds_nul(value):
        raise errors.ParseError("The message holds a NUL character.", "Leave it out.")
    return value


def require_cheap(text: bytes, most: int) -> None:
    """Refuse a JSON text that would be expensive to decode, without decoding it.

    Raises:
        errors.TooLarge: more than `most` values, or a number with too many characters.
    """
    # Without escapes, every remaining quotation mark begins or ends a text.
    plain = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    few = plain.count(b'"') <= 2 * most
    if few:
        outside = b"".join(plain.split(b'"')[::2])
        few = sum(map(outside.count, (b",", b":", b"[", b"{"))) <= most
    if not few:
        raise errors.TooLarge(f"A message holds at most {most} values.")
    if _TOO_LONG in outside.translate(_DIGITS):
        raise errors.TooLarge(f"A number has at most {limits.NUMBER_CHARS} characters.")


def _is_deep(value: Any) -> bool:
    """Return whether lists and objects are nested deeper than allowed."""
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
