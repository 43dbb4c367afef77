"""JSON that somebody else wrote: decoded once, and refused before it costs time or memory.

What must hold: whatever the bytes are, the answer is a value or an error of ours; a value holds no
NUL, is nested no deeper and has no more parts than `limits` says.
"""

import re
from typing import Any, Final

import msgspec

from ashd import errors, limits

_TEXTS: Final = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?', re.DOTALL)
_decoder: Final = msgspec.json.Decoder()


def decode(text: bytes) -> Any:
    """The value of a JSON text.

    Raises:
        errors.ParseError: not JSON, not UTF-8, nested too deep, or with a NUL.
        errors.TooLarge: more values than are taken.
    """
    require_few_values(text, limits.VALUES_PER_MESSAGE)
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


def require_few_values(text: bytes, most: int) -> None:
    """Look whether a JSON text holds too many values, before they are built.

    Raises:
        errors.TooLarge
    """
    too_many = text.count(b'"') - text.count(b'\\"') > 2 * most
    if not too_many and _marks(text) > most:
        # They may stand in texts: without those, each one left stands for a value or a key.
        too_many = _marks(_TEXTS.sub(b"", text)) > most
    if too_many:
        raise errors.TooLarge(f"A message holds at most {most} values.")


def _marks(text: bytes) -> int:
    return sum(text.count(mark) for mark in (b",", b":", b"[", b"{"))


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
