"""`db.export`: everything that is stored, or what one scope may see of it, as lines of JSON.

Read from one snapshot, so that the file shows one moment; no other call waits for it.
"""

import datetime as dt
import typing
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import anyio.from_thread
import anyio.to_thread
import msgspec

from ashd import limits
from ashd.access.actor import Call
from ashd.clock import FOREVER, Clock, from_micros, to_text
from ashd.ids import OwnWord
from ashd.ops import files
from ashd.ops.backup import Backups, FilePath, noted, require_absolute
from ashd.ops.progress import Progress
from ashd.ops.transfer import encrypted_file, records
from ashd.ops.transfer.disclosed import Disclosed
from ashd.ops.transfer.record_types import VERSION, End, Record, Start, kind_of
from ashd.store import copies, transfer, transfer_kinds
from ashd.store.copies import Copy
from ashd.store.database import Database
from ashd.store.transaction import Tx

_LOOK_EVERY: Final = 200
"""Number of records between two checks whether to stop."""


Recipient = Annotated[str, msgspec.Meta(max_length=limits.RECIPIENT_CHARS)]


class ExportParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The new file; if the call has a scope, only what that scope sees is written."""

    path: FilePath
    recipient: Recipient | None = None
    """The public key for which the file is encrypted; without it the file is plain."""


class ExportResult(msgspec.Struct, frozen=True):
    """The number of records written, in all and by kind."""

    path: OwnWord
    rows: int
    kinds: dict[str, int]
    encrypted: bool


class Exports:
    """Writes exports."""

    def __init__(self, db: Database, clock: Clock, progress: Progress, backups: Backups) -> None:
        self._db = db
        self._clock = clock
        self._progress = progress
        self._backups = backups

    async def export(self, call: Call, params: ExportParams) -> ExportResult:
        """Write everything to a new file as lines of JSON, or what the given scope may see.

        Raises:
            errors.InvalidParams: it cannot be written there.
            errors.StorageError: the disk failed.
        """
        path, made_at = Path(params.path), self._clock.now()
        require_absolute(path)
        copy = Copy(str(path), "export", made_at)
        with self._backups.making(copy):
            with self._progress.of("export") as show:
                kinds = await anyio.to_thread.run_sync(self._write, call, params, show)
            await noted(self._db, lambda tx: _note(tx, call, copy))
        is_encrypted = params.recipient is not None
        return ExportResult(str(path), sum(kinds.values()), kinds, is_encrypted)

    def _write(
        self, call: Call, params: ExportParams, show: Callable[[int, int], None]
    ) -> dict[str, int]:
        kinds: dict[str, int] = {}
        with (
            files.new_output(Path(params.path)) as file,
            self._db.snapshot() as tx,
        ):
            disclosed = Disclosed(tx, call.look(tx)) if _is_limited(call) else None
            total = transfer.count(tx)

            def records() -> Iterator[bytes]:
                for line, kind in _records(tx, disclosed):
                    yield line
                    kinds[kind] = kinds.get(kind, 0) + 1
                    if sum(kinds.values()) % _LOOK_EVERY == 0:
                        anyio.from_thread.check_cancelled()
                        show(sum(kinds.values()), total)

            encrypted_file.write(file, whole(records(), tx.now), params.recipient)
        return kinds


def _is_limited(call: Call) -> bool:
    return call.is_scoped or (call.scope.told_in is not None and not call.all_scopes)


def _note(tx: Tx, call: Call, copy: Copy) -> None:
    copies.note(tx, copy)
    call.record(tx)


def whole(records: Iterable[bytes], now: int) -> Iterator[bytes]:
    """Yield the first line of an export, its records' lines, and the last line."""
    yield _line(Start(version=VERSION, exported_at=from_micros(now)))
    count = 0
    for count, line in enumerate(records, start=1):  # noqa: B007  counted for the last line
        yield line
    yield _line(End(records=count))


def _line(record: Record) -> bytes:
    return msgspec.json.encode(record) + b"\n"


def _records(tx: Tx, disclosed: Disclosed | None) -> Iterator[tuple[bytes, str]]:
    """Yield every record as a line, with its kind."""
    for record in records.IN_ORDER:
        kind = kind_of(record)
        encode = encoder(record)
        for row in transfer.each(tx, kind) if disclosed is None else disclosed.each(kind):
            yield encode(row), kind


def encoder(record: type[Record]) -> Callable[[dict[str, Any]], bytes]:
    """Return a function that turns the columns of a kind of record into its line."""
    kind = kind_of(record)
    as_wire = _converter(record)
    return lambda row: msgspec.json.encode({"kind": kind} | as_wire(row)) + b"\n"


def _converter(record: type[Record]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a function that turns columns into a record's fields: times, booleans, stored JSON."""
    by_field: dict[str, Callable[[Any], Any]] = {}
    hints = typing.get_type_hints(record)
    for name, hint in hints.items():
        parts = set(_parts(hint))
        if dt.datetime in parts:
            by_field[name] = _time
        elif bool in parts:
            by_field[name] = bool
        elif parts - {str, int, float, type(None)} or name in transfer_refs(record):
            by_field[name] = _raw
    return lambda row: {
        name: by_field[name](value) if name in by_field and value is not None else value
        for name, value in row.items()
    }


def transfer_refs(record: type[Record]) -> set[str]:
    """Return the fields of a record whose column holds JSON though their type is a text."""
    kind = transfer_kinds.KINDS[kind_of(record)]
    quoted = {field for field, sql in kind.looked_up.items() if sql.startswith("json_quote")}
    return {*kind.refs, *quoted}


def _parts(hint: Any) -> Iterator[Any]:
    """Return the plain types in a type."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Annotated:
        yield from _parts(arguments[0])
    elif typing.get_origin(hint) in {list, dict, tuple}:
        yield list
    elif typing.get_origin(hint) is typing.Literal:
        yield str
    elif arguments:
        for argument in arguments:
            yield from _parts(argument)
    else:
        yield hint


def _time(at: int) -> str | None:
    return None if at >= FOREVER else to_text(at)


def _raw(text: str) -> msgspec.Raw:
    return msgspec.Raw(text.encode())
