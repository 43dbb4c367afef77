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
from functools import cache
from typing import Final, NamedTuple, cast

import anyio.to_thread
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
    AnyLanguageModel,
    Opinion,
    PairModel,
    Reading,
    Side,
    for_embedder,
    lines_beside,
    plain_correction,
    read_together,
    static,
)
from ashd.memory.statements import as_user, told_alike
from ashd.providers.embedder import Embedder, Embedding, PairReader
from ashd.search.indexing import TextVectors
from ashd.store import people_names
from ashd.store.chats import Account
from ashd.store.database import Tx

COMPARED: Final = 8
"""The number of nearest earlier facts that a new one is compared with."""
_CORRECTS: Final = Opinion(1.0, 0.0)
"""The opinion on a plain correction, for which no model is asked."""
_LOADED: Final[set[str | None]] = set()
"""The embedders whose pair models were loaded; None for having none."""
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


async def load(embedder: Embedder | None) -> None:
    """Load the pair model of an embedder, before a read in which others would wait for it."""
    model = embedder.model if embedder is not None else None
    if model not in _LOADED:
        await anyio.to_thread.run_sync(Reader.of, embedder)
        _LOADED.add(model)


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
    reader = Reader.of(vectors.embedder)  # loaded before by `load`
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
        found = None
        if fact is not None:
            place = place_of(fact.shared)
            found = reader.sides(tx, place, fact.content, vectors, near, names)
        if found is None:
            judged.opinions.append(NONE)
            continue
        side, stored = found
        earlier = _nearest(side, judged.sides)
        waiting = reader.waiting(tx, place, vectors, names)
        opinions, is_partial = reader.opinions(
            *(side, [one for _, one in (*stored, *earlier)], [words for _, words in waiting]),
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

    model: PairModel | AnyLanguageModel
    static: Embedder | None
    """The built-in embedder, if the stored vectors are an endpoint's, or there are none."""
    pairs: PairReader | None = None
    """The embedder if it can read two texts together."""

    @classmethod
    def of(cls, embedder: Embedder | None) -> "Reader | None":
        """Return the reader for the current embedder; None if no pair model can be loaded."""
        if embedder is not None and (model := for_embedder(embedder.model)):
            # `isinstance` asks for each member of the protocol, in a tenth of a millisecond.
            reads_pairs = hasattr(embedder, PairReader.pair_likelihoods.__name__)
            return cls(model, None, cast("PairReader", embedder) if reads_pairs else None)
        embedded = static()
        return cls(*embedded) if embedded else None

    def opinions(
        self,
        newer: Side,
        olders: Sequence[Side],
        beside: Sequence[Words] = (),
        *,
        most: int | None = None,
    ) -> Reading:
        """Return what `newer` does to each of `olders`, in their order.

        `beside` are other older texts: lines of one list may be among them. `most` bounds the pairs
        that the cross-encoder reads.
        """
        newer, *olders = _alike([newer, *olders])
        plain = [plain_correction.is_plain(older.words, newer.words) for older in olders]
        others = [older for older, is_plain in zip(olders, plain, strict=True) if not is_plain]
        read, is_partial = self._read(newer, others, most)
        left = iter(read)
        found = [_CORRECTS if is_plain else next(left) for is_plain in plain]
        in_list = lines_beside(newer.words, [*(older.words for older in olders), *beside])
        alone = [
            one._replace(replaces=0.0) if is_line else one
            for one, is_line in zip(found, in_list, strict=False)
        ]
        return Reading(alone, is_partial)

    def _read(self, newer: Side, olders: Sequence[Side], most: int | None) -> Reading:
        if self.pairs is not None:
            first = self.model.of_pairs(newer, olders)
            with suppress(EmbeddingUnavailable):
                return read_together(self.pairs, newer, olders, first, most=most)
        return Reading(self.model.opinions(newer, olders), is_partial=False)

    def sides(
        self,
        tx: Tx,
        place: Place,
        text: str,
        vectors: TextVectors,
        near: Near,
        names: Collection[str],
    ) -> tuple[Side, list[tuple[int, Side]]] | None:
        """Return a text as the model sees it, and the stored facts nearest to it, nearest first.

        None for a text that is not a single statement, or has no vectors. The facts have their row
        numbers; there are none for a text that the model can have no opinion on.
        """
        embedding = vectors.of(text)
        if len(text) > limits.STATEMENT_CHARS or (embedding is None and self.static is None):
            return None
        texts = [Candidate(_ITSELF, text, embedding)]
        if self.model.may_read(as_user(text, names)):
            texts += candidates.nearest(tx, place, text, vectors, near, COMPARED)
        (_, side), *others = self._sides(texts, names)
        return side, others

    def waiting(
        self, tx: Tx, place: Place, vectors: TextVectors, names: Collection[str]
    ) -> list[tuple[int, Words]]:
        """Return the words of stored facts that wait for their vectors, by row number."""
        if self.static is not None:
            return []
        found = candidates.waiting(tx, place, vectors)
        return [(number, tagged_words.read(as_user(text, names))) for number, text in found]

    def _sides(self, texts: Sequence[Candidate], names: Collection[str]) -> list[tuple[int, Side]]:
        """Return the texts that are single statements, as the model sees them, by row number."""
        texts = [one for one in texts if len(one.text) <= limits.STATEMENT_CHARS]
        told = [as_user(one.text, names) for one in texts]
        read = [
            (one.memory, text, embedding)
            for one, text in zip(texts, told, strict=True)
            if (embedding := self._vectors(one, text)) is not None
        ]
        sides = self.model.sides([(text, embedding) for _, text, embedding in read])
        return [(number, side) for (number, *_), side in zip(read, sides, strict=True)]

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
    """Return the texts with their speaker in one form, so that they can be compared."""
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
    names = [name for _, name in people_names.of(tx, [account.person])]
    return frozenset(part for name in names for part in (name, name.partition(" ")[0]) if part[1:])


def _nearest(side: Side, before: Sequence[tuple[int, Side]]) -> list[tuple[int, Side]]:
    """Return the earlier facts of a call that are nearest to one of its facts."""
    if len(before) <= COMPARED:
        return list(before)
    cosines = np.stack([one.pooled for _, one in before]) @ side.pooled
    return [before[at] for at in np.sort(np.argpartition(-cosines, COMPARED)[:COMPARED])]
