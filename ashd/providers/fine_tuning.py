"""Apply a fine-tuning to a model's weights, from a small file of this package.

The file, an .npz, says how the matrix called NAME changed in one of two ways:

    NAME/down (rank, in), NAME/up (out, rank)   the change is their product (Hu et al. 2021, "LoRA:
                                                Low-Rank Adaptation of Large Language Models")
    NAME/steps (out, in) int8, NAME/step (out, 1)   the change, as so many steps of the row's size

and holds whole arrays, like those of layer norms, under their own names. All but `steps` are
float16.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ashd.providers.minilm_convert import Weights

_Arrays = dict[str, NDArray[Any]]

_CHANGES: Final[dict[tuple[str, str], Callable[..., NDArray[Any]]]] = {
    ("/down", "/up"): lambda down, up: up @ down,
    ("/steps", "/step"): np.multiply,
}


def tuned(weights: Weights, file: Path) -> _Arrays:
    """Return `weights` with the fine-tuning of `file`, as float32, and arrays that only it has.

    Raises OSError, EOFError, ValueError or BadZipFile if the file cannot be read, KeyError if it is
    for a matrix that the weights lack, or lacks one of both parts.
    """
    with np.load(file, allow_pickle=False) as stored:
        arrays = {name: stored[name].astype(np.float32) for name in stored.files}
    changes: _Arrays = {}
    for parts, change in _CHANGES.items():
        for matrix in {name.rpartition("/")[0] for name in arrays if name.endswith(parts)}:
            changes[matrix] = change(*(arrays.pop(matrix + part) for part in parts))
    changed = {
        name: np.asarray(weights[name], dtype=np.float32) + change
        for name, change in changes.items()
    }
    return dict(weights) | arrays | changed
