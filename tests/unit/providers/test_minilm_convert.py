"""The int8 model computes what the exact one computes, and the same every time."""

from collections.abc import Callable

import numpy as np
import onnxruntime
import pytest
from bert_reference import Array, classify, forward, pair_layers, random_weights

from ashd.providers.minilm_convert import convert, convert_pairs

WORDS = 50

Run = Callable[[list[int]], list[Array]]


@pytest.fixture(scope="module")
def weights() -> dict[str, Array]:
    return random_weights(WORDS)


@pytest.fixture(scope="module")
def run(weights: dict[str, Array]) -> Run:
    session = loaded(convert(weights))
    return lambda ids: session.run(["tokens", "pooled"], {"ids": np.array(ids, np.int64)})


def loaded(model: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize("length", [1, 2, 17, 256])
def test_it_agrees_with_the_exact_forward_pass(
    weights: dict[str, Array], run: Run, length: int
) -> None:
    """Pooled and token vectors point where those of the float32 pass do."""
    ids = np.random.default_rng(length).integers(0, WORDS, length).tolist()
    tokens, pooled = run(ids)
    exact_tokens, exact_pooled = forward(weights, ids)
    assert tokens.shape == exact_tokens.shape
    assert np.linalg.norm(pooled) == pytest.approx(1, abs=1e-5)
    assert pooled @ exact_pooled > 0.99
    cosines = (tokens * exact_tokens).sum(axis=1)
    cosines /= np.linalg.norm(tokens, axis=1) * np.linalg.norm(exact_tokens, axis=1)
    assert cosines.min() > 0.97


def test_token_order_counts(run: Run) -> None:
    """The same tokens in another order are another text: positions are part of the model."""
    forwards, backwards = run([1, 2, 3, 4])[1], run([4, 3, 2, 1])[1]
    assert forwards @ backwards < 0.999


def test_the_file_is_the_same_every_time(weights: dict[str, Array]) -> None:
    """Converting twice gives the same bytes, so a hash of them means something."""
    assert convert(weights) == convert(weights)


def test_weights_use_seven_bits(weights: dict[str, Array]) -> None:
    """No weight passes ±63: beyond, sums of pairs overflow on processors without VNNI."""
    from ashd.providers.minilm_convert import _quantise, _scale

    matrix = weights["encoder.layer.0.output.dense.weight"]
    codes = _quantise(matrix, _scale(matrix, axis=0))
    assert np.abs(codes).max(axis=0).tolist() == [63] * matrix.shape[1]


def test_a_missing_tensor_is_an_error(weights: dict[str, Array]) -> None:
    """A file of another model does not become half a graph."""
    rest = {name: array for name, array in weights.items() if "output.dense.bias" not in name}
    with pytest.raises(KeyError):
        convert(rest)


@pytest.mark.parametrize(("older", "newer"), [(2, 1), (1, 9), (9, 9), (200, 56)])
def test_a_pair_is_classified_as_by_the_exact_forward_pass(
    weights: dict[str, Array], older: int, newer: int
) -> None:
    """Likelihoods of three classes, of texts of any length."""
    every = weights | pair_layers()
    ids = np.random.default_rng(older).integers(0, WORDS, older + newer).tolist()
    segments = [0] * older + [1] * newer
    (said,) = loaded(convert_pairs(every)).run(
        ["likelihoods"],
        {"ids": np.array(ids, np.int64), "segments": np.array(segments, np.int64)},
    )
    assert said.shape == (3,)
    assert np.abs(said - classify(every, ids, segments)).max() < 0.03


def test_it_counts_which_text_comes_first(weights: dict[str, Array]) -> None:
    """The same tokens with another boundary between the texts are another pair."""
    session = loaded(convert_pairs(weights | pair_layers()))
    ids = np.array([1, 2, 3, 4], np.int64)
    early, late = (
        session.run(["likelihoods"], {"ids": ids, "segments": np.array(segments, np.int64)})[0]
        for segments in ([0, 1, 1, 1], [0, 0, 0, 1])
    )
    assert np.abs(early - late).max() > 0.01
