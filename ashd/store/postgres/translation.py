"""Write the store's statements in PostgreSQL's way: parameters, lists, joins and functions.

`ashd.store.dialect` says what the shared statements hold; nothing else is translated.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import count
from typing import Any, Final, NamedTuple

from ashd.store import dialect
from ashd.store.engine import Params

_PARAMETER: Final = r"(\?\d*|:\w+)"
_WHOLE: Final = {
    dialect.DATABASE_BYTES: "select pg_database_size(current_database())",
}
"""Statements that have nothing in common on the two engines."""

_LIST: Final = "[]"
"""The end of the name of a parameter that holds a list of numbers, as an array."""
_PLACES: Final = re.compile(
    r"'(?:[^']|'')*'"  # a literal, which may hold anything
    r"|(?:\?(?P<number>\d+)"
    r"|(?P<next>\?)"
    rf"|(?<![:\w]):(?P<name>[a-z_]\w*))(?P<list>{re.escape(_LIST)})?"
)
_REWRITTEN: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # The order of the tables stays as written: `join_collapse_limit` is 1.
        (r"\bcross join (\w+(?: (?!on\b)\w+)?)\s+on\b", r"join \1 on"),
        (r"\bpassage_fts match (\?\d*|:\w+|w\.value)", r"terms @@ cast(\1 as tsquery)"),
        # Few rows have the words: the other index would go over the texts of all owners.
        (r"\border by rowid desc\b", "order by rowid + 0 desc"),
        # An array is planned and looked up faster than a subquery, of which a policy has many.
        (
            rf"\bnot in \(select value from json_each\({_PARAMETER}\)\)",
            r"<> all (cast(\1[] as bigint[]))",
        ),
        (
            rf"\bin \(select value from json_each\({_PARAMETER}\)\)",
            r"= any (cast(\1[] as bigint[]))",
        ),
        (rf"\bjson_each\({_PARAMETER}\)", r"json_each(cast(\1[] as bigint[]))"),
        (r"\bmain\.", "ashd."),
        # Without quotes it is a word of the language since PostgreSQL 17.
        (r"\bjson\(", 'ashd."json"('),
        (r"\bjson_object\(", "json_build_object("),
        (r"\bjson_array\(", "json_build_array("),
    )
)


class Translated(NamedTuple):
    """A statement in PostgreSQL's way."""

    sql: str
    names: tuple[str, ...]
    """Its parameters in order; with `[]` at the end, a list that it takes as an array."""


@lru_cache(4096)
def translated(sql: str) -> Translated:
    """Return a statement with parameters by place; without names, they are p1, p2 and on."""
    if sql in _WHOLE:
        return Translated(_WHOLE[sql], ())
    for pattern, replacement in _REWRITTEN:
        sql = pattern.sub(replacement, sql)
    positions, places = count(1), dict[str, int]()

    def place(found: re.Match[str]) -> str:
        number = found["number"] or (found["next"] and next(positions))
        name = f"p{number}" if number else found["name"]
        if not name:
            return found[0]
        return f"${places.setdefault(name + (found['list'] or ''), len(places) + 1)}"

    sql = _PLACES.sub(place, sql)
    return Translated(sql, tuple(places))


def in_order(params: Params, names: tuple[str, ...]) -> list[Any]:
    """Return the values of parameters, as `translated` names them; a flag is 1 or 0."""
    if not isinstance(params, Mapping):
        params = {f"p{number}": value for number, value in enumerate(params, 1)}
    return [
        _array(params[name.removesuffix(_LIST)]) if name.endswith(_LIST) else _plain(params[name])
        for name in names
    ]


def _array(numbers: str | None) -> str:
    """Return a list of numbers as an array; no list is an empty one, as to SQLite."""
    return "{" + numbers[1:-1] + "}" if numbers else "{}"


_PLAIN: Final = frozenset({int, str, bytes, float, type(None)})


def _plain(value: Any) -> Any:
    """Return a value of a plain type, by which the driver chooses: no subclass, no numpy scalar."""
    if type(value) in _PLAIN:
        return value
    match value:
        case bool():
            return int(value)
        case int():
            return int(value)
        case str():
            return str(value)
        case bytes() | float():
            return value
        case memoryview() | bytearray():
            return bytes(value)
    return value.item() if hasattr(value, "item") else value
