"""Views as data: which columns, fields and lines a command prints of a result.

The one renderer, below, prints them. A text in a view is a template: ``{memory.id:short}`` is the
value at a path in the result, in one of the `formats`. A path through a list gives the values of
all its entries; an empty path is the whole; ``speaker or role`` is the first of two that has a
value. The word for an empty value stands after ``|``: ``{expires_at:day|never}``. A function among
the parts puts into the result, which is a copy, what no template can say. Every value is made
harmless when it is printed.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

if TYPE_CHECKING:
    from ashd.cli.output import Column

_BETWEEN: Final = " | "


class Table(NamedTuple):
    """A row for each entry at a path; nothing without entries.

    A row is ``TITLE {path} | TITLE {path:format}``. Marks after a title: ``~`` the column gets the
    width that the others leave, ``>`` it stands to the right, ``?`` a narrow terminal does without
    it, ``!`` (an id) it is never cut. The entries of an object have a ``key`` and a ``value``.
    """

    each: str
    row: str
    lines: int = 1
    """The most lines of a cell that has the rest of the width."""


class Fields(NamedTuple):
    """Labelled lines, ``label {path} | label {path:format}``; empty ones are left out.

    With a path, ``label[path]``, there is a line for each entry.
    """

    labels: str
    indent: str = ""


class Line(NamedTuple):
    """A line, once or for each entry at a path."""

    text: str
    only: str = ""
    """As in a `View`."""
    each: str = ""
    verb: str | Callable[[Any], str] = ""
    """A word of our own before it, in colour."""
    colour: str = "green"
    bold: bool = False
    err: bool = False


class Tree(NamedTuple):
    """All that is at a path, under its names on the wire."""

    of: str = ""


class Each(NamedTuple):
    """A view for each entry at a path."""

    each: str
    view: "View"


Part = Table | Fields | Line | Tree | Each | Callable[[Any], None]


class View:
    """The parts that are printed of a result, one after the other; a part may be a function.

    With a path `only`, they are printed if there is a value; after ``!``, if there is none.
    """

    def __init__(self, *parts: Part, only: str = "") -> None:
        self.parts = parts
        self.only = only

    def __call__(self, result: Any) -> None:
        """Print a result."""
        _render(self, result)


Title: Final = partial(Line, bold=True)
Note: Final = partial(Line, err=True)
"""A line on standard error."""


def with_given(result: Any) -> None:
    """Add the command's arguments and options, which the printed undo command needs."""
    result["given"] = click.get_current_context().params


def with_new(result: Any) -> None:
    """Add whether an entry was added, which the printed undo command can remove."""
    result["is_new"] = result["outcome"] == "added"


MORE: Final = Note("More: {next_cursor:again}", "next_cursor")
"""The command that gets the next page."""


def _render(view: View, row: Any) -> None:
    """Print a view, filled from a result or an entry of it."""
    from ashd.cli.output import fields, table, tree

    for part in view.parts if _applies(view.only, row) else ():
        if isinstance(part, Line):
            _line(part, row)
        elif isinstance(part, Fields):
            fields(_labelled(part.labels, row), part.indent)
        elif isinstance(part, Table):
            cells = [_titled(cell) for cell in part.row.split(_BETWEEN)]
            rows = [[filled(text, entry) for _, text in cells] for entry in _at(row, part.each)]
            if rows:
                table([column for column, _ in cells], rows, lines=part.lines)
        elif isinstance(part, Tree):
            tree(_value(row, part.of))
        elif isinstance(part, Each):
            for entry in _at(row, part.each):
                part.view(entry)
        else:
            part(row)


def _titled(cell: str) -> "tuple[Column, str]":
    """Return a column and the template of its cells."""
    from ashd.cli.output import Column

    title, _, text = cell.partition(" {")
    name = title.rstrip("~>?!")
    marks = title[len(name) :]
    column = Column(name, "~" in marks, ">" in marks, "?" in marks, "!" in marks)
    return column, f"{{{text}"


def _labelled(labels: str, row: Any) -> Iterator[tuple[str, str]]:
    """Yield labels with their texts."""
    for one in labels.split(_BETWEEN):
        label, _, text = one.partition(" {")
        name, _, path = label.partition("[")
        for entry in _at(row, path.removesuffix("]")) if path else [row]:
            yield name, filled(f"{{{text}", entry)


def filled(template: str, row: Any) -> str:
    """Return a template with the values of a result."""
    from string import Formatter

    from ashd.cli.formats import formatted

    return "".join(
        literal + ("" if path is None else formatted(_value(row, path), spec or ""))
        for literal, path, spec, _ in Formatter().parse(template)
    )


def _line(line: Line, row: Any) -> None:
    from ashd.cli.output import as_addressed, paint

    for entry in _at(row, line.each) if line.each else [row]:
        if not _applies(line.only, entry):
            continue
        verb = line.verb if isinstance(line.verb, str) else line.verb(entry)
        said = f"{paint(verb, line.colour, err=line.err)} " if verb else ""
        text = filled(line.text, entry)
        text = as_addressed(text) if line.err else text
        click.echo(said + (paint(text, bold=True) if line.bold else text), err=line.err)


def _applies(only: str, row: Any) -> bool:
    return not only or bool(_value(row, only.removeprefix("!"))) is not only.startswith("!")


def _at(row: Any, path: str) -> list[Any]:
    found = _value(row, path)
    if isinstance(found, dict):
        return [{"key": key, "value": value} for key, value in found.items()]
    return found if isinstance(found, list) else []


def _value(row: Any, paths: str) -> Any:
    """Return the value at a path, or at the first of several that has one: "speaker or role"."""
    value = None
    for path in paths.split(" or "):
        value = row
        for key in path.split(".") if path else ():
            if isinstance(value, list):
                value = [entry.get(key) for entry in value]
            else:
                value = value.get(key) if isinstance(value, dict) else None
        if value:
            break
    return value
