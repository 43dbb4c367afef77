"""Tiny files of the form that multilingual-e5-small comes in, with random weights."""

import struct
from pathlib import Path

import numpy as np
from bert_reference import Array, random_weights

from ashd.providers.e5_file import BLOCK_VALUES

PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "▁ab", "猫", "é", "<mask>"]
_SCORES = [0.0, 0.0, 0.0, 0.0, -3.0, -5.0, -5.0, -4.0, -6.0, -6.0, 0.0]
_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


def write(path: Path) -> dict[str, Array]:
    """Write a tiny model to `path`; return its weights as four bits leave them, by BERT's names."""
    weights = random_weights(len(PIECES))
    word = "embeddings.word_embeddings.weight"
    tensors: dict[str, bytes] = {}
    kinds: dict[str, tuple[int, int]] = {}

    def add(name: str, of: str) -> None:
        array = weights[of]
        packed = array.ndim == 2 and not of.startswith("embeddings.pos")
        packed = packed and not of.startswith("embeddings.token_type")
        if packed:
            tensors[name], weights[of] = _four_bits(array)
        else:
            tensors[name] = array.astype("<f4").tobytes()
        kinds[name] = (int(packed), array.size)

    add("emb.word", word)
    add("emb.pos", "embeddings.position_embeddings.weight")
    add("emb.type", "embeddings.token_type_embeddings.weight")
    add("emb.ln.w", "embeddings.LayerNorm.weight")
    add("emb.ln.b", "embeddings.LayerNorm.bias")
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in weights:
        for short, name in _NAMES.items():
            for end, kind in (("w", "weight"), ("b", "bias")):
                add(f"l{layer}.{short}.{end}", f"encoder.layer.{layer}.{name}.{kind}")
        layer += 1
    path.write_bytes(_file(weights, layer, tensors, kinds))
    return weights


def _file(
    weights: dict[str, Array],
    layers: int,
    tensors: dict[str, bytes],
    kinds: dict[str, tuple[int, int]],
) -> bytes:
    positions, dimension = weights["embeddings.position_embeddings.weight"].shape
    wide = len(weights["encoder.layer.0.intermediate.dense.bias"])
    heads, rows, segments = dimension // 32, len(PIECES), 2
    text = [piece.encode() for piece in PIECES]
    bounds = np.cumsum([0, *map(len, text)]).astype("<u4")
    head = b"E5S1" + struct.pack("<I", 1)
    head += struct.pack("<7i", dimension, layers, heads, wide, rows, positions, segments)
    head += struct.pack("<fi", 1e-12, BLOCK_VALUES)
    head += struct.pack("<5i", len(PIECES), 0, 2, 1, 3) + struct.pack("<Q", sum(map(len, text)))
    head += bounds.tobytes() + np.array(_SCORES, "<f4").tobytes() + b"".join(text)
    form = struct.pack("<IBI", 0xFF41, 1, ord("a"))
    head += struct.pack("<iI", 1, len(form)) + form
    size = len(head) + 4 + sum(2 + len(name) + 21 for name in tensors)
    directory = struct.pack("<i", len(tensors))
    for name, raw in tensors.items():
        kind, count = kinds[name]
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, count, size, len(raw))
        size += len(raw)
    return head + directory + b"".join(tensors.values())


def _four_bits(array: Array) -> tuple[bytes, Array]:
    """Return the packed rows of an array, and the values that they mean."""
    blocks = array.reshape(len(array), -1, BLOCK_VALUES)
    scales = (np.abs(blocks).max(axis=2, keepdims=True) / 7).astype("<f2")
    values = np.clip(np.rint(blocks / scales.astype(np.float32)) + 8, 0, 15).astype(np.uint8)
    halves = values[:, :, :16] | values[:, :, 16:] << 4
    packed = np.concatenate([scales.view(np.uint8), halves], axis=2)
    exact = (values.astype(np.float32) - 8) * scales.astype(np.float32)
    return packed.tobytes(), exact.reshape(array.shape)
