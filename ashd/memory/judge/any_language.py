"""The pair model beside the multilingual embedder: how likely a text replaces older ones.

A logistic regression over the vectors of whole texts and a few figures that mean the same in every
language; it knows no word of any. `benchmarks/statements/fit_any_language.py` makes its weights
from notes told over a year in English. It was calibrated in English alone, so what it finds is
linked and never asked about, and it says nothing of repetitions. Pure once it is loaded.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from ashd.language import tagged_words
from ashd.language.word_stems import stems
from ashd.memory.judge import calibration
from ashd.memory.judge.alignment import Floats
from ashd.memory.judge.pair_model import LONGEST, Side
from ashd.memory.judge.verdict import OFFERED_FROM, Opinion
from ashd.providers.embedder import Embedding, PairLikelihoods, unit

_NUMBER: Final = re.compile(r"\d+")
_SCALES: Final = (8.0, 8.0, 150.0)
"""Factors by which the older vector, the newer one and their product have figures near 1."""


class AnyLanguageModel:
    """The model for the multilingual embedder's vectors."""

    def __init__(self, path: Path, embedder_model: str) -> None:
        """Read the weights, which name the embedder's model that they were trained on.

        Raises OSError, EOFError, ValueError or BadZipFile if they cannot be read, KeyError if one
        is missing.
        """
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            if str(stored["model"]) != embedder_model:
                raise ValueError(f"{path.name} was trained on the vectors of another model")
            self._weights = stored["weights"].astype(np.float32)
            self._bias = float(stored["bias"])
        self._calibrated = calibration.of(path.stem)

    @staticmethod
    def may_read(text: str) -> bool:
        """Return whether a text is short enough to be a single statement."""
        return len(text) <= LONGEST

    @staticmethod
    def sides(read: Sequence[tuple[str, Embedding]]) -> list[Side]:
        """Return texts with their embeddings as this model sees them."""
        nothing = np.zeros((0, 0), np.float32)
        return [
            Side(
                text=text,
                words=tagged_words.read(text),
                is_read=AnyLanguageModel.may_read(text),
                pooled=unit(embedding.pooled),
                tokens=nothing,
                projected=nothing,
                short=nothing,
                small=np.zeros(0, np.bool_),
            )
            for text, embedding in read
        ]

    def opinions(self, newer: Side, olders: Sequence[Side]) -> list[Opinion]:
        """Return what `newer` does to each of `olders`, in their order; none is to be asked."""
        return [
            Opinion(min(self._calibrated(one.replaces), OFFERED_FROM), one.repeats)
            for one in self.of_pairs(newer, olders)
        ]

    def of_pairs(self, newer: Side, olders: Sequence[Side]) -> list[PairLikelihoods]:
        """Return the likelihoods for `newer` and each of `olders`, the earlier texts nearest to it.

        Texts that are too long get none.
        """
        found = [PairLikelihoods(0.0, 0.0)] * len(olders)
        read = [at for at, one in enumerate(olders) if one.is_read]
        if not newer.is_read or not read:
            return found
        logits = inputs(newer, [olders[at] for at in read]) @ self._weights + self._bias
        for at, likelihood in zip(read, (1 / (1 + np.exp(-logits))).tolist(), strict=True):
            found[at] = PairLikelihoods(likelihood, 0.0)
        return found


def inputs(newer: Side, olders: Sequence[Side]) -> Floats:
    """Return what the model sees of a text and each of the older ones nearest to it: (n, d)."""
    before, now = np.stack([one.pooled for one in olders]), newer.pooled
    cosines = before @ now
    own, numbers = stems(newer.text), set(_NUMBER.findall(newer.text))
    length = max(len(newer.text), 1)
    rows = []
    for at, older in enumerate(olders):
        cosine, others = cosines[at], np.delete(cosines, at)
        theirs, their_numbers = stems(older.text), set(_NUMBER.findall(older.text))
        shared = len(own & theirs)
        rows.append(
            (
                *(cosine, cosine**2, cosine**3),
                *((cosine - others.max(), others.mean()) if len(others) else (0.0, 0.0)),
                *(shared / max(len(theirs), 1), shared / max(len(own), 1)),
                *(np.log(length / max(len(older.text), 1)), np.log1p(length)),
                float(bool(numbers & their_numbers)),
                float(bool(numbers and their_numbers and not numbers & their_numbers)),
            )
        )
    vectors = (before, np.broadcast_to(now, before.shape), before * now)
    scaled = [vector * scale for vector, scale in zip(vectors, _SCALES, strict=True)]
    return np.concatenate([np.array(rows), *scaled], axis=1).astype(np.float32)
