"""Apply a low-rank fine-tuning to a model's weights, from a small file of this package.

A fine-tuned matrix is the original plus a product of two narrow ones (Hu et al. 2021, "LoRA:
Low-Rank Adaptation of Large Language Models"). The file, an .npz, has them as `NAME/down`
(rank, in) and `NAME/up` (out, rank) for the matrix called NAME, and whole arrays, like those of
layer norms, under their own names. All are float16.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ashd.providers.minilm_convert import Weights

_DOWN, _UP = "/down", "/up"


def tuned(weights: Weights, file: Path) -> dict[str, NDArray[Any]]:
    """Return `weights` with the fine-tuning of `file`, as float32, and arrays that only it has.

    Raises OSError, EOFError, ValueError or BadZipFile if the file cannot be read, KeyError if it is
    for a matrix that the weights lack, or lacks one of both parts.
    """
    with np.load(file, allow_pickle=False) as stored:
        arrays = {name: stored[name].astype(np.float32) for name in stored.files}
    narrow = {name for name in arrays if name.endswith((_DOWN, _UP))}
    made = dict(weights) | {name: arrays[name] for name in arrays.keys() - narrow}
    for matrix in {name.removesuffix(_DOWN).removesuffix(_UP) for name in narrow}:
        product = arrays[matrix + _UP] @ arrays[matrix + _DOWN]
        made[matrix] = np.asarray(weights[matrix], dtype=np.float32) + product
    return made
