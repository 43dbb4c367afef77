"""Edit one table of a TOML document as text and leave every other character. Pure.

A table reaches from its header to the next one; comments and blank lines before the next header
belong to that one.
"""

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

_NOT_TOML: Final = "It is not TOML."


class NotToml(ValueError):
    """The text cannot be read, or the table is written in a form that cannot be edited."""


class _Statement(NamedTuple):
    """A header, a key with its value, a comment or a blank line, with its lines."""

    text: str
    value: dict[str, Any]

    @property
    def header(self) -> tuple[str, ...] | None:
        """The names of a header; None for any other statement."""
        if not self.text.lstrip().startswith("["):
            return None
        names, inner = [], self.value
        while inner:
            [(name, below)] = inner.items()
            names.append(name)
            inner = below[0] if isinstance(below, list) else below
        return tuple(names)


def parse(text: str) -> dict[str, Any]:
    """Read a document.

    Raises:
        NotToml: the text is no TOML.
    """
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        raise NotToml(_NOT_TOML) from None


def put(text: str, table: tuple[str, ...], fields: Mapping[str, Any]) -> str:
    """Return a document whose table has these fields, beside others that it has.

    Raises:
        NotToml: the document is none, or has no place for a header of the table.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    statements = list(_statements(text))
    lines = {
        name: f"{name} = {json.dumps(value, ensure_ascii=False)}{newline}"
        for name, value in fields.items()
    }
    if not _is_in(parse(text), table):
        if text and not text.endswith("\n"):
            text += newline
        gap = newline if text else ""
        made = f"{text}{gap}[{'.'.join(table)}]{newline}{''.join(lines.values())}"
        try:
            parse(made)
        except NotToml:
            raise NotToml(
                f"{table[0]} is written as one value: write its entries as tables first."
            ) from None
        return made
    parts, is_here, has_header = list[str](), False, False
    for statement in statements:
        if statement.header is not None:
            is_here = statement.header == table
            if is_here:
                has_header = True
                missing = fields.keys() - _keys(statements, table)
                added = "".join(lines[name] for name in fields if name in missing)
                parts.append(statement.text + added)
                continue
        name = next(iter(statement.value), "") if is_here else ""
        same = name in fields and statement.value[name] == fields[name]
        parts.append(lines[name] if name in fields and not same else statement.text)
    if not has_header:
        raise NotToml(f"{'.'.join(table)} is not written as a table of its own.")
    return "".join(parts)


def remove(text: str, table: tuple[str, ...]) -> str:
    """Return a document without a table and the tables below it.

    Raises:
        NotToml: the document is none, or the table has no header of its own.
    """
    made: list[str] = []
    waiting: list[str] = []
    """Comments and blank lines that may belong to this table or to the next."""
    is_here = False
    for statement in _statements(text):
        header = statement.header
        if header is not None:
            was_here, is_here = is_here, header[: len(table)] == table
            made += waiting
            waiting = []
            if is_here and not was_here and made and not made[-1].strip():
                made.pop()
        if not is_here:
            made.append(statement.text)
        elif header is None and not statement.value:
            waiting.append(statement.text)
        else:
            waiting = []
    left = "".join(made + waiting)
    if _is_in(parse(left), table):
        raise NotToml(f"{'.'.join(table)} is not written as a table of its own.")
    return left


def without_comments(text: str, comments: Collection[str]) -> str:
    """Return a document without the lines that hold just one of these comments."""
    return "".join(one.text for one in _statements(text) if one.text.strip() not in comments)


def _is_in(document: dict[str, Any], table: tuple[str, ...]) -> bool:
    found: Any = document
    for name in table:
        if not isinstance(found, dict) or name not in found:
            return False
        found = found[name]
    return True


def _keys(statements: list[_Statement], table: tuple[str, ...]) -> set[str]:
    """Return the keys that stand below a table's own header."""
    keys, here = set[str](), False
    for statement in statements:
        if statement.header is not None:
            here = statement.header == table
        elif here:
            keys |= statement.value.keys()
    return keys


def _statements(text: str) -> Iterator[_Statement]:
    """Yield the statements in order; a statement ends with the line after which it can be read."""
    parse(text)
    part = ""
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        part += line
        try:
            value = tomllib.loads(part)
        except tomllib.TOMLDecodeError:
            continue
        yield _Statement(part, value)
        part = ""
    assert not part
