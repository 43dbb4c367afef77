"""Reading tensors: the values of a good file, a clear error for anything else."""

from pathlib import Path

import numpy as np
import pytest
from bert_reference import write_safetensors

from ashd.providers.safetensors_file import read_safetensors


def test_tensors_come_with_name_shape_and_values(tmp_path: Path) -> None:
    """Each tensor of the header is there with its shape; the metadata is no tensor."""
    path = tmp_path / "a.safetensors"
    tensors = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3),
        "b": np.full(4, 0.5, dtype=np.float32),
    }
    write_safetensors(path, tensors, __metadata__={"format": "pt"})
    found = read_safetensors(path)
    assert list(found) == ["a", "b"]
    assert np.array_equal(tensors["a"], found["a"])
    assert np.array_equal(tensors["b"], found["b"])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 8,
        b"\xff" * 64,
        (20).to_bytes(8, "little") + b"not JSON at all     ",
        (2).to_bytes(8, "little") + b"[]" + b"\x00" * 8,
        (12).to_bytes(8, "little") + b'{"a": "bad"}' + b"\x00" * 8,
    ],
)
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """A file that is not safetensors is named and refused, whatever is wrong with it."""
    path = tmp_path / "b.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"b\.safetensors is not a safetensors file"):
        read_safetensors(path)


def test_cut_off_arrays_are_refused(tmp_path: Path) -> None:
    """A file that ends before its tensors do is an error, not a shorter tensor."""
    path = tmp_path / "c.safetensors"
    write_safetensors(path, {"a": np.ones(100, dtype=np.float32)})
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ValueError, match="not a safetensors file"):
        read_safetensors(path)
