"""Label texts that have no label: health, money, faith, sex and law of a person are personal.

A linear classifier over a text's vector, its words and its character n-grams decides.
`benchmarks/sensitivity/fit.py` fitted it on the sentences beside that script; the figures are
there. A long sentence is judged clause by clause as well. The vectors are the static ones that
every installation has; if MiniLM or the multilingual model has vectors of a text anyway, another
set of weights uses these too, and finds what is only hinted at. Names, tags and subjects have
weights of their own. Other languages are covered by the words of `sensitive_words`, and far better
by the multilingual model, whose weights are fitted on English alone. What must always hold: a text
that cannot be judged is personal, and no text is logged.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from math import inf
from pathlib import Path
from threading import Event, Lock
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from zipfile import BadZipFile
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ashd import limits, log
from ashd.access import sensitive_words
from ashd.errors import EmbeddingUnavailable
from ashd.language.text_caches import cached_by_text
from ashd.language.word_patterns import CLASSIFIER_TOKEN
from ashd.providers import minilm_install, multilingual_install, wordllama
from ashd.providers.embedder import FloatVector

Label: TypeAlias = Literal["personal"] | None

WEIGHTS: Final = Path(__file__).with_name("sensitivity.npz")
CONTEXTUAL: Final = {minilm_install.MODEL: "contextual", multilingual_install.MODEL: "multilingual"}
"""The models whose vectors `label` takes, with their sets of weights."""
MODELS: Final = {
    "static": wordllama.WordLlamaEmbedder.model,
    "short": wordllama.WordLlamaEmbedder.model,
    "clause": wordllama.WordLlamaEmbedder.model,
    **{name: model for model, name in CONTEXTUAL.items()},
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
_CACHED_NAMES: Final = 4_096
SHARE_OF_STATIC: Final = 0.5
SHARE_OF_STATIC_AMONG_SEVERAL: Final = 2.0
"""Weight of the static score for a passage that a model has read, of one or of several sentences.

One vector of several sentences blurs each; the static score is the highest of the sentences.
"""

_FEATURES: Final = 2 * RUN_BUCKETS
"""Keys of features: words in the first half, which they do not fill, and runs in the second."""
_KEY: Final = np.dtype(np.uint16)
_ANY_TEXT: Final = WORD_BUCKETS
"""The key of a feature that every text has, after its words; its weight is the bias."""
_NONE: Final = -1
"""A key before all others, of no feature."""

_LOADING: Final = Lock()
_LOADED: Final = Event()
_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u02bc": "'"})
_DIGIT: Final = re.compile(r"\d")
_BEFORE_FIRST: Final = crc32(b"^ ")
_CLAUSE_END: Final = re.compile(r"[,;:]\s+|\s[-\u2013\u2014]\s|[\u3001\uff0c\uff1b]")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")  # noqa: RUF001  scripts


class Read(NamedTuple):
    """A passage as judged without a model: scores, positive if personal.

    `static` is the whole score without a model; `lexical` lacks the part of the vector.
    """

    static: float
    lexical: Mapping[str, float]
    """By the set of weights."""
    has_several: bool
    """Whether the text has more than one sentence."""
    clause: float = -inf
    """The highest score of a clause where clauses are judged; decides also if a model read it."""


_PERSONAL: Final = Read(inf, {}, has_several=False)


class Weights(NamedTuple):
    """The classifiers, by the names of `MODELS`."""

    vectors: dict[str, FloatVector]
    """Weights of the vectors of each one's model."""
    features: FloatVector
    """Weights of the features, a column for each; the rows of runs begin at RUN_BUCKETS."""


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
    """Judge a passage by its sentences, and a long sentence also by its clauses; .1 ms each."""
    return _judged(text, short_tokens=0)


def read_details(text: str) -> Read:
    """Judge the short texts stored with a memory: tags, subjects, values with and without key."""
    return _judged(text, short_tokens=SHORT_TOKENS)


def _judged(text: str, *, short_tokens: int) -> Read:
    is_name = short_tokens and len(text) <= limits.NAME_CHARS
    try:
        return _read_name(text) if is_name else _read(text, short_tokens)
    except (EmbeddingUnavailable, OSError, ValueError, KeyError, BadZipFile) as error:
        log.warning("sensitivity_not_judged", reason=type(error).__name__)
        return _PERSONAL


def label(
    passages: Iterable[Read],
    vectors: Iterable[FloatVector | None] = (),
    model: str = minilm_install.MODEL,
) -> Label:
    """Return the label of the passages read; `vectors` are a model's of the first ones, if any."""
    known, name = iter(vectors), CONTEXTUAL[model]
    scores = (max(_score(passage, next(known, None), name), passage.clause) for passage in passages)
    # Asked this way round, a score that is not a number makes a text personal too.
    return None if all(score <= 0 for score in scores) else "personal"


def described(metadata: Mapping[str, Any]) -> list[str]:
    """Return the short texts of metadata: each value with its key."""
    return list(_described(metadata, ""))


def tokens(text: str) -> list[str]:
    """Return the tokens that the features of a text are made of."""
    return CLASSIFIER_TOKEN.findall(_DIGIT.sub("0", text.lower()))


def features(texts: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """Return the keys of the hashed features of texts, each given as its tokens.

    Features are its words, their character n-grams and the pairs of words. To a key is added
    `_FEATURES` times the place of the text; keys are ascending, each once.
    """
    of_words: list[bytes] = []
    sizes: list[int] = []
    others = [_NONE]
    for place, text in enumerate(texts):
        start = place * _FEATURES
        first_run = start + RUN_BUCKETS
        size = 0
        before = _BEFORE_FIRST
        for keys, plain, after in map(_hashed, text):
            of_words.append(keys)
            size += len(keys)
            others.append(first_run + crc32(plain, before) % RUN_BUCKETS)
            before = after
        others += (first_run + crc32(b"$", before) % RUN_BUCKETS, start + _ANY_TEXT)
        sizes.append(size // _KEY.itemsize)
    starts = np.repeat(np.arange(len(texts)) * _FEATURES, sizes)
    found = np.concatenate([np.frombuffer(b"".join(of_words), _KEY) + starts, others])
    found.sort()
    once: NDArray[np.int64] = found[1:][found[1:] != found[:-1]]
    return once


class _Hashed(NamedTuple):
    """A word's features."""

    keys: bytes
    """The keys of the word itself and of its character n-grams, as numbers of type `_KEY`."""
    plain: bytes
    after: int
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
    keys = {RUN_BUCKETS + crc32(marked[start:end]) % RUN_BUCKETS for start, end in starts}
    keys.add(crc32(plain) % WORD_BUCKETS)
    return _Hashed(np.array(list(keys), _KEY).tobytes(), plain, crc32(plain + b" "))


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


@cached_by_text(_CACHED_NAMES)
def _read_name(text: str) -> Read:
    """Judge a name or a relationship, of which most are said again and again."""
    return _read(text, SHORT_TOKENS)


def _read(text: str, short_tokens: int) -> Read:
    weights, static = _weights(), wordllama.static_vectors()
    if sensitive_words.PATTERN.search(text.lower()):
        return _PERSONAL
    parts = sentences(text.translate(_APOSTROPHES))
    of_parts = [tokens(part) for part in parts]
    inner: list[str] = []
    margins: list[float] = []
    for part, own in zip(parts, of_parts, strict=True):
        is_long = len(own) > SENTENCE_TOKENS
        if (is_long or short_tokens) and len(found := clauses(part)) > 1:
            inner += found
            margins += [_CLAUSE_MARGIN if is_long else 0.0] * len(found)
    whole = of_parts if len(parts) == 1 else [list(chain.from_iterable(of_parts)), *of_parts]
    lexical = _lexical(features([*whole, *map(tokens, inner)]), weights.features)
    scores: list[float] = []
    for place, (part, own) in enumerate(zip(parts, of_parts, strict=True), len(whole) - len(parts)):
        name = "short" if len(own) <= short_tokens else "static"
        vector = static.read_stored(part).pooled
        scores.append(lexical[name][place] + float(weights.vectors[name] @ vector))
    by_clause: list[float] = []
    if inner:
        by_vector = (static.pooled(inner) @ weights.vectors["clause"]).tolist()
        columns = zip(lexical["clause"][len(whole) :], by_vector, margins, strict=True)
        by_clause = [own + score - margin for own, score, margin in columns]
    return Read(
        max(scores, default=-inf),
        {name: lexical[name][0] for name in CONTEXTUAL.values()},
        has_several=len(parts) > 1,
        clause=max(by_clause, default=-inf),
    )


def _lexical(keys: NDArray[np.int64], weights: FloatVector) -> dict[str, list[float]]:
    """Return the part of each classifier's scores that needs no vector, text by text."""
    texts = int(keys[-1]) // _FEATURES + 1
    bounds = np.searchsorted(keys, np.arange(2 * texts + 1) * RUN_BUCKETS)
    sums = np.add.reduceat(weights.take(keys % _FEATURES, axis=0), bounds[:-1])
    runs = bounds[2::2] - bounds[1::2]
    scores = sums[::2] + sums[1::2] / np.sqrt(runs)[:, None]
    return dict(zip(MODELS, scores.T.tolist(), strict=True))


def _score(passage: Read, vector: FloatVector | None, name: str) -> float:
    if vector is None or passage == _PERSONAL:
        return passage.static
    contextual = float(_weights().vectors[name] @ vector)
    share = SHARE_OF_STATIC_AMONG_SEVERAL if passage.has_several else SHARE_OF_STATIC
    return passage.lexical[name] + contextual + share * passage.static


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
def _weights() -> Weights:
    vectors: dict[str, FloatVector] = {}
    features = np.zeros((_FEATURES, len(MODELS)), dtype=np.float32)
    with np.load(WEIGHTS) as stored:
        for column, (name, model) in enumerate(MODELS.items()):
            if str(stored[f"{name}_model"]) != model:
                raise ValueError(f"the weights {name} are for the vectors of another model")
            vectors[name] = stored[f"{name}_vector"].astype(np.float32)
            features[:WORD_BUCKETS, column] = stored[f"{name}_words"]
            features[_ANY_TEXT, column] = stored[f"{name}_bias"]
            features[RUN_BUCKETS:, column] = stored[f"{name}_runs"]
    return Weights(vectors, features)
