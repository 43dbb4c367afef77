"""Makes ashd/providers/*_projection.npy, which cut token vectors to fewer dimensions.

    python benchmarks/fit_projection.py MODELS_FOLDER

wordllama: the principal axes of its own table of token vectors; no text takes part.
MiniLM: the principal axes of its token vectors over the sentences below, which were written for
this purpose and stand under this repository's licence; each slot is filled with whole words of
the model's own vocabulary. The same input gives the same file.
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashd.providers.embedder import unit
from ashd.providers.minilm import MiniLmEmbedder
from ashd.providers.minilm_convert import LONGEST_TOKENS
from ashd.providers.minilm_install import TOKENIZER_FILE
from ashd.providers.word_piece import WordPiece
from ashd.providers.wordllama import static_vectors

WORDLLAMA_DIMENSIONS = 64
MINILM_DIMENSIONS = 96
WORDLLAMA_FIRST_PIECE = 259
OUT = Path(__file__).parent.parent / "ashd" / "providers"

SENTENCES = """\
I told my sister about the {} yesterday, and she laughed.
We talked for an hour about {} and {}.
My favourite {} is the one with the {}.
Last summer I went to see the {} with two friends.
Do you still have the {} that I gave you in March?
She moved to another town because of her {}.
He works as a {} in a small company near the {}.
Our team decided to replace the {} by a {} next week.
I have been learning {} for about three years now.
The {} starts at nine on Monday, not on Tuesday.
They bought a {} for the children's {}.
Never again will I eat {} before a long journey.
What did you think of the {} at the wedding?
Congratulations on the {}! You worked so hard for it.
My doctor says that the {} should be gone in ten days.
I am afraid of {}, but I like {} a lot.
The server with the {} went down after the {} was changed.
Please always answer in {} and keep the {} short.
It took us six months to finish the {}.
A neighbour of mine paints {} and sells them at the market.
I lost my {} on the train, so I had to buy another {}.
His brother, a {}, used to play {} every evening.
Before the {} we lived in a flat without a {}.
Thanks for the {}, it made my day.
The deadline of the {} project is the fourth of {}.
In the photo, a {} is standing beside a {}.
I want to join a {} group and help people with {}.
My grandmother taught me how to make {} from {}.
Is it true that you quit {} and took up {}?
The best part of the trip was the {} by the {}.
""".splitlines()


def axes(vectors: NDArray[Any], dimensions: int) -> NDArray[np.float16]:
    """The first principal axes of unit vectors, about the origin; shape (d, dimensions)."""
    exact = np.asarray(vectors, dtype=np.float64)
    basis = np.linalg.eigh(exact.T @ exact)[1][:, ::-1][:, :dimensions]
    largest = np.abs(basis).argmax(axis=0)
    return (basis * np.sign(basis[largest, np.arange(dimensions)])).astype(np.float16)


def whole_words(pieces: list[str]) -> list[str]:
    """The model's whole words without capitals, the most frequent first."""
    return [piece for piece in pieces if len(piece) > 2 and piece.isascii() and piece.isalpha()]


def filled(words: list[str]) -> Iterator[str]:
    """Sentences in which every word stands once at least, the frequent ones three times."""
    rng = random.Random(1)
    slots = words + words[: len(words) // 4] * 2
    rng.shuffle(slots)
    while slots:
        sentence = rng.choice(SENTENCES)
        count = sentence.count("{}")
        yield sentence.format(*(slots.pop() if slots else "day" for _ in range(count)))


def main(models: Path) -> None:
    table = static_vectors().table[WORDLLAMA_FIRST_PIECE:]
    np.save(OUT / "wordllama_projection.npy", axes(unit(table), WORDLLAMA_DIMENSIONS))

    minilm = MiniLmEmbedder(models / "minilm")
    tokenizer = WordPiece(models / "minilm" / TOKENIZER_FILE, longest=LONGEST_TOKENS)
    sentences = list(filled(whole_words(tokenizer.pieces)))
    vectors = np.concatenate([minilm.forward(sentence)[1] for sentence in sentences])
    print(len(sentences), "sentences,", len(vectors), "token vectors")
    np.save(OUT / "minilm_projection.npy", axes(vectors, MINILM_DIMENSIONS))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
