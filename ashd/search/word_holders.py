"""The newest memories with a word, among those learned in some chats: candidates for judging.

Keeps the passages of words that were looked up lately: facts that are added one after the other
share many, and a lookup in the full-text index passes over the passages of everybody else. What
must hold: the answer is what the index gives in the same transaction.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ashd.store import passages
from ashd.store.database import Database, Tx
from ashd.store.full_text_terms import Term

MOST: Final = 200
"""Number of passages with a word that are looked at, newest first."""
KEPT_WORDS: Final = 4_096
"""Words that stay in memory, two kilobytes each at most."""

_Key: TypeAlias = tuple[tuple[int, ...], Term]
"""The chats, and the word."""


class _Holders(NamedTuple):
    """The newest passages with a word, and the state of the chats when they were read."""

    generation: int
    last: int
    """The newest passage of the chats then."""
    found: NDArray[np.int64]


class WordHolders:
    """Finds the newest memories with a word. One for the daemon; `newest` runs on readers."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._lock = Lock()
        self._kept: OrderedDict[_Key, _Holders] = OrderedDict()

    def newest(
        self, tx: Tx, chats: tuple[int, ...], terms: Sequence[Term]
    ) -> list[NDArray[np.int64]]:
        """Return, for each term, the newest passages of memories from these chats that hold it."""
        scopes = [passages.scope_token(passages.MEMORY, chat) for chat in chats]
        recent = passages.newest_in(tx, scopes, MOST)
        last = recent[0] if recent else 0
        oldest = recent[-1] if len(recent) == MOST else 0
        read = []
        for term in terms:
            kept, found = self._kept.get((chats, term)), None
            # One from before the recent passages, or from a later snapshot, cannot be continued.
            if kept is not None and oldest <= kept.last <= last and self._only_grew(kept, chats):
                found = _grown(tx, term, kept, recent)
            if found is None:
                found = np.array(passages.newest_with(tx, term, scopes, MOST), np.int64)
            read.append(_Holders(tx.generation, last, found))
        self._keep(chats, terms, read)
        return [one.found for one in read]

    def _only_grew(self, kept: _Holders, chats: Sequence[int]) -> bool:
        """Return whether nothing was done to the passages of these chats since but adding some."""
        keys = [("chat", chat) for chat in chats]
        return self._db.since(keys, kept.generation) != "changed"

    def _keep(
        self, chats: tuple[int, ...], terms: Sequence[Term], read: Sequence[_Holders]
    ) -> None:
        with self._lock:
            for term, one in zip(terms, read, strict=True):
                self._kept[chats, term] = one
                self._kept.move_to_end((chats, term))
            while len(self._kept) > KEPT_WORDS:
                self._kept.popitem(last=False)

    def clear(self, _deleted: Sequence[int]) -> None:
        """Forget all words, since some of them may be in passages that were deleted."""
        with self._lock:
            self._kept.clear()

    @property
    def bytes(self) -> int:
        """The size of what is kept in memory."""
        with self._lock:
            return sum(one.found.nbytes for one in self._kept.values())


def _grown(tx: Tx, term: Term, kept: _Holders, recent: Sequence[int]) -> NDArray[np.int64] | None:
    """Return an entry with what came since; None if others hold the word so often by now.

    The index is asked for the word in all chats, since with the chats in the question it would look
    for their next passage with the word, however old it is.
    """
    if not recent or recent[0] == kept.last:
        return kept.found
    newer = passages.newest_with(tx, term, None, MOST, after=kept.last)
    if len(newer) == MOST:
        return None
    own = set(recent)
    added = [number for number in newer if number in own]
    return np.concatenate([np.array(added, np.int64), kept.found])[:MOST] if added else kept.found
