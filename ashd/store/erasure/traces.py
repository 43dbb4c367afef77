"""Traces of erased rows: words in the nodes of the full-text index, in pages, in the log.

SQLite overwrites what it deletes, with three exceptions that `remove` deals with:

- Each leaf of the full-text index is found by a word that separates it from the leaf before. It
stays when no text has that word any more, until the segment is rewritten.

- When a page is split, the cells that move to another page leave a copy in the gap of the first.

- The write-ahead log keeps every page as it was.

All is done in parts, so that nobody waits for it: at the end of each erasure, or later if something
failed.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

import anyio

from ashd import errors, log
from ashd.store import page_gaps, slices, still_file
from ashd.store.database import WRAPPER, Database
from ashd.store.erasure.register import REPLIES
from ashd.store.erasure.rows import take_some
from ashd.store.transaction import Tx

TOPIC: Final = "erasures"
_WORDS_A_READ: Final = 500
_PAGES_A_WRITE: Final = 32
_PAUSE_SECONDS: Final = 0.005
_REPLIES_A_TIME: Final = 100
_EXTRA_ROW: Final = -1
"""A temporary row of the index: a single segment is rewritten only together with another."""


class TraceRemoval:
    """Removes the traces of erasures, one erasure after another. The daemon has one instance."""

    def __init__(self, db: Database, caches: Sequence[Callable[[], None]], left: int) -> None:
        """`caches` are functions, each of which empties a cache of texts; `left` is of a crash."""
        self._db = db
        self._caches = caches
        self._one_at_a_time = anyio.Lock()
        self._left = left
        """Erasures that ended, whose traces are not removed yet."""
        self._is_left = anyio.Event()

    @contextmanager
    def later_on_failure(self) -> Iterator[None]:
        """Remove the traces of an erasure that has begun in the background, if the block fails."""
        try:
            yield
        except BaseException:
            self._left += 1
            self._is_left.set()
            raise

    async def empty_replies(self) -> int:
        """Erase the text of all stored replies, in parts; return how many there were."""
        part = partial(take_some, kind=REPLIES, params={}, limit=_REPLIES_A_TIME)
        return await slices.until_none(self._db, part)

    async def remove(self, erasures: int = 1) -> None:
        """Remove every word of erased rows from memory, the index of words, pages and the log.

        Raises:
            errors.StorageError: words may be left. The log has the cause.
        """
        token = WRAPPER.set(None)  # a call that is repeated meanwhile ends no removal
        try:
            async with self._one_at_a_time:
                await remove(self._db)
            # Only now does no reader see the rows any more, who could fill a cache with them again.
            for empty in self._caches:
                empty()
            await self._db.write(partial(note_removed, erasures=erasures), quiet=True)
        except Exception as error:
            log.error("traces_left", error=type(error).__name__, at=log.place_of(error))
            raise errors.StorageError(
                "The rows are erased, but words of them may still be in the database's files.",
                "Repeat the call with its idempotency_key for the receipt. The daemon goes on"
                " removing the words by itself; its log says what failed (traces_left).",
            ) from error
        finally:
            WRAPPER.reset(token)

    async def run(self) -> None:
        """Remove traces that a crash left, and from now on the traces of erasures that fail."""
        while True:
            if left := self._left:
                await self.empty_replies()
                await self.remove(left)
                self._left -= left
            else:
                self._is_left = anyio.Event()
                await self._is_left.wait()


async def remove(db: Database) -> None:
    """Remove every word of erased rows from all files of the database.

    Raises:
        errors.StorageError: the disk failed, or the log is being read all the time.
    """
    if db.file is None:
        return
    if await _any_separator_left(db):
        await db.write(_begin_rewriting, quiet=True)
        is_more = True
        while is_more:
            is_more = await db.write(_go_on_rewriting, quiet=True)
            await anyio.sleep(_PAUSE_SECONDS)
    await still_file.empty_log(db)
    if await page_gaps.fill(db, db.file):
        await still_file.empty_log(db)


def note_left(tx: Tx) -> None:
    """Count an erasure that begins: its traces will have to be removed."""
    _set_left(tx, left(tx) + 1)


def note_removed(tx: Tx, *, erasures: int) -> None:
    """Subtract erasures whose traces are removed; other daemons empty their caches, too."""
    tx.tell(TOPIC)
    _set_left(tx, left(tx) - erasures)


def _set_left(tx: Tx, erasures: int) -> None:
    tx.run("delete from meta where key = 'erasures_begun'")
    if erasures > 0:
        tx.run("insert into meta (key, value) values ('erasures_begun', ?)", erasures)


def left(tx: Tx) -> int:
    """Return the number of erasures whose traces are not removed yet."""
    row = tx.one("select value from meta where key = 'erasures_begun'")
    return int(row[0]) if row else 0


async def _any_separator_left(db: Database) -> bool:
    place: tuple[int, bytes] | None = (0, b"")
    while place is not None:
        is_left, place = await db.read(partial(_left_after, place=place))
        if is_left:
            return True
    return False


def _left_after(tx: Tx, place: tuple[int, bytes]) -> tuple[bool, tuple[int, bytes] | None]:
    """Return whether one of the next separating words is in no text; and where to continue."""
    tx.all(
        "create virtual table if not exists temp.words"
        " using fts5vocab (main, passage_fts, instance)"
    )
    rows = tx.all(
        "select segid, term from passage_fts_idx where (segid, term) > (?, ?)"
        " order by segid, term limit ?",
        *(*place, _WORDS_A_READ),
    )
    for _, term in rows:
        # The first byte identifies the index of the word; its last letter may be cut in two.
        word = bytes(term)[1:].decode("utf-8", "ignore")
        if word and not _begins_a_word(tx, word):
            return True, None
    return False, (rows[-1][0], bytes(rows[-1][1])) if rows else None


def _begins_a_word(tx: Tx, word: str) -> bool:
    row = tx.one("select term from temp.words where term >= ? limit 1", word)
    return row is not None and row[0].startswith(word)


def _begin_rewriting(tx: Tx) -> None:
    """Start merging all segments into a new one, which then continues in parts."""
    tx.run("insert into passage_fts (rowid, scope) values (?, 'separator')", _EXTRA_ROW)
    # A negative number puts all segments on one level.
    tx.run("insert into passage_fts (passage_fts, rank) values ('merge', ?)", -_PAGES_A_WRITE)
    tx.run("delete from passage_fts where rowid = ?", _EXTRA_ROW)


def _go_on_rewriting(tx: Tx) -> bool:
    """Write more pages of the merged segment; return whether there is more to write."""
    before = tx.value("select total_changes()")
    tx.run("insert into passage_fts (passage_fts, rank) values ('merge', ?)", _PAGES_A_WRITE)
    # The command itself counts as one change: so SQLite's documentation recognises the end.
    return bool(tx.value("select total_changes()") - before >= 2)
