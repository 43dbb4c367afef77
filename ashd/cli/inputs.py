"""Parse values of the command line: texts, files, dates, durations.

A date without a zone is in this machine's zone. A value that cannot be read is a usage error.
"""

import datetime as dt
import json
import re
import sys
from collections.abc import Callable
from typing import Any, Final

import click

from ashd.cli.commands import option

_DURATION: Final = re.compile(r"(\d{1,15})([smhdw])")
_PORTS: Final = 65_536
_SIZE: Final = re.compile(r"(\d{1,15})([KMGT])")
_BYTES: Final = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SMALLEST: Final = 4_096  # the kernel takes a size of 0 as no limit
_RIGHTS: Final = ("read", "write", "forget")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def start_of_day(text: str) -> str:
    """Return a date or time as RFC 3339; for a date, its first moment."""
    return _moment(text, dt.time.min)


def end_of_day(text: str) -> str:
    """Return a date or time as RFC 3339; for a date, its last moment."""
    return _moment(text, dt.time.max)


def expiry(text: str) -> float | str:
    """Parse ``30`` (days), ``2w``, ``36h``, or the date or time until which something is valid.

    Returns days as a number, a date or time as RFC 3339.
    """
    try:
        return float(text)
    except ValueError:
        if _DURATION.fullmatch(text):
            return duration(text) / _SECONDS["d"]
        return end_of_day(text)


NEVER: Final = "never"


def expiry_or_never(text: str) -> float | str:
    """Parse an expiry as `expiry` does, or `NEVER`."""
    return NEVER if text == NEVER else expiry(text)


def _or_ago(read: Callable[[str], str]) -> Callable[[str], str]:
    """Return a reader of dates that takes ``7d`` for the moment seven days ago, too."""

    def moment(text: str) -> str:
        if not _DURATION.fullmatch(text):
            return read(text)
        try:
            ago = dt.timedelta(seconds=duration(text))
            return (dt.datetime.now(dt.UTC) - ago).isoformat()
        except OverflowError:
            raise click.BadParameter(f"{text!r} is before the first date.") from None

    return moment


def duration(text: str) -> int:
    """Parse a duration like ``90s``, ``15m``, ``8h``, ``7d``, ``2w``; returns seconds."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise click.BadParameter(f"{text!r} has no unit: write it like 90s, 15m, 8h, 7d or 2w.")
    return int(match[1]) * _SECONDS[match[2]]


def days(text: str) -> float:
    """Parse days, as ``90`` or ``90d``, or another duration like ``12h`` or ``2w``."""
    return float(text) if text.isdigit() else duration(text) / _SECONDS["d"]


def host_and_port(text: str) -> tuple[str, int]:
    """Parse ``HOST:PORT``; an IPv6 address is in brackets."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < _PORTS:
        raise click.BadParameter(f"{text!r} is not HOST:PORT, as api.example.com:443.")
    return host, int(port)


def size(text: str) -> int:
    """Parse a size like ``64M`` or ``4G``; returns bytes."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise click.BadParameter(f"{text!r} is no size like 512K, 64M or 4G.")
    return max(_SMALLEST, int(match[1]) * _BYTES[match[2]])


def rights(text: str) -> list[str]:
    """Parse rights separated by commas."""
    names = text.replace(" ", "").split(",")
    for name in names:
        if name not in _RIGHTS:
            raise click.BadParameter(f"{name!r} is no right: {', '.join(_RIGHTS)}.")
    return names


def quota(text: str) -> tuple[str, int]:
    """Parse ``NAME=N`` of a quota."""
    name, _, number = text.partition("=")
    if not number.isascii() or not number.isdigit():
        raise click.BadParameter(f"{text!r} is not NAME=N, as writes_per_minute=60.")
    return name, int(number)


def provider_and_id(text: str) -> tuple[str, str]:
    """Parse ``PROVIDER:ID`` of an account or a chat."""
    provider, _, identifier = text.partition(":")
    if not provider or not identifier:
        raise click.BadParameter(f"{text!r} is not PROVIDER:ID.")
    return provider, identifier


def since(text: str = "From this day on.") -> Callable[[Any], Any]:
    """Declare ``--since``, the first day, or the time since then, as ``36h``."""
    return option("--since", type=_or_ago(start_of_day), metavar="DATE|AGO", help=text)


def until(text: str = "Up to this day.") -> Callable[[Any], Any]:
    """Declare ``--until``, the last day, or the time since then."""
    return option("--until", type=_or_ago(end_of_day), metavar="DATE|AGO", help=text)


def words(name: str) -> Callable[[Any], Any]:
    """Join an argument of one or more words; ``-`` means standard input."""

    def join(_ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]) -> str:
        return read_text("-") if value == ("-",) else " ".join(value)

    return click.argument(name, nargs=-1, required=True, callback=join)


def expiry_params(expires: float | str | None) -> dict[str, Any]:
    """Return an `Expiry` as the params of a memory."""
    if expires is None:
        return {}
    return {"expires_at" if isinstance(expires, str) else "expires_in_days": expires}


def read_text(name: str) -> str:
    """Read a file, or standard input for ``-``, without its last line end."""
    from pathlib import Path

    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return raw.decode("utf-8-sig").rstrip("\r\n")
    except OSError as error:
        raise click.UsageError(f"{name} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{name} is no text in UTF-8.") from error


def read_json(name: str) -> Any:
    """Read a JSON document from a file, or standard input for ``-``; JSON lines become a list."""
    text = read_text(name)
    try:
        try:
            return json.loads(text)
        except ValueError as error:
            try:
                return [json.loads(line) for line in json_lines(text)]
            except ValueError:
                raise click.UsageError(f"{name} is no JSON: {error}.") from error
    except RecursionError:
        raise click.UsageError(f"{name} is nested too deep.") from None


def json_lines(text: str) -> list[str]:
    """Return the lines of JSON lines: unlike `str.splitlines`, a text in JSON may hold U+2028."""
    return [line for line in text.split("\n") if line.strip()]


def _moment(text: str, time: dt.time) -> str:
    try:
        at = dt.datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is no date like 2026-03-01 or 2026-03-01T18:00."
        ) from None
    if len(text) <= len("2026-03-01"):
        at = dt.datetime.combine(at, time)
    try:
        at = at.astimezone()
    except (ValueError, OverflowError):
        # The last day that can be written ("never") ends in no calendar of a zone west of UTC.
        at = at.replace(tzinfo=at.tzinfo or dt.UTC)
    return at.isoformat()
