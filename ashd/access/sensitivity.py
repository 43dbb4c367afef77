"""Label texts that have no label: health, money, faith, sex and law of a person are personal.

A linear classifier over a text's vector, its words and its character n-grams decides.
`benchmarks/sensitivity/fit.py` fitted it on the sentences beside that script; the figures are
there. A long sentence is judged clause by clause as well. The vectors are the static ones that
every installation has; if MiniLM has vectors of a text anyway, another set of weights uses these
too, and finds what is only hinted at. Names, tags and subjects have weights of their own. The
words of `sensitive_words` cover other languages. What must always hold: a text that cannot be
judged is personal, and no text is logged.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf, sqrt
from pathlib import Path
from threading import Event, Lock
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from zipfile import BadZipFile
from zlib import crc32

import numpy as np

from ashd import log
from ashd.access import sensitive_words
from ashd.errors import EmbeddingUnavailable
from ashd.language.text_caches import cached_by_text
from ashd.language.word_patterns import CLASSIFIER_TOKEN
from ashd.providers import minilm_install, wordllama
from ashd.providers.embedder import FloatVector

Label: TypeAlias = Literal["personal"] | None

WEIGHTS: Final = Path(__file__).with_name("sensitivity.npz")
CONTEXTUAL: Final = minilm_install.MODEL
"""The model whose vectors `label` takes."""
MODELS: Final = {
    "static": wordllama.WordLlamaEmbedder.model,
    "short": wordllama.WordLlamaEmbedder.model,
    "clause": wordllama.WordLlamaEmbedder.model,
    "contextual": CONTEXTUAL,
}
"""The sets of weights and the models whose vectors they fit."""

SHORT_TOKENS: Final = 4
"""Tokens of a name, tag or subject; up to so many, the weights for short texts judge it."""

SENTENCE_TOKENS: Final = 10
"""Tokens of a sentence; one with more is judged clause by clause as well, with weights for these.

The vector of a long list is the mean of its items, in which a single one is lost.
"""
_CLAUSE_MARGIN: Final = 0.4
"""The score above which such a clause decides: the highest of many is often high by chance."""
_WINDOW_WORDS: Final = 8
"""A clause with half as many words again is read in windows of so many, each half over the next."""

WORD_BUCKETS: Final = 2048
RUN_BUCKETS: Final = 8192
_RUN_LENGTHS: Final = (3, 4, 5)
_CACHED_WORDS: Final = 4_096
SHARE_OF_STATIC: Final = 0.5
SHARE_OF_STATIC_AMONG_SEVERAL: Final = 2.0
"""Weight of the static score for a passage that MiniLM has read, of one or of several sentences.

One vector of several sentences blurs each; the static score is the highest of the sentences.
"""

_LOADING: Final = Lock()
_LOADED: Final = Event()
_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u02bc": "'"})
_DIGIT: Final = re.compile(r"\d")
_BEFORE_FIRST: Final = crc32(b"^ ")
_CLAUSE_END: Final = re.compile(r"[,;:]\s+|\s[-\u2013\u2014]\s|[\u3001\uff0c\uff1b]")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")  # noqa: RUF001  scripts


class Bags(NamedTuple):
    """The hashed features of a text: its words, its character n-grams, and pairs of words."""

    words: list[int]
    runs: list[int]
    tokens: int


class Read(NamedTuple):
    """A passage as judged without MiniLM: two scores, positive if personal.

    `static` is the whole score without MiniLM; `lexical` lacks the part of the vector.
    """

    static: float
    lexical: float
    has_several: bool
    """Whether it has more than one sentence."""
    clause: float = -inf
    """The highest score of a clause where clauses are judged; decides also if MiniLM read it."""


_PERSONAL: Final = Read(inf, inf, has_several=False)


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """One classifier; `vector` fits the vectors of one model."""

    vector: FloatVector
    words: FloatVector
    runs: FloatVector
    bias: float

    def lexical(self, bags: Bags) -> float:
        """The part of the score that needs no vector."""
        runs = float(self.runs[bags.runs].sum()) / sqrt(max(len(bags.runs), 1))
        return float(self.words[bags.words].sum()) + runs + self.bias


def classify(text: str) -> Label:
    """Return the label of a short text: a name, a tag, a subject."""
    return label([read_details(text)])


def is_loaded() -> bool:
    """Return whether the weights and the static vectors were read."""
    return _LOADED.is_set()


def load() -> None:
    """Load the weights and the static vectors: a tenth of a second, and 20 MiB from then on."""
    with _LOADING:
        if not _LOADED.is_set():
            read("")
            _LOADED.set()


def read(text: str) -> Read:
    """Judge a passage sentence by sentence, a long one by its clauses too; .1 ms for each."""
    return _judged(text, short_tokens=0)


def read_details(text: str) -> Read:
    """Judge the short texts stored with a memory: tags, subjects, values with and without key."""
    return _judged(text, short_tokens=SHORT_TOKENS)


def _judged(text: str, *, short_tokens: int) -> Read:
    try:
        return _read(text, _weights(), wordllama.static_vectors(), short_tokens)
    except (EmbeddingUnavailable, OSError, ValueError, KeyError, BadZipFile) as error:
        log.warning("sensitivity_not_judged", reason=type(error).__name__)
        return _PERSONAL


def label(passages: Iterable[Read], vectors: Iterable[FloatVector | None] = ()) -> Label:
    """Return the label of the passages read; `vectors` are MiniLM's of the first ones, if any."""
    known = iter(vectors)
    scores = (max(_score(passage, next(known, None)), passage.clause) for passage in passages)
    return "personal" if any(score > 0 for score in scores) else None


def described(metadata: Mapping[str, Any]) -> list[str]:
    """Return the short texts of metadata: each value with its key."""
    return list(_described(metadata, ""))


def bags(text: str) -> Bags:
    """Return the features of a text that need no vector."""
    tokens = CLASSIFIER_TOKEN.findall(_DIGIT.sub("0", text.lower()))
    words: set[int] = set()
    runs: set[int] = set()
    before = _BEFORE_FIRST
    for token in map(_hashed, tokens):
        words.add(token.word)
        runs.update(token.runs)
        runs.add(crc32(token.plain, before) % RUN_BUCKETS)  # with the word before it
        before = token.before
    runs.add(crc32(b"$", before) % RUN_BUCKETS)
    return Bags(sorted(words), sorted(runs), len(tokens))


class _Hashed(NamedTuple):
    """A word's buckets: its own, and those of its character n-grams."""

    word: int
    runs: tuple[int, ...]
    plain: bytes
    before: int
    """The checksum of the word and a space: where that of the word and the next one begins."""


@cached_by_text(_CACHED_WORDS)
def _hashed(token: str) -> _Hashed:
    plain = token.encode()
    marked = b"<%b>" % plain
    starts = (
        (start, start + length)
        for length in _RUN_LENGTHS
        for start in range(len(marked) - length + 1)
    )
    runs = {crc32(marked[start:end]) % RUN_BUCKETS for start, end in starts}
    return _Hashed(crc32(plain) % WORD_BUCKETS, tuple(runs), plain, crc32(plain + b" "))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; the whole text if it has no end of a sentence."""
    return [part for part in _SENTENCE_END.split(text) if part.strip()]


def clauses(sentence: str) -> list[str]:
    """Return the parts of a sentence between its commas; long parts as windows of words."""
    found: list[str] = []
    for part in _CLAUSE_END.split(sentence):
        words = part.split()
        if len(words) <= _WINDOW_WORDS * 3 // 2:
            found.append(part)
            continue
        starts = range(0, len(words) - _WINDOW_WORDS // 2, _WINDOW_WORDS // 2)
        found.extend(" ".join(words[start : start + _WINDOW_WORDS]) for start in starts)
    return [part for part in found if part.strip()]


def _read(
    text: str, weights: Mapping[str, Weights], static: wordllama.StaticVectors, short_tokens: int
) -> Read:
    if sensitive_words.PATTERN.search(text.lower()):
        return _PERSONAL
    text = text.translate(_APOSTROPHES)
    whole, parts = bags(text), sentences(text)
    scores: list[float] = []
    inner: list[float] = []
    for sentence in parts:
        features = whole if len(parts) == 1 else bags(sentence)
        own = weights["short" if features.tokens <= short_tokens else "static"]
        vector = static.read_stored(sentence).pooled
        scores.append(own.lexical(features) + float(own.vector @ vector))
        is_long = features.tokens > SENTENCE_TOKENS
        if (is_long or short_tokens) and len(found := clauses(sentence)) > 1:
            best = _best_clause(found, weights["clause"], static)
            inner.append(best - _CLAUSE_MARGIN if is_long else best)
    return Read(
        max(scores, default=-inf),
        weights["contextual"].lexical(whole),
        has_several=len(parts) > 1,
        clause=max(inner, default=-inf),
    )


def _best_clause(found: Sequence[str], weights: Weights, static: wordllama.StaticVectors) -> float:
    by_vector: list[float] = (static.pooled(found) @ weights.vector).tolist()
    return max(
        weights.lexical(bags(clause)) + score
        for clause, score in zip(found, by_vector, strict=True)
    )


def _score(passage: Read, vector: FloatVector | None) -> float:
    if vector is None or passage == _PERSONAL:
        return passage.static
    contextual = float(_weights()["contextual"].vector @ vector)
    share = SHARE_OF_STATIC_AMONG_SEVERAL if passage.has_several else SHARE_OF_STATIC
    return passage.lexical + contextual + share * passage.static


def _described(value: Any, key: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _described(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _described(inner, key)
    else:
        yield key if value is None or value == "" else f"{key}: {value}"


@cache
def _weights() -> dict[str, Weights]:
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        return {
            name: Weights(
                vector=stored[f"{name}_vector"].astype(np.float32),
                words=stored[f"{name}_words"].astype(np.float32),
                runs=stored[f"{name}_runs"].astype(np.float32),
                bias=float(stored[f"{name}_bias"]),
            )
            for name, model in MODELS.items()
            if str(stored[f"{name}_model"]) == model
        }
