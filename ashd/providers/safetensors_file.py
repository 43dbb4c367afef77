"""Read tensors from a safetensors file: eight bytes of length, a JSON header, raw arrays.

The tensors are read-only maps of the file, so only the parts in use are in memory.
"""

from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

_LARGEST_HEADER_BYTES: Final = 16 * 1024 * 1024
_DTYPES: Final = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}


class _Entry(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def read_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    """Return the tensors of `path` by name; raises ValueError if the file is invalid, or OSError.

    Tensors of a type that numpy lacks are left out.
    """
    try:
        header, offset = _read_header(path)
        data = np.memmap(path, dtype=np.uint8, mode="r", offset=offset)
        return {
            name: data[slice(*entry.data_offsets)].view(_DTYPES[entry.dtype]).reshape(entry.shape)
            for name, entry in header.items()
            if entry.dtype in _DTYPES
        }
    except (ValueError, msgspec.MsgspecError) as error:
        raise ValueError(f"{path.name} is not a safetensors file: {error}") from error


def _read_header(path: Path) -> tuple[dict[str, _Entry], int]:
    """Return the entries by name, and the offset of the arrays."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if not 2 <= size <= _LARGEST_HEADER_BYTES:
            raise ValueError("header length out of range")
        header = msgspec.json.decode(file.read(size), type=dict[str, Any])
    header.pop("__metadata__", None)
    return msgspec.convert(header, type=dict[str, _Entry]), 8 + size
