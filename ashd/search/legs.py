"""The legs of a search: words, whole texts, tokens and people, over one set of cached rows."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ashd.clock import DAY
from ashd.language.date_spans import WEEKDAYS
from ashd.language.people.first_person import speaks_for_several
from ashd.providers.embedder import PASSAGE_TOKENS, Embedding
from ashd.search import calibration, late_interaction, lexical, query
from ashd.search.candidates import HEARSAY, Candidates, Floats
from ashd.search.spec import ABOUT_ANOTHER, Classifier, Found, Ranking, Spec, Vectors
from ashd.search.vector_cache import NONE
from ashd.search.vectors import VectorView
from ashd.search.visible_rows import ActiveRows, Places, VisibleRows
from ashd.store import memories, passages
from ashd.store.database import Tx
from ashd.store.filters import MemoryFilter
from ashd.store.full_text_terms import Term

_EACH_LEG: Final = 150
"""The number of candidates from each leg."""
_MOST_SCOPES: Final = 200
"""With more chats than this, the full-text query names none; its rows are filtered anyway."""
_YEAR: Final = 366 * DAY
_MANY: Final = late_interaction.PRODUCTS // PASSAGE_TOKENS
"""Tokens of a question times passages: up to so many, their products need not be counted."""
_WINDOW: Final = (0, -1, 1, -2, 2)
"""Rows whose tokens count for a turn: its own, then its neighbours', ordered as `DISCOUNTS`."""


class Legs:
    """The legs of one search over a set of rows; a place is a row's position in it."""

    def __init__(
        self,
        tx: Tx,
        spec: Spec,
        kind: int,
        active: ActiveRows,
        vectors: Vectors | None,
        cache: VectorView | None,
    ) -> None:
        self._tx = tx
        self._spec = spec
        self._kind = kind
        self._active_rows = active
        self.visible = visible = active.rows
        self.vectors = vectors
        self._question = vectors.question if vectors else None
        self.cache = cache
        self._called: Mapping[str, Collection[int]] = {}
        """The people whom the viewer calls by each term."""
        if spec.called is not None and active.people:
            self._called = spec.called(active.people, spec.query.terms)
        self._compared: NDArray[np.float32] | None = None
        """The cosine of every row with the question; -1 if it has no vector."""
        if cache is not None and vectors is not None:
            self._compared = cache.compare(tx, visible.passage, vectors.question.pooled)

    @property
    def size(self) -> int:
        """The number of memories that are searched."""
        return self._active_rows.items

    @property
    def size_of_time(self) -> int | None:
        """The number of rows from the time that is asked for; None if none is."""
        return len(self._from_then(None)) if self._spec.query.time is not None else None

    def candidates(self) -> Candidates:
        """Return the candidates of all legs, with the signals for each."""
        dated = self._naming_day()
        words = self._by_words(dated) if self._spec.mode != "vector" else None
        cosines = self._compared
        if words is not None and cosines is not None:
            cosines = cosines * words.known
        places = self._chosen(words, cosines, dated)
        late_scores = self._late(places, words, self._question)
        if cosines is not None:
            cosines = cosines[places]
            if self._kind == passages.MEMORY:
                cosines = self._centred(places, words, self._question)
        weights, visible = self._spec.about or {}, self.visible
        about = np.zeros(len(places))
        if weights:
            about[:] = [weights.get(item, 0.0) for item in visible.item[places].tolist()]
        named, asked = about >= 1, self.vectors.to_speaker if self.vectors else None
        if asked is not None and named.any() and cosines is not None:
            # A name that only hearsay repeats must not count for it, nor against one's own word.
            cosines = np.where(named, self._centred(places, words, asked), cosines)
            to_speaker = self._late(places, words, asked)
            if late_scores is not None and to_speaker is not None:
                late_scores = np.where(named, to_speaker, late_scores)
        trust, person = visible.trust[places], _sole_person(visible.about[places].tolist())
        for one, told_of in self._told_of(places) if named.any() else ():
            trust[one], person[one] = HEARSAY, told_of
        at = visible.at[places]
        wanted = self._spec.filter
        known_at = wanted.known_at if isinstance(wanted, MemoryFilter) else None
        then = self._tx.now if known_at is None else known_at
        valid = (visible.valid_from[places] <= then) & (visible.valid_until[places] > then)
        return Candidates(
            rowid=places,
            lexical=words.scores[places].astype(np.float64) if words is not None else None,
            cosine=cosines.astype(np.float64) if cosines is not None else None,
            late=late_scores.astype(np.float64) if late_scores is not None else None,
            coverage=words.coverage[places].astype(np.float64) if words is not None else None,
            speaker=visible.speaker[places],
            dated=visible.dated[places],
            asking=visible.asking[places],
            session=self._active_rows.session[places],
            about=about,
            at=at,
            age_days=(self._tx.now - at) / DAY,
            fades=visible.fades[places],
            trust=trust,
            person=person,
            names_day=np.zeros(len(places), np.bool_) if dated is None else dated[places] == 1,
            other_weekday=self._naming_other_weekday()[places],
            valid=valid,
            of_another=self._of_another(places, about, trust, person),
        )

    def _of_another(
        self, places: Places, about: Floats, trust: Floats, person: Places
    ) -> NDArray[np.bool_]:
        """Return a mask of what others say of themselves alone, for a question about the asker.

        Statements about people whom the question names are left out, and so are those about "us".
        """
        asking = self._spec.viewer.persons
        if not (asking and self._spec.query.of_asker and self._kind == passages.MEMORY):
            return np.zeros(len(places), np.bool_)
        others: NDArray[np.bool_] = (person >= 0) & (trust == 1) & (about == 0)
        others &= ~np.isin(person, asking)
        if others.any():
            items = self.visible.item[places]
            texts = memories.texts(self._tx, items[others].tolist())
            several = {item for item, text in texts.items() if speaks_for_several(text)}
            others &= ~np.isin(items, list(several))
        return others

    def _naming_other_weekday(self) -> NDArray[np.bool_]:
        """Return a mask of the rows that name days of the week, but none of the asked ones."""
        named = np.zeros(len(self.visible.passage), np.bool_)
        asked = self._spec.query.weekdays
        if asked and self._kind == passages.MEMORY:
            sides = (sorted(set(WEEKDAYS) - asked), sorted(asked))
            others, own = self._postings([[Term(day, "text") for day in days] for days in sides])
            named[others], named[own] = True, False
        return named

    def _naming_day(self) -> NDArray[np.float32] | None:
        """Return for each row how well its text names the day asked for; None if there is none."""
        asked = self._spec.query
        if not asked.dates or asked.time is None:
            return None
        named = np.zeros(len(self.visible.passage), np.float32)
        told_near = np.abs(self.visible.at - asked.time.start) <= _YEAR
        found = self._postings([lookup.terms for lookup in asked.dates])
        for lookup, rows in zip(asked.dates, found, strict=True):
            named[rows] = np.maximum(named[rows], lookup.worth)
        # "4 May" is most likely that of the year in which it was told, or of the next one.
        likely = np.flatnonzero((named > 0) & (named < 1) & told_near)
        numbers = self.visible.passage[likely].tolist()
        texts, spellings = passages.texts(self._tx, numbers), asked.time.spellings
        of_year = [spellings.may_be_of_year(texts[number]) for number in numbers]
        named[likely] = np.where(of_year, np.float32(1), named[likely])
        return named

    @cached_property
    def _scopes(self) -> list[str]:
        return [passages.scope_token(self._kind, chat) for chat in self._active_rows.chats]

    def _by_words(self, dated: NDArray[np.float32] | None) -> lexical.Lexical | None:
        lookups = self._spec.query.lookups
        if not lookups:
            return None
        found = self._postings([lookup.terms for lookup in lookups])
        # The first lookups are the terms of `named`, in the same order.
        for at, rows in enumerate(self._about_named()[: len(found)]):
            if len(rows):
                found[at] = np.union1d(found[at], rows)
        few = [at for at, one in enumerate(lookups) if one.wider and len(found[at]) < query.FEW]
        for at, rows in zip(few, self._postings([lookups[at].wider for at in few]), strict=True):
            found[at] = np.union1d(found[at], rows)
        unlike = [at for at, rows in enumerate(found) if lookups[at].numbered or not len(rows)]
        like = [at for at in unlike if lookups[at].rivals]
        rivals = dict(zip(like, self._postings([lookups[at].rivals for at in like]), strict=True))
        is_turns = self._kind == passages.MESSAGE
        return lexical.bm25(
            found,
            len(self.visible.passage),
            worth=[lookup.worth for lookup in lookups],
            concepts=[lookup.concept for lookup in lookups],
            rivals=[rivals.get(at) for at in range(len(lookups))],
            sessions=self._active_rows.session if is_turns else None,
            ends_asking=self.visible.ends_asking if is_turns else None,
            words=self.visible.words,
            dated=dated,
        )

    def _about_named(self) -> list[Places]:
        """Return, for each term, the rows about people whom the viewer calls by that term."""
        if not self._called:
            return []
        about = self._active_rows.places_about
        return [about(self._called.get(term, ())) for term in self._spec.query.terms]

    def _told_of(self, places: Places) -> Iterator[tuple[int, int]]:
        """Return (index, person) of the candidates that others than this person said.

        Only for a question that is nothing but the name of a person, and for candidates without
        subjects: else the words of the question, or the subjects, tell better whom a candidate is
        about.
        """
        called = [self._called.get(term, ()) for term in self._spec.query.terms]
        persons = set(called[0]).intersection(*called[1:]) if called else set()
        if self._kind != passages.MEMORY or len(persons) != 1:
            return
        [person] = persons
        items = self.visible.item[places].tolist()
        unnamed = [at for at, place in enumerate(places.tolist()) if not self.visible.about[place]]
        speakers = memories.speakers(self._tx, {items[at] for at in unnamed})
        yield from ((at, person) for at in unnamed if speakers.get(items[at], person) != person)

    def _postings(self, lookups: Sequence[Sequence[Term]]) -> list[Places]:
        """Return for each lookup the places of the rows with any of its terms."""
        within = self._scopes if len(self._scopes) <= _MOST_SCOPES else None
        found = passages.postings(self._tx, lookups, within)
        return [self._active_rows.places(np.array(rows, np.int64)) for rows in found]

    def _centred(
        self, places: Places, words: lexical.Lexical | None, asked: Embedding | None
    ) -> NDArray[np.float32]:
        """The cosine of each place with a question, as the calibration compares them.

        0 without vectors. Used for memories only: turns gain nothing by it.
        """
        assert self.cache is not None
        assert self.vectors is not None
        assert asked is not None
        mean, passages_ = self.vectors.calibration.mean, self.visible.passage[places]
        question = self.vectors.calibration.adapted(asked.pooled)
        found = calibration.centred(
            self.cache.cosines(self._tx, passages_, question),
            self.cache.cosines(self._tx, passages_, mean),
            float(question @ mean),
            float(mean @ mean),
        )
        found = np.where(self.missing(places), np.float32(0), found)
        return found if words is None else found * words.known[places]

    def taken(self, by: Classifier, most: int, others: Classifier) -> list[Found]:
        """Return the currently valid items that a classifier accepts, likeliest first.

        Those about somebody else than their teller, as `others` tells, have a signal. Returns none
        if the cache cannot hold all vectors: each classifier would read them.
        """
        if self.cache is None or not self.cache.is_kept:
            return []
        visible, now = self.visible, self._tx.now
        scores = self.cache.cosines(self._tx, visible.passage, by.weights) + np.float32(by.bias)
        takes = (scores >= by.least) & ~self.missing(np.arange(len(scores)))
        takes &= (visible.valid_from <= now) & (visible.valid_until > now)
        places = sorted(np.flatnonzero(takes).tolist(), key=lambda place: -scores[place])
        of_others = self.cache.cosines(self._tx, visible.passage[places], others.weights)
        found: dict[int, Found] = {}
        for place, other in zip(places, of_others + np.float32(others.bias), strict=True):
            item, number = int(visible.item[place]), int(visible.passage[place])
            signals = {ABOUT_ANOTHER: 1.0} if other >= others.least else {}
            likely = float(1 / (1 + np.exp(-scores[place])))
            found.setdefault(item, Found(item, likely, True, False, number, signals))
        return list(found.values())[:most]

    def missing(self, places: Places) -> NDArray[np.bool_]:
        """Return a mask of the places without vectors; all false if no vectors are searched."""
        if self._compared is None:
            return np.zeros(len(places), dtype=np.bool_)
        missing: NDArray[np.bool_] = self._compared[places] == NONE
        return missing

    def ranking(
        self, entries: Sequence[tuple[int, float, bool, bool, dict[str, float]]], by: Candidates
    ) -> Ranking:
        """Return one entry per item; a long item has that of its best passage."""
        visible, found = self.visible, dict[int, Found]()
        places = np.array([entry[0] for entry in entries], np.int64)
        items, numbers = visible.item[places].tolist(), visible.passage[places].tolist()
        for item, passage, entry in zip(items, numbers, entries, strict=True):
            if item not in found:
                _, score, relevant, weak, signals = entry
                found[item] = Found(item, score, relevant, weak, passage, signals)
        ranked = list(found.values())
        # Archived rows wait for no vectors.
        active = np.flatnonzero(visible.archived == 0)
        lacks = bool(self.missing(active).any())
        return Ranking(_with_places(visible, ranked, by) if self._spec.explain else ranked, lacks)

    def _chosen(
        self,
        words: lexical.Lexical | None,
        cosines: NDArray[np.float32] | None,
        dated: NDArray[np.float32] | None,
    ) -> Places:
        """Return the places that any leg finds, each once, in a stable order."""
        chosen: list[Places] = []
        if cosines is not None:
            chosen.append(_best(cosines))
        if words is not None:
            best = _best(words.scores)
            chosen.append(best[words.scores[best] > 0])
        if self._spec.about:
            named = np.isin(self.visible.item, list(self._spec.about))
            chosen.append(np.flatnonzero(named)[-_EACH_LEG:])
        if self._kind == passages.MEMORY and len(from_then := self._from_then(dated)):
            if self._spec.query.time_alone:
                newest_last = np.argsort(self.visible.at[from_then], kind="stable")
                chosen.append(from_then[newest_last[-_EACH_LEG:]])
            elif cosines is not None:
                chosen.append(from_then[_best(cosines[from_then])])
        each_once = dict.fromkeys(place for leg in chosen for place in leg.tolist())
        return np.array(list(each_once), dtype=np.int64)

    def _from_then(self, dated: NDArray[np.float32] | None) -> Places:
        """Return the places that are from the time asked for, or whose texts name its day."""
        time = self._spec.query.time
        if time is None:
            return np.array([], np.int64)
        of_time = (self.visible.at >= time.start) & (self.visible.at < time.end)
        return np.flatnonzero(of_time if dated is None else of_time | (dated == 1))

    def _late(
        self, places: Places, words: lexical.Lexical | None, asked: Embedding | None
    ) -> NDArray[np.float32] | None:
        """Return the late interaction of the candidates, with their neighbours, with a question."""
        question = asked.tokens if asked else None
        if self.cache is None or question is None or not len(question.ids) or not len(places):
            return None
        steps = _WINDOW if self._kind == passages.MESSAGE else _WINDOW[:1]
        at = places[:, None] + np.array(steps, dtype=np.int64)
        inside = (at >= 0) & (at < len(self.visible.passage))
        at = np.where(inside, at, 0)
        if len(steps) > 1:
            session = self._active_rows.session
            inside &= session[at] == session[at[:, :1]]
        needed = np.unique(at[inside])
        tokens, passages_ = self.cache.tokens, self.visible.passage[needed]
        vectors = question.vectors[: late_interaction.QUESTION_TOKENS]
        if len(vectors) * len(passages_) > _MANY:
            most = late_interaction.compared(len(vectors), tokens.count(self._tx, passages_))
            vectors = vectors[:most]
        asked_before = inside[:, 1] & self.visible.ends_asking[at[:, 1]] if len(steps) > 1 else None
        scores = late_interaction.window_maxsim(
            vectors.astype(np.float32) / np.float32(127),
            None,
            tokens.of(self._tx, passages_),
            np.where(inside, np.searchsorted(needed, at), -1),
            answers=asked_before,
            discounts=late_interaction.DISCOUNTS[: len(steps)],
        )
        return scores if words is None else scores * words.known[places]


def _sole_person(about: Sequence[tuple[int, ...]]) -> Places:
    """Return the only person each is about; -1 for nobody, and for several."""
    return np.array([people[0] if len(people) == 1 else -1 for people in about], dtype=np.int64)


def _best(scores: NDArray[np.float32]) -> Places:
    """Return the places of the highest scores, best first; the first of equal ones."""
    top = np.arange(len(scores))
    if len(scores) > _EACH_LEG:
        top = np.sort(np.argpartition(-scores, _EACH_LEG)[:_EACH_LEG])
    best: Places = top[np.argsort(-scores[top], kind="stable")]
    return best


def _with_places(visible: VisibleRows, found: list[Found], candidates: Candidates) -> list[Found]:
    """Add each leg's score and rank of an item, for `explain` (D8)."""
    signals: dict[int, dict[str, float]] = {}
    items = visible.item[candidates.rowid].tolist()
    for leg in ("lexical", "cosine", "late"):
        scores = getattr(candidates, leg)
        if scores is None:
            continue
        order = np.argsort(-scores, kind="stable").tolist()
        for rank, place in enumerate(order, start=1):
            item = items[place]
            if f"{leg}_rank" not in signals.setdefault(item, {}):
                score = round(float(scores[place]), 4)
                signals[item] |= {f"{leg}_score": score, f"{leg}_rank": float(rank)}
    return [
        entry._replace(signals={**entry.signals, **signals.get(entry.item, {})}) for entry in found
    ]
