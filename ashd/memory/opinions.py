"""Opinions on new facts, formed on a reader's snapshot before the writer's transaction.

For each new fact the nearest earlier facts of its scope are found, and the pair model, with the
embedder's cross-encoder if it has one, says how likely the new one repeats or replaces each of
them. Nothing is decided here: `verdicts` turns opinions into verdicts inside the writer's
transaction, with the records as they are then. A language model's opinion would be added here.
"""

import math
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np

from ashd import limits
from ashd.access.actor import Call
from ashd.errors import EmbeddingUnavailable
from ashd.language import tagged_words
from ashd.language.tagged_words import Words
from ashd.language.text_caches import cached_by_text
from ashd.memory import candidates
from ashd.memory.candidates import Candidate, Near, Place
from ashd.memory.incoming_facts import Prepared
from ashd.memory.judge import (
    Opinion,
    PairModel,
    Side,
    for_embedder,
    lines_beside,
    plain_correction,
    read_together,
    related,
    static,
)
from ashd.memory.judge.verdict import LINKED_FROM
from ashd.memory.statements import as_user, told_alike
from ashd.providers.embedder import Embedder, Embedding, PairReader
from ashd.providers.wordllama import WordLlamaEmbedder
from ashd.search.indexing import TextVectors
from ashd.store import people
from ashd.store.chats import Account
from ashd.store.database import Tx

COMPARED: Final = 8
"""The number of nearest earlier facts that a new one is compared with."""
NEAREST: Final = 3
"""The number of those without a cross-encoder: of what the pair model alone rightly links on notes
told over a year, 98 % are the three nearest, and of what it wrongly links a tenth is beyond them.
"""
_CORRECTS: Final = Opinion(1.0, 0.0)
"""The opinion on a plain correction, for which no model is asked."""
_ITSELF: Final = 0
"""Stands for the row number of the text that is compared with others."""
_EMBEDDED: Final = 4_096
"""Texts whose static vectors stay in memory, some two kilobytes each."""


@dataclass(frozen=True, slots=True)
class Opinions:
    """Opinions on one new fact and the earlier facts near it."""

    of_stored: dict[int, Opinion] = field(default_factory=dict)
    """The opinions on stored memories, by row number."""
    of_call: dict[int, Opinion] = field(default_factory=dict)
    """The opinions on earlier facts of the same call, by position."""
    is_late: bool = False
    """Whether there was no time to form them: the fact is judged once it is stored."""
    is_partial: bool = False
    """Whether related facts are still to be read, once it is stored."""


NONE: Final = Opinions()
LATE: Final = Opinions(is_late=True)
PARTIAL: Final = Opinions(is_partial=True)


class Reading(NamedTuple):
    """Opinions on older texts, in their order, and whether some near ones are still unread."""

    opinions: list[Opinion]
    is_partial: bool


def of_facts(
    tx: Tx,
    *,
    call: Call,
    facts: Sequence[Prepared | None],
    vectors: TextVectors,
    near: Near,
    until: float = math.inf,
    most_read: int | None = None,
) -> list[Opinions]:
    """Return opinions on each of a call's facts, in order; None for a refused fact.

    The cross-encoder reads at most `most_read` pairs of each fact. Other readers get their turn
    between two facts. After `until`, by the monotonic clock, there is no time for the statements
    that are left.
    """
    reader = Reader.of(vectors.embedder)
    if reader is None:
        return [NONE] * len(facts)
    viewer = call.look(tx)
    names = names_of(tx, call.speaker(tx, viewer))
    place_of = cache(lambda shared: candidates.place_of(tx, viewer, shared=shared))
    judged = _Judged([], [])
    if tx.progress is not None:
        judged = tx.progress.setdefault(_Judged, judged)
    while len(judged.opinions) < len(facts):
        fact = facts[len(judged.opinions)]
        if fact is not None and fact.is_statement and time.monotonic() > until:
            judged.opinions.append(LATE)
            continue
        side = None
        if fact is not None:
            side = reader.side(fact.content, vectors, names)
        if fact is None or side is None:
            judged.opinions.append(NONE)
            continue
        if most_read == 0 and reader.is_read_later(side):
            judged.sides.append((len(judged.opinions), side))
            judged.opinions.append(PARTIAL if side.is_read else NONE)
            continue
        place = place_of(fact.shared)
        stored = reader.stored(tx, place, fact.content, side, vectors, near, names)
        earlier = _nearest(side, judged.sides)
        opinions, is_partial = reader.opinions(
            side,
            [one for _, one in (*stored, *earlier)],
            partial(reader.waiting_words, tx, place, vectors, names),
            most=most_read,
        )
        judged.sides.append((len(judged.opinions), side))
        judged.opinions.append(
            Opinions(
                dict(zip((number for number, _ in stored), opinions, strict=False)),
                dict(zip((at for at, _ in earlier), opinions[len(stored) :], strict=True)),
                is_partial=is_partial,
            )
        )
        if len(judged.opinions) < len(facts):
            tx.give_way()
    return judged.opinions


class _Judged(NamedTuple):
    """The facts of a call judged so far, and the statements among them by position."""

    opinions: list[Opinions]
    sides: list[tuple[int, Side]]


class Reader(NamedTuple):
    """A pair model with the embedder whose vectors it sees."""

    model: PairModel
    static: WordLlamaEmbedder | None
    """The built-in embedder, if the stored vectors are an endpoint's, or there are none."""
    pairs: PairReader | None = None
    """The embedder if it can read two texts together."""

    @classmethod
    def of(cls, embedder: Embedder | None) -> "Reader | None":
        """Return the reader for the current embedder; None if no pair model can be loaded."""
        if embedder is not None and (model := for_embedder(embedder.model)):
            return cls(model, None, embedder if isinstance(embedder, PairReader) else None)
        embedded = static()
        return cls(*embedded) if embedded else None

    def opinions(
        self,
        newer: Side,
        olders: Sequence[Side],
        beside: Callable[[], Sequence[Words]] = tuple,
        *,
        most: int | None = None,
    ) -> Reading:
        """Return what `newer` does to each of `olders`, in their order.

        `beside` returns other older texts: lines of one list may be among them. `most` bounds the
        pairs that the cross-encoder reads: then it reads the nearest, without the pair model.
        """
        newer, *olders = _alike([newer, *olders])
        plain: set[int] = set()
        if plain_correction.may_be(newer.words):
            plain.update(
                at
                for at, older in enumerate(olders)
                if plain_correction.is_plain(older.words, newer.words)
            )
        left = [at for at in range(len(olders)) if at not in plain]
        read, is_partial = self._read(newer, [olders[at] for at in left], most)
        found = [_CORRECTS] * len(olders)
        for at, opinion in zip(left, read, strict=True):
            found[at] = opinion
        if any(one.replaces >= LINKED_FROM for one in found):
            in_list = lines_beside(newer.words, [*(older.words for older in olders), *beside()])
            found = [
                one._replace(replaces=0.0) if is_line else one
                for one, is_line in zip(found, in_list, strict=False)
            ]
        return Reading(found, is_partial)

    def is_read_later(self, newer: Side) -> bool:
        """Return whether all that a text may do is read by the cross-encoder."""
        return self.pairs is not None and not plain_correction.may_be(newer.words)

    def _read(self, newer: Side, olders: Sequence[Side], most: int | None) -> Reading:
        if self.pairs is None:
            return Reading(self.model.opinions(newer, olders), is_partial=False)
        if most is None:
            places, is_partial = related(newer, self.model.of_pairs(newer, olders)), False
        else:
            places, is_partial = self._nearest(newer, olders, most)
        with suppress(EmbeddingUnavailable):
            return Reading(read_together(self.pairs, newer, olders, places), is_partial)
        return Reading(self.model.opinions(newer, olders), is_partial=False)

    def _nearest(self, newer: Side, olders: Sequence[Side], most: int) -> tuple[list[int], bool]:
        """Return the places of the nearest texts, `most` of them, and whether others are near."""
        if not olders or not newer.is_read:
            return [], False
        cosines = self.model.cosines(newer, olders)
        near = np.argsort(-cosines, kind="stable")[: np.count_nonzero(cosines >= self.model.floor)]
        places = list(islice((at for at in near.tolist() if olders[at].is_read), most))
        return places, len(near) > len(places)

    def side(self, text: str, vectors: TextVectors, names: Collection[str]) -> Side | None:
        """Return a text as the model sees it.

        None for a text that is not a single statement, or has no vectors.
        """
        return self._side(Candidate(_ITSELF, text, vectors.of(text)), names)

    def stored(
        self,
        tx: Tx,
        place: Place,
        text: str,
        side: Side,
        vectors: TextVectors,
        near: Near,
        names: Collection[str],
    ) -> list[tuple[int, Side]]:
        """Return the stored facts near a text, nearest first, by row number.

        There are none for a text that the model can have no opinion on.
        """
        if not self.model.may_read(side.text):
            return []
        most = NEAREST if self.pairs is None and self.static is None else COMPARED
        found = candidates.nearest(tx, place, text, vectors, near, most)
        if self.static is not None:
            return self._nearest_of(self.static, side, found, names)
        sides = [(one.memory, self._side(one, names)) for one in found]
        read = [(number, one) for number, one in sides if one is not None]
        if not read:
            return []
        cosines = self.model.cosines(side, [one for _, one in read])
        return [one for one, near in zip(read, cosines >= self.model.floor, strict=True) if near]

    def _nearest_of(
        self,
        static: WordLlamaEmbedder,
        side: Side,
        found: Sequence[Candidate],
        names: Collection[str],
    ) -> list[tuple[int, Side]]:
        """Return those that share the most words with a text and are nearest to it, in order."""
        told = [
            (one.memory, as_user(one.text, names))
            for one in found
            if len(one.text) <= limits.STATEMENT_CHARS
        ]
        if not told:
            return []
        cosines = static.pooled([text for _, text in told]) @ side.pooled
        return [
            (told[at][0], Side(told[at][1], _embedded(static.embed, told[at][1])))
            for at in np.argsort(-cosines, kind="stable")[:NEAREST].tolist()
            if cosines[at] >= self.model.floor
        ]

    def waiting(
        self, tx: Tx, place: Place, vectors: TextVectors, names: Collection[str]
    ) -> list[tuple[int, Words]]:
        """Return the words of stored facts that wait for their vectors, by row number."""
        if self.static is not None:
            return []
        found = candidates.waiting(tx, place, vectors)
        return [(number, tagged_words.read(as_user(text, names))) for number, text in found]

    def waiting_words(self, *of: Any) -> list[Words]:
        """Return the same without the row numbers."""
        return [words for _, words in self.waiting(*of)]

    def _side(self, candidate: Candidate, names: Collection[str]) -> Side | None:
        """Return a text as the model sees it, if it is a single statement that has vectors."""
        if len(candidate.text) > limits.STATEMENT_CHARS:
            return None
        told = as_user(candidate.text, names)
        embedding = self._vectors(candidate, told)
        return None if embedding is None else Side(told, embedding)

    def _vectors(self, candidate: Candidate, told: str) -> Embedding | None:
        """Return the vectors of a candidate as it is told; None for one that waits for its own."""
        if self.static is not None:
            return _embedded(self.static.embed, told)
        if candidate.embedding is None or told == candidate.text or self.pairs is None:
            return candidate.embedding
        try:
            return _embedded(self.pairs.embed, told)
        except EmbeddingUnavailable:
            return candidate.embedding


def _alike(sides: Sequence[Side]) -> list[Side]:
    """Return texts that are compared, with their speaker in one form."""
    pairs = zip(sides, told_alike([side.text for side in sides]), strict=True)
    return [side if side.text == text else side.reworded(text) for side, text in pairs]


@cached_by_text(_EMBEDDED)
def _embedded(embed: Callable[[Sequence[str]], Sequence[Embedding]], text: str) -> Embedding:
    """Return a text's vectors; several facts about one thing are often added one by one."""
    return embed([text])[0]


def names_of(tx: Tx, account: Account | None) -> frozenset[str]:
    """Return the names with which speakers begin texts about themselves, first names too."""
    if account is None:
        return frozenset()
    person = people.final(tx, account.person)
    names = [name for _, name in people.names(tx, [person])]
    return frozenset(part for name in names for part in (name, name.partition(" ")[0]) if part[1:])


def _nearest(side: Side, before: Sequence[tuple[int, Side]]) -> list[tuple[int, Side]]:
    """Return the earlier facts of a call that are nearest to one of its facts."""
    if len(before) <= COMPARED:
        return list(before)
    cosines = np.stack([one.pooled for _, one in before]) @ side.pooled
    return [before[at] for at in np.sort(np.argpartition(-cosines, COMPARED)[:COMPARED])]
