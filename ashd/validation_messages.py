"""Describe what is wrong with a parameter or a setting, for the person who gave it.

A type check reports types (``Expected `str` of length >= 6 - at `$.id` ``); here this becomes a
sentence with the name and the allowed values. The value of a parameter is never repeated.
"""

import re
from difflib import get_close_matches
from typing import Any, Final

import msgspec
from msgspec import inspect

from ashd import errors, limits

_PLACE: Final = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<path>[^`]*)`)?", re.DOTALL)
_LENGTH: Final = re.compile(r"Expected `(?P<type>\w+)` of length (?P<sign>[<>]=) (?P<count>\d+)")
_BOUND: Final = re.compile(r"Expected `\w+` [<>]=? ")
_TYPE: Final = re.compile(r"Expected `(?P<wanted>[^`]*)`, got `(?P<got>\w+)`")
_FIELD: Final = re.compile(r"Object (?P<how>missing|contains).*? field `(?P<name>.*)`", re.DOTALL)
_STEP: Final = re.compile(r"\w+|\[[^\]]*\]")

_WORDS: Final = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_LARGE: Final = {
    ("str", limits.CONTENT_CHARS),
    ("str", limits.QUERY_CHARS),
    ("array", limits.FACTS_PER_CALL),
    ("array", limits.MESSAGES_PER_CALL),
}
"""Larger bounds than this are left out: no sensible value reaches them."""
_REPEATED_CHARS: Final = 6
"""A longer name may be a secret that was put where a name belongs."""
_LOOKED_AT_CHARS: Final = 300
"""Characters at the beginning and at the end of a message that are kept; the middle may be a name.
"""
_PUT_RIGHT: Final = "Put it right and call again."


def of(problem: Exception, kind: type, within: str = "") -> errors.AshError:
    """Return the error for a message of `msgspec.convert` on params of this type.

    `within` names the converted parameter, if it was not the whole params.
    """
    found = _PLACE.fullmatch(_shortened(str(problem)))
    what, path = (found["what"], found["path"] or "") if found else ("", "")
    nodes = _at(inspect.type_info(kind), path)
    name = ".".join(part for part in (within, path) if part)
    if field := _FIELD.match(what):
        return _field(field["how"], field["name"], name, nodes)
    name = name or "params"
    if length := _LENGTH.match(what):
        return _length(name, length["type"], length["sign"], int(length["count"]))
    if _BOUND.match(what):
        return errors.InvalidParams(f"{name} must be {_bounds(nodes)}.", _PUT_RIGHT)
    if wrong := _TYPE.match(what):
        wanted = [_WORDS.get(one, one) for one in wrong["wanted"].split(" | ") if one != "null"]
        got = _WORDS.get(wrong["got"], wrong["got"])
        return errors.InvalidParams(f"{name} must be {' or '.join(wanted)}, not {got}.", _PUT_RIGHT)
    allowed = [str(value) for node in nodes for value in getattr(node, "values", ())]
    if what.startswith("Invalid enum value") and allowed:
        return errors.InvalidParams(f"{name} must be one of {', '.join(allowed)}.", _PUT_RIGHT)
    if "matching regex" in what:
        return errors.InvalidParams(
            f"{name} has a character that it may not have.", "Leave out what is not shown."
        )
    if "datetime" in what or "timezone" in what:
        return errors.InvalidParams(
            f"{name} must be a time with its zone.", "Write it like 2026-11-20T15:00:00Z."
        )
    return errors.InvalidParams(f"{name} does not have the form that it needs.")


def _shortened(text: str) -> str:
    """Return a message without the middle of a name that is too long."""
    return (
        text
        if len(text) <= 2 * _LOOKED_AT_CHARS
        else (text[:_LOOKED_AT_CHARS] + text[-_LOOKED_AT_CHARS:])
    )


def _field(how: str, field: str, owner: str, nodes: list[inspect.Type]) -> errors.AshError:
    if how == "missing":
        name = f"{owner}.{field}" if owner else field
        return errors.InvalidParams(f"{name} is missing.", "Give it and call again.")
    known = [one.encode_name for node in nodes for one in getattr(node, "fields", ())]
    noun, where = ("field", f" in {owner}") if owner else ("parameter", "")
    return errors.InvalidParams(*unknown_name(field, known, noun, where))


def unknown_name(name: str, known: list[str], noun: str, where: str = "") -> tuple[str, str]:
    """Return the sentence on a name that is not known, and the hint with those that are."""
    near = get_close_matches(name, known, 1)
    hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known)}."
    called = f" {name!r}" if len(name) < _REPEATED_CHARS else " of that name"
    return f"There is no {noun}{called}{where}.", hint


def _length(name: str, kind: str, sign: str, count: int) -> errors.AshError:
    entries = "characters" if kind == "str" else "entries"
    if sign == ">=":
        if count == 1:
            return errors.InvalidParams(f"{name} is empty.", "Give it a value.")
        return errors.InvalidParams(
            f"{name} is too short: give at least {count:,} {entries}.", _PUT_RIGHT
        )
    message = f"{name} is too long: give at most {count:,} {entries}."
    if (kind, count) in _LARGE:
        return errors.TooLarge(message, "Give less, or divide it among several.")
    return errors.InvalidParams(message, "Shorten it and call again.")


def _bounds(nodes: list[inspect.Type]) -> str:
    """Return a number's bounds: ``1 to 100``, ``more than 0 and at most 10``, ``at least 1``."""
    (node,) = (one for one in nodes if isinstance(one, inspect.IntType | inspect.FloatType))
    if node.ge is not None and node.le is not None:
        return f"{node.ge:,} to {node.le:,}"
    parts = (
        ("at least", node.ge),
        ("more than", node.gt),
        ("at most", node.le),
        ("less than", node.lt),
    )
    return " and ".join(f"{words} {bound:,}" for words, bound in parts if bound is not None)


def _at(root: inspect.Type, path: str) -> list[inspect.Type]:
    """Return the types that the value at a path may have."""
    nodes = _alternatives(root)
    for step in _STEP.findall(path):
        nodes = [
            found for node in nodes for part in _parts(node, step) for found in _alternatives(part)
        ]
    return nodes


def _parts(node: Any, step: str) -> list[inspect.Type]:
    if step == "[...]":
        return [node.value_type] if isinstance(node, inspect.DictType) else []
    if step.startswith("["):
        return [node.item_type] if hasattr(node, "item_type") else []
    return [field.type for field in getattr(node, "fields", ()) if field.encode_name == step]


def _alternatives(node: inspect.Type) -> list[inspect.Type]:
    if isinstance(node, inspect.UnionType):
        return [found for one in node.types for found in _alternatives(one)]
    if isinstance(node, inspect.Metadata):
        return _alternatives(node.type)
    return [node]


def of_config(message: str, values: dict[str, Any], defaults: msgspec.Struct) -> str:
    """Reword an error of msgspec: the key as it is in the file, its value and what is allowed."""
    reason, _, path = message.partition(" - at ")
    key = path.removeprefix("`key` in ").strip("`").removeprefix("$").strip(".[]")
    if reason.startswith("Object contains unknown field"):
        name = reason.rsplit("`", 2)[1]
        where = f"[{key}]" if key else "the file"
        section = getattr(defaults, key, None) if key else defaults
        known = ", ".join(section.__struct_fields__) if section is not None else ""
        return f"{where} has an unknown key {name!r}. Known are: {known}."
    value: Any = values
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    allowed = _allowed(key, defaults)
    if isinstance(value, dict):
        return f"[{key}]: {reason}."
    return f"{key} = {value!r} cannot be: {reason}.{f' Allowed: {allowed}.' if allowed else ''}"


def _allowed(key: str, defaults: msgspec.Struct) -> str:
    section, _, name = key.partition(".")
    part = getattr(defaults, section, None)
    if part is None or not name:
        return ""
    schema = msgspec.json.schema(type(part))
    declared = schema["$defs"][type(part).__name__]["properties"].get(name, {})
    # An optional setting is declared as its type or None.
    choice = declared.get("anyOf", [declared])[0]
    if "enum" in choice:
        return ", ".join(str(value) for value in choice["enum"])
    low, high = choice.get("minimum"), choice.get("maximum")
    return f"{low} to {high}" if low is not None and high is not None else ""
