"""Rebuild the index of passages: add missing passages, replace wrong ones, leave the rest.

Memories and messages are checked in slices, each a short transaction between others.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from ashd.search import indexing
from ashd.store import index_rows, passages
from ashd.store.database import Database, Tx
from ashd.store.index_rows import Source
from ashd.store.passages import Passage

_AT_ONCE: Final = 25
"""Memories or messages in a transaction."""

Progress = Callable[[int, int], None]


async def reindex(db: Database, show: Progress, text_of_summary: Callable[[str], str]) -> int:
    """Give every memory and message its passages; return the number of those that lacked some.

    Raises:
        errors.StorageError: the disk failed; what was done so far stays.
    """
    changed = 0
    while removed := await db.write(partial(index_rows.discard_strays, limit=_AT_ONCE), quiet=True):
        changed += removed
    done, total = 0, await db.read(index_rows.total)
    for kind in index_rows.KINDS:
        after = 0
        while found := await db.read(
            partial(index_rows.sources, kind=kind, after=after, limit=_AT_ONCE)
        ):
            made = await db.compute(_passages, found, text_of_summary)
            changed += await db.write(partial(_put, made=made), scoped=True)
            after = found[-1].item
            done += len(found)
            show(done, total)
    return changed


def _passages(
    found: list[Source], text_of_summary: Callable[[str], str]
) -> list[tuple[Source, list[Passage]]]:
    made = []
    for one in found:
        text = text_of_summary(one.text) if one.kind == passages.SUMMARY else one.text
        pieces = indexing.read(text)
        made.append(
            (
                one,
                indexing.passages_of(one.kind, one.item, one.chat, pieces, one.names, one.at),
            )
        )
    return made


def _put(tx: Tx, *, made: list[tuple[Source, list[Passage]]]) -> int:
    return sum(
        index_rows.put(tx, source, passages)
        for source, passages in made
        if index_rows.is_current(tx, source)
    )
