"""Turns weights of all-MiniLM-L6-v2 into int8 ONNX models: of one text, or of a pair of texts.

Owns the shape of the graph. What must always hold:

- Weights use seven bits (±63): processors without VNNI add pairs of products in 16 bits, which
  eight bits would overflow, and the vectors would depend on the machine.
- The graph has no batch: onnxruntime scales activations by the whole tensor, so a text's vector
  would depend on its neighbours in a batch.

BERT as in Devlin et al. 2019: token and position vectors, then layers of self-attention and a
feed-forward step with GELU, each followed by an addition and a layer norm; the text's vector is
the mean of the last layer's, scaled to unit length. A pair is read as one text with a mark between.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ashd.providers import onnx_file as onnx

LONGEST_TOKENS: Final = 256
"""Longer texts are cut; the model was trained on texts of up to this many tokens."""
HEAD_DIMENSION: Final = 32

OPSET: Final = 20
_LARGEST_WEIGHT: Final = 63
_NORM_EPSILON: Final = 1e-12
_SEGMENTS: Final = "embeddings.token_type_embeddings.weight"

Weights = Mapping[str, NDArray[Any]]
_IDS: Final = [onnx.value("ids", onnx.INT64, ["n"])]


def convert(weights: Weights) -> bytes:
    """The .onnx file for a BERT with heads of 32 dimensions, as read from its safetensors.

    Input `ids`: int64 (n,), n ≤ 256. Outputs: `tokens` float32 (n, dimension), `pooled` float32
    (dimension,) of unit length. Raises KeyError if a tensor is missing.
    """
    return _Graph(weights).embedding()


def convert_language_free(weights: Weights, mean: NDArray[Any], turn: NDArray[Any]) -> bytes:
    """The .onnx file for a BERT whose word vectors are looked up outside, for many languages.

    Input `words`: float32 (n, dimension), n ≤ 256. Output `pooled`: float32 (dimension,) of unit
    length: the mean of the tokens' vectors without `mean`, multiplied by `turn` (dimension,
    dimension). Raises KeyError if a tensor is missing.
    """
    return _Graph(weights).language_free(mean, turn)


def convert_pairs(weights: Weights) -> bytes:
    """The .onnx file for a BERT that reads two texts, one after the other, and classifies them.

    Inputs: `ids` and `segments`, int64 (n,), n ≤ 256; segments are 0 for the first text and 1 for
    the second, each with the mark after it. Output: `likelihoods` float32 (classes,). Beside BERT's
    tensors there are those of two layers, `pairs.hidden` and `pairs.answer`, over the first token's
    vector, the mean of each text's, their difference without its sign and their product. Raises
    KeyError if a tensor is missing.
    """
    return _Graph(weights).classifier()


class _Graph:
    """Collects the nodes and constants of one model; names are made here and nowhere else."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._count = 0
        self._dimension = int(weights["embeddings.position_embeddings.weight"].shape[1])
        self._heads = self._dimension // HEAD_DIMENSION

    def embedding(self) -> bytes:
        segment = self._tensor(_SEGMENTS)[0]  # of one text, so added to every position's vector
        state = self._layers(self._embeddings(segment))
        self._nodes.append(onnx.node("Identity", [state], ["tokens"]))
        self._unit(self._pool(state))
        return self._model(_IDS, tokens=["n", self._dimension], pooled=[self._dimension])

    def language_free(self, mean: NDArray[Any], turn: NDArray[Any]) -> bytes:
        segment = self._tensor(_SEGMENTS)[0]
        count = self._op("Shape", "words", start=0, end=1)
        state = self._layers(self._placed("words", segment, count))
        length = self._constant(np.array([1, self._dimension], np.int64))
        pooled = self._op("Reshape", self._pool(state), length)
        # The mean of vectors of unit length: shorter ones would be moved too far by it.
        whole = self._op("LpNormalization", pooled, axis=-1, p=2)
        moved = self._op("Sub", whole, self._constant(np.asarray(mean, np.float32)))
        turned = self._op("MatMul", moved, self._constant(np.asarray(turn, np.float32)))
        flat = self._constant(np.array([-1], np.int64))
        self._unit(self._op("Reshape", turned, flat))
        words = onnx.value("words", onnx.FLOAT32, ["n", self._dimension])
        return self._model([words], pooled=[self._dimension])

    def classifier(self) -> bytes:
        first, second = self._tensor(_SEGMENTS)
        is_second = self._op("Cast", "segments", to=onnx.FLOAT32)
        column = self._op("Unsqueeze", is_second, self._constant(np.ones(1, np.int64)))
        words = self._embeddings(first, self._op("Mul", column, self._constant(second - first)))
        state = self._layers(words)
        begin, end = (self._constant(np.array([at], np.int64)) for at in (0, 1))
        one = self._constant(np.ones(1, np.float32))
        older = self._mean(self._op("Sub", one, is_second), state)
        newer = self._mean(is_second, state)
        seen = self._op(
            "Concat",
            self._op("Slice", state, begin, end, begin),
            older,
            newer,
            self._op("Abs", self._op("Sub", older, newer)),
            self._op("Mul", older, newer),
            axis=1,
        )
        hidden = self._op("Gelu", self._exact("pairs.hidden", seen))
        answer = self._op("Softmax", self._exact("pairs.answer", hidden), axis=-1)
        flat = self._constant(np.array([-1], np.int64))
        self._nodes.append(onnx.node("Reshape", [answer, flat], ["likelihoods"]))
        classes = len(self._tensor("pairs.answer.bias"))
        segments = onnx.value("segments", onnx.INT64, ["n"])
        return self._model([*_IDS, segments], likelihoods=[classes])

    def _model(self, inputs: Sequence[bytes], **outputs: Sequence[int | str]) -> bytes:
        return onnx.model(
            nodes=self._nodes,
            constants=self._constants,
            inputs=inputs,
            outputs=[onnx.value(name, onnx.FLOAT32, shape) for name, shape in outputs.items()],
            opset=OPSET,
        )

    def _layers(self, state: str) -> str:
        layer = 0
        while f"encoder.layer.{layer}.output.dense.weight" in self._weights:
            state = self._layer(f"encoder.layer.{layer}.", state)
            layer += 1
        return state

    def _embeddings(self, segment: NDArray[np.float32], beside: str | None = None) -> str:
        """Add up the vectors of words, positions and segments; `beside` is added token by token."""
        table = self._tensor("embeddings.word_embeddings.weight")
        scale = _scale(table, axis=1)
        codes = self._op("Gather", self._constant(_quantise(table, scale)), "ids")
        scales = self._op("Gather", self._constant(scale), "ids")
        words = self._op("Mul", self._op("Cast", codes, to=onnx.FLOAT32), scales)
        if beside is not None:
            words = self._op("Add", words, beside)
        return self._placed(words, segment, self._op("Shape", "ids"))

    def _placed(self, words: str, segment: NDArray[np.float32], count: str) -> str:
        """Add the vectors of positions and of a segment to those of `count` words."""
        positions = self._tensor("embeddings.position_embeddings.weight")[:LONGEST_TOKENS] + segment
        start = self._constant(np.zeros(1, np.int64))
        here = self._op("Slice", self._constant(positions), start, count, start)
        return self._norm("embeddings.LayerNorm", self._op("Add", words, here))

    def _layer(self, prefix: str, state: str) -> str:
        attended = self._attention(prefix + "attention.", state)
        wide = self._dense(prefix + "intermediate.dense", attended)
        out = self._dense(prefix + "output.dense", self._op("Gelu", wide))
        return self._norm(prefix + "output.LayerNorm", self._op("Add", out, attended))

    def _attention(self, prefix: str, state: str) -> str:
        """Query, key and value come from one product; 1/√32 is part of the query's weights."""
        parts = ["query", "key", "value"]
        matrices = [self._tensor(f"{prefix}self.{part}.weight").T for part in parts]
        biases = [self._tensor(f"{prefix}self.{part}.bias") for part in parts]
        shrink = np.float32(1 / math.sqrt(HEAD_DIMENSION))
        matrices[0], biases[0] = matrices[0] * shrink, biases[0] * shrink
        joined = self._product(state, np.hstack(matrices), np.concatenate(biases))
        by_head = np.array([-1, 3, self._heads, HEAD_DIMENSION], np.int64)
        split = self._op("Reshape", joined, self._constant(by_head))
        query, key, mixed = (
            self._op(
                "Transpose",
                self._op("Gather", split, self._constant(np.array(part, np.int64)), axis=1),
                perm=(1, 2, 0) if part == 1 else (1, 0, 2),
            )
            for part in range(3)
        )
        share = self._op("Softmax", self._op("MatMul", query, key), axis=-1)
        mixed = self._op("Transpose", self._op("MatMul", share, mixed), perm=(1, 0, 2))
        flat = self._constant(np.array([-1, self._dimension], np.int64))
        out = self._dense(prefix + "output.dense", self._op("Reshape", mixed, flat))
        return self._norm(prefix + "output.LayerNorm", self._op("Add", out, state))

    def _dense(self, name: str, state: str) -> str:
        return self._product(state, self._tensor(name + ".weight").T, self._tensor(name + ".bias"))

    def _product(self, state: str, matrix: NDArray[Any], bias: NDArray[Any]) -> str:
        """Add a product of state and matrix plus bias, in int8; onnxruntime fuses these nodes."""
        scale = _scale(matrix, axis=0)
        codes, factor, zero = self._op3("DynamicQuantizeLinear", state)
        product = self._op("MatMulInteger", codes, self._constant(_quantise(matrix, scale)), zero)
        factors = self._op("Mul", factor, self._constant(scale[0]))
        exact = self._op("Mul", self._op("Cast", product, to=onnx.FLOAT32), factors)
        return self._op("Add", exact, self._constant(bias))

    def _exact(self, name: str, state: str) -> str:
        """Add a product of state and matrix plus bias, in float32: for few small rows."""
        matrix = self._constant(self._tensor(name + ".weight").T)
        bias = self._constant(self._tensor(name + ".bias"))
        return self._op("Add", self._op("MatMul", state, matrix), bias)

    def _mean(self, chosen: str, state: str) -> str:
        """Average the rows of `state` that are 1 in `chosen`; shape (1, dimension)."""
        first = self._constant(np.zeros(1, np.int64))
        row = self._op("Unsqueeze", chosen, first)
        count = self._op("ReduceSum", chosen, first, keepdims=1)
        return self._op("Div", self._op("MatMul", row, state), count)

    def _norm(self, name: str, state: str) -> str:
        scale = self._constant(self._tensor(name + ".weight"))
        bias = self._constant(self._tensor(name + ".bias"))
        return self._op("LayerNormalization", state, scale, bias, epsilon=_NORM_EPSILON)

    def _pool(self, state: str) -> str:
        over_tokens = self._constant(np.zeros(1, np.int64))
        return self._op("ReduceMean", state, over_tokens, keepdims=0)

    def _unit(self, vector: str) -> None:
        """Make a vector of unit length the output."""
        length = self._op("ReduceL2", vector, self._constant(np.zeros(1, np.int64)), keepdims=1)
        self._nodes.append(onnx.node("Div", [vector, length], ["pooled"]))

    def _tensor(self, name: str) -> NDArray[np.float32]:
        return np.asarray(self._weights[name], dtype=np.float32)

    def _constant(self, array: NDArray[Any]) -> str:
        name = self._name()
        self._constants.append(onnx.tensor(name, array))
        return name

    def _op(self, operator: str, *inputs: str, **attributes: onnx.Attribute) -> str:
        out = self._name()
        self._nodes.append(onnx.node(operator, inputs, [out], **attributes))
        return out

    def _op3(self, operator: str, *inputs: str) -> tuple[str, str, str]:
        outs = (self._name(), self._name(), self._name())
        self._nodes.append(onnx.node(operator, inputs, outs))
        return outs

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"


def _scale(matrix: NDArray[Any], axis: int) -> NDArray[np.float32]:
    """Return the scale of one step of the int8 values along `axis`, which keeps length 1."""
    largest = np.abs(matrix).max(axis=axis, keepdims=True)
    return np.asarray(np.where(largest > 0, largest, 1) / _LARGEST_WEIGHT, dtype=np.float32)


def _quantise(matrix: NDArray[Any], scale: NDArray[np.float32]) -> NDArray[np.int8]:
    return np.asarray(np.rint(matrix / scale), dtype=np.int8)
