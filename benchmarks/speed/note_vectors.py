"""The vectors of notes, made by the embedder once and kept in a file.

An embedding takes a millisecond of CPU, so 50,000 of them take a minute of one core. The file is
made anew for other texts or another embedder; it can be deleted at any time.
"""

import hashlib
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from ashd.providers.embedder import Embedder, Embedding, TokenVectors
from benchmarks.speed.stored import Embed

FOLDER: Final = Path(__file__).parent / "cache"
_AT_ONCE: Final = 64


def of(embedder: Embedder, texts: Sequence[str], folder: Path = FOLDER) -> Embed:
    """Return a function that gives each of the texts its own vectors."""
    named = hashlib.blake2b("\n".join([embedder.model, *texts]).encode(), digest_size=12)
    file = folder / f"{named.hexdigest()}.npz"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _make(embedder, texts, file)
    return _read(file, texts).__getitem__


def _make(embedder: Embedder, texts: Sequence[str], file: Path) -> None:
    begun = time.process_time()
    made: list[Embedding] = []
    for first in range(0, len(texts), _AT_ONCE):
        made += embedder.embed(texts[first : first + _AT_ONCE])
    tokens = [one.tokens for one in made if one.tokens is not None]
    part = file.with_suffix(".part.npz")
    np.savez(
        part,
        pooled=np.stack([one.pooled for one in made]),
        tokens=np.concatenate([one.vectors for one in tokens]),
        ids=np.concatenate([one.ids for one in tokens]),
        ends=np.cumsum([len(one.ids) for one in tokens]),
    )
    part.rename(file)
    taken = time.process_time() - begun
    print(f"{len(texts):,} notes embedded: {taken:.0f} s of CPU", file=sys.stderr, flush=True)


def _read(file: Path, texts: Sequence[str]) -> dict[str, Embedding]:
    with np.load(file) as kept:
        pooled, tokens, ids = kept["pooled"], kept["tokens"], kept["ids"]
        bounds = pairwise([0, *kept["ends"].tolist()])
    return {
        text: Embedding(vector, TokenVectors(tokens[begin:end], ids[begin:end]))
        for text, vector, (begin, end) in zip(texts, pooled, bounds, strict=True)
    }
