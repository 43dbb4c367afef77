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


@pytest.mark.parametrize("name", sorted(name for name in TABLE if "." in name))
def test_the_shortest_text_and_the_least_count_are_accepted(name: str) -> None:
    """One character is a word of many languages; only ids (6) and times (8) need more."""
    method = TABLE[name]
    for struct in structs(method.params, set()):
        for field, least in _bounds(struct, "min_length"):
            assert least in {1, 6, 8}, (struct, field)
        for field, least in _bounds(struct, "ge"):
            assert least in ({50} if field == "max_tokens" else {0, 1}), (struct, field)


def _bounds(struct: type[msgspec.Struct], bound: str) -> Iterator[tuple[str, int]]:
    """Yield each bound of this name on a field or on its items, with the name of the field."""

    def of(kind: Any) -> Iterator[int]:
        least = getattr(kind, bound, None)
        if least is not None:
            yield least
        for inner in (*getattr(kind, "types", ()), getattr(kind, "item_type", None)):
            if inner is not None:
                yield from of(inner)

    found = inspect.type_info(struct)
    assert isinstance(found, inspect.StructType)
    for field in found.fields:
        yield from ((field.name, least) for least in of(field.type))
