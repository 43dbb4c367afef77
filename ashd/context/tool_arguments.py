"""Arguments of a tool call, as models and frameworks write them, read by the tool's schema. Pure.

Strict frameworks must give every argument, and models fill what they have no value for. So an empty
text or list, null, and 0 for an optional number count as absent; a single value stands for a list
of one, JSON text for a list, and digits for a number. An unknown argument is ignored, and said.
"""

from collections.abc import Mapping
from typing import Any, Final

from ashd import errors, json_text, limits
from ashd.validation_messages import unknown_name

_REMARKS: Final = 3
"""The number of ignored arguments that are named, of each object."""
_ABSENT: Final = object()
_BOOLEANS: Final = {"true": True, "false": False}


def read(given: Mapping[str, Any], schema: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments that an object's schema has, and remarks on those that were ignored.

    A value that cannot be read as its type stays as it was, for the check that names it.
    """
    remarks: dict[str, None] = {}
    return _object(given, schema, remarks), list(remarks)[:_REMARKS]


def _object(
    given: Mapping[str, Any], schema: Mapping[str, Any], remarks: dict[str, None]
) -> dict[str, Any]:
    properties, required = schema["properties"], schema.get("required", ())
    for name in [name for name in given if name not in properties][:_REMARKS]:
        message, hint = unknown_name(name, list(properties), "argument")
        remarks[f"{message} It was ignored. {hint}"] = None
    read_by_name = {
        name: _value(given[name], schema, remarks, optional=name not in required)
        for name, schema in properties.items()
        if name in given
    }
    return {name: value for name, value in read_by_name.items() if value is not _ABSENT}


def _value(
    value: Any, schema: Mapping[str, Any], remarks: dict[str, None], *, optional: bool
) -> Any:
    """Return a value as the type that its schema names first."""
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    text = value.strip() if isinstance(value, str) else None
    if value is None or text == "" or value in ([], {}):
        return _ABSENT
    match kind:
        case "array":
            entries = [_value(one, schema["items"], remarks, optional=True) for one in _list(value)]
            return [one for one in entries if one is not _ABSENT] or _ABSENT
        case "object" if isinstance(value, dict):
            return _object(value, schema, remarks)
        case "object" if text is not None:
            return {schema["required"][0]: value}
        case "string" if isinstance(value, list) and len(value) == 1:
            return _value(value[0], schema, remarks, optional=optional)
        case "integer" | "number":
            number = _number(text) if text is not None else value
            whole = isinstance(number, float) and number.is_integer()
            number = int(number) if whole and kind == "integer" else number
            return _ABSENT if optional and _is_zero(number) else number
        case "boolean":
            value = _BOOLEANS.get(text.lower(), value) if text is not None else value
            return bool(value) if value in (0, 1) else value
    return value


def _list(value: Any) -> list[Any]:
    """Return a list: as it is, of JSON text, or of the single value."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json_text.decode(value.strip().encode(), limits.TOOL_ARGUMENTS_VALUES)
        except (errors.ParseError, UnicodeError):
            return [value]
    return value if isinstance(value, list) else [value]


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _is_zero(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not value
