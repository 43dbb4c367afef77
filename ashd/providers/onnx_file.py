"""Writes ONNX models: the few protobuf messages that a graph of tensors and nodes needs.

Owns the field numbers of `onnx.proto` (ONNX IR version 10). It only writes; onnxruntime reads.

The protobuf wire format in short: a field is a key (number · 8 + type) and a value, either a varint
(type 0), four bytes (type 5), or a length and that many bytes (type 2).
"""

import struct
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Attribute: TypeAlias = int | float | Sequence[int]

_IR_VERSION: Final = 10
_ELEMENT_TYPES: Final = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
FLOAT32: Final = _ELEMENT_TYPES["float32"]
INT8: Final = _ELEMENT_TYPES["int8"]
INT64: Final = _ELEMENT_TYPES["int64"]
_ATTRIBUTE_FLOAT: Final = 1
_ATTRIBUTE_INT: Final = 2
_ATTRIBUTE_INTS: Final = 7


def _varint(value: int) -> bytes:
    """Return `value` with seven bits a byte, lowest first; a negative one in two's complement."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _float(field: int, value: float) -> bytes:
    return _varint(field << 3 | 5) + struct.pack("<f", value)


def _bytes(field: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def node(
    operator: str,
    inputs: Iterable[str],
    outputs: Iterable[str],
    **attributes: Attribute,
) -> bytes:
    """Return a NodeProto: `operator` of the standard domain from named inputs to named outputs."""
    parts = [_bytes(1, name) for name in inputs]
    parts += [_bytes(2, name) for name in outputs]
    parts.append(_bytes(4, operator))
    parts += [_bytes(5, _attribute(name, value)) for name, value in attributes.items()]
    return b"".join(parts)


def _attribute(name: str, value: Attribute) -> bytes:
    head = _bytes(1, name)
    if isinstance(value, int):
        return head + _number(3, value) + _number(20, _ATTRIBUTE_INT)
    if isinstance(value, float):
        return head + _float(2, value) + _number(20, _ATTRIBUTE_FLOAT)
    return head + b"".join(_number(8, one) for one in value) + _number(20, _ATTRIBUTE_INTS)


def tensor(name: str, array: NDArray[Any]) -> bytes:
    """Return a TensorProto: a constant of the graph."""
    array = np.asarray(array, order="C")
    dimensions = b"".join(_number(1, size) for size in array.shape)
    kind = _number(2, _ELEMENT_TYPES[array.dtype.name])
    return dimensions + kind + _bytes(8, name) + _bytes(9, array.tobytes())


def value(name: str, element_type: int, shape: Sequence[int | str]) -> bytes:
    """Return a ValueInfoProto: an input or output; a dimension named by a string is free."""
    dimensions = b"".join(
        _bytes(1, _number(1, size) if isinstance(size, int) else _bytes(2, size)) for size in shape
    )
    tensor_type = _number(1, element_type) + _bytes(2, dimensions)
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor_type))


def model(
    *,
    nodes: Iterable[bytes],
    constants: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
    opset: int,
) -> bytes:
    """Return a whole ModelProto, as the bytes of an .onnx file."""
    graph = [_bytes(1, one) for one in nodes]
    graph.append(_bytes(2, "ashd"))
    graph += [_bytes(5, one) for one in constants]
    graph += [_bytes(11, one) for one in inputs]
    graph += [_bytes(12, one) for one in outputs]
    operator_set = _bytes(1, "") + _number(2, opset)
    return (
        _number(1, _IR_VERSION)
        + _bytes(2, "ashd")
        + _bytes(7, b"".join(graph))
        + _bytes(8, operator_set)
    )
