"""Vectors keep their values on the way into storage and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ashd.providers.embedder import (
    TokenVectors,
    pooled_from_bytes,
    pooled_to_bytes,
    quantise_tokens,
    unit,
)


def test_pooled_vector_survives_storage() -> None:
    """Bytes of a pooled vector are four a component and give the same vector back."""
    vector = unit(np.arange(1, 9, dtype=np.float32))
    stored = pooled_to_bytes(vector)
    assert len(stored) == 32
    assert np.array_equal(vector, pooled_from_bytes(stored))


@given(count=st.integers(0, 20), dimension=st.integers(1, 100), seed=st.integers(0, 2**32 - 1))
def test_token_vectors_survive_storage(count: int, dimension: int, seed: int) -> None:
    """Ids and vectors of any number of tokens come back as they were, none included."""
    rng = np.random.default_rng(seed)
    tokens = TokenVectors(
        vectors=rng.integers(-127, 128, (count, dimension), dtype=np.int8),
        ids=rng.integers(0, 2**31 - 1, count, dtype=np.int32),
    )
    back = TokenVectors.from_bytes(tokens.to_bytes(), dimension)
    assert np.array_equal(tokens.vectors, back.vectors)
    assert np.array_equal(tokens.ids, back.ids)
    assert back.vectors.shape == (count, dimension)


def test_a_sliced_matrix_is_stored_by_its_values() -> None:
    """A matrix is stored by its values, not its memory layout."""
    vectors = np.arange(24, dtype=np.int8).reshape(4, 6)
    tokens = TokenVectors(vectors=vectors.T[::2], ids=np.arange(6, dtype=np.int32)[::2])
    back = TokenVectors.from_bytes(tokens.to_bytes(), 4)
    assert np.array_equal(vectors.T[::2], back.vectors)


def test_bytes_of_another_dimension_are_refused() -> None:
    """Token vectors read with a wrong dimension are an error, not noise."""
    stored = TokenVectors(np.zeros((3, 64), np.int8), np.zeros(3, np.int32)).to_bytes()
    with pytest.raises(ValueError, match="96 dimensions"):
        TokenVectors.from_bytes(stored, 96)


def test_quantised_tokens_keep_their_similarity() -> None:
    """The dot product of int8 vectors over 127² is the cosine within two hundredths."""
    rng = np.random.default_rng(3)
    vectors = unit(rng.normal(size=(50, 96)))
    codes = quantise_tokens(vectors).astype(np.float32) / 127
    assert np.abs(codes @ codes.T - vectors @ vectors.T).max() < 0.02


def test_a_zero_vector_stays_zero() -> None:
    """A zero vector is not divided by its length, and gives no warning."""
    assert not unit(np.zeros((2, 3))).any()
