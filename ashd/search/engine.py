"""Finding: the legs over what a viewer may see, fused into one ranking; for memories and turns.

Every leg works on the rows that the policy let through, so nobody's results starve and no score
tells of what is hidden. The rows of a viewer are kept as arrays (a shelf) until one of them is
changed, and grow by those that are new; the vectors and words are read from the database each time.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.clock import DAY
from ashd.providers.embedder import Embedder, Embedding
from ashd.search import calibration, fusion, late, lexical, query, relevance
from ashd.search.calibration import Calibration
from ashd.search.candidates import Candidates
from ashd.search.kept import Shelves
from ashd.search.query import Query
from ashd.search.shelf import Places, Shelf, Standing
from ashd.search.vectors import SharedVectors, VectorCache
from ashd.store import passages
from ashd.store.database import Database, Tx
from ashd.store.passages import EmbeddingSet
from ashd.store.visibility import Viewer

Mode = Literal["hybrid", "lexical", "vector"]

_EACH_LEG: Final = 150
"""How many candidates a leg brings."""
_MOST_SCOPES: Final = 200
"""With more chats than this the full-text query names none: the rows are filtered all the same."""
_WINDOW: Final = (0, -1, 1, -2, 2)
"""Whose tokens count for a turn: its own, then its neighbours'; as `late.DISCOUNTS` has them."""


Called = Callable[[Collection[int], Sequence[str]], Mapping[str, Collection[int]]]
"""Of some people, those whom the viewer calls by each of some words. A name is no part of a text
that is indexed for all: whoever may see a memory may not know by which name another told it."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The embedder in force with its index, and the question's vectors."""

    embedder: Embedder
    index: EmbeddingSet
    question: Embedding
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class Spec:
    """What to find, among which rows. `where` is a condition of the store with its parameters."""

    viewer: Viewer
    query: Query
    where: str
    params: Mapping[str, Any]
    vectors: Vectors | None
    since: int | None = None
    until: int | None = None
    """What was said from then on, and before then."""
    mode: Mode = "hybrid"
    include_superseded: bool = False
    include_expired: bool = False
    explain: bool = False
    about: Mapping[int, float] | None = None
    """The weight of memories about people that the question names."""
    called: Called | None = None


class Found(NamedTuple):
    """A memory or message in the ranking, and what brought it there."""

    item: int
    """Its row number."""
    score: float
    """0-1."""
    relevant: bool
    weak: bool
    """Not relevant by its score, but it may answer; never of a message."""
    passage: int
    """The passage of it that was found, by its row number."""
    signals: dict[str, float]

    @classmethod
    def unranked(cls, item: int) -> "Found":
        """What is shown without having been found."""
        return cls(item, 0.0, relevant=False, weak=False, passage=0, signals={})


class Ranking(NamedTuple):
    """What was found, best first, one entry a memory or message."""

    found: list[Found]
    lacks_vectors: bool
    """Some of what was searched has no vectors yet, so it was searched by words."""


class Engine:
    """Finds memories and messages. One for the daemon; its methods run on a reader."""

    def __init__(self, db: Database) -> None:
        self._shelves = Shelves(db)
        self._vectors = SharedVectors()

    def memories(self, tx: Tx, spec: Spec) -> Ranking:
        """Rank the memories of the spec by their relevance."""
        search = self._search(tx, spec, passages.MEMORY)
        if search is None:
            return Ranking([], lacks_vectors=False)
        found = search.candidates()
        by_words = calibration.words().weights(spec.query)
        used = search.vectors.calibration if search.vectors else calibration.words()
        missing = search.missing(found.rowid)
        judged = relevance.rank(
            found,
            spec.query,
            used.weights(spec.query),
            without_vectors=(missing, by_words) if missing.any() else None,
            size=len(search.shelf.passage),
            explain=spec.explain,
        )
        entries = [
            (int(found.rowid[one.place]), one.score, one.strong, one.weak, one.signals)
            for one in judged
        ]
        return search.ranking(entries, found)

    def messages(self, tx: Tx, spec: Spec) -> Ranking:
        """Rank the messages of the spec by fusion of the legs."""
        search = self._search(tx, spec, passages.MESSAGE)
        if search is None:
            return Ranking([], lacks_vectors=False)
        found = search.candidates()
        vectors = search.vectors
        level = fusion.level_for(level_of(vectors.embedder) if vectors else "none", spec.query)
        level = fusion.level_given(level, found, _pieces_a_word(vectors, spec.query))
        ranked = fusion.fuse(found, spec.query, fusion.weights_for(level), explain=spec.explain)
        entries = [(one.rowid, one.score, one.relevant, False, one.signals) for one in ranked]
        return search.ranking(entries, found)

    def newest(self, tx: Tx, spec: Spec, most: int) -> list[int]:
        """The memories of the spec that were added last, the last first."""
        items = self._standing(tx, spec, passages.MEMORY).rows.item
        newest: list[int] = np.unique(items)[::-1][:most].tolist()
        return newest

    def speakers(self, tx: Tx, spec: Spec) -> tuple[str, ...]:
        """Who speaks in the messages of the spec."""
        return self._standing(tx, spec, passages.MESSAGE).speakers

    def _search(self, tx: Tx, spec: Spec, kind: int) -> "_Search | None":
        """A search of the kind's rows; None where the viewer may see none."""
        standing = self._standing(tx, spec, kind)
        rows = len(standing.rows.passage)
        if not rows:
            return None
        vectors = spec.vectors if spec.mode != "lexical" else None
        if vectors and fusion.level_for(level_of(vectors.embedder), spec.query) == "none":
            vectors = None
        cache = self._cache(vectors, standing.rows) if vectors else None
        return _Search(tx, spec, kind, standing, vectors, cache)

    def _cache(self, vectors: Vectors, shelf: Shelf) -> VectorCache:
        dimension = vectors.embedder.token_dimension
        return self._vectors.of(vectors.index, dimension, len(shelf.passage))

    def _standing(self, tx: Tx, spec: Spec, kind: int) -> Standing:
        kept = self._shelves.get(tx, spec.viewer, spec.where, spec.params, kind)
        superseded, expired = states = (spec.include_superseded, spec.include_expired)
        if spec.since is not None or spec.until is not None:
            # Of a period nothing is kept: there are as many as there are moments to ask at.
            rows = kept.shelf.within(spec.since, spec.until)
            return Standing(rows, tx.now, include_superseded=superseded, include_expired=expired)
        standing = kept.standing.get(states)
        if standing is None or not standing.holds(tx.now):
            standing = kept.standing[states] = Standing(
                kept.shelf, tx.now, include_superseded=superseded, include_expired=expired
            )
        return standing


def level_of(embedder: Embedder) -> fusion.Level:
    """How much an embedder's vectors tell: by token and context, by whole text, by word alone."""
    if embedder.thresholds.value_type is None:
        return "static" if embedder.token_dimension else "pooled"
    return "late" if embedder.token_dimension else "pooled"


def _pieces_a_word(vectors: Vectors | None, asked: Query) -> float:
    """Into how many tokens the embedder takes a word of the question, on the average."""
    tokens = vectors.question.tokens if vectors else None
    return len(tokens.ids) / query.count_words(asked.text) if tokens else 0.0


class _Search:
    """One search over a shelf; a place is a row's position on it."""

    def __init__(
        self,
        tx: Tx,
        spec: Spec,
        kind: int,
        standing: Standing,
        vectors: Vectors | None,
        cache: VectorCache | None,
    ) -> None:
        self._tx = tx
        self._spec = spec
        self._kind = kind
        self._standing = standing
        self.shelf = shelf = standing.rows
        self.vectors = vectors
        self._question = vectors.question if vectors else None
        self._cache = cache
        self._slots = cache.slots(tx, shelf.passage) if cache else np.zeros(0, dtype=np.int64)

    def candidates(self) -> Candidates:
        """What the legs bring, with everything that they know of it."""
        words = self._by_words() if self._spec.mode != "vector" else None
        cosines = self._cosines()
        if words is not None and cosines is not None:
            cosines = cosines * words.known
        places = self._chosen(words, cosines)
        late_scores = self._late(places, words)
        if cosines is not None:
            cosines = self._centred(places, words) if self._centres else cosines[places]
        about, shelf = self._spec.about or {}, self.shelf
        at = shelf.at[places]
        return Candidates(
            rowid=places,
            lexical=words.scores[places].astype(np.float64) if words is not None else None,
            cosine=cosines.astype(np.float64) if cosines is not None else None,
            late=late_scores.astype(np.float64) if late_scores is not None else None,
            coverage=words.coverage[places].astype(np.float64) if words is not None else None,
            speaker=shelf.speaker[places],
            dated=shelf.dated[places],
            asking=shelf.asking[places],
            session=self._standing.session[places],
            about=np.array([about.get(item, 0.0) for item in shelf.item[places].tolist()]),
            at=at,
            age_days=(self._tx.now - at) / DAY,
            fades=shelf.fades[places],
            trust=shelf.trust[places],
        )

    def _by_words(self) -> lexical.Lexical | None:
        lookups = self._spec.query.lookups
        if not lookups:
            return None
        scopes = [passages.scope_token(self._kind, chat) for chat in self._standing.chats]
        named = self._about_named()
        found: list[Places] = []
        rivals: list[Places | None] = []
        for lookup in lookups:
            rows = self._postings(lookup.expression, scopes)
            # The terms are looked up first, each as the concept of its own number.
            if len(found) < len(named) and len(named[len(found)]):
                rows = np.union1d(rows, named[len(found)])
            if lookup.wider is not None and len(rows) < query.FEW:
                rows = np.union1d(rows, self._postings(lookup.wider, scopes))
            found.append(rows)
            like = lookup.rivals if not len(rows) else None
            rivals.append(self._postings(like, scopes) if like is not None else None)
        is_turns = self._kind == passages.MESSAGE
        return lexical.bm25(
            found,
            len(self.shelf.passage),
            worth=[lookup.worth for lookup in lookups],
            concepts=[lookup.concept for lookup in lookups],
            rivals=rivals,
            sessions=self._standing.session if is_turns else None,
            ends_asking=self.shelf.ends_asking if is_turns else None,
            words=self.shelf.words,
        )

    def _about_named(self) -> list[Places]:
        """For each term the places of what is about those whom the viewer calls so."""
        spec, standing = self._spec, self._standing
        if spec.called is None or not standing.people:
            return []
        called = spec.called(standing.people, spec.query.terms)
        return [standing.places_about(called.get(term, ())) for term in spec.query.terms]

    def _postings(self, expression: str, scopes: list[str]) -> Places:
        if len(scopes) <= _MOST_SCOPES:
            expression = query.within(expression, scopes)
        return self._standing.places(np.array(passages.postings(self._tx, expression), np.int64))

    def _cosines(self) -> NDArray[np.float32] | None:
        """The cosine of every row with the question."""
        if self._cache is None or self._question is None:
            return None
        return self._cache.cosines(self._slots, self._question.pooled)

    @property
    def _centres(self) -> bool:
        """Memories are compared after the mean of such texts was taken off; talk gains nothing."""
        return self._kind == passages.MEMORY

    def _centred(self, places: Places, words: lexical.Lexical | None) -> NDArray[np.float32]:
        """The cosine of each place with the question, both with the calibration's mean taken off.

        Of what has no vectors, or has none of its own, it is 0.
        """
        assert self._cache is not None
        assert self._question is not None
        assert self.vectors is not None
        slots, mean = self._slots[places], self.vectors.calibration.mean
        question = self._question.pooled
        found = calibration.centred(
            self._cache.cosines(slots, question),
            self._cache.cosines(slots, mean),
            float(question @ mean),
            float(mean @ mean),
        )
        found = np.where(slots >= 0, found, np.float32(0))
        return found if words is None else found * words.known[places]

    def missing(self, places: Places) -> NDArray[np.bool_]:
        """Which of the places have no vectors; none where no vectors are searched."""
        if not len(self._slots):
            return np.zeros(len(places), dtype=np.bool_)
        return self._slots[places] < 0

    def ranking(
        self, entries: Sequence[tuple[int, float, bool, bool, dict[str, float]]], by: Candidates
    ) -> Ranking:
        """One entry an item: a long one is where its best passage is."""
        shelf, found = self.shelf, dict[int, Found]()
        for place, score, relevant, weak, signals in entries:
            item = int(shelf.item[place])
            if item not in found:
                passage = int(shelf.passage[place])
                found[item] = Found(item, score, relevant, weak, passage, signals)
        ranked = list(found.values())
        # What was archived waits for no vectors.
        lacks = len(self._slots) > 0 and bool(((self._slots < 0) & (shelf.archived == 0)).any())
        return Ranking(_with_places(shelf, ranked, by) if self._spec.explain else ranked, lacks)

    def _chosen(self, words: lexical.Lexical | None, cosines: NDArray[np.float32] | None) -> Places:
        """The places that any leg brings, each once, in a stable order."""
        chosen: list[Places] = []
        if cosines is not None:
            chosen.append(_best(cosines))
        if words is not None:
            best = _best(words.scores)
            chosen.append(best[words.scores[best] > 0])
        if self._spec.about:
            named = np.isin(self.shelf.item, list(self._spec.about))
            chosen.append(np.flatnonzero(named)[-_EACH_LEG:])
        each_once = dict.fromkeys(place for leg in chosen for place in leg.tolist())
        return np.array(list(each_once), dtype=np.int64)

    def _late(self, places: Places, words: lexical.Lexical | None) -> NDArray[np.float32] | None:
        """Late interaction of the candidates, and of their neighbours, with the question."""
        question = self._question.tokens if self._question else None
        if self._cache is None or question is None or not len(question.ids) or not len(places):
            return None
        steps = _WINDOW if self._kind == passages.MESSAGE else _WINDOW[:1]
        at = places[:, None] + np.array(steps, dtype=np.int64)
        inside = (at >= 0) & (at < len(self.shelf.passage))
        at = np.where(inside, at, 0)
        if len(steps) > 1:
            session = self._standing.session
            inside &= session[at] == session[at[:, :1]]
        needed = np.unique(at[inside])
        tokens, offsets = self._cache.tokens(self._slots[needed])
        asked_before = inside[:, 1] & self.shelf.ends_asking[at[:, 1]] if len(steps) > 1 else None
        scores = late.window_maxsim(
            question.vectors.astype(np.float32) / np.float32(127),
            None,
            tokens,
            offsets,
            np.where(inside, np.searchsorted(needed, at), -1),
            answers=asked_before,
            discounts=late.DISCOUNTS[: len(steps)],
        )
        return scores if words is None else scores * words.known[places]


def _best(scores: NDArray[np.float32]) -> Places:
    """The places of the highest scores, best first; of equal ones the first."""
    top = np.arange(len(scores))
    if len(scores) > _EACH_LEG:
        top = np.sort(np.argpartition(-scores, _EACH_LEG)[:_EACH_LEG])
    best: Places = top[np.argsort(-scores[top], kind="stable")]
    return best


def _with_places(shelf: Shelf, found: list[Found], candidates: Candidates) -> list[Found]:
    """With what each leg gave an item and the place it had there, for `explain` (D8)."""
    told: dict[int, dict[str, float]] = {}
    items = shelf.item[candidates.rowid].tolist()
    for leg in ("lexical", "cosine", "late"):
        scores = getattr(candidates, leg)
        if scores is None:
            continue
        order = np.argsort(-scores, kind="stable").tolist()
        for rank, place in enumerate(order, start=1):
            item = items[place]
            if f"{leg}_rank" not in told.setdefault(item, {}):
                score = round(float(scores[place]), 4)
                told[item] |= {f"{leg}_score": score, f"{leg}_rank": float(rank)}
    return [
        entry._replace(signals={**entry.signals, **told.get(entry.item, {})}) for entry in found
    ]
