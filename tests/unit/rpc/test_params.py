"""Params of all methods: a name that nobody knows is refused, wherever it is."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from ashd.rpc.methods import TABLE


def structs(kind: Any, seen: set[type]) -> Iterator[type[msgspec.Struct]]:
    """Every struct that a type is made of."""
    found = inspect.type_info(kind) if not isinstance(kind, inspect.Type) else kind
    if isinstance(found, inspect.StructType):
        if found.cls in seen:
            return
        seen.add(found.cls)
        yield found.cls
        for field in found.fields:
            yield from structs(field.type, seen)
    for part in ("item_type", "key_type", "value_type"):
        if (inner := getattr(found, part, None)) is not None:
            yield from structs(inner, seen)
    for inner in getattr(found, "types", ()):
        yield from structs(inner, seen)


@pytest.mark.parametrize("name", sorted(name for name in TABLE if "." in name))
def test_a_misspelt_param_is_refused(name: str) -> None:
    """Nested params are checked too, except those of MCP's own methods."""
    method = TABLE[name]
    for struct in structs(method.params, set()):
        assert struct.__struct_config__.forbid_unknown_fields, struct
