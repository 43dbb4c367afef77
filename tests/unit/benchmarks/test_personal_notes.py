"""The notes that speed is measured with, and their vectors."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from ashd.providers.embedder import Embedding, TokenVectors, unit
from benchmarks.speed import note_vectors, personal_notes


class Letters:
    """An embedder whose vectors say which letters a text has; it counts the texts it embedded."""

    model, dimension, token_dimension, reads_context = "letters", 26, 4, False

    def __init__(self) -> None:
        self.embedded = 0

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return a pooled vector, and a token vector for each word."""
        self.embedded += len(texts)
        return [self._one(text) for text in texts]

    def embed_query(self, text: str) -> Embedding:
        """Return the vectors of a question."""
        return self._one(text)

    def _one(self, text: str) -> Embedding:
        counts = np.array([text.lower().count(letter) for letter in map(chr, range(97, 123))])
        words = np.array([len(word) for word in text.split()], np.int32)
        return Embedding(
            unit(counts), TokenVectors(np.repeat(words, 4).astype(np.int8).reshape(-1, 4), words)
        )


def test_notes_are_the_same_each_time_and_none_comes_twice() -> None:
    """A smaller owner has the first notes of a larger one."""
    many = list(islice(personal_notes.notes(), 5_000))

    assert many[:100] == list(islice(personal_notes.notes(), 100))
    assert len(set(many)) == 5_000
    assert not any("{" in text or text.endswith("?") for text in many)


def test_questions_are_questions() -> None:
    """All of their words are filled in."""
    asked = list(islice(personal_notes.questions(1), 300))

    assert all(text.endswith("?") and "{" not in text for text in asked)


def test_a_pattern_gets_two_different_people() -> None:
    """Nobody lends anything to themselves."""
    married = [text for text in islice(personal_notes.notes(), 5_000) if "got married" in text]

    assert married
    assert all(len(set(text.split()[:3:2])) == 2 for text in married)


def test_each_note_keeps_its_own_vectors(tmp_path: Path) -> None:
    """What is read from the file is what the embedder made; it is asked once."""
    texts, embedder = list(islice(personal_notes.notes(), 200)), Letters()

    made = embedder.embed(texts)
    for _ in range(2):
        embed = note_vectors.of(embedder, texts, tmp_path)
        for text, expected in zip(texts, made, strict=True):
            found = embed(text)
            assert found.tokens is not None
            assert expected.tokens is not None
            np.testing.assert_array_equal(found.pooled, expected.pooled)
            np.testing.assert_array_equal(found.tokens.vectors, expected.tokens.vectors)
            np.testing.assert_array_equal(found.tokens.ids, expected.tokens.ids)

    assert embedder.embedded == 400


def test_other_texts_have_vectors_of_their_own(tmp_path: Path) -> None:
    """The file of some notes is not taken for that of others."""
    embedder = Letters()
    note_vectors.of(embedder, ["a"], tmp_path)

    np.testing.assert_array_equal(
        note_vectors.of(embedder, ["b"], tmp_path)("b").pooled, embedder.embed_query("b").pooled
    )
