"""Output of `ash` for a person: tables, labelled lines, times, errors.

Results of the daemon were written by others and are never trusted: every value passes `shown` or
`block` here before it reaches the terminal, so no escape sequence in a memory can move a cursor.
Colour is added after that, on a terminal only.
"""

import datetime as dt
import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import click
from click.core import ParameterSource

from ashd.cli import TYPED
from ashd_client.protocol import AshCallError

_ADDRESSES: Final = {
    "socket": "--socket",
    "home": "--home",
    "all_scopes": "--all-scopes",
    "account": "--as",
    "chat": "--chat",
    "chat_type": "--chat-type",
}
"""The options of `ash` that say on whose behalf, and to which daemon, a command speaks."""
_COMMAND: Final = re.compile(r"(?:^\s*|`|[.:;] )ash (?=[a-z]|--project \S+ [a-z])", re.MULTILINE)
"""The beginning of a command in our own text, in which a memory may tell of an ash tree."""
_CELL: Final = 40
_GAP: Final = 2
_LEAST: Final = 20
_NARROW: Final = 10
"""The least width of a cell on a narrow terminal; its text wraps."""
_NARROW_LINES: Final = 3
_AGES: Final = (
    (86_400 * 365, "year"),
    (86_400 * 30, "month"),
    (86_400, "day"),
    (3_600, "hour"),
    (60, "minute"),
)


def json_document(value: Mapping[str, Any], *, err: bool = False) -> None:
    """Print a JSON document: compact for a program, indented and pure ASCII on a terminal.

    It is pure ASCII for a program with an encoding that lacks characters, too.
    """
    stream = sys.stderr if err else sys.stdout
    terminal = stream.isatty()
    is_ascii = terminal or not (stream.encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(value, ensure_ascii=is_ascii, indent=2 if terminal else None)
    click.echo(text, err=err)


def error(problem: AshCallError) -> None:
    """Print an error: the problem in one line, any candidates, and the remedy in one line."""
    click.echo(f"{paint('ash:', 'red', err=True)} {shown(problem.message)}", err=True)
    candidates = problem.data.get("candidates")
    for candidate in candidates if isinstance(candidates, list) else []:
        click.echo(f"  {_candidate(candidate)}", err=True)
    if problem.hint:
        click.echo(as_addressed(shown(problem.hint)), err=True)


def _candidate(candidate: Any) -> str:
    """Format a candidate: the id, then the name, then its other fields."""
    if not isinstance(candidate, dict):
        return shown(candidate)
    first = [shown(candidate.get(key)) for key in ("id", "name")]
    rest = [shown(value) for key, value in candidate.items() if key not in {"id", "name"} and value]
    return "  ".join(part for part in (*first, *rest) if part)


def remarks(result: Mapping[str, Any]) -> None:
    """Print the daemon's notes about a result on standard error."""
    degraded = result.get("degraded")
    if degraded and isinstance(degraded, list):
        click.echo(f"Not available now: {shown(degraded)}. Less may be found.", err=True)
    notices = result.get("notices")
    for notice in notices if isinstance(notices, list) else []:
        said = notice.get("message") if isinstance(notice, dict) else None
        click.echo(as_addressed(shown(said or notice)), err=True)


def note(text: str) -> None:
    """Print a remark of `ash` itself on standard error; its commands are ready to be pasted."""
    click.echo(as_addressed(text), err=True)


def as_addressed(text: str) -> str:
    """Return our own text with the typed `--as`, `--chat` and the like in its `ash` commands.

    Without them a command would look for a memory of another account, or ask another daemon.
    """
    context = click.get_current_context(silent=True)
    root = context.find_root() if context else None
    if root is None or TYPED not in root.meta:
        return text
    words: list[str] = []
    for name, flag in _ADDRESSES.items():
        value = root.params.get(name)
        if value and root.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            words += [flag] if value is True else [flag, str(value)]
    if not words:
        return text
    import shlex

    return _COMMAND.sub(lambda found: f"{found[0]}{shown(shlex.join(words))} ", text)


def again(cursor: Any) -> str:
    """Return the command that gets the next page: the command line as typed, with the cursor."""
    typed = click.get_current_context(silent=True)
    words = list(typed.find_root().meta.get(TYPED, ())) if typed else []
    kept = [
        word
        for before, word in zip([None, *words], words, strict=False)
        if before != "--cursor" and word.partition("=")[0] != "--cursor"
    ]
    import shlex

    return shown(shlex.join([*(["ash", *kept] if typed else []), "--cursor", shown(cursor)]))


def paint(text: str, colour: str | None = None, *, bold: bool = False, err: bool = False) -> str:
    """Return our own text in colour, on a terminal that has colour if NO_COLOR is not set."""
    stream = sys.stderr if err else sys.stdout
    if os.environ.get("NO_COLOR") or not stream.isatty():
        return text
    return click.style(text, fg=colour, bold=bold or None)


def shown(value: Any) -> str:
    """Return any value as one harmless line."""
    from ashd.access.text_cleaning import one_line

    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return ", ".join(shown(entry) for entry in value)
    if isinstance(value, dict):
        return ", ".join(f"{shown(key)}={shown(entry)}" for key, entry in value.items())
    return one_line(str(value))


def block(text: str) -> str:
    """Return a text of several lines, made harmless, with its lines kept."""
    from ashd.access.text_cleaning import clean

    return clean(text)


def when(text: Any, now: dt.datetime | None = None) -> str:
    """Format a time of the wire as local time and distance: ``2026-02-09 11:00 (2 days ago)``."""
    local = _local(text)
    if local is None:
        return shown(text)
    return f"{local:%Y-%m-%d %H:%M} ({_distance(local, now or dt.datetime.now(dt.UTC))})"


def day(text: Any) -> str:
    """Format a time of the wire as a local day and minute, for a narrow column."""
    local = _local(text)
    return shown(text) if local is None else f"{local:%Y-%m-%d %H:%M}"


class Column(NamedTuple):
    """A column of a table; one that `flexes` gets the width that the others leave.

    On a narrow terminal a `spare` column is left out; a `whole` one (an id) is never cut.
    """

    title: str
    flexes: bool = False
    right: bool = False
    spare: bool = False
    whole: bool = False


def table(columns: Sequence[Column], rows: Iterable[Sequence[Any]], *, lines: int = 1) -> None:
    """Print an aligned table that fits the terminal; a flexing cell takes up to `lines` lines."""
    cells = [
        [
            shown(value) if column.flexes else _cut(shown(value), _CELL)
            for column, value in zip(columns, row, strict=True)
        ]
        for row in rows
    ]
    natural = _natural(columns, cells)
    available = _terminal_width()
    kept = _kept(columns, natural, available)
    columns = [columns[index] for index in kept]
    cells = [[row[index] for index in kept] for row in cells]
    natural = [natural[index] for index in kept]
    widths = _widths(columns, natural, available)
    allowed = [
        lines if column.flexes or width == own else _NARROW_LINES
        for column, width, own in zip(columns, widths, natural, strict=True)
    ]
    titles = [_pad(c.title, w, right=c.right) for c, w in zip(columns, widths, strict=True)]
    click.echo(paint((" " * _GAP).join(titles).rstrip(), bold=True))
    for row in cells:
        wrapped = [_wrap(*cell) for cell in zip(row, widths, allowed, strict=True)]
        for index in range(max(len(parts) for parts in wrapped)):
            line = [
                _pad(parts[index] if index < len(parts) else "", width, right=column.right)
                for column, parts, width in zip(columns, wrapped, widths, strict=True)
            ]
            click.echo((" " * _GAP).join(line).rstrip())


def fields(values: Iterable[tuple[str, Any]], indent: str = "") -> None:
    """Print labelled lines; empty values are left out."""
    present = [(label, shown(value)) for label, value in values]
    present = [(label, text) for label, text in present if text]
    width = max((len(label) for label, _ in present), default=0)
    for label, text in present:
        click.echo(f"{indent}{paint(label.ljust(width), bold=True)}  {text}")


def tree(values: Mapping[str, Any], indent: str = "") -> None:
    """Print a nested result as labelled lines: simple values, then each part under its name."""
    fields(
        (
            (shown(key), when(value) if value and key.endswith("_at") else value)
            for key, value in values.items()
            if not _has_parts(value)
        ),
        indent,
    )
    for key, value in values.items():
        if not _has_parts(value):
            continue
        click.echo(f"{indent}{paint(shown(key), bold=True)}")
        if isinstance(value, dict):
            tree(value, indent + "  ")
        for entry in value if isinstance(value, list) else ():
            if isinstance(entry, dict):
                tree(entry, indent + "  ")
            else:
                click.echo(f"{indent}  {shown(entry)}")


def _has_parts(value: Any) -> bool:
    """Return whether a value takes lines of its own: an object, or a list of objects."""
    if isinstance(value, dict):
        return bool(value)
    return isinstance(value, list) and any(isinstance(entry, dict) for entry in value)


def _local(text: Any) -> dt.datetime | None:
    try:
        return dt.datetime.fromisoformat(str(text)).astimezone()
    except (ValueError, OverflowError):
        return None


def _distance(at: dt.datetime, now: dt.datetime) -> str:
    seconds = (now - at).total_seconds()
    for size, name in _AGES:
        count = int(abs(seconds) // size)
        if count:
            unit = name if count == 1 else name + "s"
            return f"{count} {unit} ago" if seconds > 0 else f"in {count} {unit}"
    return "just now" if seconds >= 0 else "in a moment"


def _terminal_width() -> int:
    """Return the columns of the terminal; 0 for a pipe, so that nothing is cut."""
    # Like `shutil.get_terminal_size`; `shutil` would import the modules of three archive formats.
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and int(named):
        return int(named)
    try:
        return os.get_terminal_size(1).columns
    except OSError:
        return 0


def _natural(columns: Sequence[Column], cells: list[list[str]]) -> list[int]:
    """Return the width of each column where all of them fit."""
    return [
        max([len(column.title), *(_width(row[index]) for row in cells)])
        for index, column in enumerate(columns)
    ]


def _excess(widths: Sequence[int], available: int) -> int:
    return sum(widths) + _GAP * (len(widths) - 1) - available if available else 0


def _kept(columns: Sequence[Column], natural: Sequence[int], available: int) -> list[int]:
    """Return the columns to show: spare ones only as far as they fit, left to right."""
    least = [min(w, _LEAST) if c.flexes else w for c, w in zip(columns, natural, strict=True)]
    kept = list(range(len(columns)))
    for index in reversed(kept.copy()):
        if columns[index].spare and _excess([least[i] for i in kept], available) > 0:
            kept.remove(index)
    return kept


def _widths(columns: Sequence[Column], natural: Sequence[int], available: int) -> list[int]:
    """Return widths that fit: first columns that flex shrink, then all that may be cut."""
    widths = list(natural)
    excess = _excess(widths, available)
    flexing = [index for index, column in enumerate(columns) if column.flexes]
    others = [index for index, column in enumerate(columns) if not column.whole]
    for givers, least in ((flexing, _LEAST), (others, _NARROW)):
        for index in sorted(givers, key=lambda i: -widths[i]):
            taken = min(max(0, excess), max(0, widths[index] - least))
            widths[index] -= taken
            excess -= taken
    return widths


def _wrap(text: str, width: int, lines: int) -> list[str]:
    if _width(text) <= width:
        return [text]
    if lines == 1 or len(text) != _width(text):  # words of wide characters are cut, not wrapped
        return [_cut(text, width)]
    import textwrap

    return textwrap.wrap(text, width, max_lines=lines, placeholder=" …") or [""]


def _cut(text: str, width: int) -> str:
    if _width(text) <= width:
        return text
    used, kept = 0, []
    for character in text:
        used += _width(character)
        if used > width - 1:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _pad(text: str, width: int, *, right: bool) -> str:
    space = " " * max(0, width - _width(text))
    return space + text if right else text + space


def _width(text: str) -> int:
    """Return the width of a text in terminal cells: a combining mark has 0, a wide character 2."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
