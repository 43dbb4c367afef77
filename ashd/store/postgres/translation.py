"""Write the store's statements in PostgreSQL's way: parameters, joins and names of functions.

`ashd.store.dialect` says what the shared statements hold; nothing else is translated.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import count
from typing import Any, Final

from ashd.store import dialect
from ashd.store.engine import Params

_WHOLE: Final = {
    dialect.DATABASE_BYTES: "select pg_database_size(current_database())",
}
"""Statements that have nothing in common on the two engines."""

_PLACES: Final = re.compile(
    r"'(?:[^']|'')*'"  # a literal, which may hold anything
    r"|\?(?P<number>\d+)"
    r"|(?P<next>\?)"
    r"|(?<![:\w]):(?P<name>[a-z_]\w*)"
    r"|%"
)
_REWRITTEN: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # The order of the tables stays as written: `join_collapse_limit` is 1.
        (r"\bcross join (\w+(?: (?!on\b)\w+)?)\s+on\b", r"join \1 on"),
        (r"\bpassage_fts match (\?\d*|:\w+|w\.value)", r"terms @@ cast(\1 as tsquery)"),
        (r"\bmain\.", "ashd."),
        (r"\bjson_object\(", "json_build_object("),
        (r"\bjson_array\(", "json_build_array("),
    )
)


@lru_cache(4096)
def translated(sql: str) -> str:
    """Return a statement with psycopg's parameters by name; those in order are p1, p2 and on."""
    if sql in _WHOLE:
        return _WHOLE[sql]
    for pattern, replacement in _REWRITTEN:
        sql = pattern.sub(replacement, sql)
    positions = count(1)

    def place(found: re.Match[str]) -> str:
        if found["number"]:
            return f"%(p{found['number']})s"
        if found["next"]:
            return f"%(p{next(positions)})s"
        if found["name"]:
            return f"%({found['name']})s"
        return found[0].replace("%", "%%")

    return _PLACES.sub(place, sql)


def named(params: Params) -> dict[str, Any]:
    """Return parameters by name, as `translated` names them; a flag is 1 or 0."""
    if isinstance(params, Mapping):
        return {name: _plain(value) for name, value in params.items()}
    return dict(_numbered(params))


def _numbered(params: Any) -> Iterator[tuple[str, Any]]:
    for number, value in enumerate(params, 1):
        yield f"p{number}", _plain(value)


def _plain(value: Any) -> Any:
    """Return a value of a plain type, by which the driver chooses: no subclass, no numpy scalar."""
    match value:
        case bool():
            return int(value)
        case int():
            return int(value)
        case str():
            return str(value)
        case bytes() | float() | None:
            return value
        case memoryview() | bytearray():
            return bytes(value)
    return value.item() if hasattr(value, "item") else value
