"""The models written are what onnxruntime reads."""

from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from ashd.providers import onnx_file as onnx
from ashd.providers import protobuf as pb


def run(model: bytes, **inputs: NDArray[Any]) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def test_a_graph_computes_what_it_says() -> None:
    """Constants, attributes of each kind and a free dimension arrive as they were written."""
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    model = onnx.model(
        nodes=[
            onnx.node("MatMul", ["x", "matrix"], ["product"]),
            onnx.node("Transpose", ["product"], ["turned"], perm=(1, 0)),
            onnx.node("LeakyRelu", ["turned"], ["leaky"], alpha=0.5),
            onnx.node("Softmax", ["leaky"], ["y"], axis=-1),
        ],
        constants=[onnx.tensor("matrix", matrix)],
        inputs=[onnx.value("x", onnx.FLOAT32, ["n", 2])],
        outputs=[onnx.value("y", onnx.FLOAT32, [3, "n"])],
        opset=20,
    )
    x = np.array([[1, -2], [0.5, 0], [-1, 3], [0, 0]], dtype=np.float32)
    leaky = (x @ matrix).T
    leaky = np.where(leaky < 0, leaky / 2, leaky)
    expected = np.exp(leaky) / np.exp(leaky).sum(axis=-1, keepdims=True)
    assert np.allclose(expected, run(model, x=x)[0], atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "uint8", "int8", "int32", "int64"])
def test_constants_of_every_type_keep_their_values(dtype: str) -> None:
    """A constant comes out as it went in: type, shape and values."""
    array = np.array([[0, 1, 127], [2, 3, 100]], dtype=dtype)
    element_type = onnx._ELEMENT_TYPES[dtype]
    model = onnx.model(
        nodes=[onnx.node("Identity", ["constant"], ["y"])],
        constants=[onnx.tensor("constant", array)],
        inputs=[],
        outputs=[onnx.value("y", element_type, [2, 3])],
        opset=20,
    )
    found = run(model)[0]
    assert found.dtype == array.dtype
    assert np.array_equal(array, found)


def test_large_and_negative_numbers_are_varints() -> None:
    """A number takes seven bits a byte; a negative one all ten bytes of its complement."""
    assert pb._varint(0) == b"\x00"
    assert pb._varint(300) == b"\xac\x02"
    assert pb._varint(-1) == b"\xff" * 9 + b"\x01"
