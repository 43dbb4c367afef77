"""A reply without its content: what may still be told of a call after something was erased.

Ids, numbers, times and the daemon's own words stay; every other text becomes empty. The types of
the result say which is which: a text is content unless its type says otherwise, or it has the form
of an id or a time.
"""

import re
from typing import Any, Final

import msgspec
from msgspec import inspect

from ashd import limits

MARK: Final = "content_erased"
"""The field of an answer whose texts were erased."""
_FORMS: Final = re.compile(
    r"|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    rf"|g[a-z0-9]{{{limits.GRANT_ID_CHARS - 3},{limits.GRANT_ID_CHARS - 1}}}"
    r"|\d{4,5}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?"
)


def bare(result: Any) -> dict[str, Any]:
    """Return a result as it goes over the wire, without its content."""
    found: dict[str, Any] = _bare(inspect.type_info(type(result)), msgspec.to_builtins(result))
    return found


def _bare(kind: inspect.Type, value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return value if _is_own_word(kind, value) or _FORMS.fullmatch(value) else ""
    kinds = _members(kind)
    if isinstance(value, list):
        item = next((_item(one) for one in kinds if _item(one)), None) or inspect.AnyType()
        return [_bare(item, one) for one in value]
    fields = {
        field.encode_name: field.type
        for one in kinds
        if isinstance(one, inspect.StructType)
        for field in one.fields
    }
    if fields:
        return {
            name: _bare(fields.get(name, inspect.AnyType()), one) for name, one in value.items()
        }
    # The keys of counts are names of tables, reasons and kinds.
    is_count = all(isinstance(one, int | float) for one in value.values())
    return value if is_count else {}


def _members(kind: inspect.Type) -> list[inspect.Type]:
    """Return the types of a union, or the type itself, without their metadata."""
    if isinstance(kind, inspect.Metadata):
        return _members(kind.type)
    if isinstance(kind, inspect.UnionType):
        return [one for member in kind.types for one in _members(member)]
    return [kind]


def _item(kind: inspect.Type) -> inspect.Type | None:
    return getattr(kind, "item_type", None)


def _is_own_word(kind: inspect.Type, value: str) -> bool:
    """Return whether the type says that a text is no content."""
    if isinstance(kind, inspect.Metadata):
        return (kind.extra or {}).get("is_content") is False or _is_own_word(kind.type, value)
    if isinstance(kind, inspect.UnionType):
        return any(_is_own_word(one, value) for one in kind.types)
    if isinstance(kind, inspect.LiteralType):
        return value in kind.values
    return isinstance(kind, inspect.EnumType)
