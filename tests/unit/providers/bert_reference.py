"""BERT's forward pass in plain numpy, exact to float32: what the int8 model is measured against.

Also makes tiny models with random weights, which have every tensor of the real one.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
HEAD_DIMENSION = 32

_erf = np.vectorize(math.erf, otypes=[np.float64])


def forward(
    weights: dict[str, Array], ids: list[int], segments: list[int] | None = None
) -> tuple[Array, Array]:
    """Token vectors (n, d) and the unit mean (d,) of the token ids of one text, or of a pair."""

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return centred / spread * weights[name + ".weight"] + weights[name + ".bias"]

    def dense(x: Array, name: str) -> Array:
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    def heads(x: Array) -> Array:
        return x.reshape(len(ids), -1, HEAD_DIMENSION).transpose(1, 0, 2)

    table = "embeddings.{}_embeddings.weight".format
    x = weights[table("word")][ids] + weights[table("position")][: len(ids)]
    x = norm(x + weights[table("token_type")][segments or [0]], "embeddings.LayerNorm")
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in weights:
        name = f"encoder.layer.{layer}."
        query, key, value = (
            heads(dense(x, f"{name}attention.self.{part}")) for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(HEAD_DIMENSION)
        share = np.exp(scores - scores.max(axis=-1, keepdims=True))
        share /= share.sum(axis=-1, keepdims=True)
        mixed = (share @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        attended = dense(mixed, name + "attention.output.dense") + x
        attended = norm(attended, name + "attention.output.LayerNorm")
        wide = dense(attended, name + "intermediate.dense")
        x = norm(dense(_gelu(wide), name + "output.dense") + attended, name + "output.LayerNorm")
        layer += 1
    pooled = x.mean(axis=0)
    return x, pooled / np.linalg.norm(pooled)


def classify(weights: dict[str, Array], ids: list[int], segments: list[int]) -> Array:
    """The likelihoods (classes,) of a pair of texts."""
    state, _ = forward(weights, ids, segments)
    second = np.array(segments, dtype=bool)
    older, newer = state[~second].mean(axis=0), state[second].mean(axis=0)
    seen = np.concatenate([state[0], older, newer, np.abs(older - newer), older * newer])
    hidden = _gelu(weights["pairs.hidden.weight"] @ seen + weights["pairs.hidden.bias"])
    answer = weights["pairs.answer.weight"] @ hidden + weights["pairs.answer.bias"]
    share: Array = np.exp(answer - answer.max())
    return share / share.sum()


def _gelu(values: Array) -> Array:
    result: Array = values * (1 + _erf(values / math.sqrt(2))) / 2
    return result


def pair_layers(dimension: int = 64, hidden: int = 16) -> dict[str, Array]:
    """The two layers of a classifier of pairs, never trained."""
    rng = np.random.default_rng(8)
    shapes = {
        "pairs.hidden.weight": (hidden, 5 * dimension),
        "pairs.hidden.bias": (hidden,),
        "pairs.answer.weight": (3, hidden),
        "pairs.answer.bias": (3,),
    }
    return {name: rng.normal(0, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}


def random_weights(words: int, dimension: int = 64, layers: int = 2) -> dict[str, Array]:
    """A model that was never trained, of a size that a test can afford."""
    rng = np.random.default_rng(7)

    def some(*shape: int) -> Array:
        return rng.normal(0, 0.3, shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": some(words, dimension),
        "embeddings.position_embeddings.weight": some(512, dimension),
        "embeddings.token_type_embeddings.weight": some(2, dimension),
    }
    sizes = {"intermediate.dense": (4 * dimension, dimension)}
    sizes["output.dense"] = (dimension, 4 * dimension)
    for part in ("self.query", "self.key", "self.value", "output.dense"):
        sizes["attention." + part] = (dimension, dimension)
    norms = ["embeddings.LayerNorm"]
    for layer in range(layers):
        name = f"encoder.layer.{layer}."
        norms += [name + "attention.output.LayerNorm", name + "output.LayerNorm"]
        for part, shape in sizes.items():
            weights[f"{name}{part}.weight"] = some(*shape)
            weights[f"{name}{part}.bias"] = some(shape[0])
    for name in norms:
        weights[name + ".weight"] = 1 + some(dimension)
        weights[name + ".bias"] = some(dimension)
    return weights


def write_safetensors(path: Path, tensors: dict[str, Any], **more: Any) -> None:
    """`tensors` (float32) in safetensors' format; `more` goes into the header as it is."""
    header, at = dict(more), 0
    for name, array in tensors.items():
        header[name] = {
            "dtype": "F32",
            "shape": array.shape,
            "data_offsets": (at, at + array.nbytes),
        }
        at += array.nbytes
    text = json.dumps(header).encode()
    raw = b"".join(array.tobytes() for array in tensors.values())
    path.write_bytes(len(text).to_bytes(8, "little") + text + raw)
