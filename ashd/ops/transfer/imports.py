"""`db.import`: add an export of `ash`, or another memory system's file, to the database.

It works in slices, so that other calls get their turn; after an interruption what was stored stays,
and the same import continues: what exists already counts as a duplicate.
"""

import itertools
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final
from weakref import WeakValueDictionary

import anyio
import anyio.from_thread
import anyio.to_thread
import msgspec

from ashd import errors, limits
from ashd.access import scope as scopes
from ashd.access.actor import Call
from ashd.access.scope import Project
from ashd.clock import Clock
from ashd.ops import database_copy, files
from ashd.ops.backup import FilePath, require_absolute
from ashd.ops.progress import Progress
from ashd.ops.transfer import encrypted_file, lines
from ashd.ops.transfer.checking import Checked, check
from ashd.ops.transfer.encrypted_file import Content
from ashd.ops.transfer.foreign import ForeignImports, Work
from ashd.ops.transfer.recognise import OF_FOLDERS, Format, format_of
from ashd.ops.transfer.record_types import VERSION, End, Start
from ashd.ops.transfer.storing import Storing
from ashd.ops.transfer.tally import Refused, Tally
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import verified_copy
from ashd.store.database import Database
from ashd.store.transaction import Tx

_BATCH: Final = 200

ImportId = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.UUID_CHARS)]


class ImportParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file or folder, and its format if that is not to be recognised.

    A dry run only reports what would be stored.
    """

    path: FilePath
    format: Format | None = None
    key_file: FilePath | None = None
    """The file with the key of an encrypted export."""
    dry_run: bool = False
    skip_extraction: bool = False
    project: Project | None = None
    """The project in which agents' files are told, if the scope names none; other files are not."""
    import_id: ImportId | None = None
    """A name of this import, which the caller makes up, for `db.stop_import`."""


class StopParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file or folder whose imports are to end; with an `import_id` that import alone."""

    path: FilePath
    import_id: ImportId | None = None


class StopResult(msgspec.Struct, frozen=True):
    """The number of imports that end."""

    stopping: int


class RecordError(msgspec.Struct, frozen=True):
    """The reason why a record was refused; never its content."""

    kind: str
    message: str
    hint: str


class RefusedRecord(msgspec.Struct, frozen=True):
    """A record that was refused, by its line in the file, 0 if it is about the whole file."""

    line: int
    error: RecordError
    file: str | None
    """The file in the imported folder; null if a file was imported."""


class LeftOutRecords(msgspec.Struct, frozen=True):
    """The number of parts of a file that were left out for one reason."""

    reason: str
    count: int


class ImportResult(msgspec.Struct, frozen=True):
    """The outcome of the records; if very many were refused, only the first are listed.

    `archived` are memories whose passages went from the notes that they were imported from.
    `to_be_read` counts the parts of conversations that the language model reads in the background.
    """

    format: Format

    imported: int
    duplicates: int
    refused: list[RefusedRecord]
    refused_count: int
    archived: int
    to_be_read: int
    left_out: list[LeftOutRecords]
    stopped: bool
    """Whether `db.stop_import` ended the import; the same call continues it."""


@dataclass(slots=True)
class _Running:
    """An import that works, or waits for another one of the same file or folder."""

    path: Path
    import_id: str | None
    waiting: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    is_stopped: bool = False

    def stop(self) -> None:
        """End the import after its current slice, or its waiting."""
        self.is_stopped = True
        self.waiting.cancel()


class Imports:
    """Imports files."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        embeddings: CurrentEmbedder,
        foreign: ForeignImports,
        progress: Progress,
    ) -> None:
        self._db = db
        self._foreign = foreign
        self._clock = clock
        self._embeddings = embeddings
        self._progress = progress
        self._running: list[_Running] = []
        self._turns: WeakValueDictionary[Path, anyio.Lock] = WeakValueDictionary()
        """One import of a file or folder at a time: two would each archive for the other."""

    async def stop(self, params: StopParams) -> StopResult:
        """End the imports of a file or folder after their current slice; stored records stay."""
        meant = [
            one
            for one in self._running
            if one.path == Path(params.path) and params.import_id in {None, one.import_id}
        ]
        for one in meant:
            one.stop()
        return StopResult(len(meant))

    async def import_(self, call: Call, params: ImportParams) -> ImportResult:
        """Store the contents of a file; entries that exist already stay unchanged.

        Raises:
            errors.InvalidParams: the file cannot be read, or is of another format.
            errors.StorageError: the disk failed; what was stored until then stays.
        """
        path = Path(params.path)
        require_absolute(path)
        recognised = await anyio.to_thread.run_sync(format_of, path, params.format)
        with self._stoppable(_Running(path, params.import_id)) as running:
            async with self._turn(running) as has_turn:
                tally = Tally()
                if has_turn:
                    tally = await self._import(call, params, recognised, running)
        return _result(tally, recognised, is_stopped=running.is_stopped)

    async def _import(
        self, call: Call, params: ImportParams, written_by: Format, running: _Running
    ) -> Tally:
        path = running.path
        with self._progress.of("import") as show:
            if written_by == "agent-files":
                call = _in_project(call, params.project)
            if written_by != "ash":
                await anyio.to_thread.run_sync(_require_readable, path, written_by in OF_FOLDERS)
                work = Work(
                    *(call, path, written_by, params.dry_run, params.skip_extraction, show),
                    lambda: running.is_stopped,
                )
                return await self._foreign.run(work)
            content = await anyio.to_thread.run_sync(_open, path, params.key_file)
            with content.file:
                if params.dry_run:
                    return await anyio.to_thread.run_sync(self._try, content, show)
                return await self._store(call, running, content, show)

    @asynccontextmanager
    async def _turn(self, running: _Running) -> AsyncIterator[bool]:
        """Wait for the other imports of the same path; yield False if stopped meanwhile."""
        turn = self._turns.setdefault(running.path, anyio.Lock())
        with running.waiting, self._progress.of("waiting import"):
            await turn.acquire()
        if running.waiting.cancelled_caught:
            yield False
            return
        try:
            yield True
        finally:
            turn.release()

    @contextmanager
    def _stoppable(self, running: _Running) -> Iterator[_Running]:
        """Let `stop` find an import while it waits or runs."""
        self._running.append(running)
        try:
            yield running
        finally:
            self._running.remove(running)

    async def _store(
        self, call: Call, running: _Running, content: Content, show: verified_copy.Progress
    ) -> Storing:
        storing = Storing()
        try:
            entries = _entries(content, show)
            while batch := await anyio.to_thread.run_sync(_next, entries):
                position = 0
                while position < len(batch) and not running.is_stopped:
                    put = partial(storing.put_some, batch=batch, start=position)
                    position = await self._db.write(put)
                self._embeddings.wake()
                if running.is_stopped:
                    break
        finally:
            await self._db.write(call.record, quiet=True)
        return storing

    def _try(self, content: Content, show: verified_copy.Progress) -> Storing:
        """Store everything in a copy of the database, which is deleted afterwards."""
        storing = Storing()
        with files.part_of(files.dry_run_copy(self._db.path)) as part:
            database_copy.make(self._db, part, self._clock, show)
            with verified_copy.scratch(part, self._clock) as tx:
                entries = _entries(content, show)
                while batch := _next(entries):
                    anyio.from_thread.check_cancelled()
                    _put_all(storing, tx, batch)
        return storing


def _in_project(call: Call, project: Project | None) -> Call:
    """Return the call as one of a project, unless its scope names another, or none."""
    scopes.check_project(project)
    if project is None or call.scope.project is not msgspec.UNSET:
        return call
    return replace(call, scope=msgspec.structs.replace(call.scope, project=project))


def _put_all(storing: Storing, tx: Tx, batch: list[Checked | Refused]) -> None:
    for entry in batch:
        storing.put(tx, entry)


def _open(path: Path, key_file: str | None = None) -> Content:
    try:
        if path.exists() and not path.is_file():  # opening a pipe or a device may block for ever
            raise errors.InvalidParams(f"{path} is no file.", "Name a file.")
        if encrypted_file.is_one(path):
            return encrypted_file.decrypted(path, key_file)
        return Content(path.open("rb"), path.stat().st_size)
    except OSError as error:
        raise errors.InvalidParams(
            f"The daemon cannot read {path} ({error.strerror}).",
            "Name a file that the daemon's user may read.",
        ) from error


def _require_readable(path: Path, may_be_folder: bool) -> None:
    if not (may_be_folder and path.is_dir()):
        _open(path).file.close()


def _next(entries: Iterator[Checked | Refused]) -> list[Checked | Refused]:
    return list(itertools.islice(entries, _BATCH))


def _entries(content: Content, show: verified_copy.Progress) -> Iterator[Checked | Refused]:
    """Yield the records of an export between its first line and its last.

    Raises:
        errors.InvalidParams: the file is no export, or one of a newer version.
    """
    found = lines.read(content.file)
    _require_start(next(found, None))
    ended, last = False, 1
    for line in found:
        last = line.number
        entry = check(line)
        show(content.file.tell(), content.size)
        if isinstance(entry, Checked) and isinstance(entry.record, End):
            ended = True
        elif isinstance(entry, Checked) and isinstance(entry.record, Start):
            yield Refused(last, errors.InvalidParams("A second export begins here.", _ONE_EACH))
        else:
            yield entry
    if not ended:
        cut = errors.InvalidParams("The file ends before the export does.", "Export it again.")
        yield Refused(last, cut)


_ONE_EACH: Final = "Import each export by itself."


def _require_start(line: lines.Line | None) -> None:
    entry = check(line) if line is not None else None
    if not isinstance(entry, Checked) or not isinstance(entry.record, Start):
        raise errors.InvalidParams(
            "The file does not begin as an export of ash does.", "Name its format."
        )
    if entry.record.version > VERSION:
        raise errors.InvalidParams(
            f"The export has version {entry.record.version}; this ashd knows {VERSION}.",
            "Install the newer ashd and import it there.",
        )


def _result(tally: Tally, written_by: Format, *, is_stopped: bool) -> ImportResult:
    return ImportResult(
        format=written_by,
        imported=tally.imported,
        duplicates=tally.duplicates,
        refused=[
            RefusedRecord(
                one.line,
                RecordError(one.error.kind, one.error.message, one.error.hint),
                one.file or None,
            )
            for one in tally.refused
        ],
        refused_count=tally.refused_count,
        archived=tally.archived,
        to_be_read=tally.to_be_read,
        left_out=[LeftOutRecords(*one) for one in tally.left_out.most_common()],
        stopped=is_stopped,
    )
