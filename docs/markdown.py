"""Markdown for pages that are made from the code."""

import re
from typing import Any, Final

import msgspec

_ROW: Final = re.compile(r" \([A-G]\d+(, [A-G]\d+)*\)")
"""A comment's pointer to the row of the design that it serves."""
_TAG: Final = re.compile(r"(?<![`\w])<(?=\w)")
"""The beginning of a tag, as Markdown would read it."""


def anchor(name: str) -> str:
    """Return the link to a heading of the same page."""
    return f"#{name.replace('.', '').lower()}"


def one_line(text: str) -> str:
    """Return a docstring in one line, without pointers to the design."""
    plain = _ROW.sub("", " ".join(text.split())).replace("``", "`")
    return _TAG.sub(r"\\<", plain)


def json(value: Any) -> str:
    """Return compact JSON."""
    return msgspec.json.encode(value).decode()


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table, with a line break at its end."""
    lines = [head, ["---"] * len(head), *rows]
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)
