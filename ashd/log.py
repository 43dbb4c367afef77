"""Structured logs on standard error: one line an event, stable keys, never content or tokens.

As text `time level: noun_verb key=value …`; for the journal, which adds the time, with the priority
that it reads from the start of the line; as JSON one object per line: `time`, `level`, `event` and
the keys. A line that cannot be written is lost: the log breaks no call.
"""

import contextlib
import datetime as dt
import json
import os
import sys
from pathlib import Path
from typing import Any, Final, Literal

from ashd import standard_error

Level = Literal["debug", "info", "warning", "error"]
Format = Literal["auto", "text", "json"]

_PRIORITY: Final[dict[Level, int]] = {"debug": 7, "info": 6, "warning": 4, "error": 3}
_threshold = _PRIORITY["info"]
_format: Format = "auto"


def configure(level: Level, format_: Format = "auto") -> None:
    """Set the lowest level to log, and the format ("auto": the journal's, else text)."""
    global _threshold, _format  # noqa: PLW0603  the log is one for the process, as standard error is
    _threshold = _PRIORITY[level]
    _format = format_


def never_block() -> None:
    """Let a thread write standard error for the rest of the process: for one that serves others."""
    standard_error.install(lambda count: _line("warning", "log_lines_dropped", {"count": count}))


def debug(event: str, **fields: Any) -> None:
    """Log a detail for debugging."""
    write("debug", event, **fields)


def info(event: str, **fields: Any) -> None:
    """Log a normal event of the daemon."""
    write("info", event, **fields)


def warning(event: str, **fields: Any) -> None:
    """Log that something does not work as it should, and that the daemon goes on."""
    write("warning", event, **fields)


def error(event: str, **fields: Any) -> None:
    """Log a fault of the daemon."""
    write("error", event, **fields)


def place_of(fault: BaseException) -> str:
    """Return where a fault was raised, for the log, without its text, which may hold content."""
    at = fault.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}" if at else "unknown"


def write(level: Level, event: str, /, **fields: Any) -> None:
    """Log an event at that level."""
    if _PRIORITY[level] > _threshold:
        return
    with contextlib.suppress(OSError, ValueError, AttributeError):  # full, closed, or not there
        sys.stderr.write(_line(level, event, fields))
        sys.stderr.flush()


def _line(level: Level, event: str, fields: dict[str, Any]) -> str:
    form = _as_json if _format == "json" else _as_text
    return f"{form(level, event, fields)}\n"


def _as_json(level: Level, event: str, fields: dict[str, Any]) -> str:
    return json.dumps({"time": _now(), "level": level, "event": event, **fields}, default=str)


def _as_text(level: Level, event: str, fields: dict[str, Any]) -> str:
    if not _is_journal():
        start = f"{_now()} {level}: "
    else:
        start = f"<{_PRIORITY[level]}>" if _format == "auto" else f"{level}: "
    return f"{start}{event}" + "".join(f" {key}={_quoted(value)}" for key, value in fields.items())


def _now() -> str:
    now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
    return now.replace("+00:00", "Z")


def _is_journal() -> bool:
    """Return whether standard error is the journal's: a child may inherit only the variable.

    The variable holds the device and the inode of the journal's stream.
    """
    named = os.environ.get("JOURNAL_STREAM")
    if not named:
        return False
    try:
        stream = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{stream.st_dev}:{stream.st_ino}"


def _quoted(value: Any) -> str:
    """Return a value that can end neither its field nor its line."""
    text = str(value)
    plain = text.isascii() and text.isprintable() and not {" ", '"', "="} & {*text}
    return text if plain and text else json.dumps(text)
