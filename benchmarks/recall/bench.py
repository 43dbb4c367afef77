"""The retrieval pipeline over one conversation in memory, as the daemon runs it over its store.

FTS5 postings, exact cosines and token vectors feed the same modules of `ashd.search` that the
daemon uses; what is measured here is the ranking, without sockets and policy.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

import apsw
import numpy as np
from numpy.typing import NDArray

from ashd import clock
from ashd.language import english_dates, ngrams
from ashd.language.text_form import read_cues
from ashd.providers.embedder import Embedder, Embedding
from ashd.search import fusion, late_interaction, lexical, query
from ashd.search.candidates import Candidates
from ashd.search.query import Query
from ashd.store.full_text_terms import Term, expression
from benchmarks.recall.locomo import Conversation, Question

EACH_LEG = 150
NOW = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
_SCHEMA = """create virtual table turns using fts5(
    scope, body, names, dates, grams, tokenize = 'porter unicode61 remove_diacritics 2')"""


@dataclass(frozen=True)
class Prepared:
    """A question's candidates, ready to be weighted again and again."""

    question: Question
    places: NDArray[np.int64]
    values: NDArray[np.float64]
    sessions: NDArray[np.int64]
    gold: NDArray[np.bool_]


class Bench:
    """One conversation, indexed."""

    alone = False
    """Texts have no neighbours."""

    def __init__(self, conversation: Conversation, embedder: Embedder | None) -> None:
        self.conversation = conversation
        self.embedder = embedder
        self.speakers = conversation.speakers
        turns = conversation.turns
        cues = [read_cues(turn.text) for turn in turns]
        self.sessions = np.array([turn.session for turn in turns])
        self.ends_asking = np.array([one.ends_asking for one in cues])
        self.asking = np.array([one.asking for one in cues], dtype=np.float64)
        self.dated = np.array([one.dated for one in cues], dtype=np.bool_)
        self.words = np.array([one.words for one in cues])
        self.said_by = np.array([turn.speaker for turn in turns], dtype=np.object_)
        self.at = np.array([clock.to_micros(turn.at) for turn in turns])
        self.windows = _windows(self.sessions)
        self.answers = np.array(
            [before >= 0 and bool(self.ends_asking[before]) for before in self.windows[:, 1]]
        )
        self.db = apsw.Connection(":memory:")
        self.db.execute(_SCHEMA)
        for place, turn in enumerate(turns):
            row = (turn.text, turn.speaker, english_dates.date_words(int(self.at[place])))
            self.db.execute(
                "insert into turns (rowid, scope, body, names, dates, grams)"
                " values (?, 's1', ?, ?, ?, ?)",
                (place, *row, ngrams.index_grams(turn.text)),
            )
        if embedder is not None:
            self._embed([turn.text for turn in turns])

    def _embed(self, texts: list[str]) -> None:
        assert self.embedder is not None
        stored = self.embedder.embed(texts)
        self.pooled = np.stack([embedding.pooled for embedding in stored])
        self.tokens = [e.tokens.vectors if e.tokens else None for e in stored]

    def analyse(self, text: str) -> Query:
        return query.analyse(text, speaker_names=self.speakers, now=NOW)

    def candidates(self, asked: Query) -> Candidates:
        words = self._words(asked)
        best = np.argsort(-words.scores, kind="stable")[:EACH_LEG]
        places = dict.fromkeys(best[words.scores[best] > 0].tolist())
        embedding = self.embedder.embed_query(asked.embed_text) if self.embedder else None
        cosines = None
        if embedding is not None:
            cosines = (self.pooled @ embedding.pooled) * words.known
            near = np.argsort(-cosines, kind="stable")[:EACH_LEG]
            places.update(dict.fromkeys(near.tolist()))
        found = np.array(list(places), dtype=np.int64)
        lates = self._late(found, embedding)
        none = np.zeros(len(found))
        return Candidates(
            rowid=found,
            lexical=words.scores[found].astype(np.float64),
            cosine=cosines[found].astype(np.float64) if cosines is not None else None,
            late=(lates * words.known[found]).astype(np.float64) if lates is not None else None,
            coverage=words.coverage[found].astype(np.float64),
            speaker=self.said_by[found],
            dated=self.dated[found],
            asking=self.asking[found],
            session=self.sessions[found],
            about=none,
            at=self.at[found],
            age_days=none,
            fades=np.zeros(len(found), dtype=np.bool_),
            trust=np.ones(len(found)),
            person=np.full(len(found), -1),
            names_day=np.zeros(len(found), dtype=np.bool_),
            other_weekday=np.zeros(len(found), dtype=np.bool_),
            valid=np.ones(len(found), dtype=np.bool_),
            of_another=np.zeros(len(found), dtype=np.bool_),
        )

    def rank(self, text: str, weights: fusion.Weights) -> list[str]:
        asked = self.analyse(text)
        ranked = fusion.fuse(self.candidates(asked), asked, weights)
        return [self.conversation.turns[entry.rowid].external_id for entry in ranked]

    def prepare(self, question: Question) -> Prepared:
        asked = self.analyse(question.text)
        found = self.candidates(asked)
        turns = self.conversation.turns
        return Prepared(
            question=question,
            places=found.rowid,
            values=fusion.signal_values(found, asked),
            sessions=found.session,
            gold=np.array(
                [turns[place].external_id in question.evidence for place in found.rowid.tolist()],
                dtype=bool,
            ),
        )

    def _words(self, asked: Query) -> lexical.Lexical:
        postings, rivals = [], []
        for lookup in asked.lookups:
            rows = self._rows(lookup.terms)
            if len(rows) < query.FEW and lookup.wider:
                rows = np.union1d(rows, self._rows(lookup.wider))
            postings.append(rows)
            has_rivals = lookup.rivals and (lookup.numbered or not len(rows))
            rivals.append(self._rows(lookup.rivals) if has_rivals else None)
        return lexical.bm25(
            postings,
            len(self.at),
            worth=[lookup.worth for lookup in asked.lookups],
            concepts=[lookup.concept for lookup in asked.lookups],
            rivals=rivals,
            sessions=None if self.alone else self.sessions,
            ends_asking=self.ends_asking,
            words=self.words,
        )

    def _rows(self, terms: Sequence[Term]) -> NDArray[np.int64]:
        found = self.db.execute(
            "select rowid from turns where turns match ?", (expression(terms, ["s1"]),)
        )
        return np.fromiter((row[0] for row in found), dtype=np.int64)

    def _late(
        self, places: NDArray[np.int64], embedding: Embedding | None
    ) -> NDArray[np.float32] | None:
        if embedding is None or embedding.tokens is None or not len(embedding.tokens.ids):
            return None
        if not len(places):
            return None
        wanted = self.windows[places]
        if self.alone:
            wanted[:, 1:] = -1
        rows = np.unique(wanted[wanted >= 0])
        texts = [self.tokens[row] for row in rows]
        offsets = np.cumsum([0, *(len(text) for text in texts)], dtype=np.int64)
        local = np.where(wanted >= 0, np.searchsorted(rows, wanted), -1)
        return late_interaction.window_maxsim(
            embedding.tokens.vectors.astype(np.float32) / np.float32(127),
            None,
            [late_interaction.Tokens(np.concatenate(texts), offsets)],
            local,
            answers=self.answers[places],
        )


def _windows(sessions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Own place, one back, one on, two back, two on; -1 beyond the session: (n, 5)."""
    own = np.arange(len(sessions))
    columns = [own]
    for step in (-1, 1, -2, 2):
        there = own + step
        inside = (there >= 0) & (there < len(own))
        safe = np.where(inside, there, 0)
        columns.append(np.where(inside & (sessions[safe] == sessions), safe, -1))
    return np.stack(columns, axis=1)
