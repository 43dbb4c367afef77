"""Turn typed values into a method's parameters: texts, files, numbers. Times pass unchanged.

A reader gets (text, flag) and returns a value; a builder gets the operands and the options and
returns the parameters. Both raise a usage Failure that says how to mend the command line.
"""

from __future__ import annotations

import sys
from posix import urandom

from ash_sb.errors import Failure, usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Options = dict[str, Any]

MAX_INPUT_BYTES = 8 * 1024 * 1024  # JSON with escapes is longer than the call made of it


def text(given: str, flag: str) -> str:
    """Any text that is not empty."""
    if not given.strip():
        raise usage(f"{flag} is empty")
    return given


def whole(given: str, flag: str) -> int:
    """A whole number, not negative."""
    if not (given.isascii() and given.isdigit()) or len(given) > 15:
        raise usage(f"{flag} wants a whole number, not {given!r}")
    return int(given)


def number(given: str, flag: str) -> float:
    """A number of the wire (neither NaN nor infinite)."""
    try:
        value = float(given)
    except ValueError:
        value = float("nan")
    if value - value != 0:
        raise usage(f"{flag} wants a number, not {given!r}")
    return value


def nothing(operands: list[str], options: Options) -> Options:
    """No operand."""
    if operands:
        raise usage(f"{operands[0]!r} is one word too many")
    return options


def identifier(operands: list[str], options: Options) -> Options:
    """Exactly one id, or the unique beginning of one."""
    if len(operands) != 1:
        raise usage("one ID is wanted", "An ID, or its first 6 or more characters")
    return {**options, "id": operands[0]}


def explained(operands: list[str], options: Options) -> Options:
    """One id, and that all that is known of it is wanted."""
    return {**identifier(operands, options), "explain": True}


def supersede(operands: list[str], options: Options) -> Options:
    """The id of a memory and that of the older one it replaces."""
    if len(operands) != 2:
        raise usage("two IDs are wanted", "The memory that replaces, then the older one")
    return {**options, "id": operands[0], "superseded_id": operands[1]}


def query(operands: list[str], options: Options) -> Options:
    """A question in words."""
    content = _content(operands, options, "QUERY")
    return {**options, "query": content}


def optional_query(operands: list[str], options: Options) -> Options:
    """A name to look for, or none."""
    return {**options, "query": " ".join(operands)} if operands else options


def message(operands: list[str], options: Options) -> Options:
    """The message to answer."""
    content = _content(operands, options, "MESSAGE")
    return {**options, "message": content}


def reference(operands: list[str], options: Options) -> Options:
    """A reference to a person."""
    content = _content(operands, options, "REFERENCE")
    return {**options, "reference": content}


def add(operands: list[str], options: Options) -> Options:
    """Return one content or a batch, with one idempotency key for the call and its retries."""
    params = _expiry(options)
    facts_from = params.pop("facts_json", None)
    if facts_from is None:
        params["content"] = _content(operands, params, "TEXT")
    elif operands or "file" in params:
        raise usage("TEXT and --facts-json exclude each other", "Give one of them")
    else:
        params["facts"] = _json_list(_read(facts_from), "facts", "--facts-json")
    params.setdefault("idempotency_key", new_key())
    return params


def update(operands: list[str], options: Options) -> Options:
    """The id, and what is to change."""
    if not operands:
        raise usage("one ID is wanted", "An ID, or its first 6 or more characters")
    changes = _expiry(options)
    params = {"id": operands[0]}
    if "expected_revision" in changes:
        params["expected_revision"] = changes.pop("expected_revision")
    if len(operands) > 1 or "file" in changes:
        changes["content"] = _content(operands[1:], changes, "TEXT")
    if not changes:
        raise usage("nothing to change", "Give a new TEXT or an option such as --type")
    return {**params, "changes": changes}


def extract(operands: list[str], options: Options) -> Options:
    """Messages as JSON; any other text is one message of the user."""
    params = dict(options)
    content = _content(operands, params, "TEXT")
    if content.lstrip()[:1] in ("[", "{"):
        params["messages"] = _json_list(content, "messages", "the input")
    else:
        params["messages"] = [{"role": "user", "content": content}]
    return params


def new_key() -> str:
    """A random UUID, version 4."""
    octets = bytearray(urandom(16))
    octets[6] = octets[6] & 0x0F | 0x40
    octets[8] = octets[8] & 0x3F | 0x80
    digits = octets.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


_DAYS = {"h": 1 / 24, "d": 1, "w": 7}


def _expiry(options: Options) -> Options:
    """Return the options with `expires` replaced by its parameter: days, or a time."""
    params = dict(options)
    expires = params.pop("expires", None)
    if expires is None:
        return params
    amount, unit = (expires[:-1], expires[-1]) if expires[-1:] in _DAYS else (expires, "d")
    if amount.replace(".", "", 1).isdecimal():
        params["expires_in_days"] = number(amount, "--expires") * _DAYS[unit]
    else:
        params["expires_at"] = expires
    return params


def _content(operands: list[str], options: Options, name: str) -> str:
    """The text from the operands, from standard input for `-`, or from `--file` (taken out)."""
    path = options.pop("file", None)
    if path is not None and operands:
        raise usage(f"{name} and --file exclude each other", "Give one of them")
    if path is not None or operands == ["-"]:
        content = _read(path or "-").rstrip("\r\n")
    else:
        content = " ".join(operands)
    if not content.strip():
        raise usage(f"{name} is missing", f"Give {name}, - for standard input, or --file F")
    return content


def _read(path: str) -> str:
    try:
        if path == "-":
            raw = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
        else:
            with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs more than the call
                raw = file.read(MAX_INPUT_BYTES + 1)
    except (OSError, ValueError, AttributeError) as error:
        reason = getattr(error, "strerror", None) or "not readable"
        raise usage(f"cannot read {path!r}: {reason}", "Name a file, or - for stdin") from None
    if len(raw) > MAX_INPUT_BYTES:
        raise Failure(
            "too_large", f"{path!r} has more than {MAX_INPUT_BYTES} bytes", "Split it in parts"
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"byte {error.start} of {path!r} is not UTF-8"
        raise usage(where, "Convert it, for example with iconv -t UTF-8") from None


def _json_list(source: str, name: str, where: str) -> list[Any]:
    """A JSON list, an object that holds one under `name`, or one object per line."""
    import json

    try:
        try:
            value = json.loads(source, parse_constant=_no_number)
        except ValueError:
            if "\n" not in source.strip():
                raise
            # Not `splitlines`: a text in JSON may hold U+2028.
            lines = [line for line in source.split("\n") if line.strip()]
            value = [json.loads(line, parse_constant=_no_number) for line in lines]
    except ValueError as error:
        raise usage(f"{where} is not JSON: {error}", "Give a JSON list of objects") from None
    except RecursionError:
        raise usage(f"{where} is nested too deeply", "Give a JSON list of objects") from None
    if isinstance(value, dict):
        value = value.get(name, [value])
    if not isinstance(value, list) or not value:
        raise usage(f"{where} holds no {name}", "Give a JSON list of objects")
    return value


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")
