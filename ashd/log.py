"""Structured logs on standard error: one line an event, stable keys, never content or tokens.

`noun_verb key=value …`; under journald with the priority that it reads from the line.
"""

import json
import os
import sys
from typing import Any, Final, Literal

Level = Literal["debug", "info", "warning", "error"]

_PRIORITY: Final[dict[Level, int]] = {"debug": 7, "info": 6, "warning": 4, "error": 3}
_under_journald: Final = "JOURNAL_STREAM" in os.environ
_threshold = _PRIORITY["info"]


def set_level(level: Level) -> None:
    """Leave out what is less than this."""
    global _threshold  # noqa: PLW0603  the log is one for the process, as standard error is
    _threshold = _PRIORITY[level]


def debug(event: str, **fields: Any) -> None:
    """Log a detail for debugging."""
    _write("debug", event, fields)


def info(event: str, **fields: Any) -> None:
    """Log a normal event of the daemon."""
    _write("info", event, fields)


def warning(event: str, **fields: Any) -> None:
    """Something does not work as it should, and the daemon goes on."""
    _write("warning", event, fields)


def error(event: str, **fields: Any) -> None:
    """Log a fault of the daemon."""
    _write("error", event, fields)


def place_of(fault: BaseException) -> str:
    """Return where a fault was raised, for the log: no text of it, which may hold content."""
    at = fault.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return f"{at.tb_frame.f_code.co_qualname}:{at.tb_lineno}" if at else "unknown"


def _write(level: Level, event: str, fields: dict[str, Any]) -> None:
    if _PRIORITY[level] > _threshold:
        return
    start = f"<{_PRIORITY[level]}>" if _under_journald else f"{level}: "
    text = "".join(f" {key}={_quoted(value)}" for key, value in fields.items())
    sys.stderr.write(f"{start}{event}{text}\n")
    sys.stderr.flush()


def _quoted(value: Any) -> str:
    """A value that can end neither its field nor its line, whatever it holds."""
    text = str(value)
    plain = text.isascii() and text.isprintable() and not {" ", '"', "="} & {*text}
    return text if plain and text else json.dumps(text)
