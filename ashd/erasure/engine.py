"""The engine of erasing: what is selected goes in slices, then its traces; a receipt is left.

Every kind of erasure is a selection that this module works off. An interrupted erasure is finished
by repeating the call. At its end no stored reply and no log holds a word of what was erased; after
an error or a crash before that end, the daemon removes the traces in the background.
"""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

import msgspec

from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.erasure import walk
from ashd.erasure.resumable import Resumable
from ashd.erasure.walk import Selection
from ashd.ids import OwnWord
from ashd.ops.backup import Backups
from ashd.ops.progress import Progress
from ashd.store import slices
from ashd.store.database import Database
from ashd.store.erasure import rows, traces
from ashd.store.erasure.register import REPLIES
from ashd.store.erasure.rows import Rows
from ashd.store.erasure.traces import TraceRemoval
from ashd.store.transaction import Tx


class CopyView(msgspec.Struct, frozen=True):
    """A backup or an export, which holds the data of the time when it was made."""

    path: OwnWord
    kind: OwnWord
    made_at: str


class Receipt(msgspec.Struct, frozen=True):
    """The rows erased, counted by table, and earlier backup files that still hold them.

    The daemon changes no backup: delete those files, or make a new backup so that old ones are
    pruned. With `bytes_at_server`, the rows are gone from every answer, but a PostgreSQL server
    keeps their bytes until it has vacuumed and written over them, and in its WAL, archives and
    replicas.
    """

    rows: dict[str, int]
    backups: list[CopyView]
    bytes_at_server: bool = False


class Erasing:
    """Erases rows for good."""

    def __init__(
        self, db: Database, backups: Backups, progress: Progress, removal: TraceRemoval
    ) -> None:
        self.db = db
        self.traces = removal
        self._backups = backups
        self._progress = progress

    @asynccontextmanager
    async def begun(self, call: Call, progress: Resumable) -> AsyncIterator[None]:
        """Record the call, and that traces will have to be removed, before any row is erased.

        They are removed in the background if the block fails.
        """

        def begin(tx: Tx) -> None:
            call.record(tx)
            traces.note_left(tx)
            progress.note(tx)

        await self.db.write(begin, quiet=True)
        with self.traces.later_on_failure():
            yield

    async def all_of(self, name: str, find: Callable[[Tx], Selection], progress: Resumable) -> None:
        """Erase what `find` finds until it finds nothing: others may write meanwhile."""
        while (selected := await self.db.read(find)).parts():
            await self.these(name, selected, progress)

    async def these(
        self,
        name: str,
        selected: Selection,
        progress: Resumable,
        *,
        remade: bool = True,
        stays: Callable[[Tx, Selection], bool] = lambda _tx, _part: False,
    ) -> None:
        """Erase the memories, messages and conversations of a selection, in slices.

        `stays` says of each of them whether it is not to be erased any more.
        """

        def erase(tx: Tx, part: Selection) -> Counter[str]:
            if stays(tx, part):
                return Counter()
            return walk.take(tx, part, erase=True, remade=remade)

        with self._progress.of(name) as show:
            await slices.run(
                self.db, selected.parts(), erase, show, scoped=True, note=progress.note
            )

    async def some(self, kind: Rows, progress: Resumable | None, limit: int, **params: int) -> None:
        """Erase rows of a table, so many at a time, until there are none; count them if asked."""
        part = partial(rows.take_some, kind=kind, params=params, limit=limit)
        gone = await slices.until_none(self.db, part)
        if progress is not None:
            await self.note(progress, Counter({kind.table: gone}))

    async def at_once(self, erase: Callable[[Tx], Counter[str]], progress: Resumable) -> None:
        """Erase rows in one transaction."""
        await self.db.write(lambda tx: progress.note(tx, erase(tx)))

    async def note(self, progress: Resumable, gone: Counter[str]) -> None:
        """Add counts to the progress."""
        await self.db.write(partial(progress.note, counted=gone), quiet=True)

    async def finish(self, progress: Resumable) -> None:
        """Empty the stored replies, the index of words and the log, once the rows are gone."""
        await self.note(progress, Counter({"replies": await self.traces.empty_replies()}))
        await self.traces.remove()

    async def receipt(self, counted: Counter[str]) -> Receipt:
        """Return the receipt for rows that were erased, or that would be, with tables in order."""
        unfinished = self._backups.unfinished  # before the list, which has it once it is finished
        listed = await self.db.read(self._backups.listed)
        copies = {copy.path: copy for copy in (*unfinished, *listed)}.values()
        return Receipt(
            {table: count for table, count in sorted(counted.items()) if count},
            [CopyView(copy.path, copy.kind, to_text(copy.made_at) or "") for copy in copies],
            bytes_at_server=self.db.file is None,
        )


def found(tx: Tx, selected: Selection) -> Counter[str]:
    """Count the rows that erasing would remove or empty."""
    return walk.take(tx, selected, erase=False) + rows.take(tx, [REPLIES], {}, erase=False)
