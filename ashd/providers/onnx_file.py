"""Writes ONNX models: the few protobuf messages that a graph of tensors and nodes needs.

Owns the field numbers of `onnx.proto` (ONNX IR version 10). It only writes; onnxruntime reads.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ashd.providers import protobuf as pb

Attribute: TypeAlias = int | float | Sequence[int]

_IR_VERSION: Final = 10
_ELEMENT_TYPES: Final = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
FLOAT32: Final = _ELEMENT_TYPES["float32"]
INT8: Final = _ELEMENT_TYPES["int8"]
INT64: Final = _ELEMENT_TYPES["int64"]
_ATTRIBUTE_FLOAT: Final = 1
_ATTRIBUTE_INT: Final = 2
_ATTRIBUTE_INTS: Final = 7


def node(
    operator: str,
    inputs: Iterable[str],
    outputs: Iterable[str],
    **attributes: Attribute,
) -> bytes:
    """Return a NodeProto: `operator` of the standard domain from named inputs to named outputs."""
    parts = [pb.bytes_field(1, name) for name in inputs]
    parts += [pb.bytes_field(2, name) for name in outputs]
    parts.append(pb.bytes_field(4, operator))
    parts += [pb.bytes_field(5, _attribute(name, value)) for name, value in attributes.items()]
    return b"".join(parts)


def _attribute(name: str, value: Attribute) -> bytes:
    head = pb.bytes_field(1, name)
    if isinstance(value, int):
        return head + pb.number_field(3, value) + pb.number_field(20, _ATTRIBUTE_INT)
    if isinstance(value, float):
        return head + pb.float_field(2, value) + pb.number_field(20, _ATTRIBUTE_FLOAT)
    return (
        head
        + b"".join(pb.number_field(8, one) for one in value)
        + pb.number_field(20, _ATTRIBUTE_INTS)
    )


def tensor(name: str, array: NDArray[Any]) -> bytes:
    """Return a TensorProto: a constant of the graph."""
    array = np.asarray(array, order="C")
    dimensions = b"".join(pb.number_field(1, size) for size in array.shape)
    kind = pb.number_field(2, _ELEMENT_TYPES[array.dtype.name])
    return dimensions + kind + pb.bytes_field(8, name) + pb.bytes_field(9, array.tobytes())


def value(name: str, element_type: int, shape: Sequence[int | str]) -> bytes:
    """Return a ValueInfoProto: an input or output; a dimension named by a string is free."""
    dimensions = b"".join(
        pb.bytes_field(
            1, pb.number_field(1, size) if isinstance(size, int) else pb.bytes_field(2, size)
        )
        for size in shape
    )
    tensor_type = pb.number_field(1, element_type) + pb.bytes_field(2, dimensions)
    return pb.bytes_field(1, name) + pb.bytes_field(2, pb.bytes_field(1, tensor_type))


def model(
    *,
    nodes: Iterable[bytes],
    constants: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
    opset: int,
) -> bytes:
    """Return a whole ModelProto, as the bytes of an .onnx file."""
    graph = [pb.bytes_field(1, one) for one in nodes]
    graph.append(pb.bytes_field(2, "ashd"))
    graph += [pb.bytes_field(5, one) for one in constants]
    graph += [pb.bytes_field(11, one) for one in inputs]
    graph += [pb.bytes_field(12, one) for one in outputs]
    operator_set = pb.bytes_field(1, "") + pb.number_field(2, opset)
    return (
        pb.number_field(1, _IR_VERSION)
        + pb.bytes_field(2, "ashd")
        + pb.bytes_field(7, b"".join(graph))
        + pb.bytes_field(8, operator_set)
    )
