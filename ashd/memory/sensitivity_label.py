"""The label of a memory without one: from its content and the texts stored with it."""

from collections.abc import Mapping, Sequence
from typing import Any

from ashd.access import sensitivity
from ashd.access.sensitivity import Label, Read
from ashd.memory import marks
from ashd.search.indexing import Piece, TextVectors


def read(
    pieces: Sequence[Piece],
    *,
    subjects: Sequence[str] | None = None,
    tags: Sequence[str] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> tuple[Read, ...]:
    """Judge a content's pieces, then subjects, tags and metadata; for a thread."""
    beside = [*(subjects or ()), *marks.without(tags or ()), *sensitivity.described(metadata or {})]
    judged = [sensitivity.read(piece.text) for piece in pieces]
    return (*judged, *map(sensitivity.read_details, beside))


def label(passages: Sequence[Read], pieces: Sequence[Piece], vectors: TextVectors) -> Label:
    """Return the label from the scores of `read`, with the pieces' vectors if there are any."""
    model = vectors.embedder.model if vectors.embedder is not None else None
    if model not in sensitivity.CONTEXTUAL:
        return sensitivity.label(passages)
    found = (vectors.by_digest.get(piece.digest) for piece in pieces)
    return sensitivity.label(passages, [made.pooled if made else None for made in found], model)
