"""Preparation of a text for the index: cut into passages, with its names, dates and form."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ashd import limits
from ashd.language import english_dates, ngrams
from ashd.language.text_form import TextCues, read_cues
from ashd.providers.embedder import Embedder, Embedding, pooled_to_bytes
from ashd.store import embeddings, passages
from ashd.store.database import Tx
from ashd.store.embeddings import EmbeddingSet
from ashd.store.passages import Passage

_PARAGRAPH: Final = re.compile(r"\n\s*\n")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？؟])\s+|(?<=[。！？])|\n")  # noqa: RUF001  scripts


def is_long(text: str) -> bool:
    """Return whether a text is more than one passage."""
    return len(text) > limits.PASSAGE_CHARS


def split(text: str) -> list[str]:
    """Return the passages of a text: all of it if it is short, else joined paragraphs (E11).

    A paragraph that is too long is cut at sentences, and those at words. Each passage has at most
    `limits.PASSAGE_CHARS` characters; together they hold all words of the text in order.
    """
    if not is_long(text):
        return [text]
    pieces = [piece for part in _PARAGRAPH.split(text) for piece in _pieces(part.strip())]
    made: list[str] = []
    for piece in pieces:
        if made and len(made[-1]) + 2 + len(piece) <= limits.PASSAGE_CHARS:
            made[-1] = f"{made[-1]}\n\n{piece}"
        else:
            made.append(piece)
    return made


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, in order."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


def _pieces(text: str) -> list[str]:
    """Cut a paragraph into pieces that are short enough."""
    for cut in (_SENTENCE_END, re.compile(r"\s+")):
        if len(text) <= limits.PASSAGE_CHARS:
            break
        parts, made = [part for part in cut.split(text) if part], [""]
        for part in parts:
            if len(made[-1]) + 1 + len(part) <= limits.PASSAGE_CHARS:
                made[-1] = f"{made[-1]} {part}".strip()
            else:
                made.append(part)
        if all(len(piece) <= limits.PASSAGE_CHARS for piece in made):
            return [piece for piece in made if piece]
    return [
        text[start : start + limits.PASSAGE_CHARS]
        for start in range(0, len(text), limits.PASSAGE_CHARS)
    ]


def digest(text: str) -> bytes:
    """Return the key of a text's vectors: 16 bytes."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class TextVectors:
    """Vectors of texts by digest, with their embedder's model and index.

    Empty if there were none: such texts are queued.
    """

    embedder: Embedder | None = None
    index: EmbeddingSet | None = None
    by_digest: Mapping[bytes, Embedding] = field(default_factory=dict)

    def __contains__(self, piece: "Piece") -> bool:
        return piece.digest in self.by_digest

    def of(self, text: str) -> Embedding | None:
        """Return the vectors of a text."""
        return self.by_digest.get(digest(text))


class Piece(NamedTuple):
    """A passage's text with its cues, read once, before it goes to the writer thread."""

    text: str
    digest: bytes
    grams: str
    cues: TextCues


def read(text: str) -> tuple[Piece, ...]:
    """Return the pieces of a text, ready to be indexed."""
    return tuple(
        Piece(piece, digest(piece), ngrams.index_grams(piece), read_cues(piece))
        for piece in split(text)
    )


def index(
    tx: Tx,
    *,
    kind: int,
    item: int,
    chat: int,
    pieces: Sequence[Piece],
    names: Sequence[str] = (),
    at: int,
    vectors: TextVectors,
) -> None:
    """Index a memory or message: its full text, and its vectors if there are any, else queued.

    `names` must be open to everybody who may ever see the text: for a message, its speaker's.
    """
    made = passages_of(kind, item, chat, pieces, " ".join(names), at)
    for piece, passage in zip(pieces, made, strict=True):
        _index_vectors(tx, passages.insert(tx, passage), piece.digest, vectors)


def passages_of(
    kind: int, item: int, chat: int, pieces: Sequence[Piece], names: str, at: int
) -> list[Passage]:
    """Return the passages of a memory or message, as they are indexed."""
    return [
        Passage(
            kind=kind,
            item=item,
            ordinal=ordinal,
            chat=chat,
            hash=piece.digest,
            body=piece.text,
            names=names,
            dates=english_dates.date_words(at),
            grams=piece.grams,
            dated=piece.cues.dated,
            asking=piece.cues.asking,
            ends_asking=piece.cues.ends_asking,
            words=piece.cues.words,
        )
        for ordinal, piece in enumerate(pieces)
    ]


def _index_vectors(tx: Tx, number: int, key: bytes, vectors: TextVectors) -> None:
    if vectors.index is not None:
        embedding = vectors.by_digest.get(key)
        if embedding is not None:
            tokens = embedding.tokens.to_bytes() if embedding.tokens else None
            pooled = pooled_to_bytes(embedding.pooled)
            embeddings.put_vector(tx, vectors.index, number, pooled, tokens)
        elif known := embeddings.known_vector(tx, vectors.index, key):
            embeddings.put_vector(tx, vectors.index, number, *known)
    # Missing vectors, of this set or one being built, come later.
    embeddings.enqueue(tx, number)
