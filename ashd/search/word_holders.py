"""The newest memories with a word, among those learned in some chats: candidates for judging.

Keeps the passages of words that were looked up lately: facts that are added one after the other
share many, and a lookup in the full-text index passes over the passages of everybody else. Memories
that came since are read once for all words, and split into words as the index does; where memories
are few, all their words are kept. What must hold: the answer is what the index gives in the same
transaction.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ashd.store import passages, phrases
from ashd.store.database import Database, Tx
from ashd.store.full_text_terms import Term
from ashd.store.phrases import Phrase

MOST: Final = 200
"""Number of passages with a word that are looked at, newest first."""
KEPT_WORDS: Final = 16_384
"""Words that stay in memory, some 400 bytes each; two kilobytes if many passages hold one."""
FEW: Final = 32
"""Number of memories that are read as soon as their words are looked up."""
REACH: Final = 1_000
"""Number of passages, anybody's, among which a place's new ones are looked for: beyond it, its
words are looked up again.
"""

_Chats: TypeAlias = tuple[int, ...]
_Kept: TypeAlias = bytes
"""Passages, newest first, as 64-bit numbers in a row: a new one is put before them at once."""


class _Place:
    """The words kept of some chats, and the state of the chats that they are true for."""

    def __init__(self, generation: int, last: int) -> None:
        self.generation = generation
        self.last = last
        """The newest passage of the chats."""
        self.is_whole = False
        """Whether all words of the chats are kept: no passage holds any other."""
        self.words: OrderedDict[Phrase, _Kept] = OrderedDict()

    def add(self, number: int, held: set[Phrase]) -> None:
        """Add a passage that is newer than all others, and holds these phrases."""
        one = _packed([number])
        known = held & self.words.keys()
        for phrase in known:
            self.words[phrase] = one + self.words[phrase][: len(one) * (MOST - 1)]
        if self.is_whole:
            self.words.update(dict.fromkeys(filter(phrases.is_word, held - known), one))

    def holders(self, phrase: Phrase | None) -> _Kept | None:
        """Return the passages that hold a phrase; None if that is not kept."""
        if phrase is None:
            return None
        nowhere = self.is_whole and phrases.is_word(phrase)
        return self.words.get(phrase, b"" if nowhere else None)


class WordHolders:
    """Finds the newest memories with a word. One for the daemon; `newest` runs on readers."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._lock = Lock()
        self._places: OrderedDict[_Chats, _Place] = OrderedDict()
        self._count = 0
        """The words of all places."""

    def newest(self, tx: Tx, chats: _Chats, terms: Sequence[Term]) -> list[NDArray[np.int64]]:
        """Return, for each term, the newest passages of memories from these chats that hold it."""
        scopes = [passages.scope_token(passages.MEMORY, chat) for chat in chats]
        wanted = phrases.of_terms(terms)
        places = self._places
        before = place = places.get(chats)
        known = self._known(tx, chats, place, wanted) if place else None
        if place is None or known is None:
            place = _begun(tx, scopes)
            known = [place.holders(phrase) for phrase in wanted]
        last = place.last
        asked = [term for term, kept in zip(terms, known, strict=True) if kept is None]
        read = map(_packed, passages.newest_with(tx, asked, scopes, MOST) if asked else ())
        found = [next(read) if kept is None else kept for kept in known]
        with self._lock:
            # Unless passages were deleted meanwhile, or another reader was here.
            if self._places is places and places.get(chats) is before and place.last == last:
                self._keep(chats, place, wanted, found)
        return [np.frombuffer(numbers, np.int64) for numbers in found]

    def _known(
        self, tx: Tx, chats: _Chats, place: _Place, wanted: Sequence[Phrase | None]
    ) -> list[_Kept | None] | None:
        """Bring a place up to date and return the passages of each phrase that is kept.

        None if the place cannot be continued: something was changed, too much has come, or this
        snapshot is from before its newest passage.
        """
        last = place.last
        keys = [("chat", chat) for chat in chats]
        if self._db.since(keys, place.generation) == "changed":
            return None
        rows = passages.memories_from(tx, chats, last, REACH)
        if not rows or rows[0][0] != last:
            return None
        new = [(number, phrases.in_texts(texts)) for number, texts in rows[1:]]
        with self._lock:
            if self._places.get(chats) is not place or place.last != last:
                return None
            self._count -= len(place.words)
            for number, held in new:
                place.add(number, held)
            self._count += len(place.words)
            place.last, place.generation = rows[-1][0], tx.generation
            return [place.holders(phrase) for phrase in wanted]

    def _keep(
        self,
        chats: _Chats,
        place: _Place,
        wanted: Sequence[Phrase | None],
        found: Sequence[_Kept],
    ) -> None:
        """Keep what was found of each phrase; drop the words looked up least lately."""
        before = self._places.pop(chats, None)
        self._count -= len(before.words) if before else 0
        for phrase, numbers in zip(wanted, found, strict=True):
            # Of a place that is whole, words that no passage holds need not be kept.
            is_kept = phrase in place.words or place.holders(phrase) is None
            if phrase is not None and is_kept:
                place.words[phrase] = numbers
                place.words.move_to_end(phrase)
        if place.words:
            self._places[chats] = place
            self._count += len(place.words)
        while self._count > KEPT_WORDS:
            oldest, others = next(iter(self._places.items()))
            others.is_whole = False
            others.words.popitem(last=False)
            self._count -= 1
            if not others.words:
                del self._places[oldest]

    def clear(self, _deleted: Sequence[int]) -> None:
        """Forget all words, since some of them may be in passages that were deleted."""
        with self._lock:
            self._places, self._count = OrderedDict(), 0

    @property
    def bytes(self) -> int:
        """The size of what is kept in memory."""
        with self._lock:
            places = self._places.values()
            return sum(len(numbers) for place in places for numbers in place.words.values())


def _packed(numbers: Sequence[int]) -> _Kept:
    return np.array(numbers, np.int64).tobytes()


def _begun(tx: Tx, scopes: Sequence[str]) -> _Place:
    """Return a place as it is in this snapshot: with all its words, if its memories are few."""
    recent = passages.newest_in(tx, scopes, FEW + 1)
    place = _Place(tx.generation, recent[0] if recent else 0)
    if len(recent) <= FEW:
        place.is_whole = True
        for number, texts in passages.texts_in_index(tx, recent):
            place.add(number, phrases.in_texts(texts))
    return place
